/* SPDX-License-Identifier: Apache-2.0 */
#include "base/seal.h"

#include <sodium.h>

#include "base/err.h"

enum {
    NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES,
    VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
};

_Static_assert(TB_SEAL_KEY_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "key size");

int tb_seal(const uint8_t key[TB_SEAL_KEY_BYTES], struct tb_str bound, struct tb_str plain,
            struct tb_buf *out)
{
    size_t raw_len = NONCE + plain.len + TAG;
    size_t text_size = sodium_base64_encoded_len(raw_len, VARIANT);
    uint8_t *room;
    int rc = tb_buf_reserve(out, text_size, &room);
    if (rc < 0) {
        return rc;
    }
    TB_AUTO(tb_free) uint8_t *raw = tb_zalloc(raw_len);
    randombytes_buf(raw, NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(raw + NONCE, NULL, (const unsigned char *)plain.ptr,
                                               plain.len, (const unsigned char *)bound.ptr,
                                               bound.len, NULL, raw, key);
    sodium_bin2base64((char *)room, text_size, raw, raw_len, VARIANT);
    out->len += text_size - 1; /* without the NUL */
    return 0;
}

int tb_seal_open(const uint8_t key[TB_SEAL_KEY_BYTES], struct tb_str bound, struct tb_str sealed,
                 struct tb_buf *out)
{
    size_t raw_len = 0;
    TB_AUTO(tb_free) uint8_t *raw = tb_zalloc(sealed.len + 1);
    if (sodium_base642bin(raw, sealed.len, sealed.ptr, sealed.len, NULL, &raw_len, NULL, VARIANT) !=
            0 ||
        raw_len < NONCE + TAG) {
        return TB_E_INVALID;
    }
    size_t plain_len = raw_len - NONCE - TAG;
    uint8_t *room;
    int rc = tb_buf_reserve(out, plain_len, &room);
    if (rc < 0) {
        return rc;
    }
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(room, NULL, NULL, raw + NONCE, raw_len - NONCE,
                                                   (const unsigned char *)bound.ptr, bound.len, raw,
                                                   key) != 0) {
        return TB_E_INVALID;
    }
    out->len += plain_len;
    return 0;
}
