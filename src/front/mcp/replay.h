/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a legacy session that are kept for a while, so that a client whose stream broke can
 * have them again. An event is named "stream-number"; each stream has the list of its own events.
 *
 * The ceilings of core/limits.h hold for all streams of the session together and for each class of
 * events by itself: news never costs a call its answer. In a class the oldest go first, and the
 * newest always stays. An answer that is due goes before its time only when too many others are
 * due; who comes back for it is then refused, see tb_mcp_sse_can_resume. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"

enum tb_mcp_event_class {
    TB_MCP_NEWS, /* all that is no answer */
    TB_MCP_SENT, /* the answer of a call that was sent, though perhaps nobody has read it */
    TB_MCP_DUE,  /* one that nobody was sent yet */
    TB_MCP_EVENT_CLASSES,
};

struct tb_mcp_replay {
    struct tb_mcp_events {
        struct tb_list events; /* of all streams, the oldest first */
        size_t count;
        size_t bytes;
    } classes[TB_MCP_EVENT_CLASSES];
};

struct tb_mcp_event {
    struct tb_list link;   /* of its class */
    struct tb_list sister; /* of its stream */
    enum tb_mcp_event_class in;
    uint64_t number;
    size_t len;
    char text[];
};

enum {
    TB_MCP_EVENT_ID_SIZE = 48,
};

void tb_mcp_replay_init(struct tb_mcp_replay *replay);
void tb_mcp_replay_fini(struct tb_mcp_replay *replay);
/* `stream` is the list of the stream's own events. The class is news or due. */
void tb_mcp_replay_add(struct tb_mcp_replay *replay, struct tb_list *stream, uint64_t number,
                       enum tb_mcp_event_class in, struct tb_str message);
/* The reader of the stream was sent all events up to this one. */
void tb_mcp_replay_sent(struct tb_mcp_replay *replay, struct tb_list *stream, uint64_t number);
/* True if the answer of the stream is due. */
bool tb_mcp_replay_owes(const struct tb_list *stream);
/* The first kept event of the stream behind `after`; NULL when there is none. */
const struct tb_mcp_event *tb_mcp_replay_next(const struct tb_list *stream, uint64_t after);
/* Drops all events of a stream. */
void tb_mcp_replay_forget(struct tb_mcp_replay *replay, struct tb_list *stream);

void tb_mcp_event_id(uint64_t stream, uint64_t number, char ret_id[TB_MCP_EVENT_ID_SIZE]);
/* False when the text is no id of ours. */
bool tb_mcp_event_id_parse(struct tb_str id, uint64_t *ret_stream, uint64_t *ret_number);
