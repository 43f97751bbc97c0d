/* SPDX-License-Identifier: Apache-2.0 */
/* Core as the driver for Chromium knows it, with a browser that does what it likes at the other end
 * (hostile_peer.h): a few seats for sessions, of which each has at most one operation and one save
 * under way. What the driver promises is asserted wherever it calls back. Time is moved by hand, no
 * process is ever started, and the bytes of the play choose what core does when it is told of
 * something. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "core/egress_internal.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/cdp.h"

#include "support/hostile_peer.h"

enum {
    PLAY_SEATS = 3,
    PLAY_OPS = TB_OP_INVOKE, /* those before it; no page of this driver brings tools */
    PLAY_BROWSERS = 3,       /* one of ours, one at an endpoint, one of ours behind the proxy */
};

/* One operation, one save, or a session from its opening to its end. It stays until the play is
 * over, so that what comes twice is not taken for the answer to the next. */
struct call {
    struct tb_list link;
    struct seat *seat;
    bool ended;
    int code; /* of an operation that has ended */
    struct tb_op op;
    struct tb_result result;
    struct cJSON *args; /* NULL: no operation, or over */
};

/* A session as core has it. */
struct seat {
    struct play *play;
    struct tb_driver_session *session;
    enum {
        EMPTY,
        OPENING,
        OPEN,
        CLOSING
    } phase;
    bool files;         /* it keeps what is downloaded */
    bool lost;          /* core was told so */
    bool downloaded;    /* core was told of a whole file */
    struct call *visit; /* NULL while it is empty */
    struct call *op;    /* under way; NULL: none */
    struct call *last;  /* has ended, and core has not cleared it away yet */
    struct call *save;  /* as op */
};

struct play {
    const char *directory; /* of the state and of files; the caller's */
    const uint8_t *data;
    size_t left;
    uint8_t how; /* the first byte: what core does at once when it is told of something */
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    struct tb_config config;
    struct tb_core core;
    struct tb_egress egress; /* of all sessions that have one */
    struct tb_cdp_fleet *fleet;
    struct hostile_peer peers[PLAY_BROWSERS];
    struct seat seats[PLAY_SEATS];
    struct tb_list calls;
    uint8_t forbids;  /* which addresses the policy does; 0: none */
    unsigned reveals; /* of the secret, so far */
    bool over;        /* the driver has stopped: nobody is there any more to be called back */
};

/* `directory`, `data` and `left` are set. */
void play_init(struct play *play);
/* Stops the driver: what is under way is dropped without a word. */
void play_fini(struct play *play);
/* The next byte; 0 when there is none. */
uint8_t play_next(struct play *play);

/* What core asks for, if the seat is free for it. The last byte of each says how. */
void play_open(struct play *play, struct seat *seat, uint8_t how);
void play_close(struct seat *seat, bool detach);
void play_op(struct play *play, struct seat *seat, uint8_t what, uint8_t how);
void play_cancel(struct seat *seat);
/* From now on pages may be elsewhere. */
void play_set_policy(struct play *play, uint8_t how);
void play_save(struct play *play, struct seat *seat, uint8_t how);

/* The one behind the proxy counts as the other where there is none at an endpoint. */
struct hostile_peer *play_peer(struct play *play, bool other);
void play_turn(struct play *play);
/* Core cancels what is late. */
void play_pass_time(struct play *play, int64_t ms);
/* Every command is answered well, for a few rounds. */
void play_go_well(struct play *play);
/* The browser says nothing more: by its deadline each call ends all the same. */
void play_wait_for_all(struct play *play);
