/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/sse_out.h"

#include "base/mem.h"
#include "core/limits.h"
#include "front/reply.h"
#include "proto/sse.h"

enum {
    EVENT_MAX = 32 * TB_MIB,
};

static void write_event(struct tb_mcp_sse *sse, const struct tb_sse_event *event)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(EVENT_MAX);
    if (sse->front && tb_sse_write(&text, event) == 0) {
        /* A client that does not read loses events; those that are kept it can have again. */
        tb_http_reply_write(sse->front->http, tb_buf_str(&text));
    }
}

static void write_message(struct tb_mcp_sse *sse, uint64_t number, struct tb_str message)
{
    char id[TB_MCP_EVENT_ID_SIZE];
    struct tb_sse_event event = {.event = TB_STR("message"), .data = message};
    if (sse->replay) {
        tb_mcp_event_id(sse->stream, number, id);
        event.id = tb_str_of(id);
    }
    write_event(sse, &event);
}

static void on_keepalive(struct tb_timer *timer, void *user)
{
    struct tb_mcp_sse *sse = user;
    write_event(sse, &(struct tb_sse_event){.comment = TB_STR("keepalive")});
    tb_timer_start(timer, TB_MCP_KEEPALIVE_MS);
}

static void on_gone(struct tb_mcp_reader *reader)
{
    struct tb_mcp_sse *sse = TB_CONTAINER(reader, struct tb_mcp_sse, reader);
    tb_timer_stop(&sse->keepalive);
    sse->front = NULL;
    if (sse->on_gone) {
        sse->on_gone(sse->owner);
    }
}

struct tb_mcp_sse *tb_mcp_sse_new(struct tb_loop *loop, struct tb_mcp_replay *replay,
                                  uint64_t stream)
{
    struct tb_mcp_sse *sse = TB_NEW(struct tb_mcp_sse);
    tb_list_init(&sse->link);
    sse->reader.gone = on_gone;
    sse->replay = replay;
    sse->stream = stream;
    tb_timer_init(&sse->keepalive, loop, on_keepalive, sse);
    return sse;
}

static void end_reply(struct tb_mcp_sse *sse)
{
    struct tb_front_req *front = sse->front;
    tb_timer_stop(&sse->keepalive);
    sse->front = NULL;
    if (front) {
        front->user = NULL;
        tb_http_reply_end(front->http);
    }
}

void tb_mcp_sse_free(struct tb_mcp_sse *sse)
{
    if (!sse) {
        return;
    }
    end_reply(sse);
    tb_timer_fini(&sse->keepalive);
    tb_list_remove(&sse->link);
    if (sse->replay) {
        tb_mcp_replay_forget(sse->replay, sse->stream);
    }
    tb_free(sse);
}

static void start_reply(struct tb_mcp_sse *sse, struct tb_front_req *front)
{
    end_reply(sse); /* a client that comes back may still have its old reply open */
    sse->front = front;
    front->user = &sse->reader;
    tb_reply_events(front);
    tb_timer_start(&sse->keepalive, TB_MCP_KEEPALIVE_MS);
}

void tb_mcp_sse_open(struct tb_mcp_sse *sse, struct tb_front_req *front, bool prime)
{
    start_reply(sse, front);
    if (prime && sse->replay) {
        char id[TB_MCP_EVENT_ID_SIZE];
        tb_mcp_event_id(sse->stream, sse->last_number, id);
        write_event(sse, &(struct tb_sse_event){.id = tb_str_of(id), .data = TB_STR("")});
    }
}

static void send_again(uint64_t number, struct tb_str message, void *user)
{
    write_message(user, number, message);
}

void tb_mcp_sse_resume(struct tb_mcp_sse *sse, struct tb_front_req *front, uint64_t after)
{
    start_reply(sse, front);
    tb_mcp_replay_each(sse->replay, sse->stream, after, send_again, sse);
    if (sse->over) {
        end_reply(sse);
    }
}

void tb_mcp_sse_send(struct tb_mcp_sse *sse, struct tb_str message)
{
    uint64_t number = ++sse->last_number;
    if (sse->replay) {
        tb_mcp_replay_add(sse->replay, sse->stream, number, message);
    }
    write_message(sse, number, message);
}

void tb_mcp_sse_pause(struct tb_mcp_sse *sse, int64_t retry_ms)
{
    /* An event with nothing but the time to wait; it is no message for the client. */
    write_event(sse, &(struct tb_sse_event){.retry_ms = retry_ms});
    end_reply(sse);
}

void tb_mcp_sse_end(struct tb_mcp_sse *sse)
{
    end_reply(sse);
    sse->over = true;
    sse->over_ms = tb_loop_now_ms(sse->keepalive.loop);
}
