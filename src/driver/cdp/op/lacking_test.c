/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that lack what was asked for, and frames that are not what they say. */
#include <stdio.h>
#include <stdlib.h>

#include "driver/profile.h"

#include "support/scripted.h"

enum {
    EMPTY = 1, /* of hostile_answer */
    NOTHING = 22,
};

static void expect_failure(struct scene *scene, const char *words)
{
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, TB_E_INTERNAL);
    assert_string_equal(scene->result.message, words);
}

static void a_state_without_cookies_is_not_saved(void **state)
{
    struct scene *scene = *state;
    char directory[] = "/tmp/tabard-lacking-XXXXXX";
    assert_non_null(mkdtemp(directory));
    tb_free(scene->config.state_dir);
    scene->config.state_dir = tb_strdup(directory);
    scene_begin_op(scene, TB_OP_STATE); /* saves */
    scene_answer_one(scene, "Storage.getCookies", EMPTY);
    expect_failure(scene, "the browser did not say which cookies it has; nothing was saved");
    assert_false(scene_is_asked(scene, "Runtime.evaluate"));
    tb_profile_remove(directory);
}

static void a_browser_that_does_not_tell_its_cookies_has_not_none(void **state)
{
    static const char *const args[] = {"{\"action\":\"list\",\"domain\":\"a.test\"}",
                                       "{\"action\":\"clear\"}"};
    struct scene *scene = *state;
    for (size_t i = 0; i < TB_COUNT(args); i++) {
        scene_set_args(scene, args[i]);
        scene_begin_op(scene, TB_OP_COOKIES);
        scene_answer_one(scene, "Storage.getCookies", EMPTY);
        expect_failure(scene, "the browser did not say which cookies it has");
    }
}

static void a_page_that_does_not_tell_its_storage_has_not_none(void **state)
{
    static const char *const args[] = {"{}", "{\"action\":\"clear\"}"};
    struct scene *scene = *state;
    for (size_t i = 0; i < TB_COUNT(args); i++) {
        scene_set_args(scene, args[i]);
        scene_begin_op(scene, TB_OP_STORAGE);
        scene_answer_one(scene, "Runtime.evaluate", NOTHING);
        expect_failure(scene, "the page did not say what its storage holds");
    }
}

/* A frame in another process says that it is the tab itself, and goes. */
static void a_frame_with_the_id_of_its_tab_does_not_take_the_tab_with_it(void **state)
{
    struct scene *scene = *state;
    struct tb_cdp_page *page = tb_cdp_session_page(scene->session);
    scene_say(scene, "{\"sessionId\":\"S1\",\"method\":\"Target.attachedToTarget\",\"params\":{"
                     "\"sessionId\":\"O1\",\"targetInfo\":{\"targetId\":\"T1\",\"type\":\"iframe\","
                     "\"parentFrameId\":\"T1\"}}}");
    scene_answer_all(scene);
    scene_say(scene, "{\"sessionId\":\"S1\",\"method\":\"Target.detachedFromTarget\",\"params\":{"
                     "\"sessionId\":\"O1\"}}");
    scene_answer_all(scene);
    assert_ptr_equal(tb_cdp_session_page(scene->session), page);
    assert_string_equal(tb_cdp_page_session_id(page), "S1");
    scene_begin_op(scene, TB_OP_SNAPSHOT);
    scene_answer_all(scene);
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, scene_start_open, scene_stop)
    const struct CMUnitTest tests[] = {
        CASE(a_state_without_cookies_is_not_saved),
        CASE(a_browser_that_does_not_tell_its_cookies_has_not_none),
        CASE(a_page_that_does_not_tell_its_storage_has_not_none),
        CASE(a_frame_with_the_id_of_its_tab_does_not_take_the_tab_with_it),
    };
#undef CASE
    return cmocka_run_group_tests(tests, NULL, NULL);
}
