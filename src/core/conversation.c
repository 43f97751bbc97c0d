/* SPDX-License-Identifier: Apache-2.0 */
/* A conversation as far as core knows it: the sessions that it started, those that it is a member
 * of, and which of all it has chosen as its current one. Its record is made with the first of these
 * and freed with the last. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "core/core.h"
#include "core/ends.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/records.h"
#include "core/resolve.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"

enum {
    RECORDED_MAX = 50, /* callers of a session that are told in its record */
    SHOWN_BYTES = (TB_CONVERSATION_SHOWN - 1) / 2,
};

static struct tb_conversation *of_current(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_conversation, of_session);
}

struct tb_conversation *tb_conversation_find(const struct tb_tenant *tenant, const char *name)
{
    return tb_map_get(&tenant->conversations, tb_str_of(name));
}

struct tb_conversation *tb_conversation_make(struct tb_tenant *tenant, const char *name)
{
    struct tb_conversation *conversation = tb_conversation_find(tenant, name);
    if (conversation) {
        return conversation;
    }
    conversation = TB_NEW(struct tb_conversation);
    conversation->tenant = tenant;
    snprintf(conversation->name, sizeof(conversation->name), "%s", name);
    tb_list_init(&conversation->sessions);
    tb_list_init(&conversation->members);
    tb_map_add(&tenant->conversations, tb_str_of(conversation->name), conversation);
    return conversation;
}

void tb_conversation_free_if_done(struct tb_conversation *conversation)
{
    if (!conversation->current && tb_list_empty(&conversation->sessions) &&
        tb_list_empty(&conversation->members)) {
        tb_map_remove(&conversation->tenant->conversations, tb_str_of(conversation->name));
        tb_free(conversation);
    }
}

/* Owning. */

void tb_conversation_own(const char *name, struct tb_session *session)
{
    session->places.owner = tb_conversation_make(session->places.home, name);
    tb_list_append(&session->places.owner->sessions, &session->places.owned);
}

void tb_conversation_disown(struct tb_session *session)
{
    struct tb_conversation *owner = session->places.owner;
    tb_list_remove(&session->places.owned);
    session->places.owner = NULL;
    if (owner) {
        tb_conversation_free_if_done(owner);
    }
}

const char *tb_session_owner(const struct tb_session *session)
{
    return session->places.owner->name;
}

struct tb_session *tb_conversation_last(const struct tb_conversation *conversation)
{
    struct tb_session *last = NULL;
    LIST_FOREACH(link, &conversation->sessions) {
        struct tb_session *session = tb_session_owned(link);
        last =
            session->traits.of_conversation && session->state != TB_STATE_RETIRING ? session : last;
    }
    return last;
}

/* Choosing. */

static void drop(struct tb_conversation *conversation)
{
    conversation->tenant->current_count -= !conversation->passing;
    conversation->current = NULL;
    tb_list_remove(&conversation->of_session);
    tb_list_remove(&conversation->in_order);
    tb_conversation_free_if_done(conversation);
}

struct tb_session *tb_current_get(const struct tb_tenant *tenant, const char *name)
{
    const struct tb_conversation *conversation = tb_conversation_find(tenant, name);
    return conversation ? conversation->current : NULL;
}

void tb_current_drop(struct tb_tenant *tenant, const char *name)
{
    struct tb_conversation *conversation = tb_conversation_find(tenant, name);
    if (conversation && conversation->current) {
        drop(conversation);
    }
}

/* Of those that nobody ends the oldest goes. The others are as many as there are connections. */
static void count_choice(struct tb_tenant *tenant, struct tb_conversation *conversation)
{
    if (tenant->current_count >= TB_CURRENT_MAX) {
        drop(TB_CONTAINER(tenant->current_order.next, struct tb_conversation, in_order));
    }
    tb_list_append(&tenant->current_order, &conversation->in_order);
    tenant->current_count++;
}

void tb_current_set(struct tb_tenant *tenant, const char *name, struct tb_session *session,
                    bool passing)
{
    tb_current_drop(tenant, name);
    struct tb_conversation *conversation = tb_conversation_make(tenant, name);
    conversation->current = session;
    conversation->passing = passing;
    tb_list_append(&session->places.currents, &conversation->of_session);
    if (!passing) {
        count_choice(tenant, conversation);
    }
    if (session->places.owner == conversation) {
        tb_list_remove(&session->places.owned);
        tb_list_append(&conversation->sessions, &session->places.owned);
    }
}

void tb_current_pass(const struct tb_sessions *sessions, const struct tb_caller *caller)
{
    struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    const struct tb_conversation *conversation =
        tenant ? tb_conversation_find(tenant, caller->conversation) : NULL;
    if (conversation && conversation->passing) {
        tb_current_drop(tenant, caller->conversation);
    }
}

void tb_current_choose(const struct tb_caller *caller, struct tb_session *session,
                       struct tb_gate *gate)
{
    struct tb_session *before = tb_current_get(session->places.home, caller->conversation);
    if (before != session) {
        tb_current_set(session->places.home, caller->conversation, session, caller->passing);
        if (before) {
            tb_record_put(before, gate);
        }
    }
    tb_record_put(session, gate);
    if (before && before != session && caller->who) { /* else it is no choice of a caller's */
        tb_member_leave(before, caller);
    }
}

const struct tb_session *tb_current_return(struct tb_tenant *tenant, const struct tb_caller *caller,
                                           const struct tb_session *from, struct tb_gate *gate)
{
    const struct tb_conversation *own = tb_conversation_find(tenant, caller->conversation);
    struct tb_session *last = NULL;
    if (!own) {
        return NULL;
    }
    LIST_FOREACH(link, &own->sessions) {
        struct tb_session *session = tb_session_owned(link);
        bool goes_on = session->state != TB_STATE_RETIRING && !tb_session_too_old(session);
        last = session != from && goes_on ? session : last;
    }
    if (last) {
        tb_current_choose(caller, last, gate);
    }
    return last;
}

void tb_current_fall_back(struct tb_session *session)
{
    struct tb_sessions *sessions = session->core->sessions;
    struct tb_session *before = tb_map_get(
        &sessions->by_id, session->end.fallback ? tb_str_of(session->end.fallback) : TB_STR(""));
    bool is_current = tb_current_get(session->places.home, session->places.owner->name) == session;
    if (before && is_current && before->state != TB_STATE_RETIRING) {
        tb_current_choose(&(struct tb_caller){.conversation = session->places.owner->name}, before,
                          NULL);
    }
}

/* The earliest of the latest choices that fit; NULL: none does. */
static struct tb_list *first_printed(const struct tb_session *session, size_t room_bytes)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(room_bytes);
    struct tb_json_writer json;
    struct tb_list *first = NULL;
    size_t count = 0;
    tb_json_writer_init(&json, &text);
    tb_json_array_open(&json);
    for (struct tb_list *link = session->places.currents.prev;
         link != &session->places.currents && count < RECORDED_MAX; link = link->prev) {
        if (of_current(link)->passing) {
            continue;
        }
        tb_json_put_cstr(&json, of_current(link)->name);
        if (json.rc < 0) {
            break;
        }
        first = link;
        count++;
    }
    return first;
}

void tb_current_print(const struct tb_session *session, size_t room_bytes,
                      struct tb_json_writer *json)
{
    tb_json_array_open(json);
    for (struct tb_list *link = first_printed(session, room_bytes);
         link && link != &session->places.currents; link = link->next) {
        if (!of_current(link)->passing) {
            tb_json_put_cstr(json, of_current(link)->name);
        }
    }
    tb_json_array_close(json);
}

void tb_current_forget(struct tb_session *session)
{
    while (!tb_list_empty(&session->places.currents)) {
        tb_current_drop(session->places.home, of_current(session->places.currents.next)->name);
    }
}

/* Letting go of a session. */

static bool leaves_pages(const struct tb_session *session)
{
    return session->driver->detach && session->side == TB_SIDE_OPEN &&
           session->driver->detach(session->driver_session);
}

/* Of all that its owner could go back to it is the last. */
static void put_back(struct tb_session *session)
{
    tb_list_remove(&session->places.owned);
    tb_list_append(session->places.owner->sessions.next, &session->places.owned);
}

void tb_session_detach(struct tb_session *session, const struct tb_caller *caller,
                       struct tb_gate *gate)
{
    if (tb_current_get(session->places.home, caller->conversation) == session) {
        tb_current_drop(session->places.home, caller->conversation);
        tb_ends_forget(session->places.home, caller->conversation);
    }
    if (leaves_pages(session)) {
        tb_session_close(session, caller, gate);
        return;
    }
    if (strcmp(session->places.owner->name, caller->conversation) == 0) {
        put_back(session);
        if (session->traits.of_conversation) {
            tb_session_make_named(session);
        }
    }
    tb_record_put(session, gate);
    tb_member_leave(session, caller);
}

const struct tb_session *tb_session_give_up(struct tb_session *session,
                                            const struct tb_caller *caller, bool detach,
                                            struct tb_gate *gate)
{
    struct tb_tenant *tenant = session->places.home;
    bool current = tb_resolve_meant(session->core->sessions, caller) == session;
    if (detach) {
        tb_session_detach(session, caller, gate);
    } else {
        tb_session_close(session, caller, gate);
    }
    return current ? tb_current_return(tenant, caller, session, gate) : NULL;
}

/* Showing. */

static void show(const struct tb_core *core, struct tb_str what, const char *name,
                 char ret_shown[TB_CONVERSATION_SHOWN])
{
    uint8_t hash[TB_HASH_BYTES];
    const struct tb_str parts[] = {what, tb_str_of(name)};
    tb_hash_keyed(core->secret, parts, TB_COUNT(parts), hash);
    tb_hex(hash, SHOWN_BYTES, ret_shown);
}

void tb_conversation_show(const struct tb_core *core, const char *name,
                          char ret_shown[TB_CONVERSATION_SHOWN])
{
    ret_shown[0] = '\0';
    if (name[0]) {
        show(core, TB_STR("conversation"), name, ret_shown);
    }
}

void tb_caller_show(const struct tb_core *core, const char *conversation, const char *key,
                    char ret_shown[TB_CONVERSATION_SHOWN])
{
    tb_conversation_show(core, conversation, ret_shown);
    if (!ret_shown[0]) {
        show(core, TB_STR("key"), key, ret_shown);
    }
}
