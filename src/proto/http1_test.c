/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/http1.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/http1_trace.h"

/* The life of a request parser and its ceilings; what is good and bad in a request is in the suite.
 */

enum {
    SEEDS = 20,
};

static const struct tb_http1_limits roomy = {
    .line_max = 1024,
    .head_max = 4096,
    .header_count = 20,
    .body_max = 1 << 20,
    .chunk_ext_max = 128,
};

#define HEAD_A  "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define CHUNKED "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

/* What the bytes lead to, the same for every way of cutting them: 0 or a code. */
static int outcome(const struct tb_http1_limits *limits, const char *bytes)
{
    int rc = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        TB_AUTO(tb_http1_trace_fini)
        struct tb_http1_trace trace = tb_http1_trace_of(TB_HTTP1_REQUEST, limits);
        tb_http1_trace_feed(&trace, tb_str_of(bytes), seed);
        if (seed > 0) {
            assert_int_equal(trace.rc, rc);
        }
        rc = trace.rc;
    }
    return rc;
}

static void the_request_line_may_fill_its_ceiling_and_no_more(void **state)
{
    (void)state;
    struct tb_http1_limits limits = roomy;
    limits.line_max = strlen("GET /abc HTTP/1.1");
    assert_int_equal(outcome(&limits, "GET /abc HTTP/1.1\r\nHost: a\r\n\r\n"), 0);
    assert_int_equal(outcome(&limits, "GET /abcd HTTP/1.1\r\nHost: a\r\n\r\n"), TB_E_URI_TOO_LONG);
    /* At the first byte too many, not at the end of the line. */
    assert_int_equal(outcome(&limits, "GET /abcdefghijklm"), TB_E_URI_TOO_LONG);
    assert_int_equal(outcome(&limits, "GET /abcdefghijkl"), 0);
}

static void the_headers_may_fill_their_ceiling_and_no_more(void **state)
{
    (void)state;
    struct tb_http1_limits limits = roomy;
    limits.head_max = strlen("Host: a\r\nB: c\r\n");
    assert_int_equal(outcome(&limits, "GET / HTTP/1.1\r\nHost: a\r\nB: c\r\n\r\n"), 0);
    assert_int_equal(outcome(&limits, "GET / HTTP/1.1\r\nHost: a\r\nB: cd\r\n\r\n"),
                     TB_E_HEADERS_TOO_LARGE);
    assert_int_equal(outcome(&limits, "GET / HTTP/1.1\r\nHost: a\r\nB: c\r\nD"),
                     TB_E_HEADERS_TOO_LARGE);
    assert_int_equal(outcome(&limits, "GET / HTTP/1.1\r\nHost: a\r\nBcdefgh"),
                     TB_E_HEADERS_TOO_LARGE);
    assert_int_equal(outcome(&limits, "GET / HTTP/1.1\r\nHost: a\r\nBcdefg"), 0);
}

static void one_header_more_than_the_ceiling_is_refused_at_its_first_byte(void **state)
{
    (void)state;
    struct tb_http1_limits limits = roomy;
    limits.header_count = 2;
    assert_int_equal(outcome(&limits, "GET / HTTP/1.1\r\nHost: a\r\nB: c\r\n\r\n"), 0);
    assert_int_equal(outcome(&limits, "GET / HTTP/1.1\r\nHost: a\r\nB: c\r\nD"),
                     TB_E_HEADERS_TOO_LARGE);
}

static void trailers_have_the_ceilings_of_a_head(void **state)
{
    (void)state;
    struct tb_http1_limits limits = roomy;
    limits.header_count = 2;
    limits.head_max = strlen("Host: a\r\nTransfer-Encoding: chunked\r\n");
    assert_int_equal(outcome(&limits, CHUNKED "0\r\nA: b\r\nC: d\r\n\r\n" HEAD_A), 0);
    assert_int_equal(outcome(&limits, CHUNKED "0\r\nA: b\r\nC: d\r\nE"), TB_E_HEADERS_TOO_LARGE);
    assert_int_equal(outcome(&limits, CHUNKED "0\r\nA: 3456789012345678901234567890123\r\n\r\n"),
                     0);
    assert_int_equal(outcome(&limits, CHUNKED "0\r\nA: 34567890123456789012345678901234567"),
                     TB_E_HEADERS_TOO_LARGE);
}

static void a_length_may_fill_the_body_ceiling_and_no_more(void **state)
{
    (void)state;
    struct tb_http1_limits limits = roomy;
    limits.body_max = 5;
    const char *fits = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde" HEAD_A;
    assert_int_equal(outcome(&limits, fits), 0);
    /* Known from the head alone. */
    const char *over = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n";
    assert_int_equal(outcome(&limits, over), TB_E_TOO_LARGE);
    limits.body_max = 0;
    assert_int_equal(outcome(&limits, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"),
                     0);
}

static void chunks_may_fill_the_body_ceiling_and_no_more(void **state)
{
    (void)state;
    struct tb_http1_limits limits = roomy;
    limits.body_max = 5;
    assert_int_equal(outcome(&limits, CHUNKED "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" HEAD_A), 0);
    /* Known from the chunk's size alone. */
    assert_int_equal(outcome(&limits, CHUNKED "3\r\nabc\r\n3\r\n"), TB_E_TOO_LARGE);
    assert_int_equal(outcome(&limits, CHUNKED "5\r\nabcde\r\n1\r\n"), TB_E_TOO_LARGE);
    assert_int_equal(outcome(&limits, CHUNKED "5\r\nabcde\r\nffffffffffffffff\r\n"),
                     TB_E_TOO_LARGE);
}

static void a_chunk_extension_may_fill_its_ceiling_and_no_more(void **state)
{
    (void)state;
    struct tb_http1_limits limits = roomy;
    limits.chunk_ext_max = 4;
    assert_int_equal(outcome(&limits, CHUNKED "1;a=b\r\nx\r\n0;a=b\r\n\r\n" HEAD_A), 0);
    assert_int_equal(outcome(&limits, CHUNKED "1;a=bc"), TB_E_PROTOCOL);
    assert_int_equal(outcome(&limits, CHUNKED "1;a=b"), 0);
    limits.chunk_ext_max = 0;
    assert_int_equal(outcome(&limits, CHUNKED "1\r\nx\r\n0\r\n\r\n"), 0);
    assert_int_equal(outcome(&limits, CHUNKED "1;\r\nx\r\n"), TB_E_PROTOCOL);
}

static void bad_bytes_are_noticed_before_the_line_is_complete(void **state)
{
    (void)state;
    static const char *const starts[] = {
        "\x16",
        "\n",
        "GET\t",
        "GET /\x01",
        "GET /\x80",
        "GET /\x7f",
        "GET / HTTP/1.1\n",
        "GET / HTTP/1.1\rH",
        "GET / HTTP/1.1\r\n ",
        "GET / HTTP/1.1\r\n:",
        "GET / HTTP/1.1\r\nHost ",
        "GET / HTTP/1.1\r\nHost\r",
        "GET / HTTP/1.1\r\nHost: a\n",
        "GET / HTTP/1.1\r\nHost: a\rb",
        "GET / HTTP/1.1\r\nHost: \x08",
        "\r\n\r",
        "\rG",
        CHUNKED "x",
        CHUNKED "1 ",
        CHUNKED "1;\n",
        CHUNKED "1\rx",
        CHUNKED "1\r\nab",
        CHUNKED "1\r\na\rb",
        CHUNKED "0\r\nA ",
    };
    for (size_t i = 0; i < TB_COUNT(starts); i++) {
        if (outcome(&roomy, starts[i]) != TB_E_PROTOCOL) {
            fail_msg("start %zu is not refused", i);
        }
    }
}

static void a_raised_body_ceiling_holds_for_one_message(void **state)
{
    (void)state;
    struct tb_http1_limits limits = roomy;
    limits.body_max = 2;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &limits);
    const char *post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    struct tb_str body;
    struct tb_str input = tb_str_of(post);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    tb_http1_set_body_max(parser, 3);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_BODY);
    assert_true(tb_str_eq_cstr(body, "abc"));
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_END);

    input = tb_str_of(post);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_E_TOO_LARGE);
}

static void a_lowered_body_ceiling_fails_before_any_byte_of_the_body(void **state)
{
    (void)state;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &roomy);
    struct tb_str body;
    struct tb_str input = TB_STR("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    assert_int_equal(input.len, 0);
    tb_http1_set_body_max(parser, 2);
    struct tb_err err = {0};
    assert_int_equal(tb_http1_next(parser, &input, &body, &err), TB_E_TOO_LARGE);
    assert_int_equal(err.code, TB_E_TOO_LARGE);
    assert_true(strlen(err.text) > 0);
}

static void a_failed_parser_stays_failed(void **state)
{
    (void)state;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &roomy);
    struct tb_str body;
    struct tb_str input = TB_STR("GET  / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_E_PROTOCOL);
    input = TB_STR(HEAD_A);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_E_PROTOCOL);
    assert_int_equal(input.len, strlen(HEAD_A));
    assert_false(tb_http1_idle(parser));
    assert_null(tb_http1_head(parser));
}

static void a_parser_is_idle_between_messages_only(void **state)
{
    (void)state;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &roomy);
    struct tb_str body;
    struct tb_str input = TB_STR("G");
    assert_true(tb_http1_idle(parser));
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_MORE);
    assert_false(tb_http1_idle(parser));
    input = TB_STR("ET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n");
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    assert_false(tb_http1_idle(parser));
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_END);
    assert_true(tb_http1_idle(parser));
    /* The empty line that old clients add is not the next message. */
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_MORE);
    assert_true(tb_http1_idle(parser));
    assert_non_null(tb_http1_head(parser));
}

static void a_head_lives_until_the_next_message_begins(void **state)
{
    (void)state;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &roomy);
    struct tb_str body;
    assert_null(tb_http1_head(parser));
    char bytes[] = HEAD_A;
    struct tb_str input = {bytes, strlen(bytes)};
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_END);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_MORE);
    assert_true(tb_str_eq_cstr(tb_http1_head(parser)->method, "GET"));
    assert_true(tb_str_eq_cstr(tb_http1_header(tb_http1_head(parser), "HOST"), "a"));
    input = TB_STR("P");
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_MORE);
    assert_null(tb_http1_head(parser));
}

static void releasing_forgets_the_head_and_spares_a_message_under_way(void **state)
{
    (void)state;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &roomy);
    struct tb_str body;
    struct tb_str input = TB_STR(HEAD_A "GET /2 HT");
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    tb_http1_release(parser);
    assert_non_null(tb_http1_head(parser));
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_END);
    tb_http1_release(parser);
    assert_null(tb_http1_head(parser));
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_MORE);
    tb_http1_release(parser);
    input = TB_STR("TP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    assert_true(tb_str_eq_cstr(tb_http1_head(parser)->path, "/2"));
}

static void the_end_of_input_is_fine_between_messages_only(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int rc;
    } cases[] = {
        {"", 0},
        {"\r\n", 0},
        {HEAD_A, 0},
        {CHUNKED "0\r\n\r\n", 0},
        {"\r", TB_E_PROTOCOL},
        {"G", TB_E_PROTOCOL},
        {"GET / HTTP/1.1\r\nHost: a\r\n\r", TB_E_PROTOCOL},
        {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n", TB_E_PROTOCOL},
        {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na", TB_E_PROTOCOL},
        {CHUNKED, TB_E_PROTOCOL},
        {CHUNKED "1", TB_E_PROTOCOL},
        {CHUNKED "1\r\n", TB_E_PROTOCOL},
        {CHUNKED "1\r\na\r\n", TB_E_PROTOCOL},
        {CHUNKED "0\r\n", TB_E_PROTOCOL},
        {CHUNKED "0\r\n\r", TB_E_PROTOCOL},
    };
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        TB_AUTO(tb_http1_trace_fini)
        struct tb_http1_trace trace = tb_http1_trace_of(TB_HTTP1_REQUEST, &roomy);
        tb_http1_trace_feed(&trace, tb_str_of(cases[i].bytes), TB_HTTP1_WHOLE);
        enum tb_http1_event event = TB_HTTP1_BODY;
        assert_int_equal(tb_http1_eof(trace.parser, &event, NULL), cases[i].rc);
        assert_int_equal(event, cases[i].rc ? TB_HTTP1_BODY : TB_HTTP1_MORE);
    }
}

static void an_end_that_was_not_fetched_is_given_at_the_end_of_input(void **state)
{
    (void)state;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &roomy);
    struct tb_str body;
    struct tb_str input = TB_STR(HEAD_A);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    enum tb_http1_event event;
    assert_int_equal(tb_http1_eof(parser, &event, NULL), 0);
    assert_int_equal(event, TB_HTTP1_END);
    assert_int_equal(tb_http1_eof(parser, &event, NULL), 0);
    assert_int_equal(event, TB_HTTP1_MORE);
}

static void bytes_behind_a_message_are_left_in_the_input(void **state)
{
    (void)state;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &roomy);
    struct tb_str body;
    struct tb_str input = TB_STR("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n\x16\x03\x01");
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_END);
    assert_true(tb_str_eq(input, TB_STR("\x16\x03\x01")));
}

static void headers_are_found_without_regard_to_case(void **state)
{
    (void)state;
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &roomy);
    struct tb_str body;
    struct tb_str input = TB_STR("GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a: 2\r\nB:\r\n\r\n");
    assert_int_equal(tb_http1_next(parser, &input, &body, NULL), TB_HTTP1_HEAD);
    const struct tb_http1_head *head = tb_http1_head(parser);
    assert_true(tb_str_eq_cstr(tb_http1_header(head, "x-A"), "1"));
    assert_int_equal(tb_http1_header_times(head, "X-a"), 2);
    assert_null(tb_http1_header(head, "X").ptr);
    assert_int_equal(tb_http1_header_times(head, "X"), 0);
    assert_non_null(tb_http1_header(head, "b").ptr);
    assert_int_equal(tb_http1_header(head, "b").len, 0);
}

static void freeing_nothing_is_harmless(void **state)
{
    (void)state;
    tb_http1_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_request_line_may_fill_its_ceiling_and_no_more),
        cmocka_unit_test(the_headers_may_fill_their_ceiling_and_no_more),
        cmocka_unit_test(one_header_more_than_the_ceiling_is_refused_at_its_first_byte),
        cmocka_unit_test(trailers_have_the_ceilings_of_a_head),
        cmocka_unit_test(a_length_may_fill_the_body_ceiling_and_no_more),
        cmocka_unit_test(chunks_may_fill_the_body_ceiling_and_no_more),
        cmocka_unit_test(a_chunk_extension_may_fill_its_ceiling_and_no_more),
        cmocka_unit_test(bad_bytes_are_noticed_before_the_line_is_complete),
        cmocka_unit_test(a_raised_body_ceiling_holds_for_one_message),
        cmocka_unit_test(a_lowered_body_ceiling_fails_before_any_byte_of_the_body),
        cmocka_unit_test(a_failed_parser_stays_failed),
        cmocka_unit_test(a_parser_is_idle_between_messages_only),
        cmocka_unit_test(a_head_lives_until_the_next_message_begins),
        cmocka_unit_test(releasing_forgets_the_head_and_spares_a_message_under_way),
        cmocka_unit_test(the_end_of_input_is_fine_between_messages_only),
        cmocka_unit_test(an_end_that_was_not_fetched_is_given_at_the_end_of_input),
        cmocka_unit_test(bytes_behind_a_message_are_left_in_the_input),
        cmocka_unit_test(headers_are_found_without_regard_to_case),
        cmocka_unit_test(freeing_nothing_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
