/* SPDX-License-Identifier: Apache-2.0 */
/* A core with the fake driver and a clock that is moved by hand, for tests of sessions and calls.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "core/call.h"
#include "core/config.h"
#include "core/core.h"
#include "core/sessions.h"
#include "driver/fake/fake.h"

struct rig {
    struct tb_clock_manual clock;
    struct tb_log log;
    struct tb_config config;
    struct tb_core core;
    struct tb_fake *fake;
    struct tb_subscriber listener;
    struct tb_buf events; /* "session_started {...}\n" */
    size_t finished;      /* calls so far */
    const char *agent;    /* whose calls they are; NULL: unknown */
    tb_call_ask_fn *ask;  /* how they ask their user, who is a struct rig_call; NULL: not at all */
    bool brief;           /* they are of a toolset whose sessions end when they are idle */
};

/* A call of the test; freed by rig_forget. */
struct rig_call {
    struct rig *rig;
    struct tb_call *call; /* NULL when it has ended */
    size_t dones;
    size_t place; /* the how-manieth to end, from 1 */
    int code;
    char message[1024];
    char chosen[TB_NAME_SIZE]; /* the session, if the caller did not name it */
    struct cJSON *data;
    int progress;
    char working[64];                       /* what it said last of that */
    void (*on_done)(struct rig_call *call); /* what the test does inside `done` */
    void *user;
};

/* Tools: navigate may create a session, the others not. All take {"tag": text}. */
extern const struct tb_tool rig_navigate;
extern const struct tb_tool rig_click;
extern const struct tb_tool rig_wait;

/* For cmocka: *state is a new struct rig. */
int rig_setup(void **state);
int rig_teardown(void **state);
/* A setting of the configuration. */
void rig_set(struct rig *rig, const char *path, const char *text);
/* Frees the sessions and stops the driver; rig_teardown does it too. */
void rig_stop(struct rig *rig);

/* Runs the loop until nothing is left to do at this time. */
void rig_turn(struct rig *rig);
void rig_turns(struct rig *rig, int count);
/* Moves the clock, then the same. */
void rig_advance(struct rig *rig, int64_t ms);

/* Starts a call of tenant "t" with arguments as JSON text (NULL: none). */
struct rig_call *rig_start(struct rig *rig, const struct tb_tool *tool, const char *conversation,
                           const char *args);
struct rig_call *rig_start_as(struct rig *rig, const struct tb_tool *tool, const char *tenant,
                              const char *conversation, const char *args);
/* Starts it and runs the loop: the code, with a check that it has ended. */
int rig_run(struct rig *rig, const struct tb_tool *tool, const char *conversation,
            const char *args);
/* It has ended, with this code. Frees it. */
void rig_expect(struct rig_call *call, int code);
void rig_forget(struct rig_call *call);

/* A named session of tenant "t". */
struct tb_session *rig_create(struct rig *rig, const char *name);
struct tb_session *rig_create_as(struct rig *rig, const char *tenant, const char *conversation,
                                 const char *name);
struct tb_session *rig_find(struct rig *rig, const char *name);
/* A call on session "a" that leaves a tag in its browser. */
void rig_leave_tag(struct rig *rig, const char *tag);
/* Session "a" with the tag "login". */
struct tb_session *rig_create_tagged(struct rig *rig);
/* What a call on "a" says besides its result; "" for nothing. The caller frees. */
char *rig_note(struct rig *rig);
/* How often `text` stands in the events so far. */
size_t rig_events(struct rig *rig, const char *text);
/* The sum of all metrics of calls whose labels have these words. */
int64_t rig_calls_counted(const struct rig *rig, const char *words);
