/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of /api/events. A reader is a position in what the feed keeps, and a small queue of
 * bytes on their way: what all are sent exists once, and who reads slowly costs no more than who
 * reads fast. A reader whose next notice is kept no longer is dropped and told where it was.
 *
 *   reading <-> waiting for its queue to empty --> dropped, left, or the daemon stops */
#pragma once

#include "core/front.h"
#include "front/events/feed.h"

void tb_readers_init(struct tb_feed *feed);
/* Frees what is left at once. */
void tb_readers_fini(struct tb_feed *feed);
/* Sends what is new at the end of this turn. */
void tb_readers_deliver_soon(struct tb_feed *feed);
/* Sends what is new, then ends all in good order. */
void tb_readers_end(struct tb_feed *feed);

/* For the route: GET /api/events. */
void tb_readers_open(struct tb_front_req *req);
void tb_readers_gone(struct tb_front_req *req);
