/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a result's `content`. */
#pragma once

#include "base/json.h"
#include "base/str.h"
#include "core/call.h"

void tb_mcp_put_text_item(struct tb_json_writer *json, struct tb_str text);
/* `base64` is copied as it is. */
void tb_mcp_put_image_item(struct tb_json_writer *json, struct tb_str base64, const char *type);
/* The text between quotes as it is. */
void tb_mcp_put_base64(struct tb_json_writer *json, struct tb_str base64);
/* "content":[...] of a call's answer, and isError if it is one. */
void tb_mcp_put_answer(struct tb_json_writer *json, const struct tb_answer *answer);
