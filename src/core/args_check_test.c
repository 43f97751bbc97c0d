/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/args.h"

static const char *const states[] = {"visible", "hidden", NULL};
static const char *const target_aliases[] = {"ref", "uid", "selector", NULL};

static const struct tb_param point[] = {
    {.name = "x", .type = TB_PARAM_NUMBER, .required = true, .help = ""},
    {.name = "y", .type = TB_PARAM_NUMBER, .help = "", .min = -10, .max = 10},
    {.name = NULL},
};

static const struct tb_param params[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "target", .type = TB_PARAM_TEXT, .help = "", .aliases = target_aliases},
    {.name = "depth", .type = TB_PARAM_INT, .help = "", .min = 0, .max = 100},
    {.name = "any_int", .type = TB_PARAM_INT, .help = ""},
    {.name = "scale", .type = TB_PARAM_NUMBER, .help = ""},
    {.name = "full", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "state", .type = TB_PARAM_CHOICE, .help = "", .choices = states},
    {.name = "values", .type = TB_PARAM_TEXTS, .help = ""},
    {.name = "point", .type = TB_PARAM_OBJECT, .help = "", .fields = point},
    {.name = "free", .type = TB_PARAM_OBJECT, .help = ""},
    {.name = "points", .type = TB_PARAM_OBJECTS, .help = "", .fields = point},
    {.name = "anything", .type = TB_PARAM_ANY, .help = ""},
    {.name = NULL},
};

static const struct tb_param needy[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .required = true, .help = ""},
    {.name = "to", .type = TB_PARAM_TEXT, .help = ""},
    {.name = NULL},
};

struct good {
    const char *given;
    const char *checked; /* NULL: as it was given */
};

static void expect_checked(const struct good *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(tb_str_of(rows[i].given));
        TB_AUTO(tb_json_free) struct cJSON *args = NULL;
        TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1024);
        struct tb_err err = {0};
        if (tb_args_check(params, given, &args, &err) < 0) {
            fail_msg("%s: %s", rows[i].given, err.text);
        }
        assert_int_equal(tb_json_print(args, &text), 0);
        assert_int_equal(tb_buf_append_char(&text, '\0'), 0);
        assert_string_equal((const char *)text.data,
                            rows[i].checked ? rows[i].checked : rows[i].given);
    }
}

static void good_arguments_become_what_the_table_asks_for(void **state)
{
    static const struct good rows[] = {
        {"{}", NULL},
        {"{\"ref\":\"e1\"}", "{\"target\":\"e1\"}"},
        {"{\"selector\":\"#a\",\"url\":\"x\"}", "{\"target\":\"#a\",\"url\":\"x\"}"},
        {"{\"url\":true,\"ref\":42}", "{\"url\":\"true\",\"target\":\"42\"}"},
        {"{\"url\":-0.5}", "{\"url\":\"-0.5\"}"},
        {"{\"url\":4111111111111111}", "{\"url\":\"4111111111111111\"}"},
        {"{\"depth\":0}", NULL},
        {"{\"depth\":100.0}", "{\"depth\":100}"},
        {"{\"depth\":\"7\"}", "{\"depth\":7}"},
        {"{\"any_int\":-9007199254740991}", NULL},
        {"{\"any_int\":\"-12\"}", "{\"any_int\":-12}"},
        {"{\"scale\":0.5}", NULL},
        {"{\"scale\":\"1e3\"}", "{\"scale\":1000}"},
        {"{\"full\":true}", NULL},
        {"{\"full\":\"true\"}", "{\"full\":true}"},
        {"{\"full\":\"False\"}", "{\"full\":false}"},
        {"{\"full\":\"1\"}", "{\"full\":true}"},
        {"{\"full\":\"0\"}", "{\"full\":false}"},
        {"{\"state\":\"hidden\"}", NULL},
        {"{\"state\":\"hidd\"}", "{\"state\":\"hidden\"}"},
        {"{\"url\":null,\"full\":null,\"points\":null}", "{}"},
        {"{\"url\":\"\",\"depth\":\"\",\"full\":\"\",\"state\":\"\",\"values\":\"\"}", "{}"},
    };
    (void)state;
    expect_checked(rows, TB_COUNT(rows));
}

static void good_lists_and_objects_do_too(void **state)
{
    static const struct good rows[] = {
        {"{\"values\":[\"a\",1,false]}", "{\"values\":[\"a\",\"1\",\"false\"]}"},
        {"{\"values\":7}", "{\"values\":[\"7\"]}"},
        {"{\"values\":[]}", NULL},
        {"{\"values\":[\"a\",\"\"]}", NULL},
        {"{\"point\":{\"x\":\"1.5\"}}", "{\"point\":{\"x\":1.5}}"},
        {"{\"free\":{\"a\":{\"b\":[null]}}}", NULL},
        {"{\"points\":[{\"x\":1},{\"x\":2,\"y\":-10}]}", NULL},
        {"{\"anything\":null}", NULL},
        {"{\"anything\":[1,\"a\",{}]}", NULL},
        {"{\"values\":\"a\"}", "{\"values\":[\"a\"]}"},
        {"{\"points\":{\"x\":1}}", "{\"points\":[{\"x\":1}]}"},
        {"{\"points\":\"[{\\\"x\\\":1},{\\\"x\\\":\\\"2\\\"}]\"}",
         "{\"points\":[{\"x\":1},{\"x\":2}]}"},
        {"{\"points\":\" {\\\"x\\\":1} \"}", "{\"points\":[{\"x\":1}]}"},
        {"{\"points\":[\"{\\\"x\\\":1}\"]}", "{\"points\":[{\"x\":1}]}"},
        {"{\"point\":\"{\\\"x\\\":1}\"}", "{\"point\":{\"x\":1}}"},
        {"{\"free\":\"{\\\"a\\\":[]}\"}", "{\"free\":{\"a\":[]}}"},
        {"{\"values\":\"[\\\"a\\\",1]\"}", "{\"values\":[\"a\",\"1\"]}"},
        {"{\"values\":\"[a]\"}", "{\"values\":[\"[a]\"]}"},
        {"{\"values\":\"[{}]\"}", "{\"values\":[\"[{}]\"]}"},
        {"{\"values\":[\"[1]\"]}", NULL},
        {"{\"anything\":\"[1]\"}", NULL},
    };
    (void)state;
    expect_checked(rows, TB_COUNT(rows));
}

struct bad {
    const char *given;
    const char *words;
};

static void expect_named(const struct bad *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(tb_str_of(rows[i].given));
        struct cJSON *args = NULL;
        struct tb_err err = {0};
        assert_non_null(given);
        assert_int_equal(tb_args_check(params, given, &args, &err), TB_E_PARAMS);
        assert_null(args);
        if (!strstr(err.text, rows[i].words)) {
            fail_msg("%s: %s", rows[i].given, err.text);
        }
        assert_int_equal(tb_args_check(params, given, &args, NULL), TB_E_PARAMS);
    }
}

static void bad_arguments_are_named(void **state)
{
    static const struct bad rows[] = {
        {"[]", "the arguments must be an object"},
        {"\"x\"", "the arguments must be an object"},
        {"{\"ulr\":1}", "unknown argument 'ulr'; did you mean 'url'? Known arguments: url, target, "
                        "depth, any_int, scale, full, state, values, point, free, points, "
                        "anything"},
        {"{\"vlaues\":1}", "did you mean 'values'?"},
        {"{\"zzzzzz\":1}", "unknown argument 'zzzzzz'. Known arguments: url, "},
        {"{\"\":1}", "unknown argument ''. Known arguments: url, "},
        {"{\"URL\":\"\"}", "unknown argument 'URL'; did you mean 'url'?"},
        {"{\"anyInt\":1}", "did you mean 'any_int'?"},
        {"{\"url\":12345678901234567890}", "argument 'url' must be text"},
        {"{\"url\":{}}", "argument 'url' must be text"},
        {"{\"ref\":[]}", "argument 'target' must be text"},
        {"{\"ref\":\"a\",\"target\":\"b\"}", "argument 'target' is given twice"},
        {"{\"target\":\"a\",\"ref\":\"b\"}", "argument 'target' is given twice, also as 'ref'"},
        {"{\"depth\":1,\"depth\":2}", "argument 'depth' is given twice"},
        {"{\"depth\":-1}", "argument 'depth' must be between 0 and 100"},
        {"{\"depth\":\"101\"}", "argument 'depth' must be between 0 and 100"},
        {"{\"depth\":1.5}", "argument 'depth' must be a whole number"},
        {"{\"depth\":\"1.5\"}", "argument 'depth' must be a whole number"},
        {"{\"depth\":\" 1\"}", "argument 'depth' must be a whole number"},
        {"{\"depth\":\"1x\"}", "argument 'depth' must be a whole number"},
        {"{\"depth\":\"--1\"}", "argument 'depth' must be a whole number"},
        {"{\"depth\":true}", "argument 'depth' must be a whole number"},
        {"{\"any_int\":1e300}", "argument 'any_int' must be a whole number"},
        {"{\"scale\":\"1e999\"}", "argument 'scale' must be a number"},
        {"{\"scale\":\"inf\"}", "argument 'scale' must be a number"},
        {"{\"scale\":\"0x10\"}", "argument 'scale' must be a number"},
        {"{\"full\":1}", "argument 'full' must be true or false"},
        {"{\"full\":\"yes\"}", "argument 'full' must be true or false"},
        {"{\"state\":\"gone\"}", "argument 'state' must be one of visible, hidden, not 'gone'"},
        {"{\"state\":1}", "argument 'state' must be text"},
    };
    (void)state;
    expect_named(rows, TB_COUNT(rows));
}

static void bad_lists_and_objects_are_named(void **state)
{
    static const struct bad rows[] = {
        {"{\"values\":{}}", "argument 'values' must be an array of strings"},
        {"{\"values\":[\"a\",{}]}",
         "in item 2 of 'values': argument 'values' must be an array of strings"},
        {"{\"point\":1}", "argument 'point' must be an object with x, y"},
        {"{\"point\":{}}", "in point: argument 'x' is missing. Known arguments: x, y"},
        {"{\"point\":{\"x\":1,\"y\":11}}", "in point: argument 'y' must be between -10 and 10"},
        {"{\"free\":[]}", "argument 'free' must be an object"},
        {"{\"points\":{}}", "argument 'points' must be an array of objects, each with x, y"},
        {"{\"points\":\"[{'x':1}]\"}",
         "argument 'points' must be an array of objects, each with x, y"},
        {"{\"points\":\"[{\\\"z\\\":1}]\"}", "in item 1 of 'points': unknown argument 'z'"},
        {"{\"point\":\"x=1\"}", "argument 'point' must be an object with x, y"},
        {"{\"points\":[{\"x\":1},{\"x\":1,\"z\":1}]}",
         "in item 2 of 'points': unknown argument 'z'. Known arguments: x, y"},
    };
    (void)state;
    expect_named(rows, TB_COUNT(rows));
}

static void what_is_required_must_be_there(void **state)
{
    (void)state;
    static const char *const bad[] = {"{}", "{\"to\":\"back\"}", "{\"url\":null}"};
    struct cJSON *args = NULL;
    struct tb_err err;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(tb_str_of(bad[i]));
        assert_int_equal(tb_args_check(needy, given, &args, &err), TB_E_PARAMS);
        assert_string_equal(err.text, "argument 'url' is missing. Known arguments: url, to");
    }
    assert_int_equal(tb_args_check(needy, NULL, &args, &err), TB_E_PARAMS);
}

static void what_is_required_must_not_be_empty(void **state)
{
    static const struct tb_param rows[] = {
        {.name = "url", .type = TB_PARAM_TEXT, .required = true},
        {.name = "value", .type = TB_PARAM_TEXT, .required = true, .empty = true},
        {.name = "values", .type = TB_PARAM_TEXTS, .required = true},
        {.name = NULL},
    };
    struct cJSON *args = NULL;
    struct tb_err err;
    (void)state;
    TB_AUTO(tb_json_free)
    struct cJSON *bad = tb_json_parse(TB_STR("{\"url\":\"\",\"value\":\"\",\"values\":[]}"));
    assert_int_equal(tb_args_check(rows, bad, &args, &err), TB_E_PARAMS);
    assert_string_equal(err.text, "argument 'url' is empty");
    TB_AUTO(tb_json_free)
    struct cJSON *good = tb_json_parse(TB_STR("{\"url\":\"a\",\"value\":\"\",\"values\":[\"\"]}"));
    assert_int_equal(tb_args_check(rows, good, &args, &err), 0);
    tb_json_free(args);
}

static void no_table_takes_no_arguments(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *args = NULL;
    TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(TB_STR("{\"x\":1}"));
    struct tb_err err;
    assert_int_equal(tb_args_check(NULL, NULL, &args, &err), 0);
    assert_true(tb_json_is_object(args));
    struct cJSON *none = NULL;
    assert_int_equal(tb_args_check(NULL, given, &none, &err), TB_E_PARAMS);
    assert_string_equal(err.text, "unknown argument 'x'; no arguments are accepted here");
}

static void what_a_caller_sent_is_cut_in_the_words(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *given = tb_json_new_object();
    char name[100001];
    struct cJSON *args = NULL;
    struct tb_err err;
    memset(name, 'k', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    tb_json_set_int(given, name, 1);
    assert_int_equal(tb_args_check(needy, given, &args, &err), TB_E_PARAMS);
    assert_string_equal(err.text, "unknown argument 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk'. "
                                  "Known arguments: url, to");
}

static void checked_arguments_are_read_with_a_fallback(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free)
    struct cJSON *args = tb_json_parse(TB_STR("{\"t\":\"x\",\"i\":7,\"n\":1.5,\"f\":true}"));
    assert_true(tb_str_eq_cstr(tb_args_text(args, "t", "no"), "x"));
    assert_true(tb_str_eq_cstr(tb_args_text(args, "none", "no"), "no"));
    assert_true(tb_str_eq_cstr(tb_args_text(NULL, "t", NULL), ""));
    assert_int_equal(tb_args_int(args, "i", 1), 7);
    assert_int_equal(tb_args_int(args, "none", 1), 1);
    assert_true(tb_args_num(args, "n", 1) == 1.5);
    assert_true(tb_args_num(args, "none", 0.25) == 0.25);
    assert_true(tb_args_flag(args, "f", false));
    assert_true(tb_args_flag(args, "none", true));
    assert_true(tb_args_has(args, "t"));
    assert_false(tb_args_has(args, "none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_arguments_become_what_the_table_asks_for),
        cmocka_unit_test(good_lists_and_objects_do_too),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(bad_lists_and_objects_are_named),
        cmocka_unit_test(what_is_required_must_be_there),
        cmocka_unit_test(what_is_required_must_not_be_empty),
        cmocka_unit_test(no_table_takes_no_arguments),
        cmocka_unit_test(what_a_caller_sent_is_cut_in_the_words),
        cmocka_unit_test(checked_arguments_are_read_with_a_fallback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
