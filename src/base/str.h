/* SPDX-License-Identifier: Apache-2.0 */
/* A borrowed piece of text: pointer and length, not ended by NUL. It lives as long as what it
 * points into, and costs nothing to cut. Comparisons without case are ASCII only, as protocols want
 * it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tb_str {
    const char *ptr;
    size_t len;
};

#define TB_STR(literal) ((struct tb_str){(literal), sizeof(literal) - 1})
/* For printf: "%.*s", TB_STR_ARG(str). */
#define TB_STR_ARG(str) (int)(str).len, (str).ptr

/* NULL gives an empty slice. */
struct tb_str tb_str_of(const char *text);
/* The bytes from `from` up to `to`, both clipped to the slice. */
struct tb_str tb_str_sub(struct tb_str str, size_t from, size_t to);
bool tb_str_eq(struct tb_str a, struct tb_str b);
/* The order of their bytes: negative, 0 or positive. A text stands before those that it begins. */
int tb_str_compare(struct tb_str a, struct tb_str b);
bool tb_str_eq_cstr(struct tb_str a, const char *b);
bool tb_str_eq_nocase(struct tb_str a, struct tb_str b);
bool tb_str_starts(struct tb_str str, struct tb_str prefix);
/* Without spaces and tabs at both ends. */
struct tb_str tb_str_trim(struct tb_str str);
/* Cuts *rest at the first `sep`: returns what stands before it, *rest becomes what stands behind.
 * Without `sep` returns all and *rest becomes empty with a NULL pointer. */
struct tb_str tb_str_cut(struct tb_str *rest, char sep);
/* True if `list` (items between commas, spaces around them) has `item`, without regard to case. */
bool tb_str_list_has(struct tb_str list, struct tb_str item);
/* Digits only, no sign, no space; false on anything else and on overflow. */
bool tb_str_to_u64(struct tb_str str, uint64_t *ret_value);
/* A NUL-ended copy, the caller frees. */
char *tb_str_dup(struct tb_str str);
