/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the tools that a peer sees, printed once for each view and set of scopes and kept; it
 * is always in the same order, so that a model's prompt cache holds. */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/str.h"
#include "core/core.h"
#include "core/principal.h"
#include "front/mcp/provider.h"

struct tb_session;

struct tb_mcp_catalog {
    const struct tb_mcp_provider *const *providers;
    struct tb_list lists; /* printed ones, the oldest first */
    size_t list_count;
};

void tb_mcp_catalog_init(struct tb_mcp_catalog *catalog,
                         const struct tb_mcp_provider *const *providers);
void tb_mcp_catalog_fini(struct tb_mcp_catalog *catalog);

/* The front's own tool of that name; NULL when there is none. */
const struct tb_mcp_native *tb_mcp_catalog_native(const struct tb_mcp_catalog *catalog,
                                                  struct tb_str name);
/* The array for tools/list; borrowed until the next call. */
struct tb_str tb_mcp_catalog_list(struct tb_mcp_catalog *catalog, const struct tb_core *core,
                                  const struct tb_caller *caller);
/* Appends that list with what the session (NULL: none) brings behind it; false: it brings nothing.
 */
bool tb_mcp_catalog_add_brought(const struct tb_core *core, const struct tb_caller *caller,
                                const struct tb_session *session, struct tb_str list,
                                struct tb_buf *out);
