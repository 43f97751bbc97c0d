/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "io/testing.h"

#include "suite/store_cases.h"
#include "suite/store_lab.h"

static int setup(void **state)
{
    *state = store_lab_new(*state);
    return 0;
}

static int teardown(void **state)
{
    store_lab_free(*state);
    return 0;
}

static void a_new_record_is_put_where_there_is_none(void **state)
{
    struct store_lab *lab = *state;
    for (int i = 0; i < TB_SPACE_COUNT; i++) {
        enum tb_space space = (enum tb_space)i;
        assert_int_equal(store_put_new(lab, space, "k", "first"), 0);
        assert_int_equal(store_put_new(lab, space, "k", "second"), TB_E_EXISTS);
        assert_int_equal(store_put_new(lab, space, "k2", "other"), 0);
        store_expect(lab, space, "k", "first");
        assert_int_equal(store_remove(lab, space, "k"), 0);
        assert_int_equal(store_put_new(lab, space, "k", ""), 0);
        store_expect(lab, space, "k", "");
        assert_int_equal(store_put(lab, space, "k", "put"), 0);
        assert_int_equal(store_put_new(lab, space, "k", "third"), TB_E_EXISTS);
        store_expect(lab, space, "k", "put");
    }
}

/* Nothing is waited for in between: p puts, r removes, 0 to 9 put as new. Those that are told that
 * it was there already, and what there is in the end. */
struct sequence {
    const char *steps;
    const char *refused;
    const char *left;
};

static void play(struct store_lab *lab, enum tb_space space, const char *key,
                 const struct sequence *sequence)
{
    struct store_seen seen[4];
    char refused[8] = "";
    size_t count = 0;
    for (const char *step = sequence->steps; *step; step++) {
        const char value[] = {*step, '\0'};
        if (*step == 'p') {
            lab->kind->put(lab->state, space, tb_str_of(key), TB_STR("p"), NULL, NULL);
        } else if (*step == 'r') {
            lab->kind->remove(lab->state, space, tb_str_of(key), NULL, NULL);
        } else {
            store_seen_init(lab, &seen[count]);
            store_put_new_start(lab, space, key, value, &seen[count++]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        WAIT_UNTIL(lab->core.loop, seen[i].ends);
        assert_true(seen[i].code == 0 || seen[i].code == TB_E_EXISTS);
        if (seen[i].code) {
            refused[strlen(refused)] = "0123"[i];
        }
        store_seen_fini(&seen[i]);
    }
    assert_string_equal(refused, sequence->refused);
    store_expect(lab, space, key, sequence->left);
}

static void new_records_keep_the_order_of_writes(void **state)
{
    static const struct sequence sequences[] = {
        {"0", "", "0"},     {"01", "1", "0"},   {"0p", "", "p"},      {"p0", "0", "p"},
        {"0r", "", NULL},   {"r0", "", "0"},    {"0r1", "", "1"},     {"0p1r2", "1", "2"},
        {"pr0", "", "0"},   {"0pr1p", "", "p"}, {"0123", "123", "0"}, {"0rr1r", "", NULL},
        {"p0r1", "0", "1"}, {"0rp", "", "p"},   {"0rp1", "1", "p"},
    };
    for (int space = 0; space < TB_SPACE_COUNT; space++) {
        for (size_t i = 0; i < TB_COUNT(sequences); i++) {
            char key[] = {(char)('a' + (int)i), '\0'};
            play(*state, (enum tb_space)space, key, &sequences[i]);
        }
    }
}

static void a_new_record_over_the_limit_is_refused(void **state)
{
    struct store_lab *lab = *state;
    char *value = tb_zalloc(TB_RECORD_LIGHT_MAX + 2);
    memset(value, 'x', TB_RECORD_LIGHT_MAX + 1);
    assert_int_equal(store_put_new(lab, TB_SPACE_SESSION, "k", value), TB_E_TOO_LARGE);
    assert_int_equal(store_put_new(lab, TB_SPACE_STATE, "k", value), 0);
    store_expect(lab, TB_SPACE_SESSION, "k", NULL);
    tb_free(value);
}

static void who_cancels_hears_nothing_and_the_record_is_there(void **state)
{
    struct store_lab *lab = *state;
    for (int space = 0; space < TB_SPACE_COUNT; space++) {
        struct store_seen seen;
        store_seen_init(lab, &seen);
        store_put_new_start(lab, (enum tb_space)space, "k", "v", &seen);
        lab->kind->cancel(seen.read);
        store_expect(lab, (enum tb_space)space, "k", "v");
        assert_int_equal(store_put_new(lab, (enum tb_space)space, "k", "w"), TB_E_EXISTS);
        assert_int_equal(seen.ends, 0);
        store_seen_fini(&seen);
    }
}

static void closing_ends_it_without_a_word(void **state)
{
    struct store_lab *lab = *state;
    struct store_seen seen;
    store_seen_init(lab, &seen);
    store_put_new_start(lab, TB_SPACE_SESSION, "k", "v", &seen);
    store_put_new_start(lab, TB_SPACE_STATE, "k", "v", &seen);
    store_lab_close(lab);
    assert_int_equal(seen.ends, 0);
    store_seen_fini(&seen);
}

int store_answer_cases(const struct tb_store_kind *kind)
{
#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, setup, teardown, initial)
    void *initial = (void *)(uintptr_t)kind;
    const struct CMUnitTest tests[] = {
        CASE(a_new_record_is_put_where_there_is_none),
        CASE(new_records_keep_the_order_of_writes),
        CASE(a_new_record_over_the_limit_is_refused),
        CASE(who_cancels_hears_nothing_and_the_record_is_there),
        CASE(closing_ends_it_without_a_word),
    };
#undef CASE
    return cmocka_run_group_tests_name(kind->name, tests, NULL, NULL);
}
