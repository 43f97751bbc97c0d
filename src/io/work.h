/* SPDX-License-Identifier: Apache-2.0 */
/* Work on another thread: `run` on a worker, then `done` on the loop, exactly once. Cancelling lets
 * `run` end by itself when it has begun; `done` then comes with -ECANCELED. */
#pragma once

#include "io/loop.h"

struct tb_work;
typedef int tb_work_fn(void *user); /* 0 or a negative code */
typedef void tb_work_done_fn(int status, void *user);

/* Never fails. The handle is valid until `done` begins. */
struct tb_work *tb_work_submit(struct tb_loop *loop, tb_work_fn *run, tb_work_done_fn *done,
                               void *user);
void tb_work_cancel(struct tb_work *work);
