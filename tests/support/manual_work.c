/* SPDX-License-Identifier: Apache-2.0 */
#include "support/manual_work.h"

#include <errno.h>

#include "base/mem.h"

enum {
    TURNS_MAX = 4,
};

struct manual_work {
    struct tb_deferred job;
    struct tb_loop *loop;
    tb_work_fn *run;
    tb_work_done_fn *done;
    void *user;
    unsigned turns; /* to wait for */
    bool ran;
    bool cancelled;
    int result;
};

static struct {
    unsigned seed;
    bool held;
} pace;

void manual_work_pace(unsigned seed)
{
    pace.seed = seed;
}

void manual_work_hold(bool hold)
{
    pace.held = hold;
}

static unsigned next_turns(void)
{
    pace.seed = pace.seed * 1103515245U + (pace.seed ? 12345U : 0);
    return pace.seed >> 16 & (TURNS_MAX - 1);
}

static void on_turn(struct tb_deferred *job)
{
    struct manual_work *work = TB_CONTAINER(job, struct manual_work, job);
    if (pace.held || work->turns) {
        work->turns -= !pace.held;
        tb_loop_defer(work->loop, job);
    } else if (!work->ran) {
        work->ran = true;
        work->result = work->cancelled ? -ECANCELED : work->run(work->user);
        work->turns = next_turns();
        tb_loop_defer(work->loop, job);
    } else {
        tb_work_done_fn *done = work->done;
        void *user = work->user;
        int result = work->cancelled ? -ECANCELED : work->result;
        tb_free(work);
        done(result, user);
    }
}

struct manual_work *manual_work_submit(struct tb_loop *loop, tb_work_fn *run, tb_work_done_fn *done,
                                       void *user)
{
    struct manual_work *work = TB_NEW(struct manual_work);
    work->job.run = on_turn;
    tb_list_init(&work->job.link);
    work->loop = loop;
    work->run = run;
    work->done = done;
    work->user = user;
    work->turns = next_turns();
    tb_loop_defer(loop, &work->job);
    return work;
}

void manual_work_cancel(struct manual_work *work)
{
    work->cancelled = true;
}
