/* SPDX-License-Identifier: Apache-2.0 */
/* Rules and hosts as anybody may write them. The first line is an address, the rest is a policy as
 * JSON, or else each line a rule. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "core/domain_rules.h"
#include "core/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* A canonical host is the canonical form of itself, in every way to write it. */
static void check_host(struct tb_str text)
{
    struct tb_host host;
    struct tb_host again;
    char bracketed[TB_HOST_SIZE + 2];
    if (tb_host_read(text, &host, NULL) < 0) {
        return;
    }
    require(host.name[0] && strlen(host.name) < TB_HOST_SIZE);
    bool v6 = host.is_ip && !tb_ip_is_v4(&host.ip);
    snprintf(bracketed, sizeof(bracketed), v6 ? "[%s]" : "%s", host.name);
    require(tb_host_read(tb_str_of(bracketed), &again, NULL) == 0);
    require(strcmp(host.name, again.name) == 0 && host.is_ip == again.is_ip);
}

/* Who is blocked by name is blocked however its address is written, and block beats allow. */
static void check_rules(struct tb_str url, struct tb_str lines)
{
    struct tb_url_parts parts;
    TB_AUTO(tb_domain_rules_free) struct tb_domain_rules *rules = tb_domain_rules_new();
    while (lines.ptr) {
        tb_domain_rules_add(rules, tb_str_cut(&lines, '\n'), NULL);
    }
    if (tb_domain_rules_finish(rules, NULL) == 0 && tb_url_parts_read(url, &parts, NULL) == 0 &&
        parts.host.name[0]) {
        const char *found = tb_domain_rules_find(rules, parts.scheme, &parts.host, parts.port);
        const char *wider = tb_domain_rules_find(rules, TB_POLICY_TUNNEL, &parts.host, parts.port);
        require(!found || wider);
    }
}

static void check_policy(struct tb_str url, struct tb_str text)
{
    struct tb_policy *policy = NULL;
    struct tb_err err = {0};
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(text);
    if (!json || tb_policy_read(json, &policy, &err) < 0) {
        require(!json || err.text[0]);
        return;
    }
    const struct tb_policy_set one = {.parts = {policy}};
    const struct tb_policy_set two = {.parts = {policy, policy}, .shared = true};
    int rc = tb_policy_judge_url(&one, url, &err);
    require(rc == 0 || err.text[0]);
    require(rc == 0 || tb_policy_judge_url(&two, url, NULL) < 0); /* more parts only narrow */
    tb_policy_unref(policy, "fuzz");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_str rest = {(const char *)data, size};
    struct tb_str url = tb_str_cut(&rest, '\n');
    check_host(url);
    check_rules(url, rest);
    check_policy(url, rest);
    return 0;
}
