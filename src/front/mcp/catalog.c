/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/catalog.h"

#include "core/limits.h"
#include "core/toolbox.h"
#include "core/view.h"

struct list {
    struct tb_list link;
    struct tb_view *view; /* a reference, so that no other takes its place */
    unsigned scopes;      /* of whom it is for */
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
    tb_view_unref(list->view, "list");
    tb_buf_fini(&list->text);
    tb_free(list);
}

void tb_mcp_catalog_fini(struct tb_mcp_catalog *catalog)
{
    while (catalog->list_count) {
        drop_oldest(catalog);
    }
}

/* Finding. */

const struct tb_mcp_native *tb_mcp_catalog_native(const struct tb_mcp_catalog *catalog,
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

/* Printing. */

static void put_native(struct tb_json_writer *json, const struct tb_mcp_native *native)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", native->name);
    tb_json_member_cstr(json, "description", native->description);
    tb_json_member_raw(json, "inputSchema", tb_str_of(native->schema));
    tb_toolbox_put_annotations(json, NULL, TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT);
    tb_json_object_close(json);
}

static void put_entry(const struct tb_entry *entry, void *user)
{
    tb_toolbox_put_entry(entry, user);
}

static struct list *print_list(struct tb_mcp_catalog *catalog, const struct tb_core *core,
                               const struct tb_caller *caller)
{
    struct list *list = TB_NEW(struct list);
    struct tb_json_writer json;
    list->view = tb_view_ref(caller->view, "list");
    list->scopes = caller->who->scopes;
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
    tb_toolbox_each(core, caller, NULL, put_entry, &json);
    tb_json_array_close(&json);
    return list;
}

struct tb_str tb_mcp_catalog_list(struct tb_mcp_catalog *catalog, const struct tb_core *core,
                                  const struct tb_caller *caller)
{
    LIST_FOREACH(link, &catalog->lists) {
        struct list *list = TB_CONTAINER(link, struct list, link);
        if (list->view == caller->view && list->scopes == caller->who->scopes) {
            return tb_buf_str(&list->text);
        }
    }
    if (catalog->list_count >= TB_MCP_LISTS) {
        drop_oldest(catalog);
    }
    struct list *list = print_list(catalog, core, caller);
    tb_list_append(&catalog->lists, &list->link);
    catalog->list_count++;
    return tb_buf_str(&list->text);
}

/* A list, and what it is added to. */
struct longer {
    struct tb_str list;
    struct tb_buf *out;
    struct tb_json_writer json;
};

static void put_brought(const struct tb_entry *entry, void *user)
{
    struct longer *longer = user;
    struct tb_json_writer *json = &longer->json;
    if (!entry->brought) {
        return;
    }
    if (!longer->out->len) {
        tb_buf_append_str(longer->out, tb_str_sub(longer->list, 0, longer->list.len - 1));
        json->need_comma = longer->list.len > 2;
    }
    tb_toolbox_put_entry(entry, json);
}

bool tb_mcp_catalog_add_brought(const struct tb_core *core, const struct tb_caller *caller,
                                const struct tb_session *session, struct tb_str list,
                                struct tb_buf *out)
{
    struct longer longer = {.list = list, .out = out};
    tb_json_writer_init(&longer.json, out);
    tb_toolbox_each(core, caller, session, put_brought, &longer);
    if (!out->len) {
        return false;
    }
    tb_buf_append_char(out, ']');
    return longer.json.rc == 0;
}
