/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a legacy session that are kept for a while, so that a client whose stream broke can
 * have them again. An event is named "stream-number"; both ceilings of core/limits.h hold for all
 * streams of the session together, and the oldest events go first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"

struct tb_mcp_replay {
    struct tb_list events; /* in their order, the oldest first */
    size_t count;
    size_t bytes;
};

enum {
    TB_MCP_EVENT_ID_SIZE = 48,
};

/* Gets the events of one stream, in their order. */
typedef void tb_mcp_replay_fn(uint64_t number, struct tb_str message, void *user);

void tb_mcp_replay_init(struct tb_mcp_replay *replay);
void tb_mcp_replay_fini(struct tb_mcp_replay *replay);
void tb_mcp_replay_add(struct tb_mcp_replay *replay, uint64_t stream, uint64_t number,
                       struct tb_str message);
/* Calls `fn` for each kept event of the stream behind `after`. */
void tb_mcp_replay_each(const struct tb_mcp_replay *replay, uint64_t stream, uint64_t after,
                        tb_mcp_replay_fn *fn, void *user);
/* Drops all events of a stream. */
void tb_mcp_replay_forget(struct tb_mcp_replay *replay, uint64_t stream);

void tb_mcp_event_id(uint64_t stream, uint64_t number, char ret_id[TB_MCP_EVENT_ID_SIZE]);
/* False when the text is no id of ours. */
bool tb_mcp_event_id_parse(struct tb_str id, uint64_t *ret_stream, uint64_t *ret_number);
