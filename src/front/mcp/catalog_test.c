/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/limits.h"
#include "tool/tools.h"

enum {
    DEFAULT_LIST_MAX = 14 * TB_KIB,
};

static const struct tb_mcp_provider *const providers[] = {&tb_mcp_product, NULL};
static const struct tb_config_list no_groups = {NULL, 0};

static int set_up(void **state)
{
    *state = TB_NEW(struct tb_mcp_catalog);
    tb_mcp_catalog_init(*state, providers);
    return 0;
}

static int tear_down(void **state)
{
    tb_mcp_catalog_fini(*state);
    tb_free(*state);
    return 0;
}

static struct tb_view view_of(const char *toolset, const char *groups)
{
    struct tb_view view;
    assert_int_equal(
        tb_mcp_view_parse(tb_str_of(toolset), tb_str_of(groups), &no_groups, &view, NULL), 0);
    return view;
}

static size_t tool_count(struct tb_str list)
{
    TB_AUTO(tb_json_free) struct cJSON *tree = tb_json_parse(list);
    size_t count = 0;
    assert_true(tb_json_is_array(tree));
    JSON_ARRAY_FOREACH(tool, tree) {
        count++;
        (void)tool;
    }
    return count;
}

static void the_default_list_is_small(void **state)
{
    const struct tb_view view = view_of("", "");
    struct tb_str list = tb_mcp_catalog_list(*state, &view);
    assert_in_range(list.len, 1, DEFAULT_LIST_MAX);
    assert_in_range(tool_count(list), 15, 25);
}

static void the_same_choice_gives_the_same_bytes(void **state)
{
    struct tb_mcp_catalog other;
    const struct tb_view view = view_of("default", "pdf,files");
    const struct tb_view again = view_of("", " files , pdf ");
    tb_mcp_catalog_init(&other, providers);
    struct tb_str first = tb_mcp_catalog_list(*state, &view);
    assert_ptr_equal(tb_mcp_catalog_list(*state, &again).ptr, first.ptr);
    assert_true(tb_str_eq(tb_mcp_catalog_list(&other, &again), first));
    tb_mcp_catalog_fini(&other);
}

static void every_tool_has_a_description_a_schema_and_all_four_hints(void **state)
{
    static const char *const hints[] = {"readOnlyHint", "destructiveHint", "idempotentHint",
                                        "openWorldHint"};
    static const char *const toolsets[] = {"default", "octopus", "wdio"};
    for (size_t t = 0; t < TB_COUNT(toolsets); t++) {
        const struct tb_view view = view_of(toolsets[t], "all");
        TB_AUTO(tb_json_free)
        struct cJSON *list = tb_json_parse(tb_mcp_catalog_list(*state, &view));
        JSON_ARRAY_FOREACH(tool, list) {
            struct tb_str text;
            bool flag;
            assert_true(tb_json_str(tb_json_get(tool, "name"), &text) && text.len <= 45);
            assert_true(tb_json_str(tb_json_get(tool, "description"), &text) && text.len > 0 &&
                        text.len < 2048);
            assert_true(tb_json_str(tb_json_get(tb_json_get(tool, "inputSchema"), "type"), &text));
            assert_true(tb_str_eq_cstr(text, "object"));
            for (size_t i = 0; i < TB_COUNT(hints); i++) {
                assert_true(
                    tb_json_bool(tb_json_get(tb_json_get(tool, "annotations"), hints[i]), &flag));
            }
        }
    }
}

static bool is_text(const struct cJSON *value, const char *wanted)
{
    struct tb_str text;
    return tb_json_str(value, &text) && tb_str_eq_cstr(text, wanted);
}

/* Others, as allOf, not, if and patternProperties, are refused. */
static void check_keywords(const char *tool, const char *member, const struct cJSON *schema)
{
    static const char *const keywords[] = {
        "type", "properties", "required", "additionalProperties", "items", "description", "default",
        "enum", "minimum",    "maximum"};
    JSON_ARRAY_FOREACH(keyword, schema) {
        bool known = false;
        for (size_t i = 0; i < TB_COUNT(keywords); i++) {
            known = known || strcmp(tb_json_name(keyword), keywords[i]) == 0;
        }
        if (!known) {
            fail_msg("%s: %s has %s", tool, member, tb_json_name(keyword));
        }
    }
}

/* What OpenAI's strict mode can convert: it closes every object over the members that are named and
 * wants a type everywhere. One argument takes anything, as it does where the toolset comes from. */
static void check_strict(const char *tool, const char *member, const struct cJSON *schema)
{
    const struct cJSON *type = tb_json_get(schema, "type");
    const struct cJSON *open = tb_json_get(schema, "additionalProperties");
    const struct cJSON *properties = tb_json_get(schema, "properties");
    const struct cJSON *items = tb_json_get(schema, "items");
    bool is_open = true;
    bool anything = strcmp(tool, "execute_script") == 0 && strcmp(member, "args") == 0;
    check_keywords(tool, member, schema);
    if ((!type && !anything) || is_text(type, "object") != tb_json_is_object(properties) ||
        is_text(type, "array") != tb_json_is_object(items) ||
        (open && (!tb_json_bool(open, &is_open) || is_open))) {
        fail_msg("%s: %s cannot be made strict", tool, member);
    }
    JSON_ARRAY_FOREACH(property, properties) {
        check_strict(tool, tb_json_name(property), property);
    }
    if (items) {
        check_strict(tool, member, items);
    }
}

static void every_schema_can_be_made_strict(void **state)
{
    static const char *const toolsets[] = {"default", "octopus", "wdio"};
    for (size_t t = 0; t < TB_COUNT(toolsets); t++) {
        const struct tb_view view = view_of(toolsets[t], "all");
        TB_AUTO(tb_json_free)
        struct cJSON *list = tb_json_parse(tb_mcp_catalog_list(*state, &view));
        JSON_ARRAY_FOREACH(tool, list) {
            struct tb_str name;
            char copy[64];
            assert_true(tb_json_str(tb_json_get(tool, "name"), &name));
            snprintf(copy, sizeof(copy), "%.*s", TB_STR_ARG(name));
            check_strict(copy, "", tb_json_get(tool, "inputSchema"));
        }
    }
}

static const struct cJSON *inside(const struct cJSON *value, const char *first, const char *second)
{
    return tb_json_get(tb_json_get(value, first), second);
}

/* A strict client can only send members that are named. */
static void steps_of_a_sequence_are_objects_with_the_common_members(void **state)
{
    static const char *const members[] = {"action", "target", "value", "url", "key"};
    const struct tb_view view = view_of("", "");
    TB_AUTO(tb_json_free) struct cJSON *list = tb_json_parse(tb_mcp_catalog_list(*state, &view));
    const struct cJSON *items = NULL;
    JSON_ARRAY_FOREACH(tool, list) {
        if (is_text(tb_json_get(tool, "name"), "execute_sequence")) {
            const struct cJSON *actions =
                inside(tb_json_get(tool, "inputSchema"), "properties", "actions");
            items = tb_json_get(actions, "items");
        }
    }
    assert_true(is_text(tb_json_get(items, "type"), "object"));
    for (size_t i = 0; i < TB_COUNT(members); i++) {
        assert_true(
            is_text(tb_json_get(inside(items, "properties", members[i]), "type"), "string"));
    }
}

static void groups_add_tools_and_can_be_found(void **state)
{
    struct tb_mcp_entry entry;
    const struct tb_view plain = view_of("", "");
    const struct tb_view more = view_of("", "pdf");
    assert_true(tool_count(tb_mcp_catalog_list(*state, &more)) >
                tool_count(tb_mcp_catalog_list(*state, &plain)));
    assert_false(tb_mcp_catalog_find(*state, &plain, TB_STR("browser_pdf"), &entry));
    assert_true(tb_mcp_catalog_find(*state, &more, TB_STR("browser_pdf"), &entry));
    assert_non_null(entry.tool);
    assert_null(entry.face);
}

static void groups_of_the_configuration_are_always_there(void **state)
{
    char *items[] = {(char *)(uintptr_t) "pdf"};
    const struct tb_config_list always = {items, 1};
    struct tb_view view;
    struct tb_mcp_entry entry;
    assert_int_equal(tb_mcp_view_parse(TB_STR(""), TB_STR(""), &always, &view, NULL), 0);
    assert_true(tb_mcp_catalog_find(*state, &view, TB_STR("browser_pdf"), &entry));
}

static void a_toolset_shows_its_own_names_only(void **state)
{
    struct tb_mcp_entry entry;
    const struct tb_view view = view_of("octopus", "");
    assert_int_equal(tool_count(tb_mcp_catalog_list(*state, &view)), 6);
    assert_false(tb_mcp_catalog_find(*state, &view, TB_STR("start_session"), &entry));
    TB_AUTO(tb_json_free) struct cJSON *list = tb_json_parse(tb_mcp_catalog_list(*state, &view));
    struct tb_str name;
    assert_true(tb_json_str(tb_json_get(tb_json_first(list), "name"), &name));
    assert_true(tb_mcp_catalog_find(*state, &view, name, &entry));
    assert_non_null(entry.face);
}

static void what_does_not_exist_is_told_what_does(void **state)
{
    struct tb_view view;
    struct tb_err err;
    (void)state;
    assert_int_equal(tb_mcp_view_parse(TB_STR("nope"), TB_STR(""), &no_groups, &view, &err),
                     TB_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "octopus"));
    assert_int_equal(tb_mcp_view_parse(TB_STR(""), TB_STR("pdf,nope"), &no_groups, &view, &err),
                     TB_E_PARAMS);
    assert_non_null(strstr(err.text, "emulate"));
}

static void printed_lists_have_a_ceiling(void **state)
{
    const struct tb_mcp_catalog *catalog = *state;
    struct tb_view view = view_of("", "");
    for (uint64_t i = 0; i < TB_MCP_LISTS + 5; i++) {
        view.tools = i;
        tb_mcp_catalog_list(*state, &view);
    }
    assert_int_equal(catalog->list_count, TB_MCP_LISTS);
}

static void operations_lead_to_their_tool(void **state)
{
    (void)state;
    assert_non_null(tb_mcp_catalog_by_op(TB_OP_SNAPSHOT));
    assert_int_equal(tb_mcp_catalog_by_op(TB_OP_SCREENSHOT)->op, TB_OP_SCREENSHOT);
    assert_non_null(tb_mcp_catalog_by_op(TB_OP_DOWNLOADS));
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(the_default_list_is_small),
        WITH(the_same_choice_gives_the_same_bytes),
        WITH(every_tool_has_a_description_a_schema_and_all_four_hints),
        WITH(every_schema_can_be_made_strict),
        WITH(steps_of_a_sequence_are_objects_with_the_common_members),
        WITH(groups_add_tools_and_can_be_found),
        WITH(groups_of_the_configuration_are_always_there),
        WITH(a_toolset_shows_its_own_names_only),
        WITH(what_does_not_exist_is_told_what_does),
        WITH(printed_lists_have_a_ceiling),
        WITH(operations_lead_to_their_tool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
