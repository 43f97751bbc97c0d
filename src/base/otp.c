/* SPDX-License-Identifier: Apache-2.0 */
#include "base/otp.h"

#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mem.h"

enum {
    DIGITS = 6,
    PERIOD_S = 30,
    PERIOD_MAX_S = 3600,
    SEED_MIN = 5,    /* bytes; fewer are no secret */
    DIGEST_MAX = 64, /* bytes, of SHA-512 */
    COUNTER_BYTES = 8,
};

/* The names in otpauth:// addresses. */
static const char *const hash_names[] =
    {[TB_OTP_SHA1] = "SHA1", [TB_OTP_SHA256] = "SHA256", [TB_OTP_SHA512] = "SHA512"};

/* -1: it is no digit of base32 (RFC 4648). */
static int digit_of(char c)
{
    if (c >= 'a' && c <= 'z') {
        return c - 'a';
    }
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

static bool is_filler(char c)
{
    return c == ' ' || c == '-' || c == '=';
}

static int parse_seed(struct tb_str text, struct tb_otp *otp, struct tb_err *err)
{
    uint32_t bits = 0;
    unsigned count = 0;
    otp->seed_len = 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = digit_of(text.ptr[i]);
        if (digit < 0 && is_filler(text.ptr[i])) {
            continue;
        }
        if (digit < 0 || otp->seed_len == TB_OTP_SEED_MAX) {
            return tb_fail(err, TB_E_PARAMS,
                           "the seed of a one-time code is base32 (A-Z, 2-7) of "
                           "at most 128 bytes");
        }
        bits = bits << 5 | (uint32_t)digit;
        count += 5;
        if (count >= 8) {
            count -= 8;
            otp->seed[otp->seed_len++] = (uint8_t)(bits >> count);
        }
    }
    return otp->seed_len >= SEED_MIN
               ? 0
               : tb_fail(err, TB_E_PARAMS, "the seed of a one-time code is too short");
}

static int parse_number(struct tb_str value, uint64_t min, uint64_t max, unsigned *ret_number,
                        struct tb_err *err)
{
    uint64_t number;
    if (!tb_str_to_u64(value, &number) || number < min || number > max) {
        return tb_fail(err, TB_E_PARAMS,
                       "digits are 6 to 8 and a period is 1 to 3600 seconds in an otpauth address");
    }
    *ret_number = (unsigned)number;
    return 0;
}

static int parse_hash(struct tb_str value, enum tb_otp_hash *ret_hash, struct tb_err *err)
{
    for (size_t i = 0; i < TB_COUNT(hash_names); i++) {
        if (tb_str_eq_nocase(value, tb_str_of(hash_names[i]))) {
            *ret_hash = (enum tb_otp_hash)i;
            return 0;
        }
    }
    return tb_fail(err, TB_E_PARAMS,
                   "the algorithm of an otpauth address is SHA1, SHA256 or "
                   "SHA512");
}

static int parse_option(struct tb_str key, struct tb_str value, struct tb_otp *otp,
                        struct tb_err *err)
{
    if (tb_str_eq_cstr(key, "secret")) {
        struct tb_str seed = tb_str_cut(&value, '%'); /* only padding is ever written like that */
        return parse_seed(seed, otp, err);
    }
    if (tb_str_eq_cstr(key, "digits")) {
        return parse_number(value, 6, 8, &otp->digits, err);
    }
    if (tb_str_eq_cstr(key, "period")) {
        return parse_number(value, 1, PERIOD_MAX_S, &otp->period_s, err);
    }
    return tb_str_eq_cstr(key, "algorithm") ? parse_hash(value, &otp->hash, err) : 0;
}

static int parse_address(struct tb_str rest, struct tb_otp *otp, struct tb_err *err)
{
    int rc = 0;
    tb_str_cut(&rest, '?'); /* whose code it is */
    while (rc == 0 && rest.len) {
        struct tb_str value = tb_str_cut(&rest, '&');
        struct tb_str key = tb_str_cut(&value, '=');
        rc = parse_option(key, value, otp, err);
    }
    if (rc == 0 && !otp->seed_len) {
        rc = tb_fail(err, TB_E_PARAMS, "the otpauth address has no secret");
    }
    return rc;
}

int tb_otp_parse(struct tb_str text, struct tb_otp *ret_otp, struct tb_err *err)
{
    static const struct tb_str scheme = {"otpauth://", 10};
    static const struct tb_str by_time = {"totp/", 5};
    struct tb_otp otp = {.digits = DIGITS, .period_s = PERIOD_S};
    int rc;
    if (!tb_str_starts(text, scheme)) {
        rc = parse_seed(text, &otp, err);
    } else if (!tb_str_starts(tb_str_sub(text, scheme.len, text.len), by_time)) {
        rc = tb_fail(err, TB_E_PARAMS, "only codes by time (otpauth://totp/) are supported");
    } else {
        rc = parse_address(tb_str_sub(text, scheme.len, text.len), &otp, err);
    }
    if (rc == 0) {
        *ret_otp = otp;
    }
    OPENSSL_cleanse(&otp, sizeof(otp));
    return rc;
}

/* RFC 4226, section 5.3. */
static uint32_t truncate_digest(const uint8_t *digest, size_t len)
{
    const uint8_t *at = digest + (digest[len - 1] & 0x0f);
    return (uint32_t)(at[0] & 0x7f) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void tb_otp_code(const struct tb_otp *otp, int64_t unix_s, char ret_code[TB_OTP_CODE_SIZE])
{
    static const uint32_t powers[] = {[6] = 1000000, [7] = 10000000, [8] = 100000000};
    uint64_t counter = (uint64_t)(unix_s / otp->period_s);
    uint8_t message[COUNTER_BYTES];
    uint8_t digest[DIGEST_MAX];
    size_t len = 0;
    for (size_t i = 0; i < sizeof(message); i++) {
        message[i] = (uint8_t)(counter >> (8 * (sizeof(message) - 1 - i)));
    }
    if (!EVP_Q_mac(NULL, "HMAC", NULL, hash_names[otp->hash], NULL, otp->seed, otp->seed_len,
                   message, sizeof(message), digest, sizeof(digest), &len)) {
        len = sizeof(digest);
        memset(digest, 0, len); /* only without memory */
    }
    snprintf(ret_code, TB_OTP_CODE_SIZE, "%0*u", (int)otp->digits,
             truncate_digest(digest, len) % powers[otp->digits]);
    OPENSSL_cleanse(digest, sizeof(digest));
}
