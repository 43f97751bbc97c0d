/* SPDX-License-Identifier: Apache-2.0 */
/* Which audit entries a query means, and which records a range: one function for all stores, so
 * that all give the same. */
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

/* Where a range begins: no key before this one is in it. */
struct tb_str tb_range_start(const struct tb_range *range);
/* From there on in order: does the range have this key? 0: it does not, but may have the next;
 * negative: it has no more. */
int tb_range_has(const struct tb_range *range, struct tb_str key);

/* A range that outlives its caller's texts. */
struct tb_range_copy {
    struct tb_range range;
    struct tb_buf prefix;
    struct tb_buf after;
};

void tb_range_copy_init(struct tb_range_copy *copy, const struct tb_range *range);
void tb_range_copy_fini(struct tb_range_copy *copy);
/* What is left of it behind a record that was taken; false: nothing, the limit is reached. */
bool tb_range_move_on(struct tb_range_copy *copy, struct tb_str key);
