/* SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_socket.h"

#include "base/mem.h"
#include "core/principal.h"
#include "front/reply.h"
#include "io/ws_conn.h"

enum {
    MESSAGE_MAX = 4096,
    SEND_MAX = 4 * MESSAGE_MAX,
};

/* All talks, since none may outlive the front. */
struct toy {
    struct tb_list talks;
};

struct talk {
    struct tb_list link;
    struct tb_live live;
    struct tb_principal *who;
    struct tb_ws_conn *conn;
};

static void talk_free(struct talk *talk)
{
    tb_ws_conn_free(talk->conn);
    tb_list_remove(&talk->link);
    tb_list_remove(&talk->live.link);
    tb_principal_unref(talk->who, "talk");
    tb_free(talk);
}

static void on_revoked(struct tb_live *live)
{
    talk_free(TB_CONTAINER(live, struct talk, live));
}

static void on_message(struct tb_ws_conn *conn, bool text, struct tb_str data, void *user)
{
    (void)user;
    tb_ws_conn_send(conn, text, data);
}

static void on_close(struct tb_ws_conn *conn, int code, struct tb_str reason, void *user)
{
    (void)conn;
    (void)code;
    (void)reason;
    talk_free(user);
}

static void listen_to(struct tb_front_req *req)
{
    static const struct tb_ws_conn_opts opts = {
        .limits = {.message_max = MESSAGE_MAX}, .send_max = SEND_MAX, .close_ms = 1000};
    static const struct tb_ws_conn_ops ops = {.on_message = on_message, .on_close = on_close};
    struct toy *toy = req->state;
    struct talk *talk = TB_NEW(struct talk);
    talk->who = tb_principal_ref(req->who, "talk");
    talk->live.revoked = on_revoked;
    tb_list_append(&toy->talks, &talk->link);
    tb_principal_add_live(talk->who, &talk->live);
    req->status = 101;
    talk->conn = tb_ws_conn_accept(req->http, TB_STR(""), &opts, &ops, talk); /* the request goes */
    if (!talk->conn) {
        talk_free(talk);
    }
}

static void greet(struct tb_front_req *req)
{
    tb_reply_text(req, 200, "text/plain", TB_STR("talk to me by a socket\n"));
}

static const struct tb_route routes[] = {
    {"GET", "/talk", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL, .handle = greet},
    {"GET", "/talk", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL, .handle = listen_to,
     .flags = TB_ROUTE_UPGRADE},
};

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    struct toy *toy = TB_NEW(struct toy);
    (void)core;
    (void)err;
    tb_list_init(&toy->talks);
    *ret_state = toy;
    return 0;
}

static void drain(void *state)
{
    struct toy *toy = state;
    while (!tb_list_empty(&toy->talks)) {
        talk_free(TB_CONTAINER(toy->talks.next, struct talk, link));
    }
}

static void stop(void *state)
{
    drain(state);
    tb_free(state);
}

const struct tb_front toy_socket = {
    .name = "talk",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .start = start,
    .drain = drain,
    .stop = stop,
};
