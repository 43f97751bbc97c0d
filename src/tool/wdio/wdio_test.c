/* SPDX-License-Identifier: Apache-2.0 */
/* The toolset wdio: names, arguments and texts of the WebdriverIO MCP server and its proposal. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "tool/tools.h"
#include "tool/toolsets.h"

#include "support/core_rig.h"
#include "support/said.h"

static const struct tb_face *face(const char *name)
{
    const struct tb_face *found = tb_face_find(&tb_toolset_wdio, tb_str_of(name));
    if (!found) {
        fail_msg("no tool %s", name);
    }
    return found;
}

#define X "{\"selector\":\"#x\"}"

static const struct {
    const char *tool;
    const char *args;
    struct said_result result;
    const char *words;
} samples[] = {
    {"start_browser",
     "{\"navigationUrl\":\"https://a.test\"}",
     {.data = "{\"sessionId\":\"browser-1\",\"headless\":true,\"width\":1920,\"height\":1080}"},
     "Chrome browser started in headless mode with sessionId: browser-1 (1920x1080) and navigated to "
     "https://a.test"},
    {"start_session",
     "{\"platform\":\"browser\"}",
     {.data =
          "{\"sessionId\":\"a\",\"headless\":false,\"width\":800,\"height\":600,\"warning\":\"Warning: "
          "6.\"}"},
     "Chrome browser started in headed mode with sessionId: a (800x600)\nWarning: 6."},
    {"start_browser",
     "{}",
     {.code = TB_E_SESSION_EXISTS, .message = "Session 'test' already exists"},
     "Session 'test' already exists\nUse the existing session, close it first, or choose another "
     "name."},
    {"close_session", "{}", {.data = "{\"sessionId\":\"a\"}"}, "Session a closed"},
    {"close_session",
     "{}",
     {.data = "{\"sessionId\":\"a\",\"detached\":true}"},
     "Session a detached from"},
    {"navigate", "{\"url\":\"https://a.test\"}", {.data = "{}"}, "Navigated to https://a.test"},
    {"navigate",
     "{\"url\":\"https://a.test\"}",
     {.code = TB_E_NAVIGATION, .message = "net::ERR_NAME_NOT_RESOLVED"},
     "Error navigating: net::ERR_NAME_NOT_RESOLVED\nCheck the address, then try once more; the site "
     "may be down briefly."},
    {"navigate",
     "{\"url\":\"u\",\"sessionId\":\"eve\"}",
     {.code = TB_E_SESSION_NOT_FOUND, .message = "No session: eve. There are: bob."},
     "No session: eve. There are: bob.\nCall start_session with the sessionId that you want, pass "
     "that of one that exists (list_sessions), or call navigate without sessionId."},
    {"click_element", X, {.data = "{\"element\":\"link\"}"}, "Element clicked (selector: #x)"},
    {"click_element",
     X,
     {.data = "{\"dialog\":{\"type\":\"alert\",\"message\":\"hi\"}}"},
     "Element clicked (selector: #x)\nA dialog is open: alert \"hi\"; answer it with browser_dialog."},
    {"click_element",
     X,
     {.code = TB_E_ELEMENT_NOT_FOUND, .message = "nothing fits"},
     "Error clicking element: nothing fits\nCall get_accessibility_tree and use a ref or selector "
     "from it."},
    {"click_element",
     X,
     {.code = TB_E_DIALOG_OPEN, .message = "the page shows a dialog (alert): \"Paid!\""},
     "Error clicking element: the page shows a dialog (alert): \"Paid!\"\nAnswer the dialog with "
     "browser_dialog, then do what remains."},
    {"click_element",
     X,
     {.data = "{\"new_tabs\":[{\"index\":1,\"url\":\"https://b.test/\"}]}"},
     "Element clicked (selector: #x)\nNew tab 1: https://b.test/. It is selected now; switch_tab "
     "switches back."},
    {"tap_element", X, {.data = "{}"}, "Element tapped (selector: #x)"},
    {"tap_element",
     X,
     {.data = "{\"unclicked\":{\"removed\":true}}"},
     "Element pressed, but the page received no click on it (selector: #x)"},
    {"set_value",
     "{\"selector\":\"#x\",\"value\":\"Hello Bob!\"}",
     {.data = "{}"},
     "Text \"Hello Bob!\" entered into element"},
    {"set_value",
     "{\"selector\":\"#x\",\"value\":\"pass\"}",
     {.data = "{\"secret\":true}"},
     "Text \"•••\" entered into element"},
    {"scroll", "{\"direction\":\"up\"}", {.data = "{}"}, "Scrolled up 500 pixels"},
    {"execute_script", "{\"script\":\"x\"}", {.data = "{}", .text = "\"t\\\"x\""}, "Result: t\"x"},
    {"execute_script",
     "{\"script\":\"x\"}",
     {.data = "{}", .text = "{\"a\":1}"},
     "Result: {\"a\":1}"},
    {"execute_script",
     "{\"script\":\"x\"}",
     {.code = TB_E_SCRIPT, .message = "x is not defined"},
     "Error executing script: x is not defined\nFix the script as the message says, then call "
     "again."},
    {"get_tabs",
     "{}",
     {.data =
          "{\"tabs\":[{\"index\":0,\"id\":\"T1\",\"url\":\"u\",\"title\":\"t\",\"active\":true}]}"},
     "[{\"handle\":\"T1\",\"title\":\"t\",\"url\":\"u\",\"isActive\":true}]"},
    {"get_tabs",
     "{}",
     {.data = "{\"tabs\":[{\"id\":\"T1\",\"url\":\"u\",\"title\":\"t\\u202e\\u0085\"}]}"},
     "[{\"handle\":\"T1\",\"title\":\"t\\u202e\\u0085\",\"url\":\"u\",\"isActive\":false}]"},
    {"get_cookies",
     "{\"name\":\"a\"}",
     {.data = "{\"cookies\":[{\"name\":\"a\",\"value\":\"\\u202e\"}]}"},
     "{\"name\":\"a\",\"value\":\"\\u202e\"}"},
    {"switch_tab", "{}", {.data = "{\"url\":\"u\",\"title\":\"t\"}"}, "Switched to tab u \"t\""},
    {"get_cookies",
     "{}",
     {.data =
          "{\"cookies\":[{\"name\":\"a\",\"value\":\"1\",\"http_only\":true,\"expires\":5,\"same_site\":"
          "\"Lax\"}]}"},
     "[{\"name\":\"a\",\"value\":\"1\",\"expiry\":5,\"httpOnly\":true,\"sameSite\":\"Lax\"}]"},
    {"get_cookies",
     "{\"name\":\"b\"}",
     {.data = "{\"cookies\":[{\"name\":\"a\"},{\"name\":\"b\"}]}"},
     "{\"name\":\"b\"}"},
    {"get_cookies", "{\"name\":\"c\"}", {.data = "{\"cookies\":[{\"name\":\"a\"}]}"}, "null"},
    {"set_cookie", "{\"name\":\"a\"}", {.data = "{}"}, "Cookie \"a\" set successfully"},
    {"delete_cookies", "{\"name\":\"a\"}", {.data = "{}"}, "Cookie \"a\" deleted successfully"},
    {"delete_cookies", "{}", {.data = "{}"}, "All cookies deleted successfully"},
    {"set_geolocation",
     "{\"latitude\":52.5,\"longitude\":-13}",
     {.data = "{}"},
     "Geolocation set to latitude 52.5, longitude -13"},
    {"emulate_device", "{}", {.data = "{\"devices\":[\"Pixel 8\"]}"}, "Devices:\nPixel 8"},
    {"emulate_device", "{\"device\":\"Pixel 8\"}", {.data = "{}"}, "Emulating \"Pixel 8\"."},
    {"emulate_device", "{\"device\":\"reset\"}", {.data = "{}"}, "Device emulation reset"},
    {"get_elements",
     "{}",
     {.data =
          "{\"total\":3,\"showing\":2,\"hasMore\":true,\"elements\":[{\"tagName\":\"a\",\"name\":\"About "
          "us\",\"type\":\"\",\"value\":\"\",\"href\":\"/about.html\",\"selector\":\"a*=About us\","
          "\"isInViewport\":true},{\"tagName\":\"input\",\"name\":\"Pass\",\"type\":\"password\","
          "\"selector\":\"input[name=\\\"p\\\"]\",\"isInViewport\":false}]}"},
     "total: 3\nshowing: 2\nhasMore: true\n"
     "elements[2]{tagName,name,type,value,href,selector,isInViewport}:\n"
     "  a,About us,,,/about.html,a*=About us,true\n"
     "  input,Pass,password,,,\"input[name=\\\"p\\\"]\",false"},
    {"get_visible_elements",
     "{\"includeBounds\":true}",
     {.data = "{\"total\":1,\"showing\":1,\"hasMore\":false,\"elements\":[{\"tagName\":\"a\","
              "\"name\":\"Go\",\"selector\":\"a*=Go\",\"isInViewport\":true,\"boundingBox\":"
              "{\"x\":8,\"y\":-21.44,\"width\":30.25,\"height\":17.5}}]}"},
     "total: 1\nshowing: 1\nhasMore: false\n"
     "elements[1]{tagName,name,type,value,href,selector,isInViewport,x,y,width,height}:\n"
     "  a,Go,,,,a*=Go,true,8,-21.44,30.25,17.5"},
};

static void texts_are_those_that_callers_know(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(samples); i++) {
        char *words = said_by_face(&tb_toolset_wdio, face(samples[i].tool), samples[i].args,
                                   &samples[i].result, samples[i].result.code < 0);
        if (strcmp(words, samples[i].words) != 0) {
            fail_msg("%s says\n%s\nnot\n%s", samples[i].tool, words, samples[i].words);
        }
        tb_free(words);
    }
}

static void arguments_become_those_of_the_tool(void **state)
{
    static const struct {
        const char *tool;
        const char *args;
        const char *mapped;
    } rows[] = {
        {"start_browser", "{\"sessionId\":\"a\",\"headless\":\"false\",\"navigationUrl\":\"u\"}",
         "{\"sessionId\":\"a\",\"viewport\":{\"width\":1920,\"height\":1080},\"headless\":false,\"url\":"
         "\"u\"}"},
        {"start_session", "{\"platform\":\"ios\",\"windowWidth\":400,\"windowHeight\":500}",
         "{\"viewport\":{\"width\":400,\"height\":500},\"kind\":\"ios\"}"},
        {"click_element", "{\"selector\":\"#x\",\"sessionId\":\"a\",\"scrollToView\":false}",
         "{\"sessionId\":\"a\",\"target\":\"#x\",\"timeout_ms\":3000}"},
        {"set_value", "{\"selector\":\"#x\",\"value\":\"v\",\"timeout\":5}",
         "{\"target\":\"#x\",\"value\":\"v\",\"timeout_ms\":5}"},
        {"get_visible_elements", "{\"inViewportOnly\":true,\"includeBounds\":true,\"limit\":5}",
         "{\"in_viewport\":true,\"bounds\":true,\"limit\":5}"},
        {"switch_tab", "{\"handle\":\"T1\"}", "{\"action\":\"select\",\"id\":\"T1\"}"},
        {"switch_tab", "{\"index\":1}", "{\"action\":\"select\",\"tab\":1}"},
        {"get_cookies", "{\"name\":\"a\"}", "{}"},
        {"set_cookie",
         "{\"name\":\"a\",\"value\":\"1\",\"expiry\":5,\"httpOnly\":true,\"sameSite\":\"lax\"}",
         "{\"action\":\"set\",\"name\":\"a\",\"value\":\"1\",\"expires\":5,\"http_only\":true,\"same_site\":"
         "\"Lax\"}"},
        {"delete_cookies", "{}", "{\"action\":\"clear\"}"},
        {"delete_cookies", "{\"name\":\"a\"}", "{\"action\":\"delete\",\"name\":\"a\"}"},
        {"set_geolocation", "{\"latitude\":1,\"longitude\":2,\"altitude\":3}",
         "{\"geolocation\":{\"latitude\":1,\"longitude\":2}}"},
        {"emulate_device", "{}", "{\"device\":\"list\"}"},
        {"emulate_device", "{\"device\":\"reset\"}", "{\"reset\":true}"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const struct tb_face *row = face(rows[i].tool);
        struct cJSON *given = tb_json_parse(tb_str_of(rows[i].args));
        struct cJSON *checked = NULL;
        struct tb_err err;
        struct tb_buf text;
        if (tb_args_check(row->params, given, &checked, &err) < 0) {
            fail_msg("%s: %s", row->name, err.text);
        }
        struct cJSON *mapped = row->map_args(checked);
        tb_buf_init(&text, TB_KIB);
        tb_json_print(mapped, &text);
        tb_buf_append_char(&text, '\0');
        assert_string_equal((const char *)text.data, rows[i].mapped);
        tb_buf_fini(&text);
        tb_json_free(mapped);
        tb_json_free(checked);
        tb_json_free(given);
    }
}

/* The script is code of the caller's; it must arrive whole, its arguments beside it. */
static void a_script_becomes_a_function_that_is_called(void **state)
{
    (void)state;
    struct cJSON *given =
        tb_json_parse(TB_STR("{\"script\":\"return arguments[0] // end\",\"args\":[\"#x\",5]}"));
    struct cJSON *mapped = face("execute_script")->map_args(given);
    struct tb_str script = tb_args_text(mapped, "script", "");
    char *text = tb_str_dup(script);
    assert_true(tb_str_starts(script, TB_STR("(() => { const args = [\"#x\",5].map(")));
    assert_non_null(
        strstr(text, "(function () {\nreturn arguments[0] // end\n}).apply(window, args)"));
    tb_free(text);
    tb_json_free(mapped);
    tb_json_free(given);
}

/* S1-09, S1-11 … S1-18, S1-20 */
static void the_names_of_the_proposal_are_there(void **state)
{
    static const char *const names[] = {
        "start_browser",
        "start_session",
        "navigate",
        "tap_element",
        "click_element",
        "set_value",
        "get_elements",
        "get_visible_elements",
        "execute_sequence",
        "close_session",
        "list_sessions",
        "set_current_session",
        "close_all_sessions",
        "execute_script",
        "get_screenshot",
        "take_screenshot",
        "get_accessibility",
        "switch_tab",
        "get_accessibility_tree",
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        assert_non_null(face(names[i])->tool);
    }
    assert_string_equal(face("click_element")->description, "clicks an element");
    assert_string_equal(face("click_element")->params[0].help, "CSS selector or XPath");
}

static void a_sequence_takes_what_its_tools_take(void **state)
{
    const struct tb_param *actions = face("execute_sequence")->params;
    (void)state;
    assert_string_equal(actions->name, "actions");
    for (const struct tb_param *row = actions->fields + 1; row->name; row++) {
        bool found = false;
        for (const struct tb_face *each = tb_toolset_wdio.faces; each->name; each++) {
            for (const struct tb_param *known = each->params; known && known->name; known++) {
                found |= strcmp(known->name, row->name) == 0;
            }
        }
        if (!found) {
            fail_msg("no tool takes %s", row->name);
        }
    }
}

/* S1-07, S1-40 */
static void every_tool_takes_a_session(void **state)
{
    (void)state;
    for (const struct tb_face *row = tb_toolset_wdio.faces; row->name; row++) {
        bool found = row->tool->flags & TB_TOOL_NO_SESSION || !row->params;
        for (const struct tb_param *param = row->params; param && param->name; param++) {
            found |= strcmp(param->name, "sessionId") == 0;
        }
        if (!found) {
            fail_msg("%s takes no sessionId", row->name);
        }
    }
}

/* S1-50: the two-user chat of the proposal, as far as a driver without pages can play it. */
static void two_users_work_side_by_side(void **state)
{
    struct rig *rig = *state;
    static const char send[] =
        "{\"sessionId\":\"alice\",\"actions\":[{\"action\":\"set_value\",\"selector\":\"#message-input\","
        "\"value\":\"Hello Bob!\"},{\"action\":\"click_element\",\"selector\":\"#send-button\"}]}";
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "", "{\"sessionId\":\"alice\"}"), 0);
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "", "{\"sessionId\":\"bob\"}"), 0);
    struct rig_call *alice = rig_start(rig, &tb_tool_execute_sequence, "", send);
    struct rig_call *bob = rig_start(rig, &tb_tool_browser_elements, "", "{\"sessionId\":\"bob\"}");
    rig_turn(rig);
    rig_expect(alice, 0);
    rig_expect(bob, 0);
    assert_int_equal(tb_session_info(rig_find(rig, "bob")).stats.calls, 2);
    assert_int_equal(rig_run(rig, &tb_tool_close_all_sessions, "", NULL), 0);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_those_that_callers_know),
        cmocka_unit_test(arguments_become_those_of_the_tool),
        cmocka_unit_test(a_script_becomes_a_function_that_is_called),
        cmocka_unit_test(the_names_of_the_proposal_are_there),
        cmocka_unit_test(a_sequence_takes_what_its_tools_take),
        cmocka_unit_test(every_tool_takes_a_session),
        cmocka_unit_test_setup_teardown(two_users_work_side_by_side, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
