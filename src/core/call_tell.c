/* SPDX-License-Identifier: Apache-2.0 */
/* What the bus is told of a call: who did what where, how it went and how long it took. Arguments
 * and results stay out. */
#include "base/mem.h"
#include "core/call_internal.h"
#include "core/call_tally.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/sessions_internal.h"
#include "core/url.h"

static const char *outcome(int code)
{
    return code < 0 ? tb_err_name(code) : "ok";
}

/* What is not known is left out. */
static const char *known(const char *text)
{
    return text && text[0] ? text : NULL;
}

static struct tb_field count_of(const char *name, int64_t number)
{
    return number ? tb_field_number(name, number) : tb_field_cstr(name, NULL);
}

struct act {
    enum tb_event_type type;
    const char *tool;
    int code;
    const char *words; /* of the failure */
    int64_t since_ms;
    const char *url;
    int64_t step; /* 0: the whole call */
};

static void publish(struct tb_call *call, const struct act *act)
{
    struct tb_core *core = call->core;
    char conversation[TB_CONVERSATION_SHOWN];
    tb_conversation_show(core, call->from.conversation, conversation);
    const struct tb_event event = {
        .type = act->type,
        .tenant = call->from.caller.who->tenant,
        .session_id = call->place.id,
        .session = known(call->place.name),
        .hidden = call->place.hidden,
        .agent = known(call->from.agent),
        .tool = known(act->tool),
        .outcome = outcome(act->code),
        .gate = &call->gate,
        .fields = {tb_field_number("ms", tb_loop_now_ms(core->loop) - act->since_ms),
                   tb_field_cstr("conversation", known(conversation)),
                   tb_field_cstr("url", known(act->url)), count_of("action", call->place.number),
                   count_of("step", act->step),
                   tb_field_cstr("rule", act->code == TB_E_DENIED ? act->words : NULL),
                   tb_field_cstr("trace", call->given.trace)},
    };
    tb_bus_publish(&core->bus, &event);
}

void tb_call_tell_denials(struct tb_flood *flood, int64_t count)
{
    const struct tb_tenant *tenant = TB_CONTAINER(flood, struct tb_tenant, denials);
    const struct tb_event event = {
        .type = TB_EVENT_CALL_DONE,
        .tenant = tenant->name,
        .session_id = "",
        .outcome = outcome(TB_E_DENIED),
        .fields = {tb_field_number("count", count)},
    };
    tb_bus_publish(&tenant->core->bus, &event);
}

/* Whoever is refused can try again at once, so that of many there is a number only. */
static bool is_told(const struct tb_call *call, int code)
{
    return tb_bus_heard(&call->core->bus) &&
           (code != TB_E_DENIED ||
            tb_flood_tells(
                &tb_tenant_make(call->core->sessions, call->from.caller.who->tenant)->denials));
}

const char *tb_call_tool_name(const struct tb_call *call)
{
    if (call->entry.brought) {
        return call->entry.brought->shown;
    }
    return call->entry.tool ? call->entry.tool->name : "";
}

/* By the names of our own tools: pages choose those of theirs. */
static void measure(struct tb_call *call)
{
    struct tb_metrics *metrics = &call->core->metrics;
    const char *tool = call->entry.brought ? "page" : known(tb_call_tool_name(call));
    tool = tool ? tool : "unknown";
    tb_metrics_add(metrics, TB_SERIES_CALLS, tool, outcome(call->result.code), 1);
    tb_metrics_observe(metrics, TB_HISTOGRAM_CALL, tool, tb_clock_precise_us() - call->began_us);
}

void tb_call_tell(struct tb_call *call)
{
    struct tb_core *core = call->core;
    const struct act act = {.type = TB_EVENT_CALL_DONE,
                            .tool = tb_call_tool_name(call),
                            .code = call->result.code,
                            .words = call->result.message,
                            .since_ms = call->accepted_ms,
                            .url = call->place.url};
    measure(call);
    tb_log_at(core->log, DEBUG, "call", "done", tb_kv_cstr("tool", act.tool),
              tb_kv_cstr("code", outcome(act.code)),
              tb_kv_int("ms", tb_loop_now_ms(core->loop) - act.since_ms),
              tb_kv_cstr("session", call->place.name),
              tb_kv_cstr("trace", call->given.trace ? call->given.trace : "none"));
    bool is_refusal = act.code == TB_E_DENIED; /* which are counted in another way */
    if (is_told(call, act.code) && (is_refusal || !tb_tally_take(call))) {
        publish(call, &act);
    }
}

void tb_call_tell_step(struct tb_call *call, const struct tb_result *result)
{
    const struct act act = {.type = TB_EVENT_CALL_STEP,
                            .tool = call->step.tool,
                            .code = result->code,
                            .words = result->message,
                            .since_ms = call->step.since_ms,
                            .url = call->session ? call->session->url : NULL,
                            .step = call->step.count};
    if (call->step.tool && is_told(call, act.code)) {
        publish(call, &act);
    }
}

void tb_call_note_url(struct tb_call *call, const struct tb_result *result)
{
    struct tb_session *session = call->session;
    struct tb_str url;
    if (session && tb_json_str(tb_json_get(result->data, "url"), &url)) {
        TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(SIZE_MAX);
        tb_url_shown(url, &shown);
        if (!session->url || !tb_str_eq_cstr(tb_buf_str(&shown), session->url)) {
            tb_free(session->url);
            session->url = tb_str_dup(tb_buf_str(&shown));
        }
    }
}
