/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings and digests that protocols prescribe: base64 (RFC 4648) and SHA-1 (only for the
 * WebSocket handshake, where it is no protection). Hashes for our own use are in base/id.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum {
    TB_SHA1_BYTES = 20,
};

void tb_sha1(const void *data, size_t len, uint8_t ret_digest[TB_SHA1_BYTES]);
/* Appends padded base64 to the buffer; fails only at its ceiling. */
int tb_base64_encode(const void *data, size_t len, struct tb_buf *out);
/* Strict: padding required, no white space. TB_E_INVALID when the text is not base64. */
int tb_base64_decode(struct tb_str text, struct tb_buf *out);
