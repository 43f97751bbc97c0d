/* SPDX-License-Identifier: Apache-2.0 */
#include "front/proxy/conn.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/policy.h"
#include "front/proxy/heads.h"

enum {
    CREDENTIALS_MAX = 256,
    ANSWER_MAX = 4 * TB_KIB,
    TLS_HANDSHAKE = 22, /* the first byte of every TLS connection (RFC 8446, 5.1) */
};

static struct tb_loop *loop_of(const struct tb_proxy_conn *conn)
{
    return conn->proxy->core->loop;
}

/* Ends. */

static void drop_server(struct tb_proxy_conn *conn)
{
    tb_stream_free(conn->server);
    conn->server = NULL;
    tb_http1_free(conn->responses);
    conn->responses = NULL;
}

static void run_free(struct tb_deferred *job)
{
    tb_proxy_conn_free(TB_CONTAINER(job, struct tb_proxy_conn, free));
}

void tb_proxy_conn_end(struct tb_proxy_conn *conn)
{
    if (conn->state == TB_PROXY_DEAD) {
        return;
    }
    conn->state = TB_PROXY_DEAD;
    tb_egress_leave(&conn->use);
    tb_reach_cancel(conn->reach);
    conn->reach = NULL;
    tb_tunnel_end(&conn->tunnel);
    tb_stream_free(conn->server);
    conn->server = NULL;
    tb_stream_free(conn->client);
    conn->client = NULL;
    tb_timer_fini(&conn->timer);
    tb_list_remove(&conn->link);
    tb_list_append(&conn->proxy->dead, &conn->link);
    conn->proxy->count--;
    tb_loop_defer(loop_of(conn), &conn->free);
}

/* The parsers stay until here: whoever ended it may have been reading from them. */
void tb_proxy_conn_free(struct tb_proxy_conn *conn)
{
    tb_deferred_cancel(&conn->free);
    tb_list_remove(&conn->link);
    tb_http1_free(conn->requests);
    tb_http1_free(conn->responses);
    tb_buf_fini(&conn->kept);
    tb_free(conn);
}

static void on_cut(struct tb_egress_use *use)
{
    tb_proxy_conn_end(TB_CONTAINER(use, struct tb_proxy_conn, use));
}

void tb_proxy_conn_answer(struct tb_proxy_conn *conn, const char *status, const char *headers,
                          const char *words)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(ANSWER_MAX);
    tb_buf_printf(&out,
                  "HTTP/1.1 %s\r\n%sConnection: close\r\nCache-Control: no-store\r\n"
                  "X-Content-Type-Options: nosniff\r\n",
                  status, headers);
    if (strncmp(status, "204", 3) != 0) {
        tb_buf_printf(&out, "Content-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n",
                      conn->now.is_head ? (size_t)0 : strlen(words) + 1);
    }
    tb_buf_append_cstr(&out, "\r\n");
    if (strncmp(status, "204", 3) != 0 && !conn->now.is_head) {
        tb_buf_printf(&out, "%s\n", words);
    }
    struct tb_stream *client = conn->client;
    conn->client = NULL;
    tb_stream_write(client, tb_buf_str(&out));
    tb_stream_finish_and_free(client, TB_PROXY_LINGER_MS);
    tb_proxy_conn_end(conn);
}

static bool is_refusal(int code)
{
    return tb_err_info(code)->http_status == 403;
}

void tb_proxy_conn_fail(struct tb_proxy_conn *conn, const struct tb_err *err)
{
    struct tb_egress *egress = conn->use.pass ? tb_pass_egress(conn->use.pass) : NULL;
    char words[sizeof(err->text) + 32];
    snprintf(words, sizeof(words), "Refused by tabard: %s.", err->text);
    if (is_refusal(err->code)) {
        if (egress) { /* whoever hears of it may end the session, and this with it */
            tb_egress_refused(egress, &conn->use.goal, err);
        }
        if (conn->state != TB_PROXY_DEAD) {
            tb_proxy_conn_answer(conn, "403 Forbidden", "", words);
        }
        return;
    }
    bool is_late = err->code == TB_E_TIMEOUT;
    snprintf(words, sizeof(words), "%s.", err->text);
    tb_proxy_conn_answer(conn, is_late ? "504 Gateway Timeout" : "502 Bad Gateway", "", words);
}

/* Credentials. */

static struct tb_pass *find_pass(const struct tb_proxy_conn *conn, const struct tb_http1_head *head)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf plain = TB_BUF(CREDENTIALS_MAX);
    struct tb_str value = tb_http1_header(head, "Proxy-Authorization");
    struct tb_str scheme = tb_str_cut(&value, ' ');
    if (tb_http1_header_times(head, "Proxy-Authorization") != 1 ||
        !tb_str_eq_nocase(scheme, TB_STR("Basic")) ||
        tb_base64_decode(tb_str_trim(value), &plain) < 0) {
        return NULL;
    }
    struct tb_str secret = tb_buf_str(&plain);
    struct tb_str user = tb_str_cut(&secret, ':');
    return tb_pass_find(conn->proxy->core->egresses, user, secret);
}

/* A connection may go on with another pass of its browser, and counts for that from then on. */
static int show_pass(struct tb_proxy_conn *conn, const struct tb_http1_head *head,
                     struct tb_err *err)
{
    struct tb_pass *pass = find_pass(conn, head);
    if (!pass) {
        return tb_fail(err, TB_E_UNAUTHORIZED, "this proxy serves only browsers of tabard");
    }
    if (conn->use.pass == pass) {
        return 0;
    }
    if (conn->use.pass) {
        drop_server(conn);
    }
    tb_egress_leave(&conn->use);
    return tb_egress_enter(&conn->use, pass, err);
}

/* Requests. */

static bool same_goal(const struct tb_egress_goal *a, const struct tb_egress_goal *b)
{
    return a->port == b->port && strcmp(a->host.name, b->host.name) == 0;
}

/* The way of the last request serves this one too. Policies may have changed since, so its address
 * is judged again. */
static bool can_reuse(struct tb_proxy_conn *conn, const struct tb_egress *egress,
                      const struct tb_egress_goal *goal)
{
    return conn->server && same_goal(&conn->use.goal, goal) &&
           (!conn->use.has_address ||
            tb_egress_judge_address(egress, goal, &conn->use.address, NULL) == 0);
}

static void on_reached(int code, struct tb_stream *stream, const struct tb_ip *address,
                       const struct tb_err *err, void *user)
{
    struct tb_proxy_conn *conn = user;
    conn->reach = NULL;
    if (code < 0) {
        tb_proxy_conn_fail(conn, err);
        return;
    }
    conn->server = stream;
    conn->use.has_address = address != NULL;
    if (address) {
        conn->use.address = *address;
    }
    tb_stream_set_peer_timeout(stream, TB_PEER_MS);
    tb_egress_count_request(&conn->use);
    if (tb_http1_head(conn->requests)->form == TB_HTTP1_AUTHORITY) {
        tb_proxy_conn_tunnel(conn, TB_STR("HTTP/1.1 200 Connection established\r\n\r\n"));
    } else {
        tb_proxy_exchange_begin(conn);
        if (conn->state == TB_PROXY_EXCHANGE) {
            tb_proxy_conn_go_on(conn);
        }
    }
}

static void reach(struct tb_proxy_conn *conn, struct tb_egress *egress)
{
    const struct tb_reach_spec spec = {
        .loop = loop_of(conn),
        .dns = conn->proxy->dns,
        .egress = egress,
        .goal = &conn->use.goal,
        .fn = on_reached,
        .user = conn,
    };
    drop_server(conn);
    conn->state = TB_PROXY_REACHING;
    conn->reach = tb_reach_start(&spec);
}

static void note_refused(struct tb_proxy_conn *conn, const struct tb_http1_head *head, int code)
{
    tb_refused_note_proxy(&conn->proxy->refused, tb_stream_peer(conn->client), head, code);
}

/* The pass is good: may it go there? */
static void admit(struct tb_proxy_conn *conn, const struct tb_egress_goal *goal)
{
    struct tb_egress *egress = tb_pass_egress(conn->use.pass);
    bool is_prime = strcmp(goal->host.name, TB_EGRESS_PRIME_HOST) == 0;
    struct tb_err err;
    if (is_prime) {
        tb_pass_note_known(conn->use.pass);
        tb_proxy_conn_answer(conn, "204 No Content", "", "");
        return;
    }
    bool tunnel = goal->schemes == TB_POLICY_TUNNEL;
    bool reuse = egress && !tunnel && can_reuse(conn, egress, goal);
    conn->use.goal = *goal;
    if (!egress) {
        tb_fail(&err, TB_E_FORBIDDEN, "this browser context belongs to no session");
        note_refused(conn, tb_http1_head(conn->requests), err.code);
        tb_proxy_conn_fail(conn, &err);
    } else if (tb_egress_judge(egress, goal, &err) < 0) {
        tb_proxy_conn_fail(conn, &err);
    } else if (reuse) {
        conn->now.reused = true;
        tb_egress_count_request(&conn->use);
        tb_proxy_exchange_begin(conn);
    } else {
        reach(conn, egress);
    }
}

/* Every browser asks once without its pass, for the name that teaches it to show it. */
static bool is_taught(const struct tb_http1_head *head)
{
    const struct tb_str name = TB_STR(TB_EGRESS_PRIME_HOST);
    return tb_str_starts(head->authority, name) &&
           !tb_http1_header(head, "Proxy-Authorization").ptr;
}

static void refuse_pass(struct tb_proxy_conn *conn, const struct tb_http1_head *head,
                        const struct tb_err *err)
{
    if (err->code == TB_E_UNAUTHORIZED && !is_taught(head)) {
        note_refused(conn, head, err->code);
    }
    if (err->code == TB_E_UNAUTHORIZED) {
        tb_proxy_conn_answer(conn, "407 Proxy Authentication Required",
                             "Proxy-Authenticate: Basic realm=\"tabard\"\r\n", err->text);
    } else {
        tb_proxy_conn_answer(conn, "503 Service Unavailable", "Retry-After: 1\r\n", err->text);
    }
}

static void on_head(struct tb_proxy_conn *conn)
{
    const struct tb_http1_head *head = tb_http1_head(conn->requests);
    struct tb_egress_goal goal;
    struct tb_err err;
    conn->now = (struct tb_proxy_exchange){
        .keep = head->keep_alive && head->minor == 1,
        .is_head = tb_str_eq_cstr(head->method, "HEAD"),
        .upgrade = head->upgrade &&
                   tb_str_eq_nocase(tb_http1_header(head, "Upgrade"), TB_STR("websocket")),
    };
    tb_timer_stop(&conn->timer);
    if (show_pass(conn, head, &err) < 0) {
        refuse_pass(conn, head, &err);
    } else if (!tb_heads_can_pass(head) || tb_heads_goal(head, &goal, &err) < 0 ||
               (head->form == TB_HTTP1_AUTHORITY && tb_http1_has_body(head))) {
        tb_proxy_conn_answer(conn, "400 Bad Request", "", "This is not a proxy request.");
    } else {
        admit(conn, &goal);
    }
}

/* Input. */

static bool wants_input(const struct tb_proxy_conn *conn)
{
    return conn->state == TB_PROXY_HEAD ||
           (conn->state == TB_PROXY_EXCHANGE && !conn->now.request_over);
}

static void take_event(struct tb_proxy_conn *conn, int event, struct tb_str body)
{
    if (event < 0) {
        if (conn->state == TB_PROXY_HEAD) {
            tb_proxy_conn_answer(conn, "400 Bad Request", "", "This is not HTTP.");
        } else {
            tb_proxy_conn_end(conn);
        }
    } else if (event == TB_HTTP1_HEAD) {
        on_head(conn);
    } else if (event == TB_HTTP1_BODY) {
        tb_proxy_exchange_body(conn, body);
    } else {
        tb_proxy_exchange_body_over(conn);
    }
}

static void parse(struct tb_proxy_conn *conn, struct tb_str *input)
{
    if (input->len && conn->state == TB_PROXY_HEAD && tb_http1_idle(conn->requests)) {
        tb_timer_start(&conn->timer, conn->proxy->core->config->http_header_ms);
    }
    while (wants_input(conn)) {
        struct tb_str body = {NULL, 0};
        struct tb_err err;
        int event = tb_http1_next(conn->requests, input, &body, &err);
        if (event == TB_HTTP1_MORE) {
            break;
        }
        take_event(conn, event, body);
    }
}

/* What nobody wants yet is kept; of that there is little, and a browser that sends more waits. */
static void keep(struct tb_proxy_conn *conn, struct tb_str rest)
{
    if (!rest.len || conn->state == TB_PROXY_DEAD || conn->state == TB_PROXY_TUNNEL) {
        return;
    }
    if (tb_buf_append_str(&conn->kept, rest) < 0) {
        tb_proxy_conn_end(conn);
    } else if (conn->kept.len >= TB_PROXY_QUEUE_MAX) {
        tb_stream_pause(conn->client);
    }
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct tb_proxy_conn *conn = user;
    (void)stream;
    conn->moved_ms = tb_loop_now_ms(loop_of(conn));
    if (conn->state == TB_PROXY_EXCHANGE) {
        tb_egress_count_bytes(&conn->use, 0, bytes.len);
    }
    if (wants_input(conn) && !conn->kept.len) {
        parse(conn, &bytes);
    }
    keep(conn, bytes);
}

void tb_proxy_conn_go_on(struct tb_proxy_conn *conn)
{
    size_t len;
    TB_AUTO(tb_free) uint8_t *kept = tb_buf_take(&conn->kept, &len);
    struct tb_str input = {(const char *)kept, kept ? len : 0};
    tb_stream_resume(conn->client);
    parse(conn, &input); /* also without input: the end of a request may be all that is left */
    keep(conn, input);
}

/* A browser that sends no more has left: it does not half-close. */
static void on_client_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    (void)status;
    tb_proxy_conn_end(user);
}

static void on_client_drain(struct tb_stream *stream, void *user)
{
    (void)stream;
    tb_proxy_exchange_drained(user);
}

/* Tunnels. */

static void count_tunnel(struct tb_tunnel *tunnel, size_t in, size_t out)
{
    tb_egress_count_bytes(&TB_CONTAINER(tunnel, struct tb_proxy_conn, tunnel)->use, in, out);
}

static void on_tunnel_over(struct tb_tunnel *tunnel)
{
    tb_proxy_conn_end(TB_CONTAINER(tunnel, struct tb_proxy_conn, tunnel));
}

/* A browser asks for a tunnel for https and for WebSockets of either kind, and does not say which.
 * What is no TLS is a WebSocket in the clear: that is http, and counts as such from now on. */
static bool may_begin_tunnel(struct tb_tunnel *tunnel, struct tb_str first)
{
    struct tb_proxy_conn *conn = TB_CONTAINER(tunnel, struct tb_proxy_conn, tunnel);
    struct tb_egress *egress = tb_pass_egress(conn->use.pass);
    struct tb_err err;
    if (conn->use.goal.schemes != TB_POLICY_TUNNEL || (uint8_t)first.ptr[0] == TLS_HANDSHAKE) {
        return true;
    }
    conn->use.goal.schemes = TB_SCHEME_HTTP;
    if (tb_egress_judge(egress, &conn->use.goal, &err) == 0) {
        return true;
    }
    tb_egress_refused(egress, &conn->use.goal, &err);
    tb_proxy_conn_end(conn);
    return false;
}

void tb_proxy_conn_tunnel(struct tb_proxy_conn *conn, struct tb_str first)
{
    size_t len;
    TB_AUTO(tb_free) uint8_t *kept = tb_buf_take(&conn->kept, &len);
    const struct tb_str early = {(const char *)kept, kept ? len : 0};
    struct tb_stream *client = conn->client;
    struct tb_stream *server = conn->server;
    conn->state = TB_PROXY_TUNNEL;
    conn->tunnel.may_begin = may_begin_tunnel;
    conn->tunnel.count = count_tunnel;
    conn->tunnel.over = on_tunnel_over;
    tb_timer_stop(&conn->timer);
    tb_stream_write(client, first);
    conn->client = NULL;
    conn->server = NULL;
    tb_tunnel_begin_take(&conn->tunnel, client, server, early);
}

/* Time. */

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_proxy_conn *conn = user;
    int64_t left_ms = conn->moved_ms + TB_PROXY_IDLE_MS - tb_loop_now_ms(loop_of(conn));
    if (conn->state == TB_PROXY_EXCHANGE && left_ms > 0) {
        tb_timer_start(timer, left_ms);
    } else {
        tb_proxy_conn_end(conn);
    }
}

void tb_proxy_conn_new_take(struct tb_proxy *proxy, struct tb_stream *stream)
{
    static const struct tb_http1_limits limits = {.line_max = TB_PROXY_LINE_MAX,
                                                  .head_max = TB_PROXY_HEAD_MAX,
                                                  .header_count = TB_PROXY_HEADER_COUNT,
                                                  .body_max = UINT64_MAX,
                                                  .chunk_ext_max = TB_HTTP_CHUNK_EXT_MAX};
    static const struct tb_stream_ops ops = {on_read, on_client_drain, on_client_end};
    struct tb_proxy_conn *conn = TB_NEW(struct tb_proxy_conn);
    conn->proxy = proxy;
    conn->client = stream;
    conn->requests = tb_http1_new(TB_HTTP1_REQUEST, &limits);
    conn->use.cut = on_cut;
    conn->free.run = run_free;
    tb_list_init(&conn->free.link);
    tb_list_init(&conn->use.link);
    tb_buf_init(&conn->kept, (size_t)2 * TB_PROXY_QUEUE_MAX);
    tb_timer_init(&conn->timer, proxy->core->loop, on_timer, conn);
    tb_timer_start(&conn->timer, proxy->core->config->http_idle_ms);
    tb_list_append(&proxy->conns, &conn->link);
    proxy->count++;
    tb_stream_start(stream, &ops, conn);
}
