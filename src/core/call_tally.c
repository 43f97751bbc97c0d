/* SPDX-License-Identifier: Apache-2.0 */
#include "core/call_tally.h"

#include <stdio.h>
#include <string.h>

#include "core/call_internal.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/sessions_internal.h"

enum {
    SPAN_MS = 1000,
};

struct tally {
    struct tb_list link;   /* of all */
    struct tb_list beside; /* of its session's */
    struct tb_session *session;
    char conversation[TB_CONVERSATION_SIZE];
    char agent[TB_AGENT_SIZE];
    char *tool; /* empty: there were too many to tell them apart */
    int code;
    int64_t count;
    int64_t number;     /* of the first call among the session's */
    int64_t longest_ms; /* that one of them took */
    int64_t due_ms;
};

static struct tally *tally_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tally, link);
}

static struct tally *tally_beside(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tally, beside);
}

static void tally_free(struct tally *tally)
{
    tb_list_remove(&tally->link);
    tb_list_remove(&tally->beside);
    tally->session->members.tally_count--;
    tb_free(tally->tool);
    tb_free(tally);
}

/* Telling. */

static void tell(struct tally *tally)
{
    struct tb_core *core = tally->session->core;
    char conversation[TB_CONVERSATION_SHOWN];
    tb_conversation_show(core, tally->conversation, conversation);
    struct tb_event event = tb_session_event(tally->session, TB_EVENT_CALL_DONE);
    event.agent = tally->agent[0] ? tally->agent : NULL;
    event.tool = tally->tool[0] ? tally->tool : NULL;
    event.outcome = tally->code < 0 ? tb_err_name(tally->code) : "ok";
    event.fields[0] = tb_field_number("ms", tally->longest_ms);
    event.fields[1] = tb_field_cstr("conversation", conversation[0] ? conversation : NULL);
    event.fields[2] = tally->count > 1 ? tb_field_number("count", tally->count)
                                       : tb_field_number("action", tally->number);
    tb_list_remove(&tally->link); /* whoever hears of it may end the session */
    tb_list_remove(&tally->beside);
    tb_bus_publish(&core->bus, &event);
}

static void tell_and_free(struct tally *tally)
{
    tell(tally);
    tally_free(tally);
}

static void rearm(struct tb_tallies *tallies)
{
    if (!tb_list_empty(&tallies->list)) {
        int64_t due_ms = tally_of(tallies->list.next)->due_ms;
        tb_timer_start(&tallies->timer, due_ms - tb_loop_now_ms(tallies->timer.loop));
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_tallies *tallies = user;
    int64_t now_ms = tb_loop_now_ms(timer->loop);
    while (!tb_list_empty(&tallies->list) && tally_of(tallies->list.next)->due_ms <= now_ms) {
        tell_and_free(tally_of(tallies->list.next));
    }
    rearm(tallies);
}

void tb_tallies_init(struct tb_tallies *tallies, struct tb_loop *loop)
{
    tb_list_init(&tallies->list);
    tb_timer_init(&tallies->timer, loop, on_timer, tallies);
}

void tb_tallies_flush(struct tb_tallies *tallies)
{
    while (!tb_list_empty(&tallies->list)) {
        tell_and_free(tally_of(tallies->list.next));
    }
}

void tb_tallies_fini(struct tb_tallies *tallies)
{
    while (!tb_list_empty(&tallies->list)) {
        tally_free(tally_of(tallies->list.next));
    }
    tb_timer_fini(&tallies->timer);
}

void tb_session_flush_tallies(struct tb_session *session)
{
    while (!tb_list_empty(&session->members.tallies)) {
        tell_and_free(tally_beside(session->members.tallies.next));
    }
}

/* Counting. */

static struct tally *find(const struct tb_session *session, const struct tb_call *call,
                          const char *tool)
{
    LIST_FOREACH(link, &session->members.tallies) {
        struct tally *tally = tally_beside(link);
        if (tally->code == call->result.code && strcmp(tally->tool, tool) == 0 &&
            strcmp(tally->conversation, call->from.conversation) == 0 &&
            strcmp(tally->agent, call->from.agent) == 0) {
            return tally;
        }
    }
    return NULL;
}

static struct tally *tally_new(struct tb_session *session, const struct tb_call *call,
                               const char *tool)
{
    struct tb_tallies *tallies = &session->core->sessions->tallies;
    struct tally *tally = TB_NEW(struct tally);
    tally->session = session;
    snprintf(tally->conversation, sizeof(tally->conversation), "%s", call->from.conversation);
    snprintf(tally->agent, sizeof(tally->agent), "%s", call->from.agent);
    tally->tool = tb_strdup(tool);
    tally->code = call->result.code;
    tally->number = call->place.number;
    tally->due_ms = tb_loop_now_ms(session->core->loop) + SPAN_MS;
    tb_list_append(&tallies->list, &tally->link);
    tb_list_append(&session->members.tallies, &tally->beside);
    session->members.tally_count++;
    if (!tb_timer_armed(&tallies->timer)) {
        rearm(tallies);
    }
    return tally;
}

bool tb_tally_take(const struct tb_call *call)
{
    struct tb_sessions *sessions = call->core->sessions;
    struct tb_session *session = tb_map_get(&sessions->by_id, tb_str_of(call->place.id));
    if (!session || !tb_members_has(session)) {
        return false;
    }
    const char *tool = tb_call_tool_name(call);
    struct tally *tally = find(session, call, tool);
    if (!tally && session->members.tally_count >= TB_TALLIES_MAX) {
        tool = "";
        tally = find(session, call, tool);
    }
    tally = tally ? tally : tally_new(session, call, tool);
    int64_t ms = tb_loop_now_ms(call->core->loop) - call->accepted_ms;
    tally->longest_ms = ms > tally->longest_ms ? ms : tally->longest_ms;
    tally->count++;
    return true;
}
