/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool of the build does and takes, for a terminal. */
#pragma once

#include "core/tool.h"

/* The exit code: TB_EXIT_USAGE when there is none of that name, with what may have been meant. */
int tb_tool_help(const struct tb_kit *kit, const char *name);
