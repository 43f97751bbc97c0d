/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a page, server or file inside a text of ours.
 *
 * Names, titles, messages and file names are chosen by others. What they put there must not read
 * as if we had said it: neither end its quotes, nor begin a line, nor turn the reading order
 * around, nor hide. Everything from outside that goes into a sentence, a list or an error passes
 * through here, and the page scripts have the same rule (page/text.js).
 *
 * Escapes are those of JSON: \" \\ \n \r \t \uXXXX. Bytes that are no UTF-8 become U+FFFD. */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

enum {
    TB_QUOTED_MAX = 300, /* bytes between the quotes of struct tb_quoted */
};

/* Room for quoted words that are an argument of tb_fail and its like. */
struct tb_quoted {
    char text[TB_QUOTED_MAX + 8];
};

/* "In quotes"; at most `max` bytes between them, the last an ellipsis where it was cut. */
void tb_quote(struct tb_str text, size_t max, struct tb_buf *out);
/* The same without the quotes around it, for what stands alone at the end of a line. */
void tb_quote_bare(struct tb_str text, size_t max, struct tb_buf *out);
/* A sentence whose quotes were set where it was made: on one line, with nothing hidden. */
void tb_quote_line(struct tb_str text, struct tb_buf *out);
/* An address, without quotes: what no address has is percent-encoded. */
void tb_quote_url(struct tb_str url, size_t max, struct tb_buf *out);
/* A text of many lines as a block: each begins with two spaces. No line end behind the last. */
void tb_quote_block(struct tb_str text, struct tb_buf *out);
/* JSON that was printed elsewhere: only what would be hidden is escaped. */
void tb_quote_json(struct tb_str json, struct tb_buf *out);

/* The first of `max` bytes, in quotes, as a text that lives in `room`; give 0 for all that fits. */
const char *tb_quoted(struct tb_quoted *room, struct tb_str text, size_t max);
const char *tb_quoted_url(struct tb_quoted *room, struct tb_str url);
