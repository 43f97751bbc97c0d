/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/jsonrpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "proto/json_iter.h"

enum {
    MCP = TB_JSONRPC_OBJECT_PARAMS,
};

#define V "\"jsonrpc\":\"2.0\""

static const struct tb_json_limits limits = {.depth_max = 64};

static int parse(const char *text, unsigned flags, struct tb_jsonrpc *ret_message,
                 struct tb_err *err)
{
    return tb_jsonrpc_parse(tb_str_of(text), &limits, flags, ret_message, err);
}

static bool is(struct tb_json_value value, const char *text)
{
    return tb_str_eq_cstr(value.text, text);
}

static void messages_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned flags;
        enum tb_jsonrpc_kind kind;
        const char *id;
    } rows[] = {
        {"{" V ",\"id\":1,\"method\":\"ping\"}", MCP, TB_JSONRPC_REQUEST, "1"},
        {"{" V ",\"id\":0,\"method\":\"ping\"}", MCP, TB_JSONRPC_REQUEST, "0"},
        {"{" V ",\"id\":-7,\"method\":\"ping\"}", MCP, TB_JSONRPC_REQUEST, "-7"},
        {"{" V ",\"id\":\"\",\"method\":\"ping\"}", MCP, TB_JSONRPC_REQUEST, "\"\""},
        {"{" V ",\"id\":\"a\\u0062\",\"method\":\"m\"}", MCP, TB_JSONRPC_REQUEST, "\"a\\u0062\""},
        {"{" V ",\"id\":123456789012345678901,\"method\":\"m\"}", MCP, TB_JSONRPC_REQUEST,
         "123456789012345678901"},
        {"{" V ",\"id\":1,\"method\":\"m\",\"params\":{}}", MCP, TB_JSONRPC_REQUEST, "1"},
        {"{" V ",\"id\":1,\"method\":\"m\",\"params\":[1]}", 0, TB_JSONRPC_REQUEST, "1"},
        {"{\"jsonrpc\":\"2\\u002e0\",\"id\":1,\"method\":\"m\"}", 0, TB_JSONRPC_REQUEST, "1"},
        {"{" V ",\"method\":\"notifications/initialized\"}", MCP, TB_JSONRPC_NOTIFICATION, NULL},
        {"{" V ",\"id\":\"x\",\"result\":{}}", MCP, TB_JSONRPC_RESULT, "\"x\""},
        {"{" V ",\"id\":2,\"result\":null}", MCP, TB_JSONRPC_RESULT, "2"},
        {"{" V ",\"id\":2,\"error\":{\"code\":-1,\"message\":\"\"}}", MCP, TB_JSONRPC_ERROR, "2"},
        {"{" V ",\"error\":{\"code\":-32700,\"message\":\"x\"}}", MCP, TB_JSONRPC_ERROR, NULL},
        {"{" V ",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\",\"data\":[]}}", MCP,
         TB_JSONRPC_ERROR, NULL},
        {"{" V ",\"id\":3,\"result\":{},\"error\":{\"code\":1,\"message\":\"x\"}}",
         TB_JSONRPC_RESULT_TOO, TB_JSONRPC_ERROR, "3"},
        {" [{}] ", TB_JSONRPC_BATCHES, TB_JSONRPC_BATCH, NULL},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_jsonrpc message;
        struct tb_err err = {0};
        assert_int_equal(parse(rows[i].text, rows[i].flags, &message, &err), 0);
        assert_string_equal(err.text, "");
        assert_int_equal(message.kind, rows[i].kind);
        assert_true(is(message.id, rows[i].id));
        assert_int_equal(message.id.type == TB_JSON_ABSENT, rows[i].id == NULL);
    }
}

static void a_call_gives_all_its_parts(void **state)
{
    (void)state;
    struct tb_jsonrpc message;
    const char *text =
        "{" V ",\"id\":\"7\",\"method\":\"tools\\/call\",\"params\":{\"name\":\"click\","
        "\"arguments\":{\"name\":1},\"_meta\":{\"progressToken\":1}}}";
    assert_int_equal(parse(text, MCP, &message, NULL), 0);
    assert_int_equal(message.id.type, TB_JSON_STRING);
    assert_true(is(message.method, "\"tools\\/call\""));
    assert_true(tb_jsonrpc_is(&message, "tools/call"));
    assert_false(tb_jsonrpc_is(&message, "tools/cal"));
    assert_false(tb_jsonrpc_is(&message, "tools/call2"));
    assert_int_equal(message.params.type, TB_JSON_OBJECT);
    assert_true(is(message.name, "\"click\""));
    assert_true(is(message.meta, "{\"progressToken\":1}"));
    assert_int_equal(message.result.type, TB_JSON_ABSENT);
    assert_int_equal(message.error.type, TB_JSON_ABSENT);
}

static void a_response_gives_its_payload_as_written(void **state)
{
    (void)state;
    struct tb_jsonrpc message;
    assert_int_equal(parse("{\"result\": [1, 2.0] ,\"id\":5," V "}", 0, &message, NULL), 0);
    assert_true(is(message.result, "[1, 2.0]"));
    assert_false(tb_jsonrpc_is(&message, ""));
    const char *text = "{" V ",\"id\":5,\"error\":{\"code\":-5,\"message\":\"no\"},\"result\":{}}";
    assert_int_equal(parse(text, TB_JSONRPC_RESULT_TOO, &message, NULL), 0);
    assert_true(is(message.error, "{\"code\":-5,\"message\":\"no\"}"));
    assert_true(is(message.result, "{}"));
}

/* kind and id say whether and how the failure is answered. */
static const struct {
    const char *text;
    int code;
    enum tb_jsonrpc_kind kind;
    const char *id;
} bad_messages[] = {
    {"{" V ",\"id\":1,\"method\":\"m\"", TB_E_PARSE, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"method\":\"m\",\"id\":1", TB_E_PARSE, TB_JSONRPC_NONE, NULL},
    {"{" V ",\"method\":\"m\",\"id\":01}", TB_E_PARSE, TB_JSONRPC_NONE, NULL},
    {"{" V ",\"method\":\"m\",\"id\":\"\\ud83d\"}", TB_E_PARSE, TB_JSONRPC_NONE, NULL},
    {"{" V ",\"id\":1,\"method\":\"m\",\"params\":{\"a\":\"\\ud83d\"}}", TB_E_PARSE,
     TB_JSONRPC_REQUEST, "1"},
    {"{\"method\":\"m\",\"params\":{\"a\":\"\\u0000\"}," V ",\"id\":\"x\"}", TB_E_PARSE,
     TB_JSONRPC_REQUEST, "\"x\""},
    {"{\"method\":\"m\",\"params\":{\"a\":1e400}," V ",\"id\":2}", TB_E_PARSE, TB_JSONRPC_REQUEST,
     "2"},
    {"{\"method\":\"m\",\"params\":{\"a\":\"\xff\\\",\\\"id\\\":3,\"}," V ",\"id\":2}", TB_E_PARSE,
     TB_JSONRPC_REQUEST, "2"},
    {"{" V ",\"id\":1,\"result\":\"\\ud83d\"}", TB_E_PARSE, TB_JSONRPC_RESULT, "1"},
    {"{" V ",\"method\":\"m\",\"params\":{\"id\":3,\"a\":\"\\ud83d\"}}", TB_E_PARSE,
     TB_JSONRPC_NONE, NULL},
    {"", TB_E_PARSE, TB_JSONRPC_NONE, NULL},
    {"{" V ",\"id\":1,\"method\":\"a\",\"method\":\"b\"}", TB_E_PARSE, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"id\":1,\"method\":\"a\",\"i\\u0064\":2}", TB_E_PARSE, TB_JSONRPC_NONE, NULL},
    {"{" V "," V ",\"id\":1,\"method\":\"a\"}", TB_E_PARSE, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"id\":1,\"method\":\"a\",\"params\":{\"name\":1,\"name\":1}}", TB_E_PARSE,
     TB_JSONRPC_REQUEST, "1"},
    {"1", TB_E_INVALID, TB_JSONRPC_NONE, NULL},
    {"\"method\"", TB_E_INVALID, TB_JSONRPC_NONE, NULL},
    {"null", TB_E_INVALID, TB_JSONRPC_NONE, NULL},
    {"{}", TB_E_INVALID, TB_JSONRPC_NONE, NULL},
    {"[]", TB_E_INVALID, TB_JSONRPC_NONE, NULL},
    {"[{" V ",\"id\":1,\"method\":\"m\"}]", TB_E_INVALID, TB_JSONRPC_NONE, NULL},
    {"{" V ",\"id\":1}", TB_E_INVALID, TB_JSONRPC_NONE, "1"},
    {"{\"id\":1,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{\"jsonrpc\":\"2.00\",\"id\":1,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{\"jsonrpc\":[\"2.0\"],\"id\":1,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"id\":null,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, NULL},
    {"{" V ",\"id\":1.5,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, NULL},
    {"{" V ",\"id\":1.0,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, NULL},
    {"{" V ",\"id\":1e3,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, NULL},
    {"{" V ",\"id\":1E3,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, NULL},
    {"{" V ",\"id\":true,\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, NULL},
    {"{" V ",\"id\":{},\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, NULL},
    {"{" V ",\"id\":[1],\"method\":\"m\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, NULL},
    {"{" V ",\"id\":1,\"method\":2}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"id\":1,\"method\":null}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"method\":2}", TB_E_INVALID, TB_JSONRPC_NONE, NULL},
    {"{" V ",\"id\":1,\"method\":\"m\",\"params\":[]}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"id\":1,\"method\":\"m\",\"params\":\"x\"}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"id\":1,\"method\":\"m\",\"params\":null}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"method\":\"m\",\"params\":1}", TB_E_INVALID, TB_JSONRPC_NOTIFICATION, NULL},
    {"{" V ",\"id\":1,\"method\":\"m\",\"result\":1}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"id\":1,\"method\":\"m\",\"error\":{}}", TB_E_INVALID, TB_JSONRPC_REQUEST, "1"},
    {"{" V ",\"result\":1}", TB_E_INVALID, TB_JSONRPC_RESULT, NULL},
    {"{" V ",\"id\":null,\"result\":1}", TB_E_INVALID, TB_JSONRPC_RESULT, NULL},
    {"{" V ",\"id\":1,\"result\":1,\"error\":{\"code\":1,\"message\":\"x\"}}", TB_E_INVALID,
     TB_JSONRPC_ERROR, "1"},
    {"{" V ",\"id\":1,\"error\":\"x\"}", TB_E_INVALID, TB_JSONRPC_ERROR, "1"},
    {"{" V ",\"id\":1,\"error\":null}", TB_E_INVALID, TB_JSONRPC_ERROR, "1"},
    {"{" V ",\"id\":1,\"error\":{\"code\":1}}", TB_E_INVALID, TB_JSONRPC_ERROR, "1"},
    {"{" V ",\"id\":1,\"error\":{\"message\":\"x\"}}", TB_E_INVALID, TB_JSONRPC_ERROR, "1"},
    {"{" V ",\"id\":1,\"error\":{\"code\":1.5,\"message\":\"x\"}}", TB_E_INVALID, TB_JSONRPC_ERROR,
     "1"},
    {"{" V ",\"id\":1,\"error\":{\"code\":\"1\",\"message\":\"x\"}}", TB_E_INVALID,
     TB_JSONRPC_ERROR, "1"},
    {"{" V ",\"id\":1,\"error\":{\"code\":1,\"message\":2}}", TB_E_INVALID, TB_JSONRPC_ERROR, "1"},
};

static void bad_messages_are_refused_with_their_id(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bad_messages); i++) {
        struct tb_jsonrpc message;
        struct tb_err err = {0};
        assert_int_equal(parse(bad_messages[i].text, MCP, &message, &err), bad_messages[i].code);
        assert_int_equal(err.code, bad_messages[i].code);
        assert_int_equal(message.kind, bad_messages[i].kind);
        assert_true(is(message.id, bad_messages[i].id));
        assert_int_equal(message.id.type == TB_JSON_ABSENT, bad_messages[i].id == NULL);
    }
}

static void failures_have_the_codes_of_json_rpc(void **state)
{
    (void)state;
    struct tb_jsonrpc message;
    assert_int_equal(tb_err_info(parse("{", 0, &message, NULL))->rpc_code, -32700);
    assert_int_equal(tb_err_info(parse("{}", 0, &message, NULL))->rpc_code, -32600);
}

static void an_id_and_a_method_have_a_ceiling(void **state)
{
    (void)state;
    char filler[400];
    memset(filler, 'a', sizeof(filler));
    static const struct {
        int id_len; /* without quotes */
        int method_len;
        int rc;
        bool has_id;
    } rows[] = {
        {TB_JSONRPC_ID_MAX - 2, 1, 0, true},
        {TB_JSONRPC_ID_MAX - 1, 1, TB_E_INVALID, false},
        {1, TB_JSONRPC_METHOD_MAX, 0, true},
        {1, TB_JSONRPC_METHOD_MAX + 1, TB_E_INVALID, true},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char text[1000];
        snprintf(text, sizeof(text), "{" V ",\"id\":\"%.*s\",\"method\":\"%.*s\"}", rows[i].id_len,
                 filler, rows[i].method_len, filler);
        struct tb_jsonrpc message;
        assert_int_equal(parse(text, 0, &message, NULL), rows[i].rc);
        assert_int_equal(message.id.type != TB_JSON_ABSENT, rows[i].has_id);
    }
}

static void a_batch_is_walked_element_by_element(void **state)
{
    (void)state;
    struct tb_jsonrpc message;
    struct tb_err err;
    struct tb_str text =
        TB_STR("[ {" V ",\"id\":1,\"method\":\"a\"}, 5, {" V ",\"method\":\"b\"}]");
    assert_int_equal(tb_jsonrpc_parse(text, &limits, TB_JSONRPC_BATCHES, &message, NULL), 0);
    assert_int_equal(message.kind, TB_JSONRPC_BATCH);
    static const struct {
        int rc;
        enum tb_jsonrpc_kind kind;
    } want[] = {
        {0, TB_JSONRPC_REQUEST}, {TB_E_INVALID, TB_JSONRPC_NONE}, {0, TB_JSONRPC_NOTIFICATION}};
    struct tb_json_iter iter = tb_json_iter_of(text);
    struct tb_json_item item;
    size_t count = 0;
    while (tb_json_iter_next(&iter, &item)) {
        assert_true(count < TB_COUNT(want));
        assert_int_equal(tb_jsonrpc_parse(item.value.text, &limits, MCP, &message, NULL),
                         want[count].rc);
        assert_int_equal(message.kind, want[count].kind);
        count++;
    }
    assert_int_equal(count, TB_COUNT(want));
    assert_int_equal(parse("[ ]", TB_JSONRPC_BATCHES, &message, &err), TB_E_INVALID);
    assert_string_equal(err.text, "the batch is empty");
}

static void the_limits_of_the_caller_hold(void **state)
{
    (void)state;
    struct tb_jsonrpc message;
    const struct tb_json_limits tight = {.depth_max = 2};
    struct tb_str text = TB_STR("{" V ",\"id\":1,\"method\":\"m\",\"params\":{\"a\":{}}}");
    assert_int_equal(tb_jsonrpc_parse(text, &tight, MCP, &message, NULL), TB_E_PARSE);
    assert_int_equal(tb_jsonrpc_parse(text, &limits, MCP, &message, NULL), 0);
}

static void assert_written(int rc, struct tb_buf *out, const char *text)
{
    assert_int_equal(rc, 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(out), text));
    tb_buf_clear(out);
}

static void messages_are_written(void **state)
{
    (void)state;
    const struct tb_str none = {NULL, 0};
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1000);
    assert_written(
        tb_jsonrpc_write_result(TB_STR("12345678901234567890"), TB_STR("{ \"a\":1.0}"), &out), &out,
        "{" V ",\"id\":12345678901234567890,\"result\":{ \"a\":1.0}}");
    assert_written(
        tb_jsonrpc_write_error(TB_STR("\"x\\u0041\""), -32601, TB_STR("no \"m\""), none, &out),
        &out,
        "{" V ",\"id\":\"x\\u0041\",\"error\":{\"code\":-32601,\"message\":\"no \\\"m\\\"\"}}");
    assert_written(tb_jsonrpc_write_error(none, -32700, TB_STR("bad"), TB_STR("[1]"), &out), &out,
                   "{" V ",\"error\":{\"code\":-32700,\"message\":\"bad\",\"data\":[1]}}");
    assert_written(tb_jsonrpc_write_request(TB_STR("0"), TB_STR("ping"), none, &out), &out,
                   "{" V ",\"id\":0,\"method\":\"ping\"}");
    assert_written(tb_jsonrpc_write_request(none, TB_STR("notifications/x"), TB_STR("{}"), &out),
                   &out, "{" V ",\"method\":\"notifications/x\",\"params\":{}}");
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1000);
    struct tb_jsonrpc message;
    assert_int_equal(tb_jsonrpc_write_request(TB_STR("\"q\""), TB_STR("a\"b\n\xc3\xa9"),
                                              TB_STR("{\"name\":7}"), &out),
                     0);
    assert_int_equal(tb_jsonrpc_parse(tb_buf_str(&out), &limits, MCP, &message, NULL), 0);
    assert_int_equal(message.kind, TB_JSONRPC_REQUEST);
    assert_true(tb_jsonrpc_is(&message, "a\"b\n\xc3\xa9"));
    assert_true(is(message.id, "\"q\""));
    assert_true(is(message.name, "7"));
}

static void a_full_buffer_stays_as_it_was(void **state)
{
    (void)state;
    const struct tb_str none = {NULL, 0};
    for (size_t max = 6; max < 40; max++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(max);
        assert_int_equal(tb_buf_append_cstr(&out, "before"), 0);
        assert_int_equal(tb_jsonrpc_write_result(TB_STR("1"), TB_STR("{}"), &out), TB_E_TOO_LARGE);
        assert_int_equal(tb_jsonrpc_write_error(TB_STR("1"), 1, TB_STR("m"), none, &out),
                         TB_E_TOO_LARGE);
        assert_int_equal(tb_jsonrpc_write_request(TB_STR("1"), TB_STR("m"), none, &out),
                         TB_E_TOO_LARGE);
        assert_true(tb_str_eq_cstr(tb_buf_str(&out), "before"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_told_apart),
        cmocka_unit_test(a_call_gives_all_its_parts),
        cmocka_unit_test(a_response_gives_its_payload_as_written),
        cmocka_unit_test(bad_messages_are_refused_with_their_id),
        cmocka_unit_test(failures_have_the_codes_of_json_rpc),
        cmocka_unit_test(an_id_and_a_method_have_a_ceiling),
        cmocka_unit_test(a_batch_is_walked_element_by_element),
        cmocka_unit_test(the_limits_of_the_caller_hold),
        cmocka_unit_test(messages_are_written),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_full_buffer_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
