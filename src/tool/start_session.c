/* SPDX-License-Identifier: Apache-2.0 */
/* data: what list_sessions says of it, and {headless, width, height, idle_ms, sleeps, warning};
 * with `url` also that of browser_navigate. */
#include "base/mem.h"
#include "core/call.h"
#include "core/core.h"
#include "core/ends.h"
#include "core/lifetime.h"
#include "core/session_policy.h"
#include "core/view.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

enum {
    DESCRIPTION_MAX = 64 * TB_KIB,
    USUAL_WIDTH = 1280,
    USUAL_HEIGHT = 720,
};

static const char *const kinds[] = {
#define TB_KIND(NAME, name, error, words) name,
#include "core/offers.def"
    NULL,
};
static const char *const providers[] = {
#define TB_PROVIDER(NAME, name, endpoint) name,
#include "core/offers.def"
    NULL,
};
static const char *const engines[] = {
#define TB_ENGINE(NAME, name) name,
#include "core/offers.def"
    NULL,
};
static const char *const name_aliases[] = {"session_id", "name", NULL};

static const struct tb_param proxy_fields[] = {
    {.name = "server", .type = TB_PARAM_TEXT, .help = "http:// or socks5://", .required = true},
    {.name = "username", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "password", .type = TB_PARAM_TEXT, .help = ""},
    TB_PARAM_ROW_END,
};

static const struct tb_param params[] = {
    {.name = "sessionId", .type = TB_PARAM_TEXT, .help = "Its name", .aliases = name_aliases},
    {.name = "kind", .type = TB_PARAM_CHOICE, .help = "", .choices = kinds, .fallback = "browser"},
    {.name = "provider",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = providers,
     .fallback = "local"},
    {.name = "endpoint", .type = TB_PARAM_TEXT, .help = "ws:// or wss://, for cdp"},
    {.name = "url", .type = TB_PARAM_TEXT, .help = "Page to open"},
    {.name = "headless", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "engine", .type = TB_PARAM_CHOICE, .help = "", .choices = engines, .fallback = "auto"},
    {.name = "viewport", .type = TB_PARAM_OBJECT, .help = "", .fields = tb_viewport_fields},
    {.name = "private", .type = TB_PARAM_FLAG, .help = "Hide from other agents"},
    {.name = "policy",
     .type = TB_PARAM_OBJECT,
     .help = "Narrows what it may do: allow_domains, block_domains, read_only, ...",
     .unlisted = true},
    {.name = "proxy",
     .type = TB_PARAM_OBJECT,
     .help = "",
     .fields = proxy_fields,
     .unlisted = true},
    TB_PARAM_ROW_TIMEOUT,
    TB_PARAM_ROW_END,
};

/* The arguments are checked, so their words are known. */
static struct tb_offer wanted_by(const struct cJSON *args)
{
    struct tb_offer wanted = tb_offer_usual;
    tb_session_kind_find(tb_args_text(args, "kind", ""), &wanted.kind);
    tb_provider_find(tb_args_text(args, "provider", ""), &wanted.provider);
    tb_engine_find(tb_args_text(args, "engine", ""), &wanted.engine);
    return wanted;
}

static int refuse_endpoint(struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(TB_KIB);
    for (int i = 0; i < TB_PROVIDER_COUNT; i++) {
        if (tb_provider_has_endpoint((enum tb_provider)i)) {
            tb_buf_printf(&names, "%s%s", names.len ? " or " : "",
                          tb_provider_name((enum tb_provider)i));
        }
    }
    return tb_fail(err, TB_E_PARAMS, "the argument 'endpoint' needs provider %.*s",
                   TB_STR_ARG(tb_buf_str(&names)));
}

static int check_endpoint(enum tb_provider provider, bool given, struct tb_err *err)
{
    bool needed = tb_provider_has_endpoint(provider);
    if (given && !needed) {
        return refuse_endpoint(err);
    }
    return given || !needed ? 0
                            : tb_fail(err, TB_E_PARAMS, "provider %s needs the argument 'endpoint'",
                                      tb_provider_name(provider));
}

/* Somebody else's browser goes where it likes: we are not in its way. */
static int check_policy(const struct tb_call *call, enum tb_provider provider, struct tb_err *err)
{
    const struct tb_principal *who = tb_call_caller(call)->who;
    struct tb_policy_set set = tb_caller_policies(tb_call_core(call), who, NULL);
    struct tb_policy *policy = NULL;
    const struct cJSON *given = tb_json_get(tb_call_args(call), "policy");
    int rc = given ? tb_policy_read(given, &policy, err) : 0;
    set.parts[TB_POLICY_SESSION] = policy;
    set.shared = false; /* whoever runs the browser answers for its network */
    if (rc == 0 && tb_provider_has_endpoint(provider) && !tb_policy_is_empty(&set)) {
        rc = tb_fail(err, TB_E_PARAMS,
                     "with provider %s, rules for domains, schemes and private networks cannot be "
                     "enforced; start it without them, or with provider local",
                     tb_provider_name(provider));
    }
    tb_policy_unref(policy, "check");
    return rc;
}

static int check(const struct tb_core *core, const struct tb_offer *wanted,
                 const struct tb_driver *driver, const struct cJSON *args, struct tb_err *err)
{
    int rc = check_endpoint(wanted->provider, tb_args_has(args, "endpoint"), err);
    return rc == 0 && tb_args_has(args, "url") && driver->check_op
               ? driver->check_op(core, TB_OP_NAVIGATE, args, err)
               : rc;
}

static int create(struct tb_call *call, struct tb_session **ret_session, struct tb_err *err)
{
    struct tb_core *core = tb_call_core(call);
    const struct cJSON *args = tb_call_args(call);
    const struct tb_offer wanted = wanted_by(args);
    const struct tb_driver_slot *slot;
    int rc = tb_driver_find(core, &wanted, &slot, err);
    if (rc < 0 || (rc = check(core, &wanted, slot->driver, args, err)) < 0 ||
        (rc = check_policy(call, wanted.provider, err)) < 0) {
        return rc;
    }
    /* What it takes to open the session again; the rest is only for now. */
    TB_AUTO(tb_json_free) struct cJSON *kept = tb_json_dup(args);
    tb_json_remove(kept, "url");
    tb_json_remove(kept, "sessionId");
    tb_json_remove(kept, "timeout_ms");
    tb_json_remove(kept, "private");
    const struct tb_session_spec spec = {
        .kind = wanted.kind,
        .name = tb_args_text(args, "sessionId", ""),
        .hidden = tb_args_flag(args, "private", false),
        .driver = slot->driver,
        .driver_state = slot->state,
        .args = kept,
        .gate = tb_call_gate(call),
        .deadline_ms = tb_call_deadline_ms(call),
    };
    const char *warning = NULL;
    rc =
        tb_sessions_create(core->sessions, tb_call_caller(call), &spec, ret_session, &warning, err);
    if (rc == 0) {
        struct cJSON *data = tb_call_out(call)->data;
        tb_json_set_cstr(data, "sessionId", tb_session_info(*ret_session).name);
        if (warning) {
            tb_json_set_cstr(data, "warning", warning);
        }
    }
    return rc;
}

static void describe(struct tb_call *call, const struct tb_session *session)
{
    struct cJSON *data = tb_call_out(call)->data;
    const struct cJSON *args = tb_call_args(call);
    const struct cJSON *viewport = tb_json_get(args, "viewport");
    const struct tb_config *config = tb_call_core(call)->config;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(DESCRIPTION_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    tb_session_describe(session, tb_call_caller(call), &json);
    TB_AUTO(tb_json_free) struct cJSON *record = tb_json_parse(tb_buf_str(&text));
    JSON_ARRAY_FOREACH(member, record) {
        tb_json_set_take(data, tb_json_name(member), tb_json_dup(member));
    }
    tb_json_set_bool(data, "headless", tb_args_flag(args, "headless", config->browser_headless));
    tb_json_set_int(data, "width", tb_args_int(viewport, "width", USUAL_WIDTH));
    tb_json_set_int(data, "height", tb_args_int(viewport, "height", USUAL_HEIGHT));
    const struct tb_lifetime lifetime = tb_lifetime_of(session);
    tb_json_set_int(data, "idle_ms", lifetime.idle_ms);
    tb_json_set_bool(data, "sleeps", lifetime.at_idle == TB_IDLE_HIBERNATE);
}

/* The session stays: what was wrong was the address, and starting costs more than opening another
 * one. */
static void say_no_page(struct tb_result *out, const struct tb_session *session,
                        const struct tb_result *page)
{
    TB_AUTO(tb_buf_fini) struct tb_buf next = TB_BUF(TB_KIB);
    tb_view_hint(out->view,
                 "Use {browser_navigate} with this sessionId, not {start_session}, for the next "
                 "attempt",
                 &next);
    tb_result_fail(out, page->code, "session \"%s\" is open, but its page is not: %s. %.*s",
                   tb_session_info(session).name, page->message, TB_STR_ARG(tb_buf_str(&next)));
}

/* It ends with this call, which is all that it was kept for. */
static void say_too_old(struct tb_result *out, const struct tb_session *session)
{
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(TB_KIB);
    tb_end_words(session, TB_END_MAX_AGE, &words);
    tb_result_fail(out, tb_end_reason_code(TB_END_MAX_AGE), "Session '%s' %.*s",
                   tb_session_info(session).name, TB_STR_ARG(tb_buf_str(&words)));
}

static void on_page(struct tb_call *call, const struct tb_result *page, void *user)
{
    struct tb_result *out = tb_call_out(call);
    const struct tb_session *session = tb_call_session(call);
    (void)user;
    if (session && tb_session_info(session).retiring && page->code != TB_E_CANCELLED) {
        say_too_old(out, session);
    } else if (session && page->code < 0) {
        say_no_page(out, session, page);
    }
    JSON_ARRAY_FOREACH(member, page->data) {
        tb_json_set_take(out->data, tb_json_name(member), tb_json_dup(member));
    }
    tb_call_finish(call);
}

static void on_open(struct tb_call *call)
{
    struct tb_str url = tb_args_text(tb_call_args(call), "url", "");
    struct tb_session *session =
        tb_sessions_reach(tb_call_core(call)->sessions, tb_call_caller(call),
                          tb_data_text(tb_call_out(call)->data, "sessionId"));
    if (session) {
        describe(call, session);
    }
    if (!url.len) {
        tb_call_finish(call);
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *args = tb_json_new_object();
    tb_json_set_str(args, "url", url);
    tb_call_step(call, &(struct tb_entry){.tool = &tb_tool_browser_navigate}, args, on_page, NULL);
}

static void run(struct tb_call *call)
{
    struct tb_session *session = NULL;
    struct tb_err err = {0};
    if (create(call, &session, &err) < 0) {
        tb_result_fail_err(tb_call_out(call), &err);
        tb_call_finish(call);
        return;
    }
    tb_call_enter(call, session, on_open);
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    int64_t idle_ms = tb_data_int(data, "idle_ms");
    struct tb_str warning = tb_data_text(data, "warning");
    tb_buf_append_cstr(out, "Session ");
    tb_print_quoted(tb_data_text(data, "sessionId"), out);
    tb_buf_append_cstr(out, " started and is now the current one.");
    if (idle_ms > 0) {
        bool sleeps = tb_data_flag(data, "sleeps");
        tb_buf_printf(out, " It %s after ", sleeps ? "sleeps" : "ends");
        tb_span_print(idle_ms, out);
        tb_buf_printf(out, " without a call%s.", sleeps ? "; the next call wakes it" : "");
    }
    if (tb_data_flag(data, "private")) {
        tb_buf_append_cstr(out, " It is private and ends with this conversation.");
    }
    if (tb_data_text(data, "url").len) {
        tb_buf_append_char(out, ' ');
        tb_tool_browser_navigate.print(result, out);
    }
    if (warning.len) {
        tb_buf_append_char(out, '\n');
        tb_buf_append_str(out, warning);
    }
}

const struct tb_tool tb_tool_start_session = {
    .name = "start_session",
    .title = "Start session",
    .description =
        "Start a browser with its own cookies and make it current. Needed only for several at once: "
        "browser_navigate starts one.",
    .flags = TB_TOOL_NO_SESSION | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_NONE,
    .run = run,
    .print = print,
};
