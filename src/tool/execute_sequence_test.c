/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "tool/print.h"
#include "tool/tools.h"

#include "support/core_rig.h"
#include "support/principals.h"
#include "support/said.h"

/* The fake driver, but for the operations that a test puts in its place. */
struct tale {
    struct tb_driver driver;
    struct rig *rig;
};

static void tell_second_tab(struct tb_driver_session *session, struct tb_op *op)
{
    (void)session;
    struct cJSON *tabs =
        tb_json_parse(TB_STR("[{\"index\":0,\"url\":\"https://a.test/\",\"title\":\"A\"},"
                             "{\"index\":1,\"url\":\"https://b.test/\",\"title\":\"B\","
                             "\"active\":true}]"));
    tb_json_set_take(op->result->data, "tabs", tabs);
    tb_op_done(op);
}

static void tell_first_tab(struct tb_driver_session *session, struct tb_op *op)
{
    (void)session;
    tb_json_set_take(op->result->data, "tabs",
                     tb_json_parse(TB_STR("[{\"index\":0,\"url\":\"about:blank\",\"title\":\"\","
                                          "\"active\":true}]")));
    tb_op_done(op);
}

static void tell_element(struct tb_driver_session *session, struct tb_op *op)
{
    (void)session;
    tb_json_set_cstr(op->result->data, "element", "link \"B\"");
    tb_op_done(op);
}

static void tell_name(struct tb_driver_session *session, struct tb_op *op)
{
    (void)session;
    tb_json_set_cstr(op->result->data, "action", "save");
    tb_json_set_str(op->result->data, "name", tb_args_text(op->args, "name", ""));
    tb_op_done(op);
}

static int setup(void **state)
{
    struct tale *tale = TB_NEW(struct tale);
    int rc = rig_setup((void **)&tale->rig);
    tale->driver = tb_driver_fake;
    *state = tale;
    return rc;
}

static int teardown(void **state)
{
    struct tale *tale = *state;
    int rc = rig_teardown((void **)&tale->rig);
    tb_free(tale);
    return rc;
}

typedef void print_fn(const struct tb_result *result, struct tb_buf *out);

static void expect_words(print_fn *print, int code, const struct cJSON *data, const char *words)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_MIB);
    struct tb_result result;
    tb_result_init(&result);
    tb_json_free(result.data);
    result.code = code;
    result.data = tb_json_dup(data);
    print(&result, &out);
    tb_result_fini(&result);
    tb_buf_append_char(&out, '\0');
    assert_string_equal((const char *)out.data, words);
}

static struct rig_call *run(struct rig *rig, const char *args)
{
    struct rig_call *call = rig_start(rig, &tb_tool_execute_sequence, "talk", args);
    rig_turn(rig);
    return call;
}

static int check_for(const struct tb_caller *caller, const char *args, struct tb_err *ret_err)
{
    TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(tb_str_of(args));
    const struct tb_core core = {.views = {.kit = &tb_kit}};
    return tb_tool_execute_sequence.check(&core, caller, given, ret_err);
}

static int check_as(struct tb_view *view, const char *args, struct tb_err *ret_err)
{
    const struct tb_caller caller = {
        .who = principal_of("t"), .conversation = "talk", .view = view};
    return check_for(&caller, args, ret_err);
}

/* A sequence is no way around it, by whatever name. */
static void only_tools_that_the_caller_has_the_scope_for_can_be_steps(void **state)
{
    (void)state;
    static const char *const looks[] = {
        "{\"actions\":[{\"action\":\"browser_click\",\"target\":\"e1\"},"
        "{\"action\":\"browser_snapshot\"}]}",
        "{\"actions\":[{\"action\":\"browser_click\",\"target\":\"e1\"},"
        "{\"tool\":\"nobody\",\"action\":\"browser_snapshot\"}]}",
        "{\"actions\":[{\"action\":\"browser_click\",\"target\":\"e1\"},"
        "{\"action\":\"get_elements\"}]}",
    };
    const struct tb_caller acts = {.who = principal_with(TB_SCOPE_ACT), .conversation = "talk"};
    struct tb_err err;
    for (size_t i = 0; i < TB_COUNT(looks); i++) {
        assert_int_equal(check_as(NULL, looks[i], &err), i == 1 ? TB_E_PARAMS : 0);
        assert_int_equal(check_for(&acts, looks[i], &err), TB_E_SCOPE);
        assert_non_null(strstr(err.text, "nothing was done; action 2 ("));
        assert_non_null(strstr(err.text, "): this tool needs the scope 'observe', which this key "
                                         "does not have"));
    }
}

/* The caller frees it. */
static struct tb_view *only_navigate(void)
{
    size_t count = 0;
    while (tb_kit.tools[count]) {
        count++;
    }
    struct tb_view *view = tb_zalloc(sizeof(*view) + count);
    view->kit = &tb_kit;
    view->toolset = tb_kit.toolsets[0];
    for (size_t i = 0; i < count; i++) {
        view->has[i] = tb_kit.tools[i] == &tb_tool_browser_navigate;
    }
    return view;
}

static void only_tools_that_the_caller_was_given_can_be_steps(void **state)
{
    struct tb_err err;
    (void)state;
    struct tb_view *few = only_navigate();
    struct tb_view *wdio = said_views()[3];
    static const char go[] =
        "{\"actions\":[{\"action\":\"browser_navigate\",\"url\":\"http://a/\"}]}";
    static const char click[] = "{\"actions\":[{\"action\":\"browser_click\",\"target\":\"e1\"}]}";
    static const char press[] =
        "{\"actions\":[{\"action\":\"click_element\",\"selector\":\"#a\"}]}";
    assert_int_equal(check_as(few, go, &err), 0);
    assert_int_equal(check_as(few, click, &err), TB_E_PARAMS);
    assert_int_equal(check_as(few, press, &err), TB_E_PARAMS);
    assert_int_equal(check_as(wdio, press, &err), 0);
    assert_int_equal(check_as(wdio, click, &err), TB_E_PARAMS);
    tb_free(few);
}

static void a_step_of_a_group_that_was_not_asked_for_names_the_group(void **state)
{
    struct tb_view *few = only_navigate();
    struct tb_err err;
    (void)state;
    static const char *const steps[] = {"{\"actions\":[{\"action\":\"browser_elements\"}]}",
                                        "{\"actions\":[{\"action\":\"get_visible_elements\"}]}"};
    for (size_t i = 0; i < TB_COUNT(steps); i++) {
        assert_int_equal(check_as(few, steps[i], &err), TB_E_PARAMS);
        assert_non_null(strstr(err.text, "this tool belongs to the group elements"));
        assert_non_null(strstr(err.text, "--groups elements"));
    }
    tb_free(few);
}

static void a_step_may_say_tool_or_name_instead_of_action(void **state)
{
    static const char *const steps[] = {
        "{\"tool\":\"browser_hover\",\"target\":\"a\"}",
        "{\"name\":\"browser_hover\",\"target\":\"a\"}",
        "{\"name\":\"browser_hover\",\"action\":null,\"arguments\":{\"target\":\"a\"}}",
        "{\"name\":\"browser_hover\",\"arguments\":\"{\\\"target\\\":\\\"a\\\"}\"}",
        "{\"tool\":\"browser_tabs\",\"action\":\"list\"}",
        "{\"action\":\"browser_state\",\"name\":\"x\",\"arguments\":{\"action\":\"save\"}}",
    };
    struct tale *tale = *state;
    for (size_t i = 0; i < TB_COUNT(steps); i++) {
        char args[256];
        snprintf(args, sizeof(args), "{\"actions\":[%s]}", steps[i]);
        rig_expect(run(tale->rig, args), 0);
    }
    /* "click" alone is the name of a tool, too. */
    struct tb_err err;
    assert_int_equal(check_as(said_views()[1],
                              "{\"actions\":[{\"tool\":\"browser_mouse\",\"action\":\"click\","
                              "\"x\":1,\"y\":1}]}",
                              &err),
                     0);
}

static void a_step_may_name_its_tool_twice(void **state)
{
    static const struct {
        const char *step;
        int code;
    } rows[] = {
        {"{\"tool\":\"browser_click\",\"action\":\"browser_click\",\"target\":\"e1\"}", 0},
        {"{\"tool\":\"browser_click\",\"action\":\"click\",\"target\":\"e1\"}", 0},
        {"{\"action\":\"browser_click\",\"name\":\"browser_click\",\"target\":\"e1\"}", 0},
        {"{\"action\":\"click_element\",\"name\":\"browser_click\",\"selector\":\"#a\"}", 0},
        {"{\"tool\":\"browser_tabs\",\"action\":\"browser_tabs\"}", 0},
        {"{\"tool\":\"browser_click\",\"action\":\"hover\",\"target\":\"e1\"}", TB_E_PARAMS},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char args[256];
        struct tb_err err = {.code = 0};
        snprintf(args, sizeof(args), "{\"actions\":[%s]}", rows[i].step);
        if (check_as(said_views()[1], args, &err) != rows[i].code) {
            fail_msg("%s: %s", rows[i].step, err.text);
        }
    }
}

/* The name of a saved state may be any. */
static void a_name_that_the_tool_takes_is_an_argument(void **state)
{
    struct tale *tale = *state;
    tale->driver.ops[TB_OP_STATE] = tell_name;
    tale->rig->core.drivers[0].driver = &tale->driver;
    struct rig_call *call =
        run(tale->rig, "{\"actions\":[{\"tool\":\"browser_state\",\"action\":\"save\","
                       "\"name\":\"browser_state\"}]}");
    const struct cJSON *step = tb_json_first(tb_json_get(call->data, "steps"));
    assert_non_null(strstr(tb_data_text(step, "text").ptr, "\"browser_state\""));
    rig_expect(call, 0);
}

static void the_arguments_of_a_step_may_stand_together(void **state)
{
    struct tale *tale = *state;
    rig_expect(run(tale->rig, "{\"actions\":[{\"tool\":\"browser_hover\",\"arguments\":{\"target\":"
                              "\"a\"}},{\"action\":\"browser_tabs\",\"arguments\":{\"action\":"
                              "\"list\"}}]}"),
               0);
    struct rig_call *call = run(
        tale->rig, "{\"actions\":[{\"tool\":\"browser_hover\",\"arguments\":{\"tarqet\":\"a\"}}]}");
    assert_non_null(strstr(call->message, "unknown argument 'tarqet'"));
    rig_expect(call, TB_E_PARAMS);
}

/* As a strict client does, which has to send every member that the schema names. */
static void members_that_hold_nothing_do_not_matter(void **state)
{
    struct tale *tale = *state;
    struct rig_call *call =
        run(tale->rig, "{\"actions\":[{\"action\":\"browser_navigate\",\"url\":\"https://a.test/\","
                       "\"target\":\"\",\"value\":null,\"key\":\"\"}]}");
    rig_expect(call, 0);
}

/* Nothing is made for a call that cannot be done. */
static void a_session_is_not_made_for_arguments_that_are_refused(void **state)
{
    struct tale *tale = *state;
    struct rig *rig = tale->rig;
    assert_int_equal(rig_run(rig, &tb_tool_browser_navigate, "talk", "{}"), TB_E_PARAMS);
    assert_int_equal(
        rig_run(rig, &tb_tool_browser_navigate, "talk", "{\"url\":\"http://a/\",\"to\":\"back\"}"),
        TB_E_PARAMS);
    assert_int_equal(rig_run(rig, &tb_tool_execute_sequence, "talk",
                             "{\"actions\":[{\"action\":\"browser_navigate\"}]}"),
                     TB_E_PARAMS);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
}

/* S1-15 */
static void actions_run_in_order_under_their_own_and_other_names(void **state)
{
    struct tale *tale = *state;
    struct rig_call *call = run(
        tale->rig, "{\"actions\":[{\"action\":\"browser_navigate\",\"url\":\"https://a.test/\"},"
                   "{\"action\":\"set_value\",\"selector\":\"#email\",\"value\":\"x\"},"
                   "{\"action\":\"click_element\",\"selector\":\"#go\",\"timeout\":100},"
                   "{\"action\":\"tap_element\",\"selector\":\"#go\"},"
                   "{\"action\":\"navigate\",\"url\":\"https://b.test/\"},"
                   "{\"action\":\"scroll\",\"direction\":\"up\",\"pixels\":\"5\"}]}");
    assert_int_equal(tb_data_int(call->data, "completed"), 6);
    const struct cJSON *step = tb_json_first(tb_json_get(call->data, "steps"));
    assert_true(tb_str_eq_cstr(tb_data_text(step, "action"), "browser_navigate"));
    assert_true(tb_str_starts(tb_data_text(step, "text"), TB_STR("Page is now https://a.test/.")));
    assert_true(tb_json_is_null(tb_json_get(call->data, "stateChange")));
    assert_null(tb_json_get(call->data, "failed"));
    rig_expect(call, 0);
    /* Six actions, and a look before and after, which is nobody's act. */
    assert_int_equal(tale->rig->fake->counts.begun, 8);
    assert_int_equal(rig_events(tale->rig, "call_step {"), 6);
    assert_int_equal(rig_events(tale->rig, "call_step {\"tool\":\"browser_fill\",\"code\":\"ok\""),
                     1);
    assert_int_equal(rig_events(tale->rig, "\"action\":1,\"step\":6}"), 1);
}

static void what_changed_is_told(void **state)
{
    struct tale *tale = *state;
    tale->driver.ops[TB_OP_TABS] = tell_first_tab;
    tale->rig->core.drivers[0].driver = &tale->driver;
    tale->driver.ops[TB_OP_CLICK] = tell_element;
    tale->rig->fake->ops[TB_OP_HOVER].when = TB_FAKE_HELD;
    struct rig_call *call =
        run(tale->rig, "{\"actions\":[{\"action\":\"browser_click\",\"target\":\"e1\"},"
                       "{\"action\":\"browser_hover\",\"ref\":\"e2\"}]}");
    tale->driver.ops[TB_OP_TABS] = tell_second_tab;
    tb_fake_release(tale->rig->fake, tb_session_info(rig_find(tale->rig, "browser-1")).id);
    rig_turn(tale->rig);
    const struct cJSON *change = tb_json_get(call->data, "stateChange");
    assert_true(tb_str_eq_cstr(tb_data_text(tb_json_get(change, "url"), "from"), "about:blank"));
    assert_true(tb_str_eq_cstr(tb_data_text(tb_json_get(change, "url"), "to"), "https://b.test/"));
    assert_true(tb_str_eq_cstr(tb_data_text(tb_json_get(change, "title"), "to"), "B"));
    expect_words(tb_tool_execute_sequence.print, call->code, call->data,
                 "All actions done. The address changed from about:blank to https://b.test/. The "
                 "title is now \"B\".\n1. Clicked link \"B\".\n2. The mouse is over.");
    rig_expect(call, 0);
}

static void the_first_failure_ends_it_and_says_where(void **state)
{
    struct tale *tale = *state;
    tale->rig->fake->ops[TB_OP_CLICK].code = TB_E_ELEMENT_NOT_FOUND;
    struct rig_call *call =
        run(tale->rig, "{\"actions\":[{\"action\":\"browser_hover\",\"target\":\"a\"},"
                       "{\"action\":\"click_element\",\"selector\":\"#no\"},"
                       "{\"action\":\"browser_hover\",\"target\":\"b\"}]}");
    const struct cJSON *failed = tb_json_get(call->data, "failed");
    assert_int_equal(tb_data_int(call->data, "completed"), 1);
    assert_int_equal(tb_data_int(failed, "index"), 1);
    assert_true(tb_str_eq_cstr(tb_data_text(failed, "action"), "click_element"));
    assert_true(tb_str_eq_cstr(tb_data_text(failed, "error"), "element_not_found"));
    assert_non_null(strstr(call->message, "action 2 of 3 (click_element) failed: "));
    assert_non_null(strstr(call->message, "1 completed before it."));
    expect_words(tb_tool_execute_sequence.print_partial, call->code, call->data,
                 "\nAlready done; do not repeat:\n1. The mouse is over.");
    rig_expect(call, TB_E_ELEMENT_NOT_FOUND);
    assert_int_equal(tale->rig->fake->counts.begun, 4);
    call = run(tale->rig, "{\"actions\":[{\"action\":\"browser_click\",\"target\":\"a\"}]}");
    expect_words(tb_tool_execute_sequence.print_partial, call->code, call->data, "");
    rig_expect(call, TB_E_ELEMENT_NOT_FOUND);
}

/* The advice of these codes is to do it again, in another page. */
static void what_a_crash_has_destroyed_is_not_told_as_done(void **state)
{
    static const int codes[] = {TB_E_PAGE_CRASHED, TB_E_BROWSER_CRASHED, TB_E_TYPED_LOST,
                                TB_E_SESSION_ENDED, TB_E_SESSION_STOPPED};
    struct tale *tale = *state;
    for (size_t i = 0; i < TB_COUNT(codes); i++) {
        tale->rig->fake->ops[TB_OP_CLICK].code = codes[i];
        struct rig_call *call =
            run(tale->rig,
                "{\"actions\":[{\"action\":\"browser_fill\",\"target\":\"a\",\"value\":\"v\"},"
                "{\"action\":\"browser_click\",\"target\":\"b\"}]}");
        expect_words(
            tb_tool_execute_sequence.print_partial, call->code, call->data,
            "\nCompleted before it (what was typed into the page may be lost):\n1. Filled.");
        rig_expect(call, codes[i]);
    }
}

static void nothing_runs_unless_all_is_understood(void **state)
{
    static const struct {
        const char *args;
        const char *part;
    } rows[] = {
        {"{\"actions\":[]}", "'actions' is empty"},
        {"{\"actions\":[{\"target\":\"a\"}]}",
         "nothing was done; action 1: 'action', the name of a tool, is missing"},
        {"{\"actions\":[{\"action\":\"browser_hover\",\"target\":\"a\"},{\"action\":\"fly\"}]}",
         "action 2 (fly): this tool is unknown; tools/list"},
        {"{\"actions\":[{\"action\":\"browser_clik\",\"target\":\"a\"}]}",
         "this tool is unknown (did you mean browser_click?)"},
        {"{\"actions\":[{\"action\":\"execute_sequence\",\"actions\":[]}]}", "cannot be a step"},
        {"{\"actions\":[{\"action\":\"start_session\"}]}", "cannot be a step"},
        {"{\"actions\":[{\"name\":\"browser_hover\",\"arguments\":\"[]\"}]}",
         "unknown argument 'arguments'"},
        {"{\"actions\":[{\"action\":\"browser_click\"}]}", "argument 'target' is missing"},
        {"{\"actions\":[{\"action\":\"browser_hover\",\"target\":\"a\",\"target\":\"b\"}]}",
         "given twice"},
        {"{\"actions\":[{\"action\":\"browser_hover\",\"action\":\"browser_click\",\"target\":\"b\"}]}",
         "given twice"},
        {"{\"actions\":[{\"action\":\"browser_evaluate\",\"script\":\"1\",\"script\":\"2\"}]}",
         "given twice"},
        {"{\"actions\":[{\"action\":\"browser_hover\",\"target\":\"a\",\"arguments\":{\"target\":"
         "\"b\"}}]}",
         "\"target\" is given twice"},
        {"{\"actions\":[{\"action\":\"set_value\",\"selector\":\"a\",\"value\":\"x\","
         "\"arguments\":\"{\\\"value\\\":\\\"y\\\"}\"}]}",
         "\"value\" is given twice"},
        {"{\"actions\":[{\"action\":\"set_value\",\"selector\":\"a\"}]}", "'value' is missing"},
        {"{\"actions\":[{\"action\":\"browser_click\",\"target\":\"a\",\"sessionId\":\"other\"}]}",
         "sessionId"},
        {"{\"actions\":[{\"action\":\"click_element\",\"selector\":\"a\",\"sessionId\":\"b\"}]}",
         "sessionId"},
    };
    struct tale *tale = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct rig_call *call = run(tale->rig, rows[i].args);
        if (!strstr(call->message, rows[i].part)) {
            fail_msg("'%s' has no '%s'", call->message, rows[i].part);
        }
        rig_expect(call, TB_E_PARAMS);
    }
    assert_int_equal(tale->rig->fake->counts.begun, 0);
}

static void too_many_actions_are_refused(void **state)
{
    struct tale *tale = *state;
    struct tb_buf args;
    tb_buf_init(&args, TB_MIB);
    tb_buf_append_cstr(&args, "{\"actions\":[");
    for (int i = 0; i < 101; i++) {
        tb_buf_printf(&args, "%s{\"action\":\"browser_hover\",\"target\":\"a\"}", i ? "," : "");
    }
    tb_buf_append(&args, "]}", 3);
    struct rig_call *call = run(tale->rig, (const char *)args.data);
    rig_expect(call, TB_E_PARAMS);
    tb_buf_fini(&args);
}

static void a_step_may_name_the_same_session(void **state)
{
    struct tale *tale = *state;
    rig_create(tale->rig, "a");
    rig_expect(run(tale->rig,
                   "{\"sessionId\":\"a\",\"actions\":[{\"action\":\"browser_hover\",\"target\":"
                   "\"x\",\"sessionId\":\"a\"}]}"),
               0);
}

static void it_ends_with_its_deadline_its_caller_and_its_session(void **state)
{
    static const char args[] = "{\"sessionId\":\"a\",\"timeout_ms\":1000,\"actions\":[{\"action\":"
                               "\"browser_hover\",\"target\":\"x\"},{\"action\":\"browser_click\","
                               "\"target\":\"x\"}]}";
    struct tale *tale = *state;
    struct rig *rig = tale->rig;
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *late = run(rig, args);
    rig_advance(rig, 1001);
    rig_advance(rig, 2000);
    assert_int_equal(tb_data_int(late->data, "completed"), 1);
    assert_int_equal(late->dones, 1);
    assert_true(late->code < 0);
    rig_forget(late);
    struct rig_call *gone = run(rig, args);
    tb_call_cancel(gone->call);
    rig_turn(rig);
    rig_expect(gone, TB_E_CANCELLED);
    struct rig_call *ended = run(rig, args);
    tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    rig_turn(rig);
    assert_int_equal(ended->dones, 1);
    assert_true(ended->code < 0);
    rig_forget(ended);
}

static void a_step_may_have_less_time_than_all(void **state)
{
    static const char *const actions[] = {
        "{\"action\":\"browser_click\",\"target\":\"x\",\"timeout_ms\":500}",
        "{\"action\":\"click_element\",\"selector\":\"x\",\"timeout\":500}",
    };
    struct tale *tale = *state;
    struct rig *rig = tale->rig;
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    for (size_t i = 0; i < TB_COUNT(actions); i++) {
        char args[256];
        snprintf(args, sizeof(args), "{\"sessionId\":\"a\",\"actions\":[%s]}", actions[i]);
        struct rig_call *call = run(rig, args);
        rig_advance(rig, 499);
        assert_int_equal(call->dones, 0);
        rig_advance(rig, 1);
        assert_int_equal(call->dones, 1);
        assert_non_null(strstr(call->message, "not finished within 500 ms"));
        /* The call itself goes on: it looks what has changed. */
        assert_non_null(tb_json_get(call->data, "failed"));
        rig_expect(call, TB_E_TIMEOUT);
    }
}

static void each_step_is_told_as_it_begins(void **state)
{
    struct tale *tale = *state;
    tale->rig->fake->ops[TB_OP_HOVER].progress = 2; /* of its own, which is not ours */
    struct rig_call *call =
        run(tale->rig, "{\"actions\":[{\"action\":\"browser_hover\",\"target\":\"x\"},"
                       "{\"action\":\"click_element\",\"selector\":\"x\"}]}");
    assert_int_equal(call->progress, 2);
    assert_string_equal(call->working, "step 2 of 2: click_element");
    rig_expect(call, 0);
}

static void it_is_freed_with_the_daemon(void **state)
{
    struct tale *tale = *state;
    tale->rig->fake->ops[TB_OP_HOVER].when = TB_FAKE_HELD;
    struct rig_call *call =
        run(tale->rig, "{\"actions\":[{\"action\":\"browser_hover\",\"target\":\"x\"}]}");
    rig_stop(tale->rig);
    assert_int_equal(call->dones, 1);
    rig_forget(call);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_tools_that_the_caller_was_given_can_be_steps),
        TEST(only_tools_that_the_caller_has_the_scope_for_can_be_steps),
        TEST(a_step_of_a_group_that_was_not_asked_for_names_the_group),
        TEST(a_step_may_say_tool_or_name_instead_of_action),
        TEST(a_step_may_name_its_tool_twice),
        TEST(a_name_that_the_tool_takes_is_an_argument),
        TEST(the_arguments_of_a_step_may_stand_together),
        TEST(members_that_hold_nothing_do_not_matter),
        TEST(a_session_is_not_made_for_arguments_that_are_refused),
        TEST(actions_run_in_order_under_their_own_and_other_names),
        TEST(what_changed_is_told),
        TEST(the_first_failure_ends_it_and_says_where),
        TEST(what_a_crash_has_destroyed_is_not_told_as_done),
        TEST(nothing_runs_unless_all_is_understood),
        TEST(too_many_actions_are_refused),
        TEST(a_step_may_name_the_same_session),
        TEST(it_ends_with_its_deadline_its_caller_and_its_session),
        TEST(a_step_may_have_less_time_than_all),
        TEST(each_step_is_told_as_it_begins),
        TEST(it_is_freed_with_the_daemon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
