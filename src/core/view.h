/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller was given: tools of the default set, or the faces of another toolset.
 *
 * Views are counted, and there is one for each choice: whoever chooses the same gets the same, so
 * that what is made of a view (a printed list) can be kept for it. Where a view may be NULL, that
 * means everything. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "core/config.h"
#include "core/tool.h"

/* All that can be chosen from, and the views of it that are in use. */
struct tb_views {
    const struct tb_kit *kit;
    struct tb_list in_use;
};

struct tb_view {
    struct tb_list link; /* of those in use */
    unsigned refs;
    const struct tb_kit *kit;
    const struct tb_toolset *toolset;
    bool has[]; /* of the default set: one for each tool of the kit, in their order */
};

void tb_views_init(struct tb_views *views, const struct tb_kit *kit);

/* A reference to the view of a choice. `toolset` empty: the default one. `groups` has commas
 * between the names; `always` are those of the configuration. TB_E_NOT_FOUND (no such toolset) or
 * TB_E_PARAMS (no such group), with the names that there are. */
int tb_view_make(struct tb_views *views, struct tb_str toolset, struct tb_str groups,
                 const struct tb_config_list *always, struct tb_view **ret_view,
                 struct tb_err *err);
struct tb_view *tb_view_ref(struct tb_view *view, const char *why);
void tb_view_unref(struct tb_view *view, const char *why);

/* A view of the default set has this tool. */
bool tb_view_has(const struct tb_view *view, const struct tb_tool *tool);
/* It has a tool that does this operation. */
bool tb_view_can(const struct tb_view *view, enum tb_op_kind op);
/* Some view has a tool under this name. */
bool tb_kit_knows(const struct tb_kit *kit, struct tb_str name);
/* The tool that the view has under this name, and the face that it shows there (NULL: none); false
 * when it has none. */
bool tb_view_find(const struct tb_view *view, struct tb_str name, const struct tb_tool **ret_tool,
                  const struct tb_face **ret_face);
/* Why a view (NULL: all of the kit) has no tool of this name, as the rest of a sentence about the
 * tool: its group was not asked for, or it is unknown, perhaps misspelt. */
void tb_view_print_missing(const struct tb_kit *kit, const struct tb_view *view, struct tb_str name,
                           struct tb_buf *out);
/* Appends a hint (base/hint.h) for who has this view (NULL: everything), by its own names for the
 * tools: those of its faces. Besides tools a hint may name a {group of tools}, which only the
 * default set has. */
void tb_view_hint(const struct tb_view *view, const char *hint, struct tb_buf *out);
