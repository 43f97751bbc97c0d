/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/mem.h"

enum {
    MANY = 1000,
    LINE = 512,
};

/* What the system says of the page: "lo" is locked, "dd" is not part of a dump. */
static bool has_flags(const void *ptr, const char *first, const char *second)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    char line[LINE];
    bool here = false;
    bool has = false;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        uintptr_t from;
        uintptr_t to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            here = (uintptr_t)ptr >= from && (uintptr_t)ptr < to;
        } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
            has = strstr(line, first) && strstr(line, second);
        }
    }
    (void)fclose(file);
    return has;
}

static void what_is_taken_is_locked_and_in_no_dump(void **state)
{
    struct tb_vault vault = {0};
    (void)state;
    static const size_t sizes[] = {1, 44, 64, 1000, 4096, 5000, 20000};
    void *taken[TB_COUNT(sizes)];
    for (size_t i = 0; i < TB_COUNT(sizes); i++) {
        taken[i] = tb_vault_take(&vault, sizes[i]);
        memset(taken[i], 'x', sizes[i]);
        assert_true(has_flags(taken[i], " dd", vault.failure ? "" : " lo"));
    }
    for (size_t i = 0; i < TB_COUNT(sizes); i++) {
        tb_vault_give_back(&vault, taken[i]);
    }
    assert_null(vault.blocks);
}

static void what_is_given_back_is_wiped_and_its_neighbours_stay_locked(void **state)
{
    struct tb_vault vault = {0};
    const char zeros[40] = {0};
    (void)state;
    char *first = tb_vault_take(&vault, 40);
    char *second = tb_vault_take(&vault, 40);
    memcpy(first, "first", 6);
    memcpy(second, "second", 7);
    tb_vault_give_back(&vault, first);
    assert_memory_equal(first, zeros, sizeof(zeros));
    assert_string_equal(second, "second");
    assert_true(has_flags(second, " dd", vault.failure ? "" : " lo"));
    assert_ptr_equal(tb_vault_take(&vault, 33), first);
    tb_vault_give_back(&vault, first);
    tb_vault_give_back(&vault, second);
    tb_vault_give_back(&vault, NULL);
    assert_null(vault.blocks);
}

static void many_have_their_own_place(void **state)
{
    struct tb_vault vault = {0};
    char *taken[MANY];
    (void)state;
    for (int i = 0; i < MANY; i++) {
        taken[i] = tb_vault_take(&vault, 44);
        assert_int_equal(taken[i][0], 0);
        snprintf(taken[i], 44, "secret %d", i);
    }
    for (int i = 0; i < MANY; i++) {
        char wanted[44];
        snprintf(wanted, sizeof(wanted), "secret %d", i);
        assert_string_equal(taken[i], wanted);
        tb_vault_give_back(&vault, taken[i]);
    }
    assert_null(vault.blocks);
}

static int told;

static void on_unlocked(struct tb_vault *vault)
{
    told += vault->failure < 0;
}

static void that_a_page_cannot_be_locked_is_told_once(void **state)
{
    struct tb_vault vault = {.unlocked = on_unlocked};
    const struct rlimit none = {0, 0};
    (void)state;
    told = 0;
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &none), 0);
    char *one = tb_vault_take(&vault, 44);
    char *other = tb_vault_take(&vault, 4000);
    snprintf(one, 44, "still there");
    assert_int_equal(told, vault.failure < 0); /* whoever may lock all can do so here too */
    tb_vault_give_back(&vault, one);
    tb_vault_give_back(&vault, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken_is_locked_and_in_no_dump),
        cmocka_unit_test(what_is_given_back_is_wiped_and_its_neighbours_stay_locked),
        cmocka_unit_test(many_have_their_own_place),
        cmocka_unit_test(that_a_page_cannot_be_locked_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
