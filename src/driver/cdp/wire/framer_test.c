/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/framer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CEILING = 100,
};

struct sink {
    struct tb_buf seen; /* messages in brackets, heads of those too large in braces */
    int stop_after;     /* 0: never */
    const char *where;  /* of the last message */
};

static bool on_message(struct tb_str message, void *user)
{
    struct sink *sink = user;
    sink->where = message.ptr;
    tb_buf_printf(&sink->seen, "[%.*s]", TB_STR_ARG(message));
    return --sink->stop_after != 0;
}

static bool on_too_large(struct tb_str head, void *user)
{
    struct sink *sink = user;
    tb_buf_printf(&sink->seen, "{%.*s}", TB_STR_ARG(head));
    return --sink->stop_after != 0;
}

static const struct tb_cdp_framer_ops ops = {on_message, on_too_large};

static void expect(struct sink *sink, const char *seen)
{
    tb_buf_append_char(&sink->seen, '\0');
    assert_string_equal((const char *)sink->seen.data, seen);
    tb_buf_clear(&sink->seen);
}

/* MSG-4: the stream is cut at random places. */
static void any_split_gives_the_same_messages(void **state)
{
    static const char input[] = "one\0two\0\0a longer third message\0";
    (void)state;
    for (size_t cut = 0; cut < sizeof(input) - 1; cut++) {
        for (size_t next = cut; next < sizeof(input) - 1; next++) {
            struct sink sink = {.stop_after = 0};
            struct tb_cdp_framer framer;
            tb_buf_init(&sink.seen, 1000);
            tb_cdp_framer_init(&framer, CEILING);
            struct tb_str all = {input, sizeof(input) - 1};
            assert_true(tb_cdp_framer_feed(&framer, tb_str_sub(all, 0, cut), &ops, &sink));
            assert_true(tb_cdp_framer_feed(&framer, tb_str_sub(all, cut, next), &ops, &sink));
            assert_true(tb_cdp_framer_feed(&framer, tb_str_sub(all, next, all.len), &ops, &sink));
            expect(&sink, "[one][two][][a longer third message]");
            tb_cdp_framer_fini(&framer);
            tb_buf_fini(&sink.seen);
        }
    }
}

static void a_whole_message_is_not_copied(void **state)
{
    static const char input[] = "here\0";
    struct sink sink = {.stop_after = 0};
    struct tb_cdp_framer framer;
    (void)state;
    tb_buf_init(&sink.seen, 1000);
    tb_cdp_framer_init(&framer, CEILING);
    tb_cdp_framer_feed(&framer, TB_STR(input), &ops, &sink);
    assert_ptr_equal(sink.where, input);
    assert_int_equal(framer.held.cap, 0);
    tb_cdp_framer_fini(&framer);
    tb_buf_fini(&sink.seen);
}

static void nothing_is_held_between_messages(void **state)
{
    struct sink sink = {.stop_after = 0};
    struct tb_cdp_framer framer;
    (void)state;
    tb_buf_init(&sink.seen, 1000);
    tb_cdp_framer_init(&framer, CEILING);
    tb_cdp_framer_feed(&framer, TB_STR("be"), &ops, &sink);
    assert_true(framer.held.cap > 0);
    tb_cdp_framer_feed(&framer, TB_STR("gun\0"), &ops, &sink);
    assert_int_equal(framer.held.cap, 0);
    expect(&sink, "[begun]");
    tb_cdp_framer_fini(&framer);
    tb_buf_fini(&sink.seen);
}

/* A message of CEILING + 1 bytes, in pieces of every size, between two good ones. */
static void a_message_over_the_ceiling_is_thrown_away_and_the_next_one_is_read(void **state)
{
    static const char first[] = "go\0{\"id\":7,";
    static const char last[] = "\0on";
    char input[3 + CEILING + 1 + sizeof(last)];
    (void)state;
    memset(input, 'x', sizeof(input));
    memcpy(input, first, sizeof(first) - 1);
    memcpy(input + sizeof(input) - sizeof(last), last, sizeof(last));
    for (size_t size = 1; size <= sizeof(input); size++) {
        struct sink sink = {.stop_after = 0};
        struct tb_cdp_framer framer;
        tb_buf_init(&sink.seen, 1000);
        tb_cdp_framer_init(&framer, CEILING);
        for (size_t at = 0; at < sizeof(input); at += size) {
            struct tb_str all = {input, sizeof(input)};
            tb_cdp_framer_feed(&framer, tb_str_sub(all, at, at + size), &ops, &sink);
            assert_true(framer.held.len <= CEILING);
        }
        tb_buf_append_char(&sink.seen, '\0');
        const char *seen = (const char *)sink.seen.data;
        assert_memory_equal(seen, "[go]{{\"id\":7,xx", 15);
        assert_string_equal(strchr(seen, '}'), "}[on]");
        tb_cdp_framer_fini(&framer);
        tb_buf_fini(&sink.seen);
    }
}

static void a_message_at_the_ceiling_passes(void **state)
{
    char input[CEILING + 1];
    struct sink sink = {.stop_after = 0};
    struct tb_cdp_framer framer;
    (void)state;
    memset(input, 'y', CEILING);
    input[CEILING] = '\0';
    tb_buf_init(&sink.seen, 1000);
    tb_cdp_framer_init(&framer, CEILING);
    tb_cdp_framer_feed(&framer, (struct tb_str){input, 10}, &ops, &sink);
    tb_cdp_framer_feed(&framer, (struct tb_str){input + 10, CEILING + 1 - 10}, &ops, &sink);
    assert_int_equal(sink.seen.len, CEILING + 2);
    tb_cdp_framer_fini(&framer);
    tb_buf_fini(&sink.seen);
}

static void a_callback_that_has_enough_ends_the_cutting(void **state)
{
    struct sink sink = {.stop_after = 1};
    struct tb_cdp_framer framer;
    (void)state;
    tb_buf_init(&sink.seen, 1000);
    tb_cdp_framer_init(&framer, CEILING);
    assert_false(tb_cdp_framer_feed(&framer, TB_STR("a\0b\0"), &ops, &sink));
    expect(&sink, "[a]");
    tb_cdp_framer_fini(&framer);
    tb_buf_fini(&sink.seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_split_gives_the_same_messages),
        cmocka_unit_test(a_whole_message_is_not_copied),
        cmocka_unit_test(nothing_is_held_between_messages),
        cmocka_unit_test(a_message_over_the_ceiling_is_thrown_away_and_the_next_one_is_read),
        cmocka_unit_test(a_message_at_the_ceiling_passes),
        cmocka_unit_test(a_callback_that_has_enough_ends_the_cutting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
