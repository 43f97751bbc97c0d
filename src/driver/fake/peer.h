/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's end of the channel to the peer of a fake session: what a tool of its page is asked,
 * and the answer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "core/channel.h"

enum {
    TB_FAKE_NUMBER_SIZE = 24,
};

/* A question, inside the record of who asks. */
struct tb_fake_ask {
    struct tb_list link;
    char id[TB_FAKE_NUMBER_SIZE];
    const char *name;   /* of the tool */
    struct tb_str args; /* as its caller wrote them */
    bool unsent;        /* the peer could not take it yet */
    void (*answered)(struct tb_fake_ask *ask, bool well, struct tb_str answer);
};

struct tb_fake_peer {
    struct tb_channel *channel; /* NULL: there is none, or it has gone */
    struct tb_list asks;
    bool deaf; /* it can take no message now */
    void (*gone)(struct tb_fake_peer *peer);
};

void tb_fake_peer_init(struct tb_fake_peer *peer, void (*gone)(struct tb_fake_peer *peer));
/* In place of the one before. As tb_channel_join. */
int tb_fake_peer_join(struct tb_fake_peer *peer, struct tb_channel *channel);
/* Lets go of it; nobody is told. */
void tb_fake_peer_drop(struct tb_fake_peer *peer);
/* Asks it as number so and so. Who asks takes the question off its list to be answered no more. */
void tb_fake_peer_ask(struct tb_fake_peer *peer, struct tb_fake_ask *ask, int64_t number);
