/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/err.h"
#include "io/stream_internal.h"
#include "io/tls_conn.h"

/* plain --encrypt--> queue --> socket --> put --pump--> owner
 * Handshake, key updates and alerts go from the pump to the queue. */

enum {
    UNASKED_MAX = 64 * 1024, /* of these, for a peer that does not read them */
};

int tb_stream_start_tls(struct tb_stream *stream, struct tb_tls *tls)
{
    stream->tls = tb_tls_conn_new(tls, NULL);
    return stream->tls ? 0 : -ENOMEM;
}

const char *tb_stream_tls_reason(const struct tb_stream *stream)
{
    return stream->tls ? tb_tls_conn_reason(stream->tls) : NULL;
}

void tb_stream_tls_free(struct tb_stream *stream)
{
    tb_tls_conn_free(stream->tls);
    stream->tls = NULL;
}

void tb_stream_tls_input(struct tb_stream *stream, struct tb_str bytes)
{
    /* Copies, so that the pump can decrypt into the same room. */
    tb_tls_conn_put(stream->tls, bytes);
    tb_stream_tls_pump(stream);
}

void tb_stream_tls_input_end(struct tb_stream *stream, int status)
{
    if (status < 0) {
        tb_stream_end_input(stream, status);
        return;
    }
    tb_tls_conn_put_end(stream->tls);
    tb_stream_tls_pump(stream);
}

static void end(struct tb_stream *stream, int status)
{
    if (status < 0) {
        /* Our alert gets out before the owner frees the stream. */
        tb_stream_flush(stream);
    }
    if (!stream->freed) {
        tb_stream_end_input(stream, status);
    }
}

/* What came behind the handshake waits for the owner, who starts the stream. */
static void shake(struct tb_stream *stream)
{
    int rc = tb_tls_conn_shake(stream->tls);
    tb_tls_conn_drain(stream->tls, &stream->out.queue);
    tb_loop_defer_output(stream->loop, &stream->out.flush);
    if (rc == 0) {
        tb_stream_connected(stream, 0);
    } else if (rc != -EAGAIN) {
        end(stream, rc);
    }
}

/* False when the peer makes us write (it may ask for new keys as often as it likes: RFC 8446,
 * 4.6.3) without reading it. */
static bool answer_peer(struct tb_stream *stream)
{
    size_t before = stream->out.queue.bytes;
    tb_tls_conn_drain(stream->tls, &stream->out.queue);
    stream->out.unasked += stream->out.queue.bytes - before;
    /* Also for what waited for the end of the handshake. */
    tb_loop_defer_output(stream->loop, &stream->out.flush);
    return stream->out.unasked <= UNASKED_MAX;
}

void tb_stream_tls_pump(struct tb_stream *stream)
{
    if (stream->shaking) {
        shake(stream);
        return;
    }
    char *room = stream->loop->read_room;
    while (!stream->freed && stream->started && !stream->paused && !stream->input_over) {
        size_t len;
        int rc = tb_tls_conn_read(stream->tls, room, TB_LOOP_READ_BYTES, &len);
        if (!answer_peer(stream)) {
            end(stream, TB_E_PROTOCOL);
            return;
        }
        if (rc < 0) {
            end(stream, rc == UV_EOF ? 0 : rc);
            return;
        }
        if (!len) {
            return;
        }
        tb_stream_deliver(stream, (struct tb_str){room, len});
    }
}

void tb_stream_tls_encrypt(struct tb_stream *stream)
{
    while (stream->out.plain.bytes) {
        uv_buf_t buf;
        tb_sendq_peek(&stream->out.plain, &buf, 1);
        size_t taken = tb_tls_conn_write(stream->tls, buf.base, buf.len);
        if (!taken) {
            break;
        }
        tb_sendq_consume(&stream->out.plain, taken);
        tb_tls_conn_drain(stream->tls, &stream->out.queue);
    }
    if (stream->out.finishing && !stream->out.plain.bytes) {
        tb_tls_conn_close(stream->tls);
        tb_tls_conn_drain(stream->tls, &stream->out.queue);
    }
}
