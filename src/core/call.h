/* SPDX-License-Identifier: Apache-2.0 */
/* A call on its way: find the tool, check the arguments, find the session, wait in its queue, run,
 * answer. Who calls gives the name of a tool and the bytes of its arguments.
 *
 *   checked -> waiting -> running -> finished
 *                 |          |
 *                 +----------+--> finished early: cancelled, too late, or its session is gone
 *
 * The deadline counts from the moment the call was accepted, waiting included. `done` is called
 * exactly once, from the loop: never before tb_call_start has returned, nor before all that it
 * acknowledges is stored. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/list.h"
#include "core/driver.h"
#include "core/result.h"
#include "core/sessions.h"
#include "core/tool.h"
#include "core/toolbox.h"
#include "io/loop.h"
#include "io/timer.h"

struct tb_core;
struct tb_call;

typedef void tb_call_done_fn(struct tb_call *call, void *user);
typedef void tb_call_progress_fn(struct tb_call *call, double done, double total,
                                 const char *message, void *user);

/* A person has to approve of the call, and the caller may have one at hand: `question` is for that
 * one. NULL: the last question is over. From the loop. */
typedef void tb_call_ask_fn(struct tb_call *call, const char *question, void *user);

/* JSON that has passed proto/json_scan. */
struct tb_raw {
    struct tb_str json;
    bool odd; /* has what no tree can hold: \u0000, half a character, a long number */
};

struct tb_call_request {
    struct tb_str name;       /* of the tool, as the caller knows it ... */
    struct tb_entry entry;    /* ... or one that was found by other means; .tool NULL: it was not */
    struct tb_raw args;       /* an object as the caller wrote it, or empty; borrowed */
    struct tb_str session;    /* an id or a name, which the front was told beside the arguments and
                                 which counts before them; empty: as they or the conversation say */
    struct tb_str request_id; /* the caller's own of its request, as JSON, for a page that is
                                 called; borrowed; empty: it has none */
    struct tb_str trace;      /* traceparent of the caller's request, for log and audit; what is not
                                 valid is none; borrowed */
    struct tb_caller caller;  /* copied */
    tb_call_done_fn *done;
    tb_call_progress_fn *progress; /* may be NULL */
    tb_call_ask_fn *ask;           /* may be NULL: the caller can ask nobody */
    void *user;
};

/* Always gives a call; what is wrong with it comes as its result. Valid until `done` returns. */
struct tb_call *tb_call_start(struct tb_core *core, const struct tb_call_request *request);
/* Ends it soon, with TB_E_CANCELLED; `done` still comes. */
void tb_call_cancel(struct tb_call *call);

/* The answer to the question; the first one counts, and others may be asked as well. */
void tb_call_answer_question(struct tb_call *call, bool approve);
/* The caller has to leave to ask, and comes back, maybe with other functions. Until then the call
 * does not go on, whoever approves, and it is refused when its time is over. If nobody has decided
 * when it is back, the question comes again unless it is answered at once. */
void tb_call_leave(struct tb_call *call);
void tb_call_return(struct tb_call *call, tb_call_progress_fn *progress, void *user);

/* Words, or a picture. */
struct tb_part {
    struct tb_str body;     /* of a picture: base64 */
    const char *image_type; /* NULL: words */
};

enum {
    TB_ANSWER_PARTS_MAX = 5,
};

/* What the caller is told, in the words of the tool or of the face by which it called it. The parts
 * are the whole of it, in their order: a front wraps each of them and adds no words. The rest are
 * facts, for fronts whose form has a place for them. All of it is borrowed from the call. */
struct tb_answer {
    struct tb_part parts[TB_ANSWER_PARTS_MAX];
    size_t part_count; /* at least one */
    int code;
    bool is_error;
    const char *message; /* of a failure, without advice */
    struct tb_str text;  /* what the tool gave, whole, with nothing beside it */
    struct tb_str note;  /* of the session, for who shows `raw` in a form of its own; or empty */
    struct tb_str aside; /* what there is to say beside a text that is data; or empty */
    struct tb_str raw;   /* JSON of a tool that was brought, as its page wrote it; empty: none */
    struct tb_str image; /* base64, of any size; empty: none */
    const char *image_type;
    const char *session; /* NULL: the caller named it, or there is none */
    enum tb_session_kind kind;
};

/* For `done`. The parts take at most `max` bytes as strings in JSON; SIZE_MAX: all of the text. */
const struct tb_answer *tb_call_answer(struct tb_call *call, size_t max);
const struct tb_result *tb_call_result(const struct tb_call *call);

/* For a tool's `run`, which ends by tb_call_finish: at once, or after tb_call_enter and steps. When
 * the call ends early, a step under way fails with the reason, and further ones fail at once; a
 * tool that waits for something else has to see to its end itself. */
struct tb_core *tb_call_core(const struct tb_call *call);
const struct tb_caller *tb_call_caller(const struct tb_call *call);
/* What it acknowledges is stored before the reply leaves. */
struct tb_gate *tb_call_gate(struct tb_call *call);
const struct cJSON *tb_call_args(const struct tb_call *call);
struct tb_result *tb_call_out(struct tb_call *call);
/* The session that it is in; NULL: it is in none, or that has ended, and tb_call_finish says so. */
const struct tb_session *tb_call_session(const struct tb_call *call);
int64_t tb_call_deadline_ms(const struct tb_call *call);
/* Tells the caller how far it is, if it wants to know. */
void tb_call_progress(struct tb_call *call, double done, double total, const char *message);
/* The session that a tool with TB_TOOL_BESIDE acts on. It may end by that, so it is there only
 * until `run` returns. */
struct tb_session *tb_call_beside(const struct tb_call *call);
/* A tool with TB_TOOL_NO_SESSION says which one it acts on, for the records. */
void tb_call_about(struct tb_call *call, const struct tb_session *session);
/* The result is complete. */
void tb_call_finish(struct tb_call *call);
/* Runs another tool on the same session inside this call (execute_sequence): checks, then runs it
 * without waiting. `fn` gets its result, which lives until fn returns. With `timeout_ms` among its
 * arguments it may end before the call has to. Not for tools with TB_TOOL_NO_SESSION. */
typedef void tb_call_step_fn(struct tb_call *call, const struct tb_result *result, void *user);
void tb_call_step(struct tb_call *call, const struct tb_entry *entry, const struct cJSON *args,
                  tb_call_step_fn *fn, void *user);
/* The same for what the tool itself wants to know: no act of the caller's, so the bus is not told.
 */
void tb_call_look(struct tb_call *call, const struct tb_tool *tool, const struct cJSON *args,
                  tb_call_step_fn *fn, void *user);
/* For a tool with TB_TOOL_NO_SESSION that has made a session (start_session): the call waits in its
 * queue, and when it is open and the call's turn has come, `fn` runs and may take steps there. If
 * it does not open, the call ends with the driver's words. */
void tb_call_enter(struct tb_call *call, struct tb_session *session,
                   void (*fn)(struct tb_call *call));
