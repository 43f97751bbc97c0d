/* SPDX-License-Identifier: Apache-2.0 */
#include "base/id.h"

#include <errno.h>
#include <string.h>

#include <endian.h>
#include <sodium.h>

enum {
    RANDOM_BYTES = 16,
    RANDOM_CHARS = 26,
    CHECK_CHARS = 4,
    ID_CHARS = RANDOM_CHARS + 1 + CHECK_CHARS,
};

_Static_assert(TB_SECRET_BYTES == crypto_generichash_KEYBYTES, "keyed hash");
_Static_assert(TB_HASH_BYTES == crypto_generichash_BYTES, "hash size");
_Static_assert(TB_TOKEN_SIZE ==
                   sodium_base64_ENCODED_LEN(32, sodium_base64_VARIANT_URLSAFE_NO_PADDING),
               "token size");

/* Crockford's alphabet: no i, l, o, u, so that ids survive being read aloud. */
static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

int tb_id_init(void)
{
    return sodium_init() < 0 ? -EIO : 0;
}

/* The first `chars` groups of 5 bits; a last group that is short is filled with zeros. */
static void encode(const uint8_t *data, size_t len, size_t chars, char *ret_text)
{
    unsigned bits = 0;
    unsigned have = 0;
    size_t at = 0;
    for (size_t i = 0; i < chars; i++) {
        if (have < 5) {
            bits = (bits << 8) | (at < len ? data[at] : 0);
            at++;
            have += 8;
        }
        have -= 5;
        ret_text[i] = alphabet[(bits >> have) & 31];
    }
}

static void checksum(const uint8_t *secret, const char *text, char ret_check[CHECK_CHARS])
{
    uint8_t hash[TB_HASH_BYTES];
    crypto_generichash(hash, sizeof(hash), (const unsigned char *)text, RANDOM_CHARS, secret,
                       TB_SECRET_BYTES);
    encode(hash, sizeof(hash), CHECK_CHARS, ret_check);
}

void tb_id_make(const uint8_t secret[TB_SECRET_BYTES], char ret_id[TB_ID_SIZE])
{
    uint8_t random[RANDOM_BYTES];
    randombytes_buf(random, sizeof(random));
    encode(random, sizeof(random), RANDOM_CHARS, ret_id);
    ret_id[RANDOM_CHARS] = '-';
    checksum(secret, ret_id, ret_id + RANDOM_CHARS + 1);
    ret_id[ID_CHARS] = '\0';
}

bool tb_id_check(const uint8_t secret[TB_SECRET_BYTES], struct tb_str id)
{
    if (id.len != ID_CHARS || id.ptr[RANDOM_CHARS] != '-') {
        return false;
    }
    for (size_t i = 0; i < RANDOM_CHARS; i++) {
        if (!id.ptr[i] || !strchr(alphabet, id.ptr[i])) {
            return false;
        }
    }
    char check[CHECK_CHARS];
    checksum(secret, id.ptr, check);
    return sodium_memcmp(check, id.ptr + RANDOM_CHARS + 1, CHECK_CHARS) == 0;
}

void tb_token_make(char ret_token[TB_TOKEN_SIZE])
{
    uint8_t random[32];
    randombytes_buf(random, sizeof(random));
    sodium_bin2base64(ret_token, TB_TOKEN_SIZE, random, sizeof(random),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(random, sizeof(random));
}

void tb_token_hash(struct tb_str token, uint8_t ret_hash[TB_HASH_BYTES])
{
    crypto_generichash(ret_hash, TB_HASH_BYTES, (const unsigned char *)token.ptr, token.len, NULL,
                       0);
}

bool tb_hash_eq(const uint8_t a[TB_HASH_BYTES], const uint8_t b[TB_HASH_BYTES])
{
    return sodium_memcmp(a, b, TB_HASH_BYTES) == 0;
}

void tb_hash_keyed(const uint8_t secret[TB_SECRET_BYTES], const struct tb_str *parts, size_t count,
                   uint8_t ret_hash[TB_HASH_BYTES])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, secret, TB_SECRET_BYTES, TB_HASH_BYTES);
    for (size_t i = 0; i < count; i++) {
        uint64_t len = htole64(parts[i].len);
        crypto_generichash_update(&state, (const unsigned char *)&len, sizeof(len));
        crypto_generichash_update(&state, (const unsigned char *)parts[i].ptr, parts[i].len);
    }
    crypto_generichash_final(&state, ret_hash, TB_HASH_BYTES);
}

void tb_random_bytes(void *ret_data, size_t len)
{
    randombytes_buf(ret_data, len);
}

void tb_random_text(char *ret_text, size_t chars)
{
    for (size_t i = 0; i < chars; i++) {
        ret_text[i] = alphabet[randombytes_uniform(sizeof(alphabet) - 1)];
    }
    ret_text[chars] = '\0';
}
