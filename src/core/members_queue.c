/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a session's members in its queue. Each may have so many waiting, whatever the others
 * do, and whoever has the fewest running is next; a place is left for each of the others, so that
 * none has to wait for what another one asked and the page does not answer. */
#include "core/call_internal.h"
#include "core/core.h"
#include "core/members_internal.h"

void tb_member_free_if_done(struct tb_member *member)
{
    if (!member->session && !member->waiting && !member->running) {
        tb_free(member);
    }
}

/* Coming. */

static int check_rate(struct tb_member *member, struct tb_err *err)
{
    const struct tb_core *core = member->session->core;
    int64_t per_minute = core->config->client_calls_per_minute;
    int64_t now_ms = tb_loop_now_ms(core->loop);
    int64_t wait_ms = per_minute ? tb_rate_wait_ms(&member->rate, per_minute, now_ms) : 0;
    if (wait_ms) {
        return tb_fail(err, TB_E_RATE,
                       "an agent may make %lld calls per minute in session '%s'; try again in "
                       "%lld s",
                       (long long)per_minute, member->session->name,
                       (long long)(wait_ms + 999) / 1000);
    }
    if (per_minute) {
        tb_rate_take(&member->rate, per_minute, now_ms);
    }
    return 0;
}

static int check_queue(const struct tb_member *member, struct tb_err *err)
{
    const struct tb_session *session = member->session;
    return member->waiting >= (size_t)session->core->config->sessions_queue
               ? tb_fail(err, TB_E_BUSY,
                         "%zu calls of this agent are already waiting for session '%s'",
                         member->waiting, session->name)
               : 0;
}

int tb_member_call(struct tb_session *session, struct tb_call *call, struct tb_err *err)
{
    int rc = tb_member_hear(session, &call->from.caller, true, err);
    if (rc < 0) {
        return rc;
    }
    struct tb_member *member = tb_member_find(session, &call->from.caller);
    if (!member) { /* whoever heard of it has made it leave */
        return tb_fail(err, TB_E_CANCELLED, "the agent has left session '%s'", session->name);
    }
    if (check_rate(member, err) < 0) {
        call->unheard = true; /* a flood must not fill the log */
        return err->code;
    }
    if (check_queue(member, err) < 0) {
        return err->code;
    }
    call->place.member = member;
    member->waiting++;
    return 0;
}

/* Running. */

/* So many of one member's calls may run at a time. */
static size_t share(const struct tb_session *session)
{
    size_t width = session->driver->width ? session->driver->width : 1;
    size_t others = session->members.count ? session->members.count - 1 : 0;
    return width > others ? width - others : 1;
}

struct tb_list *tb_members_next(const struct tb_session *session)
{
    size_t most = share(session);
    struct tb_list *next = NULL;
    size_t fewest = most;
    LIST_FOREACH(link, &session->queue.waiting) {
        const struct tb_call *call = TB_CONTAINER(link, struct tb_call, link);
        size_t running = call->place.member ? call->place.member->running : 0;
        if (running < fewest) {
            next = link;
            fewest = running;
        }
        if (next && !fewest) {
            break;
        }
    }
    return next;
}

struct tb_str tb_member_call_id(const struct tb_call *call)
{
    return call->place.member ? tb_str_of(call->place.member->id) : TB_STR("");
}

void tb_member_call_runs(struct tb_call *call)
{
    struct tb_member *member = call->place.member;
    if (member) {
        member->waiting--;
        member->running++;
    }
}

void tb_member_call_ended(struct tb_call *call, bool was_running)
{
    struct tb_member *member = call->place.member;
    if (!member) {
        return;
    }
    call->place.member = NULL;
    *(was_running ? &member->running : &member->waiting) -= 1;
    member->heard_ms = tb_loop_now_ms(call->core->loop);
    tb_member_free_if_done(member);
}
