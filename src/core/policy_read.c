/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "core/limits.h"
#include "core/policy_internal.h"

/* One member of a policy and what reads it. */
struct member {
    const char *name;
    int (*read)(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err);
};

static int read_rules(const struct cJSON *list, const char *name, struct tb_domain_rules **ret,
                      struct tb_err *err)
{
    TB_AUTO(tb_domain_rules_free) struct tb_domain_rules *rules = tb_domain_rules_new();
    if (!tb_json_is_array(list)) {
        return tb_fail(err, TB_E_PARAMS, "%s must be a list of rules such as \"example.com\"",
                       name);
    }
    JSON_ARRAY_FOREACH(item, list) {
        struct tb_str text;
        if (!tb_json_str(item, &text)) {
            return tb_fail(err, TB_E_PARAMS, "%s has an element that is not text", name);
        }
        int rc = tb_domain_rules_add(rules, text, err);
        if (rc < 0) {
            tb_err_prefix(err, "%s: ", name);
            return rc;
        }
    }
    int rc = tb_domain_rules_finish(rules, err);
    if (rc < 0) {
        tb_err_prefix(err, "%s: ", name);
        return rc;
    }
    *ret = rules;
    rules = NULL;
    return 0;
}

static int read_allow(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    return read_rules(value, "allow_domains", &policy->allow, err);
}

static int read_block(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    return read_rules(value, "block_domains", &policy->block, err);
}

static int read_private(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    struct tb_str text = {NULL, 0};
    tb_json_str(value, &text);
    if (tb_str_eq_cstr(text, "allow")) {
        policy->private_networks = TB_PRIVATE_ALLOW;
    } else if (tb_str_eq_cstr(text, "deny")) {
        policy->private_networks = TB_PRIVATE_DENY;
    } else {
        return tb_fail(err, TB_E_PARAMS, "private_networks must be \"allow\" or \"deny\"");
    }
    return 0;
}

static int read_schemes(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    policy->schemes = TB_SCHEME_ABOUT;
    bool good = tb_json_is_array(value);
    JSON_ARRAY_FOREACH(item, good ? value : NULL) {
        uint16_t ignored;
        struct tb_str text = {NULL, 0};
        tb_json_str(item, &text);
        unsigned scheme = tb_scheme_of(text, &ignored);
        good = good && scheme != TB_SCHEME_OTHER;
        policy->schemes |= scheme;
    }
    return good ? 0
                : tb_fail(err, TB_E_PARAMS,
                          "schemes must be a list of \"http\", \"https\", \"data\" and \"blob\"");
}

/* The names stay in the policy's own copy of the JSON. */
static int read_names(const struct cJSON *list, const char *what, struct tb_map *names,
                      struct tb_err *err)
{
    if (!tb_json_is_array(list)) {
        return tb_fail(err, TB_E_PARAMS, "%s must be a list of names of tools", what);
    }
    JSON_ARRAY_FOREACH(item, list) {
        struct tb_str text;
        if (!tb_json_str(item, &text) || text.len == 0) {
            return tb_fail(err, TB_E_PARAMS, "%s has an element that is not a name", what);
        }
        if (memchr(text.ptr, '*', text.len)) {
            return tb_fail(
                err, TB_E_PARAMS,
                "%s takes names of tools, not '*'; \"tools\": {\"allow\": []} denies all", what);
        }
        if (names->count >= TB_POLICY_TOOLS_MAX) {
            return tb_fail(err, TB_E_PARAMS, "%s has more than %d names", what,
                           TB_POLICY_TOOLS_MAX);
        }
        tb_map_add(names, text, (void *)(uintptr_t)item);
    }
    return 0;
}

static int fail_unknown(const char *where, const struct cJSON *item, const char *known,
                        struct tb_err *err)
{
    struct tb_quoted name;
    return tb_fail(err, TB_E_PARAMS, "%s has no member %s; its members are %s", where,
                   tb_quoted(&name, tb_str_of(tb_json_name(item)), 0), known);
}

static int read_tools(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    if (!tb_json_is_object(value)) {
        return tb_fail(err, TB_E_PARAMS, "tools must be an object with lists 'allow' and 'deny'");
    }
    int rc = 0;
    JSON_ARRAY_FOREACH(item, value) {
        struct tb_str name = tb_str_of(tb_json_name(item));
        if (tb_str_eq_cstr(name, "allow")) {
            policy->tools_limited = true;
            rc = read_names(item, "tools.allow", &policy->tools_allow, err);
        } else if (tb_str_eq_cstr(name, "deny")) {
            rc = read_names(item, "tools.deny", &policy->tools_deny, err);
        } else {
            rc = fail_unknown("tools", item, "allow and deny", err);
        }
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int read_ask(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    return read_names(value, "ask", &policy->ask, err);
}

static int read_read_only(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    return tb_json_bool(value, &policy->read_only)
               ? 0
               : tb_fail(err, TB_E_PARAMS, "read_only must be true or false");
}

static int read_evaluate(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    bool allowed;
    if (!tb_json_bool(value, &allowed)) {
        return tb_fail(err, TB_E_PARAMS, "evaluate must be true or false");
    }
    policy->no_evaluate = !allowed;
    return 0;
}

/* true, false, or the most bytes that a file may have. */
static int read_bytes(const struct cJSON *value, const char *name, int64_t *ret_max,
                      struct tb_err *err)
{
    bool allowed;
    if (tb_json_bool(value, &allowed)) {
        *ret_max = allowed ? -1 : 0;
        return 0;
    }
    if (!tb_json_int(value, ret_max) || *ret_max < 0) {
        return tb_fail(err, TB_E_PARAMS, "%s must be true, false or a number of bytes", name);
    }
    return 0;
}

static int read_downloads(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    return read_bytes(value, "downloads", &policy->downloads_max, err);
}

static int read_uploads(const struct cJSON *value, struct tb_policy *policy, struct tb_err *err)
{
    return read_bytes(value, "uploads", &policy->uploads_max, err);
}

static const struct member members[] = {
    {"allow_domains", read_allow},
    {"block_domains", read_block},
    {"private_networks", read_private},
    {"schemes", read_schemes},
    {"tools", read_tools},
    {"ask", read_ask},
    {"read_only", read_read_only},
    {"evaluate", read_evaluate},
    {"downloads", read_downloads},
    {"uploads", read_uploads},
};

static int read_member(const struct cJSON *item, struct tb_policy *policy, struct tb_err *err)
{
    for (size_t i = 0; i < TB_COUNT(members); i++) {
        if (tb_str_eq_cstr(tb_str_of(tb_json_name(item)), members[i].name)) {
            return members[i].read(item, policy, err);
        }
    }
    return fail_unknown("a policy", item,
                        "allow_domains, block_domains, private_networks, schemes, tools, ask, "
                        "read_only, evaluate, downloads and uploads",
                        err);
}

static bool is_twice(const struct cJSON *json, const struct cJSON *item)
{
    return tb_json_get(json, tb_json_name(item)) != item;
}

int tb_policy_read(const struct cJSON *json, struct tb_policy **ret_policy, struct tb_err *err)
{
    if (!tb_json_is_object(json)) {
        return tb_fail(err, TB_E_PARAMS,
                       "a policy is an object such as "
                       "{\"allow_domains\": [\"example.com\"]}");
    }
    struct tb_policy *policy = TB_NEW(struct tb_policy);
    *policy = (struct tb_policy){
        .refs = 1, .json = tb_json_dup(json), .downloads_max = -1, .uploads_max = -1};
    tb_map_init(&policy->tools_allow);
    tb_map_init(&policy->tools_deny);
    tb_map_init(&policy->ask);
    int rc = 0;
    JSON_ARRAY_FOREACH(item, policy->json) {
        rc = is_twice(policy->json, item)
                 ? tb_fail(err, TB_E_PARAMS, "%s is given twice", tb_json_name(item))
                 : read_member(item, policy, err);
        if (rc < 0) {
            tb_policy_unref(policy, "reader");
            return rc;
        }
    }
    *ret_policy = policy;
    return 0;
}

struct tb_policy *tb_policy_new_nothing(void)
{
    struct tb_policy *policy = NULL;
    struct cJSON *tools = tb_json_new_object();
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_new_object();
    tb_json_set_take(tools, "allow", tb_json_new_array());
    tb_json_set_take(json, "tools", tools);
    tb_json_set_take(json, "allow_domains", tb_json_new_array());
    tb_policy_read(json, &policy, NULL);
    return policy;
}
