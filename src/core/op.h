/* SPDX-License-Identifier: Apache-2.0 */
/* An operation of a session: what core asks of a driver, one row of core/ops.def each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct cJSON;
struct tb_brought;
struct tb_op_call; /* core's side of an operation */
struct tb_result;

enum tb_op_kind {
#define TB_OP(NAME, name, acts) TB_OP_##NAME,
#include "core/ops.def"
#undef TB_OP
    TB_OP_COUNT,
    TB_OP_NONE = TB_OP_COUNT,
};

struct tb_op {
    enum tb_op_kind kind;
    const struct cJSON *args;         /* checked, borrowed until tb_op_done */
    const struct tb_brought *brought; /* of invoke: the tool, borrowed as well ... */
    struct tb_str raw;        /* ... and its arguments as the caller wrote them, empty: none */
    struct tb_str agent_id;   /* the same of who calls (core/members.h), for its page ... */
    struct tb_str request_id; /* ... and of what the caller calls its request, as JSON */
    int64_t deadline_ms;      /* monotonic */
    int64_t element_ms;       /* how long an element is waited for within it; 0: all of it */
    bool lenient;             /* of several elements that fit, the first is meant; see tool.h */
    bool dismisses;           /* a dialog that is open is dismissed, and told; see tool.h */
    struct tb_result *result; /* filled in by the driver */
    /* By the driver, before tb_op_done: what the session's next browser has to know and no save has
     * yet. */
    bool typed;         /* something stands in a field that the page did not put there */
    int64_t last_ref;   /* the highest number of a ref that the session has given so far */
    void *driver_state; /* the driver's own */
    void (*cancel)(
        struct tb_op *op);          /* set by the driver while the operation runs; may stay NULL */
    void (*done)(struct tb_op *op); /* core's; called by tb_op_done */
    void (*progress)(struct tb_op *op, double done, double total,
                     const char *message); /* may be NULL */
    /* Appends a text with its secrets (core/secrets.h) for the document of origins[0]; or NULL. */
    int (*reveal)(struct tb_op *op, struct tb_str text, const struct tb_str *origins, size_t count,
                  struct tb_buf *out, struct tb_err *err);
    void *user; /* core's */
};

/* The operation has ended: the result says how. Core only takes note: it goes on (the next
 * operation, the caller's answer) from the loop's deferred jobs, so nothing of the driver is called
 * back from inside. */
void tb_op_done(struct tb_op *op);
/* As in core/ops.def: "navigate". */
const char *tb_op_name(enum tb_op_kind kind);
/* It counts on what was typed into the page before: see there. */
bool tb_op_acts(enum tb_op_kind kind);
