/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/keys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct named {
    const char *name; /* as pages know it */
    const char *also; /* how people write it too, between spaces; NULL: no other way */
    const char *code;
    const char *text;
    int number;
};

static const struct named table[] = {
    {"Enter", "return", "Enter", "\r", 13},
    {"Tab", NULL, "Tab", "", 9},
    {"Escape", "esc", "Escape", "", 27},
    {"Backspace", NULL, "Backspace", "", 8},
    {"Delete", "del", "Delete", "", 46},
    {"Insert", "ins", "Insert", "", 45},
    {"Home", NULL, "Home", "", 36},
    {"End", NULL, "End", "", 35},
    {"PageUp", "pgup", "PageUp", "", 33},
    {"PageDown", "pgdn", "PageDown", "", 34},
    {"ArrowLeft", "left", "ArrowLeft", "", 37},
    {"ArrowUp", "up", "ArrowUp", "", 38},
    {"ArrowRight", "right", "ArrowRight", "", 39},
    {"ArrowDown", "down", "ArrowDown", "", 40},
    {" ", "space spacebar", "Space", " ", 32},
    {"CapsLock", NULL, "CapsLock", "", 20},
    {"ContextMenu", "menu", "ContextMenu", "", 93},
    {"PrintScreen", NULL, "PrintScreen", "", 44},
    {"ScrollLock", NULL, "ScrollLock", "", 145},
    {"Pause", NULL, "Pause", "", 19},
    {"NumLock", NULL, "NumLock", "", 144},
    {"F1", NULL, "F1", "", 112},
    {"F2", NULL, "F2", "", 113},
    {"F3", NULL, "F3", "", 114},
    {"F4", NULL, "F4", "", 115},
    {"F5", NULL, "F5", "", 116},
    {"F6", NULL, "F6", "", 117},
    {"F7", NULL, "F7", "", 118},
    {"F8", NULL, "F8", "", 119},
    {"F9", NULL, "F9", "", 120},
    {"F10", NULL, "F10", "", 121},
    {"F11", NULL, "F11", "", 122},
    {"F12", NULL, "F12", "", 123},
    {"Alt", "option", "AltLeft", "", 18},
    {"Control", "ctrl controlormeta", "ControlLeft", "", 17},
    {"Meta", "cmd command super win", "MetaLeft", "", 91},
    {"Shift", NULL, "ShiftLeft", "", 16},
};

static const struct {
    const char *name;
    enum tb_key_modifier bit;
} modifiers[] = {
    {"Alt", TB_KEY_ALT},
    {"Control", TB_KEY_CONTROL},
    {"Meta", TB_KEY_META},
    {"Shift", TB_KEY_SHIFT},
};

/* The keys that type something else with Shift. */
static const struct {
    char plain;
    char shifted;
    const char *code;
    int number;
} symbols[] = {
    {'0', ')', "Digit0", 48},      {'1', '!', "Digit1", 49},        {'2', '@', "Digit2", 50},
    {'3', '#', "Digit3", 51},      {'4', '$', "Digit4", 52},        {'5', '%', "Digit5", 53},
    {'6', '^', "Digit6", 54},      {'7', '&', "Digit7", 55},        {'8', '*', "Digit8", 56},
    {'9', '(', "Digit9", 57},      {';', ':', "Semicolon", 186},    {'=', '+', "Equal", 187},
    {',', '<', "Comma", 188},      {'-', '_', "Minus", 189},        {'.', '>', "Period", 190},
    {'/', '?', "Slash", 191},      {'`', '~', "Backquote", 192},    {'[', '{', "BracketLeft", 219},
    {'\\', '|', "Backslash", 220}, {']', '}', "BracketRight", 221}, {'\'', '"', "Quote", 222},
};

static bool is_called(const struct named *named, struct tb_str name)
{
    if (tb_str_eq_nocase(name, tb_str_of(named->name))) {
        return true;
    }
    struct tb_str rest = tb_str_of(named->also);
    while (rest.len) {
        if (tb_str_eq_nocase(name, tb_str_cut(&rest, ' '))) {
            return true;
        }
    }
    return false;
}

static const struct named *find(struct tb_str name)
{
    for (size_t i = 0; i < TB_COUNT(table); i++) {
        if (is_called(&table[i], name)) {
            return &table[i];
        }
    }
    return NULL;
}

unsigned tb_key_modifier_of(struct tb_str name)
{
    const struct named *named = find(name);
    for (size_t i = 0; named && i < TB_COUNT(modifiers); i++) {
        if (strcmp(named->name, modifiers[i].name) == 0) {
            return modifiers[i].bit;
        }
    }
    return 0;
}

static void set_named(struct tb_key *key, const struct named *named)
{
    snprintf(key->key, sizeof(key->key), "%s", named->name);
    snprintf(key->code, sizeof(key->code), "%s", named->code);
    snprintf(key->text, sizeof(key->text), "%s", named->text);
    key->number = named->number;
    key->location = tb_key_modifier_of(tb_str_of(named->name)) ? 1 : 0;
}

void tb_key_of_modifier(enum tb_key_modifier modifier, struct tb_key *ret_key)
{
    memset(ret_key, 0, sizeof(*ret_key));
    for (size_t i = 0; i < TB_COUNT(modifiers); i++) {
        if (modifiers[i].bit == modifier) {
            set_named(ret_key, find(tb_str_of(modifiers[i].name)));
        }
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void set_text(struct tb_key *key, int c)
{
    snprintf(key->key, sizeof(key->key), "%c", c);
    snprintf(key->text, sizeof(key->text), "%c", c);
}

/* A letter typed with Shift held is its capital, as on a keyboard. */
static void set_letter(struct tb_key *key, char c)
{
    int upper = toupper((unsigned char)c);
    set_text(key, key->modifiers & TB_KEY_SHIFT ? upper : (unsigned char)c);
    snprintf(key->code, sizeof(key->code), "Key%c", upper);
    key->number = upper;
}

static bool set_symbol(struct tb_key *key, char c)
{
    for (size_t i = 0; i < TB_COUNT(symbols); i++) {
        if (symbols[i].plain == c || symbols[i].shifted == c) {
            set_text(key, key->modifiers & TB_KEY_SHIFT ? (unsigned char)symbols[i].shifted
                                                        : (unsigned char)c);
            snprintf(key->code, sizeof(key->code), "%s", symbols[i].code);
            key->number = symbols[i].number;
            return true;
        }
    }
    return false;
}

/* The length of the first character; 0 when there is none. */
static size_t char_len(struct tb_str text)
{
    size_t len = text.len ? 1 : 0;
    while (len < text.len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80) {
        len++;
    }
    return len;
}

static bool set_key(struct tb_key *key, struct tb_str name)
{
    if (!name.len || char_len(name) != name.len || (unsigned char)name.ptr[0] < 0x20) {
        const struct named *named = find(name);
        if (named) {
            set_named(key, named);
        }
        return named != NULL;
    }
    if (is_letter(name.ptr[0])) {
        set_letter(key, name.ptr[0]);
    } else if (name.ptr[0] == ' ') {
        set_named(key, find(name));
    } else if (!set_symbol(key, name.ptr[0])) {
        snprintf(key->key, sizeof(key->key), "%.*s", TB_STR_ARG(name));
        snprintf(key->text, sizeof(key->text), "%.*s", TB_STR_ARG(name));
    }
    return true;
}

int tb_key_parse(struct tb_str chord, struct tb_key *ret_key, struct tb_err *err)
{
    struct tb_key key = {.number = 0};
    struct tb_str rest = chord;
    for (;;) {
        /* A plus sign at the very end is the key itself. */
        const char *plus = rest.len > 1 ? memchr(rest.ptr, '+', rest.len - 1) : NULL;
        if (!plus) {
            break;
        }
        struct tb_str name = {rest.ptr, (size_t)(plus - rest.ptr)};
        unsigned bit = tb_key_modifier_of(tb_str_trim(name));
        if (!bit) {
            return tb_fail(
                err, TB_E_PARAMS,
                "\"%.*s\" in \"%.*s\" is not a modifier; use Alt, Control, Meta or Shift",
                TB_STR_ARG(tb_str_sub(name, 0, 40)), TB_STR_ARG(tb_str_sub(chord, 0, 80)));
        }
        key.modifiers |= bit;
        rest = tb_str_sub(rest, name.len + 1, rest.len);
    }
    if (rest.len > 1) {
        rest = tb_str_trim(rest);
    }
    if (!set_key(&key, rest)) {
        return tb_fail(err, TB_E_PARAMS,
                       "unknown key \"%.*s\"; keys are single characters and names such as "
                       "Enter, Tab, Escape, Backspace, Delete, ArrowDown, PageUp, Home, F5",
                       TB_STR_ARG(tb_str_sub(chord, 0, 80)));
    }
    *ret_key = key;
    return 0;
}

/* With these held, a key is a command and types nothing. */
static bool types(const struct tb_key *key)
{
    return key->text[0] && !(key->modifiers & (TB_KEY_ALT | TB_KEY_CONTROL | TB_KEY_META));
}

bool tb_key_edits(const struct tb_key *key)
{
    bool is_command = key->modifiers & (TB_KEY_CONTROL | TB_KEY_META);
    bool is_letter_key = is_letter(key->key[0]) && !key->key[1];
    if (types(key)) {
        return key->text[0] != '\r';
    }
    return strcmp(key->key, "Backspace") == 0 || strcmp(key->key, "Delete") == 0 ||
           (is_command && is_letter_key && strchr("vxyz", tolower((unsigned char)key->key[0])));
}

bool tb_key_is_arrow(const struct tb_key *key)
{
    return strncmp(key->key, "Arrow", 5) == 0;
}

void tb_key_event(const struct tb_key *key, bool down, struct tb_json_writer *json)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "type", !down ? "keyUp" : types(key) ? "keyDown" : "rawKeyDown");
    tb_json_member_int(json, "modifiers", (int64_t)key->modifiers);
    tb_json_member_cstr(json, "key", key->key);
    tb_json_member_cstr(json, "code", key->code);
    tb_json_member_int(json, "windowsVirtualKeyCode", key->number);
    if (key->location) {
        tb_json_member_int(json, "location", key->location);
    }
    if (down && types(key)) {
        tb_json_member_cstr(json, "text", key->text);
    }
    tb_json_object_close(json);
}
