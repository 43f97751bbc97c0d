/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

#include <openssl/evp.h>
#include <sodium.h>

#include "base/err.h"
#include "base/mem.h"

void tb_sha1(const void *data, size_t len, uint8_t ret_digest[TB_SHA1_BYTES])
{
    unsigned int size = TB_SHA1_BYTES;
    EVP_Digest(data, len, ret_digest, &size, EVP_sha1(), NULL);
}

void tb_hmac_sha256(struct tb_str key, struct tb_str data, char ret_hex[TB_HMAC_SIZE])
{
    crypto_auth_hmacsha256_state state;
    uint8_t digest[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_init(&state, (const uint8_t *)key.ptr, key.len);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)data.ptr, data.len);
    crypto_auth_hmacsha256_final(&state, digest);
    tb_hex(digest, sizeof(digest), ret_hex);
}

uint64_t tb_checksum(const void *data, size_t len)
{
    static const uint8_t key[crypto_shorthash_KEYBYTES] = "tabard checksum";
    uint64_t sum;
    _Static_assert(sizeof(sum) == crypto_shorthash_BYTES, "checksum size");
    crypto_shorthash((uint8_t *)&sum, data, len, key);
    return sum;
}

void tb_hex(const uint8_t *bytes, size_t count, char *ret_hex)
{
    sodium_bin2hex(ret_hex, 2 * count + 1, bytes, count);
}

int tb_base64_encode(const void *data, size_t len, struct tb_buf *out)
{
    if (!len) {
        return 0;
    }
    uint8_t *room;
    int rc = tb_buf_reserve(out, (len - 1) / 3 * 4 + 4, &room);
    if (rc < 0) {
        return rc;
    }
    /* libsodium ends its text with a NUL, for which there may be no room. So the last group goes
     * through a copy, and the NUL of what stands before it is overwritten. */
    char last[4 + 1];
    size_t head = (len - 1) / 3 * 3;
    size_t at = head / 3 * 4;
    sodium_bin2base64((char *)room, at + 1, data, head, sodium_base64_VARIANT_ORIGINAL);
    sodium_bin2base64(last, sizeof(last), (const uint8_t *)data + head, len - head,
                      sodium_base64_VARIANT_ORIGINAL);
    memcpy(room + at, last, 4);
    out->len += at + 4;
    return 0;
}

/* The size of what the text stands for, if it is base64 at all. */
static size_t decoded_len(struct tb_str text)
{
    size_t len = text.len / 4 * 3;
    for (size_t i = text.len; i > 0 && len > 0 && text.ptr[i - 1] == '='; i--) {
        len--;
    }
    return len;
}

int tb_base64_decode(struct tb_str text, struct tb_buf *out)
{
    /* libsodium 1.0.18 takes bytes above ASCII for digits. */
    for (size_t i = 0; i < text.len; i++) {
        if ((uint8_t)text.ptr[i] >= 0x80) {
            return TB_E_INVALID;
        }
    }
    size_t most = decoded_len(text);
    if (!most) {
        return text.len ? TB_E_INVALID : 0;
    }
    uint8_t *room;
    int rc = tb_buf_reserve(out, most, &room);
    if (rc < 0) {
        return rc;
    }
    size_t len = 0;
    if (sodium_base642bin(room, most, text.ptr, text.len, NULL, &len, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0) {
        return TB_E_INVALID;
    }
    out->len += len;
    return 0;
}
