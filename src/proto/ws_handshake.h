/* SPDX-License-Identifier: Apache-2.0 */
/* The opening handshake of WebSocket (RFC 6455 section 4), for both sides. Heads come from
 * proto/http1. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "proto/http1.h"

enum {
    TB_WS_KEY_SIZE = 25, /* 24 characters of base64 and a NUL */
};

/* True if the request asks for a WebSocket at all (then accept or refuse it, else treat it as
 * HTTP). */
bool tb_ws_is_upgrade(const struct tb_http1_head *head);
/* Checks a client's request and appends the whole 101 response. `protocol` is the chosen
 * subprotocol, empty for none; the client must have offered it. Fails with TB_E_INVALID (400) or
 * TB_E_UNSUPPORTED for another version (answer 426 with Sec-WebSocket-Version: 13). On failure
 * nothing is appended. */
int tb_ws_accept(const struct tb_http1_head *head, struct tb_str protocol, struct tb_buf *out,
                 struct tb_err *err);
/* Appends a client's request and gives the key that the answer must match. `extra` is further
 * header lines, each with its CRLF. TB_E_INVALID when a part would break the request open. */
int tb_ws_request(struct tb_str host, struct tb_str target, struct tb_str extra, struct tb_buf *out,
                  char ret_key[TB_WS_KEY_SIZE]);
/* Checks the server's answer to that request; TB_E_PROTOCOL when it is not the right one. Which
 * subprotocol the server chose is left to the caller, who knows what was offered. */
int tb_ws_check_response(const struct tb_http1_head *head, const char *key, struct tb_err *err);
