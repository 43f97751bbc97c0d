/* SPDX-License-Identifier: Apache-2.0 */
#include "core/toolbox.h"

#include <string.h>

#include "base/mem.h"
#include "core/view.h"

#include "support/core_rig.h"
#include "support/principals.h"

static const struct tb_config_list no_groups = {NULL, 0};

static struct tb_view *view_of(struct rig *rig, const char *toolset, const char *groups)
{
    struct tb_view *view = NULL;
    assert_int_equal(tb_view_make(&rig->core.toolbox, tb_str_of(toolset), tb_str_of(groups),
                                  &no_groups, &view, NULL),
                     0);
    return view;
}

static int find(struct rig *rig, struct tb_view *view, const char *name, struct tb_entry *ret_entry)
{
    const struct tb_caller caller = {.who = &principal_t, .conversation = "", .view = view};
    return tb_toolbox_find(&rig->core, &caller, tb_str_of(name), ret_entry, NULL);
}

static void there_is_one_view_for_each_choice(void **state)
{
    struct rig *rig = *state;
    struct tb_view *first = view_of(rig, "", "pdf,files");
    struct tb_view *again = view_of(rig, "default", " files , pdf ");
    struct tb_view *other = view_of(rig, "", "pdf");
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, other);
    assert_int_equal(first->refs, 2);
    tb_view_unref(first, "test");
    tb_view_unref(again, "test");
    tb_view_unref(other, "test");
    assert_true(tb_list_empty(&rig->core.toolbox.views));
}

static void a_caller_finds_what_it_was_given(void **state)
{
    struct rig *rig = *state;
    struct tb_entry entry;
    struct tb_view *plain = view_of(rig, "", "");
    struct tb_view *more = view_of(rig, "", "pdf");
    struct tb_view *octopus = view_of(rig, "octopus", "");
    assert_int_equal(find(rig, plain, "browser_pdf", &entry), TB_E_UNKNOWN_TOOL);
    assert_int_equal(find(rig, more, "browser_pdf", &entry), 0);
    assert_string_equal(entry.tool->name, "browser_pdf");
    assert_null(entry.face);
    assert_int_equal(find(rig, NULL, "browser_pdf", &entry), 0);
    assert_int_equal(find(rig, octopus, "start_session", &entry), TB_E_UNKNOWN_TOOL);
    assert_int_equal(find(rig, octopus, octopus->toolset->faces->name, &entry), 0);
    assert_ptr_equal(entry.face, octopus->toolset->faces);
    tb_view_unref(plain, "test");
    tb_view_unref(more, "test");
    tb_view_unref(octopus, "test");
}

static void groups_of_the_configuration_are_always_there(void **state)
{
    struct rig *rig = *state;
    char *items[] = {(char *)(uintptr_t) "pdf"};
    const struct tb_config_list always = {items, 1};
    struct tb_entry entry;
    struct tb_view *view = NULL;
    assert_int_equal(tb_view_make(&rig->core.toolbox, TB_STR(""), TB_STR(""), &always, &view, NULL),
                     0);
    assert_int_equal(find(rig, view, "browser_pdf", &entry), 0);
    tb_view_unref(view, "test");
}

static void what_does_not_exist_is_told_what_does(void **state)
{
    struct rig *rig = *state;
    struct tb_view *view = NULL;
    struct tb_err err;
    assert_int_equal(
        tb_view_make(&rig->core.toolbox, TB_STR("nope"), TB_STR(""), &no_groups, &view, &err),
        TB_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "octopus"));
    assert_int_equal(
        tb_view_make(&rig->core.toolbox, TB_STR(""), TB_STR("pdf,nope"), &no_groups, &view, &err),
        TB_E_PARAMS);
    assert_non_null(strstr(err.text, "emulate"));
}

static void operations_lead_to_their_tool(void **state)
{
    const struct tb_kit *kit = ((struct rig *)*state)->core.toolbox.kit;
    assert_string_equal(tb_tool_by_op(kit, TB_OP_SCREENSHOT)->name, "browser_screenshot");
    assert_string_equal(tb_tool_by_op(kit, TB_OP_DOWNLOADS)->name, "browser_downloads");
    assert_null(tb_tool_by_op(kit, TB_OP_NONE)); /* those that run have no operation of their own */
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(there_is_one_view_for_each_choice),
        RIG_TEST(a_caller_finds_what_it_was_given),
        RIG_TEST(groups_of_the_configuration_are_always_there),
        RIG_TEST(what_does_not_exist_is_told_what_does),
        RIG_TEST(operations_lead_to_their_tool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
