/* SPDX-License-Identifier: Apache-2.0 */
#include "core/toolbox.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/policies.h"
#include "core/session_policy.h"
#include "core/sessions_internal.h"
#include "core/view.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

enum {
    SHOWN_MAX = 64, /* models' services take no longer names */
};

/* What runs a tool that was brought: its driver. */
static const struct tb_tool invoke = {
    .name = "",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .op = TB_OP_INVOKE,
};

/* Brought tools. */

/* What agents are told of a tool is as its page wrote it, and an agent may refuse a list for one
 * tool that is not as MCP wants it. */
static bool describes_tool(struct tb_str json)
{
    enum {
        TITLE,
        DESCRIPTION,
        ANNOTATIONS,
        SCHEMA,
        SCHEMA_TYPE,
        COUNT
    };
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH, .any_escape = true};
    static const enum tb_json_type types[COUNT] = {
        [TITLE] = TB_JSON_STRING,  [DESCRIPTION] = TB_JSON_STRING, [ANNOTATIONS] = TB_JSON_OBJECT,
        [SCHEMA] = TB_JSON_OBJECT, [SCHEMA_TYPE] = TB_JSON_STRING,
    };
    struct tb_json_want wants[COUNT] = {
        [TITLE] = {.key = "title"},
        [DESCRIPTION] = {.key = "description"},
        [ANNOTATIONS] = {.key = "annotations"},
        [SCHEMA] = {.key = "inputSchema"},
        [SCHEMA_TYPE] = {.parent = "inputSchema", .key = "type"},
    };
    if (json.len > TB_BROUGHT_JSON_MAX ||
        tb_json_scan(json, &limits, wants, COUNT, NULL) != TB_JSON_OBJECT) {
        return false;
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (wants[i].value.type != TB_JSON_ABSENT && wants[i].value.type != types[i]) {
            return false;
        }
    }
    return wants[SCHEMA].value.type == TB_JSON_ABSENT ||
           tb_json_string_eq(wants[SCHEMA_TYPE].value.text, TB_STR("object"));
}

int tb_brought_new(const char *name, const char *origin, const char *handle, struct tb_str json,
                   struct tb_brought **ret_brought, struct tb_err *err)
{
    size_t len = strlen(name);
    if (!len || len > TB_BROUGHT_NAME_MAX) {
        return tb_fail(err, TB_E_PARAMS, "a tool's name must have 1 to %d bytes, not %zu",
                       TB_BROUGHT_NAME_MAX, len);
    }
    if (!describes_tool(json)) {
        return tb_fail(err, TB_E_PARAMS,
                       "a tool is described by a JSON object of at most %d bytes, in which no "
                       "member is given twice, texts are strings, and inputSchema has the type "
                       "\"object\"",
                       TB_BROUGHT_JSON_MAX);
    }
    struct tb_brought *brought = TB_NEW(struct tb_brought);
    brought->refs = 1;
    brought->name = tb_strdup(name);
    brought->origin = tb_strdup(origin);
    brought->handle = tb_strdup(handle);
    brought->json = (struct tb_str){tb_str_dup(json), json.len};
    *ret_brought = brought;
    return 0;
}

struct tb_brought *tb_brought_ref(struct tb_brought *brought, const char *why)
{
    (void)why;
    if (brought) {
        brought->refs++;
    }
    return brought;
}

void tb_brought_unref(struct tb_brought *brought, const char *why)
{
    (void)why;
    if (!brought || --brought->refs > 0) {
        return;
    }
    tb_free(brought->name);
    tb_free(brought->shown);
    tb_free(brought->origin);
    tb_free(brought->handle);
    tb_free((char *)(uintptr_t)brought->json.ptr);
    tb_free(brought);
}

static struct tb_brought *find_shown(const struct tb_brought_list *list, struct tb_str name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (tb_str_eq_cstr(name, list->tools[i]->shown)) {
            return list->tools[i];
        }
    }
    return NULL;
}

/* What agents and the services of their models take as a name. */
static void make_plain(char *name)
{
    for (; *name; name++) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9') || *name == '_' || *name == '-';
        if (!plain) {
            *name = '_';
        }
    }
}

/* How a tool came to its name. */
struct naming {
    char plain[SHOWN_MAX + 1];
    size_t number; /* that makes it another one; 0: none */
};

static void print_name(const struct naming *naming, char ret_shown[SHOWN_MAX + 1])
{
    const char *head = naming->number ? "page_" : "";
    char tail[24] = "";
    if (naming->number > 1) {
        snprintf(tail, sizeof(tail), "_%zu", naming->number);
    }
    int room = SHOWN_MAX - (int)strlen(head) - (int)strlen(tail);
    snprintf(ret_shown, SHOWN_MAX + 1, "%s%.*s%s", head, room, naming->plain, tail);
}

/* The numbers that were too low for one of the same name are too low for the next. */
static size_t first_number(const struct naming *names, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        if (strcmp(names[i].plain, names[count].plain) == 0) {
            return names[i].number + 1;
        }
    }
    return 0;
}

/* The page's own name for each, unless somebody has that already. */
static void choose_names(const struct tb_kit *kit, struct tb_brought_list *list)
{
    struct naming names[TB_BROUGHT_MAX];
    struct tb_brought_list before = {list->tools, 0};
    for (; before.count < list->count; before.count++) {
        struct tb_brought *tool = list->tools[before.count];
        struct naming *naming = &names[before.count];
        char shown[SHOWN_MAX + 1];
        snprintf(naming->plain, sizeof(naming->plain), "%s", tool->name);
        make_plain(naming->plain);
        naming->number = first_number(names, before.count);
        print_name(naming, shown);
        while (tb_kit_knows(kit, tb_str_of(shown)) || find_shown(&before, tb_str_of(shown))) {
            naming->number++;
            print_name(naming, shown);
        }
        tb_free(tool->shown);
        tool->shown = tb_strdup(shown);
    }
}

void tb_brought_list_clear(struct tb_brought_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        tb_brought_unref(list->tools[i], "list");
    }
    tb_free(list->tools);
    *list = (struct tb_brought_list){NULL, 0};
}

bool tb_brought_list_has(const struct tb_brought_list *list, const struct tb_brought *brought)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->tools[i]->handle, brought->handle) == 0) {
            return true;
        }
    }
    return false;
}

static void tell_change(const struct tb_session *session)
{
    struct tb_event event = tb_session_event(session, TB_EVENT_TOOLS_CHANGED);
    event.fields[1] = tb_field_number("tools", (int64_t)session->brought.count);
    tb_bus_publish(&session->core->bus, &event);
}

/* How many may stay; the others are given back. */
static size_t drop_surplus(struct tb_brought **tools, size_t count)
{
    size_t bytes = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += tools[i]->json.len;
        if (i < TB_BROUGHT_MAX && bytes <= TB_BROUGHT_BYTES_MAX) {
            kept++;
        } else {
            tb_brought_unref(tools[i], "too many");
        }
    }
    return kept;
}

static bool is_same_list(const struct tb_brought_list *a, const struct tb_brought_list *b)
{
    for (size_t i = 0; i < a->count && a->count == b->count; i++) {
        const struct tb_brought *one = a->tools[i];
        const struct tb_brought *other = b->tools[i];
        if (strcmp(one->name, other->name) != 0 || strcmp(one->origin, other->origin) != 0 ||
            strcmp(one->handle, other->handle) != 0 || !tb_str_eq(one->json, other->json)) {
            return false;
        }
    }
    return a->count == b->count;
}

void tb_toolbox_bring_take(struct tb_session *session, struct tb_brought **tools, size_t count)
{
    struct tb_brought_list list = {tools, drop_surplus(tools, count)};
    if (is_same_list(&session->brought, &list)) {
        tb_brought_list_clear(&list);
        return;
    }
    choose_names(session->core->views.kit, &list);
    tb_brought_list_clear(&session->brought);
    session->brought = list;
    tell_change(session);
}

static bool is_same(const struct tb_brought *a, const struct tb_brought *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->origin, b->origin) == 0 &&
           strcmp(a->handle, b->handle) == 0;
}

size_t tb_toolbox_brought(const struct tb_session *session)
{
    return session->brought.count;
}

bool tb_toolbox_brings(const struct tb_session *session, const struct tb_brought *brought)
{
    for (size_t i = 0; i < session->brought.count; i++) {
        if (is_same(session->brought.tools[i], brought)) {
            return true;
        }
    }
    return false;
}

/* Finding. */

/* A page's word for what its tool does is no reason to let it run. */
static enum tb_scope scope_of(const struct tb_tool *tool)
{
    return tool->flags & TB_TOOL_READ_ONLY ? TB_SCOPE_OBSERVE : TB_SCOPE_ACT;
}

int tb_toolbox_permit(const struct tb_core *core, const struct tb_caller *caller,
                      const struct tb_session *session, const struct tb_entry *entry,
                      struct tb_err *err)
{
    enum tb_scope scope = scope_of(entry->tool);
    if (!tb_principal_may(caller->who, scope)) {
        return tb_fail(err, TB_E_SCOPE, "needs the scope '%s', which this key does not have",
                       tb_scope_name(scope));
    }
    /* Calls wait until what is stored is read, and are judged again when their turn comes. */
    return tb_policies_ready(core->policies, NULL) < 0
               ? 0
               : tb_session_policy_tool(core, caller->who, session, entry, err);
}

static bool find_static(const struct tb_core *core, const struct tb_view *view, struct tb_str name,
                        struct tb_entry *ret_entry)
{
    struct tb_entry found = {.tool = view ? NULL : tb_tool_find(core->views.kit, name)};
    if (!found.tool && !(view && tb_view_find(view, name, &found.tool, &found.face))) {
        return false;
    }
    *ret_entry = found;
    return true;
}

static bool find_brought(const struct tb_session *session, struct tb_str name,
                         struct tb_entry *ret_entry)
{
    struct tb_brought *brought = session ? find_shown(&session->brought, name) : NULL;
    if (brought) {
        *ret_entry = (struct tb_entry){.tool = &invoke, .brought = brought};
    }
    return brought != NULL;
}

int tb_toolbox_find(const struct tb_core *core, const struct tb_caller *caller,
                    const struct tb_session *session, struct tb_str name,
                    struct tb_entry *ret_entry, struct tb_err *err)
{
    if (find_static(core, caller->view, name, ret_entry) ||
        find_brought(session, name, ret_entry)) {
        return tb_toolbox_permit(core, caller, session, ret_entry, err);
    }
    TB_AUTO(tb_buf_fini) struct tb_buf why = TB_BUF(TB_KIB);
    if (err) {
        tb_view_print_missing(core->views.kit, caller->view, name, &why);
    }
    return tb_fail(err, TB_E_UNKNOWN_TOOL, "%.*s", TB_STR_ARG(tb_buf_str(&why)));
}

/* Who is told of the tools, and for whom. */
struct telling {
    const struct tb_core *core;
    const struct tb_caller *caller;
    const struct tb_session *session;
    void (*fn)(const struct tb_entry *entry, void *user);
    void *user;
};

static void tell(const struct telling *telling, struct tb_entry entry)
{
    if (tb_toolbox_permit(telling->core, telling->caller, telling->session, &entry, NULL) == 0) {
        telling->fn(&entry, telling->user);
    }
}

void tb_toolbox_each(const struct tb_core *core, const struct tb_caller *caller,
                     const struct tb_session *session,
                     void (*fn)(const struct tb_entry *entry, void *user), void *user)
{
    const struct telling telling = {core, caller, session, fn, user};
    const struct tb_view *view = caller->view;
    const struct tb_face *face = view ? view->toolset->faces : NULL;
    for (; face && face->name; face++) {
        tell(&telling, (struct tb_entry){.tool = face->tool, .face = face});
    }
    for (size_t i = 0; core->views.kit->tools[i]; i++) {
        if (!view || view->has[i]) {
            tell(&telling, (struct tb_entry){.tool = core->views.kit->tools[i]});
        }
    }
    for (size_t i = 0; session && i < session->brought.count; i++) {
        tell(&telling, (struct tb_entry){.tool = &invoke, .brought = session->brought.tools[i]});
    }
}
