/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sessions.h"

#include <string.h>

#include "core/call_internal.h"
#include "core/core.h"
#include "core/sessions_internal.h"

struct tb_sessions *tb_sessions_new(struct tb_core *core)
{
    struct tb_sessions *sessions = TB_NEW(struct tb_sessions);
    sessions->core = core;
    tb_map_init(&sessions->by_id);
    tb_map_init(&sessions->tenants);
    tb_list_init(&sessions->closing);
    tb_list_init(&sessions->calls);
    return sessions;
}

/* Tenants. */

struct tb_tenant *tb_tenant_find(const struct tb_sessions *sessions, const char *tenant)
{
    return tb_map_get(&sessions->tenants, tb_str_of(tenant));
}

static void tenant_free(struct tb_tenant *tenant)
{
    tb_map_fini(&tenant->by_name);
    tb_map_fini(&tenant->by_conversation);
    tb_map_fini(&tenant->currents);
    tb_free(tenant);
}

static size_t end_all(struct tb_tenant *tenant, enum tb_end_reason reason)
{
    size_t count = 0;
    while (!tb_list_empty(&tenant->sessions)) {
        tb_session_end(tb_session_of(tenant->sessions.next), reason);
        count++;
    }
    return count;
}

static void end_everything(struct tb_sessions *sessions)
{
    sessions->draining = true;
    MAP_FOREACH(slot, &sessions->tenants) {
        end_all(slot->value, TB_END_SHUTDOWN);
    }
}

/* The end of the table. */

static void on_drained(struct tb_deferred *job)
{
    struct tb_sessions *sessions = TB_CONTAINER(job, struct tb_sessions, drained_job);
    void (*fn)(void *user) = sessions->drained;
    sessions->drained = NULL;
    fn(sessions->drained_user);
}

static void check_drained(struct tb_sessions *sessions)
{
    if (sessions->drained && tb_list_empty(&sessions->closing)) {
        tb_loop_defer(sessions->core->loop, &sessions->drained_job);
    }
}

void tb_sessions_drain(struct tb_sessions *sessions, void (*fn)(void *user), void *user)
{
    sessions->drained = fn;
    sessions->drained_user = user;
    sessions->drained_job.run = on_drained;
    end_everything(sessions);
    check_drained(sessions);
}

void tb_sessions_stop(struct tb_sessions *sessions)
{
    if (!sessions) {
        return;
    }
    end_everything(sessions);
    while (!tb_list_empty(&sessions->calls)) {
        tb_call_drop(TB_CONTAINER(sessions->calls.next, struct tb_call, all));
    }
}

void tb_sessions_free(struct tb_sessions *sessions)
{
    if (!sessions) {
        return;
    }
    tb_sessions_stop(sessions);
    /* Closing is begun for all; whether it has ended is now between the drivers and their stop. */
    LIST_FOREACH_SAFE(link, &sessions->closing) {
        if (!tb_session_of(link)->closing) {
            tb_session_wind_up(tb_session_of(link));
        }
    }
    while (!tb_list_empty(&sessions->closing)) {
        struct tb_session *session = tb_session_of(sessions->closing.next);
        tb_op_call_free(session->op);
        session->op = NULL;
        tb_session_record_free(session);
    }
    tb_deferred_cancel(&sessions->drained_job);
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
    return found ? tb_map_get(&found->by_name, id_or_name) : NULL;
}

void tb_sessions_list(struct tb_sessions *sessions, const struct tb_caller *caller,
                      struct tb_json_writer *json)
{
    struct tb_tenant *tenant = tb_tenant_find(sessions, caller->tenant);
    const struct tb_session *current = NULL;
    tb_json_object_open(json);
    tb_json_key(json, "sessions");
    tb_json_array_open(json);
    if (tenant) {
        current = tb_current_get(tenant, caller->conversation);
        LIST_FOREACH(link, &tenant->sessions) {
            tb_session_describe(tb_session_of(link), json);
        }
    }
    tb_json_array_close(json);
    tb_json_key(json, "currentSession");
    tb_json_put_cstr(json, current ? current->name : NULL);
    tb_json_object_close(json);
}

void tb_sessions_forget(struct tb_session *session, enum tb_end_reason reason)
{
    struct tb_sessions *sessions = session->core->sessions;
    struct tb_tenant *tenant = session->home;
    struct tb_ended *slot = &tenant->ended[tenant->ended_next++ % TB_ENDED_KEPT];
    memcpy(slot->name, session->name, sizeof(slot->name));
    slot->reason = reason;
    tb_current_forget(session);
    tb_map_remove(&tenant->by_name, tb_str_of(session->name));
    tb_map_remove(&sessions->by_id, tb_str_of(session->id));
    if (session->conversation[0]) {
        tenant->conversation_count--;
    } else {
        tenant->named_count--;
    }
    tb_list_remove(&session->link);
    tb_list_append(&sessions->closing, &session->link);
    sessions->core->metrics.values[TB_METRIC_SESSIONS] = (int64_t)tb_sessions_count(sessions);
}

void tb_sessions_gone(struct tb_session *session)
{
    struct tb_sessions *sessions = session->core->sessions;
    tb_session_record_free(session);
    check_drained(sessions);
}

size_t tb_sessions_end_all(struct tb_sessions *sessions, const char *tenant,
                           enum tb_end_reason reason)
{
    struct tb_tenant *found = tb_tenant_find(sessions, tenant);
    return found ? end_all(found, reason) : 0;
}

static struct tb_session *of_conversation(struct tb_tenant *tenant, const char *conversation)
{
    LIST_FOREACH(link, &tenant->sessions) {
        if (strcmp(tb_session_of(link)->conversation, conversation) == 0) {
            return tb_session_of(link);
        }
    }
    return NULL;
}

void tb_sessions_end_conversation(struct tb_sessions *sessions, const struct tb_caller *caller,
                                  enum tb_end_reason reason)
{
    struct tb_tenant *tenant = tb_tenant_find(sessions, caller->tenant);
    if (!tenant || !caller->conversation[0]) {
        return;
    }
    tb_current_drop(tenant, caller->conversation);
    /* From the start each time: whoever hears of an end may end others. */
    struct tb_session *session;
    while ((session = of_conversation(tenant, caller->conversation))) {
        tb_session_end(session, reason);
    }
}

size_t tb_sessions_count(const struct tb_sessions *sessions)
{
    return sessions->by_id.count;
}
