/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/socket.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/stream_internal.h"

/* Writes gather in the queue during a turn. At its end uv_try_write hands them to the system; what
 * the socket does not take goes to libuv with uv_write, and until that is out new bytes gather in
 * the queue again. */

enum {
    CHUNKS_AT_ONCE = 64,
};

/* Bytes that libuv has until its callback. */
struct flight {
    uv_write_t req;
    struct tb_sendq chunks;
};

void tb_stream_set_send_max(struct tb_stream *stream, size_t bytes)
{
    stream->out.max = bytes;
}

size_t tb_stream_queued(const struct tb_stream *stream)
{
    size_t bytes = stream->out.plain.bytes + stream->out.queue.bytes;
    return stream->out.writing ? bytes + uv_stream_get_write_queue_size(&stream->uv.stream) : bytes;
}

uint64_t tb_stream_sent(const struct tb_stream *stream)
{
    return stream->out.handed -
           (stream->out.writing ? uv_stream_get_write_queue_size(&stream->uv.stream) : 0);
}

void tb_stream_want_drain(struct tb_stream *stream)
{
    stream->out.drain_due = tb_stream_queued(stream) > 0;
}

static int admit(const struct tb_stream *stream, size_t len)
{
    if (stream->error || stream->out.finishing) {
        return TB_E_CLOSED;
    }
    size_t queued = tb_stream_queued(stream);
    bool fits = len <= stream->out.max && queued <= stream->out.max - len;
    return !queued || fits ? 0 : TB_E_TOO_LARGE;
}

static struct tb_sendq *entrance(struct tb_stream *stream)
{
    return stream->tls ? &stream->out.plain : &stream->out.queue;
}

static void flush_later(struct tb_stream *stream)
{
    stream->out.drain_due = stream->out.drain_due || tb_stream_queued(stream) > stream->out.max / 2;
    tb_loop_defer_output(stream->loop, &stream->out.flush);
}

int tb_stream_write(struct tb_stream *stream, struct tb_str bytes)
{
    int rc = admit(stream, bytes.len);
    if (rc == 0 && bytes.len) {
        tb_sendq_append(entrance(stream), bytes);
        flush_later(stream);
    }
    return rc;
}

int tb_stream_write_take(struct tb_stream *stream, uint8_t *data, size_t len)
{
    int rc = admit(stream, len);
    if (rc < 0 || !len) {
        tb_free(data);
        return rc;
    }
    tb_sendq_append_take(entrance(stream), data, len);
    flush_later(stream);
    return 0;
}

static void write_failed(struct tb_stream *stream, int code)
{
    tb_stream_fail(stream, code);
    if (stream->lingering) {
        tb_stream_linger_on(stream);
    } else {
        /* One turn later, so that what the peer said before it left is still read. */
        tb_loop_defer(stream->loop, &stream->news);
    }
}

static void on_written(uv_write_t *req, int status)
{
    struct flight *flight = TB_CONTAINER(req, struct flight, req);
    struct tb_stream *stream = req->data;
    tb_sendq_fini(&flight->chunks);
    tb_free(flight);
    if (stream->freed) {
        return;
    }
    stream->out.writing = false;
    if (status < 0) {
        write_failed(stream, status);
    } else {
        tb_stream_flush(stream);
    }
}

static int write_rest(struct tb_stream *stream)
{
    struct flight *flight = TB_NEW(struct flight);
    uv_buf_t bufs[CHUNKS_AT_ONCE];
    unsigned count = tb_sendq_peek(&stream->out.queue, bufs, CHUNKS_AT_ONCE);
    tb_sendq_move(&flight->chunks, &stream->out.queue, count);
    size_t len = flight->chunks.bytes;
    flight->req.data = stream;
    int rc = uv_write(&flight->req, &stream->uv.stream, bufs, count, on_written);
    if (rc < 0) {
        tb_sendq_fini(&flight->chunks);
        tb_free(flight);
        return rc;
    }
    stream->out.writing = true;
    stream->out.handed += len;
    return 0;
}

static int write_queue(struct tb_stream *stream)
{
    while (stream->out.queue.bytes) {
        uv_buf_t bufs[CHUNKS_AT_ONCE];
        unsigned count = tb_sendq_peek(&stream->out.queue, bufs, CHUNKS_AT_ONCE);
        size_t len = 0;
        for (unsigned i = 0; i < count; i++) {
            len += bufs[i].len;
        }
        int written = uv_try_write(&stream->uv.stream, bufs, count);
        if (written < 0 && written != UV_EAGAIN) {
            return written;
        }
        size_t taken = written > 0 ? (size_t)written : 0;
        tb_sendq_consume(&stream->out.queue, taken);
        stream->out.handed += taken;
        if (written < 0 || (size_t)written < len) {
            return write_rest(stream);
        }
    }
    return 0;
}

static void shut_sending(struct tb_stream *stream)
{
    uv_os_fd_t fd;
    if (uv_fileno(&stream->uv.handle, &fd) == 0) {
        /* Not uv_shutdown: nothing is left to wait for. Fails on pipes, which end when they are
         * closed. */
        shutdown(fd, SHUT_WR);
    }
    stream->out.shut = true;
}

static void queue_is_out(struct tb_stream *stream)
{
    stream->out.unasked = 0;
    if (stream->out.finishing && !stream->out.shut) {
        shut_sending(stream);
    }
    if (stream->lingering) {
        tb_stream_linger_on(stream);
    } else if (stream->out.drain_due) {
        stream->out.drain_due = false;
        if (stream->started && stream->ops.on_drain) {
            stream->ops.on_drain(stream, stream->user);
        }
    }
}

void tb_stream_flush(struct tb_stream *stream)
{
    if (stream->out.writing || stream->error) {
        return;
    }
    int rc = 0;
    if (!stream->connecting) {
        if (stream->tls) {
            tb_stream_tls_encrypt(stream);
        }
        rc = write_queue(stream);
    }
    if (rc < 0) {
        write_failed(stream, rc);
    } else if (stream->connecting || tb_stream_queued(stream)) {
        stream->out.drain_due = true; /* it could not go at once */
    } else {
        queue_is_out(stream);
    }
}
