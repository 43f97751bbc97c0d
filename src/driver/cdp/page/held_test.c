/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/held.h"

#include "driver/cdp/page/page_internal.h"

#include "support/scripted.h"

static size_t times_asked(const struct scene *scene, const char *method)
{
    size_t times = 0;
    for (size_t i = 0; i < scene->peer.count; i++) {
        times += strcmp(scene->peer.waiting[i].method, method) == 0;
    }
    return times;
}

/* A drag was cut off, and its button is on its way up. */
static struct tb_cdp_page *cut_off(struct scene *scene)
{
    struct tb_cdp_page *page = tb_cdp_session_page(scene->session);
    tb_cdp_held_begin(page);
    scene_answer_all(scene);
    tb_cdp_held_keep(page, 10, 10);
    tb_cdp_held_let_go(page);
    scene_turn(scene);
    assert_true(scene_is_asked(scene, "Input.dispatchMouseEvent"));
    return page;
}

static void drags_are_left_to_the_browser_when_the_button_is_up(void **state)
{
    struct scene *scene = *state;
    const struct tb_cdp_page *page = cut_off(scene);
    assert_false(scene_is_asked(scene, "Input.setInterceptDrags"));
    hostile_answer_all(&scene->peer);
    scene_turn(scene);
    assert_int_equal(times_asked(scene, "Input.setInterceptDrags"), 1);
    assert_int_equal(page->held.tries, 0);
}

static void a_button_that_comes_up_late_does_not_take_the_next_drag_away(void **state)
{
    struct scene *scene = *state;
    struct tb_cdp_page *page = cut_off(scene);
    tb_cdp_held_begin(page);
    scene_turn(scene);
    assert_int_equal(times_asked(scene, "Input.setInterceptDrags"), 1);
    hostile_answer_all(&scene->peer);
    scene_turn(scene);
    assert_int_equal(times_asked(scene, "Input.setInterceptDrags"), 0);
    tb_cdp_held_let_go(page); /* a dialog of another tab was closed */
    scene_turn(scene);
    assert_false(scene_is_asked(scene, "Input.dispatchMouseEvent"));

    tb_cdp_held_keep(page, 20, 20); /* that one is cut off, too */
    tb_cdp_held_let_go(page);
    scene_turn(scene);
    hostile_answer_all(&scene->peer);
    scene_turn(scene);
    assert_int_equal(times_asked(scene, "Input.setInterceptDrags"), 1);
}

static void a_button_that_comes_up_late_is_not_taken_for_the_next(void **state)
{
    struct scene *scene = *state;
    struct tb_cdp_page *page = cut_off(scene);
    tb_cdp_held_begin(page);
    tb_cdp_held_keep(page, 20, 20); /* by a dialog, so it is not let go yet */
    scene_turn(scene);
    hostile_answer_all(&scene->peer);
    scene_turn(scene);
    assert_true(page->held.tries > 0);
    assert_false(scene_is_asked(scene, "Input.setInterceptDrags"));
    tb_cdp_held_let_go(page);
    scene_turn(scene);
    assert_true(scene_is_asked(scene, "Input.dispatchMouseEvent"));
    hostile_answer_all(&scene->peer);
    scene_turn(scene);
    assert_int_equal(times_asked(scene, "Input.setInterceptDrags"), 1);
    assert_int_equal(page->held.tries, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(drags_are_left_to_the_browser_when_the_button_is_up,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(
            a_button_that_comes_up_late_does_not_take_the_next_drag_away, scene_start_open,
            scene_stop),
        cmocka_unit_test_setup_teardown(a_button_that_comes_up_late_is_not_taken_for_the_next,
                                        scene_start_open, scene_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
