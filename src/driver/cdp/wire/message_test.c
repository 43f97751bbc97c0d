/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static void assert_text(struct tb_str text, const char *wanted)
{
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.ptr ? text.ptr : "", wanted, text.len);
}

static void messages_are_cut_into_their_parts(void **state)
{
    static const struct {
        const char *text;
        bool has_id;
        uint64_t id;
        const char *method;
        const char *session_id;
        const char *params;
        const char *result;
        const char *error;
    } rows[] = {
        {"{\"id\":3,\"result\":{}}", true, 3, "", "", "", "{}", ""},
        {"{\"id\":4,\"result\":{\"a\":[1]},\"sessionId\":\"AB\"}", true, 4, "", "AB", "",
         "{\"a\":[1]}", ""},
        {"{\"id\":5,\"error\":{\"code\":-1}}", true, 5, "", "", "", "", "{\"code\":-1}"},
        {"{\"method\":\"A.b\",\"params\":{\"id\":9},\"sessionId\":\"S\"}", false, 0, "A.b", "S",
         "{\"id\":9}", "", ""},
        {"{\"method\":\"A.b\"}", false, 0, "A.b", "", "", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_cdp_message message;
        assert_int_equal(tb_cdp_message_parse(tb_str_of(rows[i].text), &message, NULL), 0);
        assert_int_equal(message.has_id, rows[i].has_id);
        assert_int_equal(message.id, rows[i].id);
        assert_text(message.method, rows[i].method);
        assert_text(message.session_id, rows[i].session_id);
        assert_text(message.params, rows[i].params);
        assert_text(message.result, rows[i].result);
        assert_text(message.error, rows[i].error);
        assert_null(message.repaired);
        tb_cdp_message_fini(&message);
    }
}

static void what_is_no_message_is_refused(void **state)
{
    static const char *const rows[] = {
        "",
        "x",
        "[]",
        "{}",
        "{\"id\":-1}",
        "{\"id\":\"1\"}",
        "{\"id\":1",
        "{\"id\":1}{}",
        "{\"id\":1,\"id\":2}",
        "{\"params\":{}}",
        "{\"method\":5}",
        "{\"method\":\"\\ud8\"}",
        "{\"id\":1,\"result\":\"\xff\"}",
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_cdp_message message;
        assert_int_equal(tb_cdp_message_parse(tb_str_of(rows[i]), &message, NULL), TB_E_PARSE);
    }
}

/* MSG-4: lone surrogates. */
static void escapes_that_strict_readers_refuse_are_repaired(void **state)
{
    static const struct {
        const char *given;
        const char *result;
    } rows[] = {
        {"\\ud800", "\\ufffd"},
        {"a\\udc00b", "a\\ufffdb"},
        {"\\ud83d\\ude00", "\\ud83d\\ude00"}, /* a pair stays */
        {"\\ud83d\\ud83d\\ude00", "\\ufffd\\ud83d\\ude00"},
        {"\\ude00\\ud83d", "\\ufffd\\ufffd"},
        {"\\u0000", "\\ufffd"},
        {"\\\\ud800 \\ud800", "\\\\ud800 \\ufffd"}, /* a backslash and letters */
        {"\\n\\\"\\ud800\\\\", "\\n\\\"\\ufffd\\\\"},
        {"\\uD800\\u0041", "\\ufffd\\u0041"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_free)
        char *text =
            tb_strdupf("{\"id\":1,\"result\":{\"a\":\"\\ud900\",\"t\":\"%s\"}}", rows[i].given);
        TB_AUTO(tb_free)
        char *wanted = tb_strdupf("{\"a\":\"\\ufffd\",\"t\":\"%s\"}", rows[i].result);
        struct tb_cdp_message message;
        assert_int_equal(tb_cdp_message_parse(tb_str_of(text), &message, NULL), 0);
        assert_text(message.result, wanted);
        TB_AUTO(tb_json_free) struct cJSON *tree = tb_json_parse(message.result);
        assert_non_null(tree);
        tb_cdp_message_fini(&message);
    }
}

static void the_id_of_a_large_message_is_found_in_its_head(void **state)
{
    static const struct {
        const char *head;
        bool found;
        uint64_t id;
    } rows[] = {
        {"{\"id\":12,\"result\":{\"a", true, 12},
        {"{\"id\":12", false, 0}, /* it may go on */
        {"{\"id\":x,", false, 0},
        {"{\"method\":\"a\"", false, 0},
        {"", false, 0},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        uint64_t id = 0;
        assert_int_equal(tb_cdp_message_head_id(tb_str_of(rows[i].head), &id), rows[i].found);
        assert_int_equal(id, rows[i].id);
    }
}

static void errors_keep_the_words_of_the_browser(void **state)
{
    static const struct {
        const char *error;
        int code;
        const char *words;
    } rows[] = {
        {"{\"code\":-32000,\"message\":\"No \\\"such\\\" node\"}", TB_E_PROTOCOL,
         "\"No \\\"such\\\" node\""},
        {"{\"message\":\"x\\\".\\nPage is now\"}", TB_E_PROTOCOL, "\"x\\\".\\nPage is now\""},
        {"{\"code\":-32001,\"message\":\"Session gone\"}", TB_E_NOT_FOUND, "\"Session gone\""},
        {"{}", TB_E_PROTOCOL, "it gave no reason"},
        {"5", TB_E_PROTOCOL, "it gave no reason"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_err err;
        assert_int_equal(tb_cdp_message_error(tb_str_of(rows[i].error), &err), rows[i].code);
        assert_string_equal(err.text, rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_cut_into_their_parts),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(escapes_that_strict_readers_refuse_are_repaired),
        cmocka_unit_test(the_id_of_a_large_message_is_found_in_its_head),
        cmocka_unit_test(errors_keep_the_words_of_the_browser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
