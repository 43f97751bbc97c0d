/* SPDX-License-Identifier: Apache-2.0 */
/* Refs go on counting from one document of a tab to the next, so that a ref of an old document
 * never means an element of a new one. */
#pragma once

#include "base/str.h"

struct tb_opwork;

/* Before a page function that gives refs: tells a new document where to begin. */
void tb_refs_continue(struct tb_opwork *work);
/* After it: `value` is its reply, with the highest ref as `last`. */
void tb_refs_note(struct tb_opwork *work, struct tb_str value);
