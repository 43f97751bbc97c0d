/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "io/testing.h"

#include "suite/store_pair.h"

enum {
    TTL_MS = 1000,
    LONG_MS = 1000 * TTL_MS,
};

static void pass_ms(struct store_pair *pair, int64_t ms)
{
    tb_clock_manual_advance(&pair->one->clock, ms);
}

static void a_claim_holds_until_its_time_is_over(void **state)
{
    struct store_pair *pair = *state;
    struct tb_fence mine = {0};
    struct tb_fence theirs = {0};
    assert_int_equal(store_claim(pair->one, "k", "node-1", TTL_MS, &mine), 0);
    assert_int_equal(store_claim(pair->two, "k", "node-2", TTL_MS, &theirs), TB_E_EXISTS);
    assert_non_null(strstr(pair->two->words, "node-1"));
    assert_int_equal(store_claim(pair->one, "k", "node-1", TTL_MS, &theirs), TB_E_EXISTS);
    assert_int_equal(store_claim(pair->two, "other", "node-2", TTL_MS, &theirs), 0);
    pass_ms(pair, TTL_MS - 1);
    assert_int_equal(store_claim(pair->two, "k", "node-2", TTL_MS, &theirs), TB_E_EXISTS);
    pass_ms(pair, 1);
    assert_int_equal(store_claim(pair->two, "k", "node-2", TTL_MS, &theirs), 0);
    assert_true(theirs.epoch > mine.epoch);
}

static void a_renewed_claim_holds_for_longer(void **state)
{
    struct store_pair *pair = *state;
    struct tb_fence mine = {0};
    struct tb_fence theirs = {0};
    assert_int_equal(store_claim(pair->one, "k", "node-1", TTL_MS, &mine), 0);
    for (int i = 0; i < 3; i++) {
        pass_ms(pair, TTL_MS - 1);
        assert_int_equal(store_renew(pair->one, &mine, TTL_MS), 0);
        assert_int_equal(store_claim(pair->two, "k", "node-2", TTL_MS, &theirs), TB_E_EXISTS);
    }
    const struct tb_fence wrong = {mine.key, mine.epoch + 1};
    assert_int_equal(store_renew(pair->two, &wrong, TTL_MS), TB_E_FENCED);
    pass_ms(pair, TTL_MS); /* nobody has claimed it since, and yet */
    assert_int_equal(store_renew(pair->one, &mine, TTL_MS), TB_E_FENCED);
}

static void a_released_claim_is_free_at_once(void **state)
{
    struct store_pair *pair = *state;
    struct tb_fence first = {0};
    struct tb_fence second = {0};
    struct tb_fence third = {0};
    assert_int_equal(store_claim(pair->one, "k", "node-1", TTL_MS, &first), 0);
    pair->one->kind->release(pair->one->state, &first);
    assert_int_equal(store_claim(pair->two, "k", "node-2", TTL_MS, &second), 0);
    assert_true(second.epoch > first.epoch);
    pair->one->kind->release(pair->one->state, &first); /* too late: it is another's */
    assert_int_equal(store_claim(pair->one, "k", "node-1", TTL_MS, &third), TB_E_EXISTS);
    assert_int_equal(store_put_fenced(pair->one, TB_SPACE_END, "r", "v", &first), TB_E_FENCED);
}

static void epochs_grow_from_claim_to_claim(void **state)
{
    struct store_pair *pair = *state;
    int64_t last = 0;
    for (int i = 0; i < 2500; i++) {
        struct tb_fence fence = {0};
        char key[] = {(char)('a' + i % 26), '\0'};
        assert_int_equal(store_claim(i % 2 ? pair->one : pair->two, key, "node", 1, &fence), 0);
        assert_true(fence.epoch > last);
        last = fence.epoch;
        pass_ms(pair, 1);
    }
}

/* The one that this is all about: a node sleeps, another takes over, the first wakes up. */
static void the_late_write_of_a_node_that_lost_its_claim_is_refused(void **state)
{
    struct store_pair *pair = *state;
    for (int i = 0; i < TB_SPACE_COUNT; i++) {
        enum tb_space space = (enum tb_space)i;
        struct tb_fence mine = {0};
        struct tb_fence theirs = {0};
        assert_int_equal(store_claim(pair->one, "k", "node-1", TTL_MS, &mine), 0);
        assert_int_equal(store_put_fenced(pair->one, space, "r", "first", &mine), 0);
        pass_ms(pair, TTL_MS);
        /* Even while nobody has taken over: another may, at any moment. */
        assert_int_equal(store_put_fenced(pair->one, space, "r", "late", &mine), TB_E_FENCED);
        assert_int_equal(store_claim(pair->two, "k", "node-2", TTL_MS, &theirs), 0);
        assert_int_equal(store_put_fenced(pair->two, space, "r", "second", &theirs), 0);
        assert_int_equal(store_put_fenced(pair->one, space, "r", "late", &mine), TB_E_FENCED);
        assert_true(pair->one->words[0]);
        assert_int_equal(store_remove_fenced(pair->one, space, "r", &mine), TB_E_FENCED);
        assert_int_equal(store_renew(pair->one, &mine, TTL_MS), TB_E_FENCED);
        store_expect(pair->one, space, "r", "second");
        assert_int_equal(store_remove_fenced(pair->two, space, "r", &theirs), 0);
        store_expect(pair->two, space, "r", NULL);
        pair->two->kind->release(pair->two->state, &theirs);
    }
}

static void a_fence_of_a_claim_that_never_was_refuses(void **state)
{
    struct store_pair *pair = *state;
    const struct tb_fence fence = {TB_STR("never"), 1};
    assert_int_equal(store_put_fenced(pair->one, TB_SPACE_SESSION, "r", "v", &fence), TB_E_FENCED);
    store_expect(pair->one, TB_SPACE_SESSION, "r", NULL);
}

static void a_claim_with_long_names_is_refused(void **state)
{
    struct store_pair *pair = *state;
    struct tb_fence fence = {0};
    char text[TB_CLAIM_KEY_MAX + 2] = "";
    memset(text, 'x', TB_CLAIM_KEY_MAX + 1);
    assert_int_equal(store_claim(pair->one, text, "node", TTL_MS, &fence), TB_E_TOO_LARGE);
    assert_int_equal(store_claim(pair->one, "k", text, TTL_MS, &fence), TB_E_TOO_LARGE);
    text[TB_CLAIM_KEY_MAX] = '\0';
    assert_int_equal(store_claim(pair->one, text, "node", TTL_MS, &fence), 0);
}

static void must_not_come(const struct tb_err *err, int64_t epoch, void *user)
{
    (void)err;
    (void)epoch;
    (void)user;
    fail();
}

/* And the first of a store, which may have to look something up. */
static void cancelled_claims_and_those_of_a_closed_store_say_nothing(void **state)
{
    struct store_pair *pair = *state;
    struct store_lab *lab = pair->one;
    struct tb_fence fence = {0};
    for (int i = 0; i < 2; i++) {
        lab->kind->cancel(
            lab->kind->claim(lab->state, TB_STR("a"), TB_STR("node"), 1, must_not_come, NULL));
        assert_int_equal(store_claim(lab, i ? "b" : "c", "node", TTL_MS, &fence), 0);
    }
    lab->kind->claim(lab->state, TB_STR("d"), TB_STR("node"), 1, must_not_come, NULL);
    store_lab_close(lab);
}

/* Whether the store had decided on it by then or not. */
static void a_claim_that_was_cancelled_does_not_hold(void **state)
{
    struct store_pair *pair = *state;
    const struct tb_store_kind *kind = pair->one->kind;
    for (int i = 0; i < 2; i++) {
        struct tb_fence fence = {0};
        kind->cancel(kind->claim(pair->one->state, TB_STR("k"), TB_STR("node-1"), TTL_MS,
                                 must_not_come, NULL));
        assert_int_equal(store_claim(pair->two, "k", "node-2", TTL_MS, &fence), 0);
        kind->release(pair->two->state, &fence);
    }
}

static void a_claim_that_lasts_as_long_as_can_be_holds(void **state)
{
    struct store_pair *pair = *state;
    struct tb_fence mine = {0};
    struct tb_fence theirs = {0};
    pass_ms(pair, 1);
    assert_int_equal(store_claim(pair->one, "k", "node-1", INT64_MAX, &mine), 0);
    assert_int_equal(store_renew(pair->one, &mine, INT64_MAX), 0);
    assert_int_equal(store_claim(pair->two, "k", "node-2", TTL_MS, &theirs), TB_E_EXISTS);
}

/* More than are looked at in passing, so those that have run out are dropped on the way. */
static void claims_that_nobody_released_do_not_hold_up_others(void **state)
{
    struct store_pair *pair = *state;
    struct tb_fence kept = {0};
    struct tb_fence fence = {0};
    assert_int_equal(store_claim(pair->one, "kept", "node", LONG_MS, &kept), 0);
    for (int i = 0; i < 300; i++) {
        char key[] = {'k', (char)('a' + i % 26), (char)('a' + i / 26), '\0'};
        assert_int_equal(store_claim(pair->one, key, "node", TTL_MS, &fence), 0);
        pass_ms(pair, TTL_MS / 10);
        assert_int_equal(store_put_fenced(pair->one, TB_SPACE_END, "r", "v", &fence), 0);
    }
    assert_int_equal(store_put_fenced(pair->one, TB_SPACE_END, "r", "v", &kept), 0);
}

int store_node_cases(const struct tb_store_kind *kind, store_join_fn *join)
{
#define CASE(name) STORE_PAIR_CASE(name, &subject)
    struct store_subject subject = {kind, join};
    const struct CMUnitTest tests[] = {
        CASE(a_claim_holds_until_its_time_is_over),
        CASE(a_renewed_claim_holds_for_longer),
        CASE(a_released_claim_is_free_at_once),
        CASE(epochs_grow_from_claim_to_claim),
        CASE(the_late_write_of_a_node_that_lost_its_claim_is_refused),
        CASE(a_fence_of_a_claim_that_never_was_refuses),
        CASE(a_claim_with_long_names_is_refused),
        CASE(cancelled_claims_and_those_of_a_closed_store_say_nothing),
        CASE(a_claim_that_was_cancelled_does_not_hold),
        CASE(a_claim_that_lasts_as_long_as_can_be_holds),
        CASE(claims_that_nobody_released_do_not_hold_up_others),
    };
#undef CASE
    return cmocka_run_group_tests_name(kind->name, tests, NULL, NULL);
}
