/* SPDX-License-Identifier: Apache-2.0 */
/* A lab for drivers: a core on the system clock with a folder of its own, and seats, each of which
 * plays core for one session. A seat counts what it is told and notes the first thing that
 * core/driver.h does not allow. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "core/config.h"
#include "core/core.h"
#include "core/driver.h"
#include "io/timer.h"

#include "support/peer.h"

struct driver_subject;

struct driver_lab {
    struct tb_core core;
    struct tb_config config;
    const struct driver_subject *subject;
    void *state; /* of the driver */
    char dir[64];
};

/* The function of the driver that is on the stack and has to answer later. */
enum driver_inside {
    DRIVER_IN_NONE,
    DRIVER_IN_SAVE,
    DRIVER_IN_CLOSE,
};

/* That the session brings along: the last list, and how many were told. */
struct driver_tools {
    struct tb_brought **list;
    size_t count;
    int lists;
};

/* What came of saving. */
struct driver_save {
    int count; /* how often it was told */
    bool running;
    int code; /* these of the last */
    bool whole;
    struct tb_buf state;
};

struct driver_seat {
    struct driver_lab *lab;
    const char *id;
    struct tb_driver_session *session; /* NULL: it is not open */
    struct tb_err refused;             /* why it did not open */
    int opens;                         /* how often each was told */
    int ends;
    int losses;
    int changes;
    int pictures;
    int closes;
    struct driver_tools tools;
    struct tb_op op;
    struct cJSON *args;
    struct tb_brought *invoked; /* by the operation: the tool, and its arguments */
    char *raw;
    struct tb_str agent_id; /* who calls it, and its request; empty: untold */
    struct tb_str request_id;
    struct tb_result result;
    struct tb_timer deadline; /* of the operation: then it is cancelled, as core does */
    bool running;
    bool closing;
    bool frame_wanted;
    bool lost; /* since it opened, or its peer came last */
    struct driver_save save;
    struct peer peer; /* that it is opened for, if there is one */
    enum driver_inside inside;
    bool silent;        /* nothing may be told any more: the driver has stopped */
    const char *breach; /* of the contract; NULL: none */
};

struct driver_call {
    enum tb_op_kind kind;
    const char *args; /* JSON; NULL: the driver has no operation like it */
};

void driver_lab_init(struct driver_lab *lab, const struct driver_subject *subject);
void driver_lab_fini(struct driver_lab *lab);
void driver_lab_start(struct driver_lab *lab);
void driver_lab_stop(struct driver_lab *lab);

void driver_seat_init(struct driver_seat *seat, struct driver_lab *lab, const char *id);
/* Closes its session if one is open, and fails the test if there was a breach. */
void driver_seat_fini(struct driver_seat *seat);
/* Fails the test if there was a breach so far. */
void driver_seat_check(const struct driver_seat *seat);

/* Begins to open a session, with what was saved of one (empty: nothing). driver_open waits, and
 * fails the test unless it opens. */
void driver_open_start(struct driver_seat *seat, struct tb_str saved);
void driver_open(struct driver_seat *seat);
void driver_open_saved(struct driver_seat *seat, struct tb_str saved);
/* The same for a peer, which is the seat's. */
void driver_open_for_peer(struct driver_seat *seat);
/* A peer comes back, or another in its place. As the driver says. */
int driver_attach(struct driver_seat *seat, struct tb_channel *channel);
/* The same for its end. */
void driver_close_start(struct driver_seat *seat);
void driver_close(struct driver_seat *seat);
/* The same for an operation; driver_run gives its code. */
void driver_run_start(struct driver_seat *seat, const struct driver_call *call, int64_t ms);
int driver_run(struct driver_seat *seat, const struct driver_call *call);
/* The same for a tool that the session brings, with these bytes as its arguments. */
void driver_invoke_start(struct driver_seat *seat, struct tb_brought *tool, struct tb_str raw,
                         int64_t ms);
int driver_invoke(struct driver_seat *seat, struct tb_brought *tool, struct tb_str raw);
/* As core does it: if the operation can be. */
void driver_cancel(struct driver_seat *seat);
/* The same for a save, which ends in `save`. */
void driver_save_start(struct driver_seat *seat);
void driver_save(struct driver_seat *seat);
/* Looks at it, or no longer; in another size (of the usual one so many times); and wants the next
 * picture. */
void driver_watch(struct driver_seat *seat, bool on);
void driver_watch_larger(struct driver_seat *seat, int times);
void driver_next_picture(struct driver_seat *seat);
