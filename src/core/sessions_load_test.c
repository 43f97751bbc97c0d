/* SPDX-License-Identifier: Apache-2.0 */
/* What is there after the daemon was stopped or killed. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/resolve.h"
#include "core/session_internal.h"
#include "core/sessions.h"

#include "support/fake_store.h"
#include "support/principals.h"

enum {
    HOUR_MS = 3600 * 1000,
    DAY_MS = 24 * HOUR_MS,
};

static struct tb_session *make(struct rig *rig, const char *name, enum tb_session_kind kind,
                               const char *args)
{
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
    TB_AUTO(tb_json_free) struct cJSON *json = args ? tb_json_parse(tb_str_of(args)) : NULL;
    const struct tb_session_spec spec = {.kind = kind,
                                         .name = tb_str_of(name),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake,
                                         .args = json};
    struct tb_session *session = NULL;
    const char *warning;
    assert_int_equal(
        tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL), 0);
    rig_turn(rig);
    return session;
}

static void expect_tag(struct rig *rig, const char *name, const char *tag)
{
    const char *memory = tb_fake_memory(rig->fake, rig_find(rig, name)->id);
    assert_non_null(memory);
    assert_string_equal(memory, tag);
}

static void a_session_is_on_record_from_its_beginning_to_its_end(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_session *session =
        make(rig, "a", TB_KIND_BROWSER, "{\"endpoint\":\"wss://key@far\"}");
    struct tb_str record = fake_store_get(store, TB_SPACE_SESSION, session->id);
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(record);
    struct tb_str text;
    assert_true(tb_json_str(tb_json_get(json, "name"), &text));
    assert_true(tb_str_eq_cstr(text, "a"));
    assert_true(tb_json_str(tb_json_get(json, "args"), &text));
    assert_null(memmem(record.ptr, record.len, "key@far", 7)); /* sealed */
    tb_session_end(session, TB_END_CLOSED);
    assert_int_equal(fake_store_count(store, TB_SPACE_SESSION), 0);
}

static void a_killed_daemon_has_its_sessions_again(void **state)
{
    struct rig *rig = *state;
    rig->clock.wall_ms = 1769860800000;
    struct tb_session *session = make(rig, "a", TB_KIND_BROWSER, NULL);
    char id[TB_ID_SIZE];
    memcpy(id, session->id, sizeof(id));
    assert_int_equal(rig_run(rig, &rig_navigate, "c1", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"a\",\"tag\":\"login\"}"),
                     0);
    rig_advance(rig, 500);
    rig_advance(rig, 10000);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
    rig_kill(rig, 60000);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 2);
    session = rig_find(rig, id);
    assert_string_equal(session->name, "a");
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    assert_int_equal(session->kind, TB_KIND_BROWSER);
    assert_int_equal(session->stats.calls, 2);
    assert_int_equal(session->times.created_wall_ms, 1769860800000);
    assert_int_equal(session->times.last_active_wall_ms, 1769860810500);
    assert_int_equal(session->times.created_ms, rig->clock.mono_ms - 70500);
    assert_string_equal(tb_session_owner(rig_find(rig, "browser-1")), "c1");
    /* Whose current one it was is known as well. */
    struct rig_call *call = rig_start(rig, &rig_click, "talk", NULL);
    rig_turn(rig);
    assert_string_equal(call->chosen, "a");
    rig_expect(call, 0);
    expect_tag(rig, "a", "login");
    call = rig_start(rig, &rig_click, "c1", NULL);
    rig_turn(rig);
    assert_string_equal(call->chosen, "browser-1");
    rig_expect(call, 0);
    assert_int_equal(rig_events(rig, "session_started"), 2);
}

static void the_arguments_come_back_to_the_driver(void **state)
{
    struct rig *rig = *state;
    make(rig, "a", TB_KIND_BROWSER, "{\"engine\":\"shell\"}");
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    assert_string_equal(rig->fake->opened_with, "{\"engine\":\"shell\"}");
    /* With another key they are gone, like the state, but not the session. */
    rig_kill(rig, 0);
    rig->core.secret[0] ^= 1;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    assert_string_equal(rig->fake->opened_with, "");
}

/* Nor after a second kill, before anything was saved in between. */
static void refs_that_were_given_are_never_given_again(void **state)
{
    struct rig *rig = *state;
    make(rig, "a", TB_KIND_BROWSER, NULL);
    assert_int_equal(rig->fake->before, 0);
    rig->fake->last_ref = 2500;
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
    for (int i = 0; i < 3; i++) {
        int64_t given = rig->fake->last_ref;
        rig_kill(rig, 0);
        rig->fake->last_ref = 0;
        assert_int_equal(rig_run(rig, &rig_wait, "talk", NULL), 0);
        assert_true(rig->fake->before >= given);
        rig->fake->last_ref = rig->fake->before + 1;
        assert_int_equal(rig_run(rig, &rig_wait, "talk", NULL), 0);
    }
}

/* A state of the version before is the only one to know of them, and the next save has none. */
static void refs_that_only_the_state_knows_of_are_not_given_again(void **state)
{
    struct rig *rig = *state;
    make(rig, "a", TB_KIND_BROWSER, NULL);
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"tag\":\"x\"}"), 0);
    rig_advance(rig, 2500);
    rig_kill(rig, 0);
    rig->fake->saved_ref = 5000;
    rig->fake->ops[TB_OP_WAIT].code = TB_E_TIMEOUT;
    assert_int_equal(rig_run(rig, &rig_wait, "talk", NULL), TB_E_TIMEOUT);
    rig_kill(rig, 0);
    rig->fake->saved_ref = 0;
    assert_int_equal(rig_run(rig, &rig_wait, "talk", NULL), 0);
    assert_true(rig->fake->before >= 5000);
}

static void what_the_caller_did_last_counts(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
    make(rig, "a", TB_KIND_BROWSER, NULL);
    make(rig, "b", TB_KIND_BROWSER, NULL);
    assert_int_equal(tb_sessions_set_current(rig->core.sessions, &caller, TB_STR("a"), NULL, NULL),
                     0);
    assert_int_equal(rig_run(rig, &rig_navigate, "c1", NULL), 0);
    const struct tb_caller other = {.who = principal_of("t"), .conversation = "c1"};
    tb_session_detach(rig_find(rig, "browser-1"), &other, NULL);
    rig_kill(rig, 0);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", NULL);
    rig_turn(rig);
    assert_string_equal(call->chosen, "a");
    rig_expect(call, 0);
    assert_false(rig_find(rig, "browser-1")->traits.of_conversation);
    assert_int_equal(rig_run(rig, &rig_click, "c1", NULL), TB_E_SESSION_NOT_FOUND);
}

/* What has run out while nobody looked ends with its own reason, once. */
static void times_go_on_while_the_daemon_is_down(void **state)
{
    struct rig *rig = *state;
    static const struct {
        const char *name;
        enum tb_session_kind kind;
        bool of_conversation;
        int64_t ttl_ms;
        const char *reason; /* NULL: it lives */
    } rows[] = {
        {"young", TB_KIND_BROWSER, false, 0, NULL},
        {"renewed", TB_KIND_BROWSER, false, 30000, "ttl_expired"},
        {"talk", TB_KIND_BROWSER, true, 0, "idle_timeout"},
        {"page", TB_KIND_CLIENT, false, 0, NULL},
        {"short", TB_KIND_CLIENT, false, 60000, "ttl_expired"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const struct tb_caller caller = {
            .who = principal_of("t"), .conversation = "c", .brief = true};
        const struct tb_session_spec spec = {.kind = rows[i].kind,
                                             .name = tb_str_of(rows[i].name),
                                             .for_conversation = rows[i].of_conversation,
                                             .driver = &tb_driver_fake,
                                             .driver_state = rig->fake};
        struct tb_session *session;
        const char *warning;
        tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL);
        if (rows[i].ttl_ms) {
            assert_int_equal(tb_session_renew(session, rows[i].ttl_ms, NULL, NULL, NULL), 0);
        }
    }
    rig_turn(rig);
    rig_kill(rig, 120000);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char text[100];
        snprintf(text, sizeof(text),
                 "session_ended {\"name\":\"%s\",\"type\":\"%s\",\"reason\":\"%s\"", rows[i].name,
                 tb_session_kind_name(rows[i].kind), rows[i].reason);
        assert_int_equal(rig_find(rig, rows[i].name) != NULL, !rows[i].reason);
        assert_int_equal(rig_events(rig, text), rows[i].reason != NULL);
    }
    rig_kill(rig, HOUR_MS);
    assert_int_equal(rig_events(rig, "session_ended {\"name\":\"page\",\"type\":\"client\","
                                     "\"reason\":\"ttl_expired\""),
                     1);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_SESSION), 1);
}

static void a_clock_that_was_set_back_makes_nothing_older_or_younger_than_now(void **state)
{
    struct rig *rig = *state;
    rig->clock.wall_ms = 1769860800000;
    make(rig, "a", TB_KIND_BROWSER, NULL);
    rig_kill(rig, -HOUR_MS);
    struct tb_session *session = rig_find(rig, "a");
    assert_int_equal(session->times.created_ms, rig->clock.mono_ms);
    assert_int_equal(session->times.last_active_ms, rig->clock.mono_ms);
}

/* Or a computer that starts with a wrong clock, and corrects it a minute later, has lost all. */
static void a_clock_that_is_ahead_at_the_start_is_believed_for_a_day(void **state)
{
    struct rig *rig = *state;
    make(rig, "old", TB_KIND_BROWSER, NULL);
    rig_advance(rig, 6 * DAY_MS + HOUR_MS);
    make(rig, "a", TB_KIND_BROWSER, NULL);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\",\"tag\":\"login\"}"), 0);
    rig_advance(rig, 500);
    rig_kill(rig, INT64_C(3650) * DAY_MS);
    assert_null(rig_find(rig, "old"));
    const struct tb_session *session = rig_find(rig, "a");
    assert_non_null(session);
    assert_int_equal(session->times.last_active_ms, rig->clock.mono_ms - DAY_MS);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_STATE), 1);
    rig_advance(rig, (int64_t)6 * DAY_MS);
    assert_null(rig_find(rig, "a"));
}

static void a_renewal_survives(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = make(rig, "a", TB_KIND_CLIENT, NULL);
    rig_advance(rig, HOUR_MS - 600000);
    assert_int_equal(tb_session_renew(session, 0, NULL, NULL, NULL), 0);
    rig_kill(rig, HOUR_MS - 60000);
    assert_non_null(rig_find(rig, "a"));
    rig_advance(rig, 59999);
    assert_non_null(rig_find(rig, "a"));
    rig_advance(rig, 1);
    assert_null(rig_find(rig, "a"));
}

static void a_clock_set_back_gives_no_more_time_than_a_renewal_can(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = make(rig, "a", TB_KIND_CLIENT, NULL);
    assert_int_equal(tb_session_renew(session, INT64_MAX / 2, NULL, NULL, NULL), 0);
    rig_kill(rig, -HOUR_MS);
    assert_int_equal(rig_find(rig, "a")->times.ttl_at_ms,
                     rig->clock.mono_ms + rig->config.sessions_client_ttl_max_ms);
}

static void a_record_that_cannot_be_used_is_left_where_it_is(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_session *session = make(rig, "a", TB_KIND_BROWSER, NULL);
    TB_AUTO(tb_free)
    char *good = tb_str_dup(fake_store_get(store, TB_SPACE_SESSION, session->id));
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"id\":\"x\"}",
        "{\"id\":\"x\",\"name\":\"n\",\"tenant\":\"t\",\"conversation\":\"\",\"kind\":\"browser\","
        "\"driver\":\"gone\",\"created\":1,\"active\":1}",
        "{\"id\":\"x\",\"name\":\"n\",\"tenant\":\"t\",\"conversation\":\"\",\"kind\":\"boat\","
        "\"driver\":\"fake\",\"created\":1,\"active\":1}",
    };
    tb_log_fini(&rig->log);
    tb_log_init(&rig->log, TB_LOG_ERROR, -1, &rig->clock.clock);
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        char key[8];
        snprintf(key, sizeof(key), "bad-%zu", i);
        fake_store_set(store, TB_SPACE_SESSION, key, tb_str_of(bad[i]));
    }
    fake_store_set(store, TB_SPACE_SESSION, "twin", tb_str_of(good));
    rig_kill(rig, 0);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
    assert_int_equal(fake_store_count(store, TB_SPACE_SESSION), TB_COUNT(bad) + 2);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
}

static void a_conversation_may_have_any_characters(void **state)
{
    struct rig *rig = *state;
    static const char conversation[] = "a \"talk\" \\ of\ttoday \xc3\xa9 \xf0\x9f\x98\x80";
    assert_int_equal(rig_run(rig, &rig_navigate, conversation, NULL), 0);
    rig_kill(rig, 0);
    assert_string_equal(tb_session_owner(rig_find(rig, "browser-1")), conversation);
    struct rig_call *call = rig_start(rig, &rig_click, conversation, NULL);
    rig_turn(rig);
    assert_string_equal(call->chosen, "browser-1");
    rig_expect(call, 0);
}

static void they_are_listed_oldest_first_whatever_the_store_gives_first(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    static const char *const names[] = {"one", "two", "three"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        make(rig, names[i], TB_KIND_BROWSER, NULL);
        rig_advance(rig, 10);
    }
    tb_list_append(&store->records, tb_list_pop(&store->records));
    rig_kill(rig, 0);
    struct tb_json_writer json;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(10000);
    tb_json_writer_init(&json, &text);
    tb_sessions_list(rig->core.sessions,
                     &(struct tb_caller){.who = principal_of("t"), .conversation = ""}, &json);
    TB_AUTO(tb_json_free) struct cJSON *list = tb_json_parse(tb_buf_str(&text));
    size_t i = 0;
    JSON_ARRAY_FOREACH(item, tb_json_get(list, "sessions")) {
        struct tb_str name = TB_STR("");
        bool asleep = false;
        assert_true(tb_json_str(tb_json_get(item, "sessionId"), &name));
        assert_true(tb_str_eq_cstr(name, names[i++ % TB_COUNT(names)]));
        assert_true(tb_json_bool(tb_json_get(item, "hibernated"), &asleep) && asleep);
    }
    assert_int_equal(i, TB_COUNT(names));
}

static void of_very_many_the_list_has_the_newest(void **state)
{
    struct rig *rig = *state;
    struct tb_json_writer json;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1000000);
    int64_t left_out = 0;
    size_t count = 0;
    rig->config.sessions_total = 1000;
    for (int i = 0; i < 510; i++) {
        rig_create(rig, "");
        rig_turns(rig, 2);
    }
    rig_restart(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"browser-1\"}"), 0);
    tb_json_writer_init(&json, &text);
    tb_sessions_list(rig->core.sessions,
                     &(struct tb_caller){.who = principal_of("t"), .conversation = ""}, &json);
    TB_AUTO(tb_json_free) struct cJSON *list = tb_json_parse(tb_buf_str(&text));
    JSON_ARRAY_FOREACH(item, tb_json_get(list, "sessions")) {
        count++;
    }
    assert_int_equal(count, 501); /* one is awake */
    assert_true(tb_json_int(tb_json_get(list, "hibernatedNotListed"), &left_out));
    assert_int_equal(left_out, 9);
}

static void stopping_saves_what_can_be_saved_and_ends_the_rest(void **state)
{
    struct rig *rig = *state;
    struct tb_driver plain = tb_driver_fake;
    plain.save = NULL;
    make(rig, "a", TB_KIND_BROWSER, NULL);
    rig->core.drivers[1] = (struct tb_driver_slot){&plain, rig->fake};
    struct tb_session *session;
    const char *warning;
    const struct tb_session_spec spec = {
        .kind = TB_KIND_IOS, .name = TB_STR("phone"), .driver = &plain, .driver_state = rig->fake};
    tb_sessions_create(rig->core.sessions,
                       &(struct tb_caller){.who = principal_of("t"), .conversation = ""}, &spec,
                       &session, &warning, NULL);
    assert_int_equal(rig_run(rig, &rig_navigate, "", "{\"sessionId\":\"a\",\"tag\":\"login\"}"), 0);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    rig_restart(rig, 60000);
    rig_expect(call, TB_E_SHUTDOWN);
    assert_int_equal(rig_events(rig, "session_hibernated {\"name\":\"a\",\"type\":\"browser\","
                                     "\"reason\":\"shutdown\"}"),
                     1);
    assert_int_equal(rig_events(rig, "session_ended {\"name\":\"phone\",\"type\":\"ios\","
                                     "\"reason\":\"shutdown\""),
                     1);
    assert_null(rig_find(rig, "phone"));
    assert_int_equal(rig_run(rig, &rig_navigate, "", "{\"sessionId\":\"a\"}"), 0);
    expect_tag(rig, "a", "login");
}

/* After kill -9 there is nobody who could have ended it. */
static void a_session_that_cannot_be_brought_back_ends_at_the_next_start(void **state)
{
    struct rig *rig = *state;
    make(rig, "a", TB_KIND_BROWSER, NULL);
    rig->config.sessions_hibernate = false;
    rig_kill(rig, 0);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(rig_events(rig, "session_ended {\"name\":\"a\",\"type\":\"browser\","
                                     "\"reason\":\"shutdown\""),
                     1);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_SESSION), 0);
}

/* An Mcp-Session-Id dies with its daemon, and a new one is another conversation. */
static void a_private_session_ends_where_its_conversation_cannot_come_back(void **state)
{
    static const struct {
        const char *name;
        bool hidden, passing;
    } rows[] = {{"a", true, true}, {"b", true, false}, {"c", false, true}};
    struct rig *rig = *state;
    for (size_t i = 0; i < 3; i++) {
        const struct tb_caller caller = {
            .who = principal_of("t"), .conversation = "talk", .passing = rows[i].passing};
        const struct tb_session_spec spec = {.name = tb_str_of(rows[i].name),
                                             .hidden = rows[i].hidden,
                                             .driver = &tb_driver_fake,
                                             .driver_state = rig->fake};
        struct tb_session *session;
        const char *warning;
        assert_int_equal(
            tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL), 0);
        rig_turn(rig);
    }
    rig_kill(rig, 0);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 2);
    assert_int_equal(rig_events(rig, "session_ended {\"name\":\"a\",\"type\":\"browser\","
                                     "\"reason\":\"conversation_ended\""),
                     1);
}

/* The key may be revoked by then. */
static void a_session_keeps_what_its_key_was_not_allowed(void **state)
{
    struct rig *rig = *state;
    struct tb_policy *policy = NULL;
    TB_AUTO(tb_json_free)
    struct cJSON *json = tb_json_parse(TB_STR("{\"block_domains\":[\"evil.test\"]}"));
    assert_int_equal(tb_policy_read(json, &policy, NULL), 0);
    principal_t.policy = policy;
    make(rig, "a", TB_KIND_BROWSER, NULL);
    principal_t.policy = NULL;
    make(rig, "b", TB_KIND_BROWSER, NULL);
    struct fake_store *store = fake_store_of(rig);
    char id[TB_ID_SIZE];
    memcpy(id, rig_find(rig, "a")->id, sizeof(id));
    struct tb_str record = fake_store_get(store, TB_SPACE_SESSION, id);
    assert_null(memmem(record.ptr, record.len, "evil", 4)); /* sealed */
    rig_kill(rig, 0);
    assert_true(tb_policy_is_same(rig_find(rig, "a")->bounds.starter, policy));
    assert_null(rig_find(rig, "b")->bounds.starter);
    tb_policy_unref(policy, "test");

    TB_AUTO(tb_free) char *text = tb_str_dup(fake_store_get(store, TB_SPACE_SESSION, id));
    char *sealed = strstr(text, "\"starter\":\"") + strlen("\"starter\":\"");
    sealed[0] = sealed[0] == 'A' ? 'B' : 'A';
    rig_kill(rig, 0);
    fake_store_set(store, TB_SPACE_SESSION, id, tb_str_of(text));
    rig_kill(rig, 0);
    const struct tb_policy_set set = tb_session_policies(rig_find(rig, "a"));
    assert_int_equal(tb_policy_judge_tool(&set, "click", NULL, 0, NULL), TB_E_DENIED);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"b\"}"), 0);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_session_is_on_record_from_its_beginning_to_its_end),
        RIG_TEST(a_killed_daemon_has_its_sessions_again),
        RIG_TEST(the_arguments_come_back_to_the_driver),
        RIG_TEST(a_session_keeps_what_its_key_was_not_allowed),
        RIG_TEST(refs_that_were_given_are_never_given_again),
        RIG_TEST(refs_that_only_the_state_knows_of_are_not_given_again),
        RIG_TEST(what_the_caller_did_last_counts),
        RIG_TEST(times_go_on_while_the_daemon_is_down),
        RIG_TEST(a_clock_that_was_set_back_makes_nothing_older_or_younger_than_now),
        RIG_TEST(a_clock_that_is_ahead_at_the_start_is_believed_for_a_day),
        RIG_TEST(a_renewal_survives),
        RIG_TEST(a_clock_set_back_gives_no_more_time_than_a_renewal_can),
        RIG_TEST(a_record_that_cannot_be_used_is_left_where_it_is),
        RIG_TEST(a_conversation_may_have_any_characters),
        RIG_TEST(they_are_listed_oldest_first_whatever_the_store_gives_first),
        RIG_TEST(of_very_many_the_list_has_the_newest),
        RIG_TEST(stopping_saves_what_can_be_saved_and_ends_the_rest),
        RIG_TEST(a_session_that_cannot_be_brought_back_ends_at_the_next_start),
        RIG_TEST(a_private_session_ends_where_its_conversation_cannot_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
