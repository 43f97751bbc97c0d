/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/limits.h"
#include "core/policy_rig.h"

static struct tb_policy *policy_of(const char *text)
{
    struct tb_policy *policy = NULL;
    struct tb_err err = {0};
    if (policy_rig_read(text, &policy, &err) < 0) {
        fail_msg("%s: %s", text, err.text);
    }
    return policy;
}

/* Whether a session with this policy alone may open the address. */
static bool may_open(const char *text, const char *url)
{
    struct tb_err err = {0};
    struct tb_policy *policy = policy_of(text);
    const struct tb_policy_set set = {.parts = {[TB_POLICY_SESSION] = policy}};
    int rc = tb_policy_judge_url(&set, tb_str_of(url), &err);
    tb_policy_unref(policy, "test");
    assert_true(rc == 0 || rc == TB_E_DOMAIN_BLOCKED);
    assert_int_equal(rc, err.code);
    return rc == 0;
}

struct opened {
    const char *policy;
    const char *url;
    bool allowed;
};

static void expect(const struct opened *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (may_open(cases[i].policy, cases[i].url) != cases[i].allowed) {
            fail_msg("%s: %s", cases[i].policy, cases[i].url);
        }
    }
}

/* NET-3 */
static void a_rule_holds_for_its_host_and_all_below_it(void **state)
{
    static const struct opened cases[] = {
        {"{'allow_domains':['example.com']}", "http://example.com/", true},
        {"{'allow_domains':['example.com']}", "https://a.b.example.com:8443/x", true},
        {"{'allow_domains':['*.example.com']}", "http://example.com", true},
        {"{'allow_domains':['*.example.com']}", "http://a.example.com", true},
        {"{'allow_domains':['*.example.com']}", "http://evilexample.com", false},
        {"{'allow_domains':['*.example.com']}", "http://example.com.evil.com", false},
        {"{'allow_domains':['example.com']}", "http://evilexample.com", false},
        {"{'allow_domains':['example.com']}", "http://com", false},
        {"{'allow_domains':['=example.com']}", "http://EXAMPLE.com.", true},
        {"{'allow_domains':['=example.com']}", "http://a.example.com", false},
        {"{'allow_domains':['=github.io']}", "http://evil.github.io", false},
        {"{'allow_domains':['a.b.c.example.com','example.org']}", "http://x.a.b.c.example.com",
         true},
        {"{'allow_domains':['example.com']}", "http://1.2.3.4", false},
        {"{'allow_domains':['b\xc3\xbc"
         "cher.example']}",
         "http://xn--bcher-kva.example", true},
        {"{'block_domains':['xn--bcher-kva.example']}", "http://B%C3%9CCHER.example", false},
    };
    (void)state;
    expect(cases, TB_COUNT(cases));
}

static void schemes_and_ports_of_a_rule_are_exact(void **state)
{
    static const struct opened cases[] = {
        {"{'allow_domains':['https://example.com']}", "https://example.com", true},
        {"{'allow_domains':['https://example.com']}", "wss://example.com", true},
        {"{'allow_domains':['https://example.com']}", "http://example.com", false},
        {"{'allow_domains':['example.com:8443']}", "https://example.com:8443", true},
        {"{'allow_domains':['example.com:8443']}", "https://example.com", false},
        {"{'allow_domains':['example.com:8443','example.com:80']}", "http://example.com", true},
        {"{'allow_domains':['=http://example.com:81']}", "http://example.com:81", true},
        {"{'block_domains':['http://example.com']}", "https://example.com", true},
        {"{'block_domains':['http://example.com']}", "http://example.com", false},
        {"{'allow_domains':['[::1]:81']}", "http://[::1]:81", true},
        {"{'allow_domains':['[::1]:81']}", "http://[::1]:82", false},
        {"{'schemes':['https']}", "http://example.com", false},
        {"{'schemes':['https']}", "https://example.com", true},
        {"{'schemes':['https']}", "data:text/html,x", false},
        {"{'schemes':['https','data']}", "data:text/html,x", true},
        {"{'schemes':['https']}", "about:blank", true},
        {"{'allow_domains':[]}", "about:blank", true},
    };
    (void)state;
    expect(cases, TB_COUNT(cases));
}

static void networks_are_found_among_others(void **state)
{
    static const char nets[] = "{'block_domains':['10.0.0.0/8','10.1.0.0/16','192.0.2.7',"
                               "'[fd00::]/8','2001:db8::/32','10.1.2.0/24','198.51.100.0/24']}";
    static const struct opened cases[] = {
        {nets, "http://10.200.0.1", false},
        {nets, "http://10.1.2.255", false},
        {nets, "http://10.1.3.1", false},
        {nets, "http://9.255.255.255", true},
        {nets, "http://11.0.0.0", true},
        {nets, "http://192.0.2.7", false},
        {nets, "http://192.0.2.8", true},
        {nets, "http://[fdff::1]", false},
        {nets, "http://[fc00::1]", true},
        {nets, "http://[2001:db8::5]", false},
        {nets, "http://[::ffff:10.0.0.1]", false},
        {nets, "http://0xa000001", false},
        {nets, "http://255.0.0.1", true},
        {nets, "http://0.0.0.1", true},
        {"{'block_domains':['::/0']}", "http://8.8.8.8", true},
        {"{'block_domains':['::/0']}", "http://[2600::1]", false},
        {"{'block_domains':['0.0.0.0/0']}", "http://8.8.8.8", false},
        {"{'block_domains':['10.0.0.0/8']}", "http://[2600::1]", true},
    };
    (void)state;
    expect(cases, TB_COUNT(cases));
}

static void block_beats_allow_and_an_empty_list_allows_nothing(void **state)
{
    static const char both[] =
        "{'allow_domains':['example.com'],'block_domains':['a.example.com']}";
    static const struct opened cases[] = {
        {both, "http://example.com", true},
        {both, "http://b.a.example.com", false},
        {"{'allow_domains':[]}", "http://example.com", false},
        {"{'block_domains':[]}", "http://example.com", true},
        {"{}", "http://example.com", true},
    };
    (void)state;
    expect(cases, TB_COUNT(cases));
}

static void a_refusal_names_the_rule_and_whose_it_is(void **state)
{
    struct tb_err err = {0};
    struct tb_policy *policy = policy_of("{'block_domains':['Evil.test']}");
    struct tb_policy *other = policy_of("{'allow_domains':['good.test']}");
    const struct tb_policy_set set = {
        .parts = {[TB_POLICY_TENANT] = policy, [TB_POLICY_SESSION] = other}};
    (void)state;
    tb_policy_judge_url(&set, TB_STR("http://a.evil.test/x"), &err);
    assert_string_equal(
        err.text, "a.evil.test:80 is blocked by the rule \"Evil.test\" of the tenant's policy");
    tb_policy_judge_url(&set, TB_STR("https://b.test"), &err);
    assert_string_equal(err.text, "b.test:443 is not in allow_domains of the session's policy");
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("https://good.test"), &err), 0);
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("good.test"), &err), TB_E_BAD_URL);
    tb_policy_unref(policy, "test");
    tb_policy_unref(other, "test");
}

static void a_tunnel_needs_https_among_the_schemes(void **state)
{
    static const struct {
        const char *policy;
        int tunnel;
        int http; /* what is no TLS inside it */
    } rows[] = {
        {"{'schemes':['http']}", TB_E_DOMAIN_BLOCKED, 0},
        {"{'schemes':['https']}", 0, TB_E_DOMAIN_BLOCKED},
        {"{'schemes':['http','https']}", 0, 0},
        {"{'schemes':['data']}", TB_E_DOMAIN_BLOCKED, TB_E_DOMAIN_BLOCKED},
    };
    struct tb_host host;
    (void)state;
    assert_int_equal(tb_host_read(TB_STR("a.test"), &host, NULL), 0);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_policy *policy = policy_of(rows[i].policy);
        struct tb_policy_set set = {.parts = {policy}};
        assert_int_equal(tb_policy_judge_host(&set, TB_POLICY_TUNNEL, &host, 443, NULL),
                         rows[i].tunnel);
        assert_int_equal(tb_policy_judge_host(&set, TB_SCHEME_HTTP, &host, 443, NULL),
                         rows[i].http);
        tb_policy_unref(policy, "test");
    }
}

static void a_tunnel_needs_a_rule_for_https_and_none_against_either(void **state)
{
    struct tb_policy *https = policy_of("{'allow_domains':['https://a.test']}");
    struct tb_policy *http = policy_of("{'allow_domains':['http://a.test']}");
    struct tb_policy *block = policy_of("{'block_domains':['http://a.test']}");
    struct tb_host host;
    (void)state;
    assert_int_equal(tb_host_read(TB_STR("a.test"), &host, NULL), 0);
    struct tb_policy_set set = {.parts = {https}};
    assert_int_equal(tb_policy_judge_host(&set, TB_POLICY_TUNNEL, &host, 443, NULL), 0);
    set.parts[0] = http;
    assert_int_equal(tb_policy_judge_host(&set, TB_POLICY_TUNNEL, &host, 443, NULL),
                     TB_E_DOMAIN_BLOCKED);
    set.parts[0] = block;
    assert_int_equal(tb_policy_judge_host(&set, TB_POLICY_TUNNEL, &host, 443, NULL),
                     TB_E_DOMAIN_BLOCKED);
    tb_policy_unref(https, "test");
    tb_policy_unref(http, "test");
    tb_policy_unref(block, "test");
}

static void bad_policies_are_refused_with_words(void **state)
{
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {"[]", "a policy is an object"},
        {"{'allow':[]}", "has no member \"allow\""},
        {"{'read_only':true,'read_only':false}", "read_only is given twice"},
        {"{'allow_domains':'a.test'}", "allow_domains must be a list"},
        {"{'allow_domains':[1]}", "not text"},
        {"{'block_domains':['com']}", "block_domains: the rule \"com\" is a public suffix"},
        {"{'allow_domains':['co.uk']}", "public suffix"},
        {"{'allow_domains':['*.github.io']}", "public suffix"},
        {"{'allow_domains':['']}", "is empty"},
        {"{'allow_domains':['*']}", "has a '*'"},
        {"{'allow_domains':['a*.test']}", "has a '*'"},
        {"{'allow_domains':['=']}", "names no host"},
        {"{'allow_domains':['ftp://a.test']}", "scheme other than"},
        {"{'allow_domains':['a.test:0']}", "port"},
        {"{'allow_domains':['a.test:65536']}", "port"},
        {"{'allow_domains':['a.test:x']}", "port"},
        {"{'allow_domains':['a.test/x']}", "has a path"},
        {"{'allow_domains':['user@a.test']}", "names no host"},
        {"{'allow_domains':['10.0.0.1/8']}", "bits set after its prefix"},
        {"{'allow_domains':['10.0.0.0/33']}", "number of bits"},
        {"{'allow_domains':['[fd00::]/129']}", "number of bits"},
        {"{'allow_domains':['10.0.0.0/x']}", "number of bits"},
        {"{'allow_domains':['10.0.0.0/18446744073709551600']}", "number of bits"},
        {"{'private_networks':true}", "private_networks must be"},
        {"{'private_networks':'maybe'}", "private_networks must be"},
        {"{'schemes':'https'}", "schemes must be"},
        {"{'schemes':['gopher']}", "schemes must be"},
        {"{'schemes':[1]}", "schemes must be"},
        {"{'tools':[]}", "tools must be an object"},
        {"{'tools':{'allowed':[]}}", "tools has no member \"allowed\""},
        {"{'tools':{'allow':'x'}}", "tools.allow must be a list"},
        {"{'tools':{'deny':[1]}}", "tools.deny has an element"},
        {"{'ask':['']}", "ask has an element"},
        {"{'ask':['*']}", "ask takes names of tools"},
        {"{'tools':{'deny':['browser_*']}}", "tools.deny takes names of tools"},
        {"{'read_only':1}", "read_only must be"},
        {"{'evaluate':'no'}", "evaluate must be"},
        {"{'downloads':-1}", "downloads must be"},
        {"{'uploads':1.5}", "uploads must be"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_policy *policy = NULL;
        struct tb_err err = {0};
        if (policy_rig_read(cases[i].text, &policy, &err) != TB_E_PARAMS ||
            !strstr(err.text, cases[i].words)) {
            fail_msg("%s: %s", cases[i].text, err.text);
        }
        assert_null(policy);
    }
}

/* {"block_domains": [...]} with as many rules, each made of its number. */
static int read_many(const char *form, unsigned count, struct tb_err *err)
{
    struct tb_policy *policy = NULL;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_new_object();
    struct cJSON *list = tb_json_new_array();
    for (unsigned i = 0; i < count; i++) {
        TB_AUTO(tb_free) char *rule = tb_strdupf(form, i + 1);
        tb_json_append_take(list, tb_json_new_str(tb_str_of(rule)));
    }
    tb_json_set_take(json, "block_domains", list);
    int rc = tb_policy_read(json, &policy, err);
    tb_policy_unref(policy, "test");
    return rc;
}

static void there_are_ceilings_for_rules(void **state)
{
    struct tb_err err = {0};
    char *long_rule = tb_strdupf("{'ask':[],'allow_domains':['%0600d']}", 0);
    struct tb_policy *policy = NULL;
    (void)state;
    assert_int_equal(read_many("a%u.test", TB_POLICY_RULES_MAX, &err), 0);
    assert_int_equal(read_many("a%u.test", TB_POLICY_RULES_MAX + 1, &err), TB_E_PARAMS);
    assert_int_equal(read_many("a.test:%u", TB_POLICY_HOST_RULES_MAX, &err), 0);
    assert_int_equal(read_many("a.test:%u", TB_POLICY_HOST_RULES_MAX + 1, &err), TB_E_PARAMS);
    assert_non_null(strstr(err.text, "too many for its host"));
    assert_int_equal(read_many("10.0.0.1:%u", TB_POLICY_HOST_RULES_MAX, &err), 0);
    assert_int_equal(read_many("10.0.0.1:%u", TB_POLICY_HOST_RULES_MAX + 1, &err), TB_E_PARAMS);
    assert_non_null(strstr(err.text, "too many for its network"));
    assert_int_equal(policy_rig_read(long_rule, &policy, &err), TB_E_PARAMS);
    assert_non_null(strstr(err.text, "is too long"));
    tb_free(long_rule);
}

static void there_is_a_ceiling_for_names_of_tools(void **state)
{
    struct tb_policy *policy = NULL;
    struct tb_err err = {0};
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_new_object();
    struct cJSON *list = tb_json_new_array();
    (void)state;
    for (unsigned i = 0; i <= TB_POLICY_TOOLS_MAX; i++) {
        TB_AUTO(tb_free) char *name = tb_strdupf("tool%u", i);
        tb_json_append_take(list, tb_json_new_str(tb_str_of(name)));
    }
    tb_json_set_take(json, "ask", list);
    assert_int_equal(tb_policy_read(json, &policy, &err), TB_E_PARAMS);
}

static int judge_ip(const struct tb_policy_set *set, const char *name, const char *address,
                    uint16_t port)
{
    struct tb_host host;
    struct tb_ip ip;
    struct tb_err err = {0};
    assert_int_equal(tb_host_read(tb_str_of(name), &host, NULL), 0);
    assert_true(tb_ip_parse(tb_str_of(address), &ip));
    int rc = tb_policy_judge_address(set, &host, &ip, port, &err);
    assert_true(rc == 0 || rc == TB_E_DOMAIN_BLOCKED);
    return rc;
}

/* NET-4 */
static void metadata_services_are_out_of_reach_whatever_a_policy_says(void **state)
{
    struct tb_policy *policy =
        policy_of("{'private_networks':'allow','allow_domains':['169.254.0.0/16','a.test',"
                  "'metadata.google.internal']}");
    const struct tb_policy_set set = {.parts = {policy}};
    const struct tb_policy_set none = {0};
    (void)state;
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("http://169.254.169.254/latest"), NULL),
                     TB_E_DOMAIN_BLOCKED);
    assert_int_equal(tb_policy_judge_url(&none, TB_STR("http://0xa9fea9fe/"), NULL),
                     TB_E_DOMAIN_BLOCKED);
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("http://Metadata.Google.internal./"), NULL),
                     TB_E_DOMAIN_BLOCKED);
    assert_int_equal(tb_policy_judge_url(&none, TB_STR("http://metadata.test/"), NULL), 0);
    assert_int_equal(judge_ip(&set, "a.test", "169.254.169.254", 80), TB_E_DOMAIN_BLOCKED);
    assert_int_equal(judge_ip(&none, "a.test", "::ffff:169.254.169.254", 80), TB_E_DOMAIN_BLOCKED);
    tb_policy_unref(policy, "test");
}

static void private_networks_are_denied_where_tenants_share_a_daemon(void **state)
{
    struct tb_policy *allow = policy_of("{'private_networks':'allow'}");
    struct tb_policy *deny = policy_of("{'private_networks':'deny'}");
    struct tb_policy_set set = {0};
    (void)state;
    assert_int_equal(judge_ip(&set, "a.test", "10.0.0.1", 80), 0);
    set.shared = true;
    assert_int_equal(judge_ip(&set, "a.test", "10.0.0.1", 80), TB_E_DOMAIN_BLOCKED);
    assert_int_equal(judge_ip(&set, "a.test", "8.8.8.8", 80), 0);
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("http://a.localhost/"), NULL),
                     TB_E_DOMAIN_BLOCKED);
    set.parts[TB_POLICY_SESSION] = allow;
    assert_int_equal(judge_ip(&set, "a.test", "10.0.0.1", 80), TB_E_DOMAIN_BLOCKED);
    set.parts[TB_POLICY_TENANT] = allow;
    assert_int_equal(judge_ip(&set, "a.test", "10.0.0.1", 80), 0);
    set.parts[TB_POLICY_SESSION] = deny;
    assert_int_equal(judge_ip(&set, "a.test", "10.0.0.1", 80), TB_E_DOMAIN_BLOCKED);
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("http://[::1]/"), NULL), TB_E_DOMAIN_BLOCKED);
    tb_policy_unref(allow, "test");
    tb_policy_unref(deny, "test");
}

/* NET-4: even where private addresses are allowed. */
static void the_daemons_own_ports_are_out_of_reach(void **state)
{
    const uint16_t ports[] = {8765, 9000};
    struct tb_ip ips[1];
    const struct tb_policy_own own = {ips, 1, ports, TB_COUNT(ports)};
    const struct tb_policy_set set = {.own = &own};
    (void)state;
    assert_true(tb_ip_parse(TB_STR("192.168.1.5"), &ips[0]));
    assert_int_equal(judge_ip(&set, "a.test", "127.0.0.1", 8765), TB_E_DOMAIN_BLOCKED);
    assert_int_equal(judge_ip(&set, "a.test", "0.0.0.0", 9000), TB_E_DOMAIN_BLOCKED);
    assert_int_equal(judge_ip(&set, "a.test", "127.0.0.1", 3000), 0);
    assert_int_equal(judge_ip(&set, "a.test", "192.168.1.5", 9000), TB_E_DOMAIN_BLOCKED);
    assert_int_equal(judge_ip(&set, "a.test", "192.168.1.6", 9000), 0);
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("http://localhost:8765/mcp"), NULL),
                     TB_E_DOMAIN_BLOCKED);
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("http://localhost:3000/"), NULL), 0);
}

static void a_network_is_blocked_by_whatever_name_it_is_reached(void **state)
{
    struct tb_policy *policy = policy_of("{'block_domains':['192.0.2.0/24']}");
    const struct tb_policy_set set = {.parts = {NULL, NULL, policy}};
    (void)state;
    assert_int_equal(judge_ip(&set, "a.test", "192.0.2.9", 80), TB_E_DOMAIN_BLOCKED);
    assert_int_equal(judge_ip(&set, "a.test", "64:ff9b::192.0.2.9", 80), TB_E_DOMAIN_BLOCKED);
    assert_int_equal(judge_ip(&set, "a.test", "64:ff9b::8.8.8.8", 80), 0);
    assert_int_equal(judge_ip(&set, "a.test", "8.8.8.8", 80), 0);
    tb_policy_unref(policy, "test");
}

static int judge_tool(const char *text, const char *name, const char *shown, unsigned uses)
{
    struct tb_err err = {0};
    struct tb_policy *policy = policy_of(text);
    const struct tb_policy_set set = {.parts = {NULL, policy}};
    int rc = tb_policy_judge_tool(&set, name, shown, uses, &err);
    tb_policy_unref(policy, "test");
    assert_true(rc == 0 || rc == TB_E_DENIED);
    return rc;
}

static void tools_are_denied_by_name_and_by_what_they_do(void **state)
{
    static const char only[] = "{'tools':{'allow':['look']}}";
    const unsigned all =
        TB_POLICY_CHANGES | TB_POLICY_EVALUATES | TB_POLICY_UPLOADS | TB_POLICY_DOWNLOADS;
    (void)state;
    assert_int_equal(judge_tool("{}", "click", NULL, all), 0);
    assert_int_equal(judge_tool("{'tools':{'deny':['click']}}", "click", NULL, 0), TB_E_DENIED);
    assert_int_equal(judge_tool("{'tools':{'deny':['click']}}", "click", "tap", 0), TB_E_DENIED);
    assert_int_equal(judge_tool("{'tools':{'deny':['tap']}}", "click", "tap", 0), TB_E_DENIED);
    assert_int_equal(judge_tool("{'tools':{'deny':['tap']}}", "click", "touch", 0), 0);
    assert_int_equal(judge_tool(only, "look", NULL, 0), 0);
    assert_int_equal(judge_tool(only, "view", "look", 0), 0);
    assert_int_equal(judge_tool(only, "click", NULL, 0), TB_E_DENIED);
    assert_int_equal(judge_tool("{'tools':{'allow':[]}}", "look", NULL, 0), TB_E_DENIED);
    assert_int_equal(judge_tool("{'read_only':true}", "a", NULL, TB_POLICY_CHANGES), TB_E_DENIED);
    assert_int_equal(judge_tool("{'read_only':true}", "a", NULL, 0), 0);
    assert_int_equal(judge_tool("{'read_only':false}", "a", NULL, all), 0);
    assert_int_equal(judge_tool("{'evaluate':false}", "a", NULL, TB_POLICY_EVALUATES), TB_E_DENIED);
    assert_int_equal(judge_tool("{'evaluate':false}", "a", NULL, TB_POLICY_CHANGES), 0);
    assert_int_equal(judge_tool("{'uploads':false}", "a", NULL, TB_POLICY_UPLOADS), TB_E_DENIED);
    assert_int_equal(judge_tool("{'uploads':0}", "a", NULL, TB_POLICY_DOWNLOADS), 0);
    assert_int_equal(judge_tool("{'uploads':5}", "a", NULL, TB_POLICY_UPLOADS), 0);
    assert_int_equal(judge_tool("{'downloads':false}", "a", NULL, all), TB_E_DENIED);
    assert_int_equal(judge_tool("{'downloads':false}", "a", NULL, TB_POLICY_CHANGES), 0);
}

static void a_refusal_names_the_member_of_the_policy(void **state)
{
    struct tb_err err = {0};
    struct tb_policy *policy = policy_of("{'read_only':true}");
    const struct tb_policy_set set = {.parts = {policy}};
    (void)state;
    tb_policy_judge_tool(&set, "click", "tap", TB_POLICY_CHANGES, &err);
    assert_string_equal(err.text, "is not allowed by 'read_only' of the operator's policy");
    tb_policy_unref(policy, "test");
}

static void some_tools_are_asked_for(void **state)
{
    struct tb_policy *policy = policy_of("{'ask':['click']}");
    struct tb_policy_set set = {0};
    (void)state;
    assert_false(tb_policy_asks(&set, "click", NULL));
    set.parts[TB_POLICY_KEY] = policy;
    assert_true(tb_policy_asks(&set, "click", NULL));
    assert_true(tb_policy_asks(&set, "press", "click"));
    assert_false(tb_policy_asks(&set, "press", NULL));
    tb_policy_unref(policy, "test");
}

static void the_least_ceiling_counts(void **state)
{
    struct tb_policy *wide = policy_of("{'downloads':1000,'uploads':true}");
    struct tb_policy *narrow = policy_of("{'downloads':10,'uploads':7}");
    struct tb_policy_set set = {0};
    (void)state;
    assert_int_equal(tb_policy_bytes_max(&set, TB_POLICY_DOWNLOADS), -1);
    set.parts[0] = wide;
    assert_int_equal(tb_policy_bytes_max(&set, TB_POLICY_DOWNLOADS), 1000);
    assert_int_equal(tb_policy_bytes_max(&set, TB_POLICY_UPLOADS), -1);
    set.parts[3] = narrow;
    assert_int_equal(tb_policy_bytes_max(&set, TB_POLICY_DOWNLOADS), 10);
    assert_int_equal(tb_policy_bytes_max(&set, TB_POLICY_UPLOADS), 7);
    set.parts[0] = narrow;
    set.parts[3] = wide;
    assert_int_equal(tb_policy_bytes_max(&set, TB_POLICY_DOWNLOADS), 10);
    tb_policy_unref(wide, "test");
    tb_policy_unref(narrow, "test");
}

static void only_what_limits_connections_needs_a_proxy(void **state)
{
    static const char *const limiting[] = {"{'allow_domains':[]}", "{'block_domains':[]}",
                                           "{'schemes':['https']}", "{'private_networks':'deny'}"};
    static const char *const others[] = {"{}", "{'private_networks':'allow'}",
                                         "{'read_only':true}"};
    struct tb_policy_set set = {0};
    (void)state;
    assert_true(tb_policy_is_empty(&set));
    set.shared = true;
    assert_false(tb_policy_is_empty(&set));
    set.shared = false;
    for (size_t i = 0; i < TB_COUNT(limiting) + TB_COUNT(others); i++) {
        bool limits = i < TB_COUNT(limiting);
        struct tb_policy *policy = policy_of(limits ? limiting[i] : others[i - TB_COUNT(limiting)]);
        set.parts[i % TB_POLICY_PARTS] = policy;
        assert_int_equal(tb_policy_is_empty(&set), !limits);
        set.parts[i % TB_POLICY_PARTS] = NULL;
        tb_policy_unref(policy, "test");
    }
}

static void a_policy_is_counted_and_shows_what_it_was_made_of(void **state)
{
    struct tb_policy *policy = policy_of("{'read_only':true}");
    bool value = false;
    (void)state;
    assert_ptr_equal(tb_policy_ref(policy, "test"), policy);
    assert_null(tb_policy_ref(NULL, "test"));
    tb_policy_unref(policy, "test");
    assert_true(tb_json_bool(tb_json_get(tb_policy_json(policy), "read_only"), &value) && value);
    tb_policy_unref(policy, "test");
    tb_policy_unref(NULL, "test");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_holds_for_its_host_and_all_below_it),
        cmocka_unit_test(schemes_and_ports_of_a_rule_are_exact),
        cmocka_unit_test(networks_are_found_among_others),
        cmocka_unit_test(block_beats_allow_and_an_empty_list_allows_nothing),
        cmocka_unit_test(a_refusal_names_the_rule_and_whose_it_is),
        cmocka_unit_test(a_tunnel_needs_https_among_the_schemes),
        cmocka_unit_test(a_tunnel_needs_a_rule_for_https_and_none_against_either),
        cmocka_unit_test(bad_policies_are_refused_with_words),
        cmocka_unit_test(there_are_ceilings_for_rules),
        cmocka_unit_test(there_is_a_ceiling_for_names_of_tools),
        cmocka_unit_test(metadata_services_are_out_of_reach_whatever_a_policy_says),
        cmocka_unit_test(private_networks_are_denied_where_tenants_share_a_daemon),
        cmocka_unit_test(the_daemons_own_ports_are_out_of_reach),
        cmocka_unit_test(a_network_is_blocked_by_whatever_name_it_is_reached),
        cmocka_unit_test(tools_are_denied_by_name_and_by_what_they_do),
        cmocka_unit_test(a_refusal_names_the_member_of_the_policy),
        cmocka_unit_test(some_tools_are_asked_for),
        cmocka_unit_test(the_least_ceiling_counts),
        cmocka_unit_test(only_what_limits_connections_needs_a_proxy),
        cmocka_unit_test(a_policy_is_counted_and_shows_what_it_was_made_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
