/* SPDX-License-Identifier: Apache-2.0 */
/* One strict pass over JSON text (RFC 8259): grammar, UTF-8, depth and sizes, and the byte ranges
 * of the members that the caller wants. Nothing is allocated and nothing recurses.
 *
 * Every message from outside passes here before a tree is made of it, and what passes means the
 * same to both readers: keys are compared decoded, a wanted key that stands twice is refused, so is
 * \u0000, where cJSON's strings would end. A number must fit a double. A byte order mark is
 * refused.
 *
 * Ranges are borrowed from the text. Strings keep their quotes and escapes; see
 * proto/json_string.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum {
    TB_JSON_DEPTH_MAX = 1000, /* whatever the limits say; cJSON's own ceiling too */
    TB_JSON_NUMBER_TREE = 63, /* number_max for a tree: cJSON 1.7.15 reads no longer ones */
};

enum tb_json_type {
    TB_JSON_ABSENT,
    TB_JSON_NULL,
    TB_JSON_BOOL,
    TB_JSON_NUMBER,
    TB_JSON_STRING,
    TB_JSON_ARRAY,
    TB_JSON_OBJECT,
};

/* 0 means no ceiling. */
struct tb_json_limits {
    size_t depth_max;
    size_t string_max; /* bytes between the quotes, as written; keys too */
    size_t number_max; /* bytes of a number */
    size_t token_max;  /* keys and values together */
    /* Lets \u0000 and lone surrogates pass, for payloads that are spliced and never made a tree: a
     * browser escapes whatever a page put into its strings. */
    bool any_escape;
};

struct tb_json_value {
    enum tb_json_type type;
    struct tb_str text; /* as written */
};

/* A member of the top object, or with `parent` a member of the object under that key. List each
 * once. */
struct tb_json_want {
    const char *parent; /* NULL for the top */
    const char *key;
    struct tb_json_value value; /* the result */
    bool parent_seen;           /* the scan's own */
    bool parent_open;
};

/* The type of the one value in `text`, or TB_E_PARSE with words that name the byte. Fills the value
 * of each want; after a failure they mean nothing. */
int tb_json_scan(struct tb_str text, const struct tb_json_limits *limits,
                 struct tb_json_want *wants, size_t want_count, struct tb_err *err);
/* These give false, and leave the result alone, when the value is something else. The text of a
 * string, if it fits with its NUL. */
bool tb_json_value_cstr(const struct tb_json_value *value, char *ret_text, size_t size);
/* A whole number from 0 to below 2^53, as far as all readers of JSON go. */
bool tb_json_value_int(const struct tb_json_value *value, int64_t *ret_value);
/* The type of the value that starts with this character; absent when none does. */
enum tb_json_type tb_json_type_of(char first);
