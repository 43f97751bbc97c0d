/* SPDX-License-Identifier: Apache-2.0 */
/* Which audit entries a query means: one function for all stores, so that all give the same. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "core/store.h"

/* True if the entry has all that the query gives; its bounds on seq and its limit are the store's
 * business. */
bool tb_query_fits(const struct tb_audit_query *query, const struct tb_audit_entry *entry);

/* A query that outlives its caller's texts. */
struct tb_query_copy {
    struct tb_audit_query query;
    struct tb_buf texts;
};

void tb_query_copy_init(struct tb_query_copy *copy, const struct tb_audit_query *query);
void tb_query_copy_fini(struct tb_query_copy *copy);
