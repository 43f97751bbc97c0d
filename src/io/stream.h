/* SPDX-License-Identifier: Apache-2.0 */
/* A byte stream: TCP, Unix socket, pipe to a child, with or without TLS. The owner gets callbacks
 * from the loop and frees the stream; after tb_stream_free none comes any more and the owner may
 * die at once, also inside a callback of this very stream.
 *
 * Writing copies into a send queue with a ceiling. What is queued inside on_read goes out in one
 * system call after it, anything else at the end of the turn. Reading uses one buffer per loop, so
 * an idle stream holds no memory for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/loop.h"

struct tb_stream;
struct tb_tls; /* io/tls.h */

struct tb_stream_ops {
    /* Bytes came in; borrowed for the call. */
    void (*on_read)(struct tb_stream *stream, struct tb_str bytes, void *user);
    /* The send queue is empty again, after it stood above half its ceiling or could not be
     * written at the end of a turn. May be NULL. */
    void (*on_drain)(struct tb_stream *stream, void *user);
    /* No more input: `status` 0 for an orderly end, else a negative code. Once. Writing still works
     * after an orderly end. The owner frees the stream, now or later. */
    void (*on_end)(struct tb_stream *stream, int status, void *user);
};

typedef void tb_stream_connect_fn(struct tb_stream *stream, int status, void *user);

/* Who is at the other end. */
struct tb_peer {
    char text[64]; /* "127.0.0.1:51234", "unix:uid=1000", "pipe" */
    char host[48]; /* address without the port, of IPv6 its /64; the key for limits per peer */
    bool local;    /* a loopback address or a Unix socket */
    bool has_uid;  /* Unix sockets */
    uid_t uid;
};

/* Connect; `fn` is called once, later. On failure the owner still frees the stream. */
struct tb_stream *tb_stream_connect_tcp(struct tb_loop *loop, const char *address, uint16_t port,
                                        tb_stream_connect_fn *fn, void *user);
/* With TLS; `fn` comes after the handshake, in which the peer's certificate was checked for `host`,
 * a name or an address. */
struct tb_stream *tb_stream_connect_tls(struct tb_loop *loop, const char *address, uint16_t port,
                                        struct tb_tls *tls, const char *host,
                                        tb_stream_connect_fn *fn, void *user);
struct tb_stream *tb_stream_connect_unix(struct tb_loop *loop, const char *path,
                                         tb_stream_connect_fn *fn, void *user);
/* Takes an open descriptor (socketpair, pipe); closed with the stream. NULL with errno when it is
 * not usable; it is closed then too. */
struct tb_stream *tb_stream_open_fd_take(struct tb_loop *loop, int fd);
void tb_stream_free(struct tb_stream *stream);
TB_DEFINE_AUTO(struct tb_stream *, tb_stream_free)

/* Sets the owner and begins to read, also when it was paused. A second call hands the stream to
 * another owner (an upgrade), who is told of an end that came before. */
void tb_stream_start(struct tb_stream *stream, const struct tb_stream_ops *ops, void *user);
/* Back-pressure towards the peer: while paused nothing is read, and its end is not noticed. */
void tb_stream_pause(struct tb_stream *stream);
void tb_stream_resume(struct tb_stream *stream);

/* Ceiling of the send queue, default 1 MiB. */
void tb_stream_set_send_max(struct tb_stream *stream, size_t bytes);
/* Queues a copy. TB_E_TOO_LARGE (nothing queued) over the ceiling; an empty queue takes one write
 * of any size, so that a reply can pass. TB_E_CLOSED after an error or tb_stream_finish. */
int tb_stream_write(struct tb_stream *stream, struct tb_str bytes);
/* The same without a copy: takes memory from malloc, also when it fails. */
int tb_stream_write_take(struct tb_stream *stream, uint8_t *data, size_t len);
size_t tb_stream_queued(const struct tb_stream *stream);
/* Bytes that the system took, ever; with TLS, as they went out. */
uint64_t tb_stream_sent(const struct tb_stream *stream);
/* on_drain comes when what is queued now has left, however little it is. */
void tb_stream_want_drain(struct tb_stream *stream);
/* No more writes: when the queue is out, the sending half is shut. Reading goes on. */
void tb_stream_finish(struct tb_stream *stream);
/* Frees by itself: the queue is written, then the stream closes, at the latest after `timeout_ms`.
 * No callback comes any more; input is thrown away meanwhile, so that the peer sees our last words
 * instead of a reset. */
void tb_stream_finish_and_free(struct tb_stream *stream, int64_t timeout_ms);

/* TCP: a peer from which nothing comes back for so long, not even an acknowledgement, ends the
 * stream with an error. Without it a peer whose machine or network vanished is never missed. */
void tb_stream_set_peer_timeout(struct tb_stream *stream, int64_t timeout_ms);
const struct tb_peer *tb_stream_peer(const struct tb_stream *stream);
/* True if the peer is gone for good and not only silent: asks the system. An orderly end of input
 * alone does not tell, for the peer may still read. */
bool tb_stream_hung_up(const struct tb_stream *stream);
struct tb_loop *tb_stream_loop(const struct tb_stream *stream);
/* Wraps the stream in TLS as a server, before tb_stream_start. */
int tb_stream_start_tls(struct tb_stream *stream, struct tb_tls *tls);
/* Why the TLS handshake of tb_stream_connect_tls failed, in words that outlive the stream; NULL if
 * it did not. */
const char *tb_stream_tls_reason(const struct tb_stream *stream);
