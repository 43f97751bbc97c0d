/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions in a browser that somebody else runs, at an endpoint. */
#include "support/scripted.h"

enum {
    OPEN_MS = 1000,
};

static int set_up_elsewhere(void **state)
{
    scene_start_fleet(state);
    struct scene *scene = *state;
    scene_set_args(scene, "{\"endpoint\":\"ws://127.0.0.1:1/\",\"headless\":false}");
    scene_open_with(scene,
                    (struct tb_open_opts){.args = scene->args,
                                          .deadline_ms = tb_loop_now_ms(scene->loop) + OPEN_MS});
    return 0;
}

/* It was made after all, too late: in a browser of ours it would be the next session's. */
static void a_context_that_nobody_waits_for_any_more_is_not_left_there(void **state)
{
    struct scene *scene = *state;
    scene_answer_one(scene, "Browser.getVersion", 0);
    assert_true(scene_is_asked(scene, "Target.createBrowserContext"));
    tb_clock_manual_advance(&scene->clock, OPEN_MS);
    scene_turn(scene);
    assert_int_equal(scene->refused.code, TB_E_TIMEOUT);
    scene_answer_until(scene, "Target.disposeBrowserContext");
}

static void its_window_may_have_any_size(void **state)
{
    struct scene *scene = *state;
    scene_answer_until(scene, "Emulation.setDeviceMetricsOverride");
    scene_answer_all(scene);
    assert_non_null(scene->session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_context_that_nobody_waits_for_any_more_is_not_left_there,
                                        set_up_elsewhere, scene_stop),
        cmocka_unit_test_setup_teardown(its_window_may_have_any_size, set_up_elsewhere, scene_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
