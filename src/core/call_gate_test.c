/* SPDX-License-Identifier: Apache-2.0 */
/* What a reply acknowledges is stored before it is sent. */
#include <string.h>

#include "base/mem.h"
#include "core/audit.h"
#include "core/limits.h"

#include "support/audited.h"

/* The number of turns of the loop until the call has ended. */
static int turns_of_a_call(struct rig *rig)
{
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    int turns = 0;
    while (call->call && turns < 100) {
        rig_turns(rig, 1);
        turns++;
    }
    rig_expect(call, 0);
    return turns;
}

static void an_open_gate_costs_no_turn_of_the_loop(void **state)
{
    struct audited *scene = *state;
    rig_create(scene->rig, "a");
    rig_turn(scene->rig);
    int with = turns_of_a_call(scene->rig);
    scene->rig->core.store = (struct tb_store){0};
    assert_int_equal(with, turns_of_a_call(scene->rig));
}

static void the_reply_waits_until_the_store_has_it(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    rig_create(rig, "a");
    rig_turn(rig);
    scene->kept.slow = true;
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"timeout_ms\":3000}");
    rig_turn(rig); /* the click is done, and the wait for the store begins */
    rig_advance(rig, 3000 + TB_CALL_GRACE_MS - 1);
    assert_int_equal(call->dones, 0); /* the deadline of the call itself is past */
    assert_int_equal(rig_events(rig, "call_done"), 1);
    /* The session is free: only the reply waits. */
    struct rig_call *other = rig_start(rig, &rig_wait, "", NULL);
    rig_turn(rig);
    assert_int_equal(rig_events(rig, "call_done"), 2);
    kept_release(&scene->kept, NULL);
    assert_int_equal(call->dones, 0); /* from the loop */
    rig_turn(rig);
    rig_expect(call, 0);
    rig_expect(other, 0);
}

static void a_call_that_waits_for_the_store_is_past_cancelling(void **state)
{
    struct audited *scene = *state;
    rig_create(scene->rig, "a");
    rig_turn(scene->rig);
    scene->kept.slow = true;
    struct rig_call *call = rig_start(scene->rig, &rig_click, "", NULL);
    rig_turn(scene->rig);
    tb_call_cancel(call->call);
    rig_turn(scene->rig);
    assert_int_equal(call->dones, 0);
    kept_release(&scene->kept, NULL);
    rig_turn(scene->rig);
    rig_expect(call, 0);
}

static void what_could_not_be_stored_is_the_result(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    rig_create(rig, "a");
    rig_turn(rig);
    scene->kept.broken = "the disk is full";
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"tag\":\"x\"}");
    rig_turn(rig);
    assert_string_equal(call->message,
                        "the action completed but could not be recorded: the disk is full");
    assert_null(tb_json_get(call->data, "tag"));
    rig_expect(call, TB_E_STORE);

    struct tb_err err;
    tb_fail(&err, TB_E_STORE, "gone");
    scene->kept.broken = NULL;
    scene->kept.slow = true;
    call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    kept_release(&scene->kept, &err);
    rig_turn(rig);
    rig_expect(call, TB_E_STORE);
}

static void a_store_that_does_not_answer_ends_the_wait_soon_after_the_deadline(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    rig_create(rig, "a");
    rig_turn(rig);
    scene->kept.slow = true;
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"timeout_ms\":3000}");
    rig_turn(rig);
    rig_advance(rig, 3000 + TB_CALL_GRACE_MS - 1);
    assert_int_equal(call->dones, 0);
    rig_advance(rig, 1);
    assert_string_equal(
        call->message,
        "the action completed but could not be recorded: the store does not answer; the change "
        "may still be stored later");
    rig_expect(call, TB_E_STORE);
    kept_release(&scene->kept, NULL); /* too late for anybody */
    rig_turn(rig);
}

static void a_call_that_failed_keeps_its_own_words(void **state)
{
    struct audited *scene = *state;
    rig_create(scene->rig, "a");
    rig_turn(scene->rig);
    scene->kept.broken = "the disk is full";
    scene->rig->fake->ops[TB_OP_CLICK].code = TB_E_ELEMENT_NOT_FOUND;
    assert_int_equal(rig_run(scene->rig, &rig_click, "", NULL), TB_E_ELEMENT_NOT_FOUND);
}

static void nothing_is_begun_that_could_not_be_stored(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    struct tb_tool reads = rig_click;
    reads.flags |= TB_TOOL_READ_ONLY;
    rig_create(rig, "a");
    rig_turn(rig);
    scene->kept.unready = true;
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    assert_string_equal(call->message, "the disk is full");
    rig_expect(call, TB_E_STORE);
    assert_int_equal(rig->fake->counts.begun, 0);
    assert_int_equal(rig_run(rig, &reads, "", NULL), 0);
    assert_int_equal(rig->fake->counts.begun, 1);
    scene->kept.unready = false;
    assert_int_equal(rig_run(rig, &rig_click, "", NULL), 0);
}

static void the_end_of_the_daemon_waits_for_no_store(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    rig_create(rig, "a");
    rig_turn(rig);
    scene->kept.slow = true;
    struct rig_call *told = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    struct rig_call *waiting = rig_start(rig, &rig_click, "", NULL);
    tb_sessions_stop(rig->core.sessions);
    assert_string_equal(told->message,
                        "the action completed but could not be recorded: the daemon is stopping");
    rig_expect(told, TB_E_STORE);
    rig_expect(waiting, TB_E_SHUTDOWN);
    kept_release(&scene->kept, NULL);
    rig_turn(rig);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, audited_start, audited_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(an_open_gate_costs_no_turn_of_the_loop),
        WITH(the_reply_waits_until_the_store_has_it),
        WITH(a_call_that_waits_for_the_store_is_past_cancelling),
        WITH(what_could_not_be_stored_is_the_result),
        WITH(a_store_that_does_not_answer_ends_the_wait_soon_after_the_deadline),
        WITH(a_call_that_failed_keeps_its_own_words),
        WITH(nothing_is_begun_that_could_not_be_stored),
        WITH(the_end_of_the_daemon_waits_for_no_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
