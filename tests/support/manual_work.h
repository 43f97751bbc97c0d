/* SPDX-License-Identifier: Apache-2.0 */
/* Work without threads: a turn of the loop, a few later or none runs it, and another one tells its
 * owner. The same input gives the same run. A program that includes support/manual_work_calls.h,
 * once, has it in the place of io/work.c. */
#pragma once

#include <stdbool.h>

#include "io/work.h"

struct manual_work;

/* How many turns each takes follows from this number; 0: always one. */
void manual_work_pace(unsigned seed);
/* While it is held nothing runs and nobody is told, as with a disk that hangs. */
void manual_work_hold(bool hold);
/* As tb_work_submit and tb_work_cancel. */
struct manual_work *manual_work_submit(struct tb_loop *loop, tb_work_fn *run, tb_work_done_fn *done,
                                       void *user);
void manual_work_cancel(struct manual_work *work);
