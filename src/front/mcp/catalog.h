/* SPDX-License-Identifier: Apache-2.0 */
/* Which tools a peer sees: those of its toolset and of the groups that it asked for. The list is
 * printed once for each choice and kept; it is always in the same order, so that a model's prompt
 * cache holds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "core/config.h"
#include "core/tool.h"
#include "front/mcp/provider.h"

/* One tool as a peer sees it: the front's own, or one of src/tool, perhaps behind a toolset's face.
 */
struct tb_mcp_entry {
    const struct tb_mcp_native *native;
    const struct tb_tool *tool;
    const struct tb_face *face;
};

struct tb_mcp_catalog {
    const struct tb_mcp_provider *const *providers;
    struct tb_list lists; /* printed ones, the oldest first */
    size_t list_count;
};

void tb_mcp_catalog_init(struct tb_mcp_catalog *catalog,
                         const struct tb_mcp_provider *const *providers);
void tb_mcp_catalog_fini(struct tb_mcp_catalog *catalog);

/* `toolset` empty: the default one. `groups` has commas between the names; `always` are those of
 * the configuration. TB_E_NOT_FOUND (no such toolset) or TB_E_PARAMS (no such group), with the
 * names that there are. */
int tb_mcp_view_parse(struct tb_str toolset, struct tb_str groups,
                      const struct tb_config_list *always, struct tb_view *ret_view,
                      struct tb_err *err);
/* True when it has a tool that does this operation. */
bool tb_mcp_view_can(const struct tb_view *view, enum tb_op_kind op);
/* False when the view has no tool of that name. */
bool tb_mcp_catalog_find(const struct tb_mcp_catalog *catalog, const struct tb_view *view,
                         struct tb_str name, struct tb_mcp_entry *ret_entry);
/* The array for tools/list; borrowed until the next call. */
struct tb_str tb_mcp_catalog_list(struct tb_mcp_catalog *catalog, const struct tb_view *view);
/* The first tool that does this operation; NULL when there is none. */
const struct tb_tool *tb_mcp_catalog_by_op(enum tb_op_kind op);
