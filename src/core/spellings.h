/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which a text stands in other texts, whose case is not looked at: as it is, squeezed,
 * and as URLs, forms, JSON (also inside of JSON), HTML, hex digits and base64 write it. For
 * secrets, so nothing is left in memory. A new way is a function and a line of tb_spellings_init.
 */
#pragma once

#include "base/buf.h"
#include "base/str.h"

enum {
    TB_SPELLINGS_MAX = 24,
    TB_SPELLING_MIN = 4, /* bytes; what is shorter is found everywhere, so it is none */
};

/* Behind each other; each once, the plain one first. */
struct tb_spellings {
    struct tb_buf bytes;
    size_t ends[TB_SPELLINGS_MAX];
    size_t count;
};

void tb_spellings_init(struct tb_spellings *all, struct tb_str value);
void tb_spellings_fini(struct tb_spellings *all);
/* Borrowed. */
struct tb_str tb_spellings_at(const struct tb_spellings *all, size_t at);
