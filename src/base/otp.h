/* SPDX-License-Identifier: Apache-2.0 */
/* One-time codes by time (TOTP, RFC 6238), from what a site gives when it sets them up: a seed in
 * base32, or the otpauth:// address of its QR code. The seed is a secret: who keeps a tb_otp wipes
 * it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum {
    TB_OTP_SEED_MAX = 128, /* bytes */
    TB_OTP_CODE_SIZE = 9,  /* at most 8 digits and a NUL */
};

enum tb_otp_hash {
    TB_OTP_SHA1,
    TB_OTP_SHA256,
    TB_OTP_SHA512,
};

struct tb_otp {
    enum tb_otp_hash hash;
    unsigned digits;
    unsigned period_s;
    size_t seed_len;
    uint8_t seed[TB_OTP_SEED_MAX];
};

/* TB_E_PARAMS with words that do not repeat the text. Blanks, dashes and padding in a seed count
 * for nothing, nor does its case. */
int tb_otp_parse(struct tb_str text, struct tb_otp *ret_otp, struct tb_err *err);
/* The code at that moment. */
void tb_otp_code(const struct tb_otp *otp, int64_t unix_s, char ret_code[TB_OTP_CODE_SIZE]);
