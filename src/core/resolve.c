/* SPDX-License-Identifier: Apache-2.0 */
/* Which session a call means, and the memory of whose current session is which. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/records.h"
#include "core/sessions_internal.h"

enum {
    CANDIDATES_MAX = 10,
    CANDIDATES_BYTES = 300,
    RECORDED_MAX = 50, /* callers of a session that are told in its record */
};

/* One caller's choice: listed by its tenant, and by the session so that they end together. */
struct current {
    char conversation[TB_CONVERSATION_SIZE];
    struct tb_session *session;
    struct tb_list of_session;
    struct tb_list in_order;
};

static void drop(struct tb_tenant *tenant, struct current *current)
{
    tb_map_remove(&tenant->currents, tb_str_of(current->conversation));
    tb_list_remove(&current->of_session);
    tb_list_remove(&current->in_order);
    tb_free(current);
}

struct tb_session *tb_current_get(const struct tb_tenant *tenant, const char *conversation)
{
    const struct current *current = tb_map_get(&tenant->currents, tb_str_of(conversation));
    return current ? current->session : NULL;
}

void tb_current_drop(struct tb_tenant *tenant, const char *conversation)
{
    struct current *current = tb_map_get(&tenant->currents, tb_str_of(conversation));
    if (current) {
        drop(tenant, current);
    }
}

void tb_current_set(struct tb_tenant *tenant, const char *conversation, struct tb_session *session)
{
    tb_current_drop(tenant, conversation);
    if (tenant->currents.count >= TB_CURRENT_MAX) {
        drop(tenant, TB_CONTAINER(tenant->current_order.next, struct current, in_order));
    }
    struct current *current = TB_NEW(struct current);
    snprintf(current->conversation, sizeof(current->conversation), "%s", conversation);
    current->session = session;
    tb_list_append(&session->currents, &current->of_session);
    tb_list_append(&tenant->current_order, &current->in_order);
    tb_map_add(&tenant->currents, tb_str_of(current->conversation), current);
}

void tb_current_choose(const struct tb_caller *caller, struct tb_session *session)
{
    struct tb_session *before = tb_current_get(session->home, caller->conversation);
    if (before != session) {
        tb_current_set(session->home, caller->conversation, session);
        if (before) {
            tb_record_put(before, caller->gate);
        }
    }
    tb_record_put(session, caller->gate);
}

void tb_current_print(const struct tb_session *session, struct tb_json_writer *json)
{
    size_t count = 0;
    tb_json_array_open(json);
    LIST_FOREACH(link, &session->currents) {
        if (count++ < RECORDED_MAX) {
            tb_json_put_cstr(json, TB_CONTAINER(link, struct current, of_session)->conversation);
        }
    }
    tb_json_array_close(json);
}

void tb_current_forget(struct tb_session *session)
{
    struct tb_str conversation = tb_str_of(session->conversation);
    while (!tb_list_empty(&session->currents)) {
        drop(session->home, TB_CONTAINER(session->currents.next, struct current, of_session));
    }
    if (tb_map_get(&session->home->by_conversation, conversation) == session) {
        tb_map_remove(&session->home->by_conversation, conversation);
    }
}

/* The words when there is none. */

/* " (it was closed)" if the caller's session ended not long ago. */
static void put_fate(const struct tb_tenant *tenant, struct tb_str name, struct tb_buf *out)
{
    for (size_t back = 1; back <= TB_ENDED_KEPT && back <= tenant->ended_next; back++) {
        const struct tb_ended *ended = &tenant->ended[(tenant->ended_next - back) % TB_ENDED_KEPT];
        if (tb_str_eq_cstr(name, ended->name)) {
            tb_buf_printf(out, " (it %s)", tb_end_reason_words(ended->reason));
            return;
        }
    }
}

static void put_candidates(const struct tb_tenant *tenant, struct tb_buf *out)
{
    size_t count = 0;
    LIST_FOREACH(link, &tenant->sessions) {
        const struct tb_session *session = tb_session_of(link);
        if (count == CANDIDATES_MAX ||
            tb_buf_printf(out, "%s%s", count ? ", " : ". There are: ", session->name) < 0) {
            tb_buf_append_cstr(out, " and more");
            return;
        }
        count++;
    }
}

static int not_found(const struct tb_tenant *tenant, struct tb_str name, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf more = TB_BUF(CANDIDATES_BYTES);
    if (tenant) {
        put_fate(tenant, name, &more);
        put_candidates(tenant, &more);
    }
    bool any = tenant && !tb_list_empty(&tenant->sessions);
    struct tb_str shown = tb_str_sub(name, 0, TB_NAME_SIZE - 1);
    shown = name.len ? tb_str_sub(shown, 0, tb_utf8_prefix(shown)) : TB_STR("none active");
    return tb_fail(err, TB_E_SESSION_NOT_FOUND, "No session: %.*s%.*s. %s", TB_STR_ARG(shown),
                   TB_STR_ARG(tb_buf_str(&more)),
                   any ? "Pass one of them as sessionId, or start one with start_session."
                       : "Start one with start_session.");
}

/* The decision. */

static int create(struct tb_sessions *sessions, const struct tb_caller *caller,
                  struct tb_session **ret_session, struct tb_err *err)
{
    const struct tb_driver_slot *slot = tb_driver_find(sessions->core, TB_STR(""));
    if (!slot) {
        return tb_fail(err, TB_E_NOT_POSSIBLE, "this daemon has no driver for browsers");
    }
    const struct tb_session_spec spec = {
        .kind = TB_KIND_BROWSER,
        .for_conversation = true,
        .driver = slot->driver,
        .driver_state = slot->state,
        .deadline_ms =
            tb_loop_now_ms(sessions->core->loop) + sessions->core->config->browser_timeout_ms,
    };
    const char *warning;
    return tb_sessions_create(sessions, caller, &spec, ret_session, &warning, err);
}

/* The timer may be late by the work of one turn; an age is never passed. */
static struct tb_session *if_young(struct tb_session *session)
{
    if (session && tb_session_too_old(session)) {
        tb_session_retire(session);
        return NULL;
    }
    return session;
}

static struct tb_session *implied(struct tb_sessions *sessions, const struct tb_caller *caller,
                                  bool may_create)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->tenant);
    if (!tenant) {
        return NULL;
    }
    bool fresh = may_create && !sessions->core->config->sessions_reuse_within_conversation;
    struct tb_session *current = if_young(tb_current_get(tenant, caller->conversation));
    if (current && !(fresh && current->conversation[0])) {
        return current;
    }
    if (fresh || !caller->conversation[0]) {
        return NULL;
    }
    return if_young(tb_map_get(&tenant->by_conversation, tb_str_of(caller->conversation)));
}

int tb_sessions_resolve(struct tb_sessions *sessions, const struct tb_caller *caller,
                        struct tb_str explicit_id, bool may_create, struct tb_session **ret_session,
                        bool *ret_chosen, struct tb_err *err)
{
    *ret_chosen = !explicit_id.len;
    *ret_session = explicit_id.len ? tb_sessions_find(sessions, caller->tenant, explicit_id)
                                   : implied(sessions, caller, may_create);
    if (*ret_session) {
        return 0;
    }
    if (!explicit_id.len && may_create) {
        return create(sessions, caller, ret_session, err);
    }
    return not_found(tb_tenant_find(sessions, caller->tenant), explicit_id, err);
}

int tb_sessions_set_current(struct tb_sessions *sessions, const struct tb_caller *caller,
                            struct tb_str id_or_name, struct tb_err *err)
{
    struct tb_tenant *tenant = tb_tenant_find(sessions, caller->tenant);
    struct tb_session *session = tb_sessions_find(sessions, caller->tenant, id_or_name);
    if (!session) {
        return not_found(tenant, id_or_name, err);
    }
    tb_current_choose(caller, session);
    return 0;
}

static bool leaves_pages(const struct tb_session *session)
{
    return session->driver->detach && session->driver_session &&
           session->driver->detach(session->driver_session);
}

/* One that is let go by its end: the driver was told to leave its pages. */
static struct tb_session *let_go(struct tb_tenant *tenant, const struct tb_session *only)
{
    LIST_FOREACH(link, &tenant->sessions) {
        struct tb_session *session = tb_session_of(link);
        if ((!only || session == only) && leaves_pages(session)) {
            return session;
        }
    }
    return NULL;
}

size_t tb_sessions_detach(struct tb_sessions *sessions, const struct tb_caller *caller,
                          const struct tb_session *session)
{
    struct tb_tenant *tenant = tb_tenant_find(sessions, caller->tenant);
    if (!tenant) {
        return 0;
    }
    struct tb_session *current = tb_current_get(tenant, caller->conversation);
    if (current && (!session || current == session)) {
        tb_current_drop(tenant, caller->conversation);
        tb_record_put(current, caller->gate);
    }
    size_t count = session ? 1 : tenant->by_name.count;
    struct tb_session *ending;
    /* From the start each time: whoever hears of an end may end others. */
    while ((ending = let_go(tenant, session))) {
        tb_session_end_stored(ending, TB_END_CLOSED, caller->gate);
    }
    LIST_FOREACH(link, &tenant->sessions) {
        struct tb_session *each = tb_session_of(link);
        bool owned = each->conversation[0] && strcmp(each->conversation, caller->conversation) == 0;
        if (owned && (!session || each == session)) {
            tb_session_make_named(each);
            tb_record_put(each, caller->gate);
        }
    }
    return count;
}
