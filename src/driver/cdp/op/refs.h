/* SPDX-License-Identifier: Apache-2.0 */
/* A ref is unique in its session, so that one of an old document or of another tab never means an
 * element of this one. The session counts: each page function that may give refs is told from
 * where to go on, and tells how far it came. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

struct cJSON;
struct tb_cdp_work;

/* Before: adds to `args`, a JSON object, where the frame of the operation goes on. */
void tb_cdp_refs_continue(struct tb_cdp_work *work, struct tb_buf *args);
/* After: `reply` or `last` of it, as JSON, says what the highest ref is. */
void tb_cdp_refs_note(struct tb_cdp_work *work, const struct cJSON *reply);
void tb_cdp_refs_note_text(struct tb_cdp_work *work, struct tb_str last);
/* The number of the frame that a ref names ("f2e7": 2); 0 for the main frame and selectors. */
unsigned tb_cdp_ref_frame(struct tb_str target);
