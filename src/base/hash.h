/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings and digests: hexadecimal, base64 (RFC 4648), SHA-1 (only for the WebSocket
 * handshake, where it is no protection) and HMAC-SHA256 (signatures of webhooks). Hashes for our
 * own use are in base/id.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum {
    TB_SHA1_BYTES = 20,
    TB_HMAC_SIZE = 65, /* 64 hexadecimal digits and a NUL */
};

void tb_sha1(const void *data, size_t len, uint8_t ret_digest[TB_SHA1_BYTES]);
/* HMAC-SHA256 (RFC 2104) in hexadecimal. */
void tb_hmac_sha256(struct tb_str key, struct tb_str data, char ret_hex[TB_HMAC_SIZE]);
/* Notices damage, not malice: anybody can compute it. */
uint64_t tb_checksum(const void *data, size_t len);
/* Two digits for each byte, and a NUL. */
void tb_hex(const uint8_t *bytes, size_t count, char *ret_hex);
/* Appends padded base64 to the buffer; fails only at its ceiling. */
int tb_base64_encode(const void *data, size_t len, struct tb_buf *out);
/* Strict: padding required, no white space. TB_E_INVALID when the text is not base64. */
int tb_base64_decode(struct tb_str text, struct tb_buf *out);
