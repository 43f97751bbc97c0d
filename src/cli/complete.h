/* SPDX-License-Identifier: Apache-2.0 */
/* What could come next on a command line, from the tables that help is made of: commands, verbs,
 * options, tools and their arguments. The shells ask for it at each tab (cmd_completion.c), so that
 * it is never older than the program. */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "cli/command.h"
#include "core/tool.h"

struct tb_complete_tables {
    const struct tb_command *const *commands; /* NULL-ended */
    const struct tb_kit *kit;
};

/* Appends, a line each, what the last word (which may be empty) could become. `words` are those
 * behind the program's name. */
void tb_complete(const struct tb_complete_tables *tables, size_t count, char *const *words,
                 struct tb_buf *out);
