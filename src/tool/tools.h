/* SPDX-License-Identifier: Apache-2.0 */
/* All tools and toolsets of this build, and how to find one by its name.
 *
 * A tool is a file here and a row in tools.def. A toolset is a folder here (octopus/, wdio/) and a
 * row in tools.c. */
#pragma once

#include "base/buf.h"
#include "base/str.h"
#include "core/tool.h"

/* tb_tool_browser_click and so on. */
#define TB_TOOL(name) extern const struct tb_tool tb_tool_##name;
#include "tool/tools.def"
#undef TB_TOOL

/* Ended by NULL, always in the same order: that of tools.def. */
const struct tb_tool *const *tb_tools(void);
/* Ended by NULL; the first is the default one, whose `faces` is NULL. */
const struct tb_toolset *const *tb_toolsets(void);

/* Each gives NULL when there is none of that name. */
const struct tb_tool *tb_tool_find(struct tb_str name);
const struct tb_toolset *tb_toolset_find(struct tb_str name);
/* By name or alias. Always NULL for the default toolset, which has no faces. */
const struct tb_face *tb_face_find(const struct tb_toolset *toolset, struct tb_str name);

/* The tool that the view has under this name, and the face that it shows there (NULL: none); false
 * when it has none. */
bool tb_view_find(const struct tb_view *view, struct tb_str name, const struct tb_tool **ret_tool,
                  const struct tb_face **ret_face);
/* Why a view (NULL: everything) has no tool of this name, as the rest of a sentence about the tool:
 * its group was not asked for, or it is unknown, perhaps misspelt. */
void tb_view_print_missing(const struct tb_view *view, struct tb_str name, struct tb_buf *out);
/* A view of the default set has this tool. */
bool tb_view_has(const struct tb_view *view, const struct tb_tool *tool);

/* Appends a hint (base/hint.h) for who has this view (NULL: everything), by its own names for the
 * tools: those of its faces. Besides tools a hint may name a {group of tools}, which only the
 * default set has. */
void tb_view_hint(const struct tb_view *view, const char *hint, struct tb_buf *out);

/* True if the group of `tool` is wanted: it has none, or `groups` ("files, pdf", or "all") has it.
 */
bool tb_tool_wanted(const struct tb_tool *tool, struct tb_str groups);
