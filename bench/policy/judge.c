/* SPDX-License-Identifier: Apache-2.0 */
/* How long one decision takes with 10,000 rules: of names, of networks, and of both in four parts
 * of a set. Prints nanoseconds; the goal is below 2,000. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/id.h"
#include "base/json.h"
#include "core/policy.h"

enum {
    RULES = 10000,
    ROUNDS = 1000000,
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct tb_policy *policy_of(const char *member, bool networks)
{
    struct tb_policy *policy = NULL;
    struct tb_err err;
    struct cJSON *list = tb_json_new_array();
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_new_object();
    for (unsigned i = 0; i < RULES; i++) {
        TB_AUTO(tb_free)
        char *rule = networks ? tb_strdupf("%u.%u.%u.0/24", 11 + i / 65536, i / 256 % 256, i % 256)
                              : tb_strdupf("host%u.some-domain%u.example", i, i % 100);
        tb_json_append_take(list, tb_json_new_str(tb_str_of(rule)));
    }
    tb_json_append_take(list, tb_json_new_str(TB_STR("good.test")));
    tb_json_set_take(json, member, list);
    if (tb_policy_read(json, &policy, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return policy;
}

static void measure(const char *name, const struct tb_policy_set *set, const char *text)
{
    struct tb_host host;
    struct tb_err err;
    int64_t refused = 0;
    tb_host_read(tb_str_of(text), &host, NULL);
    int64_t since_ns = now_ns();
    for (unsigned i = 0; i < ROUNDS; i++) {
        refused += tb_policy_judge_host(set, TB_SCHEME_HTTPS, &host, 443, &err) < 0;
    }
    printf("%-44s %-10s %6lld ns\n", name, refused ? "refused" : "allowed",
           (long long)((now_ns() - since_ns) / ROUNDS));
}

static void measure_url(const struct tb_policy_set *set, const char *url)
{
    int64_t since_ns = now_ns();
    for (unsigned i = 0; i < ROUNDS; i++) {
        tb_policy_judge_url(set, tb_str_of(url), NULL);
    }
    printf("%-44s %-10s %6lld ns\n", "the same, from the whole address", "allowed",
           (long long)((now_ns() - since_ns) / ROUNDS));
}

int main(void)
{
    if (tb_id_init() < 0) {
        return 1;
    }
    struct tb_policy *allow = policy_of("allow_domains", false);
    struct tb_policy *block = policy_of("block_domains", false);
    struct tb_policy *nets = policy_of("block_domains", true);
    measure("10,000 allowed hosts", &(struct tb_policy_set){.parts = {allow}}, "a.b.good.test");
    measure("10,000 blocked hosts", &(struct tb_policy_set){.parts = {block}}, "a.b.fine.test");
    measure("10,000 blocked networks", &(struct tb_policy_set){.parts = {nets}}, "192.0.2.1");
    const struct tb_policy_set all = {.parts = {allow, nets, allow, nets}};
    measure("40,000 rules in four parts", &all, "a.b.c.d.e.f.xgood.test");
    measure_url(&(struct tb_policy_set){.parts = {allow}}, "https://a.b.good.test/x?y#z");
    tb_policy_unref(allow, "bench");
    tb_policy_unref(block, "bench");
    tb_policy_unref(nets, "bench");
    return 0;
}
