/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of a driver's channel, as a front with a socket would have it: it writes each
 * message into a frame, and closes when it hears that the driver has. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "core/channel.h"

struct peer {
    struct tb_channel *channel; /* NULL: closed */
    struct tb_buf frames;       /* all that came, a line each */
    const void *payload;        /* where the arguments of the last one stood when it came */
    size_t closes;              /* how often it heard each */
    size_t readies;
    bool busy;          /* it can take nothing now */
    const char *answer; /* JSON, given at once to each request; NULL: none */
};

void peer_open(struct peer *peer, struct tb_loop *loop);
/* Also for one that is closed. */
void peer_close(struct peer *peer);
/* Closes it and frees what came. */
void peer_fini(struct peer *peer);
/* An answer to the request of this id, as tb_channel_send. */
int peer_answer(struct peer *peer, const char *id, const char *result);
/* It can take messages again. */
void peer_resume(struct peer *peer);
