/* SPDX-License-Identifier: Apache-2.0 */
/* A DevTools connection: commands out, replies and events in, over whatever carries them (line.h).
 *
 * A message is never parsed as a tree here: one json_scan gives the ranges of id, method,
 * sessionId, params, result and error, and those are handed on. Every command has a deadline; a
 * reply that does not come ends it with TB_E_TIMEOUT. The input is always drained: a message over
 * the ceiling is thrown away and the command whose id it carries fails with TB_E_TOO_LARGE. Bytes
 * that are no messages, and a message that does not end, end the line. A connection may be freed
 * inside its own callbacks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/loop.h"

struct tb_cdp_conn;
struct tb_cdp_line;

enum {
    TB_CDP_COMMAND_MS = 10000, /* for what must work if the browser is well */
};

/* How what was asked ends: `code` 0 and the raw JSON of `result`, borrowed for the call; or a
 * negative code and words. Exactly once, later, unless forgotten or the connection is freed. */
typedef void tb_cdp_reply_fn(int code, struct tb_str result, const struct tb_err *err, void *user);

struct tb_cdp_ops {
    /* An event of the browser itself. All borrowed. */
    void (*on_event)(struct tb_cdp_conn *conn, struct tb_str method, struct tb_str params,
                     void *user);
    /* The line is broken; all commands have failed with TB_E_BROWSER_CRASHED. Once. The owner
     * frees it. */
    void (*on_end)(struct tb_cdp_conn *conn, void *user);
    /* Whether a silent browser can be seen at work. May be NULL. */
    bool (*at_work)(void *user);
};

struct tb_cdp_conn *tb_cdp_conn_new_take(struct tb_loop *loop, struct tb_cdp_line *line,
                                         const struct tb_cdp_ops *ops, void *user);
void tb_cdp_conn_free(struct tb_cdp_conn *conn);
TB_DEFINE_AUTO(struct tb_cdp_conn *, tb_cdp_conn_free)

/* Whoever is there may be no browser at all: until the first answer the line breaks at once when a
 * message is too large, and after a second, not a minute, when it does not end. */
void tb_cdp_conn_distrust(struct tb_cdp_conn *conn);
/* What came that is no DevTools message, in words; NULL: the line ended otherwise. */
const char *tb_cdp_conn_fault(const struct tb_cdp_conn *conn);

/* Watches for a frozen browser: when commands wait and nothing at all has come for `silent_ms`, it
 * is asked for its version; after `misses` unanswered questions the line counts as broken. Silence
 * of a browser that is at work (it copies a large answer, on a loaded machine) does not count for
 * half a minute. */
void tb_cdp_conn_watch(struct tb_cdp_conn *conn, int64_t silent_ms, unsigned misses);

/* Where the events of one DevTools session go; a part of whoever is attached to it. Those of a
 * session without a route are dropped. */
struct tb_cdp_route {
    const char *session_id; /* its owner's */
    void (*on_event)(struct tb_cdp_route *route, struct tb_str method, struct tb_str params);
};

/* -EEXIST: the session has a route. It must be ended before it dies. */
int tb_cdp_route_begin(struct tb_cdp_conn *conn, struct tb_cdp_route *route);
/* One that never began, and the line's being gone (NULL), is passed over. */
void tb_cdp_route_end(struct tb_cdp_conn *conn, const struct tb_cdp_route *route);
/* NULL: it has none. */
struct tb_cdp_route *tb_cdp_route_of(const struct tb_cdp_conn *conn, struct tb_str session_id);

struct tb_cdp_command;

/* As tb_cdp_reply_fn. */
typedef void tb_cdp_done_fn(struct tb_cdp_command *command, int code, struct tb_str result,
                            const struct tb_err *err);

/* A command that the browser has: its only record, and its only deadline. A part of whoever asks,
 * who sets `deadline_ms` and `done` and forgets it before it dies, unless the line went first. */
struct tb_cdp_command {
    uint64_t id; /* 0: not sent, or over */
    int64_t deadline_ms;
    int code; /* it could not be sent: how it ends at the end of the turn */
    tb_cdp_done_fn *done;
};

/* Sends it; `params` is a JSON object or empty, `session_id` NULL for the browser itself. Commands
 * of one turn go out in one write, and the browser runs those of one session in order: pipeline
 * where you can. */
void tb_cdp_command_send(struct tb_cdp_conn *conn, struct tb_cdp_command *command,
                         const char *session_id, const char *method, struct tb_str params);
/* `done` will not come. One that is over is passed over. */
void tb_cdp_command_forget(struct tb_cdp_conn *conn, struct tb_cdp_command *command);
/* For a command whose answer nobody needs: errors are dropped. */
void tb_cdp_post(struct tb_cdp_conn *conn, const char *session_id, const char *method,
                 struct tb_str params);
