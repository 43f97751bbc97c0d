/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "io/testing.h"

#include "suite/store_cases.h"
#include "suite/store_lab.h"

enum {
    TTL_MS = 1000,
    LONG_MS = 1000 * TTL_MS,
};

struct subject {
    const struct tb_store_kind *kind;
    store_join_fn *join;
};

/* Two nodes; of a store that is not shared, one under two names. */
struct scene {
    struct store_lab *one;
    struct store_lab *two;
};

static int setup(void **state)
{
    const struct subject *subject = *state;
    struct scene *scene = TB_NEW(struct scene);
    scene->one = store_lab_new(subject->kind);
    store_lab_stop_clock(scene->one);
    scene->two = subject->join ? store_lab_join(scene->one, subject->join) : scene->one;
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    if (scene->two != scene->one) {
        store_lab_leave(scene->two);
    }
    store_lab_free(scene->one);
    tb_free(scene);
    return 0;
}

static void pass_ms(struct scene *scene, int64_t ms)
{
    tb_clock_manual_advance(&scene->one->clock, ms);
}

static void a_claim_holds_until_its_time_is_over(void **state)
{
    struct scene *scene = *state;
    struct tb_fence mine = {0};
    struct tb_fence theirs = {0};
    assert_int_equal(store_claim(scene->one, "k", "node-1", TTL_MS, &mine), 0);
    assert_int_equal(store_claim(scene->two, "k", "node-2", TTL_MS, &theirs), TB_E_EXISTS);
    assert_non_null(strstr(scene->two->words, "node-1"));
    assert_int_equal(store_claim(scene->one, "k", "node-1", TTL_MS, &theirs), TB_E_EXISTS);
    assert_int_equal(store_claim(scene->two, "other", "node-2", TTL_MS, &theirs), 0);
    pass_ms(scene, TTL_MS - 1);
    assert_int_equal(store_claim(scene->two, "k", "node-2", TTL_MS, &theirs), TB_E_EXISTS);
    pass_ms(scene, 1);
    assert_int_equal(store_claim(scene->two, "k", "node-2", TTL_MS, &theirs), 0);
    assert_true(theirs.epoch > mine.epoch);
}

static void a_renewed_claim_holds_for_longer(void **state)
{
    struct scene *scene = *state;
    struct tb_fence mine = {0};
    struct tb_fence theirs = {0};
    assert_int_equal(store_claim(scene->one, "k", "node-1", TTL_MS, &mine), 0);
    for (int i = 0; i < 3; i++) {
        pass_ms(scene, TTL_MS - 1);
        assert_int_equal(store_renew(scene->one, &mine, TTL_MS), 0);
        assert_int_equal(store_claim(scene->two, "k", "node-2", TTL_MS, &theirs), TB_E_EXISTS);
    }
    const struct tb_fence wrong = {mine.key, mine.epoch + 1};
    assert_int_equal(store_renew(scene->two, &wrong, TTL_MS), TB_E_FENCED);
    pass_ms(scene, TTL_MS); /* nobody has claimed it since, and yet */
    assert_int_equal(store_renew(scene->one, &mine, TTL_MS), TB_E_FENCED);
}

static void a_released_claim_is_free_at_once(void **state)
{
    struct scene *scene = *state;
    struct tb_fence first = {0};
    struct tb_fence second = {0};
    struct tb_fence third = {0};
    assert_int_equal(store_claim(scene->one, "k", "node-1", TTL_MS, &first), 0);
    scene->one->kind->release(scene->one->state, &first);
    assert_int_equal(store_claim(scene->two, "k", "node-2", TTL_MS, &second), 0);
    assert_true(second.epoch > first.epoch);
    scene->one->kind->release(scene->one->state, &first); /* too late: it is another's */
    assert_int_equal(store_claim(scene->one, "k", "node-1", TTL_MS, &third), TB_E_EXISTS);
    assert_int_equal(store_put_fenced(scene->one, TB_SPACE_END, "r", "v", &first), TB_E_FENCED);
}

static void epochs_grow_from_claim_to_claim(void **state)
{
    struct scene *scene = *state;
    int64_t last = 0;
    for (int i = 0; i < 2500; i++) {
        struct tb_fence fence = {0};
        char key[] = {(char)('a' + i % 26), '\0'};
        assert_int_equal(store_claim(i % 2 ? scene->one : scene->two, key, "node", 1, &fence), 0);
        assert_true(fence.epoch > last);
        last = fence.epoch;
        pass_ms(scene, 1);
    }
}

/* The one that this is all about: a node sleeps, another takes over, the first wakes up. */
static void the_late_write_of_a_node_that_lost_its_claim_is_refused(void **state)
{
    struct scene *scene = *state;
    for (int i = 0; i < TB_SPACE_COUNT; i++) {
        enum tb_space space = (enum tb_space)i;
        struct tb_fence mine = {0};
        struct tb_fence theirs = {0};
        assert_int_equal(store_claim(scene->one, "k", "node-1", TTL_MS, &mine), 0);
        assert_int_equal(store_put_fenced(scene->one, space, "r", "first", &mine), 0);
        pass_ms(scene, TTL_MS);
        /* Even while nobody has taken over: another may, at any moment. */
        assert_int_equal(store_put_fenced(scene->one, space, "r", "late", &mine), TB_E_FENCED);
        assert_int_equal(store_claim(scene->two, "k", "node-2", TTL_MS, &theirs), 0);
        assert_int_equal(store_put_fenced(scene->two, space, "r", "second", &theirs), 0);
        assert_int_equal(store_put_fenced(scene->one, space, "r", "late", &mine), TB_E_FENCED);
        assert_true(scene->one->words[0]);
        assert_int_equal(store_remove_fenced(scene->one, space, "r", &mine), TB_E_FENCED);
        assert_int_equal(store_renew(scene->one, &mine, TTL_MS), TB_E_FENCED);
        store_expect(scene->one, space, "r", "second");
        assert_int_equal(store_remove_fenced(scene->two, space, "r", &theirs), 0);
        store_expect(scene->two, space, "r", NULL);
        scene->two->kind->release(scene->two->state, &theirs);
    }
}

static void a_fence_of_a_claim_that_never_was_refuses(void **state)
{
    struct scene *scene = *state;
    const struct tb_fence fence = {TB_STR("never"), 1};
    assert_int_equal(store_put_fenced(scene->one, TB_SPACE_SESSION, "r", "v", &fence), TB_E_FENCED);
    store_expect(scene->one, TB_SPACE_SESSION, "r", NULL);
}

static void a_claim_with_long_names_is_refused(void **state)
{
    struct scene *scene = *state;
    struct tb_fence fence = {0};
    char text[TB_CLAIM_KEY_MAX + 2] = "";
    memset(text, 'x', TB_CLAIM_KEY_MAX + 1);
    assert_int_equal(store_claim(scene->one, text, "node", TTL_MS, &fence), TB_E_TOO_LARGE);
    assert_int_equal(store_claim(scene->one, "k", text, TTL_MS, &fence), TB_E_TOO_LARGE);
    text[TB_CLAIM_KEY_MAX] = '\0';
    assert_int_equal(store_claim(scene->one, text, "node", TTL_MS, &fence), 0);
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
    struct scene *scene = *state;
    struct store_lab *lab = scene->one;
    struct tb_fence fence = {0};
    for (int i = 0; i < 2; i++) {
        lab->kind->cancel(
            lab->kind->claim(lab->state, TB_STR("a"), TB_STR("node"), 1, must_not_come, NULL));
        assert_int_equal(store_claim(lab, i ? "b" : "c", "node", TTL_MS, &fence), 0);
    }
    lab->kind->claim(lab->state, TB_STR("d"), TB_STR("node"), 1, must_not_come, NULL);
    store_lab_close(lab);
}

/* More than are looked at in passing, so those that have run out are dropped on the way. */
static void claims_that_nobody_released_do_not_hold_up_others(void **state)
{
    struct scene *scene = *state;
    struct tb_fence kept = {0};
    struct tb_fence fence = {0};
    assert_int_equal(store_claim(scene->one, "kept", "node", LONG_MS, &kept), 0);
    for (int i = 0; i < 300; i++) {
        char key[] = {'k', (char)('a' + i % 26), (char)('a' + i / 26), '\0'};
        assert_int_equal(store_claim(scene->one, key, "node", TTL_MS, &fence), 0);
        pass_ms(scene, TTL_MS / 10);
        assert_int_equal(store_put_fenced(scene->one, TB_SPACE_END, "r", "v", &fence), 0);
    }
    assert_int_equal(store_put_fenced(scene->one, TB_SPACE_END, "r", "v", &kept), 0);
}

int store_node_cases(const struct tb_store_kind *kind, store_join_fn *join)
{
#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, setup, teardown, &subject)
    struct subject subject = {kind, join};
    const struct CMUnitTest tests[] = {
        CASE(a_claim_holds_until_its_time_is_over),
        CASE(a_renewed_claim_holds_for_longer),
        CASE(a_released_claim_is_free_at_once),
        CASE(epochs_grow_from_claim_to_claim),
        CASE(the_late_write_of_a_node_that_lost_its_claim_is_refused),
        CASE(a_fence_of_a_claim_that_never_was_refuses),
        CASE(a_claim_with_long_names_is_refused),
        CASE(cancelled_claims_and_those_of_a_closed_store_say_nothing),
        CASE(claims_that_nobody_released_do_not_hold_up_others),
    };
#undef CASE
    return cmocka_run_group_tests_name(kind->name, tests, NULL, NULL);
}
