/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "io/loop.h"
#include "io/loop_internal.h"

struct tb_signal {
    uv_signal_t uv;
    tb_signal_fn *fn;
    void *user;
};

static void on_signal(uv_signal_t *uv, int signum)
{
    struct tb_signal *watch = uv->data;
    watch->fn(signum, watch->user);
}

struct tb_signal *tb_signal_new(struct tb_loop *loop, int signum, tb_signal_fn *fn, void *user)
{
    struct tb_signal *watch = TB_NEW(struct tb_signal);
    watch->fn = fn;
    watch->user = user;
    if (uv_signal_init(&loop->uv, &watch->uv) < 0) {
        tb_free(watch);
        return NULL;
    }
    watch->uv.data = watch;
    if (uv_signal_start(&watch->uv, on_signal, signum) < 0) {
        tb_handle_close((uv_handle_t *)&watch->uv);
        return NULL;
    }
    loop->live++;
    return watch;
}

void tb_signal_free(struct tb_signal *watch)
{
    if (!watch) {
        return;
    }
    struct tb_loop *loop = watch->uv.loop->data;
    loop->live--;
    tb_handle_close((uv_handle_t *)&watch->uv);
}
