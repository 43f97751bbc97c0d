/* SPDX-License-Identifier: Apache-2.0 */
/* How many sessions a key and a tenant may have awake. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/sessions_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

static struct tb_principal *key(const char *name, const char *tenant)
{
    return tb_principal_new(&(struct tb_principal_spec){
        .tenant = tenant, .key = name, .label = "", .scopes = TB_SCOPES_ALL});
}

/* Starts a session, of the conversation "talk-NAME" or by name. */
static int start(struct rig *rig, struct tb_principal *who, const char *name, bool named)
{
    char talk[64];
    snprintf(talk, sizeof(talk), "talk-%s", name);
    const struct tb_caller caller = {.who = who, .conversation = talk};
    const struct tb_session_spec spec = {.name = tb_str_of(name),
                                         .for_conversation = !named,
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session;
    const char *warning;
    int rc = tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL);
    rig_turn(rig);
    return rc;
}

static bool is_asleep(struct rig *rig, const char *name)
{
    return tb_session_info(rig_find(rig, name)).hibernated;
}

static void a_key_has_so_many_sessions_and_another_key_its_own(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *one = key("k1", "t");
    struct tb_principal *other = key("k2", "t");
    rig->config.limits_sessions_per_key = 2;
    assert_int_equal(start(rig, one, "a", true), 0);
    assert_int_equal(start(rig, one, "b", true), 0);
    assert_int_equal(start(rig, one, "c", true), TB_E_LIMIT);
    assert_int_equal(start(rig, other, "c", true), 0);
    tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    assert_int_equal(start(rig, one, "d", true), 0);
    tb_principal_unref(one, "test");
    tb_principal_unref(other, "test");
}

static void an_idle_conversation_of_the_same_key_makes_room(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *one = key("k1", "t");
    struct tb_principal *other = key("k2", "t");
    rig->config.limits_sessions_per_key = 2;
    assert_int_equal(start(rig, other, "theirs", false), 0);
    rig_advance(rig, 1000);
    assert_int_equal(start(rig, one, "a", false), 0);
    rig_advance(rig, 1000);
    assert_int_equal(start(rig, one, "b", true), 0);
    assert_int_equal(start(rig, one, "c", true), 0);
    assert_true(is_asleep(rig, "a"));
    assert_false(is_asleep(rig, "theirs"));
    assert_int_equal(start(rig, one, "d", false), TB_E_LIMIT);
    tb_principal_unref(one, "test");
    tb_principal_unref(other, "test");
}

static void whose_a_sleeping_session_is_counts_also_after_a_restart(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *one = key("k1", "t");
    assert_int_equal(start(rig, one, "a", true), 0);
    rig_restart(rig, 1000);
    assert_string_equal(rig_find(rig, "a")->key, "k1");
    rig->config.limits_sessions_per_key = 1;
    assert_int_equal(start(rig, one, "b", true), 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), TB_E_LIMIT);
    tb_session_end(rig_find(rig, "b"), TB_END_CLOSED);
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    tb_principal_unref(one, "test");
}

static void a_tenant_has_so_many_sessions_whatever_their_keys(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *one = key("k1", "t");
    struct tb_principal *other = key("k2", "t");
    struct tb_principal *stranger = key("k3", "u");
    rig->config.limits_sessions_per_tenant = 2;
    assert_int_equal(start(rig, one, "a", true), 0);
    assert_int_equal(start(rig, other, "b", true), 0);
    assert_int_equal(start(rig, one, "c", true), TB_E_LIMIT);
    assert_int_equal(start(rig, other, "c", false), TB_E_LIMIT);
    assert_int_equal(start(rig, stranger, "c", true), 0);
    tb_principal_unref(one, "test");
    tb_principal_unref(other, "test");
    tb_principal_unref(stranger, "test");
}

static int make(struct rig *rig, const char *name, enum tb_session_kind kind,
                const char **ret_warning)
{
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = ""};
    const struct tb_session_spec spec = {.kind = kind,
                                         .name = tb_str_of(name),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session;
    int rc = tb_sessions_create(rig->core.sessions, &caller, &spec, &session, ret_warning, NULL);
    rig_turn(rig);
    return rc;
}

/* Ten of them, where there is place for one browser. */
static void pages_and_tabs_take_nobodys_place(void **state)
{
    struct rig *rig = *state;
    const char *warning;
    char name[16];
    rig->config.sessions_total = 1;
    rig->config.sessions_per_tenant = 1;
    rig->config.limits_sessions_per_tenant = 1;
    rig->config.limits_sessions_per_key = 1;
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof(name), "own-%d", i);
        assert_int_equal(make(rig, name, i % 2 ? TB_KIND_TAB : TB_KIND_CLIENT, &warning), 0);
        assert_null(warning);
    }
    assert_int_equal(make(rig, "one", TB_KIND_ANDROID, &warning), 0);
    assert_null(warning);
    assert_int_equal(make(rig, "two", TB_KIND_BROWSER, &warning), TB_E_LIMIT);
    assert_int_equal(make(rig, "two", TB_KIND_CLIENT, &warning), 0);
    tb_session_end(rig_find(rig, "one"), TB_END_CLOSED);
    assert_int_equal(make(rig, "one", TB_KIND_BROWSER, &warning), 0);
}

/* Only browsers and devices are counted, and only who starts one is warned. */
static void pages_and_tabs_bring_no_warning_of_too_many(void **state)
{
    struct rig *rig = *state;
    const char *warning;
    rig->config.sessions_per_tenant = 1;
    assert_int_equal(make(rig, "a", TB_KIND_CLIENT, &warning), 0);
    assert_int_equal(make(rig, "b", TB_KIND_BROWSER, &warning), 0);
    assert_null(warning);
    assert_int_equal(make(rig, "c", TB_KIND_IOS, &warning), 0);
    assert_non_null(strstr(warning, "2 sessions with a browser or device are open"));
    assert_int_equal(make(rig, "d", TB_KIND_TAB, &warning), 0);
    assert_null(warning);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_key_has_so_many_sessions_and_another_key_its_own),
        RIG_TEST(an_idle_conversation_of_the_same_key_makes_room),
        RIG_TEST(whose_a_sleeping_session_is_counts_also_after_a_restart),
        RIG_TEST(a_tenant_has_so_many_sessions_whatever_their_keys),
        RIG_TEST(pages_and_tabs_take_nobodys_place),
        RIG_TEST(pages_and_tabs_bring_no_warning_of_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
