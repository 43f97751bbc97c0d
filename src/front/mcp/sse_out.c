/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/sse_out.h"

#include "base/mem.h"
#include "core/limits.h"
#include "front/reply.h"
#include "proto/sse.h"

static void print_message(const struct tb_mcp_sse *sse, uint64_t number, struct tb_str message,
                          struct tb_buf *out)
{
    char id[TB_MCP_EVENT_ID_SIZE];
    struct tb_sse_event event = {.event = TB_STR("message"), .data = message};
    if (sse->replay) {
        tb_mcp_event_id(sse->stream, number, id);
        event.id = tb_str_of(id);
    }
    tb_sse_write(out, &event);
}

static void write_event(const struct tb_mcp_sse *sse, const struct tb_sse_event *event)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_KIB);
    tb_sse_write(&text, event);
    tb_http_reply_write(sse->front->http, tb_buf_str(&text));
}

/* TB_E_TOO_LARGE when the reader has too much to read before it. */
static int write_message(const struct tb_mcp_sse *sse, uint64_t number, struct tb_str message)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX); /* a message has its own ceiling */
    print_message(sse, number, message, &text);
    return tb_http_reply_write(sse->front->http, tb_buf_str(&text));
}

static void on_drain(struct tb_http_req *http);

/* Sends what is kept for the reader, as far as it takes it. */
static void catch_up(struct tb_mcp_sse *sse)
{
    const struct tb_mcp_event *event;
    while ((event = tb_mcp_replay_next(&sse->kept, sse->sent))) {
        if (write_message(sse, event->number, (struct tb_str){event->text, event->len}) < 0) {
            tb_http_reply_on_drain(sse->front->http, on_drain);
            return;
        }
        sse->sent = event->number;
    }
}

static void on_drain(struct tb_http_req *http)
{
    const struct tb_front_req *front = tb_http_req_user(http);
    struct tb_mcp_reader *reader = front->user;
    if (reader) {
        catch_up(TB_CONTAINER(reader, struct tb_mcp_sse, reader));
    }
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
    tb_list_init(&sse->kept);
    sse->reader.gone = on_gone;
    sse->replay = replay;
    sse->stream = stream;
    tb_timer_init(&sse->keepalive, loop, on_keepalive, sse);
    return sse;
}

/* Ends the reply with these last bytes. */
static void finish_reply(struct tb_mcp_sse *sse, struct tb_str last)
{
    struct tb_front_req *front = sse->front;
    tb_timer_stop(&sse->keepalive);
    sse->front = NULL;
    if (front) {
        front->user = NULL;
        tb_http_reply_finish(front->http, last);
    }
}

void tb_mcp_sse_free(struct tb_mcp_sse *sse)
{
    if (!sse) {
        return;
    }
    finish_reply(sse, TB_STR(""));
    tb_timer_fini(&sse->keepalive);
    tb_list_remove(&sse->link);
    if (sse->replay) {
        tb_mcp_replay_forget(sse->replay, &sse->kept);
    }
    tb_free(sse);
}

static void start_reply(struct tb_mcp_sse *sse, struct tb_front_req *front)
{
    /* A client that comes back may still have its old reply open. */
    finish_reply(sse, TB_STR(""));
    sse->front = front;
    front->user = &sse->reader;
    tb_reply_events(front);
    tb_timer_start(&sse->keepalive, TB_MCP_KEEPALIVE_MS);
}

void tb_mcp_sse_open(struct tb_mcp_sse *sse, struct tb_front_req *front, bool prime)
{
    start_reply(sse, front);
    sse->sent = sse->last_number;
    if (prime && sse->replay) {
        char id[TB_MCP_EVENT_ID_SIZE];
        tb_mcp_event_id(sse->stream, sse->last_number, id);
        write_event(sse, &(struct tb_sse_event){.id = tb_str_of(id), .data = TB_STR("")});
    }
}

/* Ends the reply with all that is kept for the reader: at most what a session may keep. */
static void finish_with_rest(struct tb_mcp_sse *sse)
{
    TB_AUTO(tb_buf_fini) struct tb_buf rest = TB_BUF(SIZE_MAX);
    const struct tb_mcp_event *event;
    while (sse->front && (event = tb_mcp_replay_next(&sse->kept, sse->sent))) {
        print_message(sse, event->number, (struct tb_str){event->text, event->len}, &rest);
        sse->sent = event->number;
    }
    tb_mcp_replay_sent(sse->replay, &sse->kept, sse->sent);
    finish_reply(sse, tb_buf_str(&rest));
}

bool tb_mcp_sse_can_resume(const struct tb_mcp_sse *sse, uint64_t after)
{
    return after >= sse->last_number || tb_mcp_replay_next(&sse->kept, after);
}

void tb_mcp_sse_resume(struct tb_mcp_sse *sse, struct tb_front_req *front, uint64_t after)
{
    start_reply(sse, front);
    sse->sent = after < sse->last_number ? after : sse->last_number;
    if (sse->over) {
        finish_with_rest(sse);
    } else {
        catch_up(sse);
    }
}

void tb_mcp_sse_send(struct tb_mcp_sse *sse, struct tb_str message)
{
    uint64_t number = ++sse->last_number;
    if (sse->replay) {
        tb_mcp_replay_add(sse->replay, &sse->kept, number, TB_MCP_NEWS, message);
    }
    if (!sse->front || sse->sent + 1 != number) {
        return; /* the reader, if there is one, has others to take first */
    }
    int rc = write_message(sse, number, message);
    if (rc == 0 || !sse->replay) {
        sse->sent = number;
    } else if (rc == TB_E_TOO_LARGE) {
        tb_http_reply_on_drain(sse->front->http, on_drain);
    }
}

static void note_end(struct tb_mcp_sse *sse)
{
    sse->over = true;
    sse->over_ms = tb_loop_now_ms(sse->keepalive.loop);
}

void tb_mcp_sse_answer(struct tb_mcp_sse *sse, struct tb_str message)
{
    uint64_t number = ++sse->last_number;
    note_end(sse);
    if (sse->replay) {
        tb_mcp_replay_add(sse->replay, &sse->kept, number, TB_MCP_DUE, message);
        finish_with_rest(sse);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf last = TB_BUF(SIZE_MAX);
    print_message(sse, number, message, &last);
    finish_reply(sse, tb_buf_str(&last));
}

void tb_mcp_sse_pause(struct tb_mcp_sse *sse, int64_t retry_ms)
{
    /* An event with nothing but the time to wait; it is no message for the client. */
    TB_AUTO(tb_buf_fini) struct tb_buf last = TB_BUF(TB_KIB);
    tb_sse_write(&last, &(struct tb_sse_event){.retry_ms = retry_ms});
    finish_reply(sse, tb_buf_str(&last));
}

void tb_mcp_sse_end(struct tb_mcp_sse *sse)
{
    note_end(sse);
    finish_with_rest(sse);
}
