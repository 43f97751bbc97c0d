/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a legacy session that are kept for a while, so that a client whose stream broke can
 * have them again. An event is named "stream-number"; both ceilings of core/limits.h hold for all
 * streams of the session together, and the oldest events go first. Each stream has the list of its
 * own events. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"

struct tb_mcp_replay {
    struct tb_list events; /* of all streams in their order, the oldest first */
    size_t count;
    size_t bytes;
};

struct tb_mcp_event {
    struct tb_list link;   /* of the session */
    struct tb_list sister; /* of its stream */
    uint64_t number;
    size_t len;
    char text[];
};

enum {
    TB_MCP_EVENT_ID_SIZE = 48,
};

void tb_mcp_replay_init(struct tb_mcp_replay *replay);
void tb_mcp_replay_fini(struct tb_mcp_replay *replay);
/* `stream` is the list of the stream's own events. */
void tb_mcp_replay_add(struct tb_mcp_replay *replay, struct tb_list *stream, uint64_t number,
                       struct tb_str message);
/* The first kept event of the stream behind `after`; NULL when there is none. */
const struct tb_mcp_event *tb_mcp_replay_next(const struct tb_list *stream, uint64_t after);
/* Drops all events of a stream. */
void tb_mcp_replay_forget(struct tb_mcp_replay *replay, struct tb_list *stream);

void tb_mcp_event_id(uint64_t stream, uint64_t number, char ret_id[TB_MCP_EVENT_ID_SIZE]);
/* False when the text is no id of ours. */
bool tb_mcp_event_id_parse(struct tb_str id, uint64_t *ret_stream, uint64_t *ret_number);
