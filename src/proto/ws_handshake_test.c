/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/ws_handshake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/id.h"

/* The key and the answer to it of RFC 6455 section 1.3. */
#define KEY    "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

/* Lines that every good request has. */
#define LINES                                                                               \
    "Host: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: " KEY "\r\n"
#define REQUEST(lines) "GET /chat HTTP/1.1\r\n" lines "\r\n"

static const struct tb_http1_limits limits = {
    .line_max = 1024,
    .head_max = 4096,
    .header_count = 50,
    .body_max = 1024,
    .chunk_ext_max = 16,
};

static struct tb_http1 *parse(enum tb_http1_kind kind, struct tb_str text)
{
    struct tb_http1 *parser = tb_http1_new(kind, &limits);
    struct tb_str body;
    struct tb_err err = {0, ""};
    int event = tb_http1_next(parser, &text, &body, &err);
    if (event != TB_HTTP1_HEAD) {
        fail_msg("the test's own head is wrong: %s", err.text);
    }
    return parser;
}

static int accept_text(const char *request, const char *protocol, struct tb_buf *out)
{
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = parse(TB_HTTP1_REQUEST, tb_str_of(request));
    struct tb_err err = {0, ""};
    int rc = tb_ws_accept(tb_http1_head(parser), tb_str_of(protocol), out, &err);
    assert_int_equal(err.code, rc);
    return rc;
}

struct request_case {
    const char *request;
    int rc;
};

static const struct request_case requests[] = {
    {REQUEST(LINES), 0},
    {"GET / HTTP/1.1\r\n" LINES "\r\n", 0},
    {"GET /a?b=c HTTP/1.1\r\n" LINES "\r\n", 0},
    {REQUEST(LINES "Sec-WebSocket-Extensions: permessage-deflate\r\n"), 0},
    {REQUEST(LINES "Sec-WebSocket-Protocol: a, b\r\n"), 0},
    {REQUEST(LINES "Content-Length: 0\r\n"), 0},
    /* Names, tokens and lists in any case and order. */
    {REQUEST("host: a\r\nupgrade: WebSocket\r\nCONNECTION: keep-alive, UPGRADE\r\n"
             "sec-websocket-version: 13\r\nSEC-WEBSOCKET-KEY: " KEY "\r\n"),
     0},
    {REQUEST("Host: a\r\nUpgrade: h2c , websocket\r\nConnection: close\r\nConnection: x,upgrade\r\n"
             "Sec-WebSocket-Version:13\r\nSec-WebSocket-Key:   " KEY "  \r\n"),
     0},
    /* The request line. */
    {"POST / HTTP/1.1\r\n" LINES "\r\n", TB_E_INVALID},
    {"HEAD / HTTP/1.1\r\n" LINES "\r\n", TB_E_INVALID},
    {"get / HTTP/1.1\r\n" LINES "\r\n", TB_E_INVALID},
    {"GET / HTTP/1.0\r\n" LINES "\r\n", TB_E_INVALID},
    /* A body would be taken for frames. */
    {REQUEST(LINES "Content-Length: 3\r\n"), TB_E_INVALID},
    {REQUEST(LINES "Transfer-Encoding: chunked\r\n"), TB_E_INVALID},
    /* Upgrade and Connection. */
    {REQUEST("Host: a\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: " KEY "\r\n"),
     TB_E_INVALID},
    {REQUEST("Host: a\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: " KEY "\r\n"),
     TB_E_INVALID},
    {REQUEST("Host: a\r\nUpgrade: websockets\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " KEY "\r\n"),
     TB_E_INVALID},
    {REQUEST("Host: a\r\nUpgrade: web socket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " KEY "\r\n"),
     TB_E_INVALID},
    {REQUEST("Host: a\r\nUpgrade: websocket\r\nConnection: keep-alive\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " KEY "\r\n"),
     TB_E_INVALID},
    {REQUEST("Host: a\r\nUpgrade: websocket\r\nConnection: noupgrade\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " KEY "\r\n"),
     TB_E_INVALID},
};

static void requests_are_accepted_or_refused_as_the_standard_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(requests); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1024);
        int rc = accept_text(requests[i].request, NULL, &out);
        if (rc != requests[i].rc || (rc < 0 && out.len > 0)) {
            fail_msg("%d instead of %d for\n%s", rc, requests[i].rc, requests[i].request);
        }
    }
}

static void check_one_line(const char *line, int rc)
{
    TB_AUTO(tb_free)
    char *request = tb_strdupf("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                               "Connection: Upgrade\r\n%s\r\n",
                               line);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1024);
    int got = accept_text(request, NULL, &out);
    if (got != rc) {
        fail_msg("%d instead of %d for\n%s", got, rc, line);
    }
}

static void only_version_13_is_spoken(void **state)
{
    (void)state;
    static const struct request_case versions[] = {
        {"Sec-WebSocket-Version: 13\r\n", 0},
        {"Sec-WebSocket-Version: 8\r\n", TB_E_UNSUPPORTED},
        {"Sec-WebSocket-Version: 0\r\n", TB_E_UNSUPPORTED},
        {"Sec-WebSocket-Version: 14\r\n", TB_E_UNSUPPORTED},
        {"Sec-WebSocket-Version: 013\r\n", TB_E_UNSUPPORTED},
        {"Sec-WebSocket-Version: 13, 8\r\n", TB_E_UNSUPPORTED},
        {"Sec-WebSocket-Version: x\r\n", TB_E_UNSUPPORTED},
        {"Sec-WebSocket-Version:\r\n", TB_E_INVALID},
        {"", TB_E_INVALID},
        {"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Version: 13\r\n", TB_E_INVALID},
        {"Sec-WebSocket-Version: 13\r\nsec-websocket-version: 8\r\n", TB_E_INVALID},
    };
    for (size_t i = 0; i < TB_COUNT(versions); i++) {
        TB_AUTO(tb_free)
        char *line = tb_strdupf("%sSec-WebSocket-Key: " KEY "\r\n", versions[i].request);
        check_one_line(line, versions[i].rc);
    }
}

static void the_key_must_be_sixteen_bytes_in_base64_and_stand_there_once(void **state)
{
    (void)state;
    static const struct request_case keys[] = {
        {"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", 0},
        {"Sec-WebSocket-Key: /+/+/+/+/+/+/+/+/+/+/w==\r\n", 0},
        {"", TB_E_INVALID},
        {"Sec-WebSocket-Key:\r\n", TB_E_INVALID},
        {"Sec-WebSocket-Key: short\r\n", TB_E_INVALID},
        {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j\r\n", TB_E_INVALID},     /* 15 bytes */
        {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZWU=\r\n", TB_E_INVALID}, /* 17 bytes */
        {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZWVl\r\n", TB_E_INVALID}, /* 18 bytes */
        {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ\r\n", TB_E_INVALID},   /* no padding */
        {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=A\r\n", TB_E_INVALID},
        {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZR==\r\n", TB_E_INVALID}, /* stray bits */
        {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j-_==\r\n", TB_E_INVALID}, /* other alphabet */
        {"Sec-WebSocket-Key: dGhlIHNhbXBs ZSBub25jZQ==\r\n", TB_E_INVALID},
        {"Sec-WebSocket-Key: " KEY "\r\nSec-WebSocket-Key: " KEY "\r\n", TB_E_INVALID},
        {"Sec-WebSocket-Key: " KEY "\r\nsec-websocket-key: " KEY "\r\n", TB_E_INVALID},
    };
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        TB_AUTO(tb_free)
        char *line = tb_strdupf("%sSec-WebSocket-Version: 13\r\n", keys[i].request);
        check_one_line(line, keys[i].rc);
    }
}

static void the_answer_is_that_of_the_standard(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1024);
    assert_int_equal(accept_text(REQUEST(LINES), NULL, &out), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), "HTTP/1.1 101 Switching Protocols\r\n"
                                                 "Upgrade: websocket\r\n"
                                                 "Connection: Upgrade\r\n"
                                                 "Sec-WebSocket-Accept: " ACCEPT "\r\n\r\n"));
}

static void a_chosen_subprotocol_must_have_been_offered(void **state)
{
    (void)state;
    static const struct {
        const char *offer;
        const char *choice;
        int rc;
    } cases[] = {
        {"Sec-WebSocket-Protocol: chat\r\n", "chat", 0},
        {"Sec-WebSocket-Protocol: a,  chat ,b\r\n", "chat", 0},
        {"Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: chat\r\n", "chat", 0},
        {"Sec-WebSocket-Protocol: Chat\r\n", "chat", TB_E_INVALID},
        {"Sec-WebSocket-Protocol: chatter\r\n", "chat", TB_E_INVALID},
        {"Sec-WebSocket-Protocol: a, b\r\n", "a, b", TB_E_INVALID},
        {"Sec-WebSocket-Protocol: a b\r\n", "a b", TB_E_INVALID},
        {"", "chat", TB_E_INVALID},
    };
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        TB_AUTO(tb_free) char *request = tb_strdupf(REQUEST("%s" LINES), cases[i].offer);
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1024);
        int rc = accept_text(request, cases[i].choice, &out);
        if (rc != cases[i].rc) {
            fail_msg("%d instead of %d for %s", rc, cases[i].rc, cases[i].offer);
        }
        tb_buf_append(&out, "", 1);
        if (rc == 0) {
            assert_non_null(strstr((char *)out.data, "Sec-WebSocket-Protocol: chat\r\n\r\n"));
        }
    }
}

static void a_full_buffer_gets_no_half_answer(void **state)
{
    (void)state;
    for (size_t max = 0; max < 100; max++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(max);
        assert_int_equal(accept_text(REQUEST(LINES), NULL, &out), TB_E_TOO_LARGE);
        assert_int_equal(out.len, 0);
    }
}

static void only_a_request_for_websocket_counts_as_one(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        bool is;
    } cases[] = {
        {REQUEST(LINES), true},
        {REQUEST("Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c, WEBSOCKET\r\n"), true},
        {REQUEST("Host: a\r\n"), false},
        {REQUEST("Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"), false},
    };
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        TB_AUTO(tb_http1_free)
        struct tb_http1 *parser = parse(TB_HTTP1_REQUEST, tb_str_of(cases[i].request));
        assert_int_equal(tb_ws_is_upgrade(tb_http1_head(parser)), cases[i].is);
    }
}

static void our_request_is_accepted_and_its_answer_too(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf request = TB_BUF(1024);
    TB_AUTO(tb_buf_fini) struct tb_buf answer = TB_BUF(1024);
    char key[TB_WS_KEY_SIZE];
    assert_int_equal(tb_ws_request(TB_STR("localhost:80"), TB_STR("/a?b"),
                                   TB_STR("Sec-WebSocket-Protocol: chat\r\n"), &request, key),
                     0);
    assert_int_equal(strlen(key), TB_WS_KEY_SIZE - 1);
    TB_AUTO(tb_http1_free)
    struct tb_http1 *server = parse(TB_HTTP1_REQUEST, tb_buf_str(&request));
    assert_true(tb_str_eq_cstr(tb_http1_head(server)->target, "/a?b"));
    assert_int_equal(tb_ws_accept(tb_http1_head(server), TB_STR("chat"), &answer, NULL), 0);
    TB_AUTO(tb_http1_free)
    struct tb_http1 *client = parse(TB_HTTP1_RESPONSE, tb_buf_str(&answer));
    assert_int_equal(tb_ws_check_response(tb_http1_head(client), key, NULL), 0);
    assert_int_equal(tb_ws_check_response(tb_http1_head(client), KEY, NULL), TB_E_PROTOCOL);

    char other[TB_WS_KEY_SIZE];
    assert_int_equal(tb_ws_request(TB_STR("h"), TB_STR("/"), TB_STR(""), &request, other), 0);
    assert_string_not_equal(key, other);
}

static void nothing_can_be_slipped_into_our_request(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        const char *target;
        const char *extra;
    } cases[] = {
        {"", "/", ""},
        {"a", "", ""},
        {"a", "chat", ""},
        {"a b", "/", ""},
        {"a\r\nX: y", "/", ""},
        {"a", "/ HTTP/1.1\r\nX: y", ""},
        {"a", "/a b", ""},
        {"a", "/\n", ""},
        {"a", "/\xc3\xa9", ""},
        {"a", "/", "X: y"},
        {"a", "/", "X: y\n"},
        {"a", "/", "X: y\r\n\r\n"},
        {"a", "/", "\r\n"},
        {"a", "/", "X: y\r\n\r\nGET / HTTP/1.1\r\n"},
        {"a", "/", "X: y\rz\r\n"},
        {"a", "/", "X: y\r\nrest"},
    };
    char key[TB_WS_KEY_SIZE];
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1024);
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        assert_int_equal(tb_ws_request(tb_str_of(cases[i].host), tb_str_of(cases[i].target),
                                       tb_str_of(cases[i].extra), &out, key),
                         TB_E_INVALID);
        assert_int_equal(out.len, 0);
    }
}

#define ANSWER(lines) "HTTP/1.1 101 Switching Protocols\r\n" lines "\r\n"
#define GOOD          "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define GOOD_ACCEPT   "Sec-WebSocket-Accept: " ACCEPT "\r\n"

static void a_client_takes_only_a_right_answer(void **state)
{
    (void)state;
    static const struct request_case answers[] = {
        {ANSWER(GOOD GOOD_ACCEPT), 0},
        {ANSWER("upgrade: WEBSOCKET\r\nconnection: x, upgrade\r\n" GOOD_ACCEPT), 0},
        {ANSWER(GOOD GOOD_ACCEPT "Sec-WebSocket-Protocol: chat\r\n"), 0},
        {"HTTP/1.1 200 OK\r\n" GOOD GOOD_ACCEPT "\r\n", TB_E_PROTOCOL},
        {"HTTP/1.1 426 Upgrade Required\r\n" GOOD GOOD_ACCEPT "\r\n", TB_E_PROTOCOL},
        {"HTTP/1.1 401 Unauthorized\r\n\r\n", TB_E_PROTOCOL},
        {ANSWER("Connection: Upgrade\r\n" GOOD_ACCEPT), TB_E_PROTOCOL},
        {ANSWER("Upgrade: h2c\r\nConnection: Upgrade\r\n" GOOD_ACCEPT), TB_E_PROTOCOL},
        {ANSWER("Upgrade: websocket\r\n" GOOD_ACCEPT), TB_E_PROTOCOL},
        {ANSWER("Upgrade: websocket\r\nConnection: close\r\n" GOOD_ACCEPT), TB_E_PROTOCOL},
        {ANSWER(GOOD), TB_E_PROTOCOL},
        {ANSWER(GOOD "Sec-WebSocket-Accept:\r\n"), TB_E_PROTOCOL},
        {ANSWER(GOOD "Sec-WebSocket-Accept: " KEY "\r\n"), TB_E_PROTOCOL},
        {ANSWER(GOOD "Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), TB_E_PROTOCOL},
        {ANSWER(GOOD GOOD_ACCEPT GOOD_ACCEPT), TB_E_PROTOCOL},
        {ANSWER(GOOD GOOD_ACCEPT "Sec-WebSocket-Extensions: permessage-deflate\r\n"),
         TB_E_PROTOCOL},
        {ANSWER(GOOD GOOD_ACCEPT "Sec-WebSocket-Protocol: a, b\r\n"), TB_E_PROTOCOL},
        {ANSWER(GOOD GOOD_ACCEPT "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: b\r\n"),
         TB_E_PROTOCOL},
    };
    for (size_t i = 0; i < TB_COUNT(answers); i++) {
        TB_AUTO(tb_http1_free)
        struct tb_http1 *parser = parse(TB_HTTP1_RESPONSE, tb_str_of(answers[i].request));
        struct tb_err err = {0, ""};
        int rc = tb_ws_check_response(tb_http1_head(parser), KEY, &err);
        if (rc != answers[i].rc || err.code != rc) {
            fail_msg("%d instead of %d for\n%s", rc, answers[i].rc, answers[i].request);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_accepted_or_refused_as_the_standard_says),
        cmocka_unit_test(only_version_13_is_spoken),
        cmocka_unit_test(the_key_must_be_sixteen_bytes_in_base64_and_stand_there_once),
        cmocka_unit_test(the_answer_is_that_of_the_standard),
        cmocka_unit_test(a_chosen_subprotocol_must_have_been_offered),
        cmocka_unit_test(a_full_buffer_gets_no_half_answer),
        cmocka_unit_test(only_a_request_for_websocket_counts_as_one),
        cmocka_unit_test(our_request_is_accepted_and_its_answer_too),
        cmocka_unit_test(nothing_can_be_slipped_into_our_request),
        cmocka_unit_test(a_client_takes_only_a_right_answer),
    };
    if (tb_id_init() < 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
