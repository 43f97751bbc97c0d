/* SPDX-License-Identifier: Apache-2.0 */
/* Making a session: its name, its place in the table. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/ends.h"
#include "core/lifetime.h"
#include "core/limits.h"
#include "core/policies.h"
#include "core/records.h"
#include "core/session_hibernate.h"
#include "core/session_life.h"
#include "core/session_policy.h"
#include "core/sessions_internal.h"

/* Names. */

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

static bool name_valid(struct tb_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!name_char(name.ptr[i])) {
            return false;
        }
    }
    /* "." and ".." mean something to whoever makes a path of it. */
    return name.len > 0 && name.len < TB_NAME_SIZE && name.ptr[0] != '.';
}

void tb_tenant_note_name(struct tb_tenant *tenant, enum tb_session_kind kind, struct tb_str name)
{
    struct tb_str kind_name = tb_str_of(tb_session_kind_name(kind));
    uint64_t number;
    if (tb_str_starts(name, kind_name) &&
        tb_str_to_u64(tb_str_sub(name, kind_name.len + 1, name.len), &number) &&
        number < UINT32_MAX && number > tenant->numbers[kind]) {
        tenant->numbers[kind] = (unsigned)number;
    }
}

/* A private one leaves no gap in the numbers that others see. */
static void name_make(struct tb_sessions *sessions, const struct tb_caller *caller,
                      struct tb_session *session)
{
    unsigned own = 0;
    unsigned *number =
        session->traits.hidden ? &own : &session->places.home->numbers[session->kind];
    do {
        snprintf(session->name, sizeof(session->name), "%s-%u", tb_session_kind_name(session->kind),
                 ++*number);
    } while (tb_sessions_reach(sessions, caller, tb_str_of(session->name)));
}

static int check_name(struct tb_sessions *sessions, const struct tb_caller *caller,
                      struct tb_str name, struct tb_err *err)
{
    if (!name.len) {
        return 0;
    }
    if (!name_valid(name)) {
        return tb_fail(
            err, TB_E_PARAMS,
            "a session's name must have 1 to %d characters, each a letter, a digit, '_', '.' or "
            "'-', and must not begin with '.'",
            TB_NAME_SIZE - 1);
    }
    if (tb_sessions_reach(sessions, caller, name)) {
        return tb_fail(err, TB_E_SESSION_EXISTS, "Session '%.*s' already exists", TB_STR_ARG(name));
    }
    return 0;
}

/* Making one. */

struct tb_tenant *tb_tenant_make(struct tb_sessions *sessions, const char *name)
{
    struct tb_tenant *tenant = tb_tenant_find(sessions, name);
    if (tenant) {
        return tenant;
    }
    tenant = TB_NEW(struct tb_tenant);
    snprintf(tenant->name, sizeof(tenant->name), "%s", name);
    tenant->core = sessions->core;
    tb_list_init(&tenant->sessions);
    for (size_t i = 0; i < TB_TAKES_COUNT; i++) {
        tb_list_init(&tenant->awake[i]);
    }
    tb_list_init(&tenant->current_order);
    tb_list_init(&tenant->ends);
    tb_flood_init(&tenant->denials, sessions->core->loop, tb_call_tell_denials);
    tb_map_init(&tenant->by_name);
    tb_map_init(&tenant->conversations);
    tb_map_add(&sessions->tenants, tb_str_of(tenant->name), tenant);
    tb_policies_note_tenant(sessions->core->policies, tenant->name);
    return tenant;
}

int tb_sessions_add(struct tb_session *session)
{
    struct tb_sessions *sessions = session->core->sessions;
    struct tb_tenant *tenant = session->places.home;
    if (tb_map_add(&sessions->by_id, tb_str_of(session->id), session) < 0) {
        return -EEXIST;
    }
    if (!session->traits.hidden &&
        tb_map_add(&tenant->by_name, tb_str_of(session->name), session) < 0) {
        tb_map_remove(&sessions->by_id, tb_str_of(session->id));
        return -EEXIST;
    }
    tb_list_append(&tenant->sessions, &session->places.link);
    tenant->count++;
    tb_sessions_count_awake(session, 1);
    return 0;
}

/* Who stopped an agent's session does not want it to go on in the next one as if nothing was. */
static int check_stopped(const struct tb_tenant *tenant, const struct tb_caller *caller,
                         struct tb_err *err)
{
    const struct tb_end *end = tb_end_unheard(tenant, caller);
    if (!end) {
        return 0;
    }
    tb_end_warn(tenant, tb_end_id(end), caller->conversation);
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(TB_KIB);
    tb_end_print(tenant->core, end, &words);
    return tb_fail(err, TB_E_SESSION_STOPPED, "%.*s", TB_STR_ARG(tb_buf_str(&words)));
}

static int check_spec(struct tb_sessions *sessions, const struct tb_caller *caller,
                      const struct tb_session_spec *spec, bool owned, struct tb_err *err)
{
    if (sessions->draining) {
        return tb_fail(err, TB_E_SHUTDOWN, "the daemon is stopping");
    }
    if (!tb_store_ready(&sessions->core->store, err)) {
        return TB_E_STORE;
    }
    /* All who name no conversation are one, so it would be private to nobody. */
    if (spec->hidden && !caller->conversation[0]) {
        return tb_fail(
            err, TB_E_PARAMS,
            "a private session belongs to a conversation, and this call names none; name "
            "it with the header X-Conversation-Id or with \"tabard/conversation\" in "
            "_meta, or leave out private");
    }
    struct tb_tenant *tenant = tb_tenant_make(sessions, caller->who->tenant);
    int rc = check_name(sessions, caller, spec->name, err);
    if (rc == 0) {
        rc = check_stopped(tenant, caller, err);
    }
    return rc < 0 ? rc
                  : tb_sessions_admit(
                        tenant, &(struct tb_newcomer){spec->kind, caller->who->key, owned}, err);
}

static struct tb_session *make(struct tb_sessions *sessions, const struct tb_caller *caller,
                               const struct tb_session_spec *spec, bool owned)
{
    struct tb_session *session = tb_session_new(sessions, caller->who->tenant);
    session->kind = spec->kind;
    session->driver = spec->driver;
    session->traits.files = caller->files;
    tb_id_make(sessions->core->secret, session->id);
    snprintf(session->key, sizeof(session->key), "%s", caller->who->key);
    session->bounds.starter = tb_policy_ref(caller->who->policy, "session");
    session->traits.of_conversation = owned;
    session->traits.brief = owned && caller->brief;
    session->traits.hidden = spec->hidden;
    session->traits.passing = spec->hidden && caller->passing;
    if (spec->name.len) {
        memcpy(session->name, spec->name.ptr, spec->name.len);
    } else {
        name_make(sessions, caller, session);
    }
    tb_conversation_own(caller->conversation, session);
    int64_t ttl_ms = tb_lifetime_of(session).ttl_ms;
    tb_session_touch(session);
    session->times.created_ms = session->times.last_active_ms;
    session->times.created_wall_ms = session->times.last_active_wall_ms;
    session->times.ttl_at_ms = ttl_ms ? session->times.created_ms + ttl_ms : 0;
    return session;
}

static void tell_start(struct tb_session *session, const struct tb_caller *caller,
                       struct tb_gate *gate)
{
    struct tb_core *core = session->core;
    core->metrics.values[TB_METRIC_SESSIONS_TOTAL]++;
    tb_log_at(core->log, INFO, "session", "started",
              tb_kv("id", tb_str_sub(tb_str_of(session->id), 0, TB_ID_SHOWN)),
              tb_kv_cstr("name", session->name),
              tb_kv_cstr("type", tb_session_kind_name(session->kind)),
              tb_kv_cstr("driver", session->driver->name), tb_kv_cstr("tenant", session->tenant));
    struct tb_event event = tb_session_event(session, TB_EVENT_SESSION_STARTED);
    event.agent = caller->agent && caller->agent[0] ? caller->agent : NULL;
    event.gate = gate;
    event.fields[1] = tb_field_cstr("driver", session->driver->name);
    tb_bus_publish(&core->bus, &event);
}

static const char *warn(const struct tb_session *session)
{
    struct tb_sessions *sessions = session->core->sessions;
    const struct tb_tenant *tenant = session->places.home;
    const int64_t usual = sessions->core->config->sessions_per_tenant;
    if (tb_session_takes(session) != TB_TAKES_BROWSER || tenant->named_count <= (size_t)usual) {
        return NULL;
    }
    snprintf(
        sessions->warning, sizeof(sessions->warning),
        "Warning: %zu sessions with a browser or device are open, more than the usual %lld; close those that you no longer "
        "need.",
        tenant->named_count, (long long)usual);
    return sessions->warning;
}

int tb_sessions_create(struct tb_sessions *sessions, const struct tb_caller *caller,
                       const struct tb_session_spec *spec, struct tb_session **ret_session,
                       const char **ret_warning, struct tb_err *err)
{
    bool owned = spec->for_conversation && caller->conversation[0];
    int rc = check_spec(sessions, caller, spec, owned, err);
    if (rc < 0) {
        return rc;
    }
    struct tb_session *session = make(sessions, caller, spec, owned);
    rc = tb_record_keep_args(session, spec->args, err);
    rc = rc < 0 ? rc : tb_session_policy_read(session, spec->args, err);
    if (rc < 0) {
        tb_session_record_free(session);
        return rc;
    }
    tb_sessions_add(session);
    const struct tb_session *before = tb_current_get(session->places.home, caller->conversation);
    session->end.fallback = before ? tb_strdup(before->id) : NULL;
    tb_current_choose(caller, session, spec->gate);
    *ret_warning = owned ? NULL : warn(session);
    tb_saving_begin(session);
    tb_session_rearm(session);
    tb_session_open(session, spec);
    tell_start(session, caller, spec->gate);
    *ret_session = session;
    return 0;
}
