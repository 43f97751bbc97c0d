/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/args.h"
#include "core/tool.h"

static const char *const choices[] = {"a", "b\"", NULL};
static const struct tb_param fields[] = {
    {.name = "x", .type = TB_PARAM_NUMBER, .required = true, .help = ""},
    {.name = NULL},
};
static const struct tb_param none[] = {{.name = NULL}};
static const struct tb_param text[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .required = true, .help = "An \"address\"."},
    {.name = "to", .type = TB_PARAM_CHOICE, .help = "", .choices = choices, .fallback = "a"},
    {.name = NULL},
};
static const struct tb_param numbers[] = {
    {.name = "depth", .type = TB_PARAM_INT, .help = "", .min = 1, .max = 9, .fallback = "3"},
    {.name = "any", .type = TB_PARAM_INT, .help = ""},
    {.name = "scale", .type = TB_PARAM_NUMBER, .help = NULL, .fallback = "0.5"},
    {.name = "full", .type = TB_PARAM_FLAG, .help = "", .fallback = "true"},
    {.name = NULL},
};
static const struct tb_param nested[] = {
    {.name = "values", .type = TB_PARAM_TEXTS, .required = true, .help = ""},
    {.name = "free", .type = TB_PARAM_OBJECT, .required = true, .help = "Anything."},
    {.name = "point", .type = TB_PARAM_OBJECT, .help = "", .fields = fields},
    {.name = "points", .type = TB_PARAM_OBJECTS, .help = "All.", .fields = fields},
    {.name = "raw", .type = TB_PARAM_ANY, .help = "", .aliases = choices},
    {.name = NULL},
};

static const struct {
    const struct tb_param *params;
    const char *schema;
} rows[] = {
    {NULL, "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"},
    {none, "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"},
    {text, "{\"type\":\"object\",\"properties\":{\"url\":{\"type\":\"string\",\"description\":\"An "
           "\\\"address\\\".\"},\"to\":{\"type\":\"string\",\"enum\":[\"a\",\"b\\\"\"],"
           "\"default\":\"a\"}},\"required\":[\"url\"],\"additionalProperties\":false}"},
    {numbers, "{\"type\":\"object\",\"properties\":{\"depth\":{\"type\":\"integer\",\"minimum\":1,"
              "\"maximum\":9,\"default\":3},\"any\":{\"type\":\"integer\"},\"scale\":{\"type\":"
              "\"number\",\"default\":0.5},\"full\":{\"type\":\"boolean\",\"default\":true}},"
              "\"additionalProperties\":false}"},
    {nested, "{\"type\":\"object\",\"properties\":{\"values\":{\"type\":\"array\",\"items\":{"
             "\"type\":\"string\"}},\"free\":{\"type\":\"object\",\"description\":\"Anything.\"},"
             "\"point\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"}},"
             "\"required\":[\"x\"],\"additionalProperties\":false},\"points\":{\"type\":\"array\","
             "\"items\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"}},"
             "\"required\":[\"x\"],\"additionalProperties\":false},\"description\":\"All.\"},"
             "\"raw\":{}},\"required\":[\"values\",\"free\"],\"additionalProperties\":false}"},
};

static void a_schema_is_compact_and_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(4096);
        struct tb_json_writer json;
        tb_json_writer_init(&json, &out);
        tb_args_schema(rows[i].params, &json);
        assert_int_equal(json.rc, 0);
        assert_int_equal(tb_buf_append_char(&out, '\0'), 0);
        assert_string_equal((const char *)out.data, rows[i].schema);
    }
}

static void what_is_unlisted_is_taken_and_not_shown(void **state)
{
    static const struct tb_param params[] = {
        {.name = "a", .type = TB_PARAM_TEXT, .help = ""},
        {.name = "b", .type = TB_PARAM_TEXT, .help = "", .unlisted = true},
        {.name = NULL},
    };
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(4096);
    TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(TB_STR("{\"b\":\"x\"}"));
    struct cJSON *args = NULL;
    struct tb_json_writer json;
    (void)state;
    tb_json_writer_init(&json, &out);
    tb_args_schema(params, &json);
    assert_null(memmem(out.data, out.len, "\"b\"", 3));
    assert_int_equal(tb_args_check(params, given, &args, NULL), 0);
    assert_true(tb_args_has(args, "b"));
    tb_json_free(args);
}

static void expect_names(const struct tb_tool *tool, const char *const *names)
{
    struct tb_param params[TB_TOOL_PARAMS_MAX];
    size_t i = 0;
    tb_tool_params(tool, params);
    for (; names[i]; i++) {
        assert_string_equal(params[i].name, names[i]);
    }
    assert_null(params[i].name);
}

/* S1-07, S1-40 */
static void a_tool_on_a_session_takes_a_session_and_a_timeout(void **state)
{
    (void)state;
    static const struct tb_param own_timeout[] = {
        {.name = "timeout_ms", .type = TB_PARAM_TEXT, .help = "own"},
        {.name = NULL},
    };
    const struct tb_tool usual = {.name = "a", .params = text};
    const struct tb_tool bare = {.name = "b"};
    const struct tb_tool without = {.name = "c", .flags = TB_TOOL_NO_SESSION, .params = text};
    const struct tb_tool own = {.name = "d", .params = own_timeout};
    struct tb_param params[TB_TOOL_PARAMS_MAX];
    expect_names(&usual, (const char *const[]){"url", "to", "sessionId", "timeout_ms", NULL});
    expect_names(&bare, (const char *const[]){"sessionId", "timeout_ms", NULL});
    expect_names(&without, (const char *const[]){"url", "to", NULL});
    expect_names(&own, (const char *const[]){"timeout_ms", "sessionId", NULL});
    tb_tool_params(&bare, params);
    assert_string_equal(params[0].help, "Target session ID. If omitted, uses current session.");
    tb_tool_params(&own, params);
    assert_int_equal(params[0].type, TB_PARAM_TEXT);
}

static void operations_have_names(void **state)
{
    (void)state;
    assert_string_equal(tb_op_name(TB_OP_NAVIGATE), "navigate");
    assert_string_equal(tb_op_name(TB_OP_ELEMENTS), "elements");
    assert_string_equal(tb_op_name(TB_OP_NONE), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schema_is_compact_and_complete),
        cmocka_unit_test(what_is_unlisted_is_taken_and_not_shown),
        cmocka_unit_test(a_tool_on_a_session_takes_a_session_and_a_timeout),
        cmocka_unit_test(operations_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
