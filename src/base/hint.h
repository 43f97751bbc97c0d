/* SPDX-License-Identifier: Apache-2.0 */
/* What to do next, in words that fit what the reader has.
 *
 *   "Answer it with {browser_dialog}.|The next call dismisses it."
 *
 * A hint has one or more forms between bars. Names in braces are those of tools. The first form
 * whose names the reader all knows is used, with the reader's names for them; so the last form has
 * none. Hints are constants of ours: what a page says never passes through here. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* What the reader calls it; NULL: the reader does not have it. */
typedef const char *tb_hint_name_fn(struct tb_str name, const void *reader);

/* Appends the form that fits; nothing if none does. Without `name_of` the reader has everything. */
void tb_hint_print(const char *hint, tb_hint_name_fn *name_of, const void *reader,
                   struct tb_buf *out);
