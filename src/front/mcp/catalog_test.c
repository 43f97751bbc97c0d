/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "core/limits.h"
#include "core/principal.h"
#include "tool/tools.h"

enum {
    DEFAULT_LIST_MAX = 14 * TB_KIB,
};

static const struct tb_mcp_provider *const providers[] = {&tb_mcp_product, NULL};
static const struct tb_config_list no_groups = {NULL, 0};

struct shop {
    struct tb_core core;
    struct tb_mcp_catalog catalog;
};

static int set_up(void **state)
{
    struct shop *shop = TB_NEW(struct shop);
    tb_views_init(&shop->core.views, &tb_kit);
    tb_mcp_catalog_init(&shop->catalog, providers);
    *state = shop;
    return 0;
}

static int tear_down(void **state)
{
    struct shop *shop = *state;
    tb_mcp_catalog_fini(&shop->catalog);
    assert_true(tb_list_empty(&shop->core.views.in_use));
    tb_free(shop);
    return 0;
}

static struct tb_principal anyone = {.scopes = TB_SCOPES_ALL};

/* Borrowed from the list that is kept of it. */
static struct tb_str list_of(struct shop *shop, const char *toolset, const char *groups)
{
    struct tb_view *view = NULL;
    assert_int_equal(tb_view_make(&shop->core.views, tb_str_of(toolset), tb_str_of(groups),
                                  &no_groups, &view, NULL),
                     0);
    struct tb_str list = tb_mcp_catalog_list(
        &shop->catalog, &shop->core, &(const struct tb_caller){.who = &anyone, .view = view});
    tb_view_unref(view, "test");
    return list;
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
    struct tb_str list = list_of(*state, "", "");
    assert_in_range(list.len, 1, DEFAULT_LIST_MAX);
    assert_in_range(tool_count(list), 15, 25);
}

static void the_same_choice_gives_the_same_bytes(void **state)
{
    struct tb_str first = list_of(*state, "default", "pdf,files");
    assert_ptr_equal(list_of(*state, "", " files , pdf ").ptr, first.ptr);
}

/* Clients keep the lists in their prompt caches: a change of one byte must be meant. Whoever
 * changes the words of a tool writes the new sum here. */
static void the_lists_are_those_that_clients_know(void **state)
{
    static const struct {
        const char *toolset;
        const char *groups;
        const char *sum;
    } rows[] = {
        {"", "", "0fa31003727fcc6d9b6deaa257b2a911fca30d14998667ea42be7eb54dd6c424"},
        {"", "all", "f293b22c5093f3c7d200c5f1c0147a37f5d8454e04b0ed98aa63d53515b7a34b"},
        {"octopus", "", "9379b4a3551a696cd1553dd45409dde25a246dc9ab5336ef296d6bffa523ca60"},
        {"wdio", "", "4beb5d2f53c7500d3855097698086ea1a1cd948ec2fb04ba505a41eae4f95c56"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char sum[TB_HMAC_SIZE];
        tb_hmac_sha256(TB_STR("tools"), list_of(*state, rows[i].toolset, rows[i].groups), sum);
        assert_string_equal(sum, rows[i].sum);
    }
}

static void every_tool_has_a_description_a_schema_and_all_four_hints(void **state)
{
    static const char *const hints[] = {"readOnlyHint", "destructiveHint", "idempotentHint",
                                        "openWorldHint"};
    static const char *const toolsets[] = {"default", "octopus", "wdio"};
    for (size_t t = 0; t < TB_COUNT(toolsets); t++) {
        TB_AUTO(tb_json_free)
        struct cJSON *list = tb_json_parse(list_of(*state, toolsets[t], "all"));
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
        TB_AUTO(tb_json_free)
        struct cJSON *list = tb_json_parse(list_of(*state, toolsets[t], "all"));
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
    TB_AUTO(tb_json_free) struct cJSON *list = tb_json_parse(list_of(*state, "", ""));
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

static void groups_add_tools(void **state)
{
    assert_true(tool_count(list_of(*state, "", "pdf")) > tool_count(list_of(*state, "", "")));
    assert_int_equal(tool_count(list_of(*state, "octopus", "")), 6);
}

static void printed_lists_have_a_ceiling(void **state)
{
    static const char *const groups[] = {"files", "debug", "state", "emulate", "pointer", "pdf"};
    struct shop *shop = *state;
    for (unsigned bits = 0; bits < 1U << TB_COUNT(groups); bits++) {
        char chosen[64] = "";
        for (size_t i = 0; i < TB_COUNT(groups); i++) {
            size_t used = strlen(chosen);
            snprintf(chosen + used, sizeof(chosen) - used, "%s,", bits >> i & 1 ? groups[i] : "");
        }
        list_of(shop, "", chosen);
    }
    assert_int_equal(shop->catalog.list_count, TB_MCP_LISTS);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(the_default_list_is_small),
        WITH(the_same_choice_gives_the_same_bytes),
        WITH(the_lists_are_those_that_clients_know),
        WITH(every_tool_has_a_description_a_schema_and_all_four_hints),
        WITH(every_schema_can_be_made_strict),
        WITH(steps_of_a_sequence_are_objects_with_the_common_members),
        WITH(groups_add_tools),
        WITH(printed_lists_have_a_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
