/* SPDX-License-Identifier: Apache-2.0 */
/* What was found in one document stays there, whatever the frame shows by then. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "driver/cdp/browser/session_internal.h"
#include "driver/profile.h"

#include "support/scripted.h"

enum {
    OUR_WORLD = 8, /* events of hostile_tell */
    WORLDS_GONE = 13,
    REPLACED = 16, /* of hostile_answer */
};

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
    struct tb_cdp_page *page = tb_cdp_session_page(scene->session);
    uint64_t mark = tb_cdp_page_navigation_mark(page);
    int64_t deadline_ms = tb_loop_now_ms(scene->loop) + 30000;
    scene_say(scene,
              "{\"sessionId\":\"S1\",\"method\":\"Page.frameStartedNavigating\",\"params\":{"
              "\"frameId\":\"T1\",\"url\":\"https://b.test/\",\"navigationType\":\"restore\"}}");
    tb_cdp_page_settle(page, mark, "networkidle", deadline_ms, on_settled, scene);
    scene_turn(scene);
    assert_int_equal(scene->dones, 0);
    scene_say(scene,
              "{\"sessionId\":\"S1\",\"method\":\"Page.frameNavigated\",\"params\":{\"type\":"
              "\"BackForwardCacheRestore\",\"frame\":{\"id\":\"T1\",\"loaderId\":\"L7\","
              "\"url\":\"https://b.test/\"}}}");
    assert_int_equal(scene->dones, 1);
    assert_true(tb_str_eq_cstr(tb_cdp_page_url(page), "https://b.test/"));
}

/* Its own world would tell whatever it likes of its origin. */
static void a_page_without_our_world_is_not_asked_for_its_storage(void **state)
{
    struct scene *scene = *state;
    char directory[] = "/tmp/tabard-lost-XXXXXX";
    assert_non_null(mkdtemp(directory));
    tb_free(scene->config.state_dir);
    scene->config.state_dir = tb_strdup(directory);
    scene_tell(scene, WORLDS_GONE, scene_in_opener);
    scene_begin_op(scene, TB_OP_STATE); /* saves */
    assert_true(scene_is_asked(scene, "Storage.getCookies"));
    scene_answer_all(scene);
    assert_int_equal(scene->dones, 0);
    scene_tell(scene, OUR_WORLD, scene_in_opener);
    assert_true(scene_is_asked(scene, "Runtime.evaluate"));
    scene->op.cancel(&scene->op);
    assert_int_equal(scene->result.code, TB_E_CANCELLED);
    tb_profile_remove(directory);
}

static void begin_upload(struct scene *scene)
{
    scene_say(scene,
              "{\"sessionId\":\"S1\",\"method\":\"Page.fileChooserOpened\",\"params\":{\"frameId\":"
              "\"T1\",\"mode\":\"selectSingle\",\"backendNodeId\":7}}");
    scene_answer_all(scene);
    scene_set_args(scene, "{\"content\":[{\"name\":\"a.txt\",\"text\":\"x\"}]}");
    scene_begin_op(scene, TB_OP_UPLOAD);
    if (scene->dones) {
        fail_msg("%s", scene->result.message);
    }
}

/* As if the daemon had started the browser. */
static void give_directory(struct scene *scene, const char *directory)
{
    struct tb_files_folder *folder = &scene->session->folder;
    struct stat info;
    assert_int_equal(stat(directory, &info), 0);
    folder->path = tb_strdup(directory);
    folder->id = (struct tb_files_id){info.st_dev, info.st_ino};
}

/* In another process the number of a field may be that of another. */
static void files_for_a_chooser_do_not_go_to_another_document(void **state)
{
    struct scene *scene = *state;
    char directory[] = "/tmp/tabard-lost-XXXXXX";
    assert_non_null(mkdtemp(directory));
    give_directory(scene, directory);
    begin_upload(scene);
    scene_answer_one(scene, "Runtime.evaluate", REPLACED);
    assert_false(scene_is_asked(scene, "DOM.setFileInputFiles"));
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, TB_E_ELEMENT_STALE);

    begin_upload(scene);
    scene_answer_one(scene, "Runtime.evaluate", 0);
    scene_tell(scene, HOSTILE_COMMITTED, scene_in_opener);
    scene_answer_one(scene, "DOM.resolveNode", 0);
    assert_false(scene_is_asked(scene, "DOM.setFileInputFiles"));
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, TB_E_ELEMENT_STALE);

    begin_upload(scene);
    scene_answer_one(scene, "Runtime.evaluate", 0);
    scene_answer_one(scene, "DOM.resolveNode", 0);
    scene_answer_one(scene, "DOM.setFileInputFiles", 0);
    scene_answer_all(scene);
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
    tb_profile_remove(directory);
}

static void a_script_does_not_get_an_element_of_another_document(void **state)
{
    struct scene *scene = *state;
    scene_set_args(scene, "{\"target\":\"#a\",\"script\":\"el.remove()\"}");
    scene_begin_op(scene, TB_OP_EVALUATE);
    scene_answer_one(scene, "Runtime.evaluate", 0);
    scene_answer_one(scene, "DOM.describeNode", 0);
    scene_tell(scene, HOSTILE_COMMITTED, scene_in_opener);
    scene_answer_one(scene, "DOM.resolveNode", 0);
    assert_false(scene_is_asked(scene, "Runtime.callFunctionOn"));
    scene_answer_all(scene); /* it is looked for in the new one */
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
}

/* Answers the oldest command of this method by these members. */
static void answer_by(struct scene *scene, const char *method, const char *result)
{
    struct hostile_peer *peer = &scene->peer;
    char message[1024];
    size_t at = 0;
    while (at < peer->count && strcmp(peer->waiting[at].method, method) != 0) {
        at++;
    }
    if (at == peer->count) {
        fail_msg("%s was not asked", method);
    }
    snprintf(message, sizeof(message), "{\"id\":%llu,\"result\":%s}",
             (unsigned long long)peer->waiting[at].id, result);
    peer->count--;
    memmove(&peer->waiting[at], &peer->waiting[at + 1],
            (peer->count - at) * sizeof(peer->waiting[0]));
    scene_say(scene, message);
}

#define HOST(id) "{\"value\":{\"subtype\":\"node\",\"objectId\":\"1.7." id "\"}}"

static void an_outline_ends_with_the_frame_that_it_was_of(void **state)
{
    static const char node[] = "{\"node\":{\"shadowRoots\":[{\"shadowRootType\":\"closed\","
                               "\"backendNodeId\":9}]}}";
    struct scene *scene = *state;
    hostile_frame(&scene->peer, "S1");
    scene_turn(scene);
    scene_set_args(scene, "{\"target\":\"f1e1\"}");
    scene_begin_op(scene, TB_OP_SNAPSHOT);
    answer_by(scene, "Runtime.evaluate",
              "{\"result\":{\"value\":{\"hosts\":3,\"text\":\"\",\"url\":\"\",\"title\":\"\"}}}");
    answer_by(scene, "Runtime.evaluate", "{\"result\":{\"objectId\":\"1.7.1\"}}");
    answer_by(scene, "Runtime.getProperties",
              "{\"result\":[" HOST("2") "," HOST("3") "," HOST("4") "]}");
    answer_by(scene, "DOM.describeNode", node);
    answer_by(scene, "DOM.describeNode", node);
    scene_say(scene,
              "{\"sessionId\":\"S1\",\"method\":\"Page.frameDetached\",\"params\":{\"frameId\":"
              "\"F1\",\"reason\":\"remove\"}}");
    answer_by(scene, "DOM.describeNode", node);
    scene_turn(scene);
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, TB_E_ELEMENT_STALE);
}

static void an_outline_lets_go_of_what_it_has_held(void **state)
{
    struct scene *scene = *state;
    bool released = false;
    hostile_frame(&scene->peer, "S1");
    scene_turn(scene);
    scene_begin_op(scene, TB_OP_SNAPSHOT);
    for (int i = 0; i < SCENE_ROUNDS; i++) {
        released = released || scene_is_asked(scene, "Runtime.releaseObjectGroup");
        hostile_answer_all(&scene->peer);
        scene_turn(scene);
    }
    assert_int_equal(scene->dones, 1);
    assert_int_equal(scene->result.code, 0);
    assert_true(released);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_that_is_shown_again_is_loaded, scene_start_open,
                                        scene_stop),
        cmocka_unit_test_setup_teardown(a_page_without_our_world_is_not_asked_for_its_storage,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(files_for_a_chooser_do_not_go_to_another_document,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(a_script_does_not_get_an_element_of_another_document,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(an_outline_ends_with_the_frame_that_it_was_of,
                                        scene_start_open, scene_stop),
        cmocka_unit_test_setup_teardown(an_outline_lets_go_of_what_it_has_held, scene_start_open,
                                        scene_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
