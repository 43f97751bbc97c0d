/* SPDX-License-Identifier: Apache-2.0 */
/* Random ids and tokens from the kernel's generator.
 *
 * An id is 128 random bits in Crockford base32, a dash and a checksum of 4 characters keyed with
 * the installation's secret: "7zk3...-x2p9". The checksum lets a wrong id be refused without a
 * look-up. An id is a bearer secret: it is never logged whole. A token has 256 bits and is kept
 * only as a hash. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
    TB_ID_SIZE = 32,    /* 26 + 1 + 4 characters and a NUL */
    TB_TOKEN_SIZE = 44, /* 43 characters of URL-safe base64 and a NUL */
    TB_SECRET_BYTES = 32,
    TB_HASH_BYTES = 32,
};

/* Must succeed once before anything else here; 0, or -EIO when there is no randomness. */
int tb_id_init(void);
void tb_id_make(const uint8_t secret[TB_SECRET_BYTES], char ret_id[TB_ID_SIZE]);
/* True if the id has the right form and checksum. */
bool tb_id_check(const uint8_t secret[TB_SECRET_BYTES], struct tb_str id);

void tb_token_make(char ret_token[TB_TOKEN_SIZE]);
/* What is stored of a token. */
void tb_token_hash(struct tb_str token, uint8_t ret_hash[TB_HASH_BYTES]);
/* Compares two hashes in constant time. */
bool tb_hash_eq(const uint8_t a[TB_HASH_BYTES], const uint8_t b[TB_HASH_BYTES]);
/* A hash that only a holder of the secret can make. Each part counts with its length, so no two
 * lists of parts give the same one. */
void tb_hash_keyed(const uint8_t secret[TB_SECRET_BYTES], const struct tb_str *parts, size_t count,
                   uint8_t ret_hash[TB_HASH_BYTES]);
/* So many random characters of 5 bits each, of those that ids are made of, and a NUL. */
void tb_random_text(char *ret_text, size_t chars);
void tb_random_bytes(void *ret_data, size_t len);
