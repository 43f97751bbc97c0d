/* SPDX-License-Identifier: Apache-2.0 */
/* The latest notices, with a ceiling on their number and their bytes; over it the oldest go. Each
 * has a position, counted from 1. One of these is what all readers of /api/events read from, each
 * at its own position; a webhook has its own as its queue. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/events/notice.h"

struct tb_notices {
    struct tb_notice **items;
    size_t cap;
    size_t bytes_max;
    size_t bytes;
    uint64_t first; /* position of the oldest */
    uint64_t next;  /* of the one to come; equal to `first` when there is none */
};

void tb_notices_init(struct tb_notices *notices, size_t cap, size_t bytes_max);
void tb_notices_fini(struct tb_notices *notices);
/* Takes a reference of its own; how many had to go for it. */
size_t tb_notices_add(struct tb_notices *notices, struct tb_notice *notice);
/* Borrowed; the position must be from `first` up to before `next`. */
const struct tb_notice *tb_notices_at(const struct tb_notices *notices, uint64_t position);
/* The oldest with its reference; NULL when there is none. */
struct tb_notice *tb_notices_pop(struct tb_notices *notices);
