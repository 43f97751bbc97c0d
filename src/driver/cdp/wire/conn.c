/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/conn.h"

#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "core/limits.h"
#include "driver/cdp/wire/line.h"
#include "driver/cdp/wire/message.h"
#include "io/timer.h"

/* One timer serves all deadlines: it stands at or before the nearest one, and when it fires all
 * commands are looked through. A reply leaves it alone, so a command costs no work on the heap. */

enum {
    FIRST_MESSAGE_MAX = TB_MIB,
    FIRST_MESSAGE_MS = 1000, /* until one that has begun must be whole */
    MESSAGE_MS = 60000,      /* the same later: the largest answer, on a loaded machine */
    WORK_MS = 30000,         /* for how long a silent browser may be at work */
};

struct tb_cdp_conn {
    struct tb_loop *loop;
    const struct tb_cdp_ops *ops;
    void *user;
    struct tb_cdp_line *line;
    uint64_t last_id;
    struct tb_map pending; /* by the bytes of the id */
    struct tb_map routes;  /* by session id */
    struct tb_timer timer;
    struct tb_deferred failing;
    int64_t silent_ms; /* 0: not watched */
    int64_t watch_ms;  /* when silence counts as a miss */
    unsigned misses_max;
    unsigned misses;
    int64_t heard_ms; /* when it was last heard of */
    unsigned depth;   /* callbacks on the stack */
    bool distrusted;  /* it has not answered yet */
    int64_t half_ms;  /* until then a message that has begun must be whole; 0: none has */
    const char *fault;
    bool ended;
    bool freed;
};

static void enter(struct tb_cdp_conn *conn)
{
    conn->depth++;
}

/* False when the connection is gone. */
static bool leave(struct tb_cdp_conn *conn)
{
    conn->depth--;
    if (conn->freed && !conn->depth) {
        tb_free(conn);
        return false;
    }
    return !conn->freed;
}

static struct tb_str key_of(const uint64_t *id)
{
    return (struct tb_str){(const char *)id, sizeof(*id)};
}

static void finish(struct tb_cdp_command *command, int code, struct tb_str result,
                   const struct tb_err *err)
{
    command->id = 0;
    command->done(command, code, result, err);
}

static void fail(struct tb_cdp_command *command, int code, const char *words)
{
    struct tb_err err;
    tb_fail(&err, code, "%s", words);
    finish(command, code, (struct tb_str){NULL, 0}, &err);
}

/* Brings the timer forward if this moment comes before it. */
static void arm(struct tb_cdp_conn *conn, int64_t at_ms)
{
    if (!tb_timer_armed(&conn->timer) || conn->timer.due_ms > at_ms) {
        int64_t delay_ms = at_ms - tb_loop_now_ms(conn->loop);
        tb_timer_start(&conn->timer, delay_ms > 0 ? delay_ms : 0);
    }
}

/* Takes what fits the test out of the table and ends it. The table may change in any callback, so
 * it is looked through before the first one. */
static void end_some(struct tb_cdp_conn *conn,
                     bool (*fits)(const struct tb_cdp_conn *, const struct tb_cdp_command *),
                     int code, const char *words)
{
    size_t count = 0;
    uint64_t *ids = TB_NEW_ARRAY(uint64_t, conn->pending.count + 1);
    MAP_FOREACH(slot, &conn->pending) {
        const struct tb_cdp_command *command = slot->value;
        if (fits(conn, command)) {
            ids[count++] = command->id;
        }
    }
    for (size_t i = 0; i < count && !conn->freed; i++) {
        struct tb_cdp_command *command = tb_map_remove(&conn->pending, key_of(&ids[i]));
        if (command) {
            fail(command, command->code ? command->code : code, words);
        }
    }
    tb_free(ids);
}

static bool is_any(const struct tb_cdp_conn *conn, const struct tb_cdp_command *command)
{
    (void)conn;
    (void)command;
    return true;
}

/* All commands fail, then the owner hears of it. */
static void break_line(struct tb_cdp_conn *conn, const char *words)
{
    if (conn->ended) {
        return;
    }
    conn->ended = true;
    tb_timer_stop(&conn->timer);
    enter(conn);
    end_some(conn, is_any, TB_E_BROWSER_CRASHED, words);
    if (!conn->freed) {
        conn->ops->on_end(conn, conn->user);
    }
    leave(conn);
}

static bool was_not_sent(const struct tb_cdp_conn *conn, const struct tb_cdp_command *command)
{
    (void)conn;
    return command->code != 0;
}

static void run_failing(struct tb_deferred *job)
{
    struct tb_cdp_conn *conn = TB_CONTAINER(job, struct tb_cdp_conn, failing);
    enter(conn);
    end_some(conn, was_not_sent, 0,
             conn->ended ? "the browser is gone" : "the browser does not read its input");
    leave(conn);
}

static void break_badly(struct tb_cdp_conn *conn, const char *words)
{
    conn->fault = words;
    break_line(conn, words);
}

static bool is_late(const struct tb_cdp_conn *conn, const struct tb_cdp_command *command)
{
    return command->deadline_ms <= tb_loop_now_ms(conn->loop);
}

static void check_silence(struct tb_cdp_conn *conn)
{
    if (!conn->silent_ms || !conn->pending.count || tb_loop_now_ms(conn->loop) < conn->watch_ms) {
        return;
    }
    bool at_work = tb_loop_now_ms(conn->loop) - conn->heard_ms < WORK_MS && conn->ops->at_work &&
                   conn->ops->at_work(conn->user);
    if (!at_work && conn->misses++ == conn->misses_max) {
        break_line(conn, "the browser no longer answers");
        return;
    }
    conn->watch_ms = tb_loop_now_ms(conn->loop) + conn->silent_ms;
    tb_cdp_post(conn, NULL, "Browser.getVersion", (struct tb_str){NULL, 0});
}

static void check_half(struct tb_cdp_conn *conn)
{
    if (conn->half_ms && tb_loop_now_ms(conn->loop) >= conn->half_ms) {
        break_badly(conn, "it started a DevTools message but did not finish it");
    }
}

static void arm_again(struct tb_cdp_conn *conn)
{
    if (conn->half_ms) {
        arm(conn, conn->half_ms);
    }
    MAP_FOREACH(slot, &conn->pending) {
        arm(conn, ((struct tb_cdp_command *)slot->value)->deadline_ms);
    }
    if (conn->silent_ms && conn->pending.count) {
        arm(conn, conn->watch_ms);
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_cdp_conn *conn = user;
    (void)timer;
    enter(conn);
    end_some(conn, is_late, TB_E_TIMEOUT, "the browser did not answer in time");
    if (!conn->freed) {
        check_silence(conn);
    }
    if (!conn->freed) {
        check_half(conn);
    }
    if (leave(conn) && !conn->ended) {
        arm_again(conn);
    }
}

static void heard(struct tb_cdp_conn *conn)
{
    conn->misses = 0;
    conn->heard_ms = tb_loop_now_ms(conn->loop);
    conn->watch_ms = conn->heard_ms + conn->silent_ms;
}

static void heard_whole(struct tb_cdp_conn *conn)
{
    heard(conn);
    conn->half_ms = 0;
}

static void on_reply(struct tb_cdp_conn *conn, const struct tb_cdp_message *message)
{
    struct tb_cdp_command *command = tb_map_remove(&conn->pending, key_of(&message->id));
    if (!command) {
        return; /* forgotten, late, or posted */
    }
    conn->distrusted = false;
    if (message->error.len) {
        struct tb_err err;
        int code = tb_cdp_message_error(message->error, &err);
        finish(command, code, (struct tb_str){NULL, 0}, &err);
    } else {
        finish(command, 0, message->result, NULL);
    }
}

static void on_event(struct tb_cdp_conn *conn, const struct tb_cdp_message *message)
{
    if (!message->session_id.len) {
        conn->ops->on_event(conn, message->method, message->params, conn->user);
        return;
    }
    struct tb_cdp_route *route = tb_map_get(&conn->routes, message->session_id);
    if (route) {
        route->on_event(route, message->method, message->params);
    }
}

static bool on_message(struct tb_str text, void *user)
{
    struct tb_cdp_conn *conn = user;
    struct tb_cdp_message message;
    heard_whole(conn);
    if (tb_cdp_message_parse(text, &message, NULL) < 0) {
        break_badly(conn, "it sent something that is not a DevTools message");
        return false;
    }
    enter(conn);
    if (message.has_id) {
        on_reply(conn, &message);
    } else {
        on_event(conn, &message);
    }
    tb_cdp_message_fini(&message);
    return leave(conn) && !conn->ended;
}

static bool on_too_large(struct tb_str head, void *user)
{
    struct tb_cdp_conn *conn = user;
    uint64_t id;
    heard_whole(conn);
    struct tb_cdp_command *command =
        tb_cdp_message_head_id(head, &id) ? tb_map_remove(&conn->pending, key_of(&id)) : NULL;
    enter(conn);
    if (command) {
        fail(command, TB_E_TOO_LARGE, "the browser's answer is larger than 64 MiB");
    }
    return leave(conn) && !conn->ended;
}

/* A large answer may take its time, so parts of it count as a sign of life, though not for ever:
 * what never ends is no answer. */
static void on_part(struct tb_str part, void *user)
{
    struct tb_cdp_conn *conn = user;
    if (part.ptr[0] != '{' || (conn->distrusted && part.len > FIRST_MESSAGE_MAX)) {
        break_badly(conn, "it sent something that is not a DevTools message");
        return;
    }
    heard(conn);
    if (!conn->half_ms) {
        conn->half_ms = conn->heard_ms + (conn->distrusted ? FIRST_MESSAGE_MS : MESSAGE_MS);
        arm(conn, conn->half_ms);
    }
}

static void on_line_end(void *user)
{
    break_line(user, "the browser has ended");
}

static const struct tb_cdp_line_ops line_ops = {
    .input = {on_message, on_too_large},
    .on_part = on_part,
    .on_end = on_line_end,
};

struct tb_cdp_conn *tb_cdp_conn_new_take(struct tb_loop *loop, struct tb_cdp_line *line,
                                         const struct tb_cdp_ops *ops, void *user)
{
    struct tb_cdp_conn *conn = TB_NEW(struct tb_cdp_conn);
    conn->loop = loop;
    conn->ops = ops;
    conn->user = user;
    tb_map_init(&conn->pending);
    tb_map_init(&conn->routes);
    tb_timer_init(&conn->timer, loop, on_timer, conn);
    tb_list_init(&conn->failing.link);
    conn->failing.run = run_failing;
    conn->line = line;
    line->ops = &line_ops;
    line->user = conn;
    return conn;
}

void tb_cdp_conn_free(struct tb_cdp_conn *conn)
{
    if (!conn || conn->freed) {
        return;
    }
    conn->freed = true;
    conn->line->kind->free(conn->line);
    tb_timer_fini(&conn->timer);
    tb_deferred_cancel(&conn->failing);
    tb_map_fini(&conn->pending);
    tb_map_fini(&conn->routes);
    if (!conn->depth) {
        tb_free(conn);
    }
}

void tb_cdp_conn_distrust(struct tb_cdp_conn *conn)
{
    conn->distrusted = true;
}

const char *tb_cdp_conn_fault(const struct tb_cdp_conn *conn)
{
    return conn->fault;
}

void tb_cdp_conn_watch(struct tb_cdp_conn *conn, int64_t silent_ms, unsigned misses)
{
    conn->silent_ms = silent_ms;
    conn->misses_max = misses;
    heard(conn);
}

int tb_cdp_route_begin(struct tb_cdp_conn *conn, struct tb_cdp_route *route)
{
    return tb_map_add(&conn->routes, tb_str_of(route->session_id), route);
}

void tb_cdp_route_end(struct tb_cdp_conn *conn, const struct tb_cdp_route *route)
{
    struct tb_str session_id = tb_str_of(route->session_id);
    if (conn && tb_map_get(&conn->routes, session_id) == route) {
        tb_map_remove(&conn->routes, session_id);
    }
}

struct tb_cdp_route *tb_cdp_route_of(const struct tb_cdp_conn *conn, struct tb_str session_id)
{
    return tb_map_get(&conn->routes, session_id);
}

/* Method and session id are plain words, so they need no escaping. */
static int write_command(struct tb_cdp_conn *conn, const char *session_id, const char *method,
                         struct tb_str params)
{
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(TB_CDP_SEND_MAX);
    tb_buf_printf(&message, "{\"id\":%llu,\"method\":\"%s\"", (unsigned long long)conn->last_id,
                  method);
    if (session_id && session_id[0]) {
        tb_buf_printf(&message, ",\"sessionId\":\"%s\"", session_id);
    }
    tb_buf_append_cstr(&message, ",\"params\":");
    int rc = tb_buf_append_str(&message, params.len ? params : TB_STR("{}"));
    if (rc == 0) {
        rc = tb_buf_append_char(&message, '}');
    }
    if (rc == 0 && conn->ended) {
        rc = TB_E_BROWSER_CRASHED;
    }
    return rc < 0 ? rc : conn->line->kind->write(conn->line, &message);
}

void tb_cdp_command_send(struct tb_cdp_conn *conn, struct tb_cdp_command *command,
                         const char *session_id, const char *method, struct tb_str params)
{
    command->id = ++conn->last_id;
    if (!conn->pending.count) {
        heard(conn); /* the silence before there was a question does not count */
    }
    tb_map_add(&conn->pending, key_of(&command->id), command);
    command->code = write_command(conn, session_id, method, params);
    if (command->code < 0) {
        tb_loop_defer(conn->loop, &conn->failing);
        return;
    }
    arm(conn, command->deadline_ms);
    if (conn->silent_ms) {
        arm(conn, conn->watch_ms);
    }
}

void tb_cdp_command_forget(struct tb_cdp_conn *conn, struct tb_cdp_command *command)
{
    /* One that an earlier line had is nothing to this one. */
    if (tb_map_get(&conn->pending, key_of(&command->id)) == command) {
        tb_map_remove(&conn->pending, key_of(&command->id));
    }
    command->id = 0;
}

void tb_cdp_post(struct tb_cdp_conn *conn, const char *session_id, const char *method,
                 struct tb_str params)
{
    conn->last_id++;
    write_command(conn, session_id, method, params);
}
