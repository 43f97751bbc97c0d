/* SPDX-License-Identifier: Apache-2.0 */
#include "io/work.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "io/loop_internal.h"

struct tb_work {
    uv_work_t uv;
    struct tb_loop *loop;
    tb_work_fn *run;
    tb_work_done_fn *done;
    void *user;
    int result;     /* the worker's, until `done` */
    bool cancelled; /* the loop's */
};

static void on_worker(uv_work_t *uv)
{
    struct tb_work *work = uv->data;
    work->result = work->run(work->user);
}

static void on_done(uv_work_t *uv, int status)
{
    struct tb_work *work = uv->data;
    tb_work_done_fn *done = work->done;
    void *user = work->user;
    int result = status < 0 || work->cancelled ? -ECANCELED : work->result;
    work->loop->live--;
    tb_free(work);
    done(result, user);
}

struct tb_work *tb_work_submit(struct tb_loop *loop, tb_work_fn *run, tb_work_done_fn *done,
                               void *user)
{
    struct tb_work *work = TB_NEW(struct tb_work);
    work->uv.data = work;
    work->loop = loop;
    work->run = run;
    work->done = done;
    work->user = user;
    if (uv_queue_work(&loop->uv, &work->uv, on_worker, on_done) < 0) {
        abort(); /* fails only without a function to run */
    }
    loop->live++;
    return work;
}

void tb_work_cancel(struct tb_work *work)
{
    work->cancelled = true;
    /* Refused when the worker has begun; then the flag alone decides what `done` hears. */
    uv_cancel((uv_req_t *)&work->uv);
}
