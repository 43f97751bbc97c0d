/* SPDX-License-Identifier: Apache-2.0 */
/* A ref is unique in its session, so that one of an old document or of another tab never means an
 * element of this one. The session counts: each page function that may give refs is told from
 * where to go on, and tells how far it came. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

struct tb_opwork;

/* Before: adds to `args`, a JSON object, where the frame of the operation goes on. */
void tb_refs_continue(struct tb_opwork *work, struct tb_buf *args);
/* After: `last` is the highest ref, as the reply has it. */
void tb_refs_note(struct tb_opwork *work, struct tb_str last);
