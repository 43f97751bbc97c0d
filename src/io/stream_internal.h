/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a stream. stream.c has its life and its input, stream_write.c its output,
 * stream_open.c the ways it comes to be, stream_tls.c what TLS puts between the owner and the
 * socket.
 *
 *   connecting -> (shaking ->) open -> input_over (peer sent its end)   -> freed (uv_close) -> gone
 *                                \---> shut       (we sent ours)        /
 *                                 \--> error      (nothing goes any more)
 *
 * Memory goes only in libuv's close callback, so inside callbacks a look at `freed` is enough. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <uv.h>

#include "io/loop.h"
#include "io/loop_internal.h"
#include "io/sendq.h"
#include "io/stream.h"
#include "io/timer.h"

struct tb_tls_conn;

/* What is on its way out. */
struct tb_stream_out {
    struct tb_sendq plain;    /* with TLS: not yet encrypted */
    struct tb_sendq queue;    /* not yet with libuv */
    struct tb_deferred flush; /* writes the queue at the end of the turn */
    size_t max;
    size_t unasked;  /* TLS: answers to the peer that joined the queue since it was last empty */
    uint64_t handed; /* bytes that the system or libuv has got, ever */
    bool writing;    /* libuv has bytes of ours */
    bool drain_due;  /* the owner hears when the queue is out */
    bool finishing;  /* no more writes */
    bool shut;
};

struct tb_stream {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    struct tb_loop *loop;
    struct tb_stream_ops ops;
    void *user;
    tb_stream_connect_fn *connect_fn; /* until it was called */
    void *connect_user;

    struct tb_tls_conn *tls; /* NULL: none */
    struct tb_stream_out out;
    struct tb_deferred news; /* tells the owner what must not be told inside its own calls */

    struct tb_timer linger;
    struct tb_deferred leftover; /* closes a lingering stream together with the loop */

    int error; /* what broke the stream, negative */
    bool connecting;
    bool shaking; /* as a client of TLS: connected, the owner does not know yet */
    bool started; /* has an owner to talk to, or lingers */
    bool paused;
    bool reading;
    bool input_over;
    bool end_told;
    bool lingering;
    bool freed;
    struct tb_peer peer;
};

/* stream.c */
struct tb_stream *tb_stream_new_tcp(struct tb_loop *loop);
struct tb_stream *tb_stream_new_pipe(struct tb_loop *loop);
/* Hands bytes to the owner. */
void tb_stream_deliver(struct tb_stream *stream, struct tb_str bytes);
/* No more input: 0 or a negative code. Tells the owner. */
void tb_stream_end_input(struct tb_stream *stream, int status);
/* Marks the stream as broken and drops what was to be sent; does not tell. */
void tb_stream_fail(struct tb_stream *stream, int code);
/* Starts or stops reading as the state wants it. */
void tb_stream_update_reading(struct tb_stream *stream);
/* Closes a lingering stream that has nothing left to wait for. */
void tb_stream_linger_on(struct tb_stream *stream);

/* stream_write.c */
/* Writes what waits, as far as the socket takes it. May call the owner as its last act. */
void tb_stream_flush(struct tb_stream *stream);

/* stream_open.c */
/* Takes an accepted connection; NULL when libuv refuses it. The descriptor is closed then. */
struct tb_stream *tb_stream_accept_take(struct tb_loop *loop, int fd,
                                        const struct sockaddr_storage *addr);
/* Tells the result of connecting. */
void tb_stream_connected(struct tb_stream *stream, int status);

/* stream_tls.c */
void tb_stream_tls_input(struct tb_stream *stream, struct tb_str bytes);
/* The peer's end of the connection, without regard to TLS. */
void tb_stream_tls_input_end(struct tb_stream *stream, int status);
/* Carries on the handshake of a client, or decrypts and delivers what is there. */
void tb_stream_tls_pump(struct tb_stream *stream);
/* Moves what waits to the queue, encrypted; before the end of the handshake nothing. */
void tb_stream_tls_encrypt(struct tb_stream *stream);
void tb_stream_tls_free(struct tb_stream *stream);

/* peer.c */
void tb_peer_set_address(struct tb_peer *peer, const struct sockaddr_storage *addr);
void tb_peer_set_unix(struct tb_peer *peer, int fd);
void tb_peer_set_pipe(struct tb_peer *peer);
