/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <openssl/evp.h>
#include <sodium.h>

#include "base/err.h"
#include "base/mem.h"

void tb_sha1(const void *data, size_t len, uint8_t ret_digest[TB_SHA1_BYTES])
{
    unsigned int size = TB_SHA1_BYTES;
    EVP_Digest(data, len, ret_digest, &size, EVP_sha1(), NULL);
}

int tb_base64_encode(const void *data, size_t len, struct tb_buf *out)
{
    size_t need = sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL);
    uint8_t *room;
    int rc = tb_buf_reserve(out, need, &room);
    if (rc < 0) {
        return rc;
    }
    sodium_bin2base64((char *)room, need, data, len, sodium_base64_VARIANT_ORIGINAL);
    out->len += need - 1; /* without the NUL */
    return 0;
}

int tb_base64_decode(struct tb_str text, struct tb_buf *out)
{
    size_t most = text.len / 4 * 3 + 3;
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
