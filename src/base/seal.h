/* SPDX-License-Identifier: Apache-2.0 */
/* Text that travels through a peer's hands and comes back: sealed, so that the peer can neither
 * read nor change it (XChaCha20-Poly1305), in URL-safe base64.
 *
 * A seal is bound to a text that both sides know: opened with another one it is refused. It says
 * nothing about how often it is used; that is the caller's business. */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum {
    TB_SEAL_KEY_BYTES = 32,
};

/* Appends the sealed text; fails only at the buffer's ceiling. */
int tb_seal(const uint8_t key[TB_SEAL_KEY_BYTES], struct tb_str bound, struct tb_str plain,
            struct tb_buf *out);
/* Appends the plain text. TB_E_INVALID when `sealed` was not made with this key and this binding.
 */
int tb_seal_open(const uint8_t key[TB_SEAL_KEY_BYTES], struct tb_str bound, struct tb_str sealed,
                 struct tb_buf *out);
