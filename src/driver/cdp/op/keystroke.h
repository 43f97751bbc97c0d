/* SPDX-License-Identifier: Apache-2.0 */
/* Key strokes for operations: modifiers down, the key, modifiers up, in one burst; the answer to
 * the last event goes to the operation's step. */
#pragma once

#include "driver/cdp/op/work.h"
#include "driver/keys.h"

void tb_cdp_keystroke(struct tb_cdp_work *work, const struct tb_key *key);
/* The first character of a text that is not empty; how many bytes of it that were. */
size_t tb_cdp_keystroke_next(struct tb_cdp_work *work, struct tb_str text);
/* How many bytes of a text that is not empty its first key types; how many keys there are. */
size_t tb_cdp_keystroke_len(struct tb_str text);
int64_t tb_cdp_keystroke_count(struct tb_str text);
/* All of it, in one burst. */
void tb_cdp_keystroke_text(struct tb_cdp_work *work, struct tb_str text);
