/* SPDX-License-Identifier: Apache-2.0 */
/* The forward proxy: the only way to the network for browser contexts whose session has a policy
 * (core/egress.h). It has a door of its own, on loopback, and is never an open proxy: without the
 * pass of a context every request gets 407.
 *
 *   proxy.c      the front: its connections
 *   conn.c       one connection of a browser, from head to head
 *   exchange.c   a plain HTTP request and its answer; heads.c writes their heads
 *   tunnel.c     bytes both ways: CONNECT and WebSocket
 *   reach.c      from a host to a connection: look up, judge each address, connect
 *   handshake.c  through a proxy of somebody else's */
#pragma once

#include "core/front.h"

struct tb_dns;

extern const struct tb_front tb_front_proxy;

/* For tests: names are looked up there from now on. Takes it. */
void tb_proxy_set_dns_take(void *state, struct tb_dns *dns);
