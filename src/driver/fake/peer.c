/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/fake/peer.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"

enum {
    NAME_MAX_BYTES = 1024,
    TAIL_SIZE = TB_FAKE_NUMBER_SIZE + 32,
};

void tb_fake_peer_init(struct tb_fake_peer *peer, void (*gone)(struct tb_fake_peer *peer))
{
    *peer = (struct tb_fake_peer){.gone = gone};
    tb_list_init(&peer->asks);
}

void tb_fake_peer_drop(struct tb_fake_peer *peer)
{
    if (peer->channel) {
        tb_channel_close(peer->channel, TB_CHANNEL_DRIVER);
        peer->channel = NULL;
    }
}

static struct tb_fake_ask *ask_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_fake_ask, link);
}

/* The peer may answer inside, and the question is gone then. */
static void send(struct tb_fake_peer *peer, struct tb_fake_ask *ask)
{
    TB_AUTO(tb_buf_fini) struct tb_buf name = TB_BUF(NAME_MAX_BYTES);
    char id[TB_FAKE_NUMBER_SIZE];
    char tail[TAIL_SIZE];
    struct tb_json_writer json;
    tb_json_writer_init(&json, &name);
    tb_json_put_cstr(&json, ask->name);
    memcpy(id, ask->id, sizeof(id));
    snprintf(tail, sizeof(tail), "\"metadata\":{\"requestId\":%s}", id);
    const struct tb_jsonrpc request = {
        .kind = TB_JSONRPC_REQUEST,
        .id = {TB_JSON_NUMBER, tb_str_of(id)},
        .method = {TB_JSON_STRING, TB_STR("\"tools/call\"")},
        .name = {TB_JSON_STRING, tb_buf_str(&name)},
        .arguments = {ask->args.len ? TB_JSON_OBJECT : TB_JSON_ABSENT, ask->args},
    };
    ask->unsent = false;
    if (tb_channel_send(peer->channel, TB_CHANNEL_DRIVER, &request, tb_str_of(tail)) == TB_E_BUSY) {
        ask->unsent = true;
    } /* one that is closed is about to tell so */
}

void tb_fake_peer_ask(struct tb_fake_peer *peer, struct tb_fake_ask *ask, int64_t number)
{
    snprintf(ask->id, sizeof(ask->id), "%lld", (long long)number);
    tb_list_append(&peer->asks, &ask->link);
    send(peer, ask);
}

static int on_message(void *user, const struct tb_jsonrpc *message, struct tb_str tail)
{
    struct tb_fake_peer *peer = user;
    (void)tail;
    if (peer->deaf) {
        return TB_E_BUSY;
    }
    LIST_FOREACH_SAFE(link, &peer->asks) {
        struct tb_fake_ask *ask = ask_of(link);
        if (tb_str_eq_cstr(message->id.text, ask->id)) {
            tb_list_remove(&ask->link);
            ask->answered(ask, message->kind == TB_JSONRPC_RESULT, message->result.text);
            break;
        }
    }
    return 0;
}

static void on_ready(void *user)
{
    struct tb_fake_peer *peer = user;
    LIST_FOREACH_SAFE(link, &peer->asks) {
        if (ask_of(link)->unsent) {
            send(peer, ask_of(link));
        }
    }
}

static void on_closed(void *user)
{
    struct tb_fake_peer *peer = user;
    tb_fake_peer_drop(peer);
    peer->gone(peer);
}

int tb_fake_peer_join(struct tb_fake_peer *peer, struct tb_channel *channel)
{
    static const struct tb_channel_events events = {on_message, on_ready, on_closed};
    int rc = tb_channel_join(channel, &events, peer);
    if (rc == 0) {
        tb_fake_peer_drop(peer);
        peer->channel = channel;
    }
    return rc;
}
