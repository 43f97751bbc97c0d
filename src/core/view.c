/* SPDX-License-Identifier: Apache-2.0 */
#include "core/view.h"

#include <stdio.h>
#include <string.h>

#include "base/hint.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "core/limits.h"

enum {
    NAMES_MAX = 256,
};

void tb_views_init(struct tb_views *views, const struct tb_kit *kit)
{
    views->kit = kit;
    tb_list_init(&views->in_use);
}

/* Choosing. */

static void add_name(char *names, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, NAMES_MAX - used, "%s%s", used ? ", " : "", name);
}

static bool group_exists(const struct tb_kit *kit, struct tb_str group, char *ret_names)
{
    const char *last = NULL;
    ret_names[0] = '\0';
    for (const struct tb_tool *const *tool = kit->tools; *tool; tool++) {
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

static int check_groups(const struct tb_kit *kit, struct tb_str groups, struct tb_err *err)
{
    while (groups.ptr) {
        char names[NAMES_MAX];
        struct tb_str group = tb_str_trim(tb_str_cut(&groups, ','));
        if (group.len && !group_exists(kit, group, names)) {
            return tb_fail(err, TB_E_PARAMS, "unknown group '%.*s'; known groups: %s",
                           (int)(group.len < 40 ? group.len : 40), group.ptr, names);
        }
    }
    return 0;
}

static const struct tb_toolset *find_toolset(const struct tb_kit *kit, struct tb_str name,
                                             struct tb_err *err)
{
    char names[NAMES_MAX] = "";
    if (!name.len) {
        return kit->toolsets[0];
    }
    const struct tb_toolset *found = tb_toolset_find(kit, name);
    for (const struct tb_toolset *const *set = kit->toolsets; *set && !found; set++) {
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

static size_t tool_count(const struct tb_kit *kit)
{
    size_t count = 0;
    while (kit->tools[count]) {
        count++;
    }
    return count;
}

/* The one that is there already, if one has the same tools; takes over the new one. */
static struct tb_view *intern_take(struct tb_views *views, struct tb_view *view, size_t count)
{
    LIST_FOREACH(link, &views->in_use) {
        struct tb_view *known = TB_CONTAINER(link, struct tb_view, link);
        if (known->toolset == view->toolset && memcmp(known->has, view->has, count) == 0) {
            tb_free(view);
            return tb_view_ref(known, "chosen");
        }
    }
    tb_list_append(&views->in_use, &view->link);
    return view;
}

int tb_view_make(struct tb_views *views, struct tb_str toolset, struct tb_str groups,
                 const struct tb_config_list *always, struct tb_view **ret_view, struct tb_err *err)
{
    const struct tb_kit *kit = views->kit;
    const struct tb_toolset *found = find_toolset(kit, toolset, err);
    if (!found) {
        return TB_E_NOT_FOUND;
    }
    int rc = check_groups(kit, groups, err);
    if (rc < 0) {
        return rc;
    }
    size_t count = tool_count(kit);
    struct tb_view *view = tb_zalloc(sizeof(*view) + count * sizeof(view->has[0]));
    view->refs = 1;
    view->kit = kit;
    view->toolset = found;
    for (size_t i = 0; i < count && !found->faces; i++) {
        view->has[i] = is_wanted(kit->tools[i], groups, always);
    }
    *ret_view = intern_take(views, view, count);
    return 0;
}

struct tb_view *tb_view_ref(struct tb_view *view, const char *why)
{
    (void)why;
    if (view) {
        view->refs++;
    }
    return view;
}

void tb_view_unref(struct tb_view *view, const char *why)
{
    (void)why;
    if (view && --view->refs == 0) {
        tb_list_remove(&view->link);
        tb_free(view);
    }
}

/* Finding. */

bool tb_view_has(const struct tb_view *view, const struct tb_tool *tool)
{
    for (size_t i = 0; view->kit->tools[i]; i++) {
        if (view->kit->tools[i] == tool) {
            return view->has[i];
        }
    }
    return false;
}

bool tb_view_can(const struct tb_view *view, enum tb_op_kind op)
{
    for (size_t i = 0; view->kit->tools[i]; i++) {
        if (view->has[i] && view->kit->tools[i]->op == op) {
            return true;
        }
    }
    return false;
}

static struct tb_str without_any(struct tb_str name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tb_str prefix = tb_str_of(prefixes[i]);
        if (tb_str_starts(name, prefix)) {
            return tb_str_sub(name, prefix.len, name.len);
        }
    }
    return name;
}

/* Clients show tools under the name of their server, and some models call them so:
 * mcp__tabard__browser_click, where the user has chosen the name in the middle. */
static struct tb_str without_server(struct tb_str name)
{
    static const char *const prefixes[] = {"tabard__", "tabard_", "tabard.", "tabard:", "tabard/"};
    const struct tb_str opening = TB_STR("mcp__");
    if (!tb_str_starts(name, opening)) {
        return without_any(name, prefixes, TB_COUNT(prefixes));
    }
    const char *end = name.ptr + name.len;
    const char *at = memmem(name.ptr + opening.len, name.len - opening.len, "__", 2);
    return at ? (struct tb_str){at + 2, (size_t)(end - at) - 2} : name;
}

static struct tb_str without_prefix(struct tb_str name)
{
    static const char *const prefixes[] = {"browser_", "puppeteer_", "playwright_"};
    return without_any(name, prefixes, TB_COUNT(prefixes));
}

static const struct tb_foreign *find_foreign(const struct tb_kit *kit, struct tb_str name)
{
    struct tb_str bare = without_prefix(name);
    for (size_t i = 0; i < kit->foreign_count; i++) {
        if (tb_str_eq_cstr(bare, kit->foreigns[i].name)) {
            return &kit->foreigns[i];
        }
    }
    return NULL;
}

bool tb_kit_knows(const struct tb_kit *kit, struct tb_str name)
{
    name = without_server(name);
    for (const struct tb_toolset *const *set = kit->toolsets; *set; set++) {
        if (tb_face_find(*set, name)) {
            return true;
        }
    }
    return tb_tool_find(kit, name) || find_foreign(kit, name);
}

bool tb_view_find(const struct tb_view *view, struct tb_str name, const struct tb_tool **ret_tool,
                  const struct tb_face **ret_face)
{
    name = without_server(name);
    const struct tb_face *face = tb_face_find(view->toolset, name);
    const struct tb_tool *tool = face ? face->tool : NULL;
    if (!view->toolset->faces) {
        const struct tb_foreign *foreign = find_foreign(view->kit, name);
        tool = tb_tool_find(view->kit, name);
        tool = !tool && foreign && !foreign->args ? foreign->tool : tool;
        tool = tool && tb_view_has(view, tool) ? tool : NULL;
    }
    *ret_tool = tool;
    *ret_face = face;
    return tool != NULL;
}

/* True: it is the nearest so far. What most names begin with makes no two of them alike. */
static bool offer(struct tb_nearest *nearest, const char *name)
{
    char best[sizeof(nearest->best)];
    memcpy(best, nearest->best, sizeof(best));
    tb_nearest_offer(nearest, without_prefix(tb_str_of(name)).ptr);
    return strcmp(best, nearest->best) != 0;
}

static const char *nearest_name(const struct tb_kit *kit, const struct tb_view *view,
                                struct tb_str name)
{
    struct tb_nearest nearest = {.word = without_prefix(name)};
    const char *found = NULL;
    const struct tb_face *face = view ? view->toolset->faces : NULL;
    for (; face && face->name; face++) {
        found = offer(&nearest, face->name) ? face->name : found;
    }
    for (const struct tb_tool *const *tool = kit->tools; *tool; tool++) {
        if (!view || tb_view_has(view, *tool)) {
            found = offer(&nearest, (*tool)->name) ? (*tool)->name : found;
        }
    }
    return found;
}

static const char *face_name(const struct tb_toolset *toolset, struct tb_str name)
{
    const struct tb_face *same = tb_face_find(toolset, name);
    if (same) {
        return same->name;
    }
    for (const struct tb_face *face = toolset->faces; face->name; face++) {
        if (tb_str_eq_cstr(name, face->tool->name)) {
            return face->name;
        }
    }
    return NULL;
}

static void print_group(const char *group, struct tb_buf *out)
{
    tb_buf_printf(out,
                  "belongs to the group %s, which is not turned on; connect with ?groups=%s on "
                  "the address or 'tabard mcp --groups %s', or set mcp.groups",
                  group, group, group);
}

/* A name of another server's, to who has the default set. */
static void print_foreign(const struct tb_view *view, const struct tb_foreign *foreign,
                          struct tb_buf *out)
{
    bool has_args = foreign->args && foreign->args[0];
    tb_buf_printf(out, "is unknown here; use %s%s%s", foreign->tool->name, has_args ? " with " : "",
                  has_args ? foreign->args : "");
    if (foreign->tool->group && view && !tb_view_has(view, foreign->tool)) {
        tb_buf_append_cstr(out, ". That tool ");
        print_group(foreign->tool->group, out);
    }
}

static void print_unknown(const struct tb_kit *kit, const struct tb_view *view, struct tb_str name,
                          struct tb_buf *out)
{
    const char *near = nearest_name(kit, view, name);
    tb_buf_append_cstr(out, "is unknown");
    if (near) {
        tb_buf_printf(out, " (did you mean %s?)", near);
    }
    tb_buf_append_cstr(out, "; tools/list names the available ones");
}

void tb_view_print_missing(const struct tb_kit *kit, const struct tb_view *view, struct tb_str name,
                           struct tb_buf *out)
{
    name = without_server(name);
    bool is_default = !view || !view->toolset->faces;
    const struct tb_tool *tool = tb_tool_find(kit, name);
    const struct tb_foreign *foreign = is_default ? find_foreign(kit, name) : NULL;
    if (tool && tool->group && view && is_default) {
        print_group(tool->group, out);
    } else if (foreign) {
        print_foreign(view, foreign, out);
    } else if (tool && !is_default && face_name(view->toolset, name)) {
        tb_buf_printf(out, "is called %s here", face_name(view->toolset, name));
    } else {
        print_unknown(kit, view, name, out);
    }
}

static const char *group_name(const struct tb_kit *kit, struct tb_str name)
{
    for (const struct tb_tool *const *tool = kit->tools; *tool; tool++) {
        if ((*tool)->group && tb_str_eq_cstr(name, (*tool)->group)) {
            return (*tool)->group;
        }
    }
    return NULL;
}

static const char *name_for(struct tb_str name, const void *reader)
{
    const struct tb_view *view = reader;
    if (view->toolset->faces) {
        return face_name(view->toolset, name);
    }
    const struct tb_tool *tool = tb_tool_find(view->kit, name);
    if (!tool) {
        return group_name(view->kit, name);
    }
    return tb_view_has(view, tool) ? tool->name : NULL;
}

void tb_view_hint(const struct tb_view *view, const char *hint, struct tb_buf *out)
{
    tb_hint_print(hint, view ? name_for : NULL, view, out);
}
