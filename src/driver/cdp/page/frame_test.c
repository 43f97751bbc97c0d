/* SPDX-License-Identifier: Apache-2.0 */
#include "support/cdp_lab.h"

/* /outer holds a frame of another site, which holds one of the first site again. The port is put in
 * by the page itself. */
static const struct lab_doc docs[] = {
    {"/", NULL, "<title>top</title>", 0},
    {"/outer", NULL,
     "<title>outer</title><body style='margin: 0'><div style='height: 100px'></div>"
     "<iframe style='margin-left: 50px; border: 5px solid; width: 400px; height: 300px'></iframe>"
     "<script>document.querySelector('iframe').src ="
     " location.origin.replace('127.0.0.1', 'localhost') + '/middle'</script>",
     0},
    {"/middle", NULL,
     "<title>middle</title><body style='margin: 0'><button style='position: absolute; left: 0;"
     " top: 0; width: 20px; height: 20px' onclick=\"document.title = 'clicked'\"></button>"
     "<iframe style='margin: 30px; border: 0; width: 200px; height: 100px'></iframe>"
     "<script>document.querySelector('iframe').src ="
     " location.origin.replace('localhost', '127.0.0.1') + '/inner'</script>",
     0},
    {"/inner", NULL, "<title>inner</title>", 0},
    {"/same", NULL,
     "<title>same</title><body style='margin: 0'>"
     "<iframe src=/middle2 style='margin: 10px; border: 0; width: 300px; height: 200px'></iframe>",
     0},
    {"/middle2", NULL,
     "<title>middle2</title><body style='margin: 0'>"
     "<iframe src=/inner style='margin: 7px; border: 0; width: 100px; height: 100px'></iframe>",
     0},
    {NULL, NULL, NULL, 0},
};

static int open_session(void **state)
{
    return lab_setup_open(state, docs, "browser.args", "--site-per-process");
}

/* The frame whose address ends so; NULL while there is none with a world. */
static struct tb_cdp_frame *frame_at(struct lab_setup *setup, const char *path)
{
    struct tb_cdp_page *page = tb_cdp_session_page(setup->session.session);
    for (unsigned number = 0; number < 50; number++) {
        struct tb_cdp_frame *frame = tb_cdp_page_frame_by_number(page, number);
        struct tb_str url = frame ? tb_cdp_frame_url(frame) : TB_STR("");
        if (url.len >= strlen(path) && tb_cdp_frame_world(frame)[0] &&
            strcmp(url.ptr + url.len - strlen(path), path) == 0) {
            return frame;
        }
    }
    return NULL;
}

static void call_in(struct lab_setup *setup, struct tb_cdp_frame *frame, const char *function,
                    struct lab_answer *answer)
{
    memset(answer, 0, sizeof(*answer));
    tb_cdp_page_call(frame, function, TB_STR(""), lab_deadline(&setup->lab), lab_on_reply, answer);
    LAB_WAIT(&setup->lab, answer->done);
}

static void frames_of_other_processes_look_like_any_other(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer answer;
    lab_goto(&setup->session, "127.0.0.1", "/outer");
    LAB_WAIT(&setup->lab, frame_at(setup, "/middle") && frame_at(setup, "/inner"));
    struct tb_cdp_frame *middle = frame_at(setup, "/middle");
    assert_string_not_equal(tb_cdp_frame_session_id(middle),
                            tb_cdp_page_session_id(tb_cdp_session_page(setup->session.session)));
    call_in(setup, middle, "describe", &answer);
    assert_int_equal(answer.code, 0);
    assert_non_null(strstr(answer.value, "\"title\":\"middle\""));
    call_in(setup, frame_at(setup, "/inner"), "describe", &answer);
    assert_non_null(strstr(answer.value, "\"title\":\"inner\""));
}

static void a_click_reaches_a_frame_of_another_process(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer answer;
    lab_goto(&setup->session, "127.0.0.1", "/outer");
    LAB_WAIT(&setup->lab, frame_at(setup, "/inner"));
    /* The browser sends a click to what it has drawn there, and a frame of another process is drawn
     * a moment after it has loaded. */
    bool clicked = false;
    for (int tries = 0; !clicked && tries < 100; tries++) {
        lab_click(&setup->session, 65, 115, &answer);
        call_in(setup, frame_at(setup, "/middle"), "describe", &answer);
        clicked = strstr(answer.value, "clicked") != NULL;
    }
    assert_true(clicked);
}

static void frames_go_with_their_page(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer waiting;
    lab_goto(&setup->session, "127.0.0.1", "/outer");
    LAB_WAIT(&setup->lab, frame_at(setup, "/inner"));
    memset(&waiting, 0, sizeof(waiting));
    tb_cdp_page_call(frame_at(setup, "/middle"), "waitFor", TB_STR(""), lab_deadline(&setup->lab),
                     lab_on_reply, &waiting);
    lab_goto(&setup->session, "127.0.0.1", "/");
    LAB_WAIT(&setup->lab, waiting.done);
    assert_int_equal(waiting.code, TB_E_ELEMENT_STALE);
    LAB_WAIT(&setup->lab, tb_cdp_session_page(setup->session.session)->frames.count == 1);
    assert_null(frame_at(setup, "/middle"));
}

static void a_frame_may_move_between_processes(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer answer;
    lab_goto(&setup->session, "127.0.0.1", "/outer");
    LAB_WAIT(&setup->lab, frame_at(setup, "/inner"));
    for (int i = 0; i < 3; i++) {
        /* Home, to the process of the page ... */
        lab_eval(&setup->session, &answer,
                 "document.querySelector('iframe').src = location.origin + '/same'");
        LAB_WAIT(&setup->lab, frame_at(setup, "/same") && frame_at(setup, "/middle2"));
        call_in(setup, frame_at(setup, "/same"), "describe", &answer);
        assert_non_null(strstr(answer.value, "\"title\":\"same\""));
        assert_string_equal(tb_cdp_frame_session_id(frame_at(setup, "/same")),
                            tb_cdp_page_session_id(tb_cdp_session_page(setup->session.session)));
        /* ... and abroad again. */
        lab_eval(&setup->session, &answer,
                 "document.querySelector('iframe').src ="
                 " location.origin.replace('127.0.0.1', 'localhost') + '/middle'");
        LAB_WAIT(&setup->lab, frame_at(setup, "/middle"));
        call_in(setup, frame_at(setup, "/middle"), "describe", &answer);
        assert_non_null(strstr(answer.value, "\"title\":\"middle\""));
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_other_processes_look_like_any_other),
        cmocka_unit_test(a_click_reaches_a_frame_of_another_process),
        cmocka_unit_test(frames_go_with_their_page),
        cmocka_unit_test(a_frame_may_move_between_processes),
    };
    return cmocka_run_group_tests(tests, open_session, lab_setup_close);
}
