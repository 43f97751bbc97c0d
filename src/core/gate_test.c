/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

struct waiting {
    struct tb_gate gate;
    int opened;
};

static void on_open(struct tb_gate *gate)
{
    TB_CONTAINER(gate, struct waiting, gate)->opened++;
}

static void it_opens_when_the_last_hold_is_released(void **state)
{
    struct waiting waiting = {.opened = 0};
    struct tb_hold first;
    struct tb_hold second;
    (void)state;
    tb_gate_init(&waiting.gate, on_open);
    assert_false(tb_gate_shut(&waiting.gate));
    tb_gate_hold(&waiting.gate, &first);
    tb_gate_hold(&waiting.gate, &second);
    assert_true(tb_gate_shut(&waiting.gate));
    tb_hold_release(&first, NULL);
    assert_int_equal(waiting.opened, 0);
    tb_hold_release(&second, NULL);
    assert_int_equal(waiting.opened, 1);
    assert_false(tb_gate_shut(&waiting.gate));
    assert_int_equal(waiting.gate.err.code, 0);
    tb_gate_fini(&waiting.gate);
}

static void the_first_failure_stays(void **state)
{
    struct waiting waiting = {.opened = 0};
    struct tb_hold hold;
    struct tb_err full;
    struct tb_err late;
    (void)state;
    tb_fail(&full, TB_E_STORE, "the disk is full");
    tb_fail(&late, TB_E_TIMEOUT, "too late");
    tb_gate_init(&waiting.gate, on_open);
    tb_gate_hold(&waiting.gate, &hold);
    tb_gate_fail(&waiting.gate, &full);
    assert_int_equal(waiting.opened, 0);
    tb_hold_release(&hold, &late);
    assert_int_equal(waiting.opened, 1);
    assert_int_equal(waiting.gate.err.code, TB_E_STORE);
    assert_string_equal(waiting.gate.err.text, "the disk is full");
    tb_gate_fini(&waiting.gate);
}

static void a_gate_may_go_before_its_holds(void **state)
{
    struct waiting waiting = {.opened = 0};
    struct tb_hold hold;
    (void)state;
    tb_gate_init(&waiting.gate, on_open);
    tb_gate_hold(&waiting.gate, &hold);
    tb_gate_fini(&waiting.gate);
    tb_hold_release(&hold, NULL);
    assert_int_equal(waiting.opened, 0);
}

static void without_a_gate_nobody_waits(void **state)
{
    struct tb_hold hold;
    struct tb_err err;
    (void)state;
    tb_fail(&err, TB_E_STORE, "the disk is full");
    tb_gate_fail(NULL, &err);
    tb_gate_hold(NULL, &hold);
    tb_hold_release(&hold, &err);
    assert_null(hold.gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_opens_when_the_last_hold_is_released),
        cmocka_unit_test(the_first_failure_stays),
        cmocka_unit_test(a_gate_may_go_before_its_holds),
        cmocka_unit_test(without_a_gate_nobody_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
