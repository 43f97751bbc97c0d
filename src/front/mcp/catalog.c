/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/catalog.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "tool/tools.h"

enum {
    TOOLS_MAX = 64, /* bits of a view */
    NAMES_MAX = 256,
};

struct list {
    struct tb_list link;
    struct tb_view view;
    struct tb_buf text;
};

void tb_mcp_catalog_init(struct tb_mcp_catalog *catalog,
                         const struct tb_mcp_provider *const *providers)
{
    catalog->providers = providers;
    catalog->list_count = 0;
    tb_list_init(&catalog->lists);
}

static void drop_oldest(struct tb_mcp_catalog *catalog)
{
    struct list *list = TB_CONTAINER(tb_list_pop(&catalog->lists), struct list, link);
    catalog->list_count--;
    tb_buf_fini(&list->text);
    tb_free(list);
}

void tb_mcp_catalog_fini(struct tb_mcp_catalog *catalog)
{
    while (catalog->list_count) {
        drop_oldest(catalog);
    }
}

/* Choosing. */

static void add_name(char *names, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, NAMES_MAX - used, "%s%s", used ? ", " : "", name);
}

static bool group_exists(struct tb_str group, char *ret_names)
{
    const char *last = NULL;
    ret_names[0] = '\0';
    for (const struct tb_tool *const *tool = tb_tools(); *tool; tool++) {
        const char *name = (*tool)->group;
        if (!name) {
            continue;
        }
        if (tb_str_eq_cstr(group, name)) {
            return true;
        }
        /* Tools of one group stand together. */
        if (!last || strcmp(last, name) != 0) {
            add_name(ret_names, name);
        }
        last = name;
    }
    add_name(ret_names, "all");
    return tb_str_eq_cstr(group, "all");
}

static int check_groups(struct tb_str groups, struct tb_err *err)
{
    while (groups.ptr) {
        char names[NAMES_MAX];
        struct tb_str group = tb_str_trim(tb_str_cut(&groups, ','));
        if (group.len && !group_exists(group, names)) {
            return tb_fail(err, TB_E_PARAMS, "unknown group '%.*s'; known groups: %s",
                           (int)(group.len < 40 ? group.len : 40), group.ptr, names);
        }
    }
    return 0;
}

static const struct tb_toolset *find_toolset(struct tb_str name, struct tb_err *err)
{
    char names[NAMES_MAX] = "";
    if (!name.len) {
        return tb_toolsets()[0];
    }
    const struct tb_toolset *found = tb_toolset_find(name);
    for (const struct tb_toolset *const *set = tb_toolsets(); *set && !found; set++) {
        add_name(names, (*set)->name);
    }
    if (!found) {
        tb_fail(err, TB_E_NOT_FOUND, "unknown toolset '%.*s'; known toolsets: %s",
                (int)(name.len < 40 ? name.len : 40), name.ptr, names);
    }
    return found;
}

static bool is_wanted(const struct tb_tool *tool, struct tb_str groups,
                      const struct tb_config_list *always)
{
    if (tb_tool_wanted(tool, groups)) {
        return true;
    }
    for (size_t i = 0; i < always->count; i++) {
        if (tb_tool_wanted(tool, tb_str_of(always->items[i]))) {
            return true;
        }
    }
    return false;
}

int tb_mcp_view_parse(struct tb_str toolset, struct tb_str groups,
                      const struct tb_config_list *always, struct tb_view *ret_view,
                      struct tb_err *err)
{
    struct tb_view view = {.toolset = find_toolset(toolset, err)};
    if (!view.toolset) {
        return TB_E_NOT_FOUND;
    }
    int rc = check_groups(groups, err);
    if (rc < 0) {
        return rc;
    }
    const struct tb_tool *const *tools = tb_tools();
    for (size_t i = 0; tools[i] && !view.toolset->faces; i++) {
        assert(i < TOOLS_MAX);
        view.tools |= is_wanted(tools[i], groups, always) ? UINT64_C(1) << i : 0;
    }
    *ret_view = view;
    return 0;
}

/* Finding. */

bool tb_mcp_view_can(const struct tb_view *view, enum tb_op_kind op)
{
    const struct tb_tool *const *tools = tb_tools();
    for (size_t i = 0; tools[i]; i++) {
        if (tools[i]->op == op && (view->tools & UINT64_C(1) << i)) {
            return true;
        }
    }
    return false;
}

static const struct tb_mcp_native *find_native(const struct tb_mcp_catalog *catalog,
                                               struct tb_str name)
{
    for (const struct tb_mcp_provider *const *provider = catalog->providers; *provider;
         provider++) {
        for (const struct tb_mcp_native *row = (*provider)->tools; row && row->name; row++) {
            if (tb_str_eq_cstr(name, row->name)) {
                return row;
            }
        }
    }
    return NULL;
}

bool tb_mcp_catalog_find(const struct tb_mcp_catalog *catalog, const struct tb_view *view,
                         struct tb_str name, struct tb_mcp_entry *ret_entry)
{
    *ret_entry = (struct tb_mcp_entry){.native = find_native(catalog, name)};
    if (ret_entry->native) {
        return true;
    }
    return tb_view_find(view, name, &ret_entry->tool, &ret_entry->face);
}

const struct tb_tool *tb_mcp_catalog_by_op(enum tb_op_kind op)
{
    for (const struct tb_tool *const *tool = tb_tools(); *tool; tool++) {
        if ((*tool)->op == op && !(*tool)->run) {
            return *tool;
        }
    }
    return NULL;
}

/* Printing. */

static void put_annotations(struct tb_json_writer *json, const char *title, unsigned flags)
{
    tb_json_key(json, "annotations");
    tb_json_object_open(json);
    if (title) {
        tb_json_member_cstr(json, "title", title);
    }
    tb_json_member_bool(json, "readOnlyHint", flags & TB_TOOL_READ_ONLY);
    tb_json_member_bool(json, "destructiveHint", flags & TB_TOOL_DESTRUCTIVE);
    tb_json_member_bool(json, "idempotentHint", flags & TB_TOOL_IDEMPOTENT);
    tb_json_member_bool(json, "openWorldHint", flags & TB_TOOL_OPEN_WORLD);
    tb_json_object_close(json);
}

static void put_tool(struct tb_json_writer *json, const struct tb_tool *tool,
                     const struct tb_face *face)
{
    struct tb_param params[TB_TOOL_PARAMS_MAX];
    tb_tool_params(tool, params);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", face ? face->name : tool->name);
    tb_json_member_cstr(json, "description",
                        face && face->description ? face->description : tool->description);
    tb_json_key(json, "inputSchema");
    tb_args_schema(face && face->params ? face->params : params, json);
    put_annotations(json, face ? NULL : tool->title, tool->flags);
    tb_json_object_close(json);
}

static void put_native(struct tb_json_writer *json, const struct tb_mcp_native *native)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", native->name);
    tb_json_member_cstr(json, "description", native->description);
    tb_json_member_raw(json, "inputSchema", tb_str_of(native->schema));
    put_annotations(json, NULL, TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT);
    tb_json_object_close(json);
}

static void put_view(struct tb_json_writer *json, const struct tb_view *view)
{
    const struct tb_tool *const *tools = tb_tools();
    for (const struct tb_face *face = view->toolset->faces; face && face->name; face++) {
        put_tool(json, face->tool, face);
    }
    for (size_t i = 0; tools[i]; i++) {
        if (view->tools >> i & 1) {
            put_tool(json, tools[i], NULL);
        }
    }
}

static struct list *print_list(struct tb_mcp_catalog *catalog, const struct tb_view *view)
{
    struct list *list = TB_NEW(struct list);
    struct tb_json_writer json;
    list->view = *view;
    tb_buf_init(&list->text, TB_MIB);
    tb_json_writer_init(&json, &list->text);
    tb_json_array_open(&json);
    for (const struct tb_mcp_provider *const *provider = catalog->providers; *provider;
         provider++) {
        for (const struct tb_mcp_native *row = (*provider)->tools; row && row->name; row++) {
            if (!row->unlisted) {
                put_native(&json, row);
            }
        }
    }
    put_view(&json, view);
    tb_json_array_close(&json);
    return list;
}

struct tb_str tb_mcp_catalog_list(struct tb_mcp_catalog *catalog, const struct tb_view *view)
{
    LIST_FOREACH(link, &catalog->lists) {
        struct list *list = TB_CONTAINER(link, struct list, link);
        if (list->view.toolset == view->toolset && list->view.tools == view->tools) {
            return tb_buf_str(&list->text);
        }
    }
    if (catalog->list_count >= TB_MCP_LISTS) {
        drop_oldest(catalog);
    }
    struct list *list = print_list(catalog, view);
    tb_list_append(&catalog->lists, &list->link);
    catalog->list_count++;
    return tb_buf_str(&list->text);
}
