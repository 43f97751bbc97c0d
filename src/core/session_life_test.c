/* SPDX-License-Identifier: Apache-2.0 */
/* How long sessions of each kind live, and what is told before they end. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/lifetime.h"
#include "core/resolve.h"
#include "core/session_internal.h"
#include "core/sessions.h"

#include "support/fake_store.h"
#include "support/principals.h"

#define SECOND_MS ((int64_t)1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS   (60 * MINUTE_MS)

static struct tb_session *make(struct rig *rig, enum tb_session_kind kind, const char *conversation)
{
    const struct tb_caller caller = {
        .who = principal_of("t"), .conversation = conversation, .brief = rig->brief};
    const struct tb_session_spec spec = {.kind = kind,
                                         .for_conversation = true,
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session = NULL;
    const char *warning;
    assert_int_equal(
        tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL), 0);
    rig_turn(rig);
    return session;
}

/* S0-28, S0-29, S1-43, S4-17: the defaults. */
static void each_kind_has_its_times(void **state)
{
    struct rig *rig = *state;
    static const struct {
        enum tb_session_kind kind;
        const char *conversation;
        struct tb_lifetime lifetime;
        bool brief;
    } rows[] = {
        {TB_KIND_BROWSER,
         "talk",
         {TB_IDLE_CLOSE, 120 * SECOND_MS, 600 * SECOND_MS, 0, 0, 0, 0},
         true},
        {TB_KIND_BROWSER, "chat", {TB_IDLE_HIBERNATE, 120 * SECOND_MS, 0, 0, 0, 0, 0}, false},
        {TB_KIND_BROWSER, "", {TB_IDLE_HIBERNATE, 30 * MINUTE_MS, 0, 0, 0, 0, 0}, false},
        {TB_KIND_IOS, "", {TB_IDLE_CLOSE, 30 * MINUTE_MS, 0, 0, 0, 0, 0}, false},
        {TB_KIND_ANDROID, "", {TB_IDLE_CLOSE, 30 * MINUTE_MS, 0, 0, 0, 0, 0}, false},
        {TB_KIND_TAB, "", {TB_IDLE_CLOSE, 0, 0, 0, 0, 2 * MINUTE_MS, 0}, false},
        {TB_KIND_CLIENT,
         "",
         {TB_IDLE_REST, 300 * SECOND_MS, 0, HOUR_MS, 24 * HOUR_MS, 35 * MINUTE_MS, 10},
         false},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        rig->brief = rows[i].brief;
        struct tb_session *session = make(rig, rows[i].kind, rows[i].conversation);
        const struct tb_lifetime lifetime = tb_lifetime_of(session);
        assert_int_equal(lifetime.at_idle, rows[i].lifetime.at_idle);
        assert_int_equal(lifetime.idle_ms, rows[i].lifetime.idle_ms);
        assert_int_equal(lifetime.max_age_ms, rows[i].lifetime.max_age_ms);
        assert_int_equal(lifetime.ttl_ms, rows[i].lifetime.ttl_ms);
        assert_int_equal(lifetime.ttl_max_ms, rows[i].lifetime.ttl_max_ms);
        assert_int_equal(lifetime.away_ms, rows[i].lifetime.away_ms);
        assert_int_equal(lifetime.members_max, rows[i].lifetime.members_max);
    }
}

/* Which end comes when, by kind, for a session that nobody uses: S0-07, S1-39, S4-15. */
static void an_unused_session_ends_by_its_kind_with_notice(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    static const struct {
        enum tb_session_kind kind;
        const char *conversation;
        int64_t ends_ms; /* 0: never */
        int64_t notice_ms;
        const char *reason;
    } rows[] = {
        {TB_KIND_BROWSER, "talk", 120 * SECOND_MS, 60 * SECOND_MS, "idle_timeout"},
        {TB_KIND_IOS, "", 30 * MINUTE_MS, 60 * SECOND_MS, "idle_timeout"},
        {TB_KIND_ANDROID, "", 30 * MINUTE_MS, 60 * SECOND_MS, "idle_timeout"},
        {TB_KIND_CLIENT, "", HOUR_MS, 60 * SECOND_MS, "ttl_expired"},
        {TB_KIND_TAB, "", 0, 0, ""},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char told[256];
        struct tb_session *session = make(rig, rows[i].kind, rows[i].conversation);
        char name[TB_NAME_SIZE];
        memcpy(name, session->name, sizeof(name));
        if (!rows[i].ends_ms) {
            rig_advance(rig, 1000 * HOUR_MS);
            assert_non_null(rig_find(rig, name));
            continue;
        }
        snprintf(told, sizeof(told),
                 "session_expiring {\"name\":\"%s\",\"type\":\"%s\",\"reason\":\"%s\","
                 "\"expires_in_ms\":%lld}",
                 name, tb_session_kind_name(rows[i].kind), rows[i].reason,
                 (long long)rows[i].notice_ms);
        rig_advance(rig, rows[i].ends_ms - rows[i].notice_ms - 1);
        assert_int_equal(rig_events(rig, told), 0);
        rig_advance(rig, 1);
        assert_int_equal(rig_events(rig, told), 1);
        rig_advance(rig, rows[i].notice_ms - 1);
        assert_non_null(rig_find(rig, name));
        rig_advance(rig, 1);
        assert_null(rig_find(rig, name));
        assert_int_equal(rig_events(rig, told), 1);
        snprintf(told, sizeof(told),
                 "session_ended {\"name\":\"%s\",\"type\":\"%s\",\"reason\":\"%s\"", name,
                 tb_session_kind_name(rows[i].kind), rows[i].reason);
        assert_int_equal(rig_events(rig, told), 1);
    }
}

/* S0-08, S0-29 */
static void the_maximum_age_is_announced_however_busy_the_session_is(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
        rig_advance(rig, 59 * SECOND_MS);
    }
    assert_int_equal(rig_events(rig, "\"reason\":\"max_age\",\"expires_in_ms\":"), 1);
    assert_int_equal(rig_events(rig, "session_expiring"), 1);
    rig_advance(rig, 10 * SECOND_MS);
    assert_null(rig_find(rig, "browser-1"));
    assert_int_equal(rig_events(rig, "session_expiring"), 1);
}

static void a_call_puts_off_the_end_and_a_new_notice_comes_before_the_new_end(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    make(rig, TB_KIND_BROWSER, "talk");
    rig_advance(rig, 60 * SECOND_MS);
    assert_int_equal(rig_events(rig, "session_expiring"), 1);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
    rig_advance(rig, 60 * SECOND_MS - 1);
    assert_int_equal(rig_events(rig, "session_expiring"), 1);
    rig_advance(rig, 1);
    assert_int_equal(rig_events(rig, "session_expiring"), 2);
    rig_advance(rig, 60 * SECOND_MS);
    assert_null(rig_find(rig, "browser-1"));
}

static void a_notice_comes_at_half_of_a_short_time_and_can_be_switched_off(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    rig->config.sessions_octopus_idle_ms = 1000;
    make(rig, TB_KIND_BROWSER, "talk");
    rig_advance(rig, 499);
    assert_int_equal(rig_events(rig, "session_expiring"), 0);
    rig_advance(rig, 1);
    assert_int_equal(rig_events(rig, "\"expires_in_ms\":500"), 1);
    rig_advance(rig, 500);
    rig->config.sessions_expiring_ms = 0;
    make(rig, TB_KIND_BROWSER, "talk");
    rig_advance(rig, 1000);
    assert_int_equal(rig_events(rig, "session_expiring"), 1);
    assert_int_equal(rig_events(rig, "session_ended {"), 2);
}

/* A page has something to call from now on. */
static void offer_tool(struct rig *rig, const struct tb_session *session)
{
    struct tb_brought **tools = tb_zalloc_array(1, sizeof(*tools));
    assert_int_equal(tb_brought_new("add", "", "add", TB_STR("{}"), tools, NULL), 0);
    assert_true(tb_fake_bring_take(rig->fake, session->id, tools, 1));
}

/* S4-17, S4-18 (first part): what a session of each kind goes through. */
static void states_follow_what_happens(void **state)
{
    struct rig *rig = *state;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    for (int kind = 0; kind < TB_KIND_COUNT; kind++) {
        bool client = kind == TB_KIND_CLIENT;
        rig->fake->open.when = TB_FAKE_HELD;
        struct tb_session *session = make(rig, (enum tb_session_kind)kind, "");
        assert_int_equal(tb_session_info(session).state, TB_SHOWN_CREATED);
        tb_fake_release(rig->fake, session->id);
        rig_turn(rig);
        if (client) {
            assert_int_equal(tb_session_info(session).state, TB_SHOWN_CREATED);
            offer_tool(rig, session);
        }
        assert_int_equal(tb_session_info(session).state, client ? TB_SHOWN_ACTIVE : TB_SHOWN_IDLE);
        rig_advance(rig, 300 * SECOND_MS - 1);
        assert_int_equal(tb_session_info(session).state, client ? TB_SHOWN_ACTIVE : TB_SHOWN_IDLE);
        rig_advance(rig, 1);
        assert_int_equal(tb_session_info(session).state, TB_SHOWN_IDLE);
        struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
        assert_int_equal(tb_session_info(session).state, TB_SHOWN_ACTIVE);
        tb_fake_release(rig->fake, session->id);
        rig_turn(rig);
        rig_expect(call, 0);
        assert_int_equal(tb_session_info(session).state, client ? TB_SHOWN_ACTIVE : TB_SHOWN_IDLE);
    }
}

enum stage {
    CREATED,
    ACTIVE,
    IDLE,
};

static void end_in(struct rig *rig, int kind, enum stage stage, enum tb_end_reason reason)
{
    rig->fake->open.when = stage == CREATED ? TB_FAKE_HELD : TB_FAKE_NOW;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct tb_session *session = make(rig, (enum tb_session_kind)kind, "");
    char id[TB_ID_SIZE];
    memcpy(id, session->id, sizeof(id));
    struct rig_call *call = NULL;
    if (stage == ACTIVE) {
        call = rig_start(rig, &rig_click, "", "{\"timeout_ms\":600000}");
    } else if (stage == IDLE) {
        if (kind == TB_KIND_CLIENT) {
            offer_tool(rig, session);
        }
        rig_advance(rig, 300 * SECOND_MS);
    }
    assert_int_equal((int)tb_session_info(session).state, (int)stage);
    if (reason == TB_END_TTL_EXPIRED) {
        assert_int_equal(tb_session_renew(session, SECOND_MS, NULL, NULL, NULL), 0);
        tb_clock_manual_advance(&rig->clock, SECOND_MS);
        tb_loop_turn(rig->core.loop, false);
    } else {
        tb_session_end(session, reason);
    }
    assert_null(rig_find(rig, id));
    rig_turn(rig);
    if (call) {
        rig_expect(call, tb_end_reason_code(reason));
    }
    tb_fake_release(rig->fake, id);
    rig_turn(rig);
    assert_true(tb_list_empty(&rig->fake->sessions));
}

/* S4-14, S4-15, S4-16, S4-18, DEC-19: each kind can expire and be ended from every live state. */
static void every_live_state_can_expire_and_be_terminated(void **state)
{
    struct rig *rig = *state;
    static const enum tb_end_reason reasons[] = {TB_END_CLIENT_DISCONNECTED, TB_END_TTL_EXPIRED,
                                                 TB_END_CLOSED};
    size_t count = 0;
    for (int kind = 0; kind < TB_KIND_COUNT; kind++) {
        for (int stage = CREATED; stage <= IDLE; stage++) {
            for (size_t i = 0; i < TB_COUNT(reasons); i++) {
                char text[80];
                snprintf(text, sizeof(text), "\"type\":\"%s\",\"reason\":\"%s\",\"duration_ms\"",
                         tb_session_kind_name((enum tb_session_kind)kind),
                         tb_end_reason_name(reasons[i]));
                size_t before = rig_events(rig, text);
                end_in(rig, kind, (enum stage)stage, reasons[i]);
                assert_int_equal(rig_events(rig, text), before + 1);
                count++;
            }
        }
    }
    assert_int_equal(rig_events(rig, "session_ended {"), count);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_SESSION), 0);
}

/* S4-15 */
static void a_renewal_gives_more_time_up_to_the_ceiling(void **state)
{
    struct rig *rig = *state;
    static const struct {
        int64_t asked_ms;
        int64_t got_ms;
    } rows[] = {{0, HOUR_MS}, {10 * MINUTE_MS, 10 * MINUTE_MS}, {48 * HOUR_MS, 24 * HOUR_MS}};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_session *session = make(rig, TB_KIND_CLIENT, "");
        char name[TB_NAME_SIZE];
        char text[256];
        memcpy(name, session->name, sizeof(name));
        rig_advance(rig, 59 * MINUTE_MS + 30 * SECOND_MS);
        assert_int_equal(tb_session_renew(session, rows[i].asked_ms, NULL, NULL, NULL), 0);
        snprintf(text, sizeof(text),
                 "session_renewed {\"name\":\"%s\",\"type\":\"client\",\"ttl_ms\":%lld,"
                 "\"expires_in_ms\":%lld}",
                 name, (long long)rows[i].got_ms, (long long)rows[i].got_ms);
        assert_int_equal(rig_events(rig, text), 1);
        rig_advance(rig, rows[i].got_ms - 1);
        assert_non_null(rig_find(rig, name));
        rig_advance(rig, 1);
        assert_null(rig_find(rig, name));
    }
    assert_int_equal(rig_events(rig, "session_expiring"), 2 * TB_COUNT(rows));
}

static void a_renewed_browser_lives_longer_idle_but_no_longer_than_its_time(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = make(rig, TB_KIND_BROWSER, "talk");
    rig_advance(rig, 119 * SECOND_MS);
    assert_int_equal(tb_session_renew(session, 0, NULL, NULL, NULL), 0);
    rig_advance(rig, 119 * SECOND_MS);
    assert_int_equal(tb_session_renew(session, 30 * SECOND_MS, NULL, NULL, NULL), 0);
    rig_advance(rig, 30 * SECOND_MS);
    assert_int_equal(rig_events(rig, "\"reason\":\"ttl_expired\",\"duration_ms\":268000"), 1);
}

static void what_cannot_be_renewed_is_refused(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    struct tb_session *session = make(rig, TB_KIND_CLIENT, "");
    assert_int_equal(tb_session_renew(session, -1, NULL, NULL, &err), TB_E_PARAMS);
    fake_store_of(rig)->full = true;
    assert_int_equal(tb_session_renew(session, 0, NULL, NULL, &err), TB_E_STORE);
    assert_string_equal(err.text, "the disk is full");
    fake_store_of(rig)->full = false;
    tb_session_end(session, TB_END_CLOSED);
    assert_int_equal(tb_session_renew(session, 0, NULL, NULL, &err), TB_E_SESSION_ENDED);
    assert_int_equal(rig_events(rig, "session_renewed"), 0);
}

/* The end of what sleeps can wait for the store; a browser does not. */
static void a_store_that_is_not_ready_puts_off_only_the_end_of_sleepers(void **state)
{
    struct rig *rig = *state;
    struct tb_session *sleeper = make(rig, TB_KIND_BROWSER, "");
    tb_session_renew(sleeper, HOUR_MS, NULL, NULL, NULL);
    rig_advance(rig, 30 * MINUTE_MS);
    assert_int_equal(sleeper->state, TB_STATE_ASLEEP);
    struct tb_session *awake = make(rig, TB_KIND_IOS, "");
    fake_store_of(rig)->full = true;
    rig_advance(rig, 30 * MINUTE_MS);
    assert_null(rig_find(rig, "ios-1"));
    (void)awake;
    assert_non_null(rig_find(rig, "browser-1"));
    fake_store_of(rig)->full = false;
    rig_advance(rig, SECOND_MS);
    assert_null(rig_find(rig, "browser-1"));
}

/* Its end waits for the store; its caller need not. */
static void a_sleeper_that_is_too_old_can_still_be_let_go(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller talk = {.who = principal_of("t"), .conversation = "talk"};
    rig->config.sessions_named_max_age_ms = HOUR_MS;
    struct tb_session *session = rig_create_as(rig, "t", "talk", "work");
    rig_advance(rig, 30 * MINUTE_MS);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    fake_store_of(rig)->full = true;
    rig_advance(rig, 30 * MINUTE_MS);
    assert_null(tb_session_give_up(session, &talk, true, NULL));
    assert_ptr_equal(rig_find(rig, "work"), session);
    assert_int_equal(rig_events(rig, "session_ended {"), 0);
    fake_store_of(rig)->full = false;
    rig_advance(rig, SECOND_MS);
    assert_null(rig_find(rig, "work"));
    assert_int_equal(rig_events(rig, "\"reason\":\"max_age\""), 1);
}

/* The clock has moved, but no timer has seen it yet. */
static void who_closes_a_session_that_is_too_old_closes_it_and_no_other(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller talk = {.who = principal_of("t"), .conversation = "talk"};
    rig->config.sessions_named_max_age_ms = HOUR_MS;
    rig_create_as(rig, "t", "talk", "old");
    struct tb_session *current = rig_create_as(rig, "t", "talk", "current");
    rig_advance(rig, SECOND_MS);
    struct tb_session *young = rig_create_as(rig, "t", "talk", "young");
    rig_turn(rig);
    assert_int_equal(
        tb_sessions_set_current(rig->core.sessions, &talk, TB_STR("current"), NULL, NULL), 0);
    tb_clock_manual_advance(&rig->clock, HOUR_MS - SECOND_MS);
    assert_null(tb_session_give_up(rig_find(rig, "old"), &talk, false, NULL));
    assert_ptr_equal(rig_find(rig, "current"), current);
    assert_ptr_equal(tb_session_give_up(current, &talk, false, NULL), young);
    assert_int_equal(rig_events(rig, "\"reason\":\"closed\""), 2);
    assert_int_equal(rig_events(rig, "session_ended {"), 2);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(each_kind_has_its_times),
        RIG_TEST(an_unused_session_ends_by_its_kind_with_notice),
        RIG_TEST(the_maximum_age_is_announced_however_busy_the_session_is),
        RIG_TEST(a_call_puts_off_the_end_and_a_new_notice_comes_before_the_new_end),
        RIG_TEST(a_notice_comes_at_half_of_a_short_time_and_can_be_switched_off),
        RIG_TEST(states_follow_what_happens),
        RIG_TEST(every_live_state_can_expire_and_be_terminated),
        RIG_TEST(a_renewal_gives_more_time_up_to_the_ceiling),
        RIG_TEST(a_renewed_browser_lives_longer_idle_but_no_longer_than_its_time),
        RIG_TEST(what_cannot_be_renewed_is_refused),
        RIG_TEST(a_store_that_is_not_ready_puts_off_only_the_end_of_sleepers),
        RIG_TEST(a_sleeper_that_is_too_old_can_still_be_let_go),
        RIG_TEST(who_closes_a_session_that_is_too_old_closes_it_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
