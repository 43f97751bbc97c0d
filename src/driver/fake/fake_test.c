/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/fake/fake.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/session_internal.h"

#include "support/core_rig.h"

static void things_go_as_they_were_planned(void **state)
{
    struct rig *rig = *state;
    static const struct {
        struct tb_fake_plan plan;
        int64_t wait_ms;
        int code;
    } rows[] = {
        {{.when = TB_FAKE_NOW}, 0, 0},
        {{.when = TB_FAKE_NOW, .code = TB_E_SCRIPT}, 0, TB_E_SCRIPT},
        {{.when = TB_FAKE_LATER, .delay_ms = 20}, 20, 0},
        {{.when = TB_FAKE_LATER, .delay_ms = 20, .code = TB_E_BAD_URL}, 20, TB_E_BAD_URL},
        {{.when = TB_FAKE_HELD}, 30000, TB_E_TIMEOUT},
    };
    rig_create(rig, "a");
    rig_turn(rig);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        rig->fake->ops[TB_OP_CLICK] = rows[i].plan;
        struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
        if (rows[i].wait_ms) {
            rig_advance(rig, rows[i].wait_ms - 1);
            assert_int_equal(call->dones, 0);
            rig_advance(rig, 1);
        }
        rig_turn(rig);
        rig_expect(call, rows[i].code);
    }
    assert_int_equal(rig->fake->counts.begun, TB_COUNT(rows));
    assert_int_equal(rig->fake->counts.ended, TB_COUNT(rows));
    assert_int_equal(rig->fake->counts.cancelled, 1);
    assert_int_equal(rig->fake->counts.at_work, 0);
}

static void who_waits_for_nothing_cannot_be_released(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    assert_false(tb_fake_release(rig->fake, tb_session_info(session).id));
    assert_false(tb_fake_release(rig->fake, "nobody"));
    assert_false(tb_fake_lose(rig->fake, "nobody"));
    assert_false(tb_fake_emit(rig->fake, "nobody", &(struct tb_event){.type = TB_EVENT_NAVIGATED}));
}

static void a_good_operation_gives_its_arguments_back(void **state)
{
    struct rig *rig = *state;
    struct tb_str tag;
    rig_create(rig, "a");
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"tag\":\"echo\"}");
    rig_turn(rig);
    assert_true(tb_json_str(tb_json_get(call->data, "tag"), &tag));
    assert_true(tb_str_eq_cstr(tag, "echo"));
    rig_expect(call, 0);
}

static void on_saved(struct tb_str state, bool whole, const struct tb_err *err, void *owner)
{
    (void)whole;
    snprintf(owner, 64, "%.*s%s", TB_STR_ARG(state), err ? tb_err_name(err->code) : "");
}

static void a_session_saves_the_tag_of_its_last_operation(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    char saved[64] = "";
    int64_t deadline_ms = tb_loop_now_ms(rig->core.loop) + 1000;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"tag\":\"echo\"}"), 0);
    assert_string_equal(tb_fake_memory(rig->fake, tb_session_info(session).id), "echo");
    tb_driver_fake.save(session->driver_session, deadline_ms, on_saved, saved);
    rig_turn(rig);
    assert_string_equal(saved, "{\"tag\":\"echo\"}");
    rig->fake->save.code = TB_E_TIMEOUT;
    tb_driver_fake.save(session->driver_session, deadline_ms, on_saved, saved);
    rig_turn(rig);
    assert_string_equal(saved, "timeout");
    assert_null(tb_fake_memory(rig->fake, "nobody"));
}

/* The contract: nobody hears of what is dropped when a driver stops. */
static void stopping_drops_what_is_open_without_a_word(void **state)
{
    struct rig *rig = *state;
    rig->fake->close.when = TB_FAKE_HELD;
    rig_create(rig, "closing");
    rig_create(rig, "open");
    rig_turn(rig);
    tb_session_end(rig_find(rig, "closing"), TB_END_CLOSED);
    rig_turn(rig);
    rig->fake->open.when = TB_FAKE_HELD;
    rig_create(rig, "opening");
    rig_turn(rig);
    rig_stop(rig);
    rig_turn(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(things_go_as_they_were_planned, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(who_waits_for_nothing_cannot_be_released, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(a_good_operation_gives_its_arguments_back, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(a_session_saves_the_tag_of_its_last_operation, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(stopping_drops_what_is_open_without_a_word, rig_setup,
                                        rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
