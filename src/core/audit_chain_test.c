/* SPDX-License-Identifier: Apache-2.0 */
#include "core/audit_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const uint8_t secret[TB_SECRET_BYTES] = "the secret of this installation";
static const uint8_t before[TB_HASH_BYTES] = {1, 2, 3};

static struct tb_audit_entry sample(void)
{
    return (struct tb_audit_entry){
        .seq = 7,
        .wall_ms = 1700000000000,
        .type = TB_STR("call_done"),
        .tenant = TB_STR("t"),
        .session = TB_STR("browser-1"),
        .agent = TB_STR("agent 1"),
        .tool = TB_STR("browser_click"),
        .outcome = TB_STR("ok"),
        .details = TB_STR("{\"ms\":1}"),
    };
}

static void expect_differs(const struct tb_audit_entry *a, const struct tb_audit_entry *b)
{
    uint8_t one[TB_HASH_BYTES];
    uint8_t two[TB_HASH_BYTES];
    tb_audit_link(secret, before, a, one);
    tb_audit_link(secret, before, b, two);
    assert_memory_not_equal(one, two, TB_HASH_BYTES);
}

static void every_member_counts(void **state)
{
    const struct tb_audit_entry entry = sample();
    (void)state;
    for (size_t i = 0; i < 9; i++) {
        struct tb_audit_entry other = entry;
        struct tb_str *texts[] = {&other.type, &other.tenant,  &other.session, &other.agent,
                                  &other.tool, &other.outcome, &other.details};
        if (i < TB_COUNT(texts)) {
            *texts[i] = TB_STR("");
        } else if (i == TB_COUNT(texts)) {
            other.seq++;
        } else {
            other.wall_ms++;
        }
        expect_differs(&entry, &other);
    }
}

static void text_that_moves_to_its_neighbour_is_noticed(void **state)
{
    struct tb_audit_entry entry = sample();
    struct tb_audit_entry other = sample();
    (void)state;
    entry.session = TB_STR("ab");
    entry.agent = TB_STR("c");
    other.session = TB_STR("a");
    other.agent = TB_STR("bc");
    expect_differs(&entry, &other);
}

static void the_hash_before_and_the_secret_count(void **state)
{
    static const uint8_t others[TB_SECRET_BYTES] = "the secret of another one";
    const uint8_t none[TB_HASH_BYTES] = {0};
    const struct tb_audit_entry entry = sample();
    uint8_t hashes[3][TB_HASH_BYTES];
    (void)state;
    tb_audit_link(secret, before, &entry, hashes[0]);
    tb_audit_link(secret, none, &entry, hashes[1]);
    tb_audit_link(others, before, &entry, hashes[2]);
    assert_memory_not_equal(hashes[0], hashes[1], TB_HASH_BYTES);
    assert_memory_not_equal(hashes[0], hashes[2], TB_HASH_BYTES);
}

static void the_hash_in_the_entry_does_not_count(void **state)
{
    struct tb_audit_entry entry = sample();
    uint8_t one[TB_HASH_BYTES];
    uint8_t two[TB_HASH_BYTES];
    (void)state;
    tb_audit_link(secret, before, &entry, one);
    memset(entry.hash, 0xff, sizeof(entry.hash));
    tb_audit_link(secret, before, &entry, two);
    assert_memory_equal(one, two, TB_HASH_BYTES);
}

static void a_seal_is_for_one_thing_one_number_and_one_hash(void **state)
{
    const uint8_t none[TB_HASH_BYTES] = {0};
    uint8_t seals[4][TB_HASH_BYTES];
    (void)state;
    tb_audit_seal(secret, TB_AUDIT_CUT, 7, before, seals[0]);
    tb_audit_seal(secret, TB_AUDIT_HEAD, 7, before, seals[1]);
    tb_audit_seal(secret, TB_AUDIT_CUT, 8, before, seals[2]);
    tb_audit_seal(secret, TB_AUDIT_CUT, 7, none, seals[3]);
    for (size_t i = 1; i < TB_COUNT(seals); i++) {
        assert_memory_not_equal(seals[0], seals[i], TB_HASH_BYTES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_counts),
        cmocka_unit_test(text_that_moves_to_its_neighbour_is_noticed),
        cmocka_unit_test(the_hash_before_and_the_secret_count),
        cmocka_unit_test(the_hash_in_the_entry_does_not_count),
        cmocka_unit_test(a_seal_is_for_one_thing_one_number_and_one_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
