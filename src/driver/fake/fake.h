/* SPDX-License-Identifier: Apache-2.0 */
/* A driver without a browser, for tests of what stands above drivers. A test says beforehand how
 * things go: at once, after some time, when it is told to, or never, well or badly; and looks
 * afterwards at what was asked for. A good operation gives its own arguments back as `data`,
 * and a screenshot a picture; a tool that its session brought gives back the bytes of its
 * arguments, or what the session's peer answers if it has one. If they have a `tag`, the session
 * remembers it: that is all that there is to save.
 *
 * It keeps to the contract of core/driver.h and aborts when core does not: more operations of one
 * session at a time than its width, or anything on a session that is closed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "core/driver.h"
#include "core/picture.h"

extern const struct tb_driver tb_driver_fake;

enum tb_fake_when {
    TB_FAKE_NOW,   /* before the driver's function returns; a close or save: in the next turn */
    TB_FAKE_LATER, /* delay_ms later */
    TB_FAKE_HELD,  /* when the test says so; if it never does: never */
};

enum tb_fake_cancel {
    TB_FAKE_CANCEL_ENDS,    /* with TB_E_CANCELLED, at once */
    TB_FAKE_CANCEL_IGNORED, /* as if it had not been asked */
    TB_FAKE_CANCEL_NONE,    /* there is no such function */
};

struct tb_fake_plan {
    enum tb_fake_when when;
    int64_t delay_ms;
    int code; /* 0: well */
    enum tb_fake_cancel cancel;
    int progress; /* so many times, before anything else */
};

/* How many of each so far. */
struct tb_fake_counts {
    size_t opened;
    size_t closed;
    size_t saved;
    size_t detached;
    size_t attached;
    size_t begun; /* operations */
    size_t ended;
    size_t cancelled;
    size_t at_work; /* now, and the most there were at one time */
    size_t at_work_most;
    size_t watches; /* how often pictures were asked for, and how often no more */
    size_t unwatches;
    size_t frames; /* pictures that were made */
    size_t inputs; /* what hands did */
};

/* What driver.start gives. The plans may be changed at any time and count for what begins then. */
struct tb_fake {
    struct tb_fake_plan ops[TB_OP_COUNT];
    struct tb_fake_plan open;
    struct tb_fake_plan close;
    struct tb_fake_plan save;
    size_t width;            /* the operations of one session that core may have under way */
    const char *text;        /* of a good operation; NULL: its name */
    size_t text_bytes;       /* it is filled up to so many */
    const char *data;        /* JSON that a good operation gives; NULL: its arguments */
    size_t image_bytes;      /* a picture is filled up to so many */
    bool saves_beside;       /* a save does not mind operations */
    const char *missing;     /* what sessions that are brought back have lost; NULL: nothing */
    bool typed_lost;         /* what was typed is among it */
    int64_t saved_ref;       /* the highest ref that what was saved knows of */
    bool blind;              /* a save cannot tell of what was typed */
    bool types;              /* operations leave something in fields */
    int64_t last_ref;        /* that they have given */
    int64_t before;          /* the same of the browser before, by the last open */
    bool detachable;         /* sessions leave their pages behind when asked to */
    char invoked[64];        /* the handle of the brought tool that ran last */
    char request_id[64];     /* what its caller calls the request for that */
    char opened_with[128];   /* the arguments of the last open, as JSON; empty: none */
    const char *const *tabs; /* where those of every session are, the last NULL; NULL: untold */
    int64_t asked;           /* the number of the last request to a peer */
    struct tb_want want;     /* the size that was asked for last */
    struct tb_input input;   /* what hands did last, without its text */
    struct tb_fake_counts counts;
    struct tb_core *core;
    struct tb_list sessions;
};

/* Ends the oldest operation, else the opening, closing or saving that the session waits for, as its
 * plan says or with another code. False when it waits for nothing. */
bool tb_fake_release(struct tb_fake *fake, const char *session_id);
bool tb_fake_release_with(struct tb_fake *fake, const char *session_id, int code);
/* The session's browser dies: core is told. False when it is not open, or closed. */
bool tb_fake_lose(struct tb_fake *fake, const char *session_id);
/* The same for another reason, or for good. */
bool tb_fake_lose_for(struct tb_fake *fake, const char *session_id, enum tb_end_reason reason,
                      enum tb_loss loss, const char *detail);
/* It can take messages of its peer, or none for now. False when it has no peer. */
bool tb_fake_listen(struct tb_fake *fake, const char *session_id, bool listens);
/* The tag of its last operation, empty if it had none; NULL when it is not open. */
const char *tb_fake_memory(struct tb_fake *fake, const char *session_id);
/* It looks like this now. Those who watch are shown it once they want another picture. False when
 * nobody does. */
bool tb_fake_draw(struct tb_fake *fake, const char *session_id, const char *look);
/* Something happens in it that goes to the bus. */
bool tb_fake_emit(struct tb_fake *fake, const char *session_id, const struct tb_event *event);
/* It brings these tools along, in place of those before; takes them over if it is open. */
bool tb_fake_bring_take(struct tb_fake *fake, const char *session_id, struct tb_brought **tools,
                        size_t count);
