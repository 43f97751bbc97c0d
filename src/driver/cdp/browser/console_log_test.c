/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/console_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

static void feed(struct tb_cdp_console_log *log, const char *method, const char *params)
{
    tb_cdp_console_log_on_event(log, TB_STR(""), tb_str_of(method), tb_str_of(params));
}

static void say(struct tb_cdp_console_log *log, const char *type, const char *text)
{
    char params[256];
    snprintf(params, sizeof(params),
             "{\"type\":\"%s\",\"args\":[{\"type\":\"string\",\"value\":\"%s\"}]}", type, text);
    feed(log, "Runtime.consoleAPICalled", params);
}

/* The list as JSON; the caller frees. */
static char *list(const struct tb_cdp_console_log *log, enum tb_cdp_console_level level,
                  const char *find, size_t limit, size_t total)
{
    struct cJSON *rows = tb_json_new_array();
    struct tb_buf out;
    tb_buf_init(&out, 1 << 20);
    assert_int_equal(tb_cdp_console_log_list(log, level, tb_str_of(find), limit, rows), total);
    tb_json_print(rows, &out);
    tb_buf_append_char(&out, '\0');
    tb_json_free(rows);
    return (char *)out.data;
}

static void check_list(const struct tb_cdp_console_log *log, enum tb_cdp_console_level level,
                       const char *find, size_t limit, size_t total, const char *wanted)
{
    char *have = list(log, level, find, limit, total);
    assert_string_equal(have, wanted);
    tb_free(have);
}

static void messages_exceptions_and_entries_are_kept(void **state)
{
    struct tb_cdp_console_log log;
    (void)state;
    tb_cdp_console_log_init(&log);
    feed(&log, "Runtime.consoleAPICalled",
         "{\"type\":\"log\",\"args\":[{\"type\":\"string\",\"value\":\"a\"},{\"type\":\"number\","
         "\"value\":1},{\"type\":\"object\",\"description\":\"Object\"},{\"type\":\"undefined\"}],"
         "\"stackTrace\":{\"callFrames\":[{\"url\":\"http://x/a.js\",\"lineNumber\":4}]}}");
    feed(&log, "Runtime.exceptionThrown",
         "{\"exceptionDetails\":{\"text\":\"Uncaught\",\"url\":\"http://x/\",\"lineNumber\":0,"
         "\"exception\":{\"description\":\"Error: bad\"}}}");
    feed(&log, "Log.entryAdded", "{\"entry\":{\"level\":\"warning\",\"text\":\"blocked\"}}");
    feed(&log, "Network.requestWillBeSent", "{}");
    feed(&log, "Runtime.consoleAPICalled", "not json");
    check_list(&log, TB_CONSOLE_DEBUG, "bad", 9, 1,
               "[{\"level\":\"error\",\"text\":\"Error: bad\",\"url\":\"http://x/\",\"line\":1,"
               "\"count\":1}]");
    check_list(&log, TB_CONSOLE_INFO, "Object", 9, 1,
               "[{\"level\":\"info\",\"text\":\"a 1 Object undefined\",\"url\":\"http://x/a.js\","
               "\"line\":5,\"count\":1}]");
    check_list(&log, TB_CONSOLE_WARNING, "", 1, 2,
               "[{\"level\":\"warning\",\"text\":\"blocked\",\"count\":1}]");
    assert_int_equal(log.errors, 1);
    tb_cdp_console_log_fini(&log);
}

static void objects_are_shown_by_their_first_members(void **state)
{
    static const struct {
        const char *arg;
        const char *text;
    } rows[] = {
        {"{\"preview\":{\"type\":\"object\",\"description\":\"Object\",\"overflow\":false,"
         "\"properties\":[{\"name\":\"a\",\"type\":\"number\",\"value\":\"1\"},{\"name\":\"b\","
         "\"type\":\"string\",\"value\":\"x\"}]}}",
         "{a: 1, b: 'x'}"},
        {"{\"preview\":{\"description\":\"Point\",\"overflow\":true,"
         "\"properties\":[{\"name\":\"x\",\"type\":\"number\",\"value\":\"1\"}]}}",
         "Point {x: 1, …}"},
        {"{\"preview\":{\"subtype\":\"array\",\"description\":\"Array(2)\",\"properties\":"
         "[{\"name\":\"0\",\"type\":\"number\",\"value\":\"1\"},{\"name\":\"1\","
         "\"type\":\"object\",\"value\":\"Object\"}]}}",
         "[1, Object]"},
        {"{\"preview\":{\"description\":\"Object\",\"properties\":[]}}", "{}"},
        {"{\"subtype\":\"error\",\"description\":\"Error: bad\",\"preview\":{\"subtype\":\"error\","
         "\"description\":\"Error: bad\",\"properties\":[]}}",
         "Error: bad"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_cdp_console_log log;
        char params[512];
        char wanted[128];
        tb_cdp_console_log_init(&log);
        snprintf(params, sizeof(params), "{\"type\":\"log\",\"args\":[%s]}", rows[i].arg);
        feed(&log, "Runtime.consoleAPICalled", params);
        snprintf(wanted, sizeof(wanted), "[{\"level\":\"info\",\"text\":\"%s\",\"count\":1}]",
                 rows[i].text);
        check_list(&log, TB_CONSOLE_DEBUG, "", 9, 1, wanted);
        tb_cdp_console_log_fini(&log);
    }
}

static void the_same_again_is_counted(void **state)
{
    struct tb_cdp_console_log log;
    (void)state;
    tb_cdp_console_log_init(&log);
    for (int i = 0; i < 5; i++) {
        say(&log, "error", "again");
    }
    say(&log, "log", "again");
    check_list(&log, TB_CONSOLE_ERROR, "", 9, 1,
               "[{\"level\":\"error\",\"text\":\"again\",\"count\":5}]");
    assert_int_equal(log.errors, 5);
    assert_int_equal(log.count, 2);
    tb_cdp_console_log_clear(&log);
    check_list(&log, TB_CONSOLE_DEBUG, "", 9, 0, "[]");
    assert_int_equal(log.bytes, 0);
    assert_int_equal(log.errors, 5);
    tb_cdp_console_log_fini(&log);
}

static void page_and_time_are_kept(void **state)
{
    struct tb_cdp_console_log log;
    (void)state;
    tb_cdp_console_log_init(&log);
    tb_cdp_console_log_on_event(&log, TB_STR("http://a/"), TB_STR("Runtime.consoleAPICalled"),
                                TB_STR("{\"type\":\"log\",\"args\":[{\"value\":\"x\"}],"
                                       "\"timestamp\":1700000000123.4}"));
    tb_cdp_console_log_on_event(&log, TB_STR("http://a/"), TB_STR("Runtime.consoleAPICalled"),
                                TB_STR("{\"type\":\"log\",\"args\":[{\"value\":\"x\"}],"
                                       "\"timestamp\":1700000005000}"));
    tb_cdp_console_log_on_event(&log, TB_STR("http://b/"), TB_STR("Log.entryAdded"),
                                TB_STR("{\"entry\":{\"level\":\"info\",\"text\":\"x\","
                                       "\"timestamp\":1e300}}"));
    check_list(&log, TB_CONSOLE_INFO, "", 9, 2,
               "[{\"level\":\"info\",\"text\":\"x\",\"page\":\"http://a/\","
               "\"time\":\"2023-11-14T22:13:25.000Z\",\"count\":2},"
               "{\"level\":\"info\",\"text\":\"x\",\"page\":\"http://b/\",\"count\":1}]");
    tb_cdp_console_log_fini(&log);
}

static void only_the_newest_are_kept(void **state)
{
    struct tb_cdp_console_log log;
    char text[64];
    (void)state;
    tb_cdp_console_log_init(&log);
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof(text), "message %d", i);
        say(&log, "log", text);
    }
    assert_int_equal(log.count, TB_CONSOLE_MESSAGES);
    check_list(&log, TB_CONSOLE_INFO, "", 1, TB_CONSOLE_MESSAGES,
               "[{\"level\":\"info\",\"text\":\"message 999\",\"count\":1}]");
    enum {
        LARGE = 300 * 1024
    };
    char *large = tb_zalloc(LARGE);
    memset(large, ' ', LARGE - 1);
    feed(&log, "Runtime.consoleAPICalled", large);
    memset(large, 'x', 2000);
    large[2000] = '\0';
    for (int i = 0; i < 100; i++) {
        large[0] = (char)('a' + i % 20);
        TB_AUTO(tb_free)
        char *params = tb_strdupf("{\"type\":\"log\",\"args\":[{\"value\":\"%s\"}]}", large);
        feed(&log, "Runtime.consoleAPICalled", params);
    }
    assert_true(log.bytes <= TB_CONSOLE_BYTES);
    tb_free(large);
    tb_cdp_console_log_fini(&log);
}

static void levels_have_names(void **state)
{
    (void)state;
    assert_int_equal(tb_cdp_console_level_of(TB_STR("error")), TB_CONSOLE_ERROR);
    assert_int_equal(tb_cdp_console_level_of(TB_STR("info")), TB_CONSOLE_INFO);
    assert_int_equal(tb_cdp_console_level_of(TB_STR("zz")), TB_CONSOLE_DEBUG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_exceptions_and_entries_are_kept),
        cmocka_unit_test(objects_are_shown_by_their_first_members),
        cmocka_unit_test(the_same_again_is_counted),
        cmocka_unit_test(page_and_time_are_kept),
        cmocka_unit_test(only_the_newest_are_kept),
        cmocka_unit_test(levels_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
