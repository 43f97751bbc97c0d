/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/id.h"
#include "core/core.h"
#include "driver/cdp/cdp.h"
#include "driver/cdp/memory.h"
#include "driver/cdp/profile.h"
#include "driver/cdp/session_internal.h"

#include "support/deaf.h"
#include "support/hostile_peer.h"

enum {
    ROUNDS = 10,
    PIPES_FULL = 4,
    CREATE_MS = TB_BROWSER_COMMAND_MS,
    ATTACHED = 0, /* events of hostile_tell */
    OPENED = 1,
    DETACHED = 5,
    OUR_WORLD = 8,
    WORLDS_GONE = 13,
    COMMITTED = 19,
    DIALOG_CLOSED = 37,
    CRASHED = 38,
    EMPTY_ANSWER = 1, /* of hostile_answer */
    REPLACED = 16,
    REFUSED = 20,
};

/* One session whose browser we are. */
struct scene {
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    struct tb_config config;
    struct tb_core core;
    struct tb_cdp *cdp;
    struct hostile_peer peer;
    struct tb_driver_session *session;
    struct tb_err refused; /* why there is no session */
    struct tb_op op;
    struct cJSON *args;
    struct tb_result result;
    int dones;
};

static void on_opened(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    struct scene *scene = owner;
    scene->session = session;
    if (err) {
        scene->refused = *err;
    }
}

static void on_done(struct tb_op *op)
{
    ((struct scene *)op->user)->dones++;
}

/* The scripts for a page are more than a pipe holds. */
static void turn(struct scene *scene)
{
    for (int i = 0; i < PIPES_FULL; i++) {
        tb_loop_turn(scene->loop, false);
        hostile_read(&scene->peer);
    }
}

static void answer_all(struct scene *scene)
{
    for (int i = 0; i < ROUNDS; i++) {
        hostile_answer_all(&scene->peer);
        turn(scene);
    }
}

/* All but those of this method, which go on waiting. */
static void answer_but(struct scene *scene, const char *method)
{
    for (int i = 0; i < ROUNDS; i++) {
        for (size_t k = scene->peer.count; k-- > 0;) {
            if (strcmp(scene->peer.waiting[k].method, method) != 0) {
                hostile_answer(&scene->peer, k, 0, false);
            }
        }
        turn(scene);
    }
}

static bool is_asked(const struct scene *scene, const char *method)
{
    for (size_t i = 0; i < scene->peer.count; i++) {
        if (strcmp(scene->peer.waiting[i].method, method) == 0) {
            return true;
        }
    }
    return false;
}

static void begin_op(struct scene *scene, enum tb_op_kind kind)
{
    tb_result_fini(&scene->result);
    tb_result_init(&scene->result);
    scene->dones = 0;
    scene->op = (struct tb_op){
        .kind = kind,
        .args = scene->args,
        .deadline_ms = tb_loop_now_ms(scene->loop) + 30000,
        .result = &scene->result,
        .done = on_done,
        .user = scene,
    };
    tb_driver_cdp.ops[kind](scene->session, &scene->op);
    turn(scene);
}

static int run(struct scene *scene, bool answered)
{
    begin_op(scene, TB_OP_SNAPSHOT);
    if (answered) {
        answer_all(scene);
    }
    assert_int_equal(scene->dones, 1);
    return scene->result.code;
}

static void begin_session(struct scene *scene)
{
    const struct tb_open_opts opts = {
        .tenant = "default",
        .session_id = "s",
        .deadline_ms = tb_loop_now_ms(scene->loop) + 30000,
        .events = &deaf_events,
        .owner = scene,
    };
    struct tb_stream *to;
    struct tb_stream *from;
    tb_cdp_session_open(scene->cdp, &opts, on_opened);
    struct tb_browser *browser = TB_CONTAINER(scene->cdp->browsers.next, struct tb_browser, link);
    if (!browser->conn) {
        tb_timer_stop(&browser->retry); /* no process: we are the browser */
        hostile_open(&scene->peer, scene->loop, &to, &from);
        tb_browser_on_pipe_take(browser, to, from);
    }
    turn(scene);
}

static int set_up(void **state)
{
    struct scene *scene = TB_NEW(struct scene);
    *state = scene;
    assert_int_equal(tb_id_init(), 0);
    tb_clock_manual_init(&scene->clock);
    scene->loop = tb_loop_new(&scene->clock.clock);
    tb_config_init(&scene->config);
    tb_free(scene->config.browser_path);
    scene->config.browser_path = tb_strdup("/proc/self/exe");
    scene->core.loop = scene->loop;
    scene->core.clock = &scene->clock.clock;
    scene->core.config = &scene->config;
    scene->config.browser_prestart = false;
    scene->cdp = tb_cdp_new(&scene->core, NULL);
    scene->args = tb_json_new_object();
    tb_result_init(&scene->result);
    begin_session(scene);
    return 0;
}

static int set_up_open(void **state)
{
    set_up(state);
    struct scene *scene = *state;
    answer_all(scene);
    assert_non_null(scene->session);
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    tb_cdp_free(scene->cdp);
    hostile_close(&scene->peer);
    tb_loop_free(scene->loop);
    tb_config_fini(&scene->config);
    tb_json_free(scene->args);
    tb_result_fini(&scene->result);
    tb_free(scene);
    return 0;
}

static void close_last_tab(struct scene *scene)
{
    static const uint8_t first[HOSTILE_PICKS] = {0};
    hostile_tell(&scene->peer, DETACHED, first);
    turn(scene);
}

static void a_session_without_a_tab_asks_for_one_again(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(run(scene, true), 0);
    close_last_tab(scene);
    assert_true(is_asked(scene, "Target.createTarget"));
    scene->peer.count = 0; /* the request is lost */
    assert_int_equal(run(scene, false), TB_E_TAB_NOT_FOUND);
    assert_false(is_asked(scene, "Target.createTarget")); /* one is on its way, for all we know */

    tb_clock_manual_advance(&scene->clock, CREATE_MS);
    turn(scene);
    assert_int_equal(run(scene, false), TB_E_TAB_NOT_FOUND);
    assert_true(is_asked(scene, "Target.createTarget"));
    answer_all(scene);
    assert_int_equal(run(scene, true), 0);
}

static void an_answer_that_tells_of_no_tab_counts_as_none(void **state)
{
    struct scene *scene = *state;
    close_last_tab(scene);
    hostile_answer(&scene->peer, 0, EMPTY_ANSWER, false);
    turn(scene);
    assert_int_equal(run(scene, false), TB_E_TAB_NOT_FOUND);
    assert_true(is_asked(scene, "Target.createTarget"));
    answer_all(scene);
    assert_int_equal(run(scene, true), 0);
}

static void a_window_that_answers_late_is_asked_again(void **state)
{
    static const uint8_t first[HOSTILE_PICKS] = {0};
    struct scene *scene = *state;
    hostile_tell(&scene->peer, OPENED, first);
    turn(scene);
    assert_true(is_asked(scene, "Runtime.runIfWaitingForDebugger"));
    scene->peer.count = 0; /* its first page does not come in time */
    tb_clock_manual_advance(&scene->clock, CREATE_MS);
    turn(scene);
    turn(scene);
    assert_true(is_asked(scene, "Page.getFrameTree"));
    assert_true(is_asked(scene, "Runtime.runIfWaitingForDebugger"));
}

static const uint8_t in_opener[HOSTILE_PICKS] = {0, 0, 0, 0};
static const uint8_t in_window[HOSTILE_PICKS] = {1, 1, 1, 1};

static void tell(struct scene *scene, uint8_t what, const uint8_t picks[HOSTILE_PICKS])
{
    hostile_tell(&scene->peer, what, picks);
    turn(scene);
}

static void a_dialog_of_its_opener_does_not_lose_a_window(void **state)
{
    struct scene *scene = *state;
    tell(scene, OPENED, in_opener);
    hostile_dialog(&scene->peer, "S1");
    turn(scene);
    assert_int_equal(run(scene, false), TB_E_DIALOG_OPEN);
    tell(scene, DIALOG_CLOSED, in_opener);
    answer_all(scene); /* its first page has come */
    assert_int_equal(run(scene, true), 0);
}

static void a_window_may_open_behind_a_dialog(void **state)
{
    struct scene *scene = *state;
    hostile_dialog(&scene->peer, "S1");
    turn(scene);
    tell(scene, OPENED, in_opener);
    assert_true(is_asked(scene, "Runtime.runIfWaitingForDebugger"));
    assert_int_equal(run(scene, false), TB_E_DIALOG_OPEN);
    tell(scene, DIALOG_CLOSED, in_opener);
    answer_all(scene);
    assert_int_equal(run(scene, true), 0);
}

static void a_window_that_crashes_before_it_is_set_up_is_set_up_with_its_next_page(void **state)
{
    struct scene *scene = *state;
    tell(scene, OPENED, in_opener);
    scene->peer.count = 0; /* nobody is left who could answer */
    tell(scene, CRASHED, in_window);
    assert_int_equal(run(scene, false), TB_E_PAGE_CRASHED);
    tell(scene, COMMITTED, in_window);
    assert_true(is_asked(scene, "Page.enable"));
    assert_true(is_asked(scene, "Runtime.runIfWaitingForDebugger"));
    scene->peer.count = 0;
    tell(scene, COMMITTED, in_window); /* it is being set up */
    assert_false(is_asked(scene, "Page.enable"));
    tb_clock_manual_advance(&scene->clock, CREATE_MS);
    turn(scene);
    answer_all(scene);
    assert_int_equal(run(scene, true), 0);
}

static void say(struct scene *scene, const char *message)
{
    hostile_say(&scene->peer, message, strlen(message) + 1);
    turn(scene);
}

static void on_settled(int code, bool navigated, const struct tb_err *err, void *user)
{
    struct scene *scene = user;
    (void)err;
    assert_int_equal(code, 0);
    assert_true(navigated);
    scene->dones++;
}

/* From the back/forward cache, which tells of no loading. */
static void a_page_that_is_shown_again_is_loaded(void **state)
{
    struct scene *scene = *state;
    struct tb_page *page = tb_session_page(scene->session);
    uint64_t mark = tb_page_navigation_mark(page);
    int64_t deadline_ms = tb_loop_now_ms(scene->loop) + 30000;
    say(scene, "{\"sessionId\":\"S1\",\"method\":\"Page.frameStartedNavigating\",\"params\":{"
               "\"frameId\":\"T1\",\"url\":\"https://b.test/\",\"navigationType\":\"restore\"}}");
    tb_page_settle(page, mark, "networkidle", deadline_ms, on_settled, scene);
    turn(scene);
    assert_int_equal(scene->dones, 0);
    say(scene, "{\"sessionId\":\"S1\",\"method\":\"Page.frameNavigated\",\"params\":{\"type\":"
               "\"BackForwardCacheRestore\",\"frame\":{\"id\":\"T1\",\"loaderId\":\"L7\","
               "\"url\":\"https://b.test/\"}}}");
    assert_int_equal(scene->dones, 1);
    assert_true(tb_str_eq_cstr(tb_page_url(page), "https://b.test/"));
}

/* Its own world would tell whatever it likes of its origin. */
static void a_page_without_our_world_is_not_asked_for_its_storage(void **state)
{
    struct scene *scene = *state;
    char directory[] = "/tmp/tabard-lost-XXXXXX";
    assert_non_null(mkdtemp(directory));
    tb_free(scene->config.state_dir);
    scene->config.state_dir = tb_strdup(directory);
    tell(scene, WORLDS_GONE, in_opener);
    begin_op(scene, TB_OP_STATE); /* saves */
    assert_true(is_asked(scene, "Storage.getCookies"));
    answer_all(scene);
    assert_int_equal(scene->dones, 0);
    tell(scene, OUR_WORLD, in_opener);
    assert_true(is_asked(scene, "Runtime.evaluate"));
    scene->op.cancel(&scene->op);
    assert_int_equal(scene->result.code, TB_E_CANCELLED);
    tb_profile_remove(directory);
}

static void answer_one(struct scene *scene, const char *method, uint8_t how)
{
    for (size_t i = 0; i < scene->peer.count; i++) {
        if (strcmp(scene->peer.waiting[i].method, method) == 0) {
            hostile_answer(&scene->peer, i, how, false);
            turn(scene);
            return;
        }
    }
    fail_msg("%s was not asked", method);
}

static void set_args(struct scene *scene, const char *args)
{
    tb_json_free(scene->args);
    scene->args = tb_json_parse(tb_str_of(args));
    assert_non_null(scene->args);
}

static void begin_upload(struct scene *scene)
{
    say(scene,
        "{\"sessionId\":\"S1\",\"method\":\"Page.fileChooserOpened\",\"params\":{\"frameId\":"
        "\"T1\",\"mode\":\"selectSingle\",\"backendNodeId\":7}}");
    answer_all(scene);
    set_args(scene, "{\"content\":[{\"name\":\"a.txt\",\"text\":\"x\"}]}");
    begin_op(scene, TB_OP_UPLOAD);
    if (scene->dones) {
        fail_msg("%s", scene->result.message);
    }
}

/* As if the daemon had started the browser. */
static void give_directory(struct scene *scene, const char *directory)
{
    struct tb_memory *memory = tb_memory_of(scene->session);
    struct stat info;
    assert_int_equal(stat(directory, &info), 0);
    memory->directory = tb_strdup(directory);
    memory->directory_id = (struct tb_files_id){info.st_dev, info.st_ino};
}

/* In another process the number of a field may be that of another. */
static void files_for_a_chooser_do_not_go_to_another_document(void **state)
{
    struct scene *scene = *state;
    char directory[] = "/tmp/tabard-lost-XXXXXX";
    assert_non_null(mkdtemp(directory));
    give_directory(scene, directory);
    begin_upload(scene);
    answer_one(scene, "Runtime.evaluate", REPLACED);
    assert_false(is_asked(scene, "DOM.setFileInputFiles"));
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, TB_E_ELEMENT_STALE);

    begin_upload(scene);
    answer_one(scene, "Runtime.evaluate", 0);
    tell(scene, COMMITTED, in_opener);
    answer_one(scene, "DOM.resolveNode", 0);
    assert_false(is_asked(scene, "DOM.setFileInputFiles"));
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, TB_E_ELEMENT_STALE);

    begin_upload(scene);
    answer_one(scene, "Runtime.evaluate", 0);
    answer_one(scene, "DOM.resolveNode", 0);
    answer_one(scene, "DOM.setFileInputFiles", 0);
    answer_all(scene);
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
    tb_profile_remove(directory);
}

static void a_script_does_not_get_an_element_of_another_document(void **state)
{
    struct scene *scene = *state;
    set_args(scene, "{\"target\":\"#a\",\"script\":\"el.remove()\"}");
    begin_op(scene, TB_OP_EVALUATE);
    answer_one(scene, "Runtime.evaluate", 0);
    answer_one(scene, "DOM.describeNode", 0);
    tell(scene, COMMITTED, in_opener);
    answer_one(scene, "DOM.resolveNode", 0);
    assert_false(is_asked(scene, "Runtime.callFunctionOn"));
    answer_all(scene); /* it is looked for in the new one */
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
}

static void attach_before_the_answer(struct scene *scene)
{
    static const uint8_t first[HOSTILE_PICKS] = {0};
    answer_but(scene, "Target.createTarget");
    hostile_tell(&scene->peer, ATTACHED, first);
    turn(scene);
    answer_but(scene, "Target.createTarget");
}

static void a_tab_that_is_there_needs_no_answer_to_the_request_for_it(void **state)
{
    struct scene *scene = *state;
    attach_before_the_answer(scene);
    assert_non_null(scene->session);
    scene->peer.count = 0; /* it is never answered */
    tb_clock_manual_advance(&scene->clock, TB_BROWSER_START_MS + CREATE_MS);
    turn(scene);
    assert_int_equal(run(scene, true), 0);
}

static void the_answer_may_be_an_error_when_the_tab_is_there(void **state)
{
    struct scene *scene = *state;
    attach_before_the_answer(scene);
    assert_int_equal(scene->peer.count, 1);
    hostile_answer(&scene->peer, 0, REFUSED, false);
    turn(scene);
    assert_int_equal(run(scene, true), 0);
}

/* The browser says that it has made a tab, and never tells of it. */
static void answer_without_a_tab(struct scene *scene)
{
    answer_but(scene, "Target.createTarget");
    assert_int_equal(scene->peer.count, 1);
    hostile_answer(&scene->peer, 0, EMPTY_ANSWER, false);
    turn(scene);
}

static void a_new_session_does_not_wait_for_a_tab_for_ever(void **state)
{
    struct scene *scene = *state;
    answer_without_a_tab(scene);
    tb_clock_manual_advance(&scene->clock, CREATE_MS - 1);
    turn(scene);
    assert_int_equal(scene->refused.code, 0);
    tb_clock_manual_advance(&scene->clock, 1);
    turn(scene);
    assert_int_equal(scene->refused.code, TB_E_TIMEOUT);
    assert_string_equal(scene->refused.text, "the tab of the new session was not ready in time");
    assert_true(is_asked(scene, "Target.disposeBrowserContext"));

    begin_session(scene);
    answer_all(scene);
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
        turn(scene);
    }
    assert_int_equal(scene->refused.code, TB_E_BROWSER_START);
    assert_non_null(strstr(scene->refused.text, "it is running but does not answer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_session_without_a_tab_asks_for_one_again, set_up_open,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_window_that_answers_late_is_asked_again, set_up_open,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_dialog_of_its_opener_does_not_lose_a_window, set_up_open,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_window_may_open_behind_a_dialog, set_up_open, tear_down),
        cmocka_unit_test_setup_teardown(
            a_window_that_crashes_before_it_is_set_up_is_set_up_with_its_next_page, set_up_open,
            tear_down),
        cmocka_unit_test_setup_teardown(a_page_that_is_shown_again_is_loaded, set_up_open,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_page_without_our_world_is_not_asked_for_its_storage,
                                        set_up_open, tear_down),
        cmocka_unit_test_setup_teardown(files_for_a_chooser_do_not_go_to_another_document,
                                        set_up_open, tear_down),
        cmocka_unit_test_setup_teardown(a_script_does_not_get_an_element_of_another_document,
                                        set_up_open, tear_down),
        cmocka_unit_test_setup_teardown(an_answer_that_tells_of_no_tab_counts_as_none, set_up_open,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_tab_that_is_there_needs_no_answer_to_the_request_for_it,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_answer_may_be_an_error_when_the_tab_is_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_new_session_does_not_wait_for_a_tab_for_ever, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_browser_that_tells_much_and_answers_nothing_is_given_up,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
