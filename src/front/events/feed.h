/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the events front. Whatever is published becomes a notice, goes to the webhooks that
 * want it, and is kept for readers if there are or may be some; they take from what is kept at the
 * end of the turn, so nobody who publishes waits for anybody.
 *
 *   bus -> feed.c -> notices.c -> readers.c -> SSE, WebSocket
 *                 `-> hooks.c  -> HTTP POST */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "core/bus.h"
#include "core/core.h"
#include "front/events/notices.h"
#include "io/timer.h"

enum {
    TB_BOOT_SIZE = 13, /* 12 hexadecimal digits and a NUL */
};

struct tb_hooks;

struct tb_feed {
    struct tb_core *core;
    struct tb_subscriber bus;
    char boot[TB_BOOT_SIZE]; /* drawn at start: ids of another run are not ours */
    struct tb_notices notices;
    struct tb_list readers;
    size_t reader_count;
    int64_t awaited_ms;  /* until then somebody may come back for what it misses */
    struct tb_buf piece; /* what one of them is about to be sent */
    struct tb_deferred deliver;
    struct tb_timer keepalive;
    struct tb_hooks *hooks;
};

struct tb_feed *tb_feed_new(struct tb_core *core);
/* Readers are gone by then. */
void tb_feed_free(struct tb_feed *feed);
/* The id of the notice at this position. */
void tb_feed_id(const struct tb_feed *feed, uint64_t position, char ret_id[TB_NOTICE_ID_SIZE]);
enum tb_feed_place {
    TB_PLACE_HERE,      /* of this run: what follows it is kept */
    TB_PLACE_EXPIRED,   /* the same, but not kept any more */
    TB_PLACE_RESTARTED, /* of another run */
    TB_PLACE_UNKNOWN,   /* no event has, or ever had, this id */
};

/* Where an event with this id stands; its position is set if it is here. */
enum tb_feed_place tb_feed_find(const struct tb_feed *feed, struct tb_str id,
                                uint64_t *ret_position);
