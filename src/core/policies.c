/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policies.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/quote.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/session_policy.h"
#include "io/timer.h"

enum {
    RETRY_MS = 1000,
};

struct entry {
    char tenant[TB_TENANT_SIZE];
    struct tb_policy *policy;
};

struct tb_policies {
    struct tb_core *core;
    struct tb_policy *operator;
    struct tb_policy *octopus;
    struct tb_policy *nothing; /* of tenants whose own could not be read yet */
    struct tb_map by_tenant;
    bool shared;
    bool complete;
    struct tb_err trouble; /* why it is not */
    struct tb_store_read *read;
    struct tb_timer retry;
};

/* The operator's. */

static bool is_everything(const struct tb_config_list *list)
{
    return list->count == 1 && strcmp(list->items[0], "*") == 0;
}

/* A list with the word for everything is one that was not given. */
static void put_list(struct cJSON *json, const char *key, const struct tb_config_list *list)
{
    struct cJSON *array = tb_json_new_array();
    for (size_t i = 0; i < list->count; i++) {
        tb_json_append_take(array, tb_json_new_str(tb_str_of(list->items[i])));
    }
    tb_json_set_take(json, key, array);
}

static void set_list(struct cJSON *json, const char *key, const struct tb_config_list *list)
{
    if (!is_everything(list)) {
        put_list(json, key, list);
    }
}

/* "true", "false" or a number of bytes. */
static void set_bytes(struct cJSON *json, const char *key, const char *text)
{
    uint64_t bytes;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        tb_json_set_bool(json, key, text[0] == 't');
    } else if (tb_str_to_u64(tb_str_of(text), &bytes)) {
        tb_json_set_int(json, key, (int64_t)(bytes > INT32_MAX ? INT32_MAX : bytes));
    } else {
        tb_json_set_cstr(json, key, text); /* which is refused */
    }
}

static struct cJSON *json_of(const struct tb_config *config)
{
    struct cJSON *json = tb_json_new_object();
    struct cJSON *tools = tb_json_new_object();
    set_list(json, "allow_domains", &config->policy_allow_domains);
    set_list(json, "schemes", &config->policy_schemes);
    set_list(tools, "allow", &config->policy_tools_allow);
    put_list(tools, "deny", &config->policy_tools_deny);
    tb_json_set_take(json, "tools", tools);
    put_list(json, "ask", &config->policy_ask);
    if (config->policy_block_domains.count) {
        put_list(json, "block_domains", &config->policy_block_domains);
    }
    if (strcmp(config->policy_private_networks, "auto") != 0) {
        tb_json_set_cstr(json, "private_networks", config->policy_private_networks);
    }
    tb_json_set_bool(json, "read_only", config->policy_read_only);
    tb_json_set_bool(json, "evaluate", config->policy_evaluate);
    set_bytes(json, "downloads", config->policy_downloads);
    set_bytes(json, "uploads", config->policy_uploads);
    return json;
}

static struct cJSON *octopus_rules(const struct tb_config_list *list)
{
    struct cJSON *rules = tb_json_new_array();
    for (size_t i = 0; i < list->count; i++) {
        bool wide = strncmp(list->items[i], "*.", 2) == 0;
        TB_AUTO(tb_free) char *rule = tb_strdupf("%s%s", wide ? "" : "=", list->items[i]);
        tb_json_append_take(rules, tb_json_new_str(tb_str_of(rule)));
    }
    return rules;
}

/* The document of that toolset: "*.x.com" is x.com with all below it, all else is one host, and
 * loopback and private networks are refused before the list is asked. Without a list nobody has
 * asked for its rules, so the latter then holds only if it is said. */
static int read_octopus(const struct tb_config *config, struct tb_policy **ret, struct tb_err *err)
{
    const struct tb_config_list *list = &config->octopus_allowed_domains;
    const char *private_networks = config->octopus_private_networks;
    const bool listed = !is_everything(list);
    const bool as_usual = strcmp(private_networks, "auto") == 0;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_new_object();
    if (listed) {
        tb_json_set_take(json, "allow_domains", octopus_rules(list));
    }
    if (as_usual ? listed : strcmp(private_networks, "deny") == 0) {
        tb_json_set_cstr(json, "private_networks", "deny");
    }
    if (tb_json_first(json) && tb_policy_read(json, ret, err) < 0) {
        tb_err_prefix(err, "octopus.allowed_domains: ");
        err->code = TB_E_CONFIG;
        return TB_E_CONFIG;
    }
    return 0;
}

static int read_settings(const struct tb_config *config, struct tb_policy **ret, struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *json = json_of(config);
    if (tb_policy_read(json, ret, err) < 0) {
        tb_err_prefix(err, "policy: ");
        err->code = TB_E_CONFIG;
        return TB_E_CONFIG;
    }
    return 0;
}

int tb_policies_check(const struct tb_config *config, struct tb_err *err)
{
    struct tb_policy *policy = NULL;
    struct tb_policy *octopus = NULL;
    int rc = read_settings(config, &policy, err);
    rc = rc < 0 ? rc : read_octopus(config, &octopus, err);
    tb_policy_unref(policy, "check");
    tb_policy_unref(octopus, "check");
    return rc;
}

/* The settings were checked; if they are wrong all the same, nothing is allowed. */
static void take_settings(struct tb_policies *policies)
{
    struct tb_policy *policy = NULL;
    struct tb_policy *octopus = NULL;
    struct tb_err err;
    if (read_octopus(policies->core->config, &octopus, &err) < 0) {
        octopus = tb_policy_ref(policies->nothing, "octopus");
    }
    tb_policy_unref(policies->octopus, "octopus");
    policies->octopus = octopus;
    if (read_settings(policies->core->config, &policy, &err) < 0) {
        policy = tb_policy_ref(policies->nothing, "operator");
    }
    tb_policy_unref(policies->operator, "operator");
    policies->operator= policy;
}

void tb_policies_reload(struct tb_policies *policies)
{
    take_settings(policies);
    tb_session_policies_changed(policies->core->sessions);
}

/* The tenants'. */

static struct entry *find(const struct tb_policies *policies, struct tb_str tenant)
{
    return tb_map_get(&policies->by_tenant, tenant);
}

static void drop(struct tb_policies *policies, struct entry *entry)
{
    if (entry) {
        tb_map_remove(&policies->by_tenant, tb_str_of(entry->tenant));
        tb_policy_unref(entry->policy, "tenant");
        tb_free(entry);
    }
}

static void keep_take(struct tb_policies *policies, struct tb_str tenant, struct tb_policy *policy)
{
    struct entry *entry = find(policies, tenant);
    if (!entry) {
        entry = TB_NEW(struct entry);
        snprintf(entry->tenant, sizeof(entry->tenant), "%.*s", TB_STR_ARG(tenant));
        tb_map_add(&policies->by_tenant, tb_str_of(entry->tenant), entry);
    }
    tb_policy_unref(entry->policy, "tenant");
    entry->policy = policy;
}

struct tb_policy_set tb_policies_of(const struct tb_policies *policies, const char *tenant)
{
    struct tb_policy_set set = {0};
    if (policies) {
        const struct entry *entry = find(policies, tb_str_of(tenant));
        const struct tb_policy *missing = policies->complete ? NULL : policies->nothing;
        set.parts[TB_POLICY_OPERATOR] = policies->operator;
        set.parts[TB_POLICY_TENANT] = entry ? entry->policy : missing;
        set.shared = policies->shared;
    }
    return set;
}

const struct tb_policy *tb_policies_of_octopus(const struct tb_policies *policies)
{
    return policies ? policies->octopus : NULL;
}

void tb_policies_note_tenant(struct tb_policies *policies, const char *tenant)
{
    if (policies && strcmp(tenant, TB_TENANT_DEFAULT) != 0) {
        policies->shared = true;
    }
}

/* To whoever has nothing to do with it, a tenant is not there. */
static int check_tenant(const struct tb_principal *by, struct tb_str tenant, struct tb_err *err)
{
    bool own = tb_str_eq_cstr(tenant, by->tenant);
    if (tb_tenant_name_valid(tenant) && (own || tb_principal_may(by, TB_SCOPE_OPERATE))) {
        return 0;
    }
    struct tb_quoted name;
    return tb_fail(err, TB_E_NOT_FOUND, "there is no tenant %s", tb_quoted(&name, tenant, 0));
}

/* A tenant's own word does not open the operator's network. */
static int check_allows(const struct tb_policies *policies, const struct tb_principal *by,
                        const struct cJSON *json, struct tb_err *err)
{
    struct tb_str said = tb_json_text(json, "private_networks");
    struct tb_str operators = tb_json_text(tb_policy_json(policies->operator), "private_networks");
    if (tb_str_eq_cstr(said, "allow") && !tb_principal_may(by, TB_SCOPE_OPERATE) &&
        !tb_str_eq_cstr(operators, "allow")) {
        return tb_fail(err, TB_E_FORBIDDEN,
                       "only the operator can allow a tenant to reach private networks");
    }
    return 0;
}

static void tell(const struct tb_policies *policies, const struct tb_principal *by,
                 struct tb_str tenant, const char *what, struct tb_gate *gate)
{
    char name[TB_TENANT_SIZE];
    snprintf(name, sizeof(name), "%.*s", TB_STR_ARG(tenant));
    tb_bus_publish(&policies->core->bus,
                   &(struct tb_event){.type = TB_EVENT_POLICY_CHANGED,
                                      .tenant = name,
                                      .session_id = "",
                                      .agent = tb_principal_name(by),
                                      .gate = gate,
                                      .fields = {tb_field_cstr("action", what)}});
}

static int store(const struct tb_policies *policies, const struct entry *entry,
                 struct tb_gate *gate)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_RECORD_MAX);
    int rc = tb_json_print(tb_policy_json(entry->policy), &text);
    if (rc == 0) {
        tb_store_put(&policies->core->store, TB_SPACE_POLICY, tb_str_of(entry->tenant),
                     tb_buf_str(&text), gate);
    }
    return rc;
}

int tb_policies_put(struct tb_policies *policies, const struct tb_principal *by,
                    struct tb_str tenant, const struct cJSON *json, struct tb_gate *gate,
                    struct tb_err *err)
{
    struct tb_policy *policy = NULL;
    int rc = check_tenant(by, tenant, err);
    rc = rc < 0 ? rc : tb_policy_read(json, &policy, err);
    rc = rc < 0 ? rc : check_allows(policies, by, json, err);
    if (rc == 0 && (!tb_store_ready(&policies->core->store, err) || !policies->complete)) {
        rc = policies->complete
                 ? err->code
                 : tb_fail(err, TB_E_STORE, "the stored policies cannot be read yet");
    }
    if (rc < 0) {
        tb_policy_unref(policy, "refused");
        return rc;
    }
    keep_take(policies, tenant, policy);
    store(policies, find(policies, tenant), gate);
    tell(policies, by, tenant, "set", gate);
    tb_session_policies_changed(policies->core->sessions);
    return 0;
}

int tb_policies_remove(struct tb_policies *policies, const struct tb_principal *by,
                       struct tb_str tenant, struct tb_gate *gate, struct tb_err *err)
{
    struct entry *entry = find(policies, tenant);
    int rc = check_tenant(by, tenant, err);
    if (rc == 0 && !policies->complete) {
        rc = tb_fail(err, TB_E_STORE, "the stored policies cannot be read yet");
    }
    if (rc == 0 && !entry) {
        rc = tb_fail(err, TB_E_NOT_FOUND, "this tenant has no policy");
    }
    if (rc < 0) {
        return rc;
    }
    tb_store_remove(&policies->core->store, TB_SPACE_POLICY, tenant, gate);
    drop(policies, entry);
    tell(policies, by, tenant, "removed", gate);
    tb_session_policies_changed(policies->core->sessions);
    return 0;
}

int tb_policies_print(const struct tb_policies *policies, const struct tb_principal *by,
                      struct tb_str tenant, struct tb_json_writer *json, struct tb_err *err)
{
    const struct entry *entry = find(policies, tenant);
    int rc = check_tenant(by, tenant, err);
    if (rc < 0) {
        return rc;
    }
    tb_json_object_open(json);
    tb_json_member_str(json, "tenant", tenant);
    tb_json_member_tree(json, "policy", entry ? tb_policy_json(entry->policy) : NULL);
    tb_json_member_tree(json, "operator", tb_policy_json(policies->operator));
    tb_json_object_close(json);
    return 0;
}

int tb_policies_try(const struct tb_policies *policies, const struct tb_principal *by,
                    struct tb_str tenant, struct tb_str url, struct tb_json_writer *json,
                    struct tb_err *err)
{
    char name[TB_TENANT_SIZE];
    struct tb_err why = {0};
    int rc = check_tenant(by, tenant, err);
    if (rc < 0) {
        return rc;
    }
    snprintf(name, sizeof(name), "%.*s", TB_STR_ARG(tenant));
    const struct tb_policy_set set = tb_policies_of(policies, name);
    rc = tb_policy_judge_url(&set, url, &why);
    if (rc == TB_E_BAD_URL) {
        *err = why;
        return rc;
    }
    tb_json_object_open(json);
    tb_json_member_str(json, "url", url);
    tb_json_member_bool(json, "allowed", rc == 0);
    tb_json_member_cstr(json, "reason", rc < 0 ? why.text : NULL);
    tb_json_object_close(json);
    return 0;
}

/* Loading. */

static void on_record(struct tb_str tenant, struct tb_str value, void *user)
{
    struct tb_policies *policies = user;
    struct tb_policy *policy = NULL;
    struct tb_err err;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    if (tb_policy_read(json, &policy, &err) < 0) {
        tb_log_at(policies->core->log, ERROR, "policy",
                  "cannot read the policy of a tenant; until it is set anew, it may do nothing",
                  tb_kv("tenant", tenant), tb_kv_cstr("reason", err.text));
        policy = tb_policy_ref(policies->nothing, "tenant");
    }
    keep_take(policies, tenant, policy);
}

static void on_read(const struct tb_err *err, void *user)
{
    struct tb_policies *policies = user;
    policies->read = NULL;
    policies->complete = !err;
    if (err) {
        policies->trouble = *err;
        tb_log_at(policies->core->log, ERROR, "policy", "cannot read the stored policies yet",
                  tb_kv_cstr("reason", err->text));
        tb_timer_start(&policies->retry, RETRY_MS);
    }
}

void tb_policies_load(struct tb_policies *policies)
{
    const struct tb_store *stored = &policies->core->store;
    if (stored->kind) {
        policies->complete = false;
        policies->read =
            stored->kind->each(stored->state, TB_SPACE_POLICY, NULL, on_record, on_read, policies);
    }
}

int tb_policies_ready(const struct tb_policies *policies, struct tb_err *err)
{
    if (!policies || policies->complete) {
        return 0;
    }
    struct tb_err why = policies->trouble;
    bool known = why.code < 0 || !tb_store_ready(&policies->core->store, &why);
    return tb_fail(err, TB_E_STORE,
                   "cannot be used yet, because the stored policies cannot be read%s%s",
                   known ? ": " : "", known ? why.text : "");
}

bool tb_policies_loaded(const struct tb_policies *policies)
{
    return !policies->read;
}

static void on_retry(struct tb_timer *timer, void *user)
{
    (void)timer;
    tb_policies_load(user);
}

void tb_policies_store_again(struct tb_policies *policies)
{
    MAP_FOREACH(slot, &policies->by_tenant) {
        store(policies, slot->value, NULL);
    }
}

struct tb_policies *tb_policies_new(struct tb_core *core)
{
    struct tb_policies *policies = TB_NEW(struct tb_policies);
    policies->core = core;
    policies->complete = true; /* until it is known that there are others */
    policies->nothing = tb_policy_new_nothing();
    tb_map_init(&policies->by_tenant);
    tb_timer_init(&policies->retry, core->loop, on_retry, policies);
    take_settings(policies);
    return policies;
}

void tb_policies_free(struct tb_policies *policies)
{
    if (!policies) {
        return;
    }
    if (policies->read) {
        policies->core->store.kind->cancel(policies->read);
    }
    tb_timer_fini(&policies->retry);
    MAP_FOREACH(slot, &policies->by_tenant) {
        struct entry *entry = slot->value;
        tb_policy_unref(entry->policy, "tenant");
        tb_free(entry);
    }
    tb_map_fini(&policies->by_tenant);
    tb_policy_unref(policies->operator, "operator");
    tb_policy_unref(policies->octopus, "octopus");
    tb_policy_unref(policies->nothing, "nothing");
    tb_free(policies);
}
