/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sessions.h"

#include <stdio.h>
#include <string.h>

#include "core/call_internal.h"
#include "core/core.h"
#include "core/ends.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/records.h"
#include "core/removals.h"
#include "core/resolve.h"
#include "core/session_hibernate.h"
#include "core/session_hold.h"
#include "core/sessions_internal.h"

struct tb_sessions *tb_sessions_new(struct tb_core *core)
{
    struct tb_sessions *sessions = TB_NEW(struct tb_sessions);
    sessions->core = core;
    tb_map_init(&sessions->by_id);
    tb_map_init(&sessions->tenants);
    tb_list_init(&sessions->closing);
    tb_list_init(&sessions->calls);
    tb_list_init(&sessions->asks);
    tb_tallies_init(&sessions->tallies, core->loop);
    sessions->removals = tb_removals_new(core);
    return sessions;
}

/* Tenants. */

struct tb_tenant *tb_tenant_find(const struct tb_sessions *sessions, const char *tenant)
{
    return tb_map_get(&sessions->tenants, tb_str_of(tenant));
}

static void tenant_free(struct tb_tenant *tenant)
{
    tb_flood_fini(&tenant->denials);
    tb_map_fini(&tenant->by_name);
    tb_map_fini(&tenant->conversations);
    tb_ends_free(tenant);
    tb_free(tenant);
}

/* What can come back goes to sleep. */
static void shut_down(struct tb_session *session)
{
    struct tb_err err;
    if (!tb_session_is_dormant(session) &&
        (!tb_session_survives(session) || session->state == TB_STATE_RETIRING)) {
        tb_session_end(session, TB_END_SHUTDOWN);
        return;
    }
    tb_fail(&err, TB_E_SHUTDOWN, "Session '%s' is kept, but the daemon is stopping", session->name);
    tb_session_fail_running(session, &err);
    tb_session_fail_waiting(session, &err);
    tb_session_end_hold(session, &err);
    bool is_away = session->state == TB_STATE_AWAY;
    if (is_away || session->state == TB_STATE_ASLEEP || session->state == TB_STATE_CLOSING) {
        if (session->times.last_active_ms > session->times.recorded_ms) {
            tb_record_put(session, NULL);
        }
        if (is_away && session->side == TB_SIDE_OPEN) {
            tb_session_close_driver(session);
        }
        return;
    }
    tb_session_cancel_ops(session);
    if (session->state == TB_STATE_OPEN || session->state == TB_STATE_HELD ||
        session->state == TB_STATE_SAVING) {
        tb_session_hibernate(session);
    } /* else the job comes here again when it is open */
}

void tb_session_finish(struct tb_session *session)
{
    struct tb_err err;
    if (!session->queue.running_count) {
        shut_down(session);
        return;
    }
    tb_fail(&err, TB_E_SHUTDOWN, "the daemon is stopping and starts no more calls");
    tb_session_fail_waiting(session, &err);
    tb_session_end_hold(session, &err);
}

void tb_sessions_each(struct tb_sessions *sessions,
                      void (*fn)(struct tb_session *session, void *user), void *user)
{
    MAP_FOREACH(slot, &sessions->tenants) {
        struct tb_tenant *tenant = slot->value;
        struct tb_list all;
        struct tb_list *link;
        tb_list_init(&all);
        tb_list_splice(&all, &tenant->sessions);
        while ((link = tb_list_pop(&all))) {
            tb_list_append(&tenant->sessions, link);
            fn(tb_session_of(link), user);
        }
    }
}

static void finish(struct tb_session *session, void *user)
{
    (void)user;
    tb_session_finish(session);
}

static void cut_short(struct tb_session *session, void *user)
{
    (void)user;
    shut_down(session);
}

static void end_each(struct tb_sessions *sessions,
                     void (*fn)(struct tb_session *session, void *user))
{
    sessions->draining = true;
    tb_sessions_cut_load(sessions);
    tb_sessions_each(sessions, fn, NULL);
}

/* The end of the table. */

static void on_drained(struct tb_deferred *job)
{
    struct tb_sessions *sessions = TB_CONTAINER(job, struct tb_sessions, drained_job);
    void (*fn)(void *user) = sessions->drained;
    sessions->drained = NULL;
    fn(sessions->drained_user);
}

void tb_sessions_check_drained(struct tb_sessions *sessions)
{
    if (sessions->drained && !tb_sessions_awake_count(sessions) &&
        tb_list_empty(&sessions->closing) && tb_list_empty(&sessions->calls)) {
        tb_loop_defer(sessions->core->loop, &sessions->drained_job);
    }
}

void tb_sessions_drain(struct tb_sessions *sessions, void (*fn)(void *user), void *user)
{
    sessions->drained = fn;
    sessions->drained_user = user;
    sessions->drained_job.run = on_drained;
    end_each(sessions, finish);
    tb_sessions_check_drained(sessions);
}

bool tb_sessions_busy(const struct tb_sessions *sessions)
{
    return !tb_list_empty(&sessions->calls);
}

void tb_sessions_hurry(struct tb_sessions *sessions)
{
    end_each(sessions, cut_short);
}

void tb_sessions_stop(struct tb_sessions *sessions)
{
    if (!sessions) {
        return;
    }
    tb_sessions_hurry(sessions);
    while (!tb_list_empty(&sessions->calls)) {
        tb_call_drop(TB_CONTAINER(sessions->calls.next, struct tb_call, all));
    }
    tb_tallies_flush(&sessions->tallies);
}

/* Closing is begun for all; whether it has ended is now between the drivers and their stop. */
static void drop_all(struct tb_list *list)
{
    LIST_FOREACH(link, list) {
        struct tb_session *session = tb_session_of(link);
        tb_session_cut_wake(session);
        if (session->side == TB_SIDE_OPEN) {
            tb_session_close_driver(session);
        }
    }
    while (!tb_list_empty(list)) {
        struct tb_session *session = tb_session_of(list->next);
        tb_current_forget(session);
        LIST_FOREACH_SAFE(op, &session->queue.ops) {
            tb_op_call_free(TB_CONTAINER(op, struct tb_op_call, link));
        }
        tb_session_record_free(session);
    }
}

void tb_sessions_free(struct tb_sessions *sessions)
{
    if (!sessions) {
        return;
    }
    tb_sessions_stop(sessions);
    tb_tallies_fini(&sessions->tallies);
    MAP_FOREACH(slot, &sessions->tenants) {
        drop_all(&((struct tb_tenant *)slot->value)->sessions);
    }
    drop_all(&sessions->closing);
    tb_deferred_cancel(&sessions->drained_job);
    tb_removals_free(sessions->removals);
    MAP_FOREACH(slot, &sessions->tenants) {
        tenant_free(slot->value);
    }
    tb_map_fini(&sessions->tenants);
    tb_map_fini(&sessions->by_id);
    tb_free(sessions);
}

/* Looking up, listing, ending. */

struct tb_session *tb_sessions_find(struct tb_sessions *sessions, const char *tenant,
                                    struct tb_str id_or_name)
{
    struct tb_session *session = NULL;
    if (tb_id_check(sessions->core->secret, id_or_name)) {
        session = tb_map_get(&sessions->by_id, id_or_name);
    }
    if (session && tb_str_eq_cstr(tb_str_of(tenant), session->tenant)) {
        return session;
    }
    const struct tb_tenant *found = tb_tenant_find(sessions, tenant);
    session = found ? tb_map_get(&found->by_name, id_or_name) : NULL;
    return session && !session->traits.hidden ? session : NULL;
}

bool tb_session_visible(const struct tb_session *session, const struct tb_caller *caller)
{
    return !session->traits.hidden || caller->everyone ||
           strcmp(session->places.owner->name, caller->conversation) == 0;
}

/* A private session of that name that the caller may see. Others' are not even looked at, so that
 * nobody can tell by the time it takes that there are any. */
static struct tb_session *find_hidden(const struct tb_tenant *tenant,
                                      const struct tb_caller *caller, struct tb_str name)
{
    const struct tb_conversation *own = tb_conversation_find(tenant, caller->conversation);
    if (own) {
        LIST_FOREACH(link, &own->sessions) {
            struct tb_session *session = tb_session_owned(link);
            if (session->traits.hidden && tb_str_eq_cstr(name, session->name)) {
                return session;
            }
        }
    }
    if (caller->everyone) {
        LIST_FOREACH(link, &tenant->sessions) {
            struct tb_session *session = tb_session_of(link);
            if (session->traits.hidden && tb_str_eq_cstr(name, session->name)) {
                return session;
            }
        }
    }
    return NULL;
}

struct tb_session *tb_sessions_reach(struct tb_sessions *sessions, const struct tb_caller *caller,
                                     struct tb_str id_or_name)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    struct tb_session *session = tenant ? find_hidden(tenant, caller, id_or_name) : NULL;
    if (!session) {
        session = tb_sessions_find(sessions, caller->who->tenant, id_or_name);
    }
    return session && tb_session_visible(session, caller) ? session : NULL;
}

void tb_sessions_forget(struct tb_session *session)
{
    struct tb_sessions *sessions = session->core->sessions;
    struct tb_tenant *tenant = session->places.home;
    tb_current_forget(session);
    if (!session->traits.hidden) {
        tb_map_remove(&tenant->by_name, tb_str_of(session->name));
    }
    tb_map_remove(&sessions->by_id, tb_str_of(session->id));
    tenant->count--;
    tb_sessions_count_awake(session, -1);
    tb_conversation_disown(session);
    tb_list_remove(&session->places.link);
    tb_list_append(&sessions->closing, &session->places.link);
}

void tb_sessions_gone(struct tb_session *session)
{
    struct tb_sessions *sessions = session->core->sessions;
    const struct tb_driver_slot *slot =
        tb_driver_named(session->core, tb_str_of(session->driver->name));
    if (slot && session->driver->forget) {
        session->driver->forget(slot->state, session->id);
    }
    tb_session_record_free(session);
    tb_sessions_check_drained(sessions);
}

/* NULL: there is none. One that is just ending, and tells somebody so, is still in the tables. */
static struct tb_session *first_live(const struct tb_tenant *tenant)
{
    LIST_FOREACH(link, &tenant->sessions) {
        if (!tb_session_ended(tb_session_of(link))) {
            return tb_session_of(link);
        }
    }
    return NULL;
}

size_t tb_sessions_end_all(struct tb_sessions *sessions, const char *tenant,
                           enum tb_end_reason reason, struct tb_gate *gate)
{
    const struct tb_tenant *found = tb_tenant_find(sessions, tenant);
    struct tb_session *session;
    size_t count = 0;
    while (found && (session = first_live(found))) {
        tb_session_end_stored(session, reason, gate);
        count++;
    }
    return count;
}

/* The sessions that are meant, as ids: whoever hears of an end may end others. With `everyone` an
 * agent sweeps what it can reach; the private sessions of others are for the tenant's operator. */
static size_t collect(const struct tb_tenant *tenant, const struct tb_caller *caller, bool everyone,
                      char (*ret_ids)[TB_ID_SIZE])
{
    const struct tb_conversation *owner = tb_conversation_find(tenant, caller->conversation);
    size_t count = 0;
    LIST_FOREACH(link, &tenant->sessions) {
        const struct tb_session *session = tb_session_of(link);
        if (session->places.owner == owner || (everyone && tb_session_visible(session, caller))) {
            memcpy(ret_ids[count++], session->id, TB_ID_SIZE);
        }
    }
    return count;
}

size_t tb_sessions_close_all(struct tb_sessions *sessions, const struct tb_caller *caller,
                             bool everyone, bool detach, struct tb_gate *gate)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    if (!tenant) {
        return 0;
    }
    TB_AUTO(tb_free) char(*ids)[TB_ID_SIZE] = tb_zalloc((tenant->count + 1) * TB_ID_SIZE);
    size_t count = collect(tenant, caller, everyone, ids);
    for (size_t i = 0; i < count; i++) {
        struct tb_session *session = tb_map_get(&sessions->by_id, tb_str_of(ids[i]));
        if (session && detach) {
            tb_session_detach(session, caller, gate);
        } else if (session) {
            tb_session_close(session, caller, gate);
        }
    }
    return count;
}

size_t tb_sessions_stop_all(struct tb_sessions *sessions, const char *tenant, struct tb_gate *gate)
{
    const struct tb_tenant *found = tb_tenant_find(sessions, tenant);
    const struct tb_event event = {
        .type = TB_EVENT_GLOBAL_STOP,
        .tenant = tenant,
        .session_id = "",
        .agent = TB_OPERATOR,
        .gate = gate,
        .fields = {tb_field_number("sessions", found ? (int64_t)found->count : 0)},
    };
    tb_log_at(sessions->core->log, WARN, "session", "global stop", tb_kv_cstr("tenant", tenant));
    tb_bus_publish(&sessions->core->bus, &event);
    if (found) {
        tb_removals_repeat(sessions->removals, found, gate);
    }
    return tb_sessions_end_all(sessions, tenant, TB_END_GLOBAL_STOP, gate);
}

void tb_sessions_store_again(struct tb_sessions *sessions)
{
    MAP_FOREACH(slot, &sessions->by_id) {
        tb_session_store_again(slot->value);
    }
}

static bool kept(const struct tb_session *session, const struct tb_config_list *kinds)
{
    for (size_t i = 0; kinds && i < kinds->count; i++) {
        if (strcmp(kinds->items[i], tb_session_kind_name(session->kind)) == 0) {
            return true;
        }
    }
    return false;
}

/* One that goes with its conversation. */
static struct tb_session *leaving(const struct tb_tenant *tenant, const char *name,
                                  const struct tb_config_list *kept_kinds)
{
    const struct tb_conversation *conversation = tb_conversation_find(tenant, name);
    if (!conversation) {
        return NULL;
    }
    LIST_FOREACH(link, &conversation->sessions) {
        struct tb_session *session = tb_session_owned(link);
        if ((session->traits.of_conversation || session->traits.hidden) &&
            !tb_session_ended(session) && !kept(session, kept_kinds)) {
            return session;
        }
    }
    return NULL;
}

static void end_conversation(struct tb_sessions *sessions, const struct tb_caller *caller,
                             enum tb_end_reason reason, const struct tb_config_list *kept_kinds,
                             struct tb_gate *gate)
{
    struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    if (!tenant || !caller->conversation[0]) {
        return;
    }
    tb_members_leave_all(sessions, caller);
    struct tb_session *session = tb_current_get(tenant, caller->conversation);
    if (session) {
        tb_current_drop(tenant, caller->conversation);
        tb_record_put(session, gate);
    }
    /* From the start each time: whoever hears of an end may end others. */
    while ((session = leaving(tenant, caller->conversation, kept_kinds))) {
        tb_session_end_stored(session, reason, gate);
    }
}

bool tb_sessions_has(const struct tb_sessions *sessions, const struct tb_caller *caller)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    return tenant && leaving(tenant, caller->conversation, NULL) != NULL;
}

bool tb_sessions_end_conversation(struct tb_sessions *sessions, const struct tb_caller *caller,
                                  enum tb_end_reason reason, struct tb_gate *gate)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    bool known = tenant && tb_conversation_find(tenant, caller->conversation);
    end_conversation(sessions, caller, reason, NULL, gate);
    return known;
}

/* Who leaves before it is known what it has leaves nothing behind either. */
struct leaver {
    struct tb_resolve_ask ask;
    struct tb_sessions *sessions;
    struct tb_principal *who;
    char conversation[TB_CONVERSATION_SIZE];
};

static void on_known(struct tb_resolve_ask *ask, const struct tb_place *place,
                     const struct tb_err *err)
{
    struct leaver *leaver = TB_CONTAINER(ask, struct leaver, ask);
    struct tb_sessions *sessions = leaver->sessions;
    const struct tb_caller caller = {.who = leaver->who, .conversation = leaver->conversation};
    struct tb_place again;
    (void)place;
    if (err && err->code == TB_E_STORE &&
        tb_resolve(sessions, &leaver->ask, &again, NULL) == TB_LATER) {
        return; /* the store is tried again */
    }
    if (!err) {
        end_conversation(sessions, &caller, TB_END_CONVERSATION_ENDED,
                         &sessions->core->config->mcp_keep_kinds, NULL);
    }
    sessions->leaver_count--;
    tb_principal_unref(leaver->who, "leaver");
    tb_free(leaver);
}

void tb_sessions_leave_conversation(struct tb_sessions *sessions, const struct tb_caller *caller)
{
    struct tb_place place;
    tb_members_leave_all(sessions, caller);
    tb_current_pass(sessions, caller);
    /* A store that cannot be read must not let them pile up; what they have ends when it is idle.
     */
    if (strcmp(sessions->core->config->mcp_on_disconnect, "keep") == 0 ||
        sessions->leaver_count >= TB_CURRENT_MAX) {
        return;
    }
    struct leaver *leaver = TB_NEW(struct leaver);
    leaver->ask = (struct tb_resolve_ask){.flags = TB_RESOLVE_NONE, .fn = on_known};
    leaver->sessions = sessions;
    leaver->who = tb_principal_ref(caller->who, "leaver");
    snprintf(leaver->conversation, sizeof(leaver->conversation), "%s", caller->conversation);
    sessions->leaver_count++;
    if (tb_resolve(sessions, &leaver->ask, &place, NULL) == 0) {
        on_known(&leaver->ask, &place, NULL);
    }
}

bool tb_sessions_keep(const struct tb_sessions *sessions, struct tb_str id)
{
    return !tb_id_check(sessions->core->secret, id) || sessions->load ||
           tb_map_get(&sessions->by_id, id);
}

size_t tb_sessions_count(const struct tb_sessions *sessions)
{
    return sessions->by_id.count;
}
