/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static const struct tb_sse_limits limits = {.line_max = 4096, .data_max = 4096};

/* Every event as "event/id/data;" in one text, which is easy to compare. */
static void note(struct tb_sse *sse, const struct tb_sse_message *message, void *user)
{
    (void)sse;
    struct tb_buf *log = user;
    tb_buf_append_str(log, message->event);
    tb_buf_append_char(log, '/');
    tb_buf_append_str(log, message->last_id);
    tb_buf_append_char(log, '/');
    tb_buf_append_str(log, message->data);
    tb_buf_append_char(log, ';');
}

static int feed_copy(struct tb_sse *sse, struct tb_str bytes)
{
    char *copy = tb_memdup(bytes.ptr, bytes.len);
    int rc = tb_sse_feed(sse, (struct tb_str){copy, bytes.len});
    tb_free(copy);
    return rc;
}

struct stream_case {
    struct tb_str stream;
    const char *events;
};

#define CASE(stream, events)                     \
    {                                            \
        {(stream), sizeof(stream) - 1}, (events) \
    }

static const struct stream_case streams[] = {
    CASE("", ""),
    CASE("data: a\n\n", "message//a;"),
    CASE("data:a\n\n", "message//a;"),
    CASE("data:  a\n\n", "message// a;"),
    CASE("data: a\r\n\r\n", "message//a;"),
    CASE("data: a\r\r", "message//a;"),
    CASE("data: a\n\r\ndata: b\r\n\ndata: c\r\n\r", "message//a;message//b;message//c;"),
    CASE("data: a\r\ndata: b\rdata: c\n\n", "message//a\nb\nc;"),
    CASE("data: a\ndata: b\n\ndata: c\n\n", "message//a\nb;message//c;"),
    CASE("data\n\n", "message//;"),
    CASE("data:\n\n", "message//;"),
    CASE("data\ndata\n\n", "message//\n;"),
    CASE("data: a\ndata:\n\n", "message//a\n;"),
    CASE("data: a:b: c\n\n", "message//a:b: c;"),
    /* No event before its empty line, and none without data. */
    CASE("data: a", ""),
    CASE("data: a\n", ""),
    CASE("data: a\ndata: b", ""),
    CASE("\n\n\n", ""),
    CASE("event: x\n\n", ""),
    CASE("event: x\n\ndata: a\n\n", "message//a;"),
    CASE("event: x\ndata: a\n\ndata: b\n\n", "x//a;message//b;"),
    CASE("data: a\nevent: x\nevent: y\n\n", "y//a;"),
    CASE("event: x\nevent:\ndata: a\n\n", "message//a;"),
    /* Ids stay until another comes. */
    CASE("id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n", "message/1/a;message/1/b;message/2/c;"),
    CASE("id: 1\ndata: a\n\nid\ndata: b\n\n", "message/1/a;message//b;"),
    CASE("id: 1\n\ndata: a\n\n", "message/1/a;"),
    CASE("id: 1\ndata: a\n\nid: 2\x00\ndata: b\n\n", "message/1/a;message/1/b;"),
    CASE("id: 1\nid: 2\ndata: a\n\n", "message/2/a;"),
    /* Comments, unknown fields, names that only look like fields. */
    CASE(": hello\ndata: a\n: more\n\n", "message//a;"),
    CASE(":\n:data: x\n\n", ""),
    CASE("other: x\ndata: a\n\n", "message//a;"),
    CASE("Data: x\n data: y\ndata : z\ndatax: w\n\n", ""),
    /* A byte order mark counts at the very start only, and once. */
    CASE("\xef\xbb\xbf"
         "data: a\n\n",
         "message//a;"),
    CASE("\xef\xbb\xbf\xef\xbb\xbf"
         "data: a\n\n",
         ""),
    CASE("\n\xef\xbb\xbf"
         "data: a\n\n",
         ""),
    CASE("\xef\xbb"
         "data: a\n\n",
         ""),
    CASE("\xef\xbb\xbf\n\ndata: a\n\n", "message//a;"),
};

static void check_stream(const struct stream_case *one, size_t first, size_t rest)
{
    struct tb_buf log;
    tb_buf_init(&log, 1 << 16);
    struct tb_sse *sse = tb_sse_new(&limits, note, &log);
    assert_int_equal(feed_copy(sse, tb_str_sub(one->stream, 0, first)), 0);
    for (size_t at = first; at < one->stream.len; at += rest) {
        assert_int_equal(feed_copy(sse, tb_str_sub(one->stream, at, at + rest)), 0);
    }
    if (!tb_str_eq_cstr(tb_buf_str(&log), one->events)) {
        fail_msg("case %zd, cut at %zu: %.*s instead of %s", one - streams, first,
                 TB_STR_ARG(tb_buf_str(&log)), one->events);
    }
    tb_sse_free(sse);
    tb_buf_fini(&log);
}

static void streams_give_their_events_wherever_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(streams); i++) {
        check_stream(&streams[i], 0, 1);
        for (size_t cut = 0; cut <= streams[i].stream.len; cut++) {
            check_stream(&streams[i], cut, SIZE_MAX / 2);
        }
    }
}

static void retry_takes_digits_only(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int64_t retry_ms;
    } cases[] = {
        {"retry: 1500\n", 1500},
        {"retry:7\n", 7},
        {"retry: 0\n", 0},
        {"retry: 9223372036854775807\n", INT64_MAX},
        {"retry: 9223372036854775808\n", -1},
        {"retry: 99999999999999999999999\n", -1},
        {"retry: -5\n", -1},
        {"retry: +5\n", -1},
        {"retry: 5s\n", -1},
        {"retry: 1.5\n", -1},
        {"retry:  5\n", -1},
        {"retry:\n", -1},
        {"retry\n", -1},
        {"retry: 10\nretry: x\n", 10},
        {"retry: 10\nretry: 20\n", 20},
    };
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_buf log;
        tb_buf_init(&log, 100);
        struct tb_sse *sse = tb_sse_new(&limits, note, &log);
        assert_int_equal(tb_sse_retry_ms(sse), -1);
        assert_int_equal(feed_copy(sse, tb_str_of(cases[i].line)), 0);
        assert_int_equal(tb_sse_retry_ms(sse), cases[i].retry_ms);
        tb_sse_free(sse);
    }
}

static void an_id_counts_from_its_empty_line_on(void **state)
{
    (void)state;
    struct tb_buf log;
    tb_buf_init(&log, 100);
    struct tb_sse *sse = tb_sse_new(&limits, note, &log);
    assert_int_equal(tb_sse_last_id(sse).len, 0);
    assert_int_equal(feed_copy(sse, TB_STR("id: 42\n")), 0);
    assert_int_equal(tb_sse_last_id(sse).len, 0);
    assert_int_equal(feed_copy(sse, TB_STR("\n")), 0);
    assert_true(tb_str_eq_cstr(tb_sse_last_id(sse), "42"));
    assert_int_equal(log.len, 0);
    tb_sse_free(sse);
}

/* Feeds `stream` in pieces of `chop` and gives the first failure. */
static int feed_until_it_fails(const struct tb_sse_limits *small, struct tb_str stream, size_t chop)
{
    struct tb_buf log;
    tb_buf_init(&log, 1 << 16);
    struct tb_sse *sse = tb_sse_new(small, note, &log);
    int rc = 0;
    for (size_t at = 0; at < stream.len && rc == 0; at += chop) {
        rc = feed_copy(sse, tb_str_sub(stream, at, at + chop));
    }
    if (rc < 0) {
        assert_int_equal(feed_copy(sse, TB_STR("\n\ndata: a\n\n")), rc);
        assert_int_equal(log.len, 0);
    }
    tb_sse_free(sse);
    tb_buf_fini(&log);
    return rc;
}

static void ceilings_hold_and_are_final(void **state)
{
    (void)state;
    static const struct tb_sse_limits small = {.line_max = 16, .data_max = 20};
    static const struct {
        const char *stream;
        int rc;
    } cases[] = {
        {"data: 0123456789\n\n", 0},
        {"data: 01234567890\n\n", TB_E_TOO_LARGE},
        {"data: 01234567890", TB_E_TOO_LARGE},
        {": 01234567890123\n\n", 0},
        {": 012345678901234\n\n", TB_E_TOO_LARGE},
        {"data: 012345678\ndata: 0123456789\n\n", 0},
        {"data: 0123456789\ndata: 0123456789\n\n", TB_E_TOO_LARGE},
        {"data: 0123456789\n\ndata: 0123456789\n\n", 0},
        {"data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n"
         "data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n",
         0},
        {"data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n"
         "data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n",
         TB_E_TOO_LARGE},
    };
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        for (size_t chop = 1; chop < 40; chop++) {
            assert_int_equal(feed_until_it_fails(&small, tb_str_of(cases[i].stream), chop),
                             cases[i].rc);
        }
    }
}

static void free_inside(struct tb_sse *sse, const struct tb_sse_message *message, void *user)
{
    unsigned *calls = user;
    (*calls)++;
    tb_sse_free(sse);
    assert_true(tb_str_eq_cstr(message->data, "a"));
}

static void the_callback_may_free_the_parser(void **state)
{
    (void)state;
    unsigned calls = 0;
    struct tb_sse *sse = tb_sse_new(&limits, free_inside, &calls);
    assert_int_equal(feed_copy(sse, TB_STR("data: a\n\ndata: b\n\n")), TB_E_CLOSED);
    assert_int_equal(calls, 1);
    tb_sse_free(NULL);
}

static void feed_inside(struct tb_sse *sse, const struct tb_sse_message *message, void *user)
{
    (void)message;
    *(int *)user = tb_sse_feed(sse, TB_STR("data: x\n\n"));
}

static void feeding_from_inside_the_callback_is_refused(void **state)
{
    (void)state;
    int rc = 0;
    struct tb_sse *sse = tb_sse_new(&limits, feed_inside, &rc);
    assert_int_equal(feed_copy(sse, TB_STR("data: a\n\n")), 0);
    assert_int_equal(rc, TB_E_INVALID);
    tb_sse_free(sse);
}

static void the_writer_writes_what_the_standard_shows(void **state)
{
    (void)state;
    struct tb_buf out;
    tb_buf_init(&out, 1024);
    const struct tb_sse_event all = {
        .comment = TB_STR("note"),
        .event = TB_STR("add"),
        .id = TB_STR("7"),
        .data = TB_STR("one\ntwo\r\nthree\rfour"),
        .retry_ms = 1500,
    };
    assert_int_equal(tb_sse_write(&out, &all), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out),
                               ": note\nretry: 1500\nevent: add\nid: 7\ndata: one\ndata: two\n"
                               "data: three\ndata: four\n\n"));
    tb_buf_clear(&out);
    const struct tb_sse_event beat = {.comment = TB_STR("")};
    assert_int_equal(tb_sse_write(&out, &beat), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), ": \n\n"));
    tb_buf_fini(&out);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    static const struct {
        struct tb_sse_event event;
        const char *events;
    } cases[] = {
        {{.data = {"a", 1}}, "message//a;"},
        {{.data = {"", 0}}, "message//;"},
        {{.data = {" a", 2}}, "message// a;"},
        {{.data = {"a\n", 2}}, "message//a\n;"},
        {{.data = {"\n", 1}}, "message//\n;"},
        {{.data = {"a\r\nb\rc\nd", 8}}, "message//a\nb\nc\nd;"},
        {{.data = {"\r\n\r\n", 4}}, "message//\n\n;"},
        {{.data = {"a\n\nevent: evil\n\ndata: b", 23}}, "message//a\n\nevent: evil\n\ndata: b;"},
        {{.data = {"a", 1}, .comment = {"x\n\ndata: evil\r\rdata: b", 22}}, "message//a;"},
        {{.data = {"a", 1}, .id = {"5", 1}, .event = {"e", 1}, .retry_ms = 3}, "e/5/a;"},
        {{.data = {"a", 1}, .id = {" 5", 2}, .event = {" e:f", 4}}, " e:f/ 5/a;"},
        {{.data = {"a", 1}, .id = {"", 0}, .event = {"", 0}}, "message//a;"},
        {{.id = {"5", 1}, .event = {"e", 1}}, ""},
        {{.comment = {"only", 4}}, ""},
    };
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_buf out;
        struct tb_buf log;
        tb_buf_init(&out, 1024);
        tb_buf_init(&log, 1024);
        struct tb_sse *sse = tb_sse_new(&limits, note, &log);
        assert_int_equal(tb_sse_write(&out, &cases[i].event), 0);
        assert_int_equal(feed_copy(sse, tb_buf_str(&out)), 0);
        if (!tb_str_eq_cstr(tb_buf_str(&log), cases[i].events)) {
            fail_msg("case %zu: %.*s", i, TB_STR_ARG(tb_buf_str(&log)));
        }
        tb_sse_free(sse);
        tb_buf_fini(&out);
        tb_buf_fini(&log);
    }
}

static void a_line_break_in_id_or_event_is_refused(void **state)
{
    (void)state;
    static const struct tb_str bad[] = {{"a\nb", 3}, {"a\rb", 3}, {"a\r\n", 3}, {"\n", 1}};
    struct tb_buf out;
    tb_buf_init(&out, 1024);
    assert_int_equal(tb_buf_append_cstr(&out, "before"), 0);
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        const struct tb_sse_event by_id = {.id = bad[i], .data = TB_STR("x")};
        const struct tb_sse_event by_event = {.event = bad[i], .data = TB_STR("x")};
        assert_int_equal(tb_sse_write(&out, &by_id), TB_E_INVALID);
        assert_int_equal(tb_sse_write(&out, &by_event), TB_E_INVALID);
    }
    const struct tb_sse_event nul = {.id = {"a\0b", 3}, .data = TB_STR("x")};
    assert_int_equal(tb_sse_write(&out, &nul), TB_E_INVALID);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), "before"));
    tb_buf_fini(&out);
}

static void a_full_buffer_gets_no_half_event(void **state)
{
    (void)state;
    const struct tb_sse_event event = {
        .comment = TB_STR("c"),
        .event = TB_STR("e"),
        .id = TB_STR("i"),
        .data = TB_STR("one\ntwo"),
        .retry_ms = 5,
    };
    struct tb_buf whole;
    tb_buf_init(&whole, 1024);
    assert_int_equal(tb_sse_write(&whole, &event), 0);
    for (size_t max = 0; max < whole.len; max++) {
        struct tb_buf out;
        tb_buf_init(&out, max);
        assert_int_equal(tb_sse_write(&out, &event), TB_E_TOO_LARGE);
        assert_int_equal(out.len, 0);
        tb_buf_fini(&out);
    }
    tb_buf_fini(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_give_their_events_wherever_they_are_cut),
        cmocka_unit_test(retry_takes_digits_only),
        cmocka_unit_test(an_id_counts_from_its_empty_line_on),
        cmocka_unit_test(ceilings_hold_and_are_final),
        cmocka_unit_test(the_callback_may_free_the_parser),
        cmocka_unit_test(feeding_from_inside_the_callback_is_refused),
        cmocka_unit_test(the_writer_writes_what_the_standard_shows),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_line_break_in_id_or_event_is_refused),
        cmocka_unit_test(a_full_buffer_gets_no_half_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
