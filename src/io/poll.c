/* SPDX-License-Identifier: Apache-2.0 */
#include "io/poll.h"

#include "io/loop_internal.h"

struct tb_poll {
    uv_poll_t uv;
    struct tb_loop *loop;
    tb_poll_fn *fn;
    void *user;
};

static void on_events(uv_poll_t *uv, int status, int uv_events)
{
    struct tb_poll *poll = uv->data;
    int events = status < 0 ? TB_POLL_ERROR : 0;
    events |= uv_events & UV_READABLE ? TB_POLL_READ : 0;
    events |= uv_events & UV_WRITABLE ? TB_POLL_WRITE : 0;
    poll->fn(poll, events, poll->user);
}

struct tb_poll *tb_poll_new(struct tb_loop *loop, int fd, tb_poll_fn *fn, void *user)
{
    struct tb_poll *poll = TB_NEW(struct tb_poll);
    if (uv_poll_init(&loop->uv, &poll->uv, fd) < 0) {
        tb_free(poll);
        return NULL;
    }
    poll->uv.data = poll;
    poll->loop = loop;
    poll->fn = fn;
    poll->user = user;
    loop->live++;
    return poll;
}

void tb_poll_free(struct tb_poll *poll)
{
    if (poll) {
        poll->loop->live--;
        tb_handle_close((uv_handle_t *)&poll->uv);
    }
}

void tb_poll_watch(struct tb_poll *poll, int events)
{
    int uv_events = 0;
    uv_events |= events & TB_POLL_READ ? UV_READABLE : 0;
    uv_events |= events & TB_POLL_WRITE ? UV_WRITABLE : 0;
    if (uv_events) {
        uv_poll_start(&poll->uv, uv_events, on_events);
    } else {
        uv_poll_stop(&poll->uv);
    }
}
