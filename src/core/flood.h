/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of things that a peer can bring about as often as it likes. Of those within a minute
 * from the first one, a hundred are told one by one, and how many there were besides is told as a
 * number when the minute is over, or whatever they belong to ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/timer.h"

struct tb_flood;

/* So many were not told; never 0. */
typedef void tb_flood_rest_fn(struct tb_flood *flood, int64_t count);

/* A part of its owner. */
struct tb_flood {
    struct tb_timer window;
    int64_t count; /* since it began */
    tb_flood_rest_fn *rest;
};

void tb_flood_init(struct tb_flood *flood, struct tb_loop *loop, tb_flood_rest_fn *rest);
/* Tells what is left to tell. Safe on a zeroed one. */
void tb_flood_fini(struct tb_flood *flood);
/* One more: is it to be told? */
bool tb_flood_tells(struct tb_flood *flood);
/* The window is over early; the next one begins another. */
void tb_flood_close(struct tb_flood *flood);
