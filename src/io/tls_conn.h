/* SPDX-License-Identifier: Apache-2.0 */
/* One TLS connection without its socket, for the streams of this folder: ciphertext in and out
 * through memory, so records may come in any pieces. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "io/sendq.h"
#include "io/tls.h"

struct tb_tls_conn;

/* As a server; or with a `host`, a name or an address, as a client that checks the certificate for
 * it. NULL when OpenSSL has no memory. */
struct tb_tls_conn *tb_tls_conn_new(struct tb_tls *tls, const char *host);
void tb_tls_conn_free(struct tb_tls_conn *conn);

/* Ciphertext from the peer, and the end of it. */
void tb_tls_conn_put(struct tb_tls_conn *conn, struct tb_str bytes);
void tb_tls_conn_put_end(struct tb_tls_conn *conn);
/* Carries on the handshake alone: 0 when it is done, -EAGAIN when more input is needed;
 * -ECONNRESET, TB_E_PROTOCOL. */
int tb_tls_conn_shake(struct tb_tls_conn *conn);
/* Why the handshake failed, in words that stay; NULL if it did not. */
const char *tb_tls_conn_reason(const struct tb_tls_conn *conn);
/* Decrypts, and carries on the handshake. 0 with *ret_len 0 when more input is needed; UV_EOF after
 * the peer's close_notify; -ECONNRESET when its input ended without one; TB_E_PROTOCOL. */
int tb_tls_conn_read(struct tb_tls_conn *conn, char *room, size_t size, size_t *ret_len);
/* Encrypts; returns how many bytes it took, 0 before the handshake is done. */
size_t tb_tls_conn_write(struct tb_tls_conn *conn, const char *data, size_t len);
/* Our close_notify, once. */
void tb_tls_conn_close(struct tb_tls_conn *conn);
/* Moves ciphertext for the peer to the queue. */
void tb_tls_conn_drain(struct tb_tls_conn *conn, struct tb_sendq *out);
