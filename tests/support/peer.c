/* SPDX-License-Identifier: Apache-2.0 */
#include "support/peer.h"

enum {
    FRAMES_MAX = 1 << 20,
};

/* As a dialect would have it: the head, the payload as it stands, the tail. */
static void write_frame(struct peer *peer, const struct tb_jsonrpc *message, struct tb_str tail)
{
    struct tb_buf *out = &peer->frames;
    tb_buf_printf(out, "{\"id\":%.*s,\"method\":%.*s,\"params\":{\"name\":%.*s,\"arguments\":",
                  TB_STR_ARG(message->id.text), TB_STR_ARG(message->method.text),
                  TB_STR_ARG(message->name.text));
    tb_buf_append_str(out, message->arguments.text.len ? message->arguments.text : TB_STR("{}"));
    tb_buf_printf(out, "%s%.*s}}\n", tail.len ? "," : "", TB_STR_ARG(tail));
    peer->payload = message->arguments.text.ptr;
}

static int send_result(struct peer *peer, struct tb_str id, const char *result)
{
    const struct tb_jsonrpc message = {
        .kind = TB_JSONRPC_RESULT,
        .id = {TB_JSON_NUMBER, id},
        .result = {TB_JSON_OBJECT, tb_str_of(result)},
    };
    return tb_channel_send(peer->channel, TB_CHANNEL_PEER, &message, TB_STR(""));
}

static int on_message(void *user, const struct tb_jsonrpc *message, struct tb_str tail)
{
    struct peer *peer = user;
    if (peer->busy) {
        return TB_E_BUSY;
    }
    write_frame(peer, message, tail);
    if (peer->answer && message->kind == TB_JSONRPC_REQUEST) {
        send_result(peer, message->id.text, peer->answer);
    }
    return 0;
}

static void on_ready(void *user)
{
    ((struct peer *)user)->readies++;
}

static void on_closed(void *user)
{
    struct peer *peer = user;
    peer->closes++;
    peer_close(peer);
}

void peer_open(struct peer *peer, struct tb_loop *loop)
{
    static const struct tb_channel_events events = {on_message, on_ready, on_closed};
    *peer = (struct peer){.frames = TB_BUF(FRAMES_MAX)};
    peer->channel = tb_channel_new(loop, &events, peer);
}

void peer_close(struct peer *peer)
{
    if (peer->channel) {
        tb_channel_close(peer->channel, TB_CHANNEL_PEER);
        peer->channel = NULL;
    }
}

void peer_fini(struct peer *peer)
{
    peer_close(peer);
    tb_buf_fini(&peer->frames);
}

int peer_answer(struct peer *peer, const char *id, const char *result)
{
    return send_result(peer, tb_str_of(id), result);
}

void peer_resume(struct peer *peer)
{
    peer->busy = false;
    tb_channel_ready(peer->channel, TB_CHANNEL_PEER);
}
