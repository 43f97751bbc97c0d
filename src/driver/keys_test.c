/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct {
    const char *chord;
    const char *key;
    const char *code;
    const char *text;
    int number;
    unsigned modifiers;
} good[] = {
    {"Enter", "Enter", "Enter", "\r", 13, 0},
    {"return", "Enter", "Enter", "\r", 13, 0},
    {"ESC", "Escape", "Escape", "", 27, 0},
    {"ArrowDown", "ArrowDown", "ArrowDown", "", 40, 0},
    {"down", "ArrowDown", "ArrowDown", "", 40, 0},
    {"a", "a", "KeyA", "a", 65, 0},
    {"A", "A", "KeyA", "A", 65, 0},
    {"Shift+a", "A", "KeyA", "A", 65, TB_KEY_SHIFT},
    {"Control+A", "A", "KeyA", "A", 65, TB_KEY_CONTROL},
    {"ctrl+shift+k", "K", "KeyK", "K", 75, TB_KEY_CONTROL | TB_KEY_SHIFT},
    {"ControlOrMeta+c", "c", "KeyC", "c", 67, TB_KEY_CONTROL},
    {"Alt + F4", "F4", "F4", "", 115, TB_KEY_ALT},
    {"Meta+v", "v", "KeyV", "v", 86, TB_KEY_META},
    {"+", "+", "Equal", "+", 187, 0},
    {"Control++", "+", "Equal", "+", 187, TB_KEY_CONTROL},
    {" ", " ", "Space", " ", 32, 0},
    {"Space", " ", "Space", " ", 32, 0},
    {"5", "5", "Digit5", "5", 53, 0},
    {"%", "%", "Digit5", "%", 53, 0},
    {"Shift+5", "%", "Digit5", "%", 53, TB_KEY_SHIFT},
    {"\"", "\"", "Quote", "\"", 222, 0},
    {"Shift", "Shift", "ShiftLeft", "", 16, 0},
    {"\xc3\xa4", "\xc3\xa4", "", "\xc3\xa4", 0, 0},
    {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "", "\xf0\x9f\x98\x80", 0, 0},
};

static void names_and_chords_become_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(good); i++) {
        struct tb_key key;
        struct tb_err err;
        assert_int_equal(tb_key_parse(tb_str_of(good[i].chord), &key, &err), 0);
        assert_string_equal(key.key, good[i].key);
        assert_string_equal(key.code, good[i].code);
        assert_string_equal(key.text, good[i].text);
        assert_int_equal(key.number, good[i].number);
        assert_int_equal(key.modifiers, good[i].modifiers);
    }
}

static void unknown_names_are_refused_with_words(void **state)
{
    static const char *const bad[] = {"",   "Entr",     "Control+Entr", "Foo+A",
                                      "ab", "F13x",     "A+B",          "\n",
                                      "++", "Control+", "Hyper",        "+ Enter"};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        struct tb_key key = {.number = 4711};
        struct tb_err err = {.text = ""};
        assert_int_equal(tb_key_parse(tb_str_of(bad[i]), &key, &err), TB_E_PARAMS);
        assert_int_equal(key.number, 4711);
        assert_true(err.text[0] != '\0');
    }
}

static void check_event(const char *chord, bool down, const char *wanted)
{
    struct tb_key key;
    struct tb_buf out;
    struct tb_json_writer json;
    tb_buf_init(&out, 4096);
    tb_json_writer_init(&json, &out);
    assert_int_equal(tb_key_parse(tb_str_of(chord), &key, NULL), 0);
    tb_key_event(&key, down, &json);
    tb_buf_append_char(&out, '\0');
    assert_string_equal((const char *)out.data, wanted);
    tb_buf_fini(&out);
}

static void a_key_types_unless_a_command_modifier_is_held(void **state)
{
    (void)state;
    check_event("a", true,
                "{\"type\":\"keyDown\",\"modifiers\":0,\"key\":\"a\",\"code\":\"KeyA\","
                "\"windowsVirtualKeyCode\":65,\"text\":\"a\"}");
    check_event("Control+a", true,
                "{\"type\":\"rawKeyDown\",\"modifiers\":2,\"key\":\"a\",\"code\":\"KeyA\","
                "\"windowsVirtualKeyCode\":65}");
    check_event("a", false,
                "{\"type\":\"keyUp\",\"modifiers\":0,\"key\":\"a\",\"code\":\"KeyA\","
                "\"windowsVirtualKeyCode\":65}");
    check_event("Control", true,
                "{\"type\":\"rawKeyDown\",\"modifiers\":0,\"key\":\"Control\",\"code\":"
                "\"ControlLeft\",\"windowsVirtualKeyCode\":17,\"location\":1}");
}

static void keys_that_change_a_field_are_known(void **state)
{
    static const char *const edit[] = {
        "a", "Shift+A", "Space", "+", "\u00e9", "Delete", "Backspace", "Meta+v", "Control+Shift+Z"};
    static const char *const leave[] = {"Escape", "Tab",      "ArrowDown", "PageUp",   "Home",
                                        "End",    "F5",       "Control+a", "Alt+x",    "Enter",
                                        "Shift",  "PageDown", "Insert",    "CapsLock", "Control+c",
                                        "Pause",  "Control"};
    struct tb_key key;
    (void)state;
    for (size_t i = 0; i < TB_COUNT(edit); i++) {
        assert_int_equal(tb_key_parse(tb_str_of(edit[i]), &key, NULL), 0);
        assert_true(tb_key_edits(&key));
    }
    for (size_t i = 0; i < TB_COUNT(leave); i++) {
        assert_int_equal(tb_key_parse(tb_str_of(leave[i]), &key, NULL), 0);
        assert_false(tb_key_edits(&key));
    }
}

static void modifiers_are_known_by_many_names(void **state)
{
    static const struct {
        const char *name;
        unsigned bit;
    } rows[] = {{"Alt", TB_KEY_ALT},
                {"option", TB_KEY_ALT},
                {"Control", TB_KEY_CONTROL},
                {"CTRL", TB_KEY_CONTROL},
                {"Meta", TB_KEY_META},
                {"Cmd", TB_KEY_META},
                {"ControlOrMeta", TB_KEY_CONTROL},
                {"shift", TB_KEY_SHIFT},
                {"Enter", 0},
                {"", 0}};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_int_equal(tb_key_modifier_of(tb_str_of(rows[i].name)), rows[i].bit);
    }
}

static void each_modifier_has_a_key(void **state)
{
    static const enum tb_key_modifier bits[] = {TB_KEY_ALT, TB_KEY_CONTROL, TB_KEY_META,
                                                TB_KEY_SHIFT};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bits); i++) {
        struct tb_key key;
        tb_key_of_modifier(bits[i], &key);
        assert_int_equal(tb_key_modifier_of(tb_str_of(key.key)), bits[i]);
        assert_int_equal(key.location, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_chords_become_keys),
        cmocka_unit_test(unknown_names_are_refused_with_words),
        cmocka_unit_test(a_key_types_unless_a_command_modifier_is_held),
        cmocka_unit_test(keys_that_change_a_field_are_known),
        cmocka_unit_test(modifiers_are_known_by_many_names),
        cmocka_unit_test(each_modifier_has_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
