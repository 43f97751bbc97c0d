/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/rest.h"

#include "base/mem.h"
#include "core/args.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/limits_print.h"
#include "core/sessions.h"
#include "front/errand.h"
#include "front/guard.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "front/rest/approvals.h"
#include "front/rest/calls.h"
#include "front/rest/keys.h"
#include "front/rest/openapi.h"
#include "front/rest/policy.h"
#include "front/rest/secrets.h"
#include "front/rest/sessions.h"
#include "front/rest/state.h"

static void close_conversation(struct tb_act *act)
{
    struct tb_caller caller = act->caller;
    caller.conversation = act->target;
    if (!tb_sessions_end_conversation(act->req->core->sessions, &caller, TB_END_CONVERSATION_ENDED,
                                      &act->gate)) {
        tb_reply_error(act->req, TB_E_NOT_FOUND, "no conversation of this name has a session");
        return;
    }
    tb_act_put_only(act, "closed", act->target);
    tb_act_finish(act);
}

/* It ends private sessions, too, which an agent never does to another. */
static void stop_all(struct tb_act *act)
{
    if (!act->caller.everyone) {
        tb_reply_error(
            act->req, TB_E_FORBIDDEN,
            "only the operator can stop everything: call this without X-Conversation-Id; agents "
            "use close_all_sessions");
        return;
    }
    size_t count =
        tb_sessions_stop_all(act->req->core->sessions, act->caller.who->tenant, &act->gate);
    tb_json_object_open(&act->json);
    tb_json_member_int(&act->json, "stopped", (int64_t)count);
    tb_json_object_close(&act->json);
    tb_act_finish(act);
}

static void show_limits(struct tb_act *act)
{
    tb_limits_print(act->req->core, act->caller.who, &act->json);
    tb_act_finish(act);
}

static void on_conversation_close(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, close_conversation);
}

static void on_stop_all(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, stop_all);
}

static void on_limits(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, show_limits);
}

/* What the routes take. */

#define END          \
    {                \
        .name = NULL \
    }

static const struct tb_param sessions_query[] = {
    {.name = "kind", .type = TB_PARAM_TEXT, .help = "Only sessions of this kind."},
    {.name = "state",
     .type = TB_PARAM_TEXT,
     .help = "Only sessions in this state: created, active, idle, hibernated, away or held."},
    {.name = "after",
     .type = TB_PARAM_TEXT,
     .help = "Goes on behind a list: what that one gives as next."},
    {.name = "limit", .type = TB_PARAM_INT, .help = "At most so many.", .min = 1, .max = 1000},
    END,
};

static const struct tb_param tools_query[] = {
    {.name = "session",
     .type = TB_PARAM_TEXT,
     .help = "Also the tools that this session's page brings."},
    END,
};

static const struct tb_param audit_query[] = {
    {.name = "after",
     .type = TB_PARAM_INT,
     .help = "Entries behind the one of this number, oldest first; else the newest come first.",
     .max = INT64_MAX},
    {.name = "before",
     .type = TB_PARAM_INT,
     .help = "Entries before the one of this number.",
     .max = INT64_MAX},
    {.name = "limit",
     .type = TB_PARAM_INT,
     .help = "At most so many.",
     .min = 1,
     .max = 1000,
     .fallback = "100"},
    {.name = "since",
     .type = TB_PARAM_TEXT,
     .help = "2026-01-31, 2026-01-31T12:00:00Z, or 90m, 24h, 7d for that long ago."},
    {.name = "until", .type = TB_PARAM_TEXT, .help = "The same."},
    {.name = "tenant", .type = TB_PARAM_TEXT, .help = "Only those of this tenant."},
    {.name = "session", .type = TB_PARAM_TEXT, .help = "Only those of this session."},
    {.name = "type", .type = TB_PARAM_TEXT, .help = "Only those of this type."},
    {.name = "tool", .type = TB_PARAM_TEXT, .help = "Only those of this tool."},
    {.name = "text", .type = TB_PARAM_TEXT, .help = "Only those that have this text in them."},
    END,
};

static const struct tb_param renew_body[] = {
    {.name = "ttl_ms",
     .type = TB_PARAM_INT,
     .help = "So long from now; 0: as long as usual.",
     .max = UINT32_MAX},
    END,
};

static const struct tb_param hold_body[] = {
    {.name = "for_ms",
     .type = TB_PARAM_INT,
     .help = "After so long it is handed back by itself.",
     .min = 1000,
     .max = 3600000,
     .fallback = "600000"},
    END,
};

static const struct tb_param release_body[] = {
    {.name = "note", .type = TB_PARAM_TEXT, .help = "For the agent."},
    END,
};

static const struct tb_param approve_body[] = {
    {.name = "approve", .type = TB_PARAM_FLAG, .required = true, .help = ""},
    END,
};

static const struct tb_param clear_body[] = {
    {.name = "confirm", .type = TB_PARAM_FLAG, .required = true, .help = "true"},
    END,
};

static const struct tb_param key_body[] = {
    {.name = "tenant", .type = TB_PARAM_TEXT, .help = "Default: the caller's own."},
    {.name = "label", .type = TB_PARAM_TEXT, .help = "For people."},
    {.name = "scopes", .type = TB_PARAM_ANY, .help = "\"act,observe\", or an array of them."},
    {.name = "expires",
     .type = TB_PARAM_ANY,
     .help = "How long it is valid: \"90m\", \"24h\", \"30d\", or milliseconds."},
    {.name = "calls_per_minute", .type = TB_PARAM_INT, .help = "", .max = INT64_MAX},
    {.name = "sessions_max", .type = TB_PARAM_INT, .help = "", .max = INT64_MAX},
    {.name = "policy", .type = TB_PARAM_OBJECT, .help = "Narrows what it may do."},
    END,
};

static const struct tb_param secret_body[] = {
    {.name = "value", .type = TB_PARAM_TEXT, .required = true, .help = ""},
    {.name = "domains", .type = TB_PARAM_TEXTS, .required = true, .help = ""},
    {.name = "totp", .type = TB_PARAM_FLAG, .help = "It is the seed of one-time codes."},
    {.name = "replace",
     .type = TB_PARAM_FLAG,
     .help = "A seed in the place of a password, or the reverse."},
    END,
};

static const struct tb_param check_body[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .required = true, .help = ""},
    END,
};

/* The routes. */

#define ROUTE(method, path, scope, run, over, ...)                               \
    {                                                                            \
        (method), (path), (scope), TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,         \
            .handle = (run), .gone = (over), .doc = &(const struct tb_route_doc) \
        {                                                                        \
            __VA_ARGS__                                                          \
        }                                                                        \
    }
#define ACT(method, path, scope, run, ...) ROUTE(method, path, scope, run, tb_act_gone, __VA_ARGS__)
#define CALL(method, path, scope, run, ...) \
    ROUTE(method, path, scope, run, tb_errand_gone, __VA_ARGS__)

static const struct tb_route routes[] = {
    ACT("GET", "/api/sessions", TB_SCOPE_OBSERVE, tb_rest_sessions_list, .name = "getSessions",
        .summary = "The sessions that there are.", .query = sessions_query, .gives = "SessionList"),
    CALL("POST", "/api/sessions", TB_SCOPE_ACT, tb_rest_session_start, .name = "createSession",
         .summary = "Starts a session.", .gives = "Result"),
    ACT("GET", "/api/sessions/{id}", TB_SCOPE_OBSERVE, tb_rest_session_show, .name = "getSession",
        .summary = "All that is known of a session.", .gives = "SessionInfo"),
    ACT("DELETE", "/api/sessions/{id}", TB_SCOPE_ACT, tb_rest_session_close,
        .name = "deleteSession", .summary = "Ends a session.", .gives = "Closed"),
    ACT("POST", "/api/sessions/{id}/close", TB_SCOPE_ACT, tb_rest_session_close,
        .name = "endSession", .summary = "Ends a session.", .gives = "Closed"),
    ACT("POST", "/api/sessions/{id}/renew", TB_SCOPE_ACT, tb_rest_session_renew,
        .name = "renewSession", .summary = "Gives a session more or less time.", .body = renew_body,
        .gives = "Session"),
    ACT("POST", "/api/sessions/{id}/hibernate", TB_SCOPE_ACT, tb_rest_session_hibernate,
        .name = "hibernateSession",
        .summary = "Saves a session and frees its browser; the next call brings it back.",
        .gives = "Session"),
    ACT("POST", "/api/sessions/{id}/wake", TB_SCOPE_ACT, tb_rest_session_wake,
        .name = "wakeSession", .summary = "Brings back the browser of a session that sleeps.",
        .gives = "Session"),
    ACT("POST", "/api/sessions/{id}/hold", TB_SCOPE_ACT, tb_rest_session_hold,
        .name = "holdSession", .summary = "Takes a session over: agents' calls wait.",
        .body = hold_body, .gives = "Session"),
    ACT("POST", "/api/sessions/{id}/release", TB_SCOPE_ACT, tb_rest_session_release,
        .name = "releaseSession", .summary = "Hands a session back to its agents.",
        .body = release_body, .gives = "Session"),
    ACT("GET", "/api/sessions/{id}/hosts", TB_SCOPE_OBSERVE, tb_rest_session_hosts,
        .name = "listHosts", .summary = "Whom a session's pages have talked to.", .gives = "Hosts"),
    CALL("GET", "/api/sessions/{id}/screenshot", TB_SCOPE_OBSERVE, tb_rest_screenshot,
         .name = "getScreenshot", .summary = "A picture of a session's page.", .type = "image/*"),
    CALL("POST", "/api/sessions/{id}/tools/{tool}", TB_SCOPE_OBSERVE, tb_rest_session_tool_call,
         .name = "callSessionTool", .summary = "Calls a tool in a session, also one of its page's.",
         .takes = "Arguments", .gives = "Result"),
    ACT("GET", "/api/tools", TB_SCOPE_OBSERVE, tb_rest_tools_list, .name = "listTools",
        .summary = "The tools that the caller may call.", .query = tools_query,
        .gives = "ToolList"),
    CALL("POST", "/api/tools/{tool}", TB_SCOPE_OBSERVE, tb_rest_tool_call, .name = "callTool",
         .summary = "Calls a tool, in the session that its arguments or the conversation mean.",
         .takes = "Arguments", .gives = "Result"),
    ACT("POST", "/api/conversations/{id}/close", TB_SCOPE_ACT, on_conversation_close,
        .name = "closeConversation", .summary = "Ends a conversation and its sessions.",
        .gives = "Closed"),
    ACT("GET", "/api/limits", TB_SCOPE_OBSERVE, on_limits, .name = "getLimits",
        .summary = "What the caller may use, and uses.", .gives = "Limits"),
    ACT("POST", "/api/stop-all", TB_SCOPE_ADMIN, on_stop_all, .name = "stopAll",
        .summary = "Ends all sessions of the tenant at once.", .gives = "Stopped"),
    ACT("GET", "/api/keys", TB_SCOPE_ADMIN, tb_rest_keys_list, .name = "listKeys",
        .summary = "The API keys.", .gives = "KeyList"),
    ACT("POST", "/api/keys", TB_SCOPE_ADMIN, tb_rest_keys_create, .name = "createKey",
        .summary = "Makes an API key; the reply alone has its text.", .body = key_body,
        .gives = "Key", .status = 201),
    ACT("DELETE", "/api/keys/{id}", TB_SCOPE_ADMIN, tb_rest_keys_revoke, .name = "revokeKey",
        .summary = "Revokes an API key: its calls and streams end.", .gives = "Revoked"),
    ACT("GET", "/api/policy/{tenant}", TB_SCOPE_ADMIN, tb_rest_policy_get, .name = "getPolicy",
        .summary = "What a tenant's agents may do, and where its pages may go.",
        .gives = "PolicyInfo"),
    ACT("PUT", "/api/policy/{tenant}", TB_SCOPE_ADMIN, tb_rest_policy_put, .name = "putPolicy",
        .summary = "Sets that.", .takes = "Policy", .gives = "PolicyInfo"),
    ACT("DELETE", "/api/policy/{tenant}", TB_SCOPE_ADMIN, tb_rest_policy_remove,
        .name = "deletePolicy", .summary = "Removes that.", .gives = "Removed"),
    ACT("POST", "/api/policy/{tenant}/check", TB_SCOPE_ADMIN, tb_rest_policy_check,
        .name = "checkPolicy", .summary = "Whether an address would be allowed.",
        .body = check_body, .gives = "PolicyVerdict"),
    ACT("GET", "/api/approvals", TB_SCOPE_ADMIN, tb_rest_approvals_list, .name = "listApprovals",
        .summary = "Calls that wait for a person's approval.", .gives = "ApprovalList"),
    ACT("POST", "/api/approvals/{id}", TB_SCOPE_ADMIN, tb_rest_approvals_decide,
        .name = "decideApproval", .summary = "Approves of a call, or refuses it.",
        .body = approve_body, .gives = "Decided"),
    ACT("GET", "/api/secrets", TB_SCOPE_ADMIN, tb_rest_secrets_list, .name = "listSecrets",
        .summary = "The names of the secrets.", .gives = "SecretList"),
    ACT("PUT", "/api/secrets/{id}", TB_SCOPE_ADMIN, tb_rest_secrets_set, .name = "setSecret",
        .summary = "Stores a secret.", .body = secret_body, .gives = "Set"),
    ACT("DELETE", "/api/secrets/{id}", TB_SCOPE_ADMIN, tb_rest_secrets_remove,
        .name = "deleteSecret", .summary = "Removes a secret.", .gives = "Removed"),
    ACT("GET", "/api/audit", TB_SCOPE_ADMIN, tb_rest_audit_list, .name = "listAudit",
        .summary = "Entries of the audit log.", .query = audit_query, .gives = "AuditList"),
    /* One chain for all tenants: what is cut is everybody's. */
    ACT("POST", "/api/audit/clear", TB_SCOPE_OPERATE, tb_rest_audit_clear, .name = "clearAudit",
        .summary = "Deletes the whole audit log.", .body = clear_body, .gives = "Cleared"),
    ROUTE("GET", "/api/openapi.json", TB_SCOPE_OBSERVE, tb_rest_openapi, NULL, .name = "getOpenApi",
          .summary = "This document.", .gives = "OpenApi"),
};

void tb_rest_openapi(struct tb_front_req *req)
{
    tb_rest_openapi_reply(req, routes, TB_COUNT(routes));
}

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    struct tb_rest *rest = TB_NEW(struct tb_rest);
    (void)err;
    rest->onces = tb_onces_new(core);
    tb_list_init(&rest->clearings.list);
    tb_rest_holds_init(&rest->holds);
    *ret_state = rest;
    return 0;
}

static bool before(struct tb_front_req *req)
{
    const struct tb_rest *rest = req->state;
    return tb_once_before(rest->onces, req);
}

static void stop(void *state)
{
    struct tb_rest *rest = state;
    tb_rest_clearings_free(&rest->clearings);
    tb_rest_holds_free(&rest->holds);
    tb_onces_free(rest->onces);
    tb_free(rest);
}

const struct tb_front tb_front_rest = {
    .name = "rest",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .cors = &tb_guard_cors,
    .before = before,
    .start = start,
    .stop = stop,
};
