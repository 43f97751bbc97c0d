/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/json_scan.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

enum {
    KIB = 1024,
    MIB = 1024 * 1024,
};

static const struct tb_json_limits usual = {.depth_max = 64};

static int scan(const char *text, struct tb_json_want *wants, size_t count, struct tb_err *err)
{
    return tb_json_scan(tb_str_of(text), &usual, wants, count, err);
}

static void assert_range(struct tb_json_value value, enum tb_json_type type, const char *text)
{
    assert_int_equal(value.type, type);
    assert_int_equal(value.text.len, strlen(text));
    assert_memory_equal(value.text.ptr, text, strlen(text));
}

/* Memory of the size that a test asks for, filled with one character. */
static char *filled(size_t len, char c)
{
    char *text = malloc(len);
    assert_non_null(text);
    memset(text, c, len);
    return text;
}

static void the_type_on_top_is_the_result(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum tb_json_type type;
    } rows[] = {
        {"{}", TB_JSON_OBJECT},   {" [] ", TB_JSON_ARRAY}, {"\"\"", TB_JSON_STRING},
        {"\n-1", TB_JSON_NUMBER}, {"9 ", TB_JSON_NUMBER},  {"true", TB_JSON_BOOL},
        {"false", TB_JSON_BOOL},  {"null", TB_JSON_NULL},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_int_equal(scan(rows[i].text, NULL, 0, NULL), rows[i].type);
    }
}

static void wants_get_the_exact_bytes_of_their_values(void **state)
{
    (void)state;
    struct tb_json_want wants[] = {
        {.key = "id"},
        {.key = "method"},
        {.key = "params"},
        {.parent = "params", .key = "name"},
        {.parent = "params", .key = "_meta"},
        {.key = "list"},
        {.key = "yes"},
        {.key = "none"},
        {.key = "missing"},
        {.parent = "params", .key = "missing"},
        {.parent = "missing", .key = "name"},
    };
    const char *text =
        "{\"id\": -0 ,\"method\":\"a\\\"}b\",\"list\":[ {\"name\":1} ],\"yes\":true,\"none\":null,"
        "\"params\": {\"x\":{\"name\":3},\"name\" : [1, 2] ,\"_meta\":{}} }";
    assert_int_equal(scan(text, wants, TB_COUNT(wants), NULL), TB_JSON_OBJECT);
    assert_range(wants[0].value, TB_JSON_NUMBER, "-0");
    assert_range(wants[1].value, TB_JSON_STRING, "\"a\\\"}b\"");
    assert_range(wants[2].value, TB_JSON_OBJECT,
                 "{\"x\":{\"name\":3},\"name\" : [1, 2] ,\"_meta\":{}}");
    assert_range(wants[3].value, TB_JSON_ARRAY, "[1, 2]");
    assert_range(wants[4].value, TB_JSON_OBJECT, "{}");
    assert_range(wants[5].value, TB_JSON_ARRAY, "[ {\"name\":1} ]");
    assert_range(wants[6].value, TB_JSON_BOOL, "true");
    assert_range(wants[7].value, TB_JSON_NULL, "null");
    for (size_t i = 8; i < TB_COUNT(wants); i++) {
        assert_int_equal(wants[i].value.type, TB_JSON_ABSENT);
        assert_null(wants[i].value.text.ptr);
    }
}

static void wants_of_the_last_scan_are_forgotten(void **state)
{
    (void)state;
    struct tb_json_want wants[] = {{.key = "a"}, {.parent = "p", .key = "a"}};
    assert_int_equal(scan("{\"a\":1,\"p\":{\"a\":2}}", wants, 2, NULL), TB_JSON_OBJECT);
    assert_int_equal(scan("{\"a\":1,\"p\":{\"a\":2}}", wants, 2, NULL), TB_JSON_OBJECT);
    assert_int_equal(scan("{}", wants, 2, NULL), TB_JSON_OBJECT);
    assert_int_equal(wants[0].value.type, TB_JSON_ABSENT);
    assert_int_equal(wants[1].value.type, TB_JSON_ABSENT);
}

static void only_the_named_place_counts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"x\":{\"id\":1}}",
        "{\"params\":[{\"name\":1}]}",
        "{\"params\":{\"deep\":{\"name\":1,\"id\":2}}}",
        "{\"name\":1,\"params\":\"name\"}",
        "{\"params.name\":1}",
        "{\"params\":{},\"x\":{\"name\":1}}",
        "{\"i\":1,\"idx\":2,\"ID\":3,\"\":4,\"id \":5}",
        "[{\"id\":1,\"params\":{\"name\":2}}]",
        "[[{\"name\":1}]]",
        "\"id\"",
    };
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        struct tb_json_want wants[] = {{.key = "id"}, {.parent = "params", .key = "name"}};
        assert_true(scan(texts[i], wants, 2, NULL) > 0);
        assert_int_equal(wants[0].value.type, TB_JSON_ABSENT);
        assert_int_equal(wants[1].value.type, TB_JSON_ABSENT);
    }
}

static void a_key_with_a_dot_or_without_letters_can_be_wanted(void **state)
{
    (void)state;
    struct tb_json_want wants[] = {{.key = "io.example/version"}, {.key = ""}};
    assert_true(scan("{\"io.example/version\":\"1\",\"\":2}", wants, 2, NULL) > 0);
    assert_range(wants[0].value, TB_JSON_STRING, "\"1\"");
    assert_range(wants[1].value, TB_JSON_NUMBER, "2");
}

static void an_escaped_key_is_the_same_key(void **state)
{
    (void)state;
    struct tb_json_want wants[] = {{.key = "method"}, {.parent = "params", .key = "_meta"}};
    const char *text = "{\"meth\\u006fd\":\"x\",\"\\u0070arams\":{\"\\u005Fmeta\":1}}";
    assert_int_equal(scan(text, wants, 2, NULL), TB_JSON_OBJECT);
    assert_range(wants[0].value, TB_JSON_STRING, "\"x\"");
    assert_range(wants[1].value, TB_JSON_NUMBER, "1");
}

static void a_wanted_key_given_twice_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"id\":1,\"id\":2}",
        "{\"id\":1,\"id\":1}",
        "{\"id\":null,\"x\":{},\"id\":1}",
        "{\"id\":1,\"\\u0069d\":2}",
        "{\"params\":{\"name\":1,\"name\":2}}",
        "{\"params\":{\"name\":1,\"n\\u0061me\":2}}",
        "{\"params\":{\"name\":1},\"params\":{}}",
        "{\"params\":{},\"params\":{\"name\":1}}",
        "{\"params\":1,\"params\":{\"name\":1}}",
    };
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        struct tb_json_want wants[] = {{.key = "id"}, {.parent = "params", .key = "name"}};
        struct tb_err err;
        assert_int_equal(scan(texts[i], wants, 2, &err), TB_E_PARSE);
        assert_non_null(strstr(err.text, "twice"));
    }
}

static void a_key_nobody_wants_may_stand_twice(void **state)
{
    (void)state;
    struct tb_json_want wants[] = {{.key = "id"}, {.parent = "params", .key = "name"}};
    const char *text = "{\"x\":1,\"id\":1,\"x\":{\"id\":1,\"id\":2},\"params\":"
                       "{\"y\":1,\"y\":2,\"name\":3,\"z\":{\"name\":4,\"name\":5}}}";
    assert_int_equal(scan(text, wants, 2, NULL), TB_JSON_OBJECT);
}

static void an_error_says_what_is_wrong_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } rows[] = {
        {"", "byte 0: the text ends in the middle of a value"},
        {"[1,2", "byte 4: the text ends in the middle of a value"},
        {"[1 2]", "byte 3: expected a comma or ]"},
        {"{\"a\":1]", "byte 6: expected a comma or }"},
        {"{\"a\" 1}", "byte 5: expected a colon after the key"},
        {"{a:1}", "byte 1: expected a key in double quotes"},
        {"[1,]", "byte 3: expected a value"},
        {"{} {}", "byte 3: more text follows the value"},
        {"[nope]", "byte 1: expected true, false or null"},
        {"[\"a\xff\"]", "byte 3: the string is not UTF-8"},
        {"[\"a\tb\"]", "byte 3: a control character in a string must be escaped"},
        {"\"abc", "byte 4: the text ends inside a string"},
        {"\"a\\qb\"", "byte 2: JSON has no such escape"},
        {"\"ab\\ud800\"", "byte 3: half of a surrogate pair has no form in UTF-8"},
        {"[-a]", "byte 2: a number needs a digit here"},
        {"1.x", "byte 2: a digit must follow the decimal point"},
        {"1ex", "byte 2: an exponent needs a digit"},
        {"[1,1e400]", "byte 3: the number is too large for a double"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_err err = {0};
        assert_int_equal(scan(rows[i].text, NULL, 0, &err), TB_E_PARSE);
        assert_int_equal(err.code, TB_E_PARSE);
        assert_string_equal(err.text, rows[i].words);
    }
}

/* Each row stands right at its ceiling; one less must fail. */
static void limits_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct tb_json_limits at;
        struct tb_json_limits below;
        const char *words;
    } rows[] = {
        {"[{\"a\":[]}]",
         {.depth_max = 3},
         {.depth_max = 2},
         "byte 6: nested too deep, the limit is 2"},
        {"[1,[2],{\"k\":3}]",
         {.token_max = 7},
         {.token_max = 6},
         "byte 12: too many keys and values, the limit is 6"},
        {"{\"k\":0,\"l\":0}",
         {.token_max = 5},
         {.token_max = 3},
         "byte 7: too many keys and values, the limit is 3"},
        {"[\"abc\\n\"]",
         {.string_max = 5},
         {.string_max = 4},
         "byte 1: the string has too many bytes, the limit is 4"},
        {"{\"abcd\":1}",
         {.string_max = 4},
         {.string_max = 3},
         "byte 1: the string has too many bytes, the limit is 3"},
        {"[-1.5e+7]",
         {.number_max = 7},
         {.number_max = 6},
         "byte 1: the number has too many bytes, the limit is 6"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_err err = {0};
        struct tb_str text = tb_str_of(rows[i].text);
        assert_true(tb_json_scan(text, &rows[i].at, NULL, 0, NULL) > 0);
        assert_int_equal(tb_json_scan(text, &rows[i].below, NULL, 0, &err), TB_E_PARSE);
        assert_string_equal(err.text, rows[i].words);
    }
}

static void a_text_cut_anywhere_is_refused(void **state)
{
    (void)state;
    const char *text =
        "{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\xa9\\u00e9\\ud83d\\ude00\",\"a\":[true,false,"
        "null,{}],\"n\":-12.5e-3,\"x\":{\"y\":[[\"\xf0\x9f\x98\x80\"]]}}";
    size_t len = strlen(text);
    for (size_t cut = 0; cut < len; cut++) {
        char *copy = filled(cut ? cut : 1, 'x');
        memcpy(copy, text, cut);
        assert_int_equal(tb_json_scan((struct tb_str){copy, cut}, &usual, NULL, 0, NULL),
                         TB_E_PARSE);
        free(copy);
    }
    assert_int_equal(scan(text, NULL, 0, NULL), TB_JSON_OBJECT);
}

/* *user starts at 1 and is 0 when all went well, so a run that ended early shows. */
static void *scan_deep(void *user)
{
    const size_t levels = 1000000;
    static const struct tb_json_limits none;
    static const struct tb_json_limits huge = {.depth_max = SIZE_MAX};
    int *ret_wrong = user;
    char *text = malloc(2 * levels);
    if (!text) {
        return NULL;
    }
    memset(text, '[', levels);
    memset(text + levels, ']', levels);
    *ret_wrong += tb_json_scan((struct tb_str){text, 2 * levels}, &usual, NULL, 0, NULL) >= 0;
    *ret_wrong += tb_json_scan((struct tb_str){text, 2 * levels}, &none, NULL, 0, NULL) >= 0;
    *ret_wrong += tb_json_scan((struct tb_str){text, 2 * levels}, &huge, NULL, 0, NULL) >= 0;
    *ret_wrong += tb_json_scan((struct tb_str){text, levels}, &none, NULL, 0, NULL) >= 0;
    const size_t most = TB_JSON_DEPTH_MAX;
    struct tb_str inner = {text + levels - most, 2 * most};
    *ret_wrong += tb_json_scan(inner, &none, NULL, 0, NULL) != TB_JSON_ARRAY;
    inner = (struct tb_str){text + levels - most - 1, 2 * most + 2};
    *ret_wrong += tb_json_scan(inner, &none, NULL, 0, NULL) >= 0;
    *ret_wrong -= 1;
    free(text);
    return NULL;
}

static void a_million_brackets_need_no_stack(void **state)
{
    (void)state;
    int wrong = 1;
    pthread_attr_t attr;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, (size_t)256 * KIB), 0);
    assert_int_equal(pthread_create(&thread, &attr, scan_deep, &wrong), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(wrong, 0);
    pthread_attr_destroy(&attr);
}

static void a_million_keys_meet_the_token_ceiling(void **state)
{
    (void)state;
    const struct tb_json_limits limits = {.token_max = 1000000};
    const size_t count = 1000000;
    static const char member[] = {'"', 'a', 'b', '"', ':', '1', ','};
    const size_t len = 1 + count * sizeof(member);
    char *text = filled(len, ' ');
    text[0] = '{';
    for (size_t i = 0; i < count; i++) {
        memcpy(text + 1 + i * sizeof(member), member, sizeof(member));
    }
    text[len - 1] = '}';
    struct tb_err err;
    assert_int_equal(tb_json_scan((struct tb_str){text, len}, &usual, NULL, 0, NULL),
                     TB_JSON_OBJECT);
    assert_int_equal(tb_json_scan((struct tb_str){text, len}, &limits, NULL, 0, &err), TB_E_PARSE);
    assert_non_null(strstr(err.text, "too many keys and values"));
    free(text);
}

static void a_string_of_64_megabytes_passes_only_under_a_higher_ceiling(void **state)
{
    (void)state;
    const size_t len = (size_t)64 * MIB;
    char *text = filled(len + 2, 'A');
    text[0] = '"';
    text[len + 1] = '"';
    const struct tb_json_limits low = {.string_max = (size_t)4 * MIB};
    const struct tb_json_limits high = {.string_max = len};
    struct tb_str all = {text, len + 2};
    assert_int_equal(tb_json_scan(all, &low, NULL, 0, NULL), TB_E_PARSE);
    assert_int_equal(tb_json_scan(all, &high, NULL, 0, NULL), TB_JSON_STRING);
    text[len] = '\xf0';
    assert_int_equal(tb_json_scan(all, &high, NULL, 0, NULL), TB_E_PARSE);
    free(text);
}

static void a_number_of_ten_megabytes_is_weighed_not_trusted(void **state)
{
    (void)state;
    const size_t len = (size_t)10 * MIB;
    char *text = filled(len, '9');
    assert_int_equal(tb_json_scan((struct tb_str){text, 308}, &usual, NULL, 0, NULL),
                     TB_JSON_NUMBER);
    assert_int_equal(tb_json_scan((struct tb_str){text, 309}, &usual, NULL, 0, NULL), TB_E_PARSE);
    assert_int_equal(tb_json_scan((struct tb_str){text, len}, &usual, NULL, 0, NULL), TB_E_PARSE);
    text[1] = '.';
    assert_int_equal(tb_json_scan((struct tb_str){text, len}, &usual, NULL, 0, NULL),
                     TB_JSON_NUMBER);
    const struct tb_json_limits tree = {.number_max = TB_JSON_NUMBER_TREE};
    assert_int_equal(tb_json_scan((struct tb_str){text, len}, &tree, NULL, 0, NULL), TB_E_PARSE);
    free(text);
}

/* What does not fit leaves the result alone. */
static void a_value_is_copied_as_text_or_as_a_number(void **state)
{
    static const struct {
        const char *raw;
        const char *text; /* "?": none */
        int64_t number;   /* -1: none */
    } rows[] = {
        {"\"a\\u0062c\"", "abc", -1},
        {"\"abcd\"", "?", -1},
        {"\"\"", "", -1},
        {"", "?", -1},
        {"null", "?", -1},
        {"0", "?", 0},
        {"-1", "?", -1},
        {"1.0", "?", -1},
        {"9007199254740991", "?", 9007199254740991},
        {"9007199254740992", "?", -1},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const struct tb_json_value value = {.text = tb_str_of(rows[i].raw)};
        char text[4] = "?";
        int64_t number = -1;
        assert_int_equal(tb_json_value_cstr(&value, text, sizeof(text)), rows[i].text[0] != '?');
        assert_string_equal(text, rows[i].text);
        assert_int_equal(tb_json_value_int(&value, &number), rows[i].number >= 0);
        assert_int_equal(number, rows[i].number);
    }
}

/* A special byte must be found at every place of the eight-byte steps, and in the tail. */
static void every_position_of_a_word_is_looked_at(void **state)
{
    (void)state;
    static const char bad[] = {'\0', '\n', '\x1f', '\x80', '\xff', '\\'};
    for (size_t len = 1; len < 40; len++) {
        char *text = filled(len + 2, 'a');
        text[0] = '"';
        text[len + 1] = '"';
        struct tb_str all = {text, len + 2};
        assert_int_equal(tb_json_scan(all, &usual, NULL, 0, NULL), TB_JSON_STRING);
        for (size_t at = 1; at <= len; at++) {
            for (size_t i = 0; i < sizeof(bad); i++) {
                text[at] = bad[i];
                assert_int_equal(tb_json_scan(all, &usual, NULL, 0, NULL), TB_E_PARSE);
            }
            text[at] = '"';
            assert_int_equal(tb_json_scan(all, &usual, NULL, 0, NULL), TB_E_PARSE);
            text[at] = '\x7f';
            assert_int_equal(tb_json_scan(all, &usual, NULL, 0, NULL), TB_JSON_STRING);
            text[at] = 'a';
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_type_on_top_is_the_result),
        cmocka_unit_test(wants_get_the_exact_bytes_of_their_values),
        cmocka_unit_test(wants_of_the_last_scan_are_forgotten),
        cmocka_unit_test(only_the_named_place_counts),
        cmocka_unit_test(a_key_with_a_dot_or_without_letters_can_be_wanted),
        cmocka_unit_test(an_escaped_key_is_the_same_key),
        cmocka_unit_test(a_wanted_key_given_twice_is_refused),
        cmocka_unit_test(a_key_nobody_wants_may_stand_twice),
        cmocka_unit_test(an_error_says_what_is_wrong_and_where),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(a_text_cut_anywhere_is_refused),
        cmocka_unit_test(a_million_brackets_need_no_stack),
        cmocka_unit_test(a_million_keys_meet_the_token_ceiling),
        cmocka_unit_test(a_string_of_64_megabytes_passes_only_under_a_higher_ceiling),
        cmocka_unit_test(a_number_of_ten_megabytes_is_weighed_not_trusted),
        cmocka_unit_test(a_value_is_copied_as_text_or_as_a_number),
        cmocka_unit_test(every_position_of_a_word_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
