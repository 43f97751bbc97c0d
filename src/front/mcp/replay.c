/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"

void tb_mcp_replay_init(struct tb_mcp_replay *replay)
{
    *replay = (struct tb_mcp_replay){0};
    for (size_t i = 0; i < TB_COUNT(replay->classes); i++) {
        tb_list_init(&replay->classes[i].events);
    }
}

static void leave_class(struct tb_mcp_replay *replay, struct tb_mcp_event *event)
{
    struct tb_mcp_events *all = &replay->classes[event->in];
    tb_list_remove(&event->link);
    all->count--;
    all->bytes -= event->len;
}

static void drop(struct tb_mcp_replay *replay, struct tb_mcp_event *event)
{
    leave_class(replay, event);
    tb_list_remove(&event->sister);
    tb_free(event);
}

static struct tb_mcp_event *oldest(const struct tb_mcp_events *all)
{
    return TB_CONTAINER(all->events.next, struct tb_mcp_event, link);
}

void tb_mcp_replay_fini(struct tb_mcp_replay *replay)
{
    for (size_t i = 0; i < TB_COUNT(replay->classes); i++) {
        while (replay->classes[i].count) {
            drop(replay, oldest(&replay->classes[i]));
        }
    }
}

static void join_class(struct tb_mcp_replay *replay, struct tb_mcp_event *event,
                       enum tb_mcp_event_class in)
{
    static const struct {
        size_t count;
        size_t bytes;
    } most[] = {
        [TB_MCP_NEWS] = {TB_MCP_REPLAY_EVENTS, TB_MCP_REPLAY_BYTES},
        [TB_MCP_SENT] = {TB_MCP_REPLAY_EVENTS, TB_MCP_REPLAY_BYTES},
        [TB_MCP_DUE] = {TB_MCP_DUE_EVENTS, TB_MCP_DUE_BYTES},
    };
    struct tb_mcp_events *all = &replay->classes[in];
    event->in = in;
    tb_list_append(&all->events, &event->link);
    all->count++;
    all->bytes += event->len;
    while (all->count > 1 && (all->count > most[in].count || all->bytes > most[in].bytes)) {
        drop(replay, oldest(all));
    }
}

void tb_mcp_replay_add(struct tb_mcp_replay *replay, struct tb_list *stream, uint64_t number,
                       enum tb_mcp_event_class in, struct tb_str message)
{
    struct tb_mcp_event *event = tb_zalloc(sizeof(*event) + message.len);
    event->number = number;
    event->len = message.len;
    if (message.len) {
        memcpy(event->text, message.ptr, message.len);
    }
    tb_list_append(stream, &event->sister);
    join_class(replay, event, in);
}

/* An answer is the last of its stream. */
static struct tb_mcp_event *due(const struct tb_list *stream)
{
    struct tb_mcp_event *last = TB_CONTAINER(stream->prev, struct tb_mcp_event, sister);
    return !tb_list_empty(stream) && last->in == TB_MCP_DUE ? last : NULL;
}

void tb_mcp_replay_sent(struct tb_mcp_replay *replay, struct tb_list *stream, uint64_t number)
{
    struct tb_mcp_event *answer = due(stream);
    if (answer && answer->number <= number) {
        leave_class(replay, answer);
        join_class(replay, answer, TB_MCP_SENT);
    }
}

bool tb_mcp_replay_owes(const struct tb_list *stream)
{
    return due(stream) != NULL;
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
