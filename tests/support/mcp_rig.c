/* SPDX-License-Identifier: Apache-2.0 */
#include "support/mcp_rig.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/id.h"
#include "base/mem.h"
#include "core/approvals.h"
#include "core/egress.h"
#include "core/keys.h"
#include "core/limits.h"
#include "core/policies.h"
#include "core/secrets.h"
#include "core/sessions.h"
#include "front/events/events.h"
#include "front/mcp/batch.h"
#include "front/mcp/fixtures/fixtures.h"
#include "front/mcp/mcp.h"
#include "front/rest/rest.h"
#include "io/http_server.h"
#include "io/listener.h"
#include "io/stream.h"
#include "store/memory/memory.h"
#include "tool/tools.h"

#include "support/principals.h"

#define MUST(condition)                                          \
    do {                                                         \
        if (!(condition)) {                                      \
            fprintf(stderr, "the rig failed: %s\n", #condition); \
            abort();                                             \
        }                                                        \
    } while (0)

static const struct tb_front *const product[] = {&tb_front_mcp, &tb_front_events, &tb_front_rest,
                                                 NULL};
static const struct tb_front *const fixtures[] = {&tb_front_mcp_fixtures, NULL};

void mcp_rig_init(struct mcp_rig *rig)
{
    *rig = (struct mcp_rig){0};
    tb_log_init(&rig->log, TB_LOG_ERROR, 2, &rig->clock.clock);
    MUST(tb_id_init() == 0);
    tb_clock_manual_init(&rig->clock);
    tb_config_init(&rig->config);
    tb_buf_init(&rig->sent, SIZE_MAX);
    rig->core.clock = &rig->clock.clock;
    rig->core.loop = tb_loop_new(rig->core.clock);
    rig->core.log = &rig->log;
    rig->core.config = &rig->config;
    rig->core.auth = tb_auth_new(rig->core.loop);
    rig->core.egresses = tb_egresses_new(&rig->core);
    tb_egresses_set_proxy(rig->core.egresses, "127.0.0.1:1"); /* nobody goes there */
    rig->core.policies = tb_policies_new(&rig->core);
    rig->core.approvals = tb_approvals_new(&rig->core);
    rig->core.keys = tb_keys_new(&rig->core);
    tb_keys_load(rig->core.keys);
    rig->core.secrets = tb_secrets_new(&rig->core);
    tb_secrets_load(rig->core.secrets);
    tb_bus_init(&rig->core.bus);
    tb_views_init(&rig->core.views, &tb_kit);
    rig->fake = tb_driver_fake.start(&rig->core);
    rig->core.drivers[0] = (struct tb_driver_slot){&tb_driver_fake, rig->fake};
    rig->core.sessions = tb_sessions_new(&rig->core);
}

void mcp_rig_store(struct mcp_rig *rig)
{
    rig->core.store = (struct tb_store){&tb_store_memory, tb_store_memory.open(&rig->core, NULL)};
}

/* Messages in memory. */

static struct mcp_rig *of(struct tb_mcp_out *out)
{
    return TB_CONTAINER(out, struct mcp_rig, out);
}

static void note(struct mcp_rig *rig, struct tb_str message)
{
    tb_buf_append_str(&rig->sent, message);
    tb_buf_append_char(&rig->sent, '\n');
}

static void out_send(struct tb_mcp_out *out, struct tb_str message)
{
    note(of(out), message);
}

static void out_answer(struct tb_mcp_out *out, int status, struct tb_buf *message)
{
    of(out)->answers++;
    of(out)->status = status;
    note(of(out), tb_buf_str(message));
}

static void out_drop(struct tb_mcp_out *out)
{
    of(out)->drops++;
}

static void notify(struct tb_mcp_peer *peer, struct tb_str message)
{
    note(TB_CONTAINER(peer, struct mcp_rig, peer), message);
}

static void on_revoked(struct tb_live *live)
{
    MUST(!live); /* the principal of the rig is never revoked */
}

void mcp_rig_memory(struct mcp_rig *rig, const char *toolset, const char *groups)
{
    static const struct tb_mcp_out_ops ops = {out_send, out_answer, out_drop, NULL};
    struct tb_view *view = NULL;
    void *state;
    MUST((rig->fixtures ? tb_front_mcp_fixtures : tb_front_mcp).start(&rig->core, &state, NULL) ==
         0);
    MUST(tb_view_make(&rig->core.views, tb_str_of(toolset), tb_str_of(groups),
                      &rig->config.mcp_groups, &view, NULL) == 0);
    rig->mcp = state;
    rig->out.ops = &ops;
    tb_mcp_peer_init(&rig->peer, rig->mcp, principal_of("default"), view, on_revoked);
    tb_view_unref(view, "made");
    snprintf(rig->peer.conversation, sizeof(rig->peer.conversation), "own");
    tb_mcp_peer_listens(&rig->peer, notify);
}

const char *mcp_rig_heard(struct mcp_rig *rig)
{
    tb_buf_append_char(&rig->sent, '\0');
    rig->sent.len = 0; /* the text stays until the next message */
    return (const char *)rig->sent.data;
}

const char *mcp_rig_say_only(struct mcp_rig *rig, const char *text)
{
    struct tb_mcp_message message = {.version = rig->peer.version};
    struct tb_mcp_fault fault;
    struct tb_err err;
    rig->sent.len = 0;
    int rc = tb_mcp_message_parse(tb_str_of(text), &message, &err);
    if (rc < 0) {
        tb_mcp_fail(&fault, 400, tb_err_info(rc)->rpc_code, "%s", err.text);
        tb_mcp_out_fault(&rig->out, message.rpc.id.text, &fault);
        return mcp_rig_heard(rig);
    }
    if (message.rpc.kind == TB_JSONRPC_BATCH) {
        tb_mcp_batch_run(&rig->peer, tb_str_of(text), &message, &rig->out);
        return mcp_rig_heard(rig);
    }
    if (message.rpc.kind <= TB_JSONRPC_NOTIFICATION &&
        (tb_mcp_envelope_read(&message.rpc, &message.envelope, &fault) < 0 ||
         tb_mcp_version_choose(&message.rpc, &message.envelope, NULL, rig->peer.version,
                               &message.version, &fault) < 0)) {
        tb_mcp_out_fault(&rig->out, message.rpc.id.text, &fault);
        return mcp_rig_heard(rig);
    }
    tb_mcp_peer_receive(&rig->peer, &message, &rig->out);
    return mcp_rig_heard(rig);
}

const char *mcp_rig_say(struct mcp_rig *rig, const char *message)
{
    size_t len = strlen(mcp_rig_say_only(rig, message));
    rig->sent.len = len;
    mcp_rig_turn(rig);
    return mcp_rig_heard(rig);
}

/* HTTP. */

static void on_connection(struct tb_stream *stream, void *user)
{
    struct mcp_rig *rig = user;
    tb_http_server_add_take(rig->server, stream);
}

void mcp_rig_serve(struct mcp_rig *rig)
{
    const struct tb_http_server_limits limits = {
        .parser = {.line_max = TB_HTTP_LINE_MAX,
                   .head_max = TB_HTTP_HEAD_MAX,
                   .header_count = TB_HTTP_HEADER_COUNT,
                   .body_max = TB_HTTP_BODY_MAX,
                   .chunk_ext_max = TB_HTTP_CHUNK_EXT_MAX},
        .connections_max = 100,
        .send_max = TB_SEND_QUEUE_MAX,
    };
    rig->fronts = rig->fronts ? rig->fronts : rig->fixtures ? fixtures : product;
    rig->router = tb_router_new(&rig->core, rig->fronts);
    MUST(tb_router_start(rig->router, NULL) == 0);
    rig->door = (struct tb_router_door){rig->router, TB_DOOR_UNIX};
    rig->server = tb_http_server_new(rig->core.loop, &limits, tb_router_ops(), &rig->door);
    snprintf(rig->dir, sizeof(rig->dir), "/tmp/tabard-mcp-XXXXXX");
    MUST(mkdtemp(rig->dir));
    snprintf(rig->socket, sizeof(rig->socket), "%s/s", rig->dir);
    rig->listener = tb_listener_new_unix(rig->core.loop, rig->socket, on_connection, rig, NULL);
    MUST(rig->listener);
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct mcp_client *client = user;
    (void)stream;
    tb_buf_append_str(&client->got, bytes);
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    struct mcp_client *client = user;
    (void)stream;
    (void)status;
    client->ended = true;
}

static void on_connect(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    MUST(status == 0);
    *(bool *)user = true;
}

void mcp_client_open(struct mcp_rig *rig, struct mcp_client *client)
{
    static const struct tb_stream_ops ops = {.on_read = on_read, .on_end = on_end};
    bool connected = false;
    *client = (struct mcp_client){.ended = false};
    tb_buf_init(&client->got, SIZE_MAX);
    client->stream = tb_stream_connect_unix(rig->core.loop, rig->socket, on_connect, &connected);
    while (!connected) {
        tb_loop_turn(rig->core.loop, true);
    }
    tb_stream_set_send_max(client->stream, SIZE_MAX / 2);
    tb_stream_start(client->stream, &ops, client);
}

void mcp_client_close(struct mcp_client *client)
{
    tb_stream_free(client->stream);
    client->stream = NULL;
    tb_buf_fini(&client->got);
}

void mcp_client_send(struct mcp_client *client, struct tb_str bytes)
{
    MUST(tb_stream_write(client->stream, bytes) == 0);
}

const char *mcp_client_heard(struct mcp_client *client)
{
    tb_buf_append_char(&client->got, '\0');
    client->got.len = 0; /* the text stays until more comes */
    return (const char *)client->got.data;
}

const char *mcp_client_ask(struct mcp_rig *rig, struct mcp_client *client, const char *line,
                           const char *headers, const char *body)
{
    TB_AUTO(tb_free)
    char *request =
        tb_strdupf("%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Accept: application/json, text/event-stream\r\n%sContent-Length: %zu\r\n\r\n%s",
                   line, headers, strlen(body), body);
    client->got.len = 0;
    mcp_client_send(client, tb_str_of(request));
    mcp_rig_turn(rig);
    return mcp_client_heard(client);
}

/* Time. */

void mcp_rig_turn(struct mcp_rig *rig)
{
    /* More than any chain of jobs here has links. */
    for (int i = 0; i < 60; i++) {
        tb_loop_turn(rig->core.loop, false);
    }
}

void mcp_rig_advance(struct mcp_rig *rig, int64_t ms)
{
    tb_clock_manual_advance(&rig->clock, ms);
    mcp_rig_turn(rig);
}

void mcp_rig_fini(struct mcp_rig *rig)
{
    tb_listener_free(rig->listener);
    tb_http_server_free(rig->server);
    tb_router_free(rig->router);
    if (rig->mcp) {
        tb_mcp_peer_fini(&rig->peer);
        tb_front_mcp.stop(rig->mcp);
    }
    tb_sessions_free(rig->core.sessions);
    tb_driver_fake.stop(rig->fake);
    tb_keys_free(rig->core.keys);
    tb_secrets_free(rig->core.secrets);
    tb_approvals_free(rig->core.approvals);
    tb_policies_free(rig->core.policies);
    tb_egresses_free(rig->core.egresses);
    if (rig->core.store.kind) {
        rig->core.store.kind->close(rig->core.store.state);
    }
    tb_auth_free(rig->core.auth);
    tb_rates_fini(&rig->core.rates);
    tb_metrics_fini(&rig->core.metrics);
    tb_loop_free(rig->core.loop);
    tb_config_fini(&rig->config);
    tb_log_fini(&rig->log);
    tb_buf_fini(&rig->sent);
    if (rig->dir[0]) {
        rmdir(rig->dir);
    }
}

int mcp_rig_start(void **state)
{
    *state = TB_NEW(struct mcp_rig);
    mcp_rig_init(*state);
    mcp_rig_memory(*state, "", "");
    return 0;
}

int mcp_rig_stop(void **state)
{
    mcp_rig_fini(*state);
    tb_free(*state);
    return 0;
}
