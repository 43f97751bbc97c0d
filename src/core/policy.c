/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy.h"

#include <string.h>

#include "base/json.h"
#include "core/policy_internal.h"

/* Names under which clouds have their metadata services, besides their addresses. */
static const char *const metadata_names[] = {
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "metadata.platformequinix.com",
    "instance-data",
    "instance-data.ec2.internal",
};

static const char *const owners[TB_POLICY_PARTS] = {
    [TB_POLICY_OPERATOR] = "the operator's policy",
    [TB_POLICY_TENANT] = "the tenant's policy",
    [TB_POLICY_KEY] = "the key's policy",
    [TB_POLICY_STARTER] = "the policy of the key that started the session",
    [TB_POLICY_SESSION] = "the session's policy",
    [TB_POLICY_TOOLSET] = "the toolset's allowlist",
};

struct tb_policy *tb_policy_ref(struct tb_policy *policy, const char *why)
{
    (void)why;
    if (policy) {
        policy->refs++;
    }
    return policy;
}

void tb_policy_unref(struct tb_policy *policy, const char *why)
{
    (void)why;
    if (!policy || --policy->refs > 0) {
        return;
    }
    tb_domain_rules_free(policy->allow);
    tb_domain_rules_free(policy->block);
    tb_map_fini(&policy->tools_allow);
    tb_map_fini(&policy->tools_deny);
    tb_map_fini(&policy->ask);
    tb_json_free(policy->json);
    tb_free(policy);
}

const struct cJSON *tb_policy_json(const struct tb_policy *policy)
{
    return policy->json;
}

#define PARTS_FOREACH(part, i, set)              \
    for (size_t i = 0; i < TB_POLICY_PARTS; i++) \
        for (const struct tb_policy *part = (set)->parts[i]; part; part = NULL)

bool tb_policy_limits_network(const struct tb_policy *policy)
{
    return policy->allow || policy->block || policy->schemes ||
           policy->private_networks == TB_PRIVATE_DENY;
}

bool tb_policy_is_same(const struct tb_policy *a, const struct tb_policy *b)
{
    return a == b || (a && b && tb_json_eq(a->json, b->json));
}

bool tb_policy_is_empty(const struct tb_policy_set *set)
{
    PARTS_FOREACH(part, i, set)
    {
        if (tb_policy_limits_network(part)) {
            return false;
        }
    }
    return !set->shared;
}

/* A tunnel is one for https, unless what goes through it turns out to be something else. */
static unsigned allowing(unsigned schemes)
{
    return schemes == TB_POLICY_TUNNEL ? TB_SCHEME_HTTPS : schemes;
}

static int judge_schemes(const struct tb_policy_set *set, unsigned schemes, const char *name,
                         struct tb_err *err)
{
    PARTS_FOREACH(part, i, set)
    {
        if (part->schemes && !(part->schemes & allowing(schemes))) {
            return tb_fail(err, TB_E_DOMAIN_BLOCKED, "\"%s:\" is not among the schemes of %s", name,
                           owners[i]);
        }
    }
    return 0;
}

static int judge_lists(const struct tb_policy_set *set, unsigned schemes,
                       const struct tb_host *host, uint16_t port, struct tb_err *err)
{
    PARTS_FOREACH(part, i, set)
    {
        const char *rule =
            part->block ? tb_domain_rules_find(part->block, schemes, host, port) : NULL;
        if (rule) {
            return tb_fail(err, TB_E_DOMAIN_BLOCKED, "%s:%u is blocked by the rule \"%s\" of %s",
                           host->name, port, rule, owners[i]);
        }
        if (part->allow && !tb_domain_rules_find(part->allow, allowing(schemes), host, port)) {
            return tb_fail(err, TB_E_DOMAIN_BLOCKED, "%s:%u is not in allow_domains of %s",
                           host->name, port, owners[i]);
        }
    }
    return 0;
}

/* Why private networks are out of reach, NULL if they are not. Only those who answer for all
 * sessions of a tenant can lift what holds by itself. */
static const char *private_denied_by(const struct tb_policy_set *set)
{
    bool allowed = false;
    PARTS_FOREACH(part, i, set)
    {
        if (part->private_networks == TB_PRIVATE_DENY) {
            return owners[i];
        }
        allowed = allowed || (part->private_networks == TB_PRIVATE_ALLOW && i <= TB_POLICY_TENANT);
    }
    return set->shared && !allowed
               ? "the default for several tenants (the operator can set policy.private_networks "
                 "to allow)"
               : NULL;
}

static int judge_private(const struct tb_policy_set *set, const char *host, const char *range,
                         struct tb_err *err)
{
    const char *who = range ? private_denied_by(set) : NULL;
    return who ? tb_fail(err, TB_E_DOMAIN_BLOCKED,
                         "%s belongs to %s, and private_networks is \"deny\" in %s", host, range,
                         who)
               : 0;
}

static bool is_own(const struct tb_policy_own *own, const struct tb_ip *ip, uint16_t port)
{
    bool here = tb_ip_is_loopback(ip);
    bool ours = false;
    for (size_t i = 0; own && !here && i < own->ip_count; i++) {
        here = memcmp(own->ips[i].bytes, ip->bytes, sizeof(ip->bytes)) == 0;
    }
    for (size_t i = 0; own && here && !ours && i < own->port_count; i++) {
        ours = own->ports[i] == port;
    }
    return ours;
}

/* What no policy can allow. */
static int judge_always(const struct tb_policy_set *set, const struct tb_host *host,
                        const struct tb_ip *ip, uint16_t port, struct tb_err *err)
{
    if (tb_ip_is_metadata(ip)) {
        return tb_fail(err, TB_E_DOMAIN_BLOCKED,
                       "%s is a cloud metadata service, which pages here may not reach",
                       host->name);
    }
    if (is_own(set->own, ip, port)) {
        return tb_fail(err, TB_E_DOMAIN_BLOCKED,
                       "%s:%u is the daemon itself, which pages in its browsers may not reach",
                       host->name, port);
    }
    return 0;
}

static int judge_ip(const struct tb_policy_set *set, const struct tb_host *host,
                    const struct tb_ip *ip, uint16_t port, struct tb_err *err)
{
    int rc = judge_always(set, host, ip, port, err);
    return rc < 0 ? rc : judge_private(set, host->name, tb_ip_range(ip), err);
}

/* localhost is an address in all but its form. */
static int judge_name(const struct tb_policy_set *set, const struct tb_host *host, uint16_t port,
                      struct tb_err *err)
{
    static const struct tb_ip loopback = {{[15] = 1}};
    for (size_t i = 0; i < TB_COUNT(metadata_names); i++) {
        if (strcmp(host->name, metadata_names[i]) == 0) {
            return tb_fail(err, TB_E_DOMAIN_BLOCKED,
                           "%s is a cloud metadata service, which pages here may not reach",
                           host->name);
        }
    }
    return tb_host_is_local_name(host) ? judge_ip(set, host, &loopback, port, err) : 0;
}

int tb_policy_judge_host(const struct tb_policy_set *set, unsigned schemes,
                         const struct tb_host *host, uint16_t port, struct tb_err *err)
{
    int rc =
        host->is_ip ? judge_ip(set, host, &host->ip, port, err) : judge_name(set, host, port, err);
    if (rc == 0) {
        rc = judge_schemes(set, schemes, schemes == TB_SCHEME_HTTP ? "http" : "https", err);
    }
    return rc < 0 ? rc : judge_lists(set, schemes, host, port, err);
}

int tb_policy_judge_url(const struct tb_policy_set *set, struct tb_str url, struct tb_err *err)
{
    struct tb_url_parts parts;
    int rc = tb_url_parts_read(url, &parts, err);
    if (rc < 0 || parts.scheme == TB_SCHEME_ABOUT) {
        return rc;
    }
    if (parts.host.name[0]) {
        return tb_policy_judge_host(set, parts.scheme, &parts.host, parts.port, err);
    }
    return judge_schemes(set, parts.scheme, parts.scheme_name, err);
}

/* A rule against a network holds however its addresses were reached: by a name, or inside an
 * IPv6 address. */
static int judge_blocked(const struct tb_policy_set *set, const struct tb_host *host,
                         const struct tb_ip *ip, uint16_t port, struct tb_err *err)
{
    struct tb_host found;
    char text[TB_IP_TEXT_SIZE];
    tb_host_from_ip(ip, &found);
    PARTS_FOREACH(part, i, set)
    {
        const char *rule =
            part->block ? tb_domain_rules_find(part->block, TB_POLICY_TUNNEL, &found, port) : NULL;
        if (rule) {
            tb_ip_print(ip, text);
            return tb_fail(err, TB_E_DOMAIN_BLOCKED,
                           "%s has the address %s, which is blocked by the rule \"%s\" of %s",
                           host->name, text, rule, owners[i]);
        }
    }
    return 0;
}

int tb_policy_judge_address(const struct tb_policy_set *set, const struct tb_host *host,
                            const struct tb_ip *ip, uint16_t port, struct tb_err *err)
{
    struct tb_ip inner;
    int rc = judge_ip(set, host, ip, port, err);
    rc = rc < 0 ? rc : judge_blocked(set, host, ip, port, err);
    if (rc == 0 && tb_ip_carried(ip, &inner)) {
        rc = judge_blocked(set, host, &inner, port, err);
    }
    return rc;
}

static bool has(const struct tb_map *names, const char *name, const char *shown)
{
    return tb_map_get(names, tb_str_of(name)) || (shown && tb_map_get(names, tb_str_of(shown)));
}

/* The member of a policy that keeps a tool from being used; NULL: none. */
static const char *denying(const struct tb_policy *part, const char *name, const char *shown,
                           unsigned uses)
{
    if (has(&part->tools_deny, name, shown)) {
        return "tools.deny";
    }
    if (part->tools_limited && !has(&part->tools_allow, name, shown)) {
        return "tools.allow";
    }
    if (part->read_only && (uses & TB_POLICY_CHANGES)) {
        return "read_only";
    }
    if (part->no_evaluate && (uses & TB_POLICY_EVALUATES)) {
        return "evaluate";
    }
    if (part->uploads_max == 0 && (uses & TB_POLICY_UPLOADS)) {
        return "uploads";
    }
    return part->downloads_max == 0 && (uses & TB_POLICY_DOWNLOADS) ? "downloads" : NULL;
}

int tb_policy_judge_tool(const struct tb_policy_set *set, const char *name, const char *shown,
                         unsigned uses, struct tb_err *err)
{
    PARTS_FOREACH(part, i, set)
    {
        const char *member = denying(part, name, shown, uses);
        if (member) {
            return tb_fail(err, TB_E_DENIED, "is not allowed by '%s' of %s", member, owners[i]);
        }
    }
    return 0;
}

bool tb_policy_asks(const struct tb_policy_set *set, const char *name, const char *shown)
{
    PARTS_FOREACH(part, i, set)
    {
        if (has(&part->ask, name, shown)) {
            return true;
        }
    }
    return false;
}

int64_t tb_policy_bytes_max(const struct tb_policy_set *set, enum tb_policy_use use)
{
    int64_t least = -1;
    PARTS_FOREACH(part, i, set)
    {
        int64_t max = use == TB_POLICY_UPLOADS ? part->uploads_max : part->downloads_max;
        least = max >= 0 && (least < 0 || max < least) ? max : least;
    }
    return least;
}
