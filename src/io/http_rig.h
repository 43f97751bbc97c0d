/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: a server on a loopback port within the loop of the test, raw clients, and a clock
 * moved by hand.
 *
 * What the server's owner sees is written down in `seen`, one word an event: "head:/a request:/a
 * gone:/a:1". What it does is chosen by the path: /later keeps the request, /head answers in
 * on_head, /echo sends the body back, /small allows 10 bytes of body, /mark has a header of its own
 * in every reply, /stream gives its body to `on_body`, piece by piece; all others are answered at
 * once with their path as the body. A test with other wishes sets `on_request`. */
#pragma once

#include "base/buf.h"
#include "base/clock.h"
#include "io/client_rig.h"
#include "io/http_server.h"
#include "io/listener.h"
#include "io/loop.h"
#include "io/stream.h"

struct rig {
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    struct tb_listener *listener;
    struct tb_http_server *server;
    struct tb_buf seen;
    struct tb_http_req *later[8];
    size_t later_count;
    void (*on_request)(struct tb_http_req *req, void *user);
    void (*on_body)(struct tb_http_req *req, struct tb_str piece);
    void *on_body_user;         /* of each streamed request */
    bool paused_first;          /* a streamed request is paused before its first piece ... */
    struct tb_http_req *paused; /* ... this one */
    bool free_in_gone;
};

static const struct tb_http_server_limits rig_limits = {
    .parser = {.line_max = 1024,
               .head_max = 4096,
               .header_count = 32,
               .body_max = 1 << 20,
               .chunk_ext_max = 128},
    .connections_max = 64,
    .header_ms = 1000,
    .body_grace_ms = 2000,
    .body_rate = 1000,
    .idle_ms = 5000,
    .write_ms = 4000,
    .send_max = 65536,
};

static inline void rig_turns(struct rig *rig, int count)
{
    for (int i = 0; i < count; i++) {
        tb_loop_turn(rig->loop, false);
    }
}

static inline void rig_advance(struct rig *rig, int64_t ms)
{
    tb_clock_manual_advance(&rig->clock, ms);
    rig_turns(rig, 3);
}

static inline void rig_note(struct rig *rig, const char *what, struct tb_http_req *req)
{
    tb_buf_printf(&rig->seen, "%s:%.*s ", what, TB_STR_ARG(tb_http_req_head(req)->target));
}

static inline bool rig_is(struct tb_http_req *req, const char *target)
{
    return tb_str_eq_cstr(tb_http_req_head(req)->target, target);
}

static inline void rig_on_stream(struct tb_http_req *req, struct rig *rig)
{
    tb_http_req_stream(req, rig->on_body);
    tb_http_req_set_user(req, rig->on_body_user);
    if (rig->paused_first) {
        rig->paused = req;
        tb_http_req_pause(req);
    }
}

static inline void rig_on_head(struct tb_http_req *req, void *user)
{
    rig_note(user, "head", req);
    if (rig_is(req, "/head")) {
        tb_http_reply(req, 401, NULL, 0, TB_STR("who are you?"));
    } else if (rig_is(req, "/small")) {
        tb_http_req_set_body_max(req, 10);
    } else if (rig_is(req, "/mark")) {
        static const struct tb_http_header mark = {"X-Mark", {"yes", 3}};
        tb_http_req_set_headers(req, &mark, 1);
    } else if (rig_is(req, "/stream")) {
        rig_on_stream(req, user);
    }
}

static inline void rig_on_request(struct tb_http_req *req, void *user)
{
    struct rig *rig = user;
    rig_note(rig, "request", req);
    if (rig->on_request) {
        rig->on_request(req, rig);
    } else if (rig_is(req, "/later")) {
        rig->later[rig->later_count++] = req;
    } else if (rig_is(req, "/echo")) {
        tb_http_reply(req, 200, NULL, 0, tb_http_req_body(req));
    } else {
        tb_http_reply(req, 200, NULL, 0, tb_http_req_head(req)->target);
    }
}

static inline void rig_on_gone(struct tb_http_req *req, bool complete, void *user)
{
    struct rig *rig = user;
    tb_buf_printf(&rig->seen, "gone:%.*s:%d ", TB_STR_ARG(tb_http_req_head(req)->target), complete);
    assert_true(tb_http_req_peer(req)->local);
    if (rig->free_in_gone) {
        struct tb_http_server *server = rig->server;
        rig->server = NULL;
        tb_http_server_free(server);
    }
}

static const struct tb_http_server_ops rig_ops = {
    .on_head = rig_on_head,
    .on_request = rig_on_request,
    .on_gone = rig_on_gone,
};

static inline void rig_on_accept(struct tb_stream *stream, void *user)
{
    struct rig *rig = user;
    if (rig->server) {
        tb_http_server_add_take(rig->server, stream);
    } else {
        tb_stream_free(stream);
    }
}

static inline void rig_init(struct rig *rig, const struct tb_http_server_limits *limits)
{
    memset(rig, 0, sizeof(*rig));
    tb_clock_manual_init(&rig->clock);
    rig->loop = tb_loop_new(&rig->clock.clock);
    tb_buf_init(&rig->seen, 1 << 20);
    rig->server = tb_http_server_new(rig->loop, limits, &rig_ops, rig);
    struct tb_err err;
    rig->listener = tb_listener_new_tcp(rig->loop, "127.0.0.1", 0, NULL, rig_on_accept, rig, &err);
    assert_non_null(rig->listener);
}

static inline void rig_fini(struct rig *rig)
{
    tb_listener_free(rig->listener);
    tb_http_server_free(rig->server);
    tb_loop_free(rig->loop);
    tb_buf_fini(&rig->seen);
}

static inline void rig_check_seen(struct rig *rig, const char *wanted)
{
    tb_buf_append_char(&rig->seen, '\0');
    assert_string_equal((const char *)rig->seen.data, wanted);
    tb_buf_clear(&rig->seen);
}

static inline void rig_client_open(struct rig *rig, struct rig_client *client)
{
    rig_client_connect(rig->loop, tb_listener_port(rig->listener), client);
}
