/* SPDX-License-Identifier: Apache-2.0 */
/* Which tools there are for a caller: those of its view, from the kit of the build. Every front,
 * runner and sequence of steps asks here, so that what is hidden from a caller is hidden
 * everywhere.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/core.h"
#include "core/principal.h"
#include "core/tool.h"

/* A tool as a caller sees it. */
struct tb_entry {
    const struct tb_tool *tool;
    const struct tb_face *face; /* NULL: none */
};

/* TB_E_UNKNOWN_TOOL when the caller has none of this name; the words are the rest of a sentence
 * about the tool. */
int tb_toolbox_find(const struct tb_core *core, const struct tb_caller *caller, struct tb_str name,
                    struct tb_entry *ret_entry, struct tb_err *err);
/* All of them, always in the same order. */
void tb_toolbox_each(const struct tb_core *core, const struct tb_caller *caller,
                     void (*fn)(const struct tb_entry *entry, void *user), void *user);
