/* SPDX-License-Identifier: Apache-2.0 */
/* What the routes of this front give, by tables like those of arguments. */
#include "core/args.h"
#include "front/rest/openapi.h"

#define MAYBE(called, kind, said)                                 \
    {                                                             \
        .name = (called), .type = TB_PARAM_##kind, .help = (said) \
    }
#define IS(called, kind, said)                                                      \
    {                                                                               \
        .name = (called), .type = TB_PARAM_##kind, .required = true, .help = (said) \
    }
#define OF(called, kind, what, needed)                                               \
    {                                                                                \
        .name = (called), .type = TB_PARAM_##kind, .required = (needed), .help = "", \
        .fields = (what), .open = true                                               \
    }
#define END          \
    {                \
        .name = NULL \
    }

static const char *const states[] = {"created", "active", "idle", "expired", "terminated", NULL};

static const struct tb_param error[] = {
    IS("code", TEXT, "docs/ERRORS.md has the list."),
    IS("message", TEXT, ""),
    IS("hint", TEXT, "What to do next."),
    END,
};

static const struct tb_param problem[] = {
    OF("error", OBJECT, error, true),
    IS("type", TEXT, "urn:tabard:error: and the code."),
    IS("title", TEXT, ""),
    IS("status", INT, ""),
    IS("detail", TEXT, ""),
    END,
};

static const struct tb_param image[] = {
    IS("mimeType", TEXT, ""),
    IS("data", TEXT, "In base64."),
    END,
};

static const struct tb_param result[] = {
    IS("ok", FLAG, "false: a page's tool says that it failed."),
    IS("text", TEXT, "What an agent reads."),
    IS("data", ANY, "What a program may rely on."),
    OF("image", OBJECT, image, false),
    MAYBE("session", TEXT, "The session that was used, if the caller named none."),
    MAYBE("notes", TEXTS, ""),
    END,
};

static const struct tb_param failed_result[] = {
    OF("error", OBJECT, error, true),
    IS("type", TEXT, ""),
    IS("title", TEXT, ""),
    IS("status", INT, ""),
    IS("detail", TEXT, ""),
    MAYBE("ok", FLAG, ""),
    MAYBE("text", TEXT, "What an agent reads."),
    MAYBE("data", ANY, ""),
    OF("image", OBJECT, image, false),
    MAYBE("session", TEXT, ""),
    MAYBE("notes", TEXTS, ""),
    END,
};

static const struct tb_param session[] = {
    IS("sessionId", TEXT, "Its name."),
    MAYBE("id", TEXT, "If the name leads to another one."),
    IS("type", TEXT, ""),
    {.name = "state", .type = TB_PARAM_CHOICE, .required = true, .help = "", .choices = states},
    MAYBE("hibernated", FLAG, ""),
    MAYBE("away", FLAG, ""),
    MAYBE("held", FLAG, ""),
    IS("own", FLAG, ""),
    MAYBE("owner", TEXT, ""),
    MAYBE("private", FLAG, ""),
    IS("createdAt", TEXT, ""),
    IS("lastActiveAt", TEXT, ""),
    MAYBE("expiresAt", TEXT, ""),
    IS("calls", INT, ""),
    IS("errors", INT, ""),
    IS("capabilities", OBJECT, ""),
    END,
};

static const struct tb_param session_list[] = {
    OF("sessions", OBJECTS, session, true),
    MAYBE("currentSession", ANY, "A name, or null."),
    MAYBE("hibernatedNotListed", INT, ""),
    MAYBE("next", TEXT, "There are more: for the parameter after."),
    END,
};

static const struct tb_param session_stats[] = {
    IS("toolCalls", INT, ""),
    IS("errors", INT, ""),
    IS("lastActivity", TEXT, ""),
    END,
};

static const struct tb_param session_info[] = {
    IS("id", TEXT, ""),
    IS("name", TEXT, ""),
    IS("type", TEXT, ""),
    {.name = "state", .type = TB_PARAM_CHOICE, .required = true, .help = "", .choices = states},
    MAYBE("hibernated", FLAG, ""),
    MAYBE("away", FLAG, ""),
    MAYBE("held", FLAG, ""),
    MAYBE("private", FLAG, ""),
    IS("createdAt", TEXT, ""),
    MAYBE("expiresAt", TEXT, ""),
    IS("owner", OBJECT, ""),
    IS("members", OBJECTS, ""),
    IS("tools", OBJECTS, ""),
    IS("capabilities", OBJECT, ""),
    OF("stats", OBJECT, session_stats, true),
    END,
};

static const struct tb_param closed[] = {
    IS("closed", TEXT, ""),
    END,
};

static const struct tb_param revoked[] = {
    IS("revoked", TEXT, ""),
    END,
};

static const struct tb_param removed[] = {
    IS("removed", TEXT, ""),
    END,
};

static const struct tb_param set[] = {
    IS("set", TEXT, ""),
    END,
};

static const struct tb_param cleared[] = {
    IS("cleared", TEXT, ""),
    END,
};

static const struct tb_param stopped[] = {
    IS("stopped", INT, "How many."),
    END,
};

static const struct tb_param decided[] = {
    MAYBE("approved", TEXT, ""),
    MAYBE("refused", TEXT, ""),
    END,
};

static const struct tb_param tool[] = {
    IS("name", TEXT, ""),          MAYBE("title", TEXT, ""),         MAYBE("description", TEXT, ""),
    IS("inputSchema", OBJECT, ""), MAYBE("annotations", OBJECT, ""), END,
};

static const struct tb_param tool_list[] = {
    OF("tools", OBJECTS, tool, true),
    END,
};

static const struct tb_param limits_key[] = {
    IS("id", TEXT, ""),
    MAYBE("label", TEXT, ""),
    IS("scopes", TEXTS, ""),
    MAYBE("expiresAt", TEXT, ""),
    END,
};

static const struct tb_param limits_calls[] = {
    IS("per_key", ANY, "null: no limit."),
    IS("per_tenant", ANY, ""),
    END,
};

static const struct tb_param limits_sessions[] = {
    IS("used", INT, ""),
    IS("awake", INT, ""),
    IS("awake_of_key", INT, ""),
    IS("awake_per_key", ANY, "null: no limit."),
    IS("awake_per_tenant", ANY, ""),
    IS("of_conversations_per_tenant", ANY, ""),
    IS("awake_in_all", ANY, ""),
    END,
};

static const struct tb_param limits_streams[] = {
    IS("used", INT, ""),
    IS("per_key", INT, ""),
    IS("per_tenant", INT, ""),
    END,
};

static const struct tb_param limits[] = {
    OF("key", OBJECT, limits_key, true),
    IS("tenant", TEXT, ""),
    OF("calls_per_minute", OBJECT, limits_calls, true),
    OF("sessions", OBJECT, limits_sessions, true),
    OF("streams", OBJECT, limits_streams, true),
    END,
};

static const struct tb_param key[] = {
    IS("id", TEXT, ""),
    IS("tenant", TEXT, ""),
    MAYBE("label", TEXT, ""),
    IS("scopes", TEXTS, ""),
    IS("state", TEXT, ""),
    MAYBE("createdAt", TEXT, ""),
    MAYBE("createdBy", TEXT, ""),
    MAYBE("expiresAt", ANY, ""),
    MAYBE("lastUsedAt", ANY, ""),
    MAYBE("key", TEXT, "Its text, only in the reply that makes it."),
    END,
};

static const struct tb_param key_list[] = {
    OF("keys", OBJECTS, key, true),
    END,
};

static const struct tb_param policy_info[] = {
    IS("tenant", TEXT, ""),
    IS("policy", ANY, "null: there is none."),
    IS("operator", OBJECT, ""),
    END,
};

static const struct tb_param policy_verdict[] = {
    IS("url", TEXT, ""),
    IS("allowed", FLAG, ""),
    MAYBE("reason", ANY, ""),
    END,
};

static const struct tb_param approval[] = {
    IS("id", TEXT, ""),           IS("tenant", TEXT, ""),        IS("tool", TEXT, ""),
    MAYBE("session", ANY, ""),    MAYBE("agent", ANY, ""),       MAYBE("arguments", ANY, ""),
    MAYBE("wantedAtMs", INT, ""), MAYBE("expiresInMs", INT, ""), END,
};

static const struct tb_param approval_list[] = {
    OF("approvals", OBJECTS, approval, true),
    END,
};

static const struct tb_param secret_list[] = {
    IS("secrets", OBJECTS, ""),
    END,
};

static const struct tb_param audit_entry[] = {
    IS("seq", INT, ""),
    IS("time", TEXT, ""),
    IS("type", TEXT, ""),
    IS("tenant", TEXT, ""),
    IS("session", TEXT, ""),
    IS("agent", TEXT, ""),
    IS("tool", TEXT, ""),
    IS("outcome", TEXT, ""),
    IS("details", ANY, ""),
    IS("hash", TEXT, ""),
    END,
};

static const struct tb_param audit_list[] = {
    OF("entries", OBJECTS, audit_entry, true),
    END,
};

static const struct tb_param anything[] = {
    END,
};

const struct tb_rest_schema tb_rest_schemas[] = {
    {"Problem", problem},
    {"Result", result},
    {"FailedResult", failed_result},
    {"Arguments", anything},
    {"Session", session},
    {"SessionList", session_list},
    {"SessionInfo", session_info},
    {"Closed", closed},
    {"Revoked", revoked},
    {"Removed", removed},
    {"Set", set},
    {"Cleared", cleared},
    {"Stopped", stopped},
    {"Decided", decided},
    {"Hosts", anything},
    {"Tool", tool},
    {"ToolList", tool_list},
    {"Limits", limits},
    {"Key", key},
    {"KeyList", key_list},
    {"Policy", anything},
    {"PolicyInfo", policy_info},
    {"PolicyVerdict", policy_verdict},
    {"ApprovalList", approval_list},
    {"SecretList", secret_list},
    {"AuditList", audit_list},
    {"OpenApi", anything},
    {NULL, NULL},
};
