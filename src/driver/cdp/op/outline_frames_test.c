/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that say nothing while the outline is made. With a real browser, in which every site has a
 * process of its own, as it has in the full one: a frame that hangs is not the page's own. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    /* All of localhost is one process: when the first frame is mute, so are the others. */
    {.path = "/crowd",
     .body = "<title>Crowd</title><iframe src=http://localhost:{port}/mute title=A></iframe>"
             "<iframe src=http://localhost:{port}/mute title=B></iframe>"
             "<iframe src=http://localhost:{port}/mute title=C></iframe>"
             "<iframe src=http://localhost:{port}/mute title=D></iframe>"},
    {.path = "/pair",
     .body = "<title>Pair</title><iframe src=http://localhost:{port}/mute title=A></iframe>"
             "<iframe src=http://b.localhost:{port}/inner title=B></iframe>"},
    {.path = "/inner", .body = "<button>Inside</button>"},
    {.path = "/mute",
     .body = "<script>onmessage = () => { const request = new XMLHttpRequest;"
             "request.open('GET', '/held', false); request.send() }</script>"},
    {.path = NULL},
};

static int start(void **state)
{
    int rc = ops_lab_start(state, docs);
    struct ops_lab *lab = *state;
    if (lab->loop) {
        ops_set(lab, "browser.args", "--site-per-process");
    }
    return rc;
}

static bool is_held(const struct ops_lab *lab)
{
    return memmem(lab->visits.data, lab->visits.len, "/held\n", 6) != NULL;
}

/* The frames of localhost answer nothing any more. They are told until they have heard it: what is
 * said to a frame whose document is still to come is lost. */
static void open_mute(struct ops_lab *lab, const char *path)
{
    ops_goto(lab, path);
    tb_buf_clear(&lab->visits);
    int64_t end_ms = tb_loop_now_ms(lab->loop) + OPS_MS;
    while (!is_held(lab) && tb_loop_now_ms(lab->loop) < end_ms) {
        ops_eval(lab, "frames[0].postMessage(1, `*`), new Promise((done) => setTimeout(done, 20))");
    }
    assert_true(is_held(lab));
}

static void expect_all_silent(struct ops_lab *lab)
{
    assert_int_equal(ops_end(lab), 0);
    assert_true(tb_loop_now_ms(lab->loop) < lab->op.deadline_ms);
    const char *line = ops_out(lab);
    for (size_t frame = 0; frame < 4; frame++) {
        line = strstr(line, "- iframe \"");
        assert_non_null(line);
        line = strchr(line, '\n');
        assert_non_null(line);
        assert_true(tb_str_starts(tb_str_of(line), TB_STR("\n  … no answer from this frame")));
    }
}

static void frames_that_are_silent_do_not_cost_the_outline_of_the_page(void **state)
{
    struct ops_lab *lab = *state;
    char args[100];
    open_mute(lab, "/crowd");
    ops_begin(lab, TB_OP_SNAPSHOT, 6000, "{}");
    expect_all_silent(lab);
    ops_begin(lab, TB_OP_SNAPSHOT, 1200, "{}");
    expect_all_silent(lab);
    /* In the same document. */
    snprintf(args, sizeof(args), "{'url':'http://127.0.0.1:%d/crowd#a','snapshot':true}",
             lab->port);
    ops_begin(lab, TB_OP_NAVIGATE, 6000, args);
    expect_all_silent(lab);
}

static void a_silent_frame_does_not_cost_the_outline_of_the_next_one(void **state)
{
    struct ops_lab *lab = *state;
    open_mute(lab, "/pair");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_non_null(strstr(ops_out(lab), "\n  … no answer from this frame"));
    assert_non_null(strstr(ops_out(lab), "\n  - button \"Inside\" [ref=f"));
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(frames_that_are_silent_do_not_cost_the_outline_of_the_page),
        OPS_TEST(a_silent_frame_does_not_cost_the_outline_of_the_next_one),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
