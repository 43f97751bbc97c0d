/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing a session back when its time is over before it has ended by itself: the loop was busy
 * with something else for too long. */
#include "driver/cdp/keep/keep.h"
#include "driver/cdp/keep/keep_internal.h"

#include "support/scripted.h"

enum {
    OPEN_MS = 30000,
};

static const char saved[] =
    "{\"tabs\":[{\"url\":\"https://a.test/\",\"origin\":\"https://a.test\",\"local\":\"[]\"}],"
    "\"origins\":[{\"origin\":\"https://b.test\",\"local\":\"[[\\\"k\\\",\\\"v\\\"]]\"}]}";

static int set_up_restoring(void **state)
{
    scene_start_fleet(state);
    struct scene *scene = *state;
    scene_open_with(scene, (struct tb_open_opts){.saved = tb_str_of(saved)});
    return 0;
}

static void what_is_not_back_in_time_is_said(void **state)
{
    struct scene *scene = *state;
    scene_answer_until(scene, "Page.navigate"); /* of the tab for the site without one */
    assert_null(scene->session);
    scene->peer.count = 0; /* no answer comes */
    tb_clock_manual_advance(&scene->clock, OPEN_MS);
    scene_turn(scene);
    assert_non_null(scene->session);
    const char *missing = tb_cdp_keep_restored(scene->session).missing;
    assert_non_null(missing);
    assert_non_null(strstr(missing, "Not everything was brought back in time."));
    assert_non_null(strstr(missing, "What 1 site had stored is lost."));
    assert_true(scene_is_asked(scene, "Target.closeTarget"));
}

/* Its script is known, and waits for the site; the page that goes there takes it away. */
static void a_script_that_has_not_run_yet_is_not_forgotten(void **state)
{
    struct scene *scene = *state;
    scene_answer_until(scene, "Page.navigate");
    scene->peer.count = 0;
    tb_clock_manual_advance(&scene->clock, OPEN_MS);
    scene_turn(scene);
    assert_non_null(scene->session);
    assert_non_null(tb_cdp_keep_of(scene->session)->restore);
    scene->peer.count = 0;
    TB_AUTO(tb_buf_fini) struct tb_buf told = TB_BUF(1024);
    tb_buf_printf(&told,
                  "{\"method\":\"Runtime.bindingCalled\",\"params\":{\"name\":\"tabardTell\","
                  "\"payload\":\"{\\\"stage\\\":\\\"restored\\\"}\"},\"sessionId\":\"%s\"}",
                  tb_cdp_page_session_id(tb_cdp_session_page_by_index(scene->session, 0)));
    TB_AUTO(tb_free) char *text = tb_str_dup(tb_buf_str(&told));
    scene_say(scene, text);
    assert_true(scene_is_asked(scene, "Page.removeScriptToEvaluateOnNewDocument"));
    assert_null(tb_cdp_keep_of(scene->session)->restore);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_not_back_in_time_is_said, set_up_restoring,
                                        scene_stop),
        cmocka_unit_test_setup_teardown(a_script_that_has_not_run_yet_is_not_forgotten,
                                        set_up_restoring, scene_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
