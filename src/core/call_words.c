/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller is told of a call that came to nothing. */
#include "core/call_internal.h"
#include "core/session_internal.h"
#include "core/sessions_internal.h"

static size_t calls_before(const struct tb_call *call)
{
    size_t count = call->session->queue.running_count;
    LIST_FOREACH(link, &call->session->queue.waiting) {
        if (link == &call->link) {
            break;
        }
        count++;
    }
    return count;
}

void tb_call_say_late(const struct tb_call *call, struct tb_err *ret_err)
{
    int64_t ms = call->deadline_ms - call->accepted_ms;
    if (call->phase != TB_CALL_WAITING) {
        tb_fail(ret_err, TB_E_TIMEOUT, "not finished within %lld ms", (long long)ms);
        return;
    }
    if (!call->session) {
        tb_fail(ret_err, TB_E_TIMEOUT, "waited %lld ms for %s", (long long)ms,
                call->place.ask.awaits);
        return;
    }
    size_t before = calls_before(call);
    if (call->session->queue.holder) {
        tb_fail(
            ret_err, TB_E_HELD,
            "waited %lld ms, but a person has taken over session '%s' and has not handed it back",
            (long long)ms, call->place.name);
    } else if (before) {
        tb_fail(ret_err, TB_E_TIMEOUT, "waited %lld ms for %zu earlier call%s", (long long)ms,
                before, before == 1 ? "" : "s");
    } else if (tb_session_is_opening(call->session)) {
        tb_fail(ret_err, TB_E_TIMEOUT, "waited %lld ms for session '%s' to open", (long long)ms,
                call->place.name);
    } else {
        tb_fail(ret_err, TB_E_TIMEOUT, "waited %lld ms for an earlier call to release session '%s'",
                (long long)ms, call->place.name);
    }
}

bool tb_call_lacks_session(const struct tb_call *call, struct tb_err *err)
{
    struct tb_resolve_ask ask = {.caller = &call->from.caller,
                                 .named = tb_str_of(call->place.named)};
    struct tb_place place;
    bool named = ask.named.len || tb_caller_session(ask.caller).len;
    return named && !call->core->sessions->load &&
           tb_resolve(call->core->sessions, &ask, &place, err) < 0;
}
