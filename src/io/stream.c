/* SPDX-License-Identifier: Apache-2.0 */
#include "io/stream.h"

#include <poll.h>

#include "base/mem.h"
#include "io/stream_internal.h"

enum {
    SEND_MAX_DEFAULT = 1024 * 1024,
};

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf)
{
    (void)suggested;
    struct tb_stream *stream = handle->data;
    *ret_buf = uv_buf_init(stream->loop->read_room, TB_LOOP_READ_BYTES);
}

/* An answer to input need not wait for the end of the turn, when its bytes would be out of the
 * cache. A stream that was freed meanwhile has no output waiting. */
static void answer_now(struct tb_stream *stream)
{
    if (tb_deferred_waits(&stream->out.flush)) {
        tb_deferred_cancel(&stream->out.flush);
        tb_stream_flush(stream);
    }
}

static void on_input(uv_stream_t *uv, ssize_t nread, const uv_buf_t *buf)
{
    struct tb_stream *stream = uv->data;
    if (nread > 0) {
        struct tb_str bytes = {buf->base, (size_t)nread};
        if (stream->tls) {
            tb_stream_tls_input(stream, bytes);
        } else {
            tb_stream_deliver(stream, bytes);
        }
        answer_now(stream);
    } else if (nread < 0) {
        int status = nread == UV_EOF ? 0 : (int)nread;
        if (stream->tls) {
            tb_stream_tls_input_end(stream, status);
        } else {
            tb_stream_end_input(stream, status);
        }
    }
}

void tb_stream_update_reading(struct tb_stream *stream)
{
    bool want = (stream->started || stream->shaking) && !stream->paused && !stream->connecting &&
                !stream->input_over && !stream->error && !stream->freed;
    if (want && !stream->reading) {
        /* Refused only by the writing end of a pipe, where there is nothing to read. */
        stream->reading = uv_read_start(&stream->uv.stream, give_room, on_input) == 0;
    } else if (!want && stream->reading) {
        uv_read_stop(&stream->uv.stream);
        stream->reading = false;
    }
}

void tb_stream_deliver(struct tb_stream *stream, struct tb_str bytes)
{
    if (!stream->lingering) {
        stream->ops.on_read(stream, bytes, stream->user);
    }
}

static void tell_end(struct tb_stream *stream)
{
    if (stream->lingering) {
        tb_stream_linger_on(stream);
    } else if (stream->shaking) {
        tb_stream_connected(stream, stream->error);
    } else if (stream->started && !stream->end_told && !stream->freed) {
        stream->end_told = true;
        stream->ops.on_end(stream, stream->error, stream->user);
    }
}

void tb_stream_end_input(struct tb_stream *stream, int status)
{
    stream->input_over = true;
    if (status < 0) {
        tb_stream_fail(stream, status);
    }
    tb_stream_update_reading(stream);
    tell_end(stream);
}

void tb_stream_fail(struct tb_stream *stream, int code)
{
    if (!stream->error) {
        stream->error = code;
    }
    tb_sendq_fini(&stream->out.plain);
    tb_sendq_fini(&stream->out.queue);
    tb_deferred_cancel(&stream->out.flush);
}

static void run_news(struct tb_deferred *job)
{
    struct tb_stream *stream = TB_CONTAINER(job, struct tb_stream, news);
    if (stream->connecting && stream->error) {
        tb_stream_connected(stream, stream->error);
        return;
    }
    if (stream->tls && !stream->error) {
        tb_stream_tls_pump(stream);
    }
    if (!stream->freed && (stream->error || stream->input_over)) {
        tb_stream_update_reading(stream);
        tell_end(stream);
    }
}

static void run_output(struct tb_deferred *job)
{
    tb_stream_flush(TB_CONTAINER(job, struct tb_stream, out.flush));
}

static void close_now(struct tb_stream *stream)
{
    stream->freed = true;
    tb_deferred_cancel(&stream->out.flush);
    tb_deferred_cancel(&stream->news);
    tb_deferred_cancel(&stream->leftover);
    tb_timer_fini(&stream->linger);
    tb_sendq_fini(&stream->out.plain);
    tb_sendq_fini(&stream->out.queue);
    tb_stream_tls_free(stream);
    tb_handle_close(&stream->uv.handle);
}

static void linger_over(struct tb_stream *stream)
{
    /* What was written in this turn gets its chance, even with a timeout of 0. */
    tb_stream_flush(stream);
    if (!stream->freed) {
        close_now(stream);
    }
}

static void on_linger_timeout(struct tb_timer *timer, void *user)
{
    (void)timer;
    linger_over(user);
}

static void on_loop_end(struct tb_deferred *job)
{
    linger_over(TB_CONTAINER(job, struct tb_stream, leftover));
}

static struct tb_stream *stream_new(struct tb_loop *loop)
{
    struct tb_stream *stream = TB_NEW(struct tb_stream);
    stream->loop = loop;
    stream->out.max = SEND_MAX_DEFAULT;
    stream->out.flush.run = run_output;
    stream->news.run = run_news;
    stream->leftover.run = on_loop_end;
    tb_timer_init(&stream->linger, loop, on_linger_timeout, stream);
    loop->live++;
    return stream;
}

struct tb_stream *tb_stream_new_tcp(struct tb_loop *loop)
{
    struct tb_stream *stream = stream_new(loop);
    uv_tcp_init(&loop->uv, &stream->uv.tcp);
    stream->uv.handle.data = stream;
    return stream;
}

struct tb_stream *tb_stream_new_pipe(struct tb_loop *loop)
{
    struct tb_stream *stream = stream_new(loop);
    uv_pipe_init(&loop->uv, &stream->uv.pipe, 0);
    stream->uv.handle.data = stream;
    tb_peer_set_pipe(&stream->peer);
    return stream;
}

void tb_stream_free(struct tb_stream *stream)
{
    if (stream) {
        stream->loop->live--;
        close_now(stream);
    }
}

void tb_stream_start(struct tb_stream *stream, const struct tb_stream_ops *ops, void *user)
{
    stream->ops = *ops;
    stream->user = user;
    stream->started = true;
    stream->end_told = false;
    tb_stream_resume(stream);
}

void tb_stream_pause(struct tb_stream *stream)
{
    stream->paused = true;
    tb_stream_update_reading(stream);
}

void tb_stream_resume(struct tb_stream *stream)
{
    stream->paused = false;
    tb_stream_update_reading(stream);
    /* TLS may hold decrypted bytes, and a new owner may come after the end. */
    if (stream->tls || stream->error || stream->input_over) {
        tb_loop_defer(stream->loop, &stream->news);
    }
}

void tb_stream_finish(struct tb_stream *stream)
{
    stream->out.finishing = true;
    tb_loop_defer_output(stream->loop, &stream->out.flush);
}

void tb_stream_finish_and_free(struct tb_stream *stream, int64_t timeout_ms)
{
    if (!stream) {
        return;
    }
    struct tb_loop *loop = stream->loop;
    loop->live--;
    tb_list_append(&loop->leftovers, &stream->leftover.link);
    stream->lingering = true;
    stream->started = true;
    tb_timer_start(&stream->linger, timeout_ms);
    tb_stream_finish(stream);
    tb_stream_resume(stream);
}

void tb_stream_linger_on(struct tb_stream *stream)
{
    if (stream->error || (stream->out.shut && stream->input_over)) {
        close_now(stream);
    }
}

const struct tb_peer *tb_stream_peer(const struct tb_stream *stream)
{
    return &stream->peer;
}

bool tb_stream_hung_up(const struct tb_stream *stream)
{
    struct pollfd look = {.events = POLLOUT};
    return stream->error || uv_fileno(&stream->uv.handle, &look.fd) < 0 ||
           (poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)));
}

struct tb_loop *tb_stream_loop(const struct tb_stream *stream)
{
    return stream->loop;
}
