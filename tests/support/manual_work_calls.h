/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the place of io/work.c. It stands in a header, for the one source of a program that wants
 * that: in the library of the tests every program would get it. */
#pragma once

#include "support/manual_work.h"

struct tb_work *tb_work_submit(struct tb_loop *loop, tb_work_fn *run, tb_work_done_fn *done,
                               void *user)
{
    return (struct tb_work *)manual_work_submit(loop, run, done, user);
}

void tb_work_cancel(struct tb_work *work)
{
    manual_work_cancel((struct manual_work *)work);
}
