/* SPDX-License-Identifier: Apache-2.0 */
/* The toolset octopus: its tools, arguments, results and errors as they are documented. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "tool/tools.h"
#include "tool/toolsets.h"

#include "support/core_rig.h"
#include "support/said.h"

enum {
    PICTURE_MAX = 900000,
};

static const struct tb_face *face(const char *name)
{
    const struct tb_face *found = tb_face_find(&tb_toolset_octopus, tb_str_of(name));
    assert_non_null(found);
    return found;
}

static char *said(const char *name, const char *args, const struct said_result *from, bool is_error)
{
    return said_by_face(&tb_toolset_octopus, face(name), args, from, is_error);
}

#define S "{\"selector\":\"#x\"}"
#define NO                                                          \
    {                                                               \
        TB_E_ELEMENT_NOT_FOUND, "nothing fits #x", NULL, NULL, NULL \
    }

static const struct {
    const char *tool;
    const char *args;
    struct said_result outcome;
    bool is_error;
    const char *words;
} samples[] = {
    {"browser_navigate",
     "{\"url\":\"https://a.test\"}",
     {0, NULL, "{\"url\":\"https://a.test/\",\"title\":\"A\",\"status\":200,\"ok\":true}", NULL,
      NULL},
     false,
     "{\"url\":\"https://a.test/\",\"title\":\"A\",\"status_code\":200,\"ok\":true}"},
    {"browser_navigate",
     "{\"url\":\"https://a.test\"}",
     {0, NULL, "{\"url\":\"https://a.test/\",\"title\":\"A\\u202e\\u2028\"}", NULL, NULL},
     false,
     "{\"url\":\"https://a.test/\",\"title\":\"A\\u202e\\u2028\",\"status_code\":0,\"ok\":false}"},
    {"browser_navigate",
     "{\"url\":\"about:blank\"}",
     {0, NULL, "{\"url\":\"about:blank\",\"title\":\"\"}", NULL, NULL},
     false,
     "{\"url\":\"about:blank\",\"title\":\"\",\"status_code\":0,\"ok\":false}"},
    {"browser_navigate",
     "{\"url\":\"http://10.0.0.1/\"}",
     {TB_E_DOMAIN_BLOCKED, "private", NULL, NULL, NULL},
     true,
     "{\"error\":\"Navigation blocked\",\"reason\":\"The domain in 'http://10.0.0.1/' is not on the "
     "approved allowlist.\"}"},
    {"browser_navigate",
     "{\"url\":\"file:///x\"}",
     {TB_E_BAD_URL, "only http and https", NULL, NULL, NULL},
     true,
     "{\"error\":\"Navigation blocked\",\"reason\":\"only http and https\"}"},
    {"browser_navigate",
     "{\"url\":\"https://a.test\",\"timeout_ms\":500}",
     {TB_E_TIMEOUT, "late", "{\"timeout_ms\":500}", NULL, NULL},
     true,
     "{\"error\":\"NavigationTimeout\",\"reason\":\"Navigation to https://a.test timed out after "
     "500ms.\"}"},
    {"browser_navigate",
     "{\"url\":\"https://a.test\"}",
     {TB_E_TIMEOUT, "late", "{\"timeout_ms\":7000}", NULL, NULL},
     true,
     "{\"error\":\"NavigationTimeout\",\"reason\":\"Navigation to https://a.test timed out after "
     "7000ms.\"}"},
    {"browser_extract",
     S,
     {0, NULL, "{\"count\":2,\"total\":9}", "[\"a\",\"b\"]", NULL},
     false,
     "{\"count\":2,\"selector\":\"#x\",\"results\":[\"a\",\"b\"]}"},
    {"browser_get_text",
     S,
     {0, NULL, "{\"count\":1,\"total\":1}", "[\"a\"]", NULL},
     false,
     "{\"count\":1,\"selector\":\"#x\",\"results\":[\"a\"]}"},
    {"browser_extract", S, NO, false, "{\"count\":0,\"selector\":\"#x\",\"results\":[]}"},
    {"browser_extract", "{\"selector\":\"#x\",\"wait_for_selector\":true}", NO, true,
     "{\"error\":\"Selector '#x' not found.\"}"},
    {"browser_fill",
     "{\"selector\":\"#x\",\"value\":\"hello\"}",
     {0, NULL, "{\"element\":\"textbox\"}", NULL, NULL},
     false,
     "{\"filled\":true,\"selector\":\"#x\",\"value\":\"hello\"}"},
    {"browser_fill",
     "{\"selector\":\"#x\",\"value\":\"pass\"}",
     {0, NULL, "{\"secret\":true}", NULL, NULL},
     false,
     "{\"filled\":true,\"selector\":\"#x\",\"value\":\"•••\"}"},
    {"browser_fill",
     "{\"selector\":\"#x\",\"value\":\"pass\"}",
     {0, NULL, "{\"secret\":true,\"differs\":true}", NULL, NULL},
     false,
     "{\"filled\":true,\"selector\":\"#x\",\"value\":\"•••\",\"hint\":\"The field has another "
     "value now than the one given.\"}"},
    {"browser_fill",
     "{\"selector\":\"#x\",\"value\":\"01234567890123456789012345678901234567890123456789\"}",
     {0, NULL, "{}", NULL, NULL},
     false,
     "{\"filled\":true,\"selector\":\"#x\",\"value\":"
     "\"01234567890123456789012345678901234567890123456789\"}"},
    {"browser_type",
     "{\"selector\":\"#x\",\"value\":\"é1234567890123456789012345678901234567890123456789+\"}",
     {0, NULL, "{}", NULL, NULL},
     false,
     "{\"filled\":true,\"selector\":\"#x\",\"value\":"
     "\"é1234567890123456789012345678901234567890123456789...\"}"},
    {"browser_fill", "{\"selector\":\"#x\",\"value\":\"v\"}", NO, true,
     "{\"error\":\"Selector '#x' not found.\"}"},
    {"browser_click",
     S,
     {0, NULL, "{\"url\":\"https://a.test/next\",\"element\":\"link\"}", NULL, NULL},
     false,
     "{\"clicked\":true,\"selector\":\"#x\",\"current_url\":\"https://a.test/next\"}"},
    {"browser_click",
     S,
     {0, NULL, "{\"url\":\"https://a.test/\",\"unclicked\":{\"removed\":true}}", NULL, NULL},
     false,
     "{\"clicked\":false,\"selector\":\"#x\",\"current_url\":\"https://a.test/\"}"},
    {"browser_click",
     S,
     {0, NULL, "{\"url\":\"u\",\"dialog\":{\"type\":\"alert\",\"message\":\"Paid!\"}}", NULL, NULL},
     false,
     "{\"dialog\":{\"type\":\"alert\",\"message\":\"Paid!\",\"hint\":\"The next call dismisses the "
     "dialog.\"},\"clicked\":true,\"selector\":\"#x\",\"current_url\":\"u\"}"},
    {"browser_click",
     S,
     {0, NULL, "{\"url\":\"u\",\"navigated\":true,\"status\":401}", NULL, NULL},
     false,
     "{\"clicked\":true,\"selector\":\"#x\",\"current_url\":\"u\",\"status_code\":401}"},
    {"browser_extract",
     S,
     {0, NULL,
      "{\"count\":1,\"dialogs_answered\":[{\"type\":\"alert\",\"message\":\"Paid!\",\"accepted\":"
      "false}]}",
      "[\"a\"]", NULL},
     false,
     "{\"dialogs_dismissed\":[{\"type\":\"alert\",\"message\":\"Paid!\"}],\"count\":1,\"selector\":"
     "\"#x\",\"results\":[\"a\"]}"},
    {"browser_navigate",
     "{\"url\":\"u\"}",
     {0, NULL,
      "{\"url\":\"u\",\"dialogs_answered\":[{\"type\":\"alert\",\"message\":\"Stay\"}],\"dialogs_more\":"
      "7}",
      NULL, NULL},
     false,
     "{\"dialogs_dismissed\":[{\"type\":\"alert\",\"message\":\"Stay\"}],\"dialogs_dismissed_more\":7,"
     "\"url\":\"u\",\"title\":\"\",\"status_code\":0,\"ok\":false}"},
    {"browser_click",
     S,
     {TB_E_DIALOG_OPEN, "the page shows a dialog (alert): \"Paid!\"", NULL, NULL, NULL},
     true,
     "{\"error\":\"dialog_open\",\"message\":\"the page shows a dialog (alert): \\\"Paid!\\\"\",\"hint\":"
     "\"The next call dismisses the dialog; then do what remains.\"}"},
    {"browser_screenshot",
     "{}",
     {0, NULL, "{\"width\":1280,\"height\":720,\"bytes\":3}", NULL, "QUJD"},
     false,
     "{\"format\":\"png\",\"width_px\":1280,\"height_px\":720,\"size_bytes\":3,\"base64\":\"QUJD\"}"},
    {"browser_screenshot", S, NO, true, "{\"error\":\"Selector '#x' not found.\"}"},
    {"browser_wait",
     S,
     {0, NULL, "{\"waited_ms\":5}", NULL, NULL},
     false,
     "{\"found\":true,\"selector\":\"#x\",\"state\":\"visible\"}"},
    {"browser_wait",
     "{\"selector\":\"#x\",\"state\":\"hidden\"}",
     {TB_E_TIMEOUT, "still there", NULL, NULL, NULL},
     true,
     "{\"error\":\"Selector '#x' not found.\"}"},
    {"browser_click",
     S,
     {TB_E_SESSION_NOT_FOUND, "No session: none active", NULL, NULL, NULL},
     true,
     "{\"error\":\"not_found\",\"message\":\"There is no browser session for this conversation. Navigate "
     "must come first.\",\"hint\":\"Call browser_navigate, then try again.\"}"},
    {"browser_navigate",
     "{\"url\":\"https://a.test\"}",
     {TB_E_LIMIT, "all 50 sessions are in use", NULL, NULL, NULL},
     true,
     "{\"error\":\"limit_reached\",\"message\":\"all 50 sessions are in use\",\"hint\":\"Wait until a "
     "session or tab is closed, then try again.\"}"},
    {"browser_click",
     S,
     {TB_E_ELEMENT_STALE, "ref e1 does not belong to the current page", NULL, NULL, NULL},
     true,
     "{\"error\":\"element_stale\",\"message\":\"ref e1 does not belong to the current page\",\"hint\":"
     "\"Look at the page and use a selector that matches an element of it.\"}"},
};

static void results_have_the_documented_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(samples); i++) {
        char *words =
            said(samples[i].tool, samples[i].args, &samples[i].outcome, samples[i].is_error);
        if (strcmp(words, samples[i].words) != 0) {
            fail_msg("%s says\n%s\nnot\n%s", samples[i].tool, words, samples[i].words);
        }
        tb_free(words);
    }
}

static void there_are_six_tools_and_two_other_names(void **state)
{
    static const char *const names[] = {"browser_navigate", "browser_extract",    "browser_fill",
                                        "browser_click",    "browser_screenshot", "browser_wait"};
    (void)state;
    const struct tb_face *row = tb_toolset_octopus.faces;
    for (size_t i = 0; i < TB_COUNT(names); i++, row++) {
        assert_string_equal(row->name, names[i]);
    }
    assert_null(row->name);
    assert_ptr_equal(face("browser_type"), face("browser_fill"));
    assert_ptr_equal(face("browser_get_text"), face("browser_extract"));
    assert_null(tb_face_find(&tb_toolset_octopus, TB_STR("browser_evaluate")));
}

static void the_arguments_are_the_documented_ones(void **state)
{
    static const char *const wanted[] = {
        "url* wait_until=load timeout_ms=30000",
        "selector* format=text limit=10 wait_for_selector=false",
        "selector* value* clear_first=true delay_ms=0",
        "selector* button=left wait_for_navigation=false",
        "selector full_page=false quality=80 format=png",
        "selector* state=visible timeout_ms=30000",
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(wanted); i++) {
        char text[200] = "";
        for (const struct tb_param *row = tb_toolset_octopus.faces[i].params; row->name; row++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof(text) - used, "%s%s%s%s%s", used ? " " : "", row->name,
                     row->required ? "*" : "", row->fallback ? "=" : "",
                     row->fallback ? row->fallback : "");
        }
        assert_string_equal(text, wanted[i]);
    }
}

static void arguments_become_those_of_the_tool(void **state)
{
    static const struct {
        const char *tool;
        const char *args;
        const char *mapped;
    } rows[] = {
        {"browser_navigate", "{\"url\":\"u\",\"waitUntil\":\"networkidle\"}",
         "{\"url\":\"u\",\"wait_until\":\"networkidle\"}"},
        {"browser_navigate", "{\"url\":\"u\",\"wait_until\":\"later\"}",
         "{\"url\":\"u\",\"wait_until\":\"load\"}"},
        {"browser_extract", "{\"selector\":\"//a\",\"wait_for_selector\":true,\"limit\":3}",
         "{\"limit\":3,\"target\":\"//a\",\"wait\":true,\"max_chars\":100000}"},
        {"browser_type", "{\"selector\":\"a\",\"text\":\"\"}", "{\"value\":\"\",\"target\":\"a\"}"},
        {"browser_fill", "{\"selector\":\"a\",\"value\":\"v\",\"delay_ms\":5}",
         "{\"value\":\"v\",\"delay_ms\":5,\"target\":\"a\"}"},
        {"browser_click", "{\"selector\":\"a\",\"wait_for_navigation\":\"true\"}",
         "{\"wait_for_navigation\":true,\"target\":\"a\"}"},
        {"browser_screenshot", "{}", "{\"format\":\"png\",\"max_px\":0}"},
        {"browser_screenshot", "{\"selector\":\"a\",\"format\":\"jpeg\",\"quality\":50}",
         "{\"format\":\"jpeg\",\"quality\":50,\"target\":\"a\",\"max_px\":0}"},
        {"browser_wait", "{\"selector\":\"a\",\"state\":\"attached\",\"timeout_ms\":9}",
         "{\"state\":\"attached\",\"timeout_ms\":9,\"target\":\"a\"}"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct cJSON *given = tb_json_parse(tb_str_of(rows[i].args));
        struct cJSON *checked = NULL;
        struct tb_err err;
        struct tb_buf text;
        assert_int_equal(tb_args_check(face(rows[i].tool)->params, given, &checked, &err), 0);
        struct cJSON *mapped = face(rows[i].tool)->map_args(checked);
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

static void an_empty_address_is_refused_by_its_name(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(TB_STR("{\"url\":\"\"}"));
    struct cJSON *checked = NULL;
    struct tb_err err;
    assert_int_equal(tb_args_check(face("browser_navigate")->params, given, &checked, &err),
                     TB_E_PARAMS);
    assert_string_equal(err.text, "argument 'url' is empty");
}

static void a_long_result_is_cut_at_2000_tokens(void **state)
{
    struct tb_buf text;
    (void)state;
    tb_buf_init(&text, TB_MIB);
    tb_buf_append_cstr(&text, "[\"");
    for (int i = 0; i < 8000; i++) {
        tb_buf_append_cstr(&text, "é");
    }
    tb_buf_append(&text, "\"]", 3);
    const struct said_result outcome = {0, NULL, "{\"count\":1}", (const char *)text.data, NULL};
    char *words = said("browser_extract", S, &outcome, false);
    char *mark = strstr(words, "\n[... result truncated - ");
    /* {"count":1,"selector":"#x","results":["..."]} has 41 characters besides the 8000. */
    assert_non_null(mark);
    assert_string_equal(mark, "\n[... result truncated - 11 tokens omitted ...]");
    size_t head = strlen("{\"count\":1,\"selector\":\"#x\",\"results\":[\"");
    assert_int_equal(mark - words, head + (8000 - head) * strlen("é"));
    tb_free(words);
    tb_buf_fini(&text);
}

static void a_dialog_is_told_also_where_the_result_is_cut(void **state)
{
    (void)state;
    char *text = tb_zalloc(9001);
    memset(text, ' ', 9000);
    text[0] = '[';
    text[8999] = ']';
    const struct said_result outcome = {
        0, NULL, "{\"dialogs_answered\":[{\"type\":\"confirm\",\"message\":\"Pay?\"}]}", text,
        NULL};
    char *words = said("browser_extract", S, &outcome, false);
    assert_non_null(strstr(words, "result truncated"));
    assert_non_null(strstr(words, "\"message\":\"Pay?\""));
    tb_free(words);
    tb_free(text);
}

static void a_picture_is_whole_or_an_error(void **state)
{
    (void)state;
    char *image = tb_zalloc(PICTURE_MAX + 2);
    memset(image, 'A', PICTURE_MAX);
    const struct said_result whole = {0, NULL, "{}", NULL, image};
    char *words = said("browser_screenshot", "{}", &whole, false);
    assert_int_equal(strlen(words),
                     PICTURE_MAX + strlen("{\"format\":\"png\",\"width_px\":0,\"height_px\":0,"
                                          "\"size_bytes\":0,\"base64\":\"\"}"));
    tb_free(words);
    image[PICTURE_MAX] = 'A';
    words = said("browser_screenshot", "{}", &whole, true);
    assert_true(tb_str_starts(tb_str_of(words), TB_STR("{\"error\":\"too_large\",")));
    tb_free(words);
    tb_free(image);
}

/* S0-01, S0-02: only browser_navigate makes the conversation's session. */
static void navigate_must_come_first(void **state)
{
    struct rig *rig = *state;
    for (const struct tb_face *row = tb_toolset_octopus.faces + 1; row->name; row++) {
        const char *args = row->tool == &tb_tool_browser_screenshot ? "{}"
                           : row->tool == &tb_tool_browser_fill
                               ? "{\"target\":\"a\",\"value\":\"\"}"
                               : "{\"target\":\"a\"}";
        assert_int_equal(rig_run(rig, row->tool, "talk", args), TB_E_SESSION_NOT_FOUND);
    }
    assert_int_equal(rig_run(rig, &tb_tool_browser_navigate, "talk", "{\"url\":\"u\"}"), 0);
    assert_int_equal(rig_run(rig, &tb_tool_browser_click, "talk", "{\"target\":\"a\"}"), 0);
    assert_int_equal(rig->fake->counts.opened, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_the_documented_form),
        cmocka_unit_test(there_are_six_tools_and_two_other_names),
        cmocka_unit_test(the_arguments_are_the_documented_ones),
        cmocka_unit_test(arguments_become_those_of_the_tool),
        cmocka_unit_test(an_empty_address_is_refused_by_its_name),
        cmocka_unit_test(a_long_result_is_cut_at_2000_tokens),
        cmocka_unit_test(a_dialog_is_told_also_where_the_result_is_cut),
        cmocka_unit_test(a_picture_is_whole_or_an_error),
        cmocka_unit_test_setup_teardown(navigate_must_come_first, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
