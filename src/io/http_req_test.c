/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_rig.h"

/* Replies and their order. */

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

static int set_up(void **state)
{
    static struct rig rig;
    rig_init(&rig, &rig_limits);
    *state = &rig;
    return 0;
}

/* Half the ceiling is never reached, so only the socket says when the queue is out. */
static int set_up_wide(void **state)
{
    static struct rig rig;
    struct tb_http_server_limits limits = rig_limits;
    limits.send_max = 64 << 20;
    rig_init(&rig, &limits);
    *state = &rig;
    return 0;
}

static int tear_down(void **state)
{
    rig_fini(*state);
    return 0;
}

static void a_connection_serves_one_request_after_the_other(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    for (size_t i = 1; i <= 3; i++) {
        rig_send(&client, GET("/a"));
        RIG_UNTIL(rig->loop, rig_count(&client, "\r\n\r\n/a") == i);
    }
    assert_int_equal(rig_count(&client, "HTTP/1.1 200 OK\r\nDate: "), 3);
    assert_int_equal(rig_count(&client, "Content-Length: 2\r\n"), 3);
    assert_int_equal(rig_count(&client, "Connection:"), 0);
    assert_false(client.ended);
    rig_turns(rig, 3);
    rig_check_seen(rig, "head:/a request:/a gone:/a:1 head:/a request:/a gone:/a:1 "
                        "head:/a request:/a gone:/a:1 ");
    rig_client_close(&client);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/1") GET("/2") GET("/3"));
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/3"));
    rig_turns(rig, 3);
    rig_check_seen(rig, "head:/1 request:/1 gone:/1:1 head:/2 request:/2 gone:/2:1 "
                        "head:/3 request:/3 gone:/3:1 ");
    rig_client_close(&client);
}

static void pipelined_requests_that_came_together_are_answered_together(void **state)
{
    enum {
        COUNT = 100,
    };
    struct rig *rig = *state;
    struct rig_client client;
    struct tb_buf requests;
    tb_buf_init(&requests, SIZE_MAX);
    for (int i = 0; i < COUNT; i++) {
        tb_buf_append_cstr(&requests, GET("/a"));
    }
    rig_client_open(rig, &client);
    assert_int_equal(tb_stream_write(client.stream, tb_buf_str(&requests)), 0);
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/a"));
    assert_int_equal(rig_count(&client, "\r\n\r\n/a"), COUNT);
    /* The line is as it was before. */
    rig_send(&client, GET("/b") "\r\n");
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/b"));
    rig_turns(rig, 3);
    rig_advance(rig, rig_limits.idle_ms);
    RIG_UNTIL(rig->loop, client.ended);
    tb_buf_fini(&requests);
    rig_client_close(&client);
}

static void a_request_behind_one_that_waits_is_not_begun(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later") GET("/2"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    rig_send(&client, GET("/3"));
    rig_turns(rig, 20);
    rig_check_seen(rig, "head:/later request:/later ");
    assert_int_equal(client.got.len, 0);
    assert_null(tb_http_req_user(rig->later[0]));
    tb_http_req_set_user(rig->later[0], rig);
    assert_ptr_equal(tb_http_req_user(rig->later[0]), rig);
    tb_http_reply(rig->later[0], 200, NULL, 0, TB_STR("at last"));
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/3"));
    tb_buf_append_char(&client.got, '\0');
    const char *text = (const char *)client.got.data;
    assert_true(strstr(text, "at last") < strstr(text, "\r\n\r\n/2"));
    assert_true(strstr(text, "\r\n\r\n/2") < strstr(text, "\r\n\r\n/3"));
    rig_client_close(&client);
}

static void a_body_comes_whole_however_it_is_cut(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    const char *request = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                          "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
    rig_client_open(rig, &client);
    for (const char *at = request; *at; at++) {
        tb_stream_write(client.stream, (struct tb_str){at, 1});
        rig_turns(rig, 2);
    }
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\nhello world"));
    rig_client_close(&client);
}

static void a_reply_in_on_head_without_a_body_keeps_the_connection(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/head") GET("/2"));
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/2"));
    assert_int_equal(rig_count(&client, "HTTP/1.1 401 Unauthorized\r\n"), 1);
    rig_send(&client, GET("/head"));
    RIG_UNTIL(rig->loop, rig_count(&client, "HTTP/1.1 401 ") == 2);
    rig_send(&client, GET("/4"));
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/4"));
    assert_false(client.ended);
    rig_client_close(&client);
}

/* The body is larger than what sockets buffer, so the answer comes while it is on the way. */
static void a_reply_in_on_head_ends_a_connection_with_a_body_on_the_way(void **state)
{
    enum {
        BODY = 8 << 20,
    };
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, "POST /head HTTP/1.1\r\nHost: a\r\nContent-Length: 8388608\r\n\r\n");
    char *body = tb_zalloc(BODY);
    tb_stream_write_take(client.stream, (uint8_t *)body, BODY);
    RIG_UNTIL(rig->loop, rig_got(&client, "who are you?"));
    assert_true(rig_got(&client, "Connection: close\r\n"));
    RIG_UNTIL(rig->loop, client.ended);
    rig_check_seen(rig, "head:/head gone:/head:1 ");
    assert_int_equal(tb_http_server_connections(rig->server), 0);
    rig_client_close(&client);
}

static void head_gets_the_length_and_no_body(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, "HEAD /name HTTP/1.1\r\nHost: a\r\n\r\n" GET("/2"));
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/2"));
    assert_true(rig_got(&client, "Content-Length: 5\r\n\r\nHTTP/1.1 200 OK"));
    assert_false(rig_got(&client, "/name"));
    rig_client_close(&client);
}

static void reply_no_content(struct tb_http_req *req, void *user)
{
    (void)user;
    tb_http_reply(req, 204, NULL, 0, TB_STR("never seen"));
}

static void status_204_has_neither_body_nor_length(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig->on_request = reply_no_content;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/a"));
    RIG_UNTIL(rig->loop, rig_got(&client, "204 No Content"));
    assert_false(rig_got(&client, "never seen"));
    assert_false(rig_got(&client, "Content-Length"));
    rig_client_close(&client);
}

static void a_peer_that_expects_100_gets_it_before_it_sends(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                      "Expect: 100-continue\r\n\r\n");
    RIG_UNTIL(rig->loop, rig_got(&client, "HTTP/1.1 100 Continue\r\n\r\n"));
    rig_send(&client, "hi");
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\nhi"));
    assert_int_equal(rig_count(&client, "100 Continue"), 1);
    rig_client_close(&client);
}

static void a_peer_that_expects_100_and_is_refused_does_not_get_it(void **state)
{
    static const char *const targets[] = {"/head", "/small"};
    static const char *const statuses[] = {"HTTP/1.1 401 ", "HTTP/1.1 413 "};
    struct rig *rig = *state;
    for (size_t i = 0; i < 2; i++) {
        struct rig_client client;
        char request[200];
        snprintf(request, sizeof(request),
                 "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n"
                 "Expect: 100-continue\r\n\r\n",
                 targets[i]);
        rig_client_open(rig, &client);
        rig_send(&client, request);
        RIG_UNTIL(rig->loop, client.ended);
        assert_true(rig_got(&client, statuses[i]));
        assert_false(rig_got(&client, "100 Continue"));
        rig_client_close(&client);
    }
}

static void http_1_0_is_closed_unless_it_asks_otherwise(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/1"));
    assert_true(rig_got(&client, "Connection: keep-alive\r\n"));
    rig_send(&client, "GET /2 HTTP/1.0\r\n\r\n");
    RIG_UNTIL(rig->loop, client.ended);
    assert_true(rig_got(&client, "Connection: close\r\n"));
    assert_true(rig_got(&client, "\r\n\r\n/2"));
    rig_client_close(&client);
}

static void connection_close_is_obeyed_and_what_follows_is_not_run(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" GET("/2"));
    RIG_UNTIL(rig->loop, client.ended);
    assert_true(rig_got(&client, "Connection: close\r\n"));
    rig_check_seen(rig, "head:/1 request:/1 gone:/1:1 ");
    rig_client_close(&client);
}

static void reply_in_pieces(struct tb_http_req *req, void *user)
{
    (void)user;
    bool wanted = tb_http_reply_start(req, 200, NULL, 0);
    assert_int_equal(wanted, tb_str_eq_cstr(tb_http_req_head(req)->method, "GET"));
    assert_int_equal(tb_http_reply_write(req, TB_STR("hello")), 0);
    assert_int_equal(tb_http_reply_write(req, TB_STR("")), 0);
    assert_int_equal(tb_http_reply_write(req, TB_STR(" you, all sixteen")), 0);
    tb_http_reply_end(req);
}

static void a_reply_in_pieces_is_chunked(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig->on_request = reply_in_pieces;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/1") "HEAD /2 HTTP/1.1\r\nHost: a\r\n\r\n" GET("/3"));
    RIG_UNTIL(rig->loop, rig_count(&client, "0\r\n\r\n") == 2);
    assert_int_equal(rig_count(&client, "Transfer-Encoding: chunked\r\n\r\n"), 3);
    assert_int_equal(rig_count(&client, "5\r\nhello\r\n11\r\n you, all sixteen\r\n0\r\n\r\n"), 2);
    assert_false(client.ended);
    rig_client_close(&client);
}

static void a_reply_in_pieces_to_http_1_0_ends_with_the_connection(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig->on_request = reply_in_pieces;
    rig_client_open(rig, &client);
    rig_send(&client, "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    RIG_UNTIL(rig->loop, client.ended);
    assert_true(rig_got(&client, "Connection: close\r\n\r\nhello you, all sixteen"));
    assert_false(rig_got(&client, "chunked"));
    rig_client_close(&client);
}

static void a_slow_reader_of_a_stream_meets_the_ceiling(void **state)
{
    static const char block[16 * 1024] = {'x'};
    struct rig *rig = *state;
    struct rig_client client;
    struct tb_str piece = {block, sizeof(block)};
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    tb_stream_pause(client.stream);
    struct tb_http_req *req = rig->later[0];
    tb_http_reply_start(req, 200, NULL, 0);
    int rc = 0;
    size_t sent = 0;
    for (int i = 0; i < 10000 && rc == 0; i++) {
        rc = tb_http_reply_write(req, piece);
        sent += rc == 0;
        rig_turns(rig, 1);
    }
    assert_int_equal(rc, TB_E_TOO_LARGE);
    /* The end passes all the same, and all that was taken arrives. */
    tb_http_reply_end(req);
    rig_turns(rig, 3);
    rig_check_seen(rig, "head:/later request:/later ");
    tb_stream_resume(client.stream);
    RIG_UNTIL(rig->loop,
              client.got.len > sent * sizeof(block) && rig_got(&client, "\r\n0\r\n\r\n"));
    RIG_UNTIL(rig->loop, rig->seen.len > 0);
    rig_check_seen(rig, "gone:/later:1 ");
    rig_client_close(&client);
}

/* However much waits before it: a last piece that was left out would not be missed by anybody. */
static void the_last_piece_passes_the_ceiling(void **state)
{
    static const char block[48 * 1024] = {'x'};
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later") GET("/2"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    tb_stream_pause(client.stream);
    struct tb_http_req *req = rig->later[0];
    tb_http_reply_start(req, 200, NULL, 0);
    while (tb_http_reply_write(req, (struct tb_str){block, sizeof(block)}) == 0) {
        rig_turns(rig, 1);
    }
    char *last = tb_zalloc(2 << 20);
    memset(last, 'z', 2 << 20);
    tb_http_reply_finish(req, (struct tb_str){last, 2 << 20});
    tb_free(last);
    tb_stream_resume(client.stream);
    RIG_UNTIL(rig->loop, client.got.len > 2 << 20 && rig_got(&client, "\r\n\r\n/2"));
    assert_int_equal(rig_count(&client, "200000\r\nzzz"), 1);
    assert_int_equal(rig_count(&client, "zzz\r\n0\r\n\r\nHTTP/1.1 200 OK"), 1);
    rig_client_close(&client);
}

static void finish_with_words(struct tb_http_req *req, void *user)
{
    (void)user;
    tb_http_reply_start(req, 200, NULL, 0);
    tb_http_reply_finish(req, TB_STR("last words"));
}

static void the_last_piece_has_the_form_of_its_reply(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig->on_request = finish_with_words;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/1") "HEAD /2 HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.0\r\n\r\n");
    RIG_UNTIL(rig->loop, client.ended);
    assert_int_equal(rig_count(&client, "\r\n\r\na\r\nlast words\r\n0\r\n\r\nHTTP/1.1 200"), 1);
    assert_int_equal(rig_count(&client, "Connection: close\r\n\r\nlast words"), 1);
    assert_int_equal(rig_count(&client, "last words"), 2);
    rig_client_close(&client);
}

static void write_more(struct tb_http_req *req)
{
    assert_int_equal(tb_http_reply_queued(req), 0);
    assert_int_equal(tb_http_reply_write(req, TB_STR("more")), 0);
}

static void a_writer_is_told_once_when_all_has_left(void **state)
{
    static const char block[48 * 1024] = {'x'};
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    struct tb_http_req *req = rig->later[0];
    tb_http_reply_start(req, 200, NULL, 0);
    tb_http_reply_on_drain(req, write_more);
    RIG_UNTIL(rig->loop, rig_got(&client, "4\r\nmore\r\n"));
    tb_stream_pause(client.stream);
    /* How much of the last block the socket takes is up to the system: only a write that is refused
     * tells that the queue cannot be empty. */
    while (tb_http_reply_write(req, (struct tb_str){block, sizeof(block)}) == 0) {
        rig_turns(rig, 1);
    }
    assert_true(tb_http_reply_queued(req) > 0);
    tb_http_reply_on_drain(req, write_more);
    rig_turns(rig, 5);
    tb_stream_resume(client.stream);
    RIG_UNTIL(rig->loop, rig_count(&client, "4\r\nmore\r\n") == 2);
    rig_turns(rig, 5);
    tb_http_reply_end(req);
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n0\r\n\r\n"));
    assert_int_equal(rig_count(&client, "4\r\nmore\r\n"), 2);
    rig_client_close(&client);
}

static void reply_large_or_small(struct tb_http_req *req, void *user)
{
    (void)user;
    static const char body[40 * 1024] = {0};
    struct tb_str text = {body, rig_is(req, "/large") ? sizeof(body) : 1};
    tb_http_reply(req, 200, NULL, 0, text);
}

/* The stream tells of such a reply inside the very call that writes it. */
static void replies_above_half_the_ceiling_do_not_hold_up_the_next(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig->on_request = reply_large_or_small;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/large") GET("/2") GET("/large") GET("/4"));
    RIG_UNTIL(rig->loop, rig_count(&client, "HTTP/1.1 200 OK") == 4);
    rig_client_close(&client);
}

/* More than the socket takes at once. */
static void a_large_reply_arrives_and_the_next_request_is_served(void **state)
{
    enum {
        BODY = 12 << 20,
    };
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later") GET("/2"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    char *body = tb_zalloc(BODY);
    memset(body, 'y', BODY);
    tb_http_reply(rig->later[0], 200, NULL, 0, (struct tb_str){body, BODY});
    memset(body, 'n', BODY); /* the reply does not borrow it */
    tb_free(body);
    rig_turns(rig, 1);
    rig_check_seen(rig, "head:/later request:/later ");
    /* Searching megabytes in every turn would take longer than their way. */
    RIG_UNTIL(rig->loop, client.got.len > BODY && rig_got(&client, "\r\n\r\n/2"));
    assert_false(rig_got(&client, "nnn"));
    rig_client_close(&client);
}

static void reply_error(struct tb_http_req *req, void *user)
{
    (void)user;
    struct tb_http_header allow = {"Allow", TB_STR("GET, POST")};
    tb_http_reply_error(req, TB_E_METHOD_NOT_ALLOWED, "no \"such\" method", &allow, 1);
}

static void an_error_is_answered_as_json_with_advice(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig->on_request = reply_error;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/a"));
    RIG_UNTIL(rig->loop, rig_got(&client, "\"detail\":\"no \\\"such\\\" method\"}"));
    assert_true(rig_got(&client, "HTTP/1.1 405 Method Not Allowed\r\n"));
    assert_true(rig_got(&client, "Allow: GET, POST\r\n"));
    assert_true(rig_got(&client, "Content-Type: application/problem+json\r\n"));
    assert_true(rig_got(&client, "{\"error\":{\"code\":\"method_not_allowed\",\"message\":"
                                 "\"no \\\"such\\\" method\",\"hint\":\"Use a method"));
    rig_client_close(&client);
}

static void headers_set_with_the_head_go_with_every_reply(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/mark") GET("/a"));
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\n/a"));
    assert_int_equal(rig_count(&client, "X-Mark: yes\r\n"), 1);
    rig->on_request = reply_in_pieces;
    rig_send(&client, GET("/mark"));
    RIG_UNTIL(rig->loop, rig_got(&client, "sixteen\r\n0\r\n\r\n"));
    assert_int_equal(rig_count(&client, "X-Mark: yes\r\n"), 2);
    rig_client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(a_connection_serves_one_request_after_the_other),
        CASE(pipelined_requests_are_answered_in_order),
        CASE(pipelined_requests_that_came_together_are_answered_together),
        CASE(a_request_behind_one_that_waits_is_not_begun),
        CASE(a_body_comes_whole_however_it_is_cut),
        CASE(a_reply_in_on_head_without_a_body_keeps_the_connection),
        CASE(a_reply_in_on_head_ends_a_connection_with_a_body_on_the_way),
        CASE(head_gets_the_length_and_no_body),
        CASE(status_204_has_neither_body_nor_length),
        CASE(a_peer_that_expects_100_gets_it_before_it_sends),
        CASE(a_peer_that_expects_100_and_is_refused_does_not_get_it),
        CASE(http_1_0_is_closed_unless_it_asks_otherwise),
        CASE(connection_close_is_obeyed_and_what_follows_is_not_run),
        CASE(a_reply_in_pieces_is_chunked),
        CASE(a_reply_in_pieces_to_http_1_0_ends_with_the_connection),
        CASE(a_slow_reader_of_a_stream_meets_the_ceiling),
        CASE(the_last_piece_passes_the_ceiling),
        CASE(the_last_piece_has_the_form_of_its_reply),
        CASE(a_writer_is_told_once_when_all_has_left),
        CASE(replies_above_half_the_ceiling_do_not_hold_up_the_next),
        CASE(a_large_reply_arrives_and_the_next_request_is_served),
        cmocka_unit_test_setup_teardown(a_large_reply_arrives_and_the_next_request_is_served,
                                        set_up_wide, tear_down),
        CASE(an_error_is_answered_as_json_with_advice),
        CASE(headers_set_with_the_head_go_with_every_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
