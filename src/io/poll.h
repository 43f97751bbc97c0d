/* SPDX-License-Identifier: Apache-2.0 */
/* Readiness of a descriptor that another library owns (Redis client, libcurl). */
#pragma once

#include "base/mem.h"
#include "io/loop.h"

struct tb_poll;

enum {
    TB_POLL_READ = 1,
    TB_POLL_WRITE = 2,
    TB_POLL_ERROR = 4, /* reported only */
};

typedef void tb_poll_fn(struct tb_poll *poll, int events, void *user);

/* NULL when the descriptor cannot be watched. It becomes non-blocking, stays the caller's and must
 * outlive this. */
struct tb_poll *tb_poll_new(struct tb_loop *loop, int fd, tb_poll_fn *fn, void *user);
void tb_poll_free(struct tb_poll *poll);
TB_DEFINE_AUTO(struct tb_poll *, tb_poll_free)
/* Which events are wanted; 0 stops watching. After TB_POLL_ERROR nothing is watched any more. */
void tb_poll_watch(struct tb_poll *poll, int events);
