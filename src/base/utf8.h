/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* How many bytes from the start are whole, valid characters. Equal to text.len when all is. */
size_t tb_utf8_prefix(struct tb_str text);
/* The length of the first character; 0 when it is none. */
size_t tb_utf8_char(struct tb_str text);
bool tb_utf8_valid(struct tb_str text);
/* Where the first `count` characters of valid text end; *ret_chars is how many there are in all. */
size_t tb_utf8_end(struct tb_str text, size_t count, size_t *ret_chars);
