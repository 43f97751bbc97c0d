/* SPDX-License-Identifier: Apache-2.0 */
/* Every call to the disk fails once: nothing that was acknowledged is lost, whoever waits is told,
 * and the store goes on by itself. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/testing.h"
#include "store/sqlite/sqlite.h"

#include "suite/store_lab.h"
#include "support/disk_calls.h"
#include "support/manual_work_calls.h"
#include "support/store_model.h"

enum {
    NTH_MAX = 6,
    KILLS = 60,
    GROUP = 100,
};

static void work(struct store_model *model)
{
    for (int round = 0; round < 2; round++) {
        for (int key = 0; key < MODEL_KEYS; key++) {
            store_model_change(model, key, 5000);
            store_model_append(model);
            store_model_turn(model);
        }
        store_model_settle(model);
        store_model_get(model, round);
        store_model_advance(model, 100);
    }
    store_model_settle(model);
}

static void whichever_call_fails_nothing_acknowledged_is_lost(void **state)
{
    static const int errors[] = {EIO, ENOSPC};
    size_t refused = 0;
    (void)state;
    for (int run = 0; run < DISK_CALLS * NTH_MAX * 2; run++) {
        struct store_model *model = store_model_new(run % 2, (unsigned)run);
        int nth = run / 2 % NTH_MAX;
        /* Once, or until the disk is mended. */
        disk_fail((enum disk_call)(run / 2 / NTH_MAX), nth, nth % 3 == 2 ? 1000 : 1,
                  errors[run / 4 % 2]);
        work(model);
        store_model_expect_to_work(model);
        refused += store_model_refused(model);
        store_model_free(model);
    }
    print_message("%zu writes were refused\n", refused);
    assert_true(refused > 0);
}

static void at_whichever_call_it_is_killed_nothing_acknowledged_is_lost(void **state)
{
    (void)state;
    for (int run = 0; run < KILLS; run++) {
        struct store_model *model = store_model_new(run % 2, (unsigned)run);
        store_model_append(model);
        store_model_settle(model);
        disk_freeze(run);
        work(model);
        store_model_reopen(model);
        store_model_free(model);
    }
}

static long calls(void)
{
    long sum = 0;
    for (int i = 0; i < DISK_CALLS; i++) {
        sum += disk_count((enum disk_call)i);
    }
    return sum;
}

static void a_disk_that_hangs_does_not_hang_the_loop(void **state)
{
    (void)state;
    for (int idle = 0; idle < 2; idle++) {
        struct store_model *model = store_model_new(false, 0);
        store_model_append(model);
        store_model_settle(model);
        manual_work_hold(true);
        if (idle) { /* so long that the loop does not trust the disk any more */
            store_model_advance(model, 2000);
        } else { /* or a batch that hangs gives it away */
            store_model_change(model, MODEL_LIGHT_KEYS, 0);
            store_model_advance(model, 300);
        }
        long before = calls();
        for (int i = 0; i < GROUP; i++) {
            store_model_append(model);
            store_model_change(model, 1, 0);
            store_model_turn(model);
        }
        assert_int_equal(calls(), before); /* the workers alone touch the disk */
        assert_true(store_model_waits(model));
        manual_work_hold(false);
        store_model_settle(model);
        assert_int_equal(store_model_refused(model), 0);
        store_model_free(model);
    }
}

static struct store_lab *full_lab(void)
{
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    store_lab_close(lab);
    tb_free(lab->config.store_sync);
    lab->config.store_sync = tb_strdup("full");
    store_lab_open(lab);
    return lab;
}

static void on_gate(struct tb_gate *gate)
{
    (void)gate;
}

static void with_full_replies_wait_for_the_disk_together(void **state)
{
    (void)state;
    struct store_lab *lab = full_lab();
    struct tb_gate gates[GROUP];
    const struct tb_audit_entry entry = {.type = TB_STR("x")};
    assert_int_equal(store_append_type(lab, "first"), 0);
    assert_int_equal(store_expect_chain(lab), 1);
    long before = disk_count(DISK_SYNC);
    for (int i = 0; i < GROUP; i++) {
        tb_gate_init(&gates[i], on_gate);
        lab->kind->append(lab->state, &entry, &gates[i]);
        assert_true(tb_gate_shut(&gates[i]));
    }
    for (int i = 0; i < GROUP; i++) {
        WAIT_UNTIL(lab->core.loop, !tb_gate_shut(&gates[i]));
        assert_int_equal(gates[i].err.code, 0);
        assert_true(disk_count(DISK_SYNC) > before);
        tb_gate_fini(&gates[i]);
    }
    assert_true(disk_count(DISK_SYNC) - before < GROUP / 2);
    store_lab_free(lab);
}

/* The kernel drops what it could not write and calls the next sync a success. */
static void a_file_whose_sync_failed_is_not_used_again(void **state)
{
    (void)state;
    struct store_lab *lab = full_lab();
    struct stat before;
    struct stat after;
    assert_int_equal(store_append_type(lab, "first"), 0);
    assert_int_equal(store_expect_chain(lab), 1);
    assert_int_equal(stat(store_lab_path(lab, "tabard.intake"), &before), 0);
    disk_fail(DISK_SYNC, 0, 1, EIO);
    assert_int_equal(store_append_type(lab, "second"), 0); /* the database has it */
    assert_non_null(strstr(store_lab_logged(lab), "tabard.intake: Input/output error"));
    WAIT_UNTIL(lab->core.loop, strstr(store_lab_logged(lab), "storing works again"));
    assert_int_equal(stat(store_lab_path(lab, "tabard.intake"), &after), 0);
    assert_true(before.st_ino != after.st_ino);
    assert_int_equal(store_expect_chain(lab), 2);
    store_lab_free(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whichever_call_fails_nothing_acknowledged_is_lost),
        cmocka_unit_test(at_whichever_call_it_is_killed_nothing_acknowledged_is_lost),
        cmocka_unit_test(a_disk_that_hangs_does_not_hang_the_loop),
        cmocka_unit_test(with_full_replies_wait_for_the_disk_together),
        cmocka_unit_test(a_file_whose_sync_failed_is_not_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
