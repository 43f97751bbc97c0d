/* SPDX-License-Identifier: Apache-2.0 */
/* Keys by the names that web pages know them by (UI Events: "Enter", "ArrowDown", "a"), and chords
 * such as "Control+Shift+K". What a key sends is that of a US keyboard. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

enum tb_key_modifier {
    TB_KEY_ALT = 1,
    TB_KEY_CONTROL = 2,
    TB_KEY_META = 4,
    TB_KEY_SHIFT = 8,
};

enum {
    TB_KEY_TEXT_SIZE = 16,
};

struct tb_key {
    char key[TB_KEY_TEXT_SIZE];  /* "Enter", "A" */
    char code[TB_KEY_TEXT_SIZE]; /* "KeyA"; empty for what no key of that keyboard gives */
    char text[TB_KEY_TEXT_SIZE]; /* what it types; empty: nothing */
    int number;                  /* the old keyCode */
    int location;                /* 1 for the left ones of two */
    unsigned modifiers;          /* held down with it */
};

/* "Control+A", "Enter", "a", "+". TB_E_PARAMS for a name that nobody knows. */
int tb_key_parse(struct tb_str chord, struct tb_key *ret_key, struct tb_err *err);
/* The bit of "Alt", "Control", "Meta", "Shift" or "ControlOrMeta", any case; 0: none of them. */
unsigned tb_key_modifier_of(struct tb_str name);
/* It may change what a field has: it types, deletes, pastes or undoes. Enter does not count: it
 * sends forms. */
bool tb_key_edits(const struct tb_key *key);
/* The same if the field is a select, a slider or the like. */
bool tb_key_is_arrow(const struct tb_key *key);
/* Writes params of Input.dispatchKeyEvent for one half of a key stroke. */
void tb_key_event(const struct tb_key *key, bool down, struct tb_json_writer *json);
/* The key of one modifier, for the strokes around a chord. */
void tb_key_of_modifier(enum tb_key_modifier modifier, struct tb_key *ret_key);
