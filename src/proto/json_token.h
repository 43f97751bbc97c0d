/* SPDX-License-Identifier: Apache-2.0 */
/* The two tokens of JSON that need work, strings and numbers, for the other json files of this
 * folder. Each function is given the text from the token's first byte to the end of the message. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct tb_json_token {
    size_t len;        /* of the token; where the fault is, when `wrong` is set */
    const char *wrong; /* NULL, or what is wrong */
    bool escaped;      /* a string with a backslash in it */
};

/* From quote to quote. `any_escape` lets \u0000 and lone surrogates pass. */
bool tb_json_token_string(struct tb_str text, bool any_escape, struct tb_json_token *ret_token);
/* False also for a number that no double can hold. */
bool tb_json_token_number(struct tb_str text, struct tb_json_token *ret_token);
/* The length of the escape whose backslash stands first, and its code point; a surrogate pair is
 * one escape, a lone surrogate comes out as it is. 0 when there is no escape. */
size_t tb_json_token_escape(struct tb_str text, uint32_t *ret_point);
