/* SPDX-License-Identifier: Apache-2.0 */
#include "core/domain_rules.h"

#include <stdlib.h>
#include <string.h>

#include <libpsl.h>

#include "base/map.h"
#include "base/quote.h"
#include "core/limits.h"

struct rule {
    struct rule *next; /* for the same host or network, with another scheme or port */
    unsigned schemes;
    uint16_t port; /* 0: every */
    bool exact;
    uint8_t bits; /* of an address */
    struct tb_host host;
    char text[]; /* as it was written */
};

/* A network and the smallest one around it: networks never overlap by half. */
struct net {
    struct rule *rule;
    ptrdiff_t parent; /* -1: none */
    size_t depth;     /* networks around it: all have to be looked at */
};

struct tb_domain_rules {
    struct rule **all;
    size_t count;
    struct tb_map by_name;
    size_t labels_max; /* of a name with a rule: longer endings need no look-up */
    struct net *nets;  /* in the order of their first address, larger ones first */
    size_t net_count;
};

struct tb_domain_rules *tb_domain_rules_new(void)
{
    struct tb_domain_rules *rules = TB_NEW(struct tb_domain_rules);
    tb_map_init(&rules->by_name);
    return rules;
}

void tb_domain_rules_free(struct tb_domain_rules *rules)
{
    if (!rules) {
        return;
    }
    for (size_t i = 0; i < rules->count; i++) {
        tb_free(rules->all[i]);
    }
    tb_map_fini(&rules->by_name);
    tb_free(rules->all);
    tb_free(rules->nets);
    tb_free(rules);
}

static int refuse(struct tb_str text, const char *why, struct tb_err *err)
{
    struct tb_quoted shown;
    return tb_fail(err, TB_E_PARAMS, "the rule %s %s", tb_quoted(&shown, text, 0), why);
}

/* "https://" and the like; without one, all that have hosts. */
static bool read_scheme(struct tb_str *rest, struct rule *rule)
{
    uint16_t ignored;
    const char *colon = memmem(rest->ptr, rest->len, "://", 3);
    rule->schemes = TB_SCHEME_HTTP | TB_SCHEME_HTTPS;
    if (colon) {
        size_t len = (size_t)(colon - rest->ptr);
        rule->schemes &= tb_scheme_of(tb_str_sub(*rest, 0, len), &ignored);
        *rest = tb_str_sub(*rest, len + 3, rest->len);
    }
    return rule->schemes != 0;
}

/* Cuts ":8443" off; an IPv6 address in brackets keeps its colons, and so does one without. */
static bool read_port(struct tb_str *rest, struct rule *rule)
{
    uint64_t port;
    const char *first = memchr(rest->ptr, ':', rest->len);
    const char *last = memrchr(rest->ptr, ':', rest->len);
    bool bare = rest->len && rest->ptr[0] != '[';
    if (!last || (bare && first != last) ||
        memchr(last, ']', rest->len - (size_t)(last - rest->ptr))) {
        return true;
    }
    size_t len = (size_t)(last - rest->ptr);
    if (!tb_str_to_u64(tb_str_sub(*rest, len + 1, rest->len), &port) || port == 0 ||
        port > UINT16_MAX) {
        return false;
    }
    rule->port = (uint16_t)port;
    *rest = tb_str_sub(*rest, 0, len);
    return true;
}

static bool is_masked(const struct tb_ip *ip, unsigned bits)
{
    for (unsigned i = bits; i < TB_IP_BITS; i++) {
        if (ip->bytes[i / 8] >> (7 - i % 8) & 1) {
            return false;
        }
    }
    return true;
}

/* "10.0.0.0/8"; `text` is the number behind the slash. */
static int read_bits(struct tb_str given, struct tb_str text, struct rule *rule, struct tb_err *err)
{
    uint64_t bits = TB_IP_BITS;
    uint64_t extra = rule->host.is_ip && tb_ip_is_v4(&rule->host.ip) ? TB_IP_V4_BITS : 0;
    if (text.ptr && !rule->host.is_ip) {
        return refuse(given, "has a path; rules are for whole hosts", err);
    }
    if (text.ptr && (!tb_str_to_u64(text, &bits) || (bits += extra) > TB_IP_BITS || bits < extra)) {
        return refuse(given, "has no valid number of bits after its slash", err);
    }
    if (rule->host.is_ip && !is_masked(&rule->host.ip, (unsigned)bits)) {
        return refuse(given, "is not a network: it has bits set after its prefix", err);
    }
    rule->bits = (uint8_t)bits;
    return 0;
}

/* An IPv6 address needs its brackets only where a port follows. */
static int read_host(struct tb_str given, struct tb_str text, struct rule *rule, struct tb_err *err)
{
    struct tb_ip ip;
    struct tb_err why = {0};
    if (tb_ip_parse(text, &ip)) {
        tb_host_from_ip(&ip, &rule->host);
        return 0;
    }
    if (tb_host_read(text, &rule->host, &why) < 0) {
        return refuse(given, "names no host that a browser could reach", err);
    }
    return strchr(rule->host.name, '*') ? refuse(given, "has a '*' that is not at its start", err)
                                        : 0;
}

bool tb_domain_is_public(const struct tb_host *host)
{
    return !host->is_ip &&
           psl_is_public_suffix2(psl_builtin(), host->name, PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE);
}

static int read_rule(struct tb_str given, struct rule *rule, struct tb_err *err)
{
    struct tb_str rest = given;
    if (tb_str_starts(rest, TB_STR("="))) {
        rule->exact = true;
        rest = tb_str_sub(rest, 1, rest.len);
    }
    if (!read_scheme(&rest, rule)) {
        return refuse(given, "has a scheme other than http and https", err);
    }
    if (!rule->exact && tb_str_starts(rest, TB_STR("*."))) {
        rest = tb_str_sub(rest, 2, rest.len);
    }
    if (!read_port(&rest, rule)) {
        return refuse(given, "has a port that is not a number from 1 to 65535", err);
    }
    struct tb_str host = tb_str_cut(&rest, '/');
    int rc = read_host(given, host, rule, err);
    rc = rc < 0 ? rc : read_bits(given, rest, rule, err);
    if (rc == 0 && !rule->exact && tb_domain_is_public(&rule->host)) {
        return refuse(
            given,
            "is a public suffix, under which anybody can have a name; name a host below it, or "
            "put '=' in front of it for that host alone",
            err);
    }
    return rc;
}

static size_t count_labels(const char *name)
{
    size_t count = 1;
    for (; *name; name++) {
        count += *name == '.';
    }
    return count;
}

/* How many have the same host is bounded, since one is found only after the others. */
static int list_name(struct tb_domain_rules *rules, struct rule *rule, struct tb_err *err)
{
    struct tb_str name = tb_str_of(rule->host.name);
    struct rule *same = tb_map_get(&rules->by_name, name);
    size_t labels = count_labels(rule->host.name);
    rules->labels_max = labels > rules->labels_max ? labels : rules->labels_max;
    if (!same) {
        return tb_map_add(&rules->by_name, name, rule);
    }
    for (size_t n = 2; same->next; n++) {
        if (n >= TB_POLICY_HOST_RULES_MAX) {
            return refuse(tb_str_of(rule->text), "is one rule too many for its host", err);
        }
        same = same->next;
    }
    same->next = rule;
    return 0;
}

int tb_domain_rules_add(struct tb_domain_rules *rules, struct tb_str text, struct tb_err *err)
{
    if (text.len == 0 || text.len > TB_POLICY_RULE_MAX) {
        return refuse(text, text.len ? "is too long" : "is empty", err);
    }
    if (rules->count >= TB_POLICY_RULES_MAX) {
        return tb_fail(err, TB_E_PARAMS, "there are more than %d rules", TB_POLICY_RULES_MAX);
    }
    struct rule *rule = tb_zalloc(sizeof(*rule) + text.len + 1);
    memcpy(rule->text, text.ptr, text.len);
    int rc = read_rule(text, rule, err);
    if (rc == 0 && !rule->host.is_ip) {
        rc = list_name(rules, rule, err);
    }
    if (rc < 0) {
        tb_free(rule);
        return rc;
    }
    rules->all = tb_realloc(rules->all, (rules->count + 1) * sizeof(*rules->all));
    rules->all[rules->count++] = rule;
    return 0;
}

static int compare_nets(const void *a, const void *b)
{
    const struct rule *left = ((const struct net *)a)->rule;
    const struct rule *right = ((const struct net *)b)->rule;
    int order = memcmp(left->host.ip.bytes, right->host.ip.bytes, sizeof(left->host.ip.bytes));
    return order ? order : left->bits - right->bits;
}

static bool is_around(const struct rule *outer, const struct rule *inner)
{
    return outer->bits <= inner->bits &&
           tb_ip_same_prefix(&outer->host.ip, &inner->host.ip, outer->bits);
}

/* Networks in order: one that was seen last is around the next one, or one of its parents is, or
 * none. The same network twice counts as its own parent. */
static void set_parents(struct tb_domain_rules *rules)
{
    for (size_t i = 0; i < rules->net_count; i++) {
        ptrdiff_t parent = (ptrdiff_t)i - 1;
        while (parent >= 0 && !is_around(rules->nets[parent].rule, rules->nets[i].rule)) {
            parent = rules->nets[parent].parent;
        }
        rules->nets[i].parent = parent;
        rules->nets[i].depth = parent < 0 ? 0 : rules->nets[parent].depth + 1;
    }
}

/* Those that somebody may have named again and again, with other ports. */
static const struct rule *find_too_deep(const struct tb_domain_rules *rules)
{
    for (size_t i = 0; i < rules->net_count; i++) {
        if (rules->nets[i].depth >= TB_POLICY_HOST_RULES_MAX) {
            return rules->nets[i].rule;
        }
    }
    return NULL;
}

int tb_domain_rules_finish(struct tb_domain_rules *rules, struct tb_err *err)
{
    rules->nets = TB_NEW_ARRAY(struct net, rules->count + 1);
    for (size_t i = 0; i < rules->count; i++) {
        if (rules->all[i]->host.is_ip) {
            rules->nets[rules->net_count++].rule = rules->all[i];
        }
    }
    qsort(rules->nets, rules->net_count, sizeof(*rules->nets), compare_nets);
    set_parents(rules);
    const struct rule *deep = find_too_deep(rules);
    return deep ? refuse(tb_str_of(deep->text), "is one rule too many for its network", err) : 0;
}

static bool fits(const struct rule *rule, unsigned schemes, uint16_t port)
{
    return (rule->schemes & schemes) && (!rule->port || rule->port == port);
}

static const char *find_name(const struct tb_domain_rules *rules, unsigned schemes,
                             const char *name, uint16_t port)
{
    size_t labels = count_labels(name);
    for (const char *end = name; end; end = strchr(end, '.'), labels--) {
        end += end != name; /* the dot */
        const struct rule *rule =
            labels > rules->labels_max ? NULL : tb_map_get(&rules->by_name, tb_str_of(end));
        for (; rule; rule = rule->next) {
            if ((end == name || !rule->exact) && fits(rule, schemes, port)) {
                return rule->text;
            }
        }
    }
    return NULL;
}

/* The last network that begins at or before the address; -1 if all begin behind it. */
static ptrdiff_t bisect(const struct tb_domain_rules *rules, const struct tb_ip *ip)
{
    size_t low = 0;
    size_t high = rules->net_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct tb_ip *first = &rules->nets[middle].rule->host.ip;
        if (memcmp(first->bytes, ip->bytes, sizeof(ip->bytes)) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (ptrdiff_t)low - 1;
}

static const char *find_ip(const struct tb_domain_rules *rules, unsigned schemes,
                           const struct tb_ip *ip, uint16_t port)
{
    for (ptrdiff_t i = bisect(rules, ip); i >= 0; i = rules->nets[i].parent) {
        const struct rule *rule = rules->nets[i].rule;
        /* A network of IPv6 that is so wide that IPv4's form lies within does not mean that. */
        if (tb_ip_same_prefix(ip, &rule->host.ip, rule->bits) &&
            tb_ip_is_v4(ip) == tb_ip_is_v4(&rule->host.ip) && fits(rule, schemes, port)) {
            return rule->text;
        }
    }
    return NULL;
}

const char *tb_domain_rules_find(const struct tb_domain_rules *rules, unsigned schemes,
                                 const struct tb_host *host, uint16_t port)
{
    return host->is_ip ? find_ip(rules, schemes, &host->ip, port)
                       : find_name(rules, schemes, host->name, port);
}
