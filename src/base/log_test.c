/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

enum {
    LINE_LIMIT = 4096,
    VALUE_LIMIT = 512,
};

/* A log that writes into a pipe, at a time that stands still. */
struct sink {
    struct tb_log log;
    struct tb_clock_manual clock;
    int read_fd;
    char text[2 * LINE_LIMIT + 1];
    size_t len;
};

#define HEAD "2023-11-14T22:13:20.000Z info  http     "

static int sink_setup(void **state)
{
    struct sink *sink = TB_NEW(struct sink);
    int fds[2];
    if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) < 0) {
        tb_free(sink);
        return -1;
    }
    tb_clock_manual_init(&sink->clock);
    sink->read_fd = fds[0];
    tb_log_init(&sink->log, TB_LOG_DEBUG, fds[1], &sink->clock.clock);
    *state = sink;
    return 0;
}

static int sink_teardown(void **state)
{
    struct sink *sink = *state;
    close(sink->read_fd);
    close(sink->log.sink.fd);
    tb_log_fini(&sink->log);
    tb_free(sink);
    return 0;
}

/* What was written since the last call; "" when nothing was. */
static const char *written(struct sink *sink)
{
    ssize_t got = read(sink->read_fd, sink->text, sizeof(sink->text) - 1);
    sink->len = got > 0 ? (size_t)got : 0;
    sink->text[sink->len] = '\0';
    return sink->text;
}

static void assert_one_line(const struct sink *sink)
{
    assert_true(sink->len > 0);
    assert_ptr_equal(strchr(sink->text, '\n'), sink->text + sink->len - 1);
    for (size_t i = 0; i + 1 < sink->len; i++) {
        assert_in_range(sink->text[i], ' ', '~');
    }
}

static void a_line_has_time_level_group_message_and_fields(void **state)
{
    struct sink *sink = *state;
    tb_log_at(&sink->log, INFO, "http", "listening");
    assert_string_equal(written(sink), HEAD "listening\n");
    tb_log_at(&sink->log, INFO, "http", "listening", tb_kv_cstr("address", "[::1]:80"),
              tb_kv_int("least", INT64_MIN));
    assert_string_equal(written(sink),
                        HEAD "listening address=[::1]:80 least=-9223372036854775808\n");
    tb_log_at(&sink->log, ERROR, "longer-group", "x");
    assert_string_equal(written(sink), "2023-11-14T22:13:20.000Z error longer-group x\n");
}

static void text_that_is_no_plain_word_is_quoted_and_escaped(void **state)
{
    struct sink *sink = *state;
    static const struct {
        struct tb_str text;
        const char *want;
    } rows[] = {
        {TB_STR("plain-word_1.2/3"), "plain-word_1.2/3"},
        {TB_STR(""), "\"\""},
        {{NULL, 0}, "\"\""},
        {TB_STR("two words"), "\"two words\""},
        {TB_STR("a=b"), "\"a=b\""},
        {TB_STR("say \"hi\""), "\"say \\\"hi\\\"\""},
        {TB_STR("back\\slash"), "\"back\\\\slash\""},
        {TB_STR("tab\t\x7f\x1b[31m"), "\"tab\\x09\\x7f\\x1b[31m\""},
        {TB_STR("nul\0nul"), "\"nul\\x00nul\""},
        {TB_STR("\xc3\xa4\xe2\x80\xa8"), "\"\\xc3\\xa4\\xe2\\x80\\xa8\""},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char want[256];
        snprintf(want, sizeof(want), HEAD "m k=%s\n", rows[i].want);
        tb_log_at(&sink->log, INFO, "http", "m", tb_kv("k", rows[i].text));
        assert_string_equal(written(sink), want);
    }
}

static void a_peer_cannot_forge_a_line(void **state)
{
    struct sink *sink = *state;
    tb_log_at(&sink->log, INFO, "http", "request",
              tb_kv_cstr("path", "/\n2023-11-14T22:13:20.000Z error core forged\r\n"));
    assert_string_equal(
        written(sink),
        HEAD "request path=\"/\\n2023-11-14T22:13:20.000Z error core forged\\x0d\\n\"\n");
    assert_one_line(sink);
}

static void a_value_is_cut_at_its_limit_and_its_size_is_told(void **state)
{
    struct sink *sink = *state;
    char value[VALUE_LIMIT + 100];
    memset(value, 'v', sizeof(value));

    tb_log_at(&sink->log, INFO, "http", "m", tb_kv("k", (struct tb_str){value, VALUE_LIMIT}));
    assert_int_equal(strlen(written(sink)), strlen(HEAD "m k=\n") + VALUE_LIMIT);
    tb_log_at(&sink->log, INFO, "http", "m", tb_kv("k", (struct tb_str){value, sizeof(value)}));
    assert_non_null(strstr(written(sink), "vvv...(612 bytes)\n"));
    assert_int_equal(strlen(sink->text), strlen(HEAD "m k=...(612 bytes)\n") + VALUE_LIMIT);
}

static void a_long_line_is_cut_and_still_ends_in_a_newline(void **state)
{
    struct sink *sink = *state;
    char value[VALUE_LIMIT];
    memset(value, '\n', sizeof(value));
    struct tb_str text = {value, sizeof(value)};
    /* Every total near the limit, so that each kind of piece is once the one that does not fit. */
    for (size_t len = 0; len < 40; len++) {
        tb_log_at(&sink->log, INFO, "http", "m", tb_kv("a", text), tb_kv("b", text),
                  tb_kv("c", text), tb_kv("d", (struct tb_str){value, 450 + len}),
                  tb_kv_int("n", 12345));
        written(sink);
        assert_one_line(sink);
        assert_true(sink->len <= LINE_LIMIT);
    }
}

static void a_field_that_does_not_fit_leaves_no_loose_value(void **state)
{
    struct sink *sink = *state;
    char filler[LINE_LIMIT];
    memset(filler, 'm', sizeof(filler));
    for (size_t room = 1; room < 20; room++) {
        size_t len = LINE_LIMIT - strlen(HEAD " first=1\n") - room;
        filler[len] = '\0';
        tb_log_at(&sink->log, INFO, "http", filler, tb_kv_int("first", 1), tb_kv_int("second", 22));
        filler[len] = 'm';
        const char *rest = strstr(written(sink), " first=1") + strlen(" first=1");
        assert_string_equal(rest, room < strlen(" second=22") ? "\n" : " second=22\n");
        assert_one_line(sink);
    }
}

static void lines_above_the_wanted_level_are_not_written(void **state)
{
    struct sink *sink = *state;
    static const enum tb_log_level levels[] = {TB_LOG_ERROR, TB_LOG_WARN, TB_LOG_INFO,
                                               TB_LOG_DEBUG};
    for (size_t want = 0; want < TB_COUNT(levels); want++) {
        sink->log.level = levels[want];
        for (size_t level = 0; level < TB_COUNT(levels); level++) {
            tb_log_write(&sink->log, levels[level], "core", "m", NULL, 0);
            assert_int_equal(written(sink)[0] != '\0', level <= want);
        }
    }
}

static void without_a_log_nothing_happens(void **state)
{
    (void)state;
    tb_log_at((struct tb_log *)NULL, ERROR, "core", "m", tb_kv_int("n", 1));
}

static void a_log_that_cannot_be_written_is_survived(void **state)
{
    struct sink *sink = *state;
    struct tb_log broken;
    tb_log_init(&broken, TB_LOG_ERROR, -1, &sink->clock.clock);
    tb_log_at(&broken, ERROR, "core", "m");
    tb_log_fini(&broken);
    assert_string_equal(written(sink), "");
}

/* Reads all that is there, and counts its lines. */
static size_t lines_left(struct sink *sink)
{
    size_t lines = 0;
    while (written(sink)[0]) {
        for (size_t i = 0; i < sink->len; i++) {
            lines += sink->text[i] == '\n';
        }
    }
    return lines;
}

static void what_nobody_reads_is_dropped_and_counted(void **state)
{
    struct sink *sink = *state;
    const size_t said = 100000;
    for (size_t i = 0; i < said; i++) {
        tb_log_at(&sink->log, INFO, "http", "request");
    }
    size_t kept = lines_left(sink);
    assert_in_range(kept, 1, said - 1);
    tb_log_at(&sink->log, INFO, "http", "request");
    char told[200];
    snprintf(told, sizeof(told),
             "2023-11-14T22:13:20.000Z warn  log      lines were dropped because nobody read them "
             "lines=%zu\n" HEAD "request\n",
             said - kept);
    assert_string_equal(written(sink), told);
    tb_log_at(&sink->log, INFO, "http", "request");
    assert_string_equal(written(sink), HEAD "request\n");
}

static void only_the_four_level_names_are_levels(void **state)
{
    (void)state;
    static const char *const names[] = {"error", "warn", "info", "debug"};
    enum tb_log_level level = TB_LOG_ERROR;
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        assert_int_equal(tb_log_level_parse(tb_str_of(names[i]), &level), 0);
        assert_int_equal(level, i);
    }
    static const char *const wrong[] = {"", "Error", "warning", "trace", "inf", "info "};
    for (size_t i = 0; i < TB_COUNT(wrong); i++) {
        assert_int_equal(tb_log_level_parse(tb_str_of(wrong[i]), &level), -EINVAL);
        assert_int_equal(level, TB_LOG_DEBUG);
    }
}

#define WITH_SINK(test) cmocka_unit_test_setup_teardown(test, sink_setup, sink_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SINK(a_line_has_time_level_group_message_and_fields),
        WITH_SINK(text_that_is_no_plain_word_is_quoted_and_escaped),
        WITH_SINK(a_peer_cannot_forge_a_line),
        WITH_SINK(a_value_is_cut_at_its_limit_and_its_size_is_told),
        WITH_SINK(a_long_line_is_cut_and_still_ends_in_a_newline),
        WITH_SINK(a_field_that_does_not_fit_leaves_no_loose_value),
        WITH_SINK(lines_above_the_wanted_level_are_not_written),
        cmocka_unit_test(without_a_log_nothing_happens),
        WITH_SINK(a_log_that_cannot_be_written_is_survived),
        WITH_SINK(what_nobody_reads_is_dropped_and_counted),
        cmocka_unit_test(only_the_four_level_names_are_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
