/* SPDX-License-Identifier: Apache-2.0 */
#include "base/otp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* RFC 6238, appendix B. */
#define SEED_20 "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
#define SEED_32 "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA"
#define SEED_64                                        \
    "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" \
    "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA"

static void assert_code(const char *text, int64_t unix_s, const char *expected)
{
    struct tb_otp otp;
    struct tb_err err;
    char code[TB_OTP_CODE_SIZE];
    assert_int_equal(tb_otp_parse(tb_str_of(text), &otp, &err), 0);
    tb_otp_code(&otp, unix_s, code);
    assert_string_equal(code, expected);
}

static void codes_are_those_of_the_standard(void **state)
{
    (void)state;
    static const struct {
        int64_t unix_s;
        const char *sha1;
        const char *sha256;
        const char *sha512;
    } rows[] = {
        {59, "94287082", "46119246", "90693936"},
        {1111111109, "07081804", "68084774", "25091201"},
        {1111111111, "14050471", "67062674", "99943326"},
        {1234567890, "89005924", "91819424", "93441116"},
        {2000000000, "69279037", "90698825", "38618901"},
        {20000000000, "65353130", "77737706", "47863826"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_code("otpauth://totp/a:b?secret=" SEED_20 "&digits=8", rows[i].unix_s, rows[i].sha1);
        assert_code("otpauth://totp/a?digits=8&algorithm=SHA256&secret=" SEED_32, rows[i].unix_s,
                    rows[i].sha256);
        assert_code("otpauth://totp/a?digits=8&algorithm=sha512&secret=" SEED_64, rows[i].unix_s,
                    rows[i].sha512);
    }
}

static void a_bare_seed_gives_six_digits_every_thirty_seconds(void **state)
{
    (void)state;
    assert_code(SEED_20, 59, "287082");
    assert_code("gezd gnbv-gy3t qojq gezd gnbv gy3t qojq====", 30, "287082");
}

static void an_address_says_how_long_a_code_is_good_for(void **state)
{
    (void)state;
    assert_code("otpauth://totp/x?secret=" SEED_20 "%3D%3D&period=60&issuer=A%20B", 119, "287082");
}

static void what_is_no_seed_is_refused_in_words_that_do_not_repeat_it(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "GEZDGN0V",
                                      "ABCD",
                                      "otpauth://hotp/x?secret=" SEED_20,
                                      "otpauth://totp/x",
                                      "otpauth://totp/x?secret=",
                                      "otpauth://totp/x?secret=" SEED_20 "&digits=9",
                                      "otpauth://totp/x?secret=" SEED_20 "&period=0",
                                      "otpauth://totp/x?secret=" SEED_20 "&algorithm=MD5"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct tb_otp otp = {.digits = 77};
        struct tb_err err = {0};
        assert_int_equal(tb_otp_parse(tb_str_of(bad[i]), &otp, &err), TB_E_PARAMS);
        assert_int_equal(otp.digits, 77);
        assert_null(strstr(err.text, "GEZD"));
    }
}

static void a_seed_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char text[8 * TB_OTP_SEED_MAX];
    struct tb_otp otp;
    struct tb_err err;
    memset(text, 'A', sizeof(text));
    assert_int_equal(tb_otp_parse((struct tb_str){text, sizeof(text)}, &otp, &err), TB_E_PARAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_those_of_the_standard),
        cmocka_unit_test(a_bare_seed_gives_six_digits_every_thirty_seconds),
        cmocka_unit_test(an_address_says_how_long_a_code_is_good_for),
        cmocka_unit_test(what_is_no_seed_is_refused_in_words_that_do_not_repeat_it),
        cmocka_unit_test(a_seed_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
