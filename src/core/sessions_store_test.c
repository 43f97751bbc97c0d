/* SPDX-License-Identifier: Apache-2.0 */
/* What is acknowledged is stored before; what cannot be stored is not begun. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/ends.h"
#include "core/resolve.h"
#include "core/sessions_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

static void on_open(struct tb_gate *gate)
{
    (void)gate;
}

static const struct tb_tool look = {.name = "look", .flags = TB_TOOL_READ_ONLY, .op = TB_OP_CLICK};

static int make(struct rig *rig, const char *name, const char *args, struct tb_gate *gate,
                struct tb_err *err)
{
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
    TB_AUTO(tb_json_free) struct cJSON *json = args ? tb_json_parse(tb_str_of(args)) : NULL;
    const struct tb_session_spec spec = {.name = tb_str_of(name),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake,
                                         .args = json,
                                         .gate = gate};
    struct tb_session *session;
    const char *warning;
    return tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, err);
}

static void nothing_that_must_be_kept_is_begun_while_the_store_is_not_ready(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_err err;
    rig_create(rig, "a");
    rig_turn(rig);
    store->full = true;
    assert_int_equal(make(rig, "b", NULL, NULL, &err), TB_E_STORE);
    assert_string_equal(err.text, "the disk is full");
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), TB_E_STORE);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), TB_E_STORE);
    assert_int_equal(rig->fake->counts.begun, 0);
    assert_int_equal(rig_run(rig, &look, "", "{\"sessionId\":\"a\"}"), 0);
    tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    assert_null(rig_find(rig, "a"));
    store->full = false;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0); /* without a restart */
}

/* The session of the conversation. */
static void begin(struct rig *rig)
{
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
    const struct tb_session_spec spec = {.name = TB_STR("talks"),
                                         .for_conversation = true,
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session;
    const char *warning;
    assert_int_equal(
        tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL), 0);
    rig_turn(rig);
}

static void detach(struct rig *rig, const struct tb_caller *caller, struct tb_gate *gate)
{
    tb_session_detach(rig_find(rig, "talks"), caller, gate);
}

static void choose(struct rig *rig, const struct tb_caller *caller, struct tb_gate *gate)
{
    assert_int_equal(
        tb_sessions_set_current(rig->core.sessions, caller, TB_STR("talks"), gate, NULL), 0);
}

static void renew(struct rig *rig, const struct tb_caller *caller, struct tb_gate *gate)
{
    assert_int_equal(tb_session_renew(rig_find(rig, "talks"), 1000, caller, gate, NULL), 0);
}

static void create(struct rig *rig, const struct tb_caller *caller, struct tb_gate *gate)
{
    (void)caller;
    assert_int_equal(make(rig, "b", NULL, gate, NULL), 0);
}

static void end(struct rig *rig, const struct tb_caller *caller, struct tb_gate *gate)
{
    (void)caller;
    tb_session_end_stored(rig_find(rig, "talks"), TB_END_CLOSED, gate);
}

static void end_all(struct rig *rig, const struct tb_caller *caller, struct tb_gate *gate)
{
    (void)caller;
    tb_sessions_end_all(rig->core.sessions, "t", TB_END_CLOSED, gate);
}

static void stop_all(struct rig *rig, const struct tb_caller *caller, struct tb_gate *gate)
{
    tb_sessions_stop_all(rig->core.sessions, "t", gate);
    const struct tb_tenant *tenant = tb_tenant_find(rig->core.sessions, "t");
    const struct tb_end *end = tb_end_unheard(tenant, caller);
    assert_non_null(end);
    tb_end_warn(tenant, tb_end_id(end), "talk"); /* or it could start no other */
}

static void end_conversation(struct rig *rig, const struct tb_caller *caller, struct tb_gate *gate)
{
    tb_sessions_end_conversation(rig->core.sessions, caller, TB_END_CONVERSATION_ENDED, gate);
}

static void a_gate_hears_that_its_act_was_not_stored(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    static void (*const acts[])(struct rig * rig, const struct tb_caller *caller,
                                struct tb_gate *gate) = {
        create, choose, renew, detach, end, end_all, stop_all, end_conversation};
    for (size_t i = 0; i < TB_COUNT(acts); i++) {
        for (int broken = 0; broken < 2; broken++) {
            struct tb_gate gate;
            const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
            tb_gate_init(&gate, on_open);
            begin(rig);
            store->broken = broken;
            acts[i](rig, &caller, &gate);
            assert_int_equal(gate.err.code, broken ? TB_E_STORE : 0);
            assert_false(tb_gate_shut(&gate));
            store->broken = false;
            tb_gate_fini(&gate);
            tb_sessions_end_all(rig->core.sessions, "t", TB_END_CLOSED, NULL);
            rig_kill(rig, 0);
            tb_sessions_end_all(rig->core.sessions, "t", TB_END_CLOSED, NULL);
            rig_kill(rig, 0);
        }
    }
}

/* Or it would come back after a restart, logins and all. */
static void an_end_that_could_not_be_stored_is_stored_later(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    for (int says_so = 0; says_so < 2; says_so++) {
        rig_create(rig, "a");
        rig_turn(rig);
        assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\",\"tag\":\"login\"}"),
                         0);
        rig_advance(rig, 3000);
        assert_int_equal(fake_store_count(store, TB_SPACE_STATE), 1);
        store->full = says_so;
        store->broken = !says_so;
        tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
        rig_advance(rig, 5000);
        assert_int_equal(fake_store_count(store, TB_SPACE_SESSION), 1);
        store->full = false;
        store->broken = false;
        rig_advance(rig, 1000);
        assert_int_equal(fake_store_count(store, TB_SPACE_STATE), 0);
        assert_int_equal(fake_store_count(store, TB_SPACE_SESSION), 0);
    }
}

static void the_last_chance_to_store_an_end_is_when_the_daemon_stops(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    rig_create(rig, "a");
    rig_turn(rig);
    store->full = true;
    tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    rig_turn(rig);
    store->full = false;
    rig_restart(rig, 0);
    assert_null(rig_find(rig, "a"));
}

/* "stopped: 0" would say that there is nothing any more. */
static void a_stop_is_not_well_while_stopped_sessions_are_stored(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    static const int codes[] = {TB_E_STORE, TB_E_STORE, 0};
    rig_create(rig, "a");
    rig_create_as(rig, "u", "", "other");
    rig_turn(rig);
    for (size_t i = 0; i < TB_COUNT(codes); i++) {
        struct tb_gate gate;
        store->broken = codes[i] < 0;
        tb_gate_init(&gate, on_open);
        assert_int_equal(tb_sessions_stop_all(rig->core.sessions, "t", &gate), i == 0);
        assert_int_equal(gate.err.code, codes[i]);
        tb_gate_fini(&gate);
        tb_gate_init(&gate, on_open);
        store->broken = false;
        tb_sessions_stop_all(rig->core.sessions, "nobody", &gate);
        assert_int_equal(gate.err.code, 0);
        tb_gate_fini(&gate);
    }
    assert_int_equal(fake_store_count(store, TB_SPACE_SESSION), 1);
}

static void arguments_that_cannot_be_kept_are_refused(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    char args[20000];
    snprintf(args, sizeof(args), "{\"endpoint\":\"%019000d\"}", 1);
    assert_int_equal(make(rig, "a", args, NULL, &err), TB_E_TOO_LARGE);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(make(rig, "a", "{\"endpoint\":\"ws://x\"}", NULL, &err), 0);
}

/* The last activity is not worth a write a call. */
static void a_busy_session_is_written_now_and_then(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    rig_create(rig, "a");
    rig_turn(rig);
    size_t before = store->puts[TB_SPACE_SESSION];
    for (int i = 0; i < 100; i++) {
        assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
        rig_advance(rig, 300);
    }
    assert_int_equal(store->puts[TB_SPACE_SESSION] - before, 2);
}

/* The order on the bus: first that all are stopped, then each end. */
static void a_global_stop_is_told_before_the_ends(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig_create(rig, "b");
    rig_create_as(rig, "u", "", "other");
    rig_turn(rig);
    assert_int_equal(tb_sessions_stop_all(rig->core.sessions, "t", NULL), 2);
    assert_int_equal(rig_events(rig, "global_stop {\"sessions\":2,\"agent\":\"operator\"}\n"
                                     "session_ended {\"name\":\"a\",\"type\":\"browser\","
                                     "\"reason\":\"global_stop\""),
                     1);
    assert_int_equal(rig_events(rig, "\"reason\":\"global_stop\""), 2);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
    assert_int_equal(tb_sessions_stop_all(rig->core.sessions, "nobody", NULL), 0);
}

/* S0-10, S4-14: what a caller that went away leaves behind, by kind. */
static void who_goes_away_leaves_what_the_settings_say(void **state)
{
    struct rig *rig = *state;
    static const struct {
        const char *on_disconnect;
        const char *keep_kinds;
        bool browser;
        bool phone;
    } rows[] = {
        {"close", "", false, false},
        {"close", "ios,android", false, true},
        {"close", "browser", true, false},
        {"keep", "", true, true},
    };
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
        for (int kind = TB_KIND_BROWSER; kind <= TB_KIND_IOS; kind++) {
            const struct tb_session_spec spec = {.kind = (enum tb_session_kind)kind,
                                                 .name = kind ? TB_STR("phone") : TB_STR("browser"),
                                                 .for_conversation = true,
                                                 .driver = &tb_driver_fake,
                                                 .driver_state = rig->fake};
            struct tb_session *session;
            const char *warning;
            tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL);
        }
        for (size_t k = 0; k < count; k++) {
            if (strcmp(keys[k].path, "mcp.on_disconnect") == 0) {
                tb_config_set(&rig->config, &keys[k], tb_str_of(rows[i].on_disconnect), NULL);
            } else if (strcmp(keys[k].path, "mcp.keep_kinds") == 0) {
                tb_config_set(&rig->config, &keys[k], tb_str_of(rows[i].keep_kinds), NULL);
            }
        }
        tb_sessions_leave_conversation(rig->core.sessions, &caller);
        assert_int_equal(rig_find(rig, "browser") != NULL, rows[i].browser);
        assert_int_equal(rig_find(rig, "phone") != NULL, rows[i].phone);
        tb_sessions_end_conversation(rig->core.sessions, &caller, TB_END_CONVERSATION_ENDED, NULL);
        assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
        rig_turn(rig);
    }
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(nothing_that_must_be_kept_is_begun_while_the_store_is_not_ready),
        RIG_TEST(a_gate_hears_that_its_act_was_not_stored),
        RIG_TEST(an_end_that_could_not_be_stored_is_stored_later),
        RIG_TEST(the_last_chance_to_store_an_end_is_when_the_daemon_stops),
        RIG_TEST(a_stop_is_not_well_while_stopped_sessions_are_stored),
        RIG_TEST(arguments_that_cannot_be_kept_are_refused),
        RIG_TEST(a_busy_session_is_written_now_and_then),
        RIG_TEST(a_global_stop_is_told_before_the_ends),
        RIG_TEST(who_goes_away_leaves_what_the_settings_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
