/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policies.h"

#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/mask.h"
#include "core/session_internal.h"
#include "core/session_policy.h"

#include "support/core_rig.h"
#include "support/principals.h"

static int setup(void **state)
{
    int rc = rig_setup(state);
    struct rig *rig = *state;
    rig->core.policies = tb_policies_new(&rig->core);
    return rc;
}

static struct tb_policy *policy_of(const char *text)
{
    struct tb_policy *policy = NULL;
    TB_AUTO(tb_free) char *copy = tb_strdup(text);
    for (char *at = copy; (at = strchr(at, '\'')); at++) {
        *at = '"';
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(copy));
    assert_int_equal(tb_policy_read(json, &policy, NULL), 0);
    return policy;
}

/* From now on tenant "t" calls with another key, which has this policy; NULL: none. */
static void call_with(const char *text)
{
    tb_policy_unref(principal_t.policy, "test");
    principal_t.policy = text ? policy_of(text) : NULL;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    call_with(NULL);
    rig_stop(rig);
    tb_policies_free(rig->core.policies);
    rig->core.policies = NULL;
    return rig_teardown(state);
}

static int put_as(struct rig *rig, unsigned scopes, const char *own, const char *tenant,
                  const char *text)
{
    struct tb_err err;
    const struct tb_principal_spec spec = {
        .tenant = own, .key = "k", .label = "", .scopes = scopes};
    struct tb_principal *by = tb_principal_new(&spec);
    TB_AUTO(tb_free) char *copy = tb_strdup(text);
    for (char *at = copy; (at = strchr(at, '\'')); at++) {
        *at = '"';
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(copy));
    int rc = tb_policies_put(rig->core.policies, by, tb_str_of(tenant), json, NULL, &err);
    tb_principal_unref(by, "test");
    return rc;
}

static int put(struct rig *rig, const char *text)
{
    return put_as(rig, TB_SCOPE_ADMIN, "t", "t", text);
}

static void a_denied_tool_is_refused_and_one_that_is_not_runs(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(put(rig, "{'read_only':true}"), 0);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), TB_E_DENIED);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(put(rig, "{}"), 0);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
}

/* The session's own policy is known when its turn comes; so is one that came meanwhile. */
static void a_policy_that_comes_while_a_call_waits_holds_for_it(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *running = rig_start(rig, &rig_click, "talk", NULL);
    struct rig_call *waiting = rig_start(rig, &rig_click, "talk", NULL);
    rig_turn(rig);
    assert_int_equal(put(rig, "{'read_only':true}"), 0);
    tb_fake_release(rig->fake, rig_find(rig, "browser-1")->id);
    rig_turn(rig);
    rig_expect(running, 0);
    rig_expect(waiting, TB_E_DENIED);
}

static void a_tenant_only_sees_its_own(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(put_as(rig, TB_SCOPE_ADMIN, "u", "t", "{}"), TB_E_NOT_FOUND);
    assert_int_equal(put_as(rig, TB_SCOPES_ALL, "default", "t", "{}"), 0);
    assert_int_equal(put_as(rig, TB_SCOPES_ALL, "default", "No", "{}"), TB_E_NOT_FOUND);
    assert_int_equal(put_as(rig, TB_SCOPE_ADMIN, "u", "u", "{'read_only':true}"), 0);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
}

static void only_the_operator_opens_private_networks_to_a_tenant(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(put(rig, "{'private_networks':'allow'}"), TB_E_FORBIDDEN);
    assert_int_equal(put_as(rig, TB_SCOPES_ALL, "default", "t", "{'private_networks':'allow'}"), 0);
    rig_set(rig, "policy.private_networks", "allow");
    tb_policies_reload(rig->core.policies);
    assert_int_equal(put(rig, "{'private_networks':'allow'}"), 0);
}

static void a_second_tenant_closes_private_networks(void **state)
{
    struct rig *rig = *state;
    struct tb_policy_set set_of = tb_policies_of(rig->core.policies, "default");
    assert_false(set_of.shared);
    tb_policies_note_tenant(rig->core.policies, TB_TENANT_DEFAULT);
    assert_false(tb_policies_of(rig->core.policies, "default").shared);
    tb_policies_note_tenant(rig->core.policies, "other");
    assert_true(tb_policies_of(rig->core.policies, "default").shared);
    assert_null(tb_policies_of(NULL, "default").parts[0]);
}

static void the_settings_are_the_operators_policy(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    rig_set(rig, "policy.tools_deny", rig_click.name);
    tb_policies_reload(rig->core.policies);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), TB_E_DENIED);
    rig_set(rig, "policy.downloads", "a few");
    assert_int_equal(tb_policies_check(&rig->config, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "policy: downloads must be"));
    tb_policies_reload(rig->core.policies); /* fail closed */
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), TB_E_DENIED);
    rig_set(rig, "policy.downloads", "1000");
    rig_set(rig, "octopus.allowed_domains", "a.test,*.com");
    assert_int_equal(tb_policies_check(&rig->config, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "octopus.allowed_domains: "));
}

static int judge_address(const struct tb_session *session, const char *name, const char *address)
{
    struct tb_policy_set set = tb_session_policies(session);
    struct tb_host host;
    struct tb_ip ip;
    assert_int_equal(tb_host_read(tb_str_of(name), &host, NULL), 0);
    assert_true(tb_ip_parse(tb_str_of(address), &ip));
    int rc = tb_policy_judge_host(&set, TB_SCHEME_HTTP, &host, 80, NULL);
    return rc < 0 ? rc : tb_policy_judge_address(&set, &host, &ip, 80, NULL);
}

/* DEC-13: of a name that is listed the addresses count, of every request. */
static void the_toolset_octopus_refuses_inner_addresses_by_its_own_setting(void **state)
{
    static const char *const inner[] = {
        "127.0.0.1",   "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1",       "192.168.1.1",
        "169.254.1.1", "::1",       "fc00::1", "fe80::1",  "::ffff:127.0.0.1", "::ffff:10.0.0.1"};
    static const struct {
        const char *list;
        const char *networks;
        bool refused;
    } rows[] = {{"*", "auto", false},     {"*", "deny", true},      {"*", "allow", false},
                {"x.test", "auto", true}, {"x.test", "deny", true}, {"x.test", "allow", false}};
    struct rig *rig = *state;
    rig_set(rig, "policy.private_networks", "allow"); /* "t" is not the only tenant */
    rig->brief = true;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig->brief = false;
    struct tb_session *plain = rig_create(rig, "plain");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        rig_set(rig, "octopus.allowed_domains", rows[i].list);
        rig_set(rig, "octopus.private_networks", rows[i].networks);
        tb_policies_reload(rig->core.policies);
        const struct tb_session *session = rig_find(rig, "browser-1");
        for (size_t j = 0; j < TB_COUNT(inner); j++) {
            assert_int_equal(judge_address(session, "x.test", inner[j]),
                             rows[i].refused ? TB_E_DOMAIN_BLOCKED : 0);
            assert_int_equal(judge_address(plain, "x.test", inner[j]), 0);
        }
        assert_int_equal(judge_address(session, "x.test", "93.184.216.34"), 0);
        assert_int_equal(judge_address(session, "y.test", "93.184.216.34"),
                         rows[i].list[0] == '*' ? 0 : TB_E_DOMAIN_BLOCKED);
    }
}

static void a_page_is_judged_and_its_refusal_told(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    assert_int_equal(put(rig, "{'block_domains':['evil.test']}"), 0);
    assert_int_equal(tb_session_policy_page(session, TB_STR("https://fine.test/"), &err), 0);
    assert_int_equal(tb_session_policy_page(session, TB_STR("no address"), &err), 0);
    for (int i = 0; i < 150; i++) {
        assert_int_equal(
            tb_session_policy_page(session, TB_STR("https://u:p@evil.test/x?secret"), &err),
            TB_E_DOMAIN_BLOCKED);
    }
    assert_int_equal(rig_events(rig, "page_refused"), 100);
    assert_int_equal(rig_events(rig, "secret"), 0);
    rig_advance(rig, TB_FLOOD_MS);
    assert_int_equal(rig_events(rig, "\"missed\":50"), 1);
    for (int i = 0; i < 120; i++) {
        tb_session_policy_page(session, TB_STR("https://evil.test/"), &err);
    }
    tb_session_end(session, TB_END_USER_STOPPED);
    assert_int_equal(rig_events(rig, "\"missed\":20"), 1);
}

static void a_denied_call_names_its_rule_and_of_a_flood_there_is_a_count(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(put(rig, "{'read_only':true}"), 0);
    for (int i = 0; i < 130; i++) {
        assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), TB_E_DENIED);
    }
    assert_int_equal(rig_events(rig, "is not allowed by 'read_only' of the tenant's policy"), 100);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(rig_events(rig, "\"count\""), 0);
    rig_advance(rig, TB_FLOOD_MS);
    assert_int_equal(rig_events(rig, "\"count\":30"), 1);
}

static void a_refused_page_does_not_tell_what_was_typed(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    session->bounds.mask = tb_mask_new(&rig->core.vault);
    tb_mask_add(session->bounds.mask, "{{secret:x}}", TB_STR("hunter22"), false);
    assert_int_equal(put(rig, "{'block_domains':['evil.test']}"), 0);
    assert_int_equal(
        tb_session_policy_page(session, TB_STR("https://hunter22.evil.test/Hunter22"), &err),
        TB_E_DOMAIN_BLOCKED);
    assert_int_equal(rig_events(rig, "\"url\":\"https://{{secret:x}}.evil.test/{{secret:x}}\""), 1);
    assert_int_equal(rig_events(rig, "unter22"), 0);
}

static void sessions_on_a_page_that_is_blocked_end(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig_create(rig, "b");
    rig_turn(rig);
    session->url = tb_strdup("https://www.evil.test/x");
    assert_int_equal(put(rig, "{'block_domains':['evil.test']}"), 0);
    rig_turn(rig);
    assert_null(rig_find(rig, "a"));
    assert_non_null(rig_find(rig, "b"));
    assert_int_equal(rig_events(rig, "\"reason\":\"domain_blocked\""), 1);
}

/* What the last call told of may be another tab, or where this one was before it went on. */
static void every_open_tab_counts_when_a_domain_is_blocked(void **state)
{
    static const char *const beside[] = {"https://fine.test/", "https://evil.test/x", NULL};
    static const char *const gone_on[] = {"https://fine.test/", NULL};
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    session->url = tb_strdup("https://evil.test/");
    rig->fake->tabs = gone_on;
    assert_int_equal(put(rig, "{'block_domains':['evil.test']}"), 0);
    rig_turn(rig);
    assert_non_null(rig_find(rig, "a"));
    tb_free(session->url);
    session->url = tb_strdup("https://fine.test/");
    rig->fake->tabs = beside;
    assert_int_equal(put(rig, "{'block_domains':['evil.test']}"), 0);
    rig_turn(rig);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(rig_events(rig, "\"reason\":\"domain_blocked\""), 1);
}

static void a_session_that_cannot_read_its_policy_may_do_nothing(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    TB_AUTO(tb_json_free)
    struct cJSON *args = tb_json_parse(TB_STR("{\"policy\":{\"of_a_newer_version\":1}}"));
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    tb_session_policy_restore(session, args);
    assert_int_equal(tb_session_policy_page(session, TB_STR("https://a.test"), &err),
                     TB_E_DOMAIN_BLOCKED);
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"a\"}"), TB_E_DENIED);
}

static void a_call_obeys_the_key_that_makes_it(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    call_with("{'read_only':true}");
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), TB_E_DENIED);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    call_with("{'tools':{'deny':['navigate']}}");
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), TB_E_DENIED);
    call_with(NULL);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
}

static void a_session_obeys_the_key_that_started_it_whoever_calls(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    call_with("{'read_only':true,'allow_domains':['fine.test'],'uploads':9}");
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    call_with(NULL); /* revoked, and another one comes */
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"a\"}"), TB_E_DENIED);
    assert_int_equal(tb_session_policy_page(session, TB_STR("https://fine.test/"), &err), 0);
    assert_int_equal(tb_session_policy_page(session, TB_STR("https://other.test/"), &err),
                     TB_E_DOMAIN_BLOCKED);
    assert_non_null(strstr(err.text, "allow_domains of the policy of the key that started"));
    assert_int_equal(tb_session_policy_file_max(session, true), 9);
}

static void a_key_with_rules_for_the_network_uses_no_session_without_them(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "open");
    rig_turn(rig);
    call_with("{'allow_domains':['fine.test'],'read_only':false}");
    rig_create(rig, "bound");
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"open\"}"), TB_E_DENIED);
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"bound\"}"), 0);
    call_with("{'read_only':false,'allow_domains':['fine.test']}"); /* the same in other words */
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"bound\"}"), 0);
    call_with("{'allow_domains':['other.test']}");
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"bound\"}"), TB_E_DENIED);
}

/* The ceiling of the session's starter is not that of whoever calls. */
static void a_file_is_given_under_the_ceiling_of_the_key_that_calls(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    call_with("{'uploads':7}");
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    assert_int_equal(tb_session_policy_file_max(session, true), -1);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    assert_int_equal(tb_session_policy_file_max(session, true), 7);
    assert_int_equal(tb_session_policy_file_max(session, false), -1);
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(call, 0);
    assert_int_equal(tb_session_policy_file_max(session, true), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_denied_tool_is_refused_and_one_that_is_not_runs, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_policy_that_comes_while_a_call_waits_holds_for_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_tenant_only_sees_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_operator_opens_private_networks_to_a_tenant, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_second_tenant_closes_private_networks, setup, teardown),
        cmocka_unit_test_setup_teardown(the_settings_are_the_operators_policy, setup, teardown),
        cmocka_unit_test_setup_teardown(
            the_toolset_octopus_refuses_inner_addresses_by_its_own_setting, setup, teardown),
        cmocka_unit_test_setup_teardown(a_refused_page_does_not_tell_what_was_typed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_page_is_judged_and_its_refusal_told, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_denied_call_names_its_rule_and_of_a_flood_there_is_a_count, setup, teardown),
        cmocka_unit_test_setup_teardown(sessions_on_a_page_that_is_blocked_end, setup, teardown),
        cmocka_unit_test_setup_teardown(every_open_tab_counts_when_a_domain_is_blocked, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_call_obeys_the_key_that_makes_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_session_obeys_the_key_that_started_it_whoever_calls,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_key_with_rules_for_the_network_uses_no_session_without_them, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_is_given_under_the_ceiling_of_the_key_that_calls,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_session_that_cannot_read_its_policy_may_do_nothing, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
