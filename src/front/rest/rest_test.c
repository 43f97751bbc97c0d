/* SPDX-License-Identifier: Apache-2.0 */
/* The REST routes behind the real router, with the fake driver. */
#include "front/rest/rest.h"

#include "core/limits.h"
#include "front/rest/rest_rig.h"

#include "support/kept_store.h"

static void sessions_are_listed_by_name(void **state)
{
    struct rest_rig *f = *state;
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions", ""),
                    "{\"sessions\":[],\"currentSession\":null}");
    const struct tb_session *session = rest_rig_make(f, "box", "");
    const char *said = rest_rig_ask(f, "GET /api/sessions", "");
    rest_rig_expect(said, "\"sessionId\":\"box\"");
    rest_rig_expect(said, "\"currentSession\":\"box\"");
    assert_null(strstr(said, tb_session_info(session).id));
}

/* S4-51 */
static void a_session_is_shown_by_name_or_by_id(void **state)
{
    struct rest_rig *f = *state;
    const struct tb_session *session = rest_rig_make(f, "box", "");
    const char *said = rest_rig_ask(f, "GET /api/sessions/box", "");
    rest_rig_expect(said, tb_session_info(session).id); /* the operator may know it */
    rest_rig_expect(said, "\"name\":\"box\",\"type\":\"browser\",\"state\":\"idle\",");
    rest_rig_expect(said, "\"stats\":{\"toolCalls\":0,");
    TB_AUTO(tb_free) char *line = tb_strdupf("GET /api/sessions/%s", tb_session_info(session).id);
    rest_rig_expect(rest_rig_ask(f, line, ""), "\"name\":\"box\"");
}

static void a_session_is_closed_by_name_or_by_id(void **state)
{
    struct rest_rig *f = *state;
    rest_rig_make(f, "box", "");
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/b%6Fx/close", "{}"),
                    "{\"closed\":\"box\"}");
    const struct tb_session *session = rest_rig_make(f, "other", "");
    TB_AUTO(tb_free)
    char *line = tb_strdupf("POST /api/sessions/%s/close", tb_session_info(session).id);
    rest_rig_expect(rest_rig_ask(f, line, "{}"), "{\"closed\":\"other\"}");
    assert_int_equal(rest_rig_left(f), 0);
}

static void what_there_is_not_is_said(void **state)
{
    static const struct {
        const char *line, *status;
    } cases[] = {
        {"POST /api/sessions/nobody/close",
         "\"message\":\"there is no session \\\"nobody\\\"\",\"hint\":\"GET /api/sessions "},
        {"POST /api/sessions/%zz/close", "HTTP/1.1 404 "},
        {"GET /api/sessions/nobody", "there is no session \\\"nobody\\\""},
        {"POST /api/sessions/a%00b/close", "HTTP/1.1 404 "},
        {"POST /api/sessions/nobody/renew", "HTTP/1.1 404 "},
        {"POST /api/sessions/nobody/nonsense",
         "nothing is served at \\\"/api/sessions/nobody/nonsense\\\"; 'tabard routes' lists"},
        {"GET /api/stop-all", "HTTP/1.1 405 "},
    };
    struct rest_rig *f = *state;
    rest_rig_make(f, "box", "");
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct mcp_client client; /* what is refused before its body ends the connection */
        mcp_client_open(&f->rig, &client);
        rest_rig_expect(mcp_client_ask(&f->rig, &client, cases[i].line, "", "{}"), cases[i].status);
        mcp_client_close(&client);
    }
    assert_int_equal(rest_rig_left(f), 1);
}

static void parameters_that_would_be_ignored_are_refused(void **state)
{
    struct rest_rig *f = *state;
    const char *said = rest_rig_ask(f, "GET /api/sessions?sate=idle", "");
    rest_rig_expect(said, "HTTP/1.1 400 ");
    rest_rig_expect(
        said, "unknown query parameter \\\"sate\\\"; this address takes kind, state, after, limit");
    rest_rig_expect(rest_rig_ask(f, "GET /api/limits?x=1", ""), "this address takes none");
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions?limit=1&limit=2", ""),
                    "\\\"limit\\\" more than once");
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions?limit=0", ""), "HTTP/1.1 400 ");
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions?li%6Dit=1", ""), "HTTP/1.1 400 ");
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions?", ""), "HTTP/1.1 200 ");
}

static void a_session_is_renewed_for_the_time_that_is_asked(void **state)
{
    static const char *const wrong[] = {"{\"ttl_ms\":-1}",
                                        "{\"ttl_ms\":\"1\"}",
                                        "{\"ttl_ms\":1.5}",
                                        "{\"ttl\":5}",
                                        "{\"ttl_ms\":5,\"x\":1}",
                                        "[]",
                                        "{",
                                        "{\"ttl_ms\":9223372036854775807}",
                                        "{\"ttl_ms\":99999999999999999999}"};
    struct rest_rig *f = *state;
    rest_rig_make(f, "box", "");
    for (size_t i = 0; i < TB_COUNT(wrong); i++) {
        rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/renew", wrong[i]), "HTTP/1.1 400 ");
    }
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/renew", "{\"ttl_ms\":5000}"),
                    "\"expiresAt\":");
    mcp_rig_advance(&f->rig, 4999);
    assert_int_equal(rest_rig_left(f), 1);
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/renew", "{\"ttl_ms\":5000}"),
                    "HTTP/1.1 200 ");
    mcp_rig_advance(&f->rig, 4999);
    assert_int_equal(rest_rig_left(f), 1);
    mcp_rig_advance(&f->rig, 1);
    assert_int_equal(rest_rig_left(f), 0);
}

static void a_conversation_is_closed_with_its_sessions_only(void **state)
{
    struct rest_rig *f = *state;
    rest_rig_make(f, "", "talk/1");
    rest_rig_make(f, "", "talk/2");
    rest_rig_make(f, "box", "");
    rest_rig_expect(rest_rig_ask(f, "POST /api/conversations/talk%2F1/close", "{}"),
                    "{\"closed\":\"talk/1\"}");
    assert_int_equal(rest_rig_left(f), 2);
    const char *said = rest_rig_ask(f, "POST /api/conversations/talk%2F1/close", "{}");
    rest_rig_expect(said, "HTTP/1.1 404 ");
    rest_rig_expect(said, "no conversation of this name has a session");
}

static void all_are_stopped(void **state)
{
    struct rest_rig *f = *state;
    rest_rig_make(f, "box", "");
    rest_rig_make(f, "", "talk");
    rest_rig_expect(rest_rig_ask(f, "POST /api/stop-all", "{}"), "{\"stopped\":2}");
    rest_rig_expect(rest_rig_ask(f, "POST /api/stop-all", "{}"), "{\"stopped\":0}");
    assert_int_equal(rest_rig_left(f), 0);
}

static void an_agent_cannot_stop_everything(void **state)
{
    struct rest_rig *f = *state;
    rest_rig_make(f, "box", "talk");
    rest_rig_expect(mcp_client_ask(&f->rig, &f->client, "POST /api/stop-all",
                                   "X-Conversation-Id: other\r\n", "{}"),
                    "HTTP/1.1 403 ");
    assert_int_equal(rest_rig_left(f), 1);
}

static void an_answer_waits_until_what_it_says_is_stored(void **state)
{
    static const struct {
        const char *owner, *line, *answer; /* who was stopped would be told to ask first */
        bool fails;
    } cases[] = {
        {"a", "POST /api/sessions/box/close", "HTTP/1.1 200 ", false},
        {"b", "POST /api/sessions/box/close", "HTTP/1.1 507 ", true},
        {"c", "POST /api/stop-all", "HTTP/1.1 200 ", false},
        {"d", "POST /api/stop-all", "HTTP/1.1 507 ", true},
    };
    struct rest_rig *f = *state;
    const struct tb_err full = {TB_E_STORE, "the disk is full"};
    f->slow = true;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        rest_rig_make(f, "box", cases[i].owner);
        assert_string_equal(rest_rig_ask(f, cases[i].line, "{}"), "");
        tb_hold_release(&f->hold, cases[i].fails ? &full : NULL);
        mcp_rig_turn(&f->rig);
        rest_rig_expect(mcp_client_heard(&f->client), cases[i].answer);
    }
}

static void an_answer_does_not_wait_for_a_disk_that_hangs(void **state)
{
    static const char *const lines[] = {"POST /api/sessions/box/close", "POST /api/stop-all"};
    struct rest_rig *f = *state;
    int64_t wait_ms = f->rig.core.config->browser_timeout_ms + TB_CALL_GRACE_MS;
    f->slow = true;
    for (size_t i = 0; i < TB_COUNT(lines); i++) {
        rest_rig_make(f, "box", "");
        assert_string_equal(rest_rig_ask(f, lines[i], "{}"), "");
        mcp_rig_advance(&f->rig, wait_ms - 1);
        assert_string_equal(mcp_client_heard(&f->client), "");
        mcp_rig_advance(&f->rig, 1);
        const char *said = mcp_client_heard(&f->client);
        rest_rig_expect(said, "HTTP/1.1 507 ");
        rest_rig_expect(said, "the store does not answer");
        tb_hold_release(&f->hold, NULL);
        mcp_rig_turn(&f->rig);
    }
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions", ""), "HTTP/1.1 200 ");
    mcp_rig_advance(&f->rig, wait_ms);
}

/* A store whose reads end when the test says so. */
struct late_store {
    tb_store_end_fn *end;
    void *user;
};

static struct tb_store_read *late_each(void *state, enum tb_space space,
                                       const struct tb_range *range, tb_store_record_fn *record,
                                       tb_store_end_fn *end, void *user)
{
    struct late_store *store = state;
    (void)space;
    (void)range;
    (void)record;
    *store = (struct late_store){end, user};
    return state;
}

static void late_cancel(struct tb_store_read *read)
{
    (void)read;
}

static bool late_ready(void *state, struct tb_err *err)
{
    (void)state;
    (void)err;
    return true;
}

static void late_remove(void *state, enum tb_space space, struct tb_str key,
                        const struct tb_fence *fence, struct tb_gate *gate)
{
    (void)state;
    (void)space;
    (void)key;
    (void)fence;
    (void)gate;
}

static void late_put(void *state, enum tb_space space, struct tb_str key, struct tb_str value,
                     const struct tb_fence *fence, struct tb_gate *gate)
{
    (void)value;
    late_remove(state, space, key, fence, gate);
}

static void end_read(struct rest_rig *f, struct late_store *store, const struct tb_err *err)
{
    store->end(err, store->user);
    mcp_rig_turn(&f->rig);
}

static void a_request_waits_until_all_sessions_are_known(void **state)
{
    static const struct tb_store_kind kind = {.each = late_each,
                                              .cancel = late_cancel,
                                              .put = late_put,
                                              .remove = late_remove,
                                              .ready = late_ready};
    static const struct {
        const char *line, *answer, *words;
        bool fails;
    } rows[] = {
        {"GET /api/sessions", "HTTP/1.1 200 ", "\"sessionId\":\"box\"", false},
        {"POST /api/sessions/nobody/close", "HTTP/1.1 404 ",
         "GET /api/sessions lists the sessions that there are.", false},
        {"POST /api/sessions/box/close", "HTTP/1.1 507 ", "the stored sessions cannot be read",
         true},
        {"POST /api/sessions/box/renew", "HTTP/1.1 200 ", "\"sessionId\":\"box\"", false},
        {"POST /api/sessions/box/close", "HTTP/1.1 200 ", "{\"closed\":\"box\"}", false},
    };
    const struct tb_err broken = {TB_E_STORE, "the disk is gone"};
    struct rest_rig *f = *state;
    struct late_store store = {NULL, NULL};
    rest_rig_make(f, "box", "");
    f->rig.core.store = (struct tb_store){&kind, &store};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        tb_sessions_load(f->rig.core.sessions, NULL, NULL);
        assert_string_equal(rest_rig_ask(f, rows[i].line, i == 0 ? "" : "{}"), "");
        end_read(f, &store, rows[i].fails ? &broken : NULL);
        if (!rows[i].fails) {
            assert_string_equal(mcp_client_heard(&f->client), "");
            end_read(f, &store, NULL);
        }
        const char *said = mcp_client_heard(&f->client);
        rest_rig_expect(said, rows[i].answer);
        rest_rig_expect(said, rows[i].words);
        if (rows[i].fails) { /* which is tried again */
            assert_null(strstr(said, "GET /api/sessions"));
            mcp_rig_advance(&f->rig, 1000);
            end_read(f, &store, NULL);
            end_read(f, &store, NULL);
        }
    }
    assert_int_equal(rest_rig_left(f), 0);
    tb_sessions_load(f->rig.core.sessions, NULL, NULL);
    assert_string_equal(rest_rig_ask(f, "GET /api/sessions", ""), "");
    mcp_client_close(&f->client); /* and waits no more */
    mcp_rig_turn(&f->rig);
    end_read(f, &store, NULL);
    end_read(f, &store, NULL);
    f->rig.core.store = (struct tb_store){NULL, NULL};
}

static void who_leaves_before_the_answer_leaves_nothing_behind(void **state)
{
    struct rest_rig *f = *state;
    f->slow = true;
    rest_rig_make(f, "box", "");
    rest_rig_ask(f, "POST /api/sessions/box/close", "{}");
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    tb_hold_release(&f->hold, NULL);
    mcp_rig_turn(&f->rig);
    assert_int_equal(rest_rig_left(f), 0);
}

#define CLEAR "POST /api/audit/clear", "{\"confirm\":true}"

static void count_entry(const struct tb_audit_entry *entry, void *user)
{
    (void)entry;
    ++*(size_t *)user;
}

static void count_over(const struct tb_err *err, void *user)
{
    (void)user;
    assert_null(err);
}

static void the_audit_log_is_cleared_also_after_the_clock_was_set_back(void **state)
{
    struct rest_rig *f = *state;
    const struct tb_audit_query all = {0};
    size_t count = 0;
    mcp_rig_store(&f->rig);
    struct tb_audit_entry ahead = {.wall_ms = tb_clock_wall_ms(f->rig.core.clock) + 3600000,
                                   .type = TB_STR("call_done")};
    tb_store_append(&f->rig.core.store, &ahead, NULL);
    rest_rig_expect(rest_rig_ask(f, CLEAR), "{\"cleared\":\"audit\"}");
    assert_int_equal(f->cleared, 1);
    f->rig.core.store.kind->audit(f->rig.core.store.state, &all, count_entry, count_over, &count);
    mcp_rig_turn(&f->rig);
    assert_int_equal(count, 0);
}

static void the_audit_log_is_said_to_be_cleared_when_it_is_and_not_before(void **state)
{
    struct rest_rig *f = *state;
    const struct tb_err full = {TB_E_STORE, "the disk is full"};
    struct kept_store kept;
    kept_init(&kept);
    f->rig.core.store = (struct tb_store){&kept_store_kind, &kept};
    kept.broken = "the disk is full";
    rest_rig_expect(rest_rig_ask(f, CLEAR), "HTTP/1.1 507 ");
    kept.broken = NULL;
    kept.slow = true;
    assert_string_equal(rest_rig_ask(f, CLEAR), "");
    kept_release(&kept, &full);
    mcp_rig_turn(&f->rig);
    rest_rig_expect(mcp_client_heard(&f->client), "HTTP/1.1 507 ");
    assert_int_equal(f->cleared, 0);
    assert_string_equal(rest_rig_ask(f, CLEAR), "");
    assert_int_equal(f->cleared, 0);
    kept_release(&kept, NULL);
    mcp_rig_turn(&f->rig);
    rest_rig_expect(mcp_client_heard(&f->client), "{\"cleared\":\"audit\"}");
    assert_int_equal(f->cleared, 1);
    /* It stays on record also when nobody waits for the answer. */
    rest_rig_ask(f, CLEAR);
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    kept_release(&kept, NULL);
    assert_int_equal(f->cleared, 2);
    mcp_client_open(&f->rig, &f->client);
    rest_rig_ask(f, CLEAR); /* and the daemon may end meanwhile */
    f->rig.core.store = (struct tb_store){0};
    rest_rig_teardown(state);
    kept_fini(&kept);
    rest_rig_setup(state);
}

/* There is one log for all tenants. */
static void who_administers_one_tenant_does_not_clear_the_log_of_all(void **state)
{
    static const struct tb_principal_spec admin = {.tenant = "t",
                                                   .key = "t",
                                                   .label = "",
                                                   .scopes = TB_SCOPE_OBSERVE | TB_SCOPE_ACT |
                                                             TB_SCOPE_ADMIN};
    struct rest_rig *f = *state;
    tb_auth_add(f->rig.core.auth, &admin, TB_STR("secret"));
    f->rig.door.door = TB_DOOR_MAIN;
    const char *said = mcp_client_ask(&f->rig, &f->client, "POST /api/audit/clear",
                                      "Authorization: Bearer secret\r\n", "{\"confirm\":true}");
    rest_rig_expect(said, "HTTP/1.1 403 ");
    rest_rig_expect(said, "missing_scope");
    rest_rig_expect(said, "this needs the scope 'operate', which this key does not have");
    assert_int_equal(f->cleared, 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, rest_rig_setup, rest_rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(sessions_are_listed_by_name),
        WITH(a_session_is_shown_by_name_or_by_id),
        WITH(a_session_is_closed_by_name_or_by_id),
        WITH(what_there_is_not_is_said),
        WITH(parameters_that_would_be_ignored_are_refused),
        WITH(a_session_is_renewed_for_the_time_that_is_asked),
        WITH(a_conversation_is_closed_with_its_sessions_only),
        WITH(all_are_stopped),
        WITH(an_agent_cannot_stop_everything),
        WITH(an_answer_waits_until_what_it_says_is_stored),
        WITH(an_answer_does_not_wait_for_a_disk_that_hangs),
        WITH(the_audit_log_is_cleared_also_after_the_clock_was_set_back),
        WITH(the_audit_log_is_said_to_be_cleared_when_it_is_and_not_before),
        WITH(a_request_waits_until_all_sessions_are_known),
        WITH(who_administers_one_tenant_does_not_clear_the_log_of_all),
        WITH(who_leaves_before_the_answer_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
