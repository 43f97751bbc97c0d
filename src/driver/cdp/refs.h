/* SPDX-License-Identifier: Apache-2.0 */
/* Refs go on counting from one document of a tab to the next, so that a ref of an old document
 * never means an element of a new one. */
#pragma once

#include "base/str.h"

struct tb_opwork;

/* Before a page function that gives refs: tells a new document where to begin. */
void tb_refs_continue(struct tb_opwork *work);
/* After it: `last` is the highest ref, as the reply has it. */
void tb_refs_note(struct tb_opwork *work, struct tb_str last);
