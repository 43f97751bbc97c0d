/* SPDX-License-Identifier: Apache-2.0 */
/* A call and its operation from the inside, for core/call.c, core/call_run.c, core/session.c and
 * core/sessions.c.
 *
 * The operation is a record of its own because it may outlive its call: when a driver does not end
 * it in time, the call goes without it, and the record stays with the session until tb_op_done. */
#pragma once

#include "core/call.h"
#include "core/gate.h"
#include "core/mask.h"
#include "core/resolve.h"

struct tb_approval;
struct tb_flood;
struct tb_member;

enum tb_call_phase {
    TB_CALL_WAITING,
    TB_CALL_RUNNING,
    TB_CALL_FINISHED, /* only the bus and the caller are left to be told */
    TB_CALL_TOLD,     /* the bus has been; `done` comes when the gate is open */
};

/* A step that waits for the end of its operation. */
struct tb_call_step {
    tb_call_step_fn *fn; /* NULL: none does */
    void *user;
    const char *tool; /* NULL: nobody asked for it by itself, so nobody is told */
    int64_t since_ms;
    int64_t count; /* of all so far */
};

/* The session of a call, as long as the call lives. */
struct tb_call_place {
    struct tb_resolve_ask ask; /* which one it is */
    char *named;               /* by the front; NULL: it did not name one */
    struct tb_member *member;  /* who calls, among those of the session whose queue it is in; NULL:
                                  it has none */
    struct tb_session *beside; /* of a tool with TB_TOOL_BESIDE, while it begins; else NULL */
    bool chosen;               /* the caller did not name it */
    enum tb_session_kind kind;
    char id[TB_ID_SIZE];
    char name[TB_NAME_SIZE];
    bool hidden;    /* it is private */
    int64_t number; /* of the call among the session's, from 1 */
    char *url;      /* of the page it was about; NULL: unknown */
};

/* Its arguments. */
struct tb_call_given {
    struct cJSON *face_args; /* as the face took them; NULL: the tool has none */
    struct cJSON *args;
    char *raw; /* of a brought tool, instead; NULL: none */
    size_t raw_len;
    char *request_id; /* not one of them; NULL: none */
    char *trace;      /* the same */
};

/* Who calls. */
struct tb_call_from {
    char conversation[TB_CONVERSATION_SIZE];
    char agent[TB_AGENT_SIZE];
    char session[TB_NAME_SIZE];
    struct tb_caller caller; /* points at these; has references to its principal and view */
    struct tb_live live;
};

/* What waits for a person's approval: core/call_ask.c. */
struct tb_call_asked {
    struct tb_approval *approval; /* NULL: nothing does */
    tb_call_ask_fn *ask;          /* the caller; NULL: it can ask nobody */
    struct tb_deferred job;       /* asks it */
    char *question;               /* for it; NULL: none */
    int64_t since_ms;             /* when the wait began */
    int64_t extra_ms;             /* so much later the call has to end while it waits */
    bool open;                    /* it was asked, and does not know yet that it is over */
    void (*go_on)(struct tb_call *call, const struct tb_err *refusal);
    bool given;           /* for the call as a whole */
    struct tb_entry step; /* that waits, with its arguments */
    struct cJSON *args;
};

/* The answer, once somebody has asked for it. */
struct tb_call_printed {
    bool ready;
    struct tb_answer answer;
    struct tb_buf text;
    struct tb_buf aside;
    char session_line[TB_NAME_SIZE + 16];
    struct tb_buf cut[TB_ANSWER_PARTS_MAX]; /* what is left of a part that was too long */
};

struct tb_call {
    struct tb_core *core;
    struct tb_entry entry; /* .tool NULL: nobody knows it; has a reference to .brought */
    struct tb_call_given given;
    struct tb_call_from from;
    bool unheard;        /* it never was a call of a tool: the bus is not told */
    struct tb_gate gate; /* the reply waits at it */
    tb_call_done_fn *done;
    tb_call_progress_fn *progress;
    void *user;

    enum tb_call_phase phase;
    int64_t accepted_ms;
    int64_t began_us; /* the same, for figures */
    int64_t deadline_ms;
    struct tb_timer timer; /* the deadline; then the driver's grace */
    struct tb_deferred job;
    struct tb_list link; /* in its session's queue */
    struct tb_list all;  /* among all calls */
    struct tb_session *session;
    struct tb_op_call *op;
    void (*enter)(struct tb_call *call); /* instead of the tool, when its turn comes */
    struct tb_call_step step;
    struct tb_call_asked asked;
    struct tb_err broken; /* code < 0: ended early, and why */
    struct tb_result result;
    struct tb_call_place place;
    struct tb_call_printed printed;
};

struct tb_op_call {
    struct tb_op op;
    struct tb_result result;
    struct cJSON *args;
    struct tb_brought *brought; /* a reference; NULL: the tool is one of the build */
    char *raw;                  /* its arguments */
    char *agent_id;             /* of a brought tool: who calls; NULL: it need not be told */
    char *request_id;           /* the caller's own; NULL: none */
    struct tb_core *core;
    struct tb_call *call;       /* NULL: it went without it */
    struct tb_session *session; /* NULL: no operation of a driver, or the session is freed */
    struct tb_mask *mask;       /* that session's, a reference; NULL: it has typed no secrets */
    struct tb_list link;        /* of that session's */
    struct tb_deferred job;
    struct tb_timer timer; /* of a step that has less time than its call */
    int64_t own_ms;        /* so much; 0: it is no such step */
    bool ended;
};

/* By the session's own policy, and by one that has come while the call waited. TB_E_DENIED,
 * TB_E_STORE. */
int tb_call_check_policy(const struct tb_call *call, const struct tb_entry *entry,
                         struct tb_err *err);
/* Its credential was revoked while it waited; err says so. */
bool tb_call_is_revoked(const struct tb_call *call, struct tb_err *err);
/* If the session was to bring its tool, it still does. TB_E_UNKNOWN_TOOL. */
int tb_call_check_brought(const struct tb_call *call, const struct tb_session *session,
                          struct tb_err *err);
/* Its time is over. */
void tb_call_say_late(const struct tb_call *call, struct tb_err *ret_err);
/* The front or the caller's way in named a session, and there is none: its tools are not to be had
 * for that reason. */
bool tb_call_lacks_session(const struct tb_call *call, struct tb_err *err);
void tb_call_ask_init(struct tb_call *call, tb_call_ask_fn *ask);
/* So many denials of a tenant's calls were not told. */
void tb_call_tell_denials(struct tb_flood *flood, int64_t count);
/* A policy wants that a person approves of it. */
bool tb_call_must_ask(const struct tb_call *call, const struct tb_entry *entry);
/* Waits for that; `go_on` comes once, from the loop, with the refusal or NULL. */
void tb_call_ask(struct tb_call *call, const struct tb_entry *entry, const struct cJSON *args,
                 void (*go_on)(struct tb_call *call, const struct tb_err *refusal));
/* Nobody waits for it any more. */
void tb_call_ask_end(struct tb_call *call);
/* Its turn has come. */
void tb_call_run(struct tb_call *call);
/* Ends it early. With `gone` its session has ended, so nothing more comes from there. */
void tb_call_break(struct tb_call *call, const struct tb_err *err, bool gone);
/* The driver had its grace: goes without the operation. */
void tb_call_detach(struct tb_call *call);
/* The tool's step ends with the reason that broke the call. */
void tb_call_fail_step(struct tb_call *call);
/* Leaves its session; `done` follows from the loop. */
void tb_call_end(struct tb_call *call);
/* Tells the bus; then, when what the reply acknowledges is stored, calls `done` and frees the call.
 * Without `wait` that is now, and what is not stored by now makes it fail. */
void tb_call_deliver(struct tb_call *call, bool wait);
/* For core/call_answer.c. */
void tb_call_printed_init(struct tb_call_printed *printed);
void tb_call_printed_fini(struct tb_call_printed *printed);
/* For core/call_tell.c. */
const char *tb_call_tool_name(const struct tb_call *call);
void tb_call_tell(struct tb_call *call);
void tb_call_tell_step(struct tb_call *call, const struct tb_result *result);
/* The session has given a result: takes note of the address that it names. */
void tb_call_note_url(struct tb_call *call, const struct tb_result *result);
/* Ends it here and now, whatever it waits for: core is being freed. */
void tb_call_drop(struct tb_call *call);
void tb_op_call_free(struct tb_op_call *op_call);
