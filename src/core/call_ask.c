/* SPDX-License-Identifier: Apache-2.0 */
/* A call that waits for a person's approval (core/approvals.h): as a whole before its session is
 * looked for, or, if it is the session's own policy that wants it or the call is a list of steps,
 * when its turn has come. */
#include "base/quote.h"
#include "core/approvals.h"
#include "core/args.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/session_policy.h"
#include "core/sessions_internal.h"
#include "core/url.h"

enum {
    QUESTION_MAX = 4 * TB_KIB, /* its parts are shorter together */
};

static const char *name_of(const struct tb_entry *entry)
{
    if (entry->brought) {
        return entry->brought->shown;
    }
    return entry->face ? entry->face->name : entry->tool->name;
}

bool tb_call_must_ask(const struct tb_call *call, const struct tb_entry *entry)
{
    const struct tb_policy_set set =
        tb_caller_policies(call->core, call->from.caller.who, call->session);
    return call->core->approvals && tb_policy_asks(&set, entry->tool->name, name_of(entry));
}

/* The question for the person at the client. */

/* The session that the call is in, or will be; NULL: not known yet. */
static const struct tb_session *session_of(const struct tb_call *call)
{
    struct tb_sessions *sessions = call->core->sessions;
    struct tb_str named = call->place.named ? tb_str_of(call->place.named)
                                            : tb_args_text(call->given.args, "sessionId", "");
    if (call->session || (call->entry.tool->flags & TB_TOOL_NO_SESSION)) {
        return call->session;
    }
    return named.len ? tb_sessions_reach(sessions, &call->from.caller, named)
                     : tb_resolve_meant(sessions, &call->from.caller);
}

/* The agent, or a page, chose the names and addresses: they stay within their quotes. */
static void print_question(const struct tb_call *call, const struct tb_approval_wish *wish,
                           struct tb_buf *out)
{
    const struct tb_session *session = session_of(call);
    struct tb_str to = tb_args_text(wish->args, "url", "");
    TB_AUTO(tb_buf_fini) struct tb_buf address = TB_BUF(TB_URL_SHOWN_MAX);
    struct tb_quoted shown;
    tb_buf_printf(out, "The agent wants to use the tool %s",
                  tb_quoted(&shown, tb_str_of(wish->tool), 0));
    if (session) {
        tb_buf_printf(out, " in session %s", tb_quoted(&shown, tb_str_of(session->name), 0));
    }
    if (session && session->url) {
        tb_buf_printf(out, ", which is at %s", tb_quoted(&shown, tb_str_of(session->url), 0));
    }
    if (to.len) {
        tb_url_shown(to, &address);
        tb_buf_printf(out, ", with the address %s", tb_quoted(&shown, tb_buf_str(&address), 0));
    }
    tb_buf_append_cstr(out, ". Allow it?");
}

static void prepare_question(struct tb_call *call, const struct tb_approval_wish *wish)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(QUESTION_MAX);
    if (call->asked.ask && call->core->config->policy_ask_client) {
        print_question(call, wish, &text);
        tb_free(call->asked.question);
        call->asked.question = tb_str_dup(tb_buf_str(&text));
        tb_loop_defer(call->core->loop, &call->asked.job);
    }
}

static void on_ask(struct tb_deferred *job)
{
    struct tb_call *call = TB_CONTAINER(job, struct tb_call, asked.job);
    call->asked.open = true;
    call->asked.ask(call, call->asked.question, call->user);
}

void tb_call_ask_init(struct tb_call *call, tb_call_ask_fn *ask)
{
    call->asked.ask = ask;
    call->asked.job.run = on_ask;
}

/* Whoever was asked and has not answered need not any more. */
static void withdraw(struct tb_call *call)
{
    tb_deferred_cancel(&call->asked.job);
    if (call->asked.open) {
        call->asked.open = false;
        call->asked.ask(call, NULL, call->user);
    }
}

void tb_call_answer_question(struct tb_call *call, bool approve)
{
    call->asked.open = false;
    tb_deferred_cancel(&call->asked.job);
    if (call->asked.approval) {
        tb_approval_answer(call->asked.approval, approve);
    }
}

void tb_call_leave(struct tb_call *call)
{
    call->asked.open = false;
    if (call->asked.approval) {
        tb_approval_hold(call->asked.approval, true);
    }
}

void tb_call_return(struct tb_call *call, tb_call_progress_fn *progress, void *user)
{
    call->progress = progress;
    call->user = user;
    if (call->asked.approval && !tb_approval_hold(call->asked.approval, false)) {
        tb_loop_defer(call->core->loop, &call->asked.job);
    }
}

/* Waiting. */

static void set_deadline(struct tb_call *call, int64_t deadline_ms)
{
    call->deadline_ms = deadline_ms;
    tb_timer_start(&call->timer, deadline_ms - tb_loop_now_ms(call->core->loop));
}

/* People take longer than pages, so unless the caller said how long the call may take, the wait
 * does not count. */
static void give_time(struct tb_call *call)
{
    if (!tb_args_has(call->given.args, "timeout_ms")) {
        call->asked.since_ms = tb_loop_now_ms(call->core->loop);
        call->asked.extra_ms = call->core->config->policy_ask_ms;
        set_deadline(call, call->deadline_ms + call->asked.extra_ms);
    }
}

static void take_time(struct tb_call *call)
{
    int64_t waited_ms = tb_loop_now_ms(call->core->loop) - call->asked.since_ms;
    if (waited_ms < call->asked.extra_ms) {
        set_deadline(call, call->deadline_ms - call->asked.extra_ms + waited_ms);
    }
    call->asked.extra_ms = 0;
}

static void on_decided(const struct tb_err *refusal, void *user)
{
    struct tb_call *call = user;
    void (*go_on)(struct tb_call *, const struct tb_err *) = call->asked.go_on;
    call->asked.approval = NULL;
    withdraw(call);
    take_time(call);
    go_on(call, refusal);
}

void tb_call_ask(struct tb_call *call, const struct tb_entry *entry, const struct cJSON *args,
                 void (*go_on)(struct tb_call *call, const struct tb_err *refusal))
{
    const struct tb_approval_wish wish = {.tenant = call->from.caller.who->tenant,
                                          .session = call->session ? call->session->name : "",
                                          .agent = call->from.agent,
                                          .tool = name_of(entry),
                                          .args = args};
    call->asked.go_on = go_on;
    call->place.ask.awaits = "a person's approval";
    call->asked.approval = tb_approval_new(call->core->approvals, &wish, on_decided, call);
    prepare_question(call, &wish);
    give_time(call);
}

void tb_call_ask_end(struct tb_call *call)
{
    withdraw(call);
    tb_approval_free(call->asked.approval);
    call->asked.approval = NULL;
    tb_free(call->asked.question);
    call->asked.question = NULL;
    tb_json_free(call->asked.args);
    call->asked.args = NULL;
}
