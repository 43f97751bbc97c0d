/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/vault.h"
#include "core/result.h"

#define VALUE "p&\"\xc3\xb6/ +<1>"

static struct tb_vault vault;

static int setup(void **state)
{
    *state = tb_mask_new(&vault);
    return 0;
}

static int teardown(void **state)
{
    tb_mask_unref(*state, "test");
    assert_null(vault.blocks);
    return 0;
}

static void assert_masked(const struct tb_mask *mask, const char *text, const char *expected)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1 << 20);
    if (tb_mask_text(mask, tb_str_of(text), &out)) {
        tb_buf_append_char(&out, '\0');
        assert_string_equal((const char *)out.data, expected);
    } else {
        assert_int_equal(out.len, 0);
        assert_string_equal(text, expected);
    }
}

static void every_spelling_gives_way_to_the_name(void **state)
{
    struct tb_mask *mask = *state;
    tb_mask_add(mask, "S", TB_STR(VALUE), false);
    assert_masked(mask, "a " VALUE " b " VALUE, "a S b S");
    assert_masked(mask, "p%26%22%C3%B6%2F%20%2B%3C1%3E", "S");
    assert_masked(mask, "x=p%26%22%c3%b6%2f%20%2b%3c1%3e&y", "x=S&y");
    assert_masked(mask, "x=p%26%22%C3%B6%2F+%2B%3C1%3E&y", "x=S&y");
    assert_masked(mask, "/p&%22%C3%B6/%20%2B%3C1%3E/", "/S/");
    assert_masked(mask, "{\"a\":\"p&\\\"\xc3\xb6/ +<1>\"}", "{\"a\":\"S\"}");
    assert_masked(mask, "\"p&\\\"\\u00f6/ +<1>\"", "\"S\"");
    assert_masked(mask, "\"{\\\"a\\\":\\\"p&\\\\\\\"\xc3\xb6/ +<1>\\\"}\"",
                  "\"{\\\"a\\\":\\\"S\\\"}\"");
    assert_masked(mask, "<i v=\"p&amp;&quot;\xc3\xb6/ +&lt;1&gt;\">", "<i v=\"S\">");
    assert_masked(mask, "nothing of it", "nothing of it");
}

static void case_white_space_and_hex_do_not_hide_it(void **state)
{
    struct tb_mask *mask = *state;
    tb_mask_add(mask, "S", TB_STR("Open  \tSesame "), false);
    assert_masked(mask, "say OPEN  \tsesame now", "say Snow");
    assert_masked(mask, "say open sesame!", "say S!");
    assert_masked(mask, "OPEN SESAME", "S");
    tb_mask_add(mask, "H", TB_STR("k\xc3\xb6y!"), false);
    assert_masked(mask, "x6bc3b67921", "xH");
    assert_masked(mask, "6BC3B67921", "H");
}

static void results_stay_json_whatever_the_secret_is(void **state)
{
    struct tb_mask *mask = *state;
    struct tb_result result;
    int64_t number;
    tb_result_init(&result);
    tb_mask_add(mask, "{{secret:pin}}", TB_STR("1234"), false);
    tb_mask_add(mask, "{{secret:word}}", TB_STR("true"), false);
    tb_json_set_int(result.data, "bytes", 123456);
    tb_json_set_bool(result.data, "done", true);
    tb_json_set_int(result.data, "count", 7);
    tb_buf_append_cstr(&result.raw, "{\"a\":[1234,true,null,\"1234\"]}");
    tb_mask_result(mask, &result);
    assert_true(tb_json_int(tb_json_get(result.data, "count"), &number));
    assert_true(tb_str_eq_cstr(tb_json_text(result.data, "bytes"), "{{secret:pin}}56"));
    assert_non_null(tb_json_get(result.data, "done"));
    assert_true(tb_str_eq_cstr(tb_buf_str(&result.raw),
                               "{\"a\":[\"{{secret:pin}}\",true,null,\"{{secret:pin}}\"]}"));
    tb_result_fini(&result);
}

static void base64_is_found_behind_any_number_of_bytes(void **state)
{
    struct tb_mask *mask = *state;
    tb_mask_add(mask, "S", TB_STR("correct horse"), false);
    for (size_t before = 0; before < 7; before++) {
        TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(256);
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(256);
        char plain[64];
        int len = snprintf(plain, sizeof(plain), "%.*scorrect horse:x", (int)before, "user:ab");
        tb_base64_encode(plain, (size_t)len, &text);
        assert_true(tb_mask_text(mask, tb_buf_str(&text), &out));
        assert_non_null(memchr(out.data, 'S', out.len));
    }
}

static void characters_beyond_the_first_plane_are_found_as_pairs(void **state)
{
    struct tb_mask *mask = *state;
    tb_mask_add(mask, "S", TB_STR("ab\xf0\x9f\x98\x80"), false);
    assert_masked(mask, "\"ab\\ud83d\\ude00\"", "\"S\"");
}

static void of_a_long_one_its_beginning_is_enough(void **state)
{
    struct tb_mask *mask = *state;
    tb_mask_add(mask, "S", TB_STR("0123456789abcdefghijklmnopqrstuvwxyz"), false);
    assert_masked(mask, "is 0123456789abcdefghij...", "is S...");
    assert_masked(mask, "is 0123456789abcde", "is 0123456789abcde");
    assert_masked(mask, "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdef", "SS");
}

static void one_that_begins_with_another_is_masked_whole(void **state)
{
    struct tb_mask *mask = *state;
    tb_mask_add(mask, "A", TB_STR("word"), false);
    tb_mask_add(mask, "B", TB_STR("wordword2"), false);
    tb_mask_add(mask, "C", TB_STR("word2"), false);
    assert_masked(mask, "wordword2 word word2", "B A C");
}

static void one_that_begins_inside_of_another_is_masked_with_it(void **state)
{
    struct tb_mask *mask = *state;
    tb_mask_add(mask, "A", TB_STR("abcdef"), false);
    tb_mask_add(mask, "B", TB_STR("defghi"), false);
    assert_masked(mask, "-abcdefghi-defghi", "-A-B");
    assert_masked(mask, "abcdefdefghi", "AB");
}

static void what_is_too_short_is_not_searched_for(void **state)
{
    struct tb_mask *mask = *state;
    tb_mask_add(mask, "S", TB_STR("abc"), false);
    tb_mask_add(mask, "S", TB_STR(""), false);
    assert_masked(mask, "abcabc", "abcabc");
}

static void only_the_latest_codes_are_known(void **state)
{
    struct tb_mask *mask = *state;
    for (int i = 0; i < 6; i++) {
        char code[8];
        int len = snprintf(code, sizeof(code), "10000%d", i);
        tb_mask_add(mask, "T", (struct tb_str){code, (size_t)len}, true);
        tb_mask_add(mask, "T", (struct tb_str){code, (size_t)len}, true);
    }
    assert_masked(mask, "100000 100001 100002 100003 100005", "100000 100001 T T T");
}

static void all_words_of_a_result_are_masked(void **state)
{
    struct tb_mask *mask = *state;
    struct tb_result result;
    tb_result_init(&result);
    tb_mask_add(mask, "{{secret:x}}", TB_STR("hun\"ter2"), false);
    tb_result_fail(&result, TB_E_PARAMS, "not hun\"ter2");
    tb_json_set_cstr(result.data, "hun\"ter2", "is hun\"ter2");
    tb_buf_append_cstr(&result.text, "\"hun\\\"ter2\"");
    tb_buf_append_cstr(&result.raw, "{\"a\":\"hun\\\"ter2\"}");
    tb_mask_result(mask, &result);
    assert_string_equal(result.message, "not {{secret:x}}");
    struct tb_str text = {NULL, 0};
    assert_true(tb_json_str(tb_json_get(result.data, "{{secret:x}}"), &text));
    assert_true(tb_str_eq_cstr(text, "is {{secret:x}}"));
    assert_true(tb_str_eq_cstr(tb_buf_str(&result.text), "\"{{secret:x}}\""));
    assert_true(tb_str_eq_cstr(tb_buf_str(&result.raw), "{\"a\":\"{{secret:x}}\"}"));
    tb_result_fini(&result);
}

static void without_secrets_nothing_is_touched(void **state)
{
    struct tb_result result;
    tb_result_init(&result);
    tb_buf_append_cstr(&result.text, "words");
    const uint8_t *before = result.text.data;
    tb_mask_result(NULL, &result);
    tb_mask_result(*state, &result);
    assert_ptr_equal(result.text.data, before);
    tb_result_fini(&result);
    assert_masked(NULL, "words", "words");
}

static void labels_are_listed_once_and_without_codes(void **state)
{
    struct tb_mask *mask = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(256);
    struct tb_json_writer json;
    tb_mask_add(mask, "A", TB_STR("value1"), false);
    tb_mask_add(mask, "A", TB_STR("value2"), false);
    tb_mask_add(mask, "T", TB_STR("123456"), true);
    tb_mask_expect(mask, "B");
    tb_mask_expect(mask, "A");
    assert_string_equal(tb_mask_missing(mask), "B");
    tb_json_writer_init(&json, &out);
    assert_int_equal(tb_mask_labels(mask, &json), 2);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), "[\"B\",\"A\"]"));
    tb_mask_forget(mask, "B");
    tb_mask_forget(mask, "A");
    assert_null(tb_mask_missing(mask));
    assert_null(tb_mask_missing(NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_spelling_gives_way_to_the_name),
        TEST(case_white_space_and_hex_do_not_hide_it),
        TEST(results_stay_json_whatever_the_secret_is),
        TEST(base64_is_found_behind_any_number_of_bytes),
        TEST(characters_beyond_the_first_plane_are_found_as_pairs),
        TEST(of_a_long_one_its_beginning_is_enough),
        TEST(one_that_begins_with_another_is_masked_whole),
        TEST(one_that_begins_inside_of_another_is_masked_with_it),
        TEST(what_is_too_short_is_not_searched_for),
        TEST(only_the_latest_codes_are_known),
        TEST(all_words_of_a_result_are_masked),
        TEST(labels_are_listed_once_and_without_codes),
        TEST(without_secrets_nothing_is_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
