/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of an agent that have no answer yet, by their ids as they were written, in the order
 * in which they came. An id that is used twice at a time is due twice.
 *
 * It follows what the daemon does with each line: what the daemon answers without an id, or never
 * answers, is not in here. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/str.h"

struct tb_mcp_pending {
    struct tb_map by_id;
    struct tb_list in_order;
    uint64_t batches; /* how many came */
    bool batching;    /* the agent speaks a version that has batches */
};

void tb_mcp_pending_init(struct tb_mcp_pending *pending);
void tb_mcp_pending_fini(struct tb_mcp_pending *pending);

/* A line of the agent: its requests are due, what it cancels is not any more. True if it is the
 * request `initialize`. */
bool tb_mcp_pending_asked(struct tb_mcp_pending *pending, struct tb_str line);
/* A line of the daemon: what it answers is not due any more. */
void tb_mcp_pending_answered(struct tb_mcp_pending *pending, struct tb_str line);
/* Answers all that is due with an error: a line each, and for a batch one line with what is due of
 * it. Nothing is due then. */
void tb_mcp_pending_fail(struct tb_mcp_pending *pending, int code, const char *message,
                         struct tb_buf *out);
/* How many ids are due. */
size_t tb_mcp_pending_count(const struct tb_mcp_pending *pending);
