/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_server.h"

#include "base/err.h"
#include "io/http_rig.h"

/* The server as a whole: its ceiling, its end, its way out of HTTP. */

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

static int set_up(void **state)
{
    static struct rig rig;
    struct tb_http_server_limits limits = rig_limits;
    limits.connections_max = 3;
    rig_init(&rig, &limits);
    *state = &rig;
    return 0;
}

static int tear_down(void **state)
{
    rig_fini(*state);
    return 0;
}

static void over_the_ceiling_a_peer_is_told_to_come_later(void **state)
{
    struct rig *rig = *state;
    struct rig_client inside[3];
    struct rig_client outside;
    for (size_t i = 0; i < TB_COUNT(inside); i++) {
        rig_client_open(rig, &inside[i]);
    }
    RIG_UNTIL(rig->loop, tb_http_server_connections(rig->server) == 3);
    rig_client_open(rig, &outside);
    rig_send(&outside, GET("/a"));
    RIG_UNTIL(rig->loop, outside.ended);
    assert_true(rig_got(&outside, "HTTP/1.1 503 Service Unavailable\r\n"));
    assert_true(rig_got(&outside, "Retry-After: 1\r\n"));
    assert_true(rig_got(&outside, "{\"error\":{\"code\":\"busy\""));
    rig_client_close(&outside);
    rig_client_close(&inside[0]);
    RIG_UNTIL(rig->loop, tb_http_server_connections(rig->server) == 2);
    rig_client_open(rig, &outside);
    rig_send(&outside, GET("/a"));
    RIG_UNTIL(rig->loop, rig_got(&outside, "\r\n\r\n/a"));
    rig_client_close(&inside[1]);
    rig_client_close(&inside[2]);
    rig_client_close(&outside);
}

static void count_drained(void *user)
{
    ++*(int *)user;
}

static void a_drain_waits_for_replies_and_lets_nothing_new_in(void **state)
{
    struct rig *rig = *state;
    struct rig_client idle;
    struct rig_client pending;
    struct rig_client streaming;
    struct rig_client late;
    int drained = 0;
    rig_client_open(rig, &idle);
    rig_client_open(rig, &pending);
    rig_client_open(rig, &streaming);
    rig_send(&idle, GET("/a"));
    rig_send(&pending, GET("/later") GET("/behind"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    rig_send(&streaming, GET("/later") GET("/behind"));
    RIG_UNTIL(rig->loop, rig->later_count == 2 && rig_got(&idle, "\r\n\r\n/a"));
    tb_http_reply_start(rig->later[1], 200, NULL, 0);
    rig_turns(rig, 3);

    tb_http_server_drain(rig->server, count_drained, &drained);
    RIG_UNTIL(rig->loop, idle.ended);
    assert_int_equal(tb_http_server_connections(rig->server), 2);
    rig_client_open(rig, &late);
    RIG_UNTIL(rig->loop, late.ended);
    assert_true(rig_got(&late, "HTTP/1.1 503 "));
    tb_http_reply(rig->later[0], 200, NULL, 0, TB_STR("first"));
    RIG_UNTIL(rig->loop, pending.ended);
    assert_true(rig_got(&pending, "Connection: close\r\n\r\nfirst"));
    assert_int_equal(drained, 0);
    assert_int_equal(tb_http_reply_write(rig->later[1], TB_STR("second")), 0);
    tb_http_reply_end(rig->later[1]);
    RIG_UNTIL(rig->loop, streaming.ended);
    assert_true(rig_got(&streaming, "6\r\nsecond\r\n0\r\n\r\n"));
    RIG_UNTIL(rig->loop, drained == 1);
    rig_turns(rig, 5);
    assert_int_equal(drained, 1);
    assert_null(memmem(rig->seen.data, rig->seen.len, "/behind", 7));
    rig_client_close(&idle);
    rig_client_close(&pending);
    rig_client_close(&streaming);
    rig_client_close(&late);
}

/* Whoever dribbles a request, with or without a credential, does not delay the end. */
static void a_drain_does_not_wait_for_requests_that_are_not_whole(void **state)
{
    static const char *const begun[] = {
        "GET /a HTTP/1.1\r\nHo",
        "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
    };
    struct rig *rig = *state;
    int drained = 0;
    struct rig_client clients[TB_COUNT(begun)];
    for (size_t i = 0; i < TB_COUNT(begun); i++) {
        rig_client_open(rig, &clients[i]);
        rig_send(&clients[i], begun[i]);
    }
    RIG_UNTIL(rig->loop, rig->seen.len > 0);
    rig_turns(rig, 3);
    tb_http_server_drain(rig->server, count_drained, &drained);
    rig_turns(rig, 3);
    assert_int_equal(drained, 1);
    for (size_t i = 0; i < TB_COUNT(begun); i++) {
        RIG_UNTIL(rig->loop, rig_got(&clients[i], "HTTP/1.1 503 "));
        rig_client_close(&clients[i]);
    }
    rig_check_seen(rig, "head:/b gone:/b:0 ");
}

static void a_drain_without_connections_ends_in_the_next_turn(void **state)
{
    struct rig *rig = *state;
    int drained = 0;
    tb_http_server_drain(rig->server, count_drained, &drained);
    assert_int_equal(drained, 0);
    rig_turns(rig, 1);
    assert_int_equal(drained, 1);
}

static void free_server(struct tb_http_req *req, void *user)
{
    (void)req;
    struct rig *rig = user;
    struct tb_http_server *server = rig->server;
    rig->server = NULL;
    tb_http_server_free(server);
}

static void reply_and_free_server(struct tb_http_req *req, void *user)
{
    tb_http_reply(req, 200, NULL, 0, TB_STR("lost"));
    free_server(req, user);
}

static void a_handler_may_free_the_server(void **state)
{
    static void (*const handlers[])(struct tb_http_req *, void *) = {free_server,
                                                                     reply_and_free_server};
    struct rig *rig = *state;
    for (size_t i = 0; i < TB_COUNT(handlers); i++) {
        struct rig_client client;
        struct rig_client other;
        if (!rig->server) {
            rig->server = tb_http_server_new(rig->loop, &rig_limits, &rig_ops, rig);
        }
        rig->on_request = NULL;
        rig_client_open(rig, &other);
        rig_send(&other, GET("/later"));
        RIG_UNTIL(rig->loop, rig->later_count == i + 1);
        rig->on_request = handlers[i];
        rig_client_open(rig, &client);
        rig_send(&client, GET("/a") GET("/b"));
        RIG_UNTIL(rig->loop, client.ended && other.ended);
        rig_check_seen(rig,
                       "head:/later request:/later head:/a request:/a gone:/later:0 gone:/a:0 ");
        rig_client_close(&client);
        rig_client_close(&other);
    }
}

static void on_gone_may_free_the_server(void **state)
{
    static const char *const requests[] = {
        GET("/a") GET("/b"),
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense",
        "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    };
    struct rig *rig = *state;
    rig->free_in_gone = true;
    for (size_t i = 0; i < TB_COUNT(requests); i++) {
        struct rig_client client;
        if (!rig->server) {
            rig->server = tb_http_server_new(rig->loop, &rig_limits, &rig_ops, rig);
        }
        rig_client_open(rig, &client);
        rig_send(&client, requests[i]);
        RIG_UNTIL(rig->loop, client.ended);
        assert_null(rig->server);
        assert_false(rig_got(&client, "/b"));
        rig_client_close(&client);
    }
}

static void freeing_the_server_ends_all_requests(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    free_server(NULL, rig);
    rig_check_seen(rig, "head:/later request:/later gone:/later:0 ");
    RIG_UNTIL(rig->loop, client.ended);
    rig_client_close(&client);
}

struct tunnel {
    struct rig rig;
    struct tb_stream *stream;
    char *rest;
    size_t rest_len;
    struct rig_client inner; /* what comes through the stream that was taken */
};

static void take_over(struct tb_http_req *req, void *user)
{
    struct tunnel *tunnel = TB_CONTAINER(user, struct tunnel, rig);
    struct rig_client *inner = &tunnel->inner;
    inner->stream = tb_http_upgrade_take(req, TB_STR("HTTP/1.1 200 Connected\r\n\r\n"),
                                         &tunnel->rest, &tunnel->rest_len);
    assert_non_null(inner->stream);
    tb_buf_init(&inner->got, 1 << 20);
    tb_stream_start(inner->stream, &rig_client_ops, inner);
}

static void check_tunnel(struct tunnel *tunnel, bool later)
{
    struct rig *rig = &tunnel->rig;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nearly bytes");
    if (later) {
        RIG_UNTIL(rig->loop, rig->later_count == 1);
        rig_send(&client, ", and more");
        rig_turns(rig, 5);
        take_over(rig->later[0], rig);
    }
    RIG_UNTIL(rig->loop, rig_got(&client, "HTTP/1.1 200 Connected\r\n\r\n"));
    assert_int_equal(tb_http_server_connections(rig->server), 0);
    struct tb_str rest = {tunnel->rest, tunnel->rest_len};
    assert_true(tb_str_eq_cstr(rest, later ? "early bytes, and more" : "early bytes"));
    rig_check_seen(rig, "head:a:1 request:a:1 gone:a:1:1 ");
    rig_send(&client, "GET / HTTP/1.1\r\n\r\n");
    RIG_UNTIL(rig->loop, rig_got(&tunnel->inner, "GET / HTTP/1.1\r\n\r\n"));
    rig_send(&tunnel->inner, "back");
    RIG_UNTIL(rig->loop, rig_got(&client, "back"));
    rig_client_close(&client);
    RIG_UNTIL(rig->loop, tunnel->inner.ended);
    rig_client_close(&tunnel->inner);
    tb_free(tunnel->rest);
}

static void keep_for_later(struct tb_http_req *req, void *user)
{
    struct rig *rig = user;
    rig->later[rig->later_count++] = req;
}

static void an_upgrade_hands_over_the_stream_and_what_came_behind_the_head(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        struct tunnel tunnel = {0};
        rig_init(&tunnel.rig, &rig_limits);
        tunnel.rig.on_request = later ? keep_for_later : take_over;
        check_tunnel(&tunnel, later);
        rig_fini(&tunnel.rig);
    }
}

/* So much came behind the head that reading had stopped. */
static void an_upgrade_takes_up_reading_again(void **state)
{
    enum {
        JUNK = 300 * 1024,
    };
    (void)state;
    struct tunnel tunnel = {0};
    struct rig *rig = &tunnel.rig;
    struct rig_client client;
    TB_AUTO(tb_free) char *junk = tb_zalloc(JUNK);
    rig_init(rig, &rig_limits);
    rig->on_request = keep_for_later;
    rig_client_open(rig, &client);
    rig_send(&client, "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    tb_stream_write(client.stream, (struct tb_str){junk, JUNK});
    rig_turns(rig, 50);
    take_over(rig->later[0], rig);
    assert_true(tunnel.rest_len >= 65536 && tunnel.rest_len < JUNK);
    RIG_UNTIL(rig->loop, tunnel.rest_len + tunnel.inner.got.len == JUNK);
    rig_client_close(&client);
    rig_client_close(&tunnel.inner);
    tb_free(tunnel.rest);
    rig_fini(rig);
}

static void try_to_take_over(struct tb_http_req *req, void *user)
{
    (void)user;
    enum {
        LARGE = 12 << 20,
    };
    char *rest;
    size_t rest_len;
    if (rig_is(req, "/a")) {
        /* So large that the peer's end comes before it is out. */
        TB_AUTO(tb_free) char *body = tb_zalloc(LARGE);
        tb_http_reply(req, 200, NULL, 0, (struct tb_str){body, LARGE});
        return;
    }
    assert_null(
        tb_http_upgrade_take(req, TB_STR("HTTP/1.1 200 Connected\r\n\r\n"), &rest, &rest_len));
    assert_null(rest);
}

static void there_is_no_upgrade_for_a_peer_that_has_left(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig->on_request = try_to_take_over;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/a") "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    tb_stream_finish(client.stream);
    RIG_UNTIL(rig->loop, client.ended);
    rig_check_seen(rig, "head:/a request:/a gone:/a:1 head:a:1 request:a:1 gone:a:1:0 ");
    assert_false(rig_got(&client, "Connected"));
    rig_client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(over_the_ceiling_a_peer_is_told_to_come_later),
        CASE(a_drain_waits_for_replies_and_lets_nothing_new_in),
        CASE(a_drain_does_not_wait_for_requests_that_are_not_whole),
        CASE(a_drain_without_connections_ends_in_the_next_turn),
        CASE(a_handler_may_free_the_server),
        CASE(on_gone_may_free_the_server),
        CASE(freeing_the_server_ends_all_requests),
        CASE(there_is_no_upgrade_for_a_peer_that_has_left),
        cmocka_unit_test(an_upgrade_takes_up_reading_again),
        cmocka_unit_test(an_upgrade_hands_over_the_stream_and_what_came_behind_the_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
