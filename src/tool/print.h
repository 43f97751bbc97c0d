/* SPDX-License-Identifier: Apache-2.0 */
/* The words in which tools answer. What an operation did is one sentence; what the page did because
 * of it follows, one line each, and only if it happened. What comes from a page stands in quotes,
 * or in a block between <page N> and </page N>, whose number no page can know, below a line that
 * says where it is from; base/quote.h sees to it that a page cannot write words of our reply. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"
#include "core/result.h"

enum {
    TB_PRINT_NAME_MAX = 160,
    TB_PRINT_URL_MAX = 400,
    /* Of page text in one reply. Clients cut longer ones, each in its own way and without a word.
     */
    TB_PRINT_PAGE_MAX = 40 * 1000,
    TB_PRINT_VALUE_MAX = 100 * 1000,
};

/* A name, title or message, in double quotes. */
void tb_print_quoted(struct tb_str text, struct tb_buf *out);
/* At most `max` bytes of a text of our own, of JSON, or of page text as a block; a last line says
 * how many are missing and what to do about it. */
void tb_print_cut(struct tb_str text, size_t max, const char *advice, struct tb_buf *out);
void tb_print_json(struct tb_str json, size_t max, const char *advice, struct tb_buf *out);
void tb_print_block(struct tb_str text, size_t max, const char *advice, struct tb_buf *out);

/* Members of `data`; empty, 0 and false when absent. */
struct tb_str tb_data_text(const struct cJSON *data, const char *key);
int64_t tb_data_int(const struct cJSON *data, const char *key);
bool tb_data_flag(const struct cJSON *data, const char *key);

/* https://example.com/ "Title" */
void tb_print_address(const struct cJSON *data, struct tb_buf *out);
/* , status 404 */
void tb_print_status(const struct cJSON *data, struct tb_buf *out);
/* Clicked button "Log in". */
void tb_print_did(const char *verb, const struct cJSON *data, struct tb_buf *out);
/* What a field has that was filled, if it does not look like the value given. */
void tb_print_now(const struct cJSON *data, struct tb_buf *out);
/* Where the page is now, if that changed, and what else happened: docs/operations.md, page keys. */
void tb_print_changes(const struct tb_result *result, struct tb_buf *out);
/* Only what else happened. */
void tb_print_events(const struct tb_result *result, struct tb_buf *out);

/* A block of a page's own text. */
struct tb_page_text {
    char number[9];
};

/* The line before it, behind which the text begins, and the one after it. */
void tb_print_page_open(struct tb_page_text *page, struct tb_buf *out);
void tb_print_page_close(const struct tb_page_text *page, struct tb_buf *out);
/* The line that says where it is from, and its beginning. */
void tb_print_frame(const struct cJSON *data, struct tb_page_text *page, struct tb_buf *out);
