/* SPDX-License-Identifier: Apache-2.0 */
/* A page at the other end of a WebSocket: one JSON-RPC message a frame, and one session at a time.
 *
 *   connected --session/create--> opening --the driver has joined--> open --> connected
 *                                                      '--the page goes: the session is away
 *
 * What concerns the session as such is answered here (see `methods`); all else goes to its driver
 * through a channel, and calls of its tools come back the same way. */
#pragma once

#include "core/bus.h"
#include "core/front.h"

/* The state of the front. */
struct tb_btcp {
    struct tb_core *core;
    struct tb_list pages;
    struct tb_subscriber bus;
};

void tb_btcp_page_open(struct tb_front_req *req);
/* For the bus: tells the page whose session it is. */
void tb_btcp_pages_hear(const struct tb_event *event, void *state);
/* Closes all in good order; their sessions are away then. */
void tb_btcp_pages_drain(struct tb_btcp *btcp);
void tb_btcp_pages_free(struct tb_btcp *btcp);
