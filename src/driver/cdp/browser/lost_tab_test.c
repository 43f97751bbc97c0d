/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/inner.h"

#include "support/scripted.h"

enum {
    CREATE_MS = TB_CDP_COMMAND_MS,
    CALL_MS = 30000,
    ATTACHED = 0, /* events of hostile_tell */
    OPENED = 1,
    DETACHED = 5,
    DIALOG_CLOSED = 37,
    CRASHED = 38,
    EMPTY_ANSWER = 1, /* of hostile_answer */
    REFUSED = 20,
};

/* All but those of this method, which go on waiting. */
static void answer_but(struct scene *scene, const char *method)
{
    for (int i = 0; i < SCENE_ROUNDS; i++) {
        for (size_t k = scene->peer.count; k-- > 0;) {
            if (strcmp(scene->peer.waiting[k].method, method) != 0) {
                hostile_answer(&scene->peer, k, 0, false);
            }
        }
        scene_turn(scene);
    }
}

static int run(struct scene *scene, bool answered)
{
    scene_begin_op(scene, TB_OP_SNAPSHOT);
    if (answered) {
        scene_answer_all(scene);
    }
    assert_int_equal(scene->dones, 1);
    return scene->result.code;
}

static void close_last_tab(struct scene *scene)
{
    static const uint8_t first[HOSTILE_PICKS] = {0};
    hostile_tell(&scene->peer, DETACHED, first);
    scene_turn(scene);
}

static void a_session_without_a_tab_asks_for_one_again(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(run(scene, true), 0);
    close_last_tab(scene);
    assert_true(scene_is_asked(scene, "Target.createTarget"));
    scene->peer.count = 0; /* the request is lost */
    assert_int_equal(run(scene, false), TB_E_TAB_NOT_FOUND);
    assert_false(
        scene_is_asked(scene, "Target.createTarget")); /* one is on its way, for all we know */

    tb_clock_manual_advance(&scene->clock, CREATE_MS);
    scene_turn(scene);
    assert_int_equal(run(scene, false), TB_E_TAB_NOT_FOUND);
    assert_true(scene_is_asked(scene, "Target.createTarget"));
    scene_answer_all(scene);
    assert_int_equal(run(scene, true), 0);
}

static void come_to_a_file(struct scene *scene)
{
    scene_say(scene, "{\"method\":\"Page.frameNavigated\",\"sessionId\":\"S1\",\"params\":{"
                     "\"frame\":{\"id\":\"T1\",\"loaderId\":\"L9\",\"url\":\"file:///etc/\"}}}");
    assert_true(tb_cdp_page_is_inner(tb_cdp_session_page(scene->session)));
}

static void begin_to_load(struct scene *scene)
{
    scene_say(scene, "{\"method\":\"Page.frameStartedNavigating\",\"sessionId\":\"S1\",\"params\":{"
                     "\"frameId\":\"T1\",\"navigationType\":\"differentDocument\"}}");
}

static void open_address(struct scene *scene)
{
    scene_set_args(scene, "{\"url\":\"https://a.test/\"}");
    scene_begin_op(scene, TB_OP_NAVIGATE);
}

static void expect_opened_in(struct scene *scene, const char *target)
{
    assert_int_equal(scene->dones, 0);
    scene_answer_all(scene);
    assert_int_equal(scene->dones, 1);
    assert_string_equal(scene->result.message ? scene->result.message : "", "");
    assert_string_equal(tb_cdp_page_target_id(tb_cdp_session_page(scene->session)), target);
}

static void an_address_is_opened_though_the_tab_is_closed_for_the_one_before(void **state)
{
    struct scene *scene = *state;
    come_to_a_file(scene);
    assert_int_equal(run(scene, false), TB_E_TAB_NOT_FOUND); /* of that tab nothing is shown */
    open_address(scene);
    expect_opened_in(scene, "T2");
}

static void what_the_page_before_comes_to_does_not_end_the_call_that_leaves_it(void **state)
{
    struct scene *scene = *state;
    open_address(scene);
    assert_false(scene_is_asked(scene, "Page.navigate")); /* it has not let go yet */
    come_to_a_file(scene);
    expect_opened_in(scene, "T2");
}

static void what_began_before_an_address_was_asked_for_does_not_refuse_it(void **state)
{
    struct scene *scene = *state;
    open_address(scene);
    begin_to_load(scene);
    scene_answer_until(scene, "Page.navigate");
    come_to_a_file(scene);
    expect_opened_in(scene, "T2");
}

static void an_address_that_leads_to_what_nobody_may_see_is_refused(void **state)
{
    struct scene *scene = *state;
    open_address(scene);
    scene_answer_until(scene, "Page.navigate");
    begin_to_load(scene);
    come_to_a_file(scene);
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, TB_E_TAB_NOT_FOUND);
}

static void an_address_waits_for_a_tab_but_not_for_ever(void **state)
{
    struct scene *scene = *state;
    close_last_tab(scene);
    open_address(scene);
    expect_opened_in(scene, "T2");
    scene_set_args(scene, "{\"to\":\"back\"}");
    static const uint8_t second[HOSTILE_PICKS] = {1, 1, 1, 1};
    scene_tell(scene, DETACHED, second);
    scene->peer.count = 0;
    scene_begin_op(scene, TB_OP_NAVIGATE);
    assert_int_equal(scene->result.code, TB_E_TAB_NOT_FOUND); /* there is nothing to go back from */
    open_address(scene);
    assert_int_equal(scene->dones, 0);
    tb_clock_manual_advance(&scene->clock, CALL_MS);
    scene_turn(scene);
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, TB_E_TAB_NOT_FOUND);
}

static void a_tab_is_opened_though_the_current_one_is_being_closed(void **state)
{
    struct scene *scene = *state;
    come_to_a_file(scene);
    scene_set_args(scene, "{\"action\":\"list\"}");
    scene_begin_op(scene, TB_OP_TABS);
    assert_int_equal(scene->result.code, TB_E_TAB_NOT_FOUND);
    scene_set_args(scene, "{\"action\":\"new\",\"url\":\"https://a.test/\"}");
    scene_begin_op(scene, TB_OP_TABS);
    expect_opened_in(scene, "T3");
}

static void an_answer_that_tells_of_no_tab_counts_as_none(void **state)
{
    struct scene *scene = *state;
    close_last_tab(scene);
    hostile_answer(&scene->peer, 0, EMPTY_ANSWER, false);
    scene_turn(scene);
    assert_int_equal(run(scene, false), TB_E_TAB_NOT_FOUND);
    assert_true(scene_is_asked(scene, "Target.createTarget"));
    scene_answer_all(scene);
    assert_int_equal(run(scene, true), 0);
}

static void a_window_that_answers_late_is_asked_again(void **state)
{
    static const uint8_t first[HOSTILE_PICKS] = {0};
    struct scene *scene = *state;
    hostile_tell(&scene->peer, OPENED, first);
    scene_turn(scene);
    assert_true(scene_is_asked(scene, "Runtime.runIfWaitingForDebugger"));
    scene->peer.count = 0; /* its first page does not come in time */
    tb_clock_manual_advance(&scene->clock, CREATE_MS);
    scene_turn(scene);
    scene_turn(scene);
    assert_true(scene_is_asked(scene, "Page.getFrameTree"));
    assert_true(scene_is_asked(scene, "Runtime.runIfWaitingForDebugger"));
}

static const uint8_t in_window[HOSTILE_PICKS] = {1, 1, 1, 1};

static void a_dialog_of_its_opener_does_not_lose_a_window(void **state)
{
    struct scene *scene = *state;
    scene_tell(scene, OPENED, scene_in_opener);
    hostile_dialog(&scene->peer, "S1");
    scene_turn(scene);
    assert_int_equal(run(scene, false), TB_E_DIALOG_OPEN);
    scene_tell(scene, DIALOG_CLOSED, scene_in_opener);
    scene_answer_all(scene); /* its first page has come */
    assert_int_equal(run(scene, true), 0);
}

static void a_window_may_open_behind_a_dialog(void **state)
{
    struct scene *scene = *state;
    hostile_dialog(&scene->peer, "S1");
    scene_turn(scene);
    scene_tell(scene, OPENED, scene_in_opener);
    assert_true(scene_is_asked(scene, "Runtime.runIfWaitingForDebugger"));
    assert_int_equal(run(scene, false), TB_E_DIALOG_OPEN);
    scene_tell(scene, DIALOG_CLOSED, scene_in_opener);
    scene_answer_all(scene);
    assert_int_equal(run(scene, true), 0);
}

static void a_window_that_crashes_before_it_is_set_up_is_set_up_with_its_next_page(void **state)
{
    struct scene *scene = *state;
    scene_tell(scene, OPENED, scene_in_opener);
    scene->peer.count = 0; /* nobody is left who could answer */
    scene_tell(scene, CRASHED, in_window);
    assert_int_equal(run(scene, false), TB_E_PAGE_CRASHED);
    scene_tell(scene, HOSTILE_COMMITTED, in_window);
    assert_true(scene_is_asked(scene, "Page.enable"));
    assert_true(scene_is_asked(scene, "Runtime.runIfWaitingForDebugger"));
    scene->peer.count = 0;
    scene_tell(scene, HOSTILE_COMMITTED, in_window); /* it is being set up */
    assert_false(scene_is_asked(scene, "Page.enable"));
    tb_clock_manual_advance(&scene->clock, CREATE_MS);
    scene_turn(scene);
    scene_answer_all(scene);
    assert_int_equal(run(scene, true), 0);
}

static void attach_before_the_answer(struct scene *scene)
{
    static const uint8_t first[HOSTILE_PICKS] = {0};
    answer_but(scene, "Target.createTarget");
    hostile_tell(&scene->peer, ATTACHED, first);
    scene_turn(scene);
    answer_but(scene, "Target.createTarget");
}

static void a_tab_that_is_there_needs_no_answer_to_the_request_for_it(void **state)
{
    struct scene *scene = *state;
    attach_before_the_answer(scene);
    assert_non_null(scene->session);
    scene->peer.count = 0; /* it is never answered */
    tb_clock_manual_advance(&scene->clock, TB_BROWSER_START_MS + CREATE_MS);
    scene_turn(scene);
    assert_int_equal(run(scene, true), 0);
}

static void the_answer_may_be_an_error_when_the_tab_is_there(void **state)
{
    struct scene *scene = *state;
    attach_before_the_answer(scene);
    assert_int_equal(scene->peer.count, 1);
    hostile_answer(&scene->peer, 0, REFUSED, false);
    scene_turn(scene);
    assert_int_equal(run(scene, true), 0);
}

/* The browser says that it has made a tab, and never tells of it. */
static void answer_without_a_tab(struct scene *scene)
{
    answer_but(scene, "Target.createTarget");
    assert_int_equal(scene->peer.count, 1);
    hostile_answer(&scene->peer, 0, EMPTY_ANSWER, false);
    scene_turn(scene);
}

static void a_new_session_does_not_wait_for_a_tab_for_ever(void **state)
{
    struct scene *scene = *state;
    answer_without_a_tab(scene);
    tb_clock_manual_advance(&scene->clock, CREATE_MS - 1);
    scene_turn(scene);
    assert_int_equal(scene->refused.code, 0);
    tb_clock_manual_advance(&scene->clock, 1);
    scene_turn(scene);
    assert_int_equal(scene->refused.code, TB_E_TIMEOUT);
    assert_string_equal(scene->refused.text, "the tab of the new session was not ready in time");
    assert_true(scene_is_asked(scene, "Target.disposeBrowserContext"));

    scene_open(scene);
    scene_answer_all(scene);
    assert_non_null(scene->session);
    assert_int_equal(run(scene, true), 0);
}

static void a_browser_that_tells_much_and_answers_nothing_is_given_up(void **state)
{
    static const uint8_t first[HOSTILE_PICKS] = {0};
    struct scene *scene = *state;
    for (int second = 0; second < TB_BROWSER_START_MS / 1000; second++) {
        for (int i = 0; i < 100; i++) {
            hostile_tell(&scene->peer, DETACHED, first);
        }
        tb_clock_manual_advance(&scene->clock, 1000);
        scene_turn(scene);
    }
    assert_int_equal(scene->refused.code, TB_E_BROWSER_START);
    assert_non_null(strstr(scene->refused.text, "it is running but does not answer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_session_without_a_tab_asks_for_one_again,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(a_window_that_answers_late_is_asked_again, scene_start_open,
                                        scene_stop),
        cmocka_unit_test_setup_teardown(a_dialog_of_its_opener_does_not_lose_a_window,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(a_window_may_open_behind_a_dialog, scene_start_open,
                                        scene_stop),
        cmocka_unit_test_setup_teardown(
            a_window_that_crashes_before_it_is_set_up_is_set_up_with_its_next_page,
            scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(an_answer_that_tells_of_no_tab_counts_as_none,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(a_tab_that_is_there_needs_no_answer_to_the_request_for_it,
                                        scene_start, scene_stop),
        cmocka_unit_test_setup_teardown(the_answer_may_be_an_error_when_the_tab_is_there,
                                        scene_start, scene_stop),
        cmocka_unit_test_setup_teardown(a_new_session_does_not_wait_for_a_tab_for_ever, scene_start,
                                        scene_stop),
        cmocka_unit_test_setup_teardown(a_browser_that_tells_much_and_answers_nothing_is_given_up,
                                        scene_start, scene_stop),
        cmocka_unit_test_setup_teardown(
            an_address_is_opened_though_the_tab_is_closed_for_the_one_before, scene_start_open,
            scene_stop),
        cmocka_unit_test_setup_teardown(
            what_the_page_before_comes_to_does_not_end_the_call_that_leaves_it, scene_start_open,
            scene_stop),
        cmocka_unit_test_setup_teardown(
            what_began_before_an_address_was_asked_for_does_not_refuse_it, scene_start_open,
            scene_stop),
        cmocka_unit_test_setup_teardown(an_address_that_leads_to_what_nobody_may_see_is_refused,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(an_address_waits_for_a_tab_but_not_for_ever,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(a_tab_is_opened_though_the_current_one_is_being_closed,
                                        scene_start_open, scene_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
