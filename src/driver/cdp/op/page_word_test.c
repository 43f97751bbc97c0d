/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as done is what the page has told, and only by the tab that it was done in. */
#include <stdio.h>

#include "driver/cdp/op/work.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/cdp/page/requests.h"

#include "support/scripted.h"

enum {
    OPENED = 1, /* event of hostile_tell */
    OP_MS = 30000,
    WORD_MS = 1000,
    REQUESTS_HEARD = 500, /* of a page that talks all the time */
};

static const struct tb_cdp_work *work_of(const struct scene *scene)
{
    return scene->op.driver_state;
}

/* From the tab of this session, as our scripts tell it. */
static void tell_from(struct scene *scene, const char *session, const char *payload)
{
    char message[512];
    snprintf(message, sizeof(message),
             "{\"sessionId\":\"%s\",\"method\":\"Runtime.bindingCalled\",\"params\":{\"name\":"
             "\"tabardTell\",\"payload\":\"%s\"}}",
             session, payload);
    scene_say(scene, message);
}

static void strike_from(struct scene *scene, const char *session)
{
    tell_from(scene, session,
              "{\\\"stage\\\":\\\"struck\\\",\\\"struck\\\":true,\\\"done\\\":true}");
}

/* The page functions' answer, or that of the mouse. */
static void answer_input(struct scene *scene)
{
    while (scene_is_asked(scene, "Input.dispatchMouseEvent")) {
        scene_answer_one(scene, "Input.dispatchMouseEvent", 0);
    }
}

/* Where to click; the page watches for the press. */
static void answer_aimed(struct scene *scene)
{
    for (size_t i = 0; i < scene->peer.count; i++) {
        struct hostile_command *command = &scene->peer.waiting[i];
        if (strcmp(command->method, "Runtime.evaluate") == 0) {
            char message[256];
            snprintf(message, sizeof(message),
                     "{\"id\":%llu,\"result\":{\"result\":{\"type\":\"object\",\"value\":{\"x\":1,"
                     "\"y\":2,\"tag\":\"a\",\"aimed\":true,\"clicks\":0}}}}",
                     (unsigned long long)command->id);
            snprintf(command->method, sizeof(command->method), "answered");
            scene_say(scene, message);
            return;
        }
    }
    fail_msg("nobody has asked for a point");
}

static void begin_click(struct scene *scene, const char *args)
{
    scene_set_args(scene, args);
    scene_begin_op(scene, TB_OP_CLICK);
    assert_int_equal(scene->dones, 0);
}

/* A second tab, S2, which is the current one from then on. */
static void open_second(struct scene *scene)
{
    scene_tell(scene, OPENED, scene_in_opener);
    scene_answer_all(scene);
    assert_string_equal(tb_cdp_page_session_id(tb_cdp_session_page(scene->session)), "S2");
}

static void a_scroll_is_done_when_the_page_has_said_so(void **state)
{
    struct scene *scene = *state;
    for (int told = 0; told < 2; told++) {
        scene_begin_op(scene, TB_OP_SCROLL);
        hostile_dialog(&scene->peer, "S1");
        scene_turn(scene);
        assert_int_equal(scene->dones, 0); /* the browser's word may have come before the page's */
        if (told) {
            strike_from(scene, "S1");
            assert_int_equal(scene->dones, 1);
            assert_int_equal(scene->result.code, 0);
        } else {
            tb_clock_manual_advance(&scene->clock, WORD_MS);
            scene_turn(scene);
            assert_int_equal(scene->dones, 1);
            assert_int_equal(scene->result.code, TB_E_DIALOG_OPEN);
            scene_say(scene, "{\"sessionId\":\"S1\",\"method\":\"Page.javascriptDialogClosed\"}");
        }
        scene_answer_all(scene);
    }
}

static void a_scroll_that_the_page_did_not_get_to_is_not_told_as_done(void **state)
{
    struct scene *scene = *state;
    for (int told = 0; told < 2; told++) {
        scene_begin_op(scene, TB_OP_SCROLL);
        if (told) {
            strike_from(scene, "S1");
        }
        tb_clock_manual_advance(&scene->clock, OP_MS);
        scene->op.cancel(&scene->op); /* as core does then */
        tb_clock_manual_advance(&scene->clock, TB_CDP_WORK_GRACE_MS);
        scene_turn(scene);
        assert_int_equal(scene->dones, 1);
        assert_int_equal(scene->result.code, told ? TB_E_UNFINISHED : TB_E_TIMEOUT);
        scene_answer_all(scene);
    }
}

static void a_navigation_is_not_awaited_while_nothing_was_clicked(void **state)
{
    struct scene *scene = *state;
    begin_click(scene, "{\"target\":\"#a\",\"wait_for_navigation\":true}");
    scene_answer_one(scene, "Runtime.evaluate", 0);
    answer_input(scene);
    assert_int_equal(scene->dones, 0); /* now it waits for one */
    tell_from(scene, "S1", "{\\\"stage\\\":\\\"missed\\\",\\\"missed\\\":\\\"<p>\\\"}");
    assert_true(scene_is_asked(scene, "Runtime.evaluate")); /* it looks again */
    scene_say(scene, "{\"sessionId\":\"S1\",\"method\":\"Page.frameStartedNavigating\",\"params\":{"
                     "\"frameId\":\"T1\",\"url\":\"https://b.test/\",\"loaderId\":\"L9\"}}");
    assert_false(work_of(scene)->ending);
    tb_clock_manual_advance(&scene->clock, OP_MS);
    scene_turn(scene);
    assert_int_equal(scene->dones, 0);
    scene->op.cancel(&scene->op);
    tb_clock_manual_advance(&scene->clock, TB_CDP_WORK_GRACE_MS);
    scene_turn(scene);
    assert_int_equal(scene->dones, 1);
    assert_null(strstr(scene->result.message, "was clicked, but"));
}

static void a_talkative_tab_does_not_end_the_wait_for_another_s_requests(void **state)
{
    struct scene *scene = *state;
    struct tb_cdp_page *first = tb_cdp_session_page(scene->session);
    open_second(scene);
    tb_cdp_requests_tell(tb_cdp_page_main_frame(first), false);
    begin_click(scene, "{\"target\":\"#a\"}");
    scene_answer_one(scene, "Runtime.evaluate", 0);
    scene_say(
        scene,
        "{\"sessionId\":\"S2\",\"method\":\"Network.requestWillBeSent\",\"params\":{"
        "\"requestId\":\"R1\",\"type\":\"Fetch\",\"request\":{\"url\":\"https://a.test/x\"}}}");
    assert_int_equal(work_of(scene)->requests.count, 1);
    for (int i = 0; i <= REQUESTS_HEARD; i++) {
        scene_say(scene,
                  "{\"sessionId\":\"S1\",\"method\":\"Network.dataReceived\",\"params\":{}}");
    }
    assert_true(scene_is_asked(scene, "Network.disable"));
    assert_int_equal(work_of(scene)->requests.count, 1);
    scene->op.cancel(&scene->op);
}

static void a_press_in_another_tab_is_not_this_one(void **state)
{
    struct scene *scene = *state;
    open_second(scene);
    begin_click(scene, "{\"target\":\"#a\"}");
    answer_aimed(scene);
    assert_true(work_of(scene)->expected.aimed);
    strike_from(scene, "S1");
    assert_false(work_of(scene)->expected.struck);
    assert_int_equal(work_of(scene)->expected.had, 0);
    strike_from(scene, "S2");
    assert_true(work_of(scene)->expected.struck);
    assert_int_equal(work_of(scene)->expected.had, 1);
    scene->op.cancel(&scene->op);
}

/* What the press has opened is the current tab by the time that its word comes. */
static void the_word_of_a_press_counts_when_another_tab_is_current(void **state)
{
    struct scene *scene = *state;
    begin_click(scene, "{\"target\":\"#a\"}");
    answer_aimed(scene);
    scene_tell(scene, OPENED, scene_in_opener);
    for (int i = 0; i < SCENE_ROUNDS && strcmp(work_of(scene)->page_id, "T2") != 0; i++) {
        hostile_answer_all(&scene->peer);
        scene_turn(scene);
    }
    assert_int_equal(scene->dones, 0);
    assert_string_equal(work_of(scene)->page_id, "T2");
    strike_from(scene, "S1");
    assert_true(scene->dones || work_of(scene)->expected.struck);
    scene_answer_all(scene);
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
}

static void what_is_dragged_in_another_tab_is_not_dropped_here(void **state)
{
    struct scene *scene = *state;
    open_second(scene);
    scene_set_args(scene, "{\"target\":\"#a\",\"to\":\"#b\"}");
    scene_begin_op(scene, TB_OP_DRAG);
    scene_answer_until(scene, "Input.dispatchMouseEvent");
    scene_say(scene,
              "{\"sessionId\":\"S1\",\"method\":\"Input.dragIntercepted\",\"params\":{\"data\":{"
              "\"items\":[]}}}");
    for (int i = 0; i < 3 * SCENE_ROUNDS && !scene->dones; i++) {
        assert_false(scene_is_asked(scene, "Input.dispatchDragEvent"));
        hostile_answer_all(&scene->peer);
        scene_turn(scene);
    }
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
}

/* Otherwise the click would look like one of which nothing came. */
static void a_window_that_was_refused_is_told(void **state)
{
    struct scene *scene = *state;
    int64_t refused = 0;
    scene->config.browser_tabs_max = 1;
    begin_click(scene, "{\"target\":\"#a\"}");
    scene_answer_one(scene, "Runtime.evaluate", 0);
    scene_tell(scene, OPENED, scene_in_opener);
    scene_answer_all(scene);
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
    tb_json_int(tb_json_get(scene->result.data, "tabs_refused"), &refused);
    assert_int_equal(refused, 1);
    begin_click(scene, "{\"target\":\"#a\"}");
    scene_answer_all(scene);
    assert_null(tb_json_get(scene->result.data, "tabs_refused"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_scroll_is_done_when_the_page_has_said_so,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(a_scroll_that_the_page_did_not_get_to_is_not_told_as_done,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(a_navigation_is_not_awaited_while_nothing_was_clicked,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(
            a_talkative_tab_does_not_end_the_wait_for_another_s_requests, scene_start_open,
            scene_stop),
        cmocka_unit_test_setup_teardown(a_press_in_another_tab_is_not_this_one, scene_start_open,
                                        scene_stop),
        cmocka_unit_test_setup_teardown(the_word_of_a_press_counts_when_another_tab_is_current,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(a_window_that_was_refused_is_told, scene_start_open,
                                        scene_stop),
        cmocka_unit_test_setup_teardown(what_is_dragged_in_another_tab_is_not_dropped_here,
                                        scene_start_open, scene_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
