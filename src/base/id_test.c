/* SPDX-License-Identifier: Apache-2.0 */
#include "base/id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

enum {
    MANY = 100000, /* TABARD_IDS: another number, as in tools/soak.sh */
    RANDOM_CHARS = 26,
};

static const uint8_t secret[TB_SECRET_BYTES] = "the secret of this installation";
static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

static int init(void **state)
{
    (void)state;
    return tb_id_init();
}

static void an_id_has_26_characters_a_dash_and_4_more(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        char id[TB_ID_SIZE];
        tb_id_make(secret, id);
        assert_int_equal(strlen(id), TB_ID_SIZE - 1);
        assert_int_equal(strspn(id, alphabet), RANDOM_CHARS);
        assert_int_equal(id[RANDOM_CHARS], '-');
        assert_int_equal(strspn(id + RANDOM_CHARS + 1, alphabet), 4);
        assert_true(tb_id_check(secret, tb_str_of(id)));
    }
}

static void an_id_of_another_installation_is_refused(void **state)
{
    (void)state;
    uint8_t other[TB_SECRET_BYTES];
    memcpy(other, secret, sizeof(other));
    other[TB_SECRET_BYTES - 1] ^= 1;
    unsigned accepted = 0;
    for (unsigned i = 0; i < 1000; i++) {
        char id[TB_ID_SIZE];
        tb_id_make(other, id);
        assert_true(tb_id_check(other, tb_str_of(id)));
        accepted += tb_id_check(secret, tb_str_of(id)) ? 1 : 0;
    }
    /* Twenty bits of checksum: one in a million passes by luck. */
    assert_true(accepted <= 1);
}

static void one_wrong_character_anywhere_is_noticed(void **state)
{
    (void)state;
    char id[TB_ID_SIZE];
    tb_id_make(secret, id);
    unsigned accepted = 0;
    for (size_t at = 0; at < TB_ID_SIZE - 1; at++) {
        char wrong[TB_ID_SIZE];
        memcpy(wrong, id, sizeof(wrong));
        wrong[at] = wrong[at] == 'x' ? 'y' : 'x';
        accepted += tb_id_check(secret, tb_str_of(wrong)) ? 1 : 0;
        wrong[at] = 'U';
        assert_false(tb_id_check(secret, tb_str_of(wrong)));
        wrong[at] = '\0';
        assert_false(tb_id_check(secret, (struct tb_str){wrong, TB_ID_SIZE - 1}));
    }
    assert_true(accepted <= 1);
}

static void text_of_another_form_is_refused(void **state)
{
    (void)state;
    char id[TB_ID_SIZE + 1] = {0};
    tb_id_make(secret, id);
    assert_false(tb_id_check(secret, (struct tb_str){NULL, 0}));
    assert_false(tb_id_check(secret, TB_STR("-")));
    assert_false(tb_id_check(secret, (struct tb_str){id, TB_ID_SIZE - 2}));
    assert_false(tb_id_check(secret, (struct tb_str){id, TB_ID_SIZE}));
    assert_false(tb_id_check(secret, TB_STR("-------------------------------")));
}

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, TB_ID_SIZE);
}

/* The longest beginning that two of the sorted ids share. */
static size_t longest_shared(const char (*ids)[TB_ID_SIZE], size_t count)
{
    size_t longest = 0;
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < TB_ID_SIZE && ids[i][same] == ids[i - 1][same]) {
            same++;
        }
        longest = same > longest ? same : longest;
    }
    return longest;
}

/* TEN-1 */
static void many_ids_are_distinct_and_share_no_prefix(void **state)
{
    (void)state;
    const char *wanted = getenv("TABARD_IDS");
    size_t many = wanted ? (size_t)strtoul(wanted, NULL, 10) : MANY;
    char(*ids)[TB_ID_SIZE] = tb_zalloc_array(many, TB_ID_SIZE);
    size_t first[128] = {0};
    for (size_t i = 0; i < many; i++) {
        tb_id_make(secret, ids[i]);
        first[(unsigned char)ids[i][0]]++;
    }
    qsort(ids, many, TB_ID_SIZE, compare_ids);
    /* Of a million random ids the closest two share about 8 characters; 14 would be 70 bits. */
    assert_true(longest_shared((const char(*)[TB_ID_SIZE])ids, many) < 14);
    for (size_t i = 0; alphabet[i]; i++) {
        assert_in_range(first[(unsigned char)alphabet[i]], many / 32 / 2, many / 32 * 2);
    }
    tb_free(ids);
}

/* TEN-1: each character of an id, of a token and of random text is any of its alphabet, equally
 * often. The bounds of chi-squared, for 31 and for 63 degrees of freedom, are those that a fair
 * draw passes once in a billion: each of many places is looked at in each run. */
static void check_flat(void (*draw)(char *ret_text), size_t chars, size_t letters, double bound)
{
    enum {
        DRAWS = 20000,
        TEXT_SIZE = 64,
        BYTES = 256
    };
    static unsigned counts[TEXT_SIZE][BYTES];
    memset(counts, 0, sizeof(counts));
    for (int i = 0; i < DRAWS; i++) {
        char text[TEXT_SIZE];
        draw(text);
        for (size_t at = 0; at < chars; at++) {
            counts[at][(unsigned char)text[at]]++;
        }
    }
    double expected = (double)DRAWS / (double)letters;
    for (size_t at = 0; at < chars; at++) {
        double sum = 0;
        size_t seen = 0;
        for (size_t c = 0; c < BYTES; c++) {
            double off = counts[at][c] - expected;
            sum += counts[at][c] ? off * off / expected : 0;
            seen += counts[at][c] > 0;
        }
        assert_int_equal(seen, letters);
        assert_true(sum < bound);
    }
}

static void draw_id(char *ret_text)
{
    tb_id_make(secret, ret_text);
}

static void draw_text(char *ret_text)
{
    tb_random_text(ret_text, 12);
}

static void every_place_of_an_id_or_token_is_any_character_equally_often(void **state)
{
    (void)state;
    check_flat(draw_id, 25, 32, 105); /* the 26th has 3 bits */
    check_flat(tb_token_make, 42, 64, 156);
    check_flat(draw_text, 12, 32, 105);
}

static void a_token_has_43_url_safe_characters_and_is_new_each_time(void **state)
{
    (void)state;
    char token[TB_TOKEN_SIZE];
    char other[TB_TOKEN_SIZE];
    tb_token_make(token);
    tb_token_make(other);
    assert_int_equal(strlen(token), 43);
    assert_int_equal(
        strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), 43);
    assert_string_not_equal(token, other);
}

static void the_hash_of_a_token_is_plain_blake2b(void **state)
{
    (void)state;
    /* BLAKE2b-256 of "abc", as b2sum -l 256 gives it. Stored hashes depend on it. */
    static const uint8_t want[TB_HASH_BYTES] = {0xbd, 0xdd, 0x81, 0x3c, 0x63, 0x42, 0x39, 0x72,
                                                0x31, 0x71, 0xef, 0x3f, 0xee, 0x98, 0x57, 0x9b,
                                                0x94, 0x96, 0x4e, 0x3b, 0xb1, 0xcb, 0x3e, 0x42,
                                                0x72, 0x62, 0xc8, 0xc0, 0x68, 0xd5, 0x23, 0x19};
    uint8_t hash[TB_HASH_BYTES];
    tb_token_hash(TB_STR("abc"), hash);
    assert_memory_equal(hash, want, sizeof(want));
    assert_true(tb_hash_eq(hash, want));
    for (size_t i = 0; i < sizeof(hash); i++) {
        hash[i] ^= 0x80;
        assert_false(tb_hash_eq(hash, want));
        hash[i] ^= 0x80;
    }
    tb_token_hash(TB_STR("abd"), hash);
    assert_false(tb_hash_eq(hash, want));
}

static void a_keyed_hash_tells_where_one_part_ends_and_the_next_begins(void **state)
{
    static const struct {
        struct tb_str parts[3];
        size_t count;
    } lists[] = {
        {{TB_STR("ab"), TB_STR("c")}, 2},
        {{TB_STR("a"), TB_STR("bc")}, 2},
        {{TB_STR("abc")}, 1},
        {{TB_STR("abc"), TB_STR("")}, 2},
        {{TB_STR(""), TB_STR("abc")}, 2},
        {{TB_STR("")}, 1},
        {{TB_STR("a"), TB_STR("b"), TB_STR("c")}, 3},
        {{TB_STR("")}, 0},
    };
    uint8_t hashes[TB_COUNT(lists)][TB_HASH_BYTES];
    uint8_t again[TB_HASH_BYTES];
    const uint8_t other[TB_SECRET_BYTES] = "another secret";
    (void)state;
    for (size_t i = 0; i < TB_COUNT(lists); i++) {
        tb_hash_keyed(secret, lists[i].parts, lists[i].count, hashes[i]);
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(hashes[i], hashes[j], TB_HASH_BYTES);
        }
    }
    tb_hash_keyed(secret, lists[0].parts, lists[0].count, again);
    assert_memory_equal(again, hashes[0], TB_HASH_BYTES);
    tb_hash_keyed(other, lists[0].parts, lists[0].count, again);
    assert_memory_not_equal(again, hashes[0], TB_HASH_BYTES);
}

static void random_bytes_fill_just_the_room_given(void **state)
{
    (void)state;
    uint8_t room[66] = {0};
    uint8_t seen[64] = {0};
    for (unsigned round = 0; round < 20; round++) {
        tb_random_bytes(room + 1, 64);
        for (size_t i = 0; i < 64; i++) {
            seen[i] |= room[i + 1];
        }
    }
    assert_int_equal(room[0], 0);
    assert_int_equal(room[65], 0);
    for (size_t i = 0; i < 64; i++) {
        assert_int_not_equal(seen[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_has_26_characters_a_dash_and_4_more),
        cmocka_unit_test(an_id_of_another_installation_is_refused),
        cmocka_unit_test(one_wrong_character_anywhere_is_noticed),
        cmocka_unit_test(text_of_another_form_is_refused),
        cmocka_unit_test(many_ids_are_distinct_and_share_no_prefix),
        cmocka_unit_test(every_place_of_an_id_or_token_is_any_character_equally_often),
        cmocka_unit_test(a_token_has_43_url_safe_characters_and_is_new_each_time),
        cmocka_unit_test(the_hash_of_a_token_is_plain_blake2b),
        cmocka_unit_test(a_keyed_hash_tells_where_one_part_ends_and_the_next_begins),
        cmocka_unit_test(random_bytes_fill_just_the_room_given),
    };
    return cmocka_run_group_tests(tests, init, NULL);
}
