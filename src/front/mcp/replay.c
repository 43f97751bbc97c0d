/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"

void tb_mcp_replay_init(struct tb_mcp_replay *replay)
{
    *replay = (struct tb_mcp_replay){.count = 0};
    tb_list_init(&replay->events);
}

static void drop(struct tb_mcp_replay *replay, struct tb_mcp_event *event)
{
    tb_list_remove(&event->link);
    tb_list_remove(&event->sister);
    replay->count--;
    replay->bytes -= event->len;
    tb_free(event);
}

static struct tb_mcp_event *oldest(const struct tb_mcp_replay *replay)
{
    return TB_CONTAINER(replay->events.next, struct tb_mcp_event, link);
}

void tb_mcp_replay_fini(struct tb_mcp_replay *replay)
{
    while (replay->count) {
        drop(replay, oldest(replay));
    }
}

void tb_mcp_replay_add(struct tb_mcp_replay *replay, struct tb_list *stream, uint64_t number,
                       struct tb_str message)
{
    struct tb_mcp_event *event = tb_zalloc(sizeof(*event) + message.len);
    event->number = number;
    event->len = message.len;
    if (message.len) {
        memcpy(event->text, message.ptr, message.len);
    }
    tb_list_append(&replay->events, &event->link);
    tb_list_append(stream, &event->sister);
    replay->count++;
    replay->bytes += event->len;
    while (replay->count > 1 &&
           (replay->count > TB_MCP_REPLAY_EVENTS || replay->bytes > TB_MCP_REPLAY_BYTES)) {
        drop(replay, oldest(replay));
    }
}

const struct tb_mcp_event *tb_mcp_replay_next(const struct tb_list *stream, uint64_t after)
{
    LIST_FOREACH(link, stream) {
        const struct tb_mcp_event *event = TB_CONTAINER(link, struct tb_mcp_event, sister);
        if (event->number > after) {
            return event;
        }
    }
    return NULL;
}

void tb_mcp_replay_forget(struct tb_mcp_replay *replay, struct tb_list *stream)
{
    while (!tb_list_empty(stream)) {
        drop(replay, TB_CONTAINER(stream->next, struct tb_mcp_event, sister));
    }
}

void tb_mcp_event_id(uint64_t stream, uint64_t number, char ret_id[TB_MCP_EVENT_ID_SIZE])
{
    snprintf(ret_id, TB_MCP_EVENT_ID_SIZE, "%" PRIu64 "-%" PRIu64, stream, number);
}

bool tb_mcp_event_id_parse(struct tb_str id, uint64_t *ret_stream, uint64_t *ret_number)
{
    struct tb_str stream = tb_str_cut(&id, '-');
    return id.ptr && tb_str_to_u64(stream, ret_stream) && tb_str_to_u64(id, ret_number);
}
