/* SPDX-License-Identifier: Apache-2.0 */
#include "core/members.h"

#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/lifetime.h"
#include "core/members_internal.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"

/* Who it is. */

/* All who name no conversation share one, in which their credentials tell them apart. */
static const char *key_of(const struct tb_caller *caller)
{
    return caller->conversation[0] ? "" : caller->who->key;
}

void tb_member_id(const struct tb_core *core, const struct tb_caller *caller,
                  char ret_id[TB_MEMBER_ID_SIZE])
{
    char shown[TB_CONVERSATION_SHOWN];
    tb_caller_show(core, caller->conversation, caller->who->key, shown);
    snprintf(ret_id, TB_MEMBER_ID_SIZE, "agent-%s", shown);
}

struct tb_member *tb_member_find(const struct tb_session *session, const struct tb_caller *caller)
{
    const struct tb_conversation *conversation =
        tb_conversation_find(session->places.home, caller->conversation);
    if (!conversation) {
        return NULL;
    }
    LIST_FOREACH(link, &session->members.list) {
        struct tb_member *member = tb_member_of(link);
        if (member->conversation == conversation && strcmp(member->key, key_of(caller)) == 0) {
            return member;
        }
    }
    return NULL;
}

static int64_t most(const struct tb_session *session)
{
    return tb_lifetime_of(session).members_max;
}

bool tb_members_has(const struct tb_session *session)
{
    return most(session) > 0;
}

/* Telling. */

static void tell(const struct tb_session *session, enum tb_event_type type, const char *id,
                 const char *agent)
{
    struct tb_event event = tb_session_event(session, type);
    event.agent = agent[0] ? agent : NULL;
    event.fields[1] = tb_field_cstr("agent_id", id);
    tb_bus_publish(&session->core->bus, &event);
}

static void tell_joined(struct tb_member *member)
{
    const struct tb_session *session = member->session;
    /* Whoever hears of it may make it leave. */
    char id[TB_MEMBER_ID_SIZE];
    char agent[TB_AGENT_SIZE];
    memcpy(id, member->id, sizeof(id));
    memcpy(agent, member->agent, sizeof(agent));
    member->told = true;
    tell(session, TB_EVENT_AGENT_JOINED, id, agent);
}

static void take_name(struct tb_member *member, const char *agent)
{
    if (agent && agent[0]) {
        snprintf(member->agent, sizeof(member->agent), "%s", agent);
    }
}

/* Coming. */

static struct tb_member *member_new(struct tb_session *session, const struct tb_caller *caller)
{
    struct tb_member *member = TB_NEW(struct tb_member);
    member->session = session;
    member->conversation = tb_conversation_make(session->places.home, caller->conversation);
    snprintf(member->key, sizeof(member->key), "%s", key_of(caller));
    tb_member_id(session->core, caller, member->id);
    member->joined_wall_ms = tb_clock_wall_ms(session->core->clock);
    tb_list_append(&session->members.list, &member->link);
    tb_list_append(&member->conversation->members, &member->beside);
    session->members.count++;
    return member;
}

static int check_room(const struct tb_session *session, struct tb_err *err)
{
    int64_t max = most(session);
    if (!max) {
        return tb_fail(err, TB_E_NOT_POSSIBLE, "session '%s' (%s) has no members to join",
                       session->name, tb_session_kind_name(session->kind));
    }
    if (session->members.count >= (size_t)max) {
        return tb_fail(err, TB_E_LIMIT,
                       "session '%s' has %zu agents, and client.agents allows no more; wait until "
                       "one of them leaves",
                       session->name, session->members.count);
    }
    return 0;
}

static int ended(const struct tb_session *session, struct tb_err *err)
{
    return tb_fail(err, TB_E_SESSION_ENDED, "Session '%s' has ended", session->name);
}

int tb_member_hear(struct tb_session *session, const struct tb_caller *caller, bool calls,
                   struct tb_err *err)
{
    struct tb_member *member = tb_member_find(session, caller);
    if (tb_session_ended(session)) {
        return ended(session, err);
    }
    if (!member && check_room(session, err) < 0) {
        return err->code;
    }
    bool is_new = !member;
    member = is_new ? member_new(session, caller) : member;
    member->heard_ms = tb_loop_now_ms(session->core->loop);
    member->stays = member->stays || caller->passing;
    take_name(member, caller->agent);
    if (is_new) {
        tb_session_rearm(session);
    }
    if (!member->told && (calls || caller->agent)) {
        tell_joined(member);
    }
    return tb_session_ended(session) ? ended(session, err) : 0;
}

int tb_member_join(struct tb_session *session, const struct tb_caller *caller, struct tb_err *err)
{
    return tb_member_hear(session, caller, false, err);
}

int tb_member_choose(struct tb_session *session, const struct tb_caller *caller, struct tb_err *err)
{
    bool is_own = strcmp(tb_session_owner(session), caller->conversation) == 0;
    return is_own || !tb_members_has(session) ? 0 : tb_member_join(session, caller, err);
}

/* One of the caller's that the bus does not know; all are called now as the caller is. */
static struct tb_member *name_all(const struct tb_tenant *tenant, const struct tb_caller *caller)
{
    const struct tb_conversation *conversation =
        tenant ? tb_conversation_find(tenant, caller->conversation) : NULL;
    struct tb_member *untold = NULL;
    if (!conversation) {
        return NULL;
    }
    LIST_FOREACH(link, &conversation->members) {
        struct tb_member *member = TB_CONTAINER(link, struct tb_member, beside);
        if (strcmp(member->key, key_of(caller)) == 0) {
            take_name(member, caller->agent);
            untold = member->told ? untold : member;
        }
    }
    return untold;
}

void tb_members_introduce(struct tb_sessions *sessions, const struct tb_caller *caller)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    struct tb_member *untold;
    /* From the start each time: whoever hears of one may make others leave. */
    while ((untold = name_all(tenant, caller))) {
        tell_joined(untold);
    }
}

/* Going. */

/* It is on no list from now on; its record stays as long as its calls. It was gone since then. */
static void unlist(struct tb_member *member, int64_t gone_ms)
{
    struct tb_session *session = member->session;
    tb_list_remove(&member->link);
    tb_list_remove(&member->beside);
    if (--session->members.count == 0) {
        session->members.none_since_ms = gone_ms;
    }
    tb_conversation_free_if_done(member->conversation);
    member->session = NULL;
    tb_member_free_if_done(member);
}

static void leave(struct tb_member *member, int64_t gone_ms)
{
    const struct tb_session *session = member->session;
    const struct tb_member left = *member;
    unlist(member, gone_ms);
    if (left.told) {
        tell(session, TB_EVENT_AGENT_LEFT, left.id, left.agent);
    }
}

bool tb_member_leave(struct tb_session *session, const struct tb_caller *caller)
{
    struct tb_member *member = tb_member_find(session, caller);
    if (member) {
        leave(member, tb_loop_now_ms(session->core->loop));
    }
    return member != NULL;
}

void tb_members_leave_all(struct tb_sessions *sessions, const struct tb_caller *caller)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    const struct tb_conversation *conversation;
    while (tenant && caller->conversation[0] &&
           (conversation = tb_conversation_find(tenant, caller->conversation)) &&
           !tb_list_empty(&conversation->members)) {
        leave(TB_CONTAINER(conversation->members.next, struct tb_member, beside),
              tb_loop_now_ms(sessions->core->loop));
    }
}

/* INT64_MAX: not by itself. */
static int64_t leaves_ms(const struct tb_member *member, int64_t idle_ms, int64_t now_ms)
{
    bool calls = member->running + member->waiting > 0;
    return member->stays || !idle_ms ? INT64_MAX : (calls ? now_ms : member->heard_ms) + idle_ms;
}

static struct tb_member *next_to_leave(const struct tb_session *session, int64_t *ret_at_ms)
{
    int64_t idle_ms = tb_lifetime_of(session).idle_ms;
    int64_t now_ms = tb_loop_now_ms(session->core->loop);
    struct tb_member *next = NULL;
    *ret_at_ms = INT64_MAX;
    LIST_FOREACH(link, &session->members.list) {
        int64_t at_ms = leaves_ms(tb_member_of(link), idle_ms, now_ms);
        if (at_ms < *ret_at_ms) {
            *ret_at_ms = at_ms;
            next = tb_member_of(link);
        }
    }
    return next;
}

int64_t tb_members_due_ms(const struct tb_session *session)
{
    int64_t at_ms;
    next_to_leave(session, &at_ms);
    return at_ms;
}

void tb_members_expire(struct tb_session *session)
{
    int64_t now_ms = tb_loop_now_ms(session->core->loop);
    int64_t at_ms;
    struct tb_member *member;
    while ((member = next_to_leave(session, &at_ms)) && at_ms <= now_ms) {
        leave(member, member->heard_ms);
    }
}

void tb_members_clear(struct tb_session *session)
{
    LIST_FOREACH_SAFE(link, &session->members.list) {
        unlist(tb_member_of(link), 0);
    }
}

/* Looking. */

void tb_members_each(const struct tb_session *session, tb_member_fn *fn, void *user)
{
    LIST_FOREACH(link, &session->members.list) {
        const struct tb_member *member = tb_member_of(link);
        const struct tb_member_info info = {member->id, member->agent, member->joined_wall_ms};
        fn(&info, user);
    }
}

size_t tb_members_count(const struct tb_session *session)
{
    return session->members.count;
}
