/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/tools.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/json.h"
#include "core/config.h"
#include "core/limits.h"
#include "core/view.h"

#include "support/said.h"

enum {
    LIST_MAX = 14000,    /* bytes of tools/list for the default set */
    NAME_MAX_CHARS = 40, /* clients put a prefix before it and refuse more than 60 */
    DESCRIPTION_MAX = 400,
    HELP_MAX = 120,
    INSTRUCTIONS_MAX = 2048,
};

static void check_params(const char *tool, const struct tb_param *params);

static void check_words(const char *tool, const struct tb_param *row)
{
    if (!row->help || strlen(row->help) > HELP_MAX) {
        fail_msg("%s: help of '%s' is missing or long", tool, row->name);
    }
    if ((row->type == TB_PARAM_CHOICE) != (row->choices != NULL)) {
        fail_msg("%s: '%s' has choices without being one, or the reverse", tool, row->name);
    }
    if (row->fields && row->type != TB_PARAM_OBJECT && row->type != TB_PARAM_OBJECTS) {
        fail_msg("%s: '%s' has fields", tool, row->name);
    }
    if (row->required && row->fallback) {
        fail_msg("%s: '%s' is required and has a default", tool, row->name);
    }
}

/* The default that agents are shown must be one that the checks take. */
static void check_fallback(const char *tool, const struct tb_param *row)
{
    if (!row->fallback) {
        return;
    }
    struct cJSON *given = tb_json_new_object();
    struct cJSON *args = NULL;
    struct tb_param alone[] = {*row, {.name = NULL}};
    struct tb_err err;
    tb_json_set_cstr(given, row->name, row->fallback);
    if (tb_args_check(alone, given, &args, &err) < 0) {
        fail_msg("%s: the default of '%s' is refused: %s", tool, row->name, err.text);
    }
    tb_json_free(args);
    tb_json_free(given);
}

/* No name or alias may stand for two arguments. */
static void check_unique(const char *tool, const struct tb_param *params, const char *name)
{
    int found = 0;
    for (const struct tb_param *row = params; row->name; row++) {
        found += strcmp(row->name, name) == 0;
        for (const char *const *alias = row->aliases; alias && *alias; alias++) {
            found += strcmp(*alias, name) == 0;
        }
    }
    if (found != 1) {
        fail_msg("%s: '%s' stands for %d arguments", tool, name, found);
    }
}

static void check_params(const char *tool, const struct tb_param *params)
{
    for (const struct tb_param *row = params; row && row->name; row++) {
        check_words(tool, row);
        check_fallback(tool, row);
        check_unique(tool, params, row->name);
        for (const char *const *alias = row->aliases; alias && *alias; alias++) {
            check_unique(tool, params, *alias);
        }
        check_params(tool, row->fields);
    }
}

static void check_name(const char *name)
{
    size_t len = strlen(name);
    if (len == 0 || len > NAME_MAX_CHARS || strspn(name, "abcdefghijklmnopqrstuvwxyz_") != len) {
        fail_msg("'%s' is no good name", name);
    }
}

static void every_tool_has_a_sound_table(void **state)
{
    (void)state;
    for (const struct tb_tool *const *at = tb_kit.tools; *at; at++) {
        const struct tb_tool *tool = *at;
        struct tb_param params[TB_TOOL_PARAMS_MAX];
        check_name(tool->name);
        assert_ptr_equal(tb_tool_find(&tb_kit, tb_str_of(tool->name)), tool);
        assert_true(tool->title && tool->title[0]);
        assert_in_range(strlen(tool->description), 10, DESCRIPTION_MAX);
        /* An operation of a driver, or a function of its own. */
        assert_true((tool->op < TB_OP_COUNT) != (tool->run != NULL));
        assert_true(tool->op >= TB_OP_COUNT || tool->print);
        tb_tool_params(tool, params);
        check_params(tool->name, params);
    }
}

static void every_face_has_a_sound_table(void **state)
{
    (void)state;
    for (const struct tb_toolset *const *set = tb_kit.toolsets; *set; set++) {
        for (const struct tb_face *face = (*set)->faces; face && face->name; face++) {
            check_name(face->name);
            assert_ptr_equal(tb_face_find(*set, tb_str_of(face->name)), face);
            for (const char *const *alias = face->aliases; alias && *alias; alias++) {
                assert_ptr_equal(tb_face_find(*set, tb_str_of(*alias)), face);
            }
            check_params(face->name, face->params);
        }
        assert_in_range(strlen((*set)->instructions), 100, INSTRUCTIONS_MAX);
    }
}

/* Something that fits each argument. */
static struct cJSON *some_args(const struct tb_param *params)
{
    struct cJSON *args = tb_json_new_object();
    for (const struct tb_param *row = params; row && row->name; row++) {
        const char *text = row->type == TB_PARAM_TEXT ? "x" : "5";
        text = row->type == TB_PARAM_FLAG ? "true" : text;
        text = row->choices ? row->choices[0] : text;
        text = row->fallback ? row->fallback : text;
        if (row->type == TB_PARAM_ANY || row->type == TB_PARAM_OBJECTS) {
            tb_json_set_take(args, row->name, tb_json_new_array());
        } else {
            tb_json_set_cstr(args, row->name, text);
        }
    }
    return args;
}

static void check_mapping(const struct tb_face *face)
{
    TB_AUTO(tb_json_free) struct cJSON *given = some_args(face->params);
    TB_AUTO(tb_json_free) struct cJSON *checked = NULL;
    TB_AUTO(tb_json_free) struct cJSON *taken = NULL;
    struct tb_param params[TB_TOOL_PARAMS_MAX];
    struct tb_err err;
    if (tb_args_check(face->params, given, &checked, &err) < 0) {
        fail_msg("%s: %s", face->name, err.text);
    }
    TB_AUTO(tb_json_free)
    struct cJSON *mapped = face->map_args ? face->map_args(checked) : tb_json_dup(checked);
    tb_tool_params(face->tool, params);
    if (tb_args_check(params, mapped, &taken, &err) < 0) {
        fail_msg("%s maps to what %s refuses: %s", face->name, face->tool->name, err.text);
    }
}

/* What a face hands on must be what its tool takes. */
static void what_a_face_maps_passes_the_checks_of_its_tool(void **state)
{
    (void)state;
    for (const struct tb_toolset *const *set = tb_kit.toolsets; *set; set++) {
        for (const struct tb_face *face = (*set)->faces; face && face->name; face++) {
            if (face->params) {
                check_mapping(face);
            }
        }
    }
}

static void the_usual_tools_come_first_and_groups_stand_together(void **state)
{
    (void)state;
    size_t usual = 0;
    const char *last = NULL;
    char seen[200] = "";
    for (const struct tb_tool *const *at = tb_kit.tools; *at; at++) {
        const char *group = (*at)->group;
        if (!group) {
            assert_null(last);
            usual++;
        } else if (!last || strcmp(last, group) != 0) {
            char key[32];
            snprintf(key, sizeof(key), " %s ", group);
            assert_null(strstr(seen, key));
            snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s", key);
        }
        last = group;
    }
    assert_int_equal(usual, 21);
    assert_string_equal(seen, " files  debug  state  emulate  pointer  pdf  elements ");
}

static void the_groups_of_the_tools_are_those_of_the_setting(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf groups = TB_BUF(TB_KIB);
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    const char *last = NULL;
    (void)state;
    for (const struct tb_tool *const *at = tb_kit.tools; *at; at++) {
        if ((*at)->group && (!last || strcmp(last, (*at)->group) != 0)) {
            tb_buf_printf(&groups, "%s|", (*at)->group);
        }
        last = (*at)->group;
    }
    tb_buf_append_cstr(&groups, "all");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].path, "mcp.groups") == 0) {
            assert_true(tb_str_eq_cstr(tb_buf_str(&groups), keys[i].words));
        }
    }
}

static void a_group_is_wanted_when_it_is_named(void **state)
{
    (void)state;
    assert_true(tb_tool_wanted(&tb_tool_browser_click, TB_STR("")));
    assert_false(tb_tool_wanted(&tb_tool_browser_pdf, TB_STR("")));
    assert_false(tb_tool_wanted(&tb_tool_browser_pdf, TB_STR("files,debug")));
    assert_true(tb_tool_wanted(&tb_tool_browser_pdf, TB_STR("files, pdf")));
    assert_true(tb_tool_wanted(&tb_tool_browser_pdf, TB_STR("all")));
}

/* Agents bring the names of other servers along. */
static void a_name_of_another_server_is_answered_with_ours(void **state)
{
    static const struct {
        const char *name;
        const char *words;
    } rows[] = {
        {"browser_navigate_back", "is unknown here; use browser_navigate with to back"},
        {"browser_tab_new", "is unknown here; use browser_tabs with action new and url"},
        {"puppeteer_select", "is unknown here; use browser_select with target and values"},
        {"list_pages", "is unknown here; use browser_tabs with action list"},
        {"browser_file_upload",
         "is unknown here; use browser_upload with target and paths or content. That tool belongs "
         "to the group files, which is not turned on; connect with ?groups=files on the address "
         "or 'tabard mcp --groups files', or set mcp.groups"},
        {"browser_clik",
         "is unknown (did you mean browser_click?); tools/list names the available ones"},
        {"clik", "is unknown (did you mean browser_click?); tools/list names the available ones"},
        {"mcp__tabard__browser_clik",
         "is unknown (did you mean browser_click?); tools/list names the available ones"},
        {"start_sesion",
         "is unknown (did you mean start_session?); tools/list names the available ones"},
        {"browser_search", "is unknown; tools/list names the available ones"},
        {"browser_xy", "is unknown; tools/list names the available ones"},
        {"browser_get_state", "is unknown here; use browser_snapshot"},
        {"browser_scroll_down", "is unknown here; use browser_scroll with direction down"},
    };
    const struct tb_view *view = said_views()[0];
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_KIB);
        tb_view_print_missing(&tb_kit, view, tb_str_of(rows[i].name), &out);
        if (!tb_str_eq_cstr(tb_buf_str(&out), rows[i].words)) {
            fail_msg("%s %.*s", rows[i].name, TB_STR_ARG(tb_buf_str(&out)));
        }
    }
}

static void a_tool_that_differs_in_its_name_only_is_found_by_it(void **state)
{
    static const struct {
        const char *name;
        const struct tb_tool *tool;
    } rows[] = {
        {"browser_type", &tb_tool_browser_fill},
        {"browser_select_option", &tb_tool_browser_select},
        {"browser_take_screenshot", &tb_tool_browser_screenshot},
        {"browser_press", &tb_tool_browser_press_key},
        {"take_snapshot", &tb_tool_browser_snapshot},
        {"puppeteer_click", &tb_tool_browser_click},
        {"browser_go", &tb_tool_browser_navigate},
        {"wait", &tb_tool_browser_wait},
        {"mcp__tabard__browser_click", &tb_tool_browser_click},
        {"mcp__my_browsers__click", &tb_tool_browser_click},
        {"tabard.browser_click", &tb_tool_browser_click},
        {"tabard_list_sessions", &tb_tool_list_sessions},
        {"mcp__tabard__", NULL},
        {"mcp__tabard", NULL},
        {"tabard", NULL},
        {"browser_drag", NULL}, /* its group is off */
        {"drag", NULL},
        {"browser_tab_new", NULL},
    };
    const struct tb_view *view = said_views()[0];
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const struct tb_tool *tool;
        const struct tb_face *face;
        tb_view_find(view, tb_str_of(rows[i].name), &tool, &face);
        assert_ptr_equal(tool, rows[i].tool);
        assert_null(face);
    }
}

static void a_tool_of_another_toolset_is_answered_with_its_name_here(void **state)
{
    const struct tb_view *wdio = said_views()[3];
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_KIB);
    (void)state;
    tb_view_print_missing(&tb_kit, wdio, TB_STR("browser_click"), &out);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), "is called click_element here"));
    tb_buf_clear(&out);
    tb_view_print_missing(&tb_kit, wdio, TB_STR("browser_hover"), &out);
    assert_true(tb_str_starts(tb_buf_str(&out), TB_STR("is unknown; tools/list")));
}

static void what_describes_a_target_is_passed_over(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free)
    struct cJSON *given = tb_json_parse(TB_STR("{\"element\":\"the button\",\"ref\":\"e1\"}"));
    for (const struct tb_tool *const *at = tb_kit.tools; *at; at++) {
        struct tb_param params[TB_TOOL_PARAMS_MAX];
        struct cJSON *args = NULL;
        struct tb_err err = {0};
        tb_tool_params(*at, params);
        if (tb_args_know(params, TB_STR("target")) &&
            tb_args_check(params, given, &args, &err) < 0 && strstr(err.text, "unknown argument")) {
            fail_msg("%s: %s", (*at)->name, err.text);
        }
        assert_null(tb_json_get(args, "element"));
        tb_json_free(args);
    }
}

static void an_argument_of_another_server_is_answered_with_ours(void **state)
{
    static const struct {
        const struct tb_tool *tool;
        const char *given;
        const char *words;
    } rows[] = {
        {&tb_tool_browser_click, "{\"doubleClick\":true}", "write count: 2 instead"},
        {&tb_tool_browser_click, "{\"dblClick\":true}", "write count: 2 instead"},
        {&tb_tool_browser_wait, "{\"time\":1}", "write time_ms, in milliseconds, instead"},
        {&tb_tool_browser_fill, "{\"slowly\":true}", "write delay_ms: 50 instead"},
        {&tb_tool_browser_dialog, "{\"action\":\"accept\"}",
         "write accept: true, or false to dismiss it, instead"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(tb_str_of(rows[i].given));
        struct cJSON *args = NULL;
        struct tb_err err = {0};
        assert_int_equal(tb_args_check(rows[i].tool->params, given, &args, &err), TB_E_PARAMS);
        assert_non_null(strstr(err.text, rows[i].words));
    }
}

static void a_tab_is_not_selected_without_saying_which(void **state)
{
    static const struct {
        const char *args;
        int code;
    } rows[] = {
        {"{\"action\":\"select\"}", TB_E_PARAMS},
        {"{\"action\":\"select\",\"tab\":0}", 0},
        {"{\"action\":\"select\",\"id\":\"x\"}", 0},
        {"{\"action\":\"close\"}", 0},
        {"{}", 0},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_json_free) struct cJSON *args = tb_json_parse(tb_str_of(rows[i].args));
        struct tb_err err = {0};
        assert_int_equal(tb_tool_browser_tabs.check(NULL, NULL, args, &err), rows[i].code);
    }
}

/* The size of tools/list. */

static void put_tool(struct tb_json_writer *json, const struct tb_tool *tool)
{
    struct tb_param params[TB_TOOL_PARAMS_MAX];
    tb_tool_params(tool, params);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", tool->name);
    tb_json_member_cstr(json, "description", tool->description);
    tb_json_key(json, "inputSchema");
    tb_args_schema(params, json);
    tb_json_key(json, "annotations");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "title", tool->title);
    tb_json_member_bool(json, "readOnlyHint", tool->flags & TB_TOOL_READ_ONLY);
    tb_json_member_bool(json, "destructiveHint", tool->flags & TB_TOOL_DESTRUCTIVE);
    tb_json_member_bool(json, "idempotentHint", tool->flags & TB_TOOL_IDEMPOTENT);
    tb_json_member_bool(json, "openWorldHint", tool->flags & TB_TOOL_OPEN_WORLD);
    tb_json_object_close(json);
    tb_json_object_close(json);
}

static void the_default_list_is_small(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    struct tb_json_writer json;
    (void)state;
    tb_json_writer_init(&json, &text);
    tb_json_array_open(&json);
    for (const struct tb_tool *const *at = tb_kit.tools; *at; at++) {
        if (tb_tool_wanted(*at, TB_STR(""))) {
            put_tool(&json, *at);
        }
    }
    tb_json_array_close(&json);
    assert_int_equal(json.rc, 0);
    print_message("tools/list of the default set: %zu bytes\n", text.len);
    assert_in_range(text.len, 5000, LIST_MAX);
    struct cJSON *parsed = tb_json_parse(tb_buf_str(&text));
    assert_non_null(parsed);
    tb_json_free(parsed);
}

/* Names and words that others rely on. */

static const struct tb_param *param(const struct tb_tool *tool, const char *name)
{
    static const struct tb_param none = {.help = ""};
    for (const struct tb_param *row = tool->params; row && row->name; row++) {
        if (strcmp(row->name, name) == 0) {
            return row;
        }
    }
    return &none;
}

/* S1-17, S1-18, S1-20 */
static void the_session_tools_are_described_as_proposed(void **state)
{
    (void)state;
    assert_string_equal(tb_tool_list_sessions.description,
                        "List all active browser and app sessions");
    assert_null(tb_tool_list_sessions.params);
    assert_string_equal(tb_tool_set_current_session.description,
                        "Set the default session for tools that omit sessionId");
    assert_string_equal(param(&tb_tool_set_current_session, "sessionId")->help,
                        "Session ID to set as current");
    assert_true(param(&tb_tool_set_current_session, "sessionId")->required);
    assert_string_equal(tb_tool_close_all_sessions.description,
                        "Close all active sessions that belong to you"); /* as proposed, and true */
    assert_string_equal(param(&tb_tool_close_all_sessions, "detach")->help,
                        "Detach instead of terminate");
    assert_int_equal(param(&tb_tool_close_all_sessions, "detach")->type, TB_PARAM_FLAG);
}

/* S1-07, S1-40 */
static void every_tool_that_acts_takes_a_session_in_the_same_words(void **state)
{
    (void)state;
    for (const struct tb_tool *const *at = tb_kit.tools; *at; at++) {
        struct tb_param params[TB_TOOL_PARAMS_MAX];
        bool found = false;
        tb_tool_params(*at, params);
        for (const struct tb_param *row = params; row->name; row++) {
            found |= strcmp(row->name, "sessionId") == 0 &&
                     strcmp(row->help, "Target session ID. If omitted, uses current session.") == 0;
        }
        assert_true(found || ((*at)->flags & TB_TOOL_NO_SESSION));
    }
    assert_string_equal(param(&tb_tool_close_session, "sessionId")->help,
                        "Target session ID. If omitted, uses current session.");
}

static void other_names_for_a_target_are_taken(void **state)
{
    static const char *const words[] = {"target", "ref", "uid", "selector", "locator", "xpath"};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(words); i++) {
        struct cJSON *given = tb_json_new_object();
        struct cJSON *args = NULL;
        struct tb_err err;
        tb_json_set_cstr(given, words[i], "e12");
        assert_int_equal(tb_args_check(tb_tool_browser_click.params, given, &args, &err), 0);
        assert_true(tb_str_eq_cstr(tb_args_text(args, "target", ""), "e12"));
        tb_json_free(args);
        tb_json_free(given);
    }
}

/* A client asks its user before a tool that may change something, and who may only look has no
 * other tool. */
static void tools_that_only_look_say_so(void **state)
{
    (void)state;
    for (const struct tb_tool *const *at = tb_kit.tools; *at; at++) {
        unsigned flags = (*at)->flags;
        bool changes =
            (flags & (TB_TOOL_DESTRUCTIVE | TB_TOOL_MAY_CREATE)) || tb_op_acts((*at)->op);
        assert_false((flags & TB_TOOL_READ_ONLY) && changes);
    }
    assert_true(tb_tool_browser_snapshot.flags & TB_TOOL_READ_ONLY);
    assert_true(tb_tool_browser_click.flags & TB_TOOL_DESTRUCTIVE);
    assert_true(tb_tool_browser_navigate.flags & TB_TOOL_MAY_CREATE);
    assert_false(tb_tool_browser_click.flags & TB_TOOL_MAY_CREATE);
}

static void a_toolset_without_a_tool_for_dialogs_dismisses_them(void **state)
{
    (void)state;
    for (const struct tb_toolset *const *set = tb_kit.toolsets; *set; set++) {
        bool answers = !(*set)->faces;
        for (const struct tb_face *face = (*set)->faces; face && face->name; face++) {
            answers = answers || face->tool == &tb_tool_browser_dialog;
        }
        assert_int_equal((*set)->dismisses, !answers);
    }
}

static void advice_names_only_tools_that_the_reader_has(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAID_VIEWS; i++) {
        const struct tb_view *view = said_views()[i];
        for (int row = 0; row < TB_ERR_COUNT; row++) {
            TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_KIB);
            tb_view_hint(view, tb_err_info(-10000 - row)->advice, &out);
            assert_true(out.len > 10);
            tb_buf_append_char(&out, '\0');
            said_names_no_other_tool(view, (const char *)out.data);
        }
    }
}

static void a_hint_has_the_names_of_the_readers_toolset(void **state)
{
    static const struct {
        const char *hint;
        const char *words[SAID_VIEWS];
    } rows[] = {
        {"{browser_snapshot}|none",
         {"browser_snapshot", "browser_snapshot", "none", "get_accessibility_tree"}},
        {"{browser_fill}", {"browser_fill", "browser_fill", "browser_fill", "set_value"}},
        {"{start_session}|none", {"start_session", "start_session", "none", "start_session"}},
        {"{browser_upload}|group {files}|none", {"group files", "browser_upload", "none", "none"}},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        for (size_t j = 0; j < SAID_VIEWS; j++) {
            TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_KIB);
            tb_view_hint(said_views()[j], rows[i].hint, &out);
            tb_buf_append_char(&out, '\0');
            assert_string_equal((const char *)out.data, rows[i].words[j]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tool_has_a_sound_table),
        cmocka_unit_test(every_face_has_a_sound_table),
        cmocka_unit_test(what_a_face_maps_passes_the_checks_of_its_tool),
        cmocka_unit_test(the_usual_tools_come_first_and_groups_stand_together),
        cmocka_unit_test(the_groups_of_the_tools_are_those_of_the_setting),
        cmocka_unit_test(a_group_is_wanted_when_it_is_named),
        cmocka_unit_test(a_name_of_another_server_is_answered_with_ours),
        cmocka_unit_test(a_tool_that_differs_in_its_name_only_is_found_by_it),
        cmocka_unit_test(a_tool_of_another_toolset_is_answered_with_its_name_here),
        cmocka_unit_test(what_describes_a_target_is_passed_over),
        cmocka_unit_test(an_argument_of_another_server_is_answered_with_ours),
        cmocka_unit_test(a_tab_is_not_selected_without_saying_which),
        cmocka_unit_test(the_default_list_is_small),
        cmocka_unit_test(the_session_tools_are_described_as_proposed),
        cmocka_unit_test(every_tool_that_acts_takes_a_session_in_the_same_words),
        cmocka_unit_test(other_names_for_a_target_are_taken),
        cmocka_unit_test(tools_that_only_look_say_so),
        cmocka_unit_test(a_toolset_without_a_tool_for_dialogs_dismisses_them),
        cmocka_unit_test(advice_names_only_tools_that_the_reader_has),
        cmocka_unit_test(a_hint_has_the_names_of_the_readers_toolset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
