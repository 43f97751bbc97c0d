/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a result's `content`. */
#pragma once

#include <stddef.h>

#include "base/json.h"
#include "base/str.h"
#include "core/call.h"

/* A string that takes at most `max` bytes in the message; what does not fit is cut at a line's end,
 * with a mark that says how much is missing. */
void tb_mcp_put_text_cut(struct tb_json_writer *json, struct tb_str text, size_t max);
/* A text item of such a string. */
void tb_mcp_put_text_item(struct tb_json_writer *json, struct tb_str text, size_t max);
/* `base64` is copied as it is. */
void tb_mcp_put_image_item(struct tb_json_writer *json, struct tb_str base64, const char *type);
/* The text between quotes as it is. */
void tb_mcp_put_base64(struct tb_json_writer *json, struct tb_str base64);
/* How many bytes of `text` fit into `max` once escaped: all, or up to the end of a line or a
 * character. */
size_t tb_mcp_text_fits(struct tb_str text, size_t max);
/* "content":[...] of a call's answer, and isError if it is one. */
void tb_mcp_put_answer(struct tb_json_writer *json, const struct tb_answer *answer);
