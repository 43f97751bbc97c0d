/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void assert_sha1(const void *data, size_t len, const char *want)
{
    uint8_t digest[TB_SHA1_BYTES];
    char text[2 * TB_SHA1_BYTES + 1];
    tb_sha1(data, len, digest);
    for (size_t i = 0; i < sizeof(digest); i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    assert_string_equal(text, want);
}

static void sha1_gives_the_vectors_of_rfc_3174(void **state)
{
    (void)state;
    assert_sha1("abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    assert_sha1("", 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");

    TB_AUTO(tb_free) char *many = tb_zalloc(1000000);
    memset(many, 'a', 1000000);
    assert_sha1(many, 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    for (size_t i = 0; i < 640; i++) {
        many[i] = (char)('0' + i % 8);
    }
    assert_sha1(many, 640, "dea356a2cddd90c7a7ecedc5ebb563934f460452");
}

static void hmac_gives_the_vectors_of_rfc_4231(void **state)
{
    static const struct {
        const char *key, *data, *hex;
    } cases[] = {
        {"\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b",
         "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"Jefe", "what do ya want for nothing?",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        char hex[TB_HMAC_SIZE];
        tb_hmac_sha256(tb_str_of(cases[i].key), tb_str_of(cases[i].data), hex);
        assert_string_equal(hex, cases[i].hex);
    }
}

/* RFC 4648, section 10, and the key of RFC 6455, section 1.3. */
static const struct {
    const char *plain, *coded;
} pairs[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"the sample nonce", "dGhlIHNhbXBsZSBub25jZQ=="},
};

static void base64_gives_the_vectors_of_its_rfc(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(pairs); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf coded = TB_BUF(100);
        TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(100);
        assert_int_equal(tb_base64_encode(pairs[i].plain, strlen(pairs[i].plain), &coded), 0);
        assert_true(tb_str_eq_cstr(tb_buf_str(&coded), pairs[i].coded));
        assert_int_equal(tb_base64_decode(tb_str_of(pairs[i].coded), &plain), 0);
        assert_true(tb_str_eq_cstr(tb_buf_str(&plain), pairs[i].plain));
    }
}

static void every_length_and_every_byte_comes_back(void **state)
{
    (void)state;
    uint8_t data[300];
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 7 + 3);
    }
    for (size_t len = 0; len <= sizeof(data); len++) {
        TB_AUTO(tb_buf_fini) struct tb_buf coded = TB_BUF(1000);
        TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(1000);
        assert_int_equal(tb_base64_encode(data, len, &coded), 0);
        assert_int_equal(coded.len, (len + 2) / 3 * 4);
        assert_int_equal(tb_base64_decode(tb_buf_str(&coded), &plain), 0);
        assert_int_equal(plain.len, len);
        if (len) {
            assert_memory_equal(plain.data, data, len);
        }
    }
}

static void text_that_is_not_strict_base64_is_refused(void **state)
{
    (void)state;
    static const struct tb_str bad[] = {
        TB_STR("Z"),        TB_STR("Zg"),     TB_STR("Zg="),        TB_STR("Zg==="),
        TB_STR("Zg==Zg=="), TB_STR("Zm9v="),  TB_STR("Zm9v===="),   TB_STR("===="),
        TB_STR("Zm 9v"),    TB_STR("Zm9v\n"), TB_STR(" Zm9v"),      TB_STR("Zm-_"),
        TB_STR("Zm9\0"),    TB_STR("Zm9*"),   TB_STR("Zh=="),       TB_STR("Zm9="),
        TB_STR("=Zm9"),     TB_STR("Z=m9"),   TB_STR("Zm\xc3\xa4"),
    };
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(100);
        assert_int_equal(tb_buf_append_cstr(&out, "kept"), 0);
        assert_int_equal(tb_base64_decode(bad[i], &out), TB_E_INVALID);
        assert_true(tb_str_eq_cstr(tb_buf_str(&out), "kept"));
    }
}

static void no_byte_outside_the_alphabet_is_a_digit(void **state)
{
    (void)state;
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (unsigned byte = 0; byte < 256; byte++) {
        const char text[] = {'Z', 'm', (char)byte, 'v'};
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(100);
        bool digit = memchr(digits, (int)byte, sizeof(digits) - 1) != NULL;
        assert_int_equal(tb_base64_decode((struct tb_str){text, 4}, &out),
                         digit ? 0 : TB_E_INVALID);
    }
}

static void both_ways_append_and_stop_at_the_ceiling(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(pairs); i++) {
        struct tb_str plain = tb_str_of(pairs[i].plain);
        struct tb_str coded = tb_str_of(pairs[i].coded);
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1 + coded.len);
        assert_int_equal(tb_buf_append_char(&out, '>'), 0);
        assert_int_equal(tb_base64_encode(plain.ptr, plain.len, &out), 0);
        assert_true(tb_str_eq(tb_str_sub(tb_buf_str(&out), 1, 100), coded));
        if (plain.len) {
            assert_int_equal(tb_base64_encode("x", 1, &out), TB_E_TOO_LARGE);
            assert_int_equal(out.len, 1 + coded.len);
        }

        tb_buf_fini(&out);
        tb_buf_init(&out, 1 + plain.len);
        assert_int_equal(tb_buf_append_char(&out, '>'), 0);
        assert_int_equal(tb_base64_decode(coded, &out), 0);
        assert_true(tb_str_eq(tb_str_sub(tb_buf_str(&out), 1, 100), plain));
        assert_int_equal(tb_base64_decode(TB_STR("Zg=="), &out), TB_E_TOO_LARGE);
        assert_int_equal(out.len, 1 + plain.len);
    }
}

static void a_checksum_changes_with_every_bit_and_with_the_length(void **state)
{
    (void)state;
    uint8_t data[16] = {0};
    const uint64_t sum = tb_checksum(data, sizeof(data));
    assert_int_equal(tb_checksum(data, sizeof(data)), sum);
    assert_int_not_equal(tb_checksum(data, sizeof(data) - 1), sum);
    for (size_t bit = 0; bit < sizeof(data) * 8; bit++) {
        data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        assert_int_not_equal(tb_checksum(data, sizeof(data)), sum);
        data[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha1_gives_the_vectors_of_rfc_3174),
        cmocka_unit_test(hmac_gives_the_vectors_of_rfc_4231),
        cmocka_unit_test(base64_gives_the_vectors_of_its_rfc),
        cmocka_unit_test(every_length_and_every_byte_comes_back),
        cmocka_unit_test(text_that_is_not_strict_base64_is_refused),
        cmocka_unit_test(no_byte_outside_the_alphabet_is_a_digit),
        cmocka_unit_test(both_ways_append_and_stop_at_the_ceiling),
        cmocka_unit_test(a_checksum_changes_with_every_bit_and_with_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
