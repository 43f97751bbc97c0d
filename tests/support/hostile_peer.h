/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of a DevTools pipe, which does what it likes: it answers well or badly, or not at
 * all, tells of things that never happened, and dies. What it does is chosen by numbers, so that a
 * fuzzer can steer it.
 *
 * Well behaved, it is enough of a browser for a session to open and for operations to run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "io/stream.h"

#define HOSTILE_SECRET "hunter2!"

enum {
    HOSTILE_WAITING_MAX = 256,
    HOSTILE_PICKS = 4,
    HOSTILE_COMMITTED = 19, /* event of hostile_tell: the tab has another document */
};

struct hostile_command {
    uint64_t id;
    char method[64];
    char session[64];
    char context[64];  /* that it names; empty: none */
    char target[64];   /* the same */
    char response[32]; /* to a question for credentials */
    bool in_frame;     /* calls a function of ours in one */
    bool receives;     /* asks our scripts where files go */
    bool by_keys;      /* a field is to be filled so */
};

struct hostile_peer {
    int in; /* -1: closed */
    int out;
    struct tb_buf read;
    struct hostile_command waiting[HOSTILE_WAITING_MAX];
    size_t count;
    struct hostile_command answered; /* the last */
    unsigned contexts;               /* made so far: C1 ... */
    unsigned targets;                /* T1 ..., with the sessions S1 ... */
    unsigned worlds;                 /* W1 ... */
    unsigned secrets;                /* how often it was given the one above */
};

/* Our ends of a fresh pipe. */
void hostile_open(struct hostile_peer *peer, struct tb_loop *loop, struct tb_stream **ret_to,
                  struct tb_stream **ret_from);
void hostile_close(struct hostile_peer *peer);
/* Takes note of the commands that have come. */
void hostile_read(struct hostile_peer *peer);
/* Answers one of them; `how` 0 is well. With `keep` it may be answered again. */
void hostile_answer(struct hostile_peer *peer, size_t which, uint8_t how, bool keep);
/* All that wait, well. */
void hostile_answer_all(struct hostile_peer *peer);
/* Tells of something; the picks choose whom it is about. */
void hostile_tell(struct hostile_peer *peer, uint8_t what, const uint8_t picks[HOSTILE_PICKS]);
/* What well-behaved browsers tell of, in the tab of this session: a frame with its worlds, F1; a
 * dialog; a download from its beginning to its end, L1. */
void hostile_frame(struct hostile_peer *peer, const char *session);
void hostile_dialog(struct hostile_peer *peer, const char *session);
void hostile_download(struct hostile_peer *peer, const char *session);
/* Bytes that need not be a message. */
void hostile_say(struct hostile_peer *peer, const void *data, size_t len);
