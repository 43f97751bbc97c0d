/* SPDX-License-Identifier: Apache-2.0 */
/* All tools and toolsets of this build.
 *
 * A tool is a file here and a row in tools.def. A toolset is a folder here (octopus/, wdio/) and a
 * row in tools.c. */
#pragma once

#include "core/tool.h"

/* tb_tool_browser_click and so on. */
#define TB_TOOL(name) extern const struct tb_tool tb_tool_##name;
#include "tool/tools.def"
#undef TB_TOOL

/* All of it, for core's views. */
extern const struct tb_kit tb_kit;
