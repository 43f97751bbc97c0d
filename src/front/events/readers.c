/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/readers.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "core/limits.h"
#include "front/events/filter.h"
#include "front/reply.h"
#include "front/target.h"
#include "io/ws_conn.h"
#include "proto/sse.h"
#include "proto/ws_handshake.h"

enum {
    RETRY_MS = 1000,
    PONG_MS = 15 * 1000,
    CLOSE_MS = 5 * 1000,
    MESSAGE_MAX = 4 * TB_KIB, /* of what a WebSocket reader says; it has nothing to say */
    CONTROL_FRAMES = 10,
};

struct reader {
    struct tb_list link;
    struct tb_feed *feed;
    struct tb_principal *who; /* a reference */
    struct tb_live live;
    struct tb_filter filter;
    uint64_t next;            /* position of what it gets next */
    bool waits;               /* for its queue to empty */
    bool over;                /* a WebSocket that is closing */
    struct tb_front_req *sse; /* one of the two is NULL */
    struct tb_ws_conn *ws;
};

static void on_revoked(struct tb_live *live);

static struct reader *reader_new(struct tb_front_req *req, const struct tb_filter *filter)
{
    struct tb_feed *feed = req->state;
    struct reader *reader = TB_NEW(struct reader);
    reader->feed = feed;
    reader->who = tb_principal_ref(req->who, "reader");
    reader->live.revoked = on_revoked;
    tb_principal_add_live(reader->who, &reader->live);
    reader->filter = *filter;
    reader->next = feed->notices.next;
    tb_list_append(&feed->readers, &reader->link);
    feed->reader_count++;
    feed->core->metrics.values[TB_METRIC_EVENT_READERS]++;
    return reader;
}

static void reader_free(struct reader *reader)
{
    tb_list_remove(&reader->link);
    reader->feed->reader_count--;
    reader->feed->awaited_ms = tb_loop_now_ms(reader->feed->core->loop) + TB_EVENTS_AWAY_MS;
    reader->feed->core->metrics.values[TB_METRIC_EVENT_READERS]--;
    tb_rates_close_stream(reader->feed->core, reader->who);
    tb_list_remove(&reader->live.link);
    tb_principal_unref(reader->who, "reader");
    tb_ws_conn_free(reader->ws);
    tb_free(reader);
}

/* Sending. */

/* A word of our own about the stream itself. `data` is JSON. */
static void say(struct reader *reader, const char *type, const char *id, const char *data)
{
    const struct tb_core *core = reader->feed->core;
    struct tb_notice *notice = tb_notice_new(&(struct tb_notice_spec){
        .id = id,
        .type = type,
        .wall_ms = tb_clock_wall_ms(core->clock),
        .tenant = reader->filter.tenant,
        .session = "",
        .session_id = "",
        .data = tb_str_of(data),
    });
    if (reader->ws) {
        tb_ws_conn_send(reader->ws, true, tb_notice_json(notice));
    } else {
        tb_http_reply_write(reader->sse->http, tb_notice_text(notice));
    }
    tb_notice_unref(notice, "said");
}

/* Ends an SSE reply; the request goes by itself. */
static void end_sse(struct reader *reader)
{
    reader->sse->user = NULL;
    tb_http_reply_end(reader->sse->http);
    reader_free(reader);
}

static void end_ws(struct reader *reader, int code, struct tb_str reason)
{
    reader->over = true;
    tb_ws_conn_close(reader->ws, code, reason);
}

static void on_revoked(struct tb_live *live)
{
    struct reader *reader = TB_CONTAINER(live, struct reader, live);
    if (reader->sse) {
        end_sse(reader);
    } else if (!reader->over) {
        end_ws(reader, TB_WS_POLICY, TB_STR("the credential was revoked"));
    }
}

static void drop(struct reader *reader)
{
    char id[TB_NOTICE_ID_SIZE];
    tb_feed_id(reader->feed, reader->next - 1, id);
    reader->feed->core->metrics.values[TB_METRIC_EVENT_READERS_DROPPED]++;
    if (reader->ws) {
        end_ws(reader, TB_WS_TRY_LATER, tb_str_of(id));
    } else {
        say(reader, "dropped", id, "{}");
        end_sse(reader);
    }
}

static const struct tb_notice *next_notice(struct reader *reader)
{
    const struct tb_notices *notices = &reader->feed->notices;
    while (reader->next < notices->next) {
        const struct tb_notice *notice = tb_notices_at(notices, reader->next);
        if (tb_filter_fits(&reader->filter, notice)) {
            return notice;
        }
        reader->next++;
    }
    return NULL;
}

static void feed_ws(struct reader *reader)
{
    const struct tb_notice *notice;
    while (!reader->waits && (notice = next_notice(reader))) {
        reader->waits = tb_ws_conn_send(reader->ws, true, tb_notice_json(notice)) < 0;
        reader->next += !reader->waits;
    }
}

static void on_http_drain(struct tb_http_req *http);

/* As one piece: if each event were a chunk of HTTP, chunks would cost clients more than events. */
static void feed_sse(struct reader *reader)
{
    struct tb_http_req *http = reader->sse->http;
    struct tb_buf *piece = &reader->feed->piece;
    const struct tb_notice *notice;
    size_t queued = tb_http_reply_queued(http);
    tb_buf_clear(piece);
    while ((notice = next_notice(reader)) && queued + piece->len < TB_EVENTS_SEND_MAX) {
        tb_buf_append_str(piece, tb_notice_text(notice));
        reader->next++;
    }
    tb_http_reply_write(http, tb_buf_str(piece)); /* if it is gone, that follows */
    if (notice) {
        reader->waits = true;
        tb_http_reply_on_drain(http, on_http_drain);
    }
}

/* May free the reader. */
static void feed_reader(struct reader *reader)
{
    if (reader->over) {
        return;
    }
    if (reader->next < reader->feed->notices.first) {
        drop(reader);
    } else if (!reader->waits && reader->ws) {
        feed_ws(reader);
    } else if (!reader->waits) {
        feed_sse(reader);
    }
}

static void on_drained(struct reader *reader)
{
    reader->waits = false;
    feed_reader(reader);
}

static void on_http_drain(struct tb_http_req *http)
{
    const struct tb_front_req *req = tb_http_req_user(http);
    if (req->user) {
        on_drained(req->user);
    }
}

static void deliver(struct tb_feed *feed)
{
    LIST_FOREACH_SAFE(link, &feed->readers) {
        feed_reader(TB_CONTAINER(link, struct reader, link));
    }
}

static void on_deliver(struct tb_deferred *job)
{
    deliver(TB_CONTAINER(job, struct tb_feed, deliver));
}

void tb_readers_deliver_soon(struct tb_feed *feed)
{
    tb_loop_defer(feed->core->loop, &feed->deliver);
}

/* WebSockets have their pings. */
static void on_keepalive(struct tb_timer *timer, void *user)
{
    struct tb_feed *feed = user;
    LIST_FOREACH(link, &feed->readers) {
        const struct reader *reader = TB_CONTAINER(link, struct reader, link);
        if (reader->sse && !tb_http_reply_queued(reader->sse->http)) {
            tb_http_reply_write(reader->sse->http, TB_STR(": keepalive\n\n"));
        }
    }
    tb_timer_start(timer, TB_EVENTS_KEEPALIVE_MS);
}

void tb_readers_init(struct tb_feed *feed)
{
    tb_list_init(&feed->readers);
    tb_buf_init(&feed->piece, SIZE_MAX);
    feed->deliver.run = on_deliver;
    tb_timer_init(&feed->keepalive, feed->core->loop, on_keepalive, feed);
}

void tb_readers_end(struct tb_feed *feed)
{
    deliver(feed);
    LIST_FOREACH_SAFE(link, &feed->readers) {
        struct reader *reader = TB_CONTAINER(link, struct reader, link);
        if (reader->sse) {
            end_sse(reader);
        } else {
            end_ws(reader, TB_WS_GOING_AWAY, TB_STR("the daemon is stopping"));
        }
    }
}

void tb_readers_fini(struct tb_feed *feed)
{
    LIST_FOREACH_SAFE(link, &feed->readers) {
        reader_free(TB_CONTAINER(link, struct reader, link));
    }
    tb_buf_fini(&feed->piece);
    tb_deferred_cancel(&feed->deliver);
    tb_timer_fini(&feed->keepalive);
}

/* Opening. */

/* Goes back to where the reader was, or tells it that it has missed something. */
static void resume(struct reader *reader, struct tb_str last_id)
{
    static const char *const reasons[] = {[TB_PLACE_EXPIRED] = "expired",
                                          [TB_PLACE_RESTARTED] = "restarted",
                                          [TB_PLACE_UNKNOWN] = "unknown_id"};
    const struct tb_feed *feed = reader->feed;
    uint64_t position;
    enum tb_feed_place place = tb_feed_find(feed, last_id, &position);
    if (place == TB_PLACE_HERE) {
        reader->next = position + 1;
        return;
    }
    char before[TB_NOTICE_ID_SIZE];
    char next[TB_NOTICE_ID_SIZE];
    char data[128];
    reader->next = feed->notices.first;
    tb_feed_id(feed, reader->next - 1, before);
    tb_feed_id(feed, reader->next, next);
    snprintf(data, sizeof(data), "{\"reason\":\"%s\",\"next\":\"%s\"}", reasons[place], next);
    say(reader, "resync", before, data);
}

static void begin(struct reader *reader, struct tb_str last_id)
{
    struct tb_feed *feed = reader->feed;
    if (!tb_timer_armed(&feed->keepalive)) {
        tb_timer_start(&feed->keepalive, TB_EVENTS_KEEPALIVE_MS);
    }
    if (last_id.len) {
        resume(reader, last_id);
    }
    tb_readers_deliver_soon(feed);
}

static void open_sse(struct tb_front_req *req, const struct tb_filter *filter,
                     struct tb_str last_id)
{
    TB_AUTO(tb_buf_fini) struct tb_buf hello = TB_BUF(TB_KIB);
    char id[TB_NOTICE_ID_SIZE];
    struct reader *reader = reader_new(req, filter);
    reader->sse = req;
    req->user = reader;
    tb_reply_events(req);
    if (!last_id.len) {
        /* So that it knows where to go on if the line breaks before the first event. */
        tb_feed_id(reader->feed, reader->next - 1, id);
        tb_sse_write(&hello, &(struct tb_sse_event){.id = tb_str_of(id), .retry_ms = RETRY_MS});
        tb_http_reply_write(req->http, tb_buf_str(&hello));
    }
    begin(reader, last_id);
}

static void on_ws_message(struct tb_ws_conn *conn, bool text, struct tb_str data, void *user)
{
    (void)conn;
    (void)text;
    (void)data;
    (void)user;
}

static void on_ws_drain(struct tb_ws_conn *conn, void *user)
{
    (void)conn;
    on_drained(user);
}

static void on_ws_close(struct tb_ws_conn *conn, int code, struct tb_str reason, void *user)
{
    (void)conn;
    (void)code;
    (void)reason;
    reader_free(user);
}

static void open_ws(struct tb_front_req *req, const struct tb_filter *filter, struct tb_str last_id)
{
    static const struct tb_ws_conn_opts opts = {
        .limits = {.message_max = MESSAGE_MAX,
                   .fragments_max = 1,
                   .control_frames_per_sec = CONTROL_FRAMES},
        .send_max = TB_EVENTS_SEND_MAX,
        .ping_ms = TB_EVENTS_KEEPALIVE_MS,
        .pong_ms = PONG_MS,
        .close_ms = CLOSE_MS,
    };
    static const struct tb_ws_conn_ops ops = {
        .on_message = on_ws_message,
        .on_drain = on_ws_drain,
        .on_close = on_ws_close,
    };
    struct reader *reader = reader_new(req, filter);
    req->status = 101;
    /* The request is gone after this. */
    reader->ws = tb_ws_conn_accept(req->http, TB_STR(""), &opts, &ops, reader);
    if (reader->ws) {
        begin(reader, last_id);
    } else {
        reader_free(reader);
    }
}

static int read_request(const struct tb_front_req *req, struct tb_filter *ret_filter,
                        struct tb_buf *last_id, struct tb_err *err)
{
    const struct tb_feed *feed = req->state;
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    static const char *const known[] = {"session", "kind", "type", "after", NULL};
    int rc = tb_target_check_query(head->query, known, err);
    if (rc < 0) {
        return rc;
    }
    if (feed->reader_count >= TB_EVENTS_READERS) {
        return tb_fail(err, TB_E_BUSY, "%d event readers are already connected", TB_EVENTS_READERS);
    }
    /* A client that reconnects by itself repeats its query and adds the header. */
    struct tb_str header = tb_http1_header(head, "Last-Event-ID");
    rc = header.len ? tb_buf_append_str(last_id, header)
                    : tb_target_query(head->query, "after", last_id);
    if (rc < 0) {
        return tb_fail(err, TB_E_INVALID, "the event id in 'after' or Last-Event-ID is malformed");
    }
    return tb_filter_parse(req->who, head->query, ret_filter, err);
}

void tb_readers_open(struct tb_front_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf last_id = TB_BUF(TB_KIB);
    struct tb_filter filter;
    struct tb_err err;
    int rc = read_request(req, &filter, &last_id, &err);
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    bool looks = rc == 0 && tb_str_eq_cstr(head->method, "HEAD");
    if (rc == 0 && !looks) {
        rc = tb_rates_open_stream(req->core, req->who, &err);
    }
    if (rc < 0) {
        tb_reply_error(req, rc, err.text);
    } else if (looks) {
        tb_reply_text(req, 200, "text/event-stream", TB_STR(""));
    } else if (tb_ws_is_upgrade(head)) {
        open_ws(req, &filter, tb_buf_str(&last_id));
    } else {
        open_sse(req, &filter, tb_buf_str(&last_id));
    }
}

void tb_readers_gone(struct tb_front_req *req)
{
    if (req->user) {
        reader_free(req->user);
    }
}
