/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/sessions.h"

#include "support/mcp_rig.h"
#include "support/principals.h"

enum {
    HOUR_MS = 3600 * 1000,
};

struct fixture {
    struct mcp_rig rig;
    struct tb_mcp_sessions *sessions;
};

static int set_up(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    mcp_rig_init(&f->rig);
    f->rig.config.mcp_session_idle_ms = 1000;
    mcp_rig_memory(&f->rig, "", "");
    f->sessions = f->rig.mcp->sessions;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mcp_rig_fini(&f->rig);
    tb_free(f);
    return 0;
}

static struct tb_mcp_session *make(struct fixture *f, const char *tenant)
{
    return tb_mcp_session_new(f->sessions, principal_of(tenant), f->rig.peer.view);
}

static bool lives(struct fixture *f, const char *id)
{
    return tb_mcp_session_find(f->sessions, principal_of("default"), tb_str_of(id)) != NULL;
}

/* The record may be gone when its id is still needed. */
static void copy_id(char to[TB_TOKEN_SIZE], const char *id)
{
    memcpy(to, id, TB_TOKEN_SIZE);
}

static void ids_are_long_random_and_visible(void **state)
{
    const char *a = make(*state, "default")->id;
    const char *b = make(*state, "default")->id;
    assert_string_not_equal(a, b);
    assert_true(strlen(a) >= 32);
    for (const char *c = a; *c; c++) {
        assert_in_range(*c, 0x21, 0x7e);
    }
}

static void a_session_is_found_by_its_own_tenant_only(void **state)
{
    struct fixture *f = *state;
    struct tb_mcp_session *session = make(f, "default");
    assert_ptr_equal(
        tb_mcp_session_find(f->sessions, principal_of("default"), tb_str_of(session->id)), session);
    assert_null(tb_mcp_session_find(f->sessions, principal_of("other"), tb_str_of(session->id)));
    assert_null(tb_mcp_session_find(f->sessions, principal_of("default"), TB_STR("nope")));
    assert_null(tb_mcp_session_find(f->sessions, principal_of("default"), TB_STR("")));
}

static void silence_ends_a_session_and_use_keeps_it(void **state)
{
    struct fixture *f = *state;
    char used[TB_TOKEN_SIZE];
    char silent[TB_TOKEN_SIZE];
    copy_id(used, make(f, "default")->id);
    copy_id(silent, make(f, "default")->id);
    mcp_rig_advance(&f->rig, 900);
    assert_true(lives(f, used));
    mcp_rig_advance(&f->rig, 200);
    assert_int_equal(tb_mcp_sessions_count(f->sessions), 1);
    assert_false(lives(f, silent));
    assert_true(lives(f, used));
    mcp_rig_advance(&f->rig, 1001);
    assert_int_equal(tb_mcp_sessions_count(f->sessions), 0);
}

static void a_session_with_a_request_under_way_is_not_silent(void **state)
{
    struct fixture *f = *state;
    struct tb_mcp_session *session = make(f, "default");
    session->peer.request_count = 1;
    mcp_rig_advance(&f->rig, 5000);
    assert_int_equal(tb_mcp_sessions_count(f->sessions), 1);
    session->peer.request_count = 0;
    mcp_rig_advance(&f->rig, 5000);
    assert_int_equal(tb_mcp_sessions_count(f->sessions), 0);
}

/* A flood of newcomers costs nobody a session: the newest is refused. */
static void the_newest_session_is_refused_rather_than_another_ended(void **state)
{
    struct fixture *f = *state;
    char first[TB_TOKEN_SIZE];
    char second[TB_TOKEN_SIZE];
    copy_id(first, make(f, "default")->id);
    copy_id(second, make(f, "default")->id);
    while (tb_mcp_sessions_count(f->sessions) < TB_MCP_SESSIONS) {
        make(f, "default");
    }
    assert_null(make(f, "default"));
    assert_non_null(make(f, "other")); /* which has places of its own */
    assert_true(lives(f, first) && lives(f, second));
}

/* The conversation's session, as its first call would have made it. */
static void give_browser(struct fixture *f, const struct tb_mcp_session *session)
{
    struct tb_session *made;
    const char *warning;
    const struct tb_caller caller = {.who = principal_of("default"), .conversation = session->id};
    const struct tb_session_spec spec = {.for_conversation = true,
                                         .driver = &tb_driver_fake,
                                         .driver_state = f->rig.fake,
                                         .deadline_ms = INT64_MAX};
    assert_int_equal(
        tb_sessions_create(f->rig.core.sessions, &caller, &spec, &made, &warning, NULL), 0);
    mcp_rig_turn(&f->rig);
}

static void only_one_that_is_idle_and_has_nothing_to_lose_gives_way(void **state)
{
    struct fixture *f = *state;
    struct tb_front_req reader = {0};
    f->rig.config.mcp_session_idle_ms = HOUR_MS;
    struct tb_mcp_session *browser = make(f, "default");
    struct tb_mcp_session *request = make(f, "default");
    struct tb_mcp_session *stream = make(f, "default");
    struct tb_mcp_session *const kept[] = {browser, request, stream};
    char ids[TB_COUNT(kept)][TB_TOKEN_SIZE];
    char idle[TB_TOKEN_SIZE];
    give_browser(f, browser);
    request->peer.request_count = 1;
    tb_mcp_session_standalone(stream)->front = &reader;
    for (size_t i = 0; i < TB_COUNT(kept); i++) {
        copy_id(ids[i], kept[i]->id);
    }
    copy_id(idle, make(f, "default")->id);
    mcp_rig_advance(&f->rig, TB_MCP_SPARE_MS + 1000);
    while (tb_mcp_sessions_count(f->sessions) < TB_MCP_SESSIONS) {
        make(f, "default");
    }
    assert_non_null(make(f, "default"));
    assert_int_equal(tb_mcp_sessions_count(f->sessions), TB_MCP_SESSIONS);
    assert_null(make(f, "default"));
    assert_false(lives(f, idle));
    for (size_t i = 0; i < TB_COUNT(kept); i++) {
        assert_true(lives(f, ids[i]));
    }
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 1);
    request->peer.request_count = 0;
    stream->standalone->front = NULL;
}

static void clients_that_never_come_back_do_not_lock_newcomers_out(void **state)
{
    struct fixture *f = *state;
    char away[TB_TOKEN_SIZE];
    f->rig.config.mcp_session_idle_ms = HOUR_MS;
    struct tb_mcp_session *browser = make(f, "default");
    copy_id(away, browser->id);
    give_browser(f, browser);
    for (int64_t ms = 0; ms < TB_MCP_FORGOTTEN_MS - HOUR_MS; ms += HOUR_MS) {
        mcp_rig_advance(&f->rig, HOUR_MS);
    }
    while (tb_mcp_sessions_count(f->sessions) < TB_MCP_SESSIONS) {
        make(f, "default");
    }
    assert_null(make(f, "default"));
    mcp_rig_advance(&f->rig, HOUR_MS - 1000);
    assert_int_equal(tb_mcp_sessions_count(f->sessions), TB_MCP_SESSIONS);
    mcp_rig_advance(&f->rig, 1000);
    assert_non_null(make(f, "default"));
    assert_false(lives(f, away));
}

static void an_ended_session_is_gone(void **state)
{
    struct fixture *f = *state;
    char id[TB_TOKEN_SIZE];
    struct tb_mcp_session *session = make(f, "default");
    copy_id(id, session->id);
    tb_mcp_session_end(session);
    assert_false(lives(f, id));
}

static void streams_of_a_session_have_numbers_of_their_own(void **state)
{
    struct fixture *f = *state;
    f->rig.config.mcp_session_idle_ms = HOUR_MS;
    struct tb_mcp_session *session = make(f, "default");
    struct tb_mcp_sse *alone = tb_mcp_session_standalone(session);
    struct tb_mcp_sse *one = tb_mcp_session_stream(session);
    struct tb_mcp_sse *two = tb_mcp_session_stream(session);
    assert_ptr_equal(tb_mcp_session_find_stream(session, 0), alone);
    assert_ptr_equal(tb_mcp_session_find_stream(session, one->stream), one);
    assert_ptr_equal(tb_mcp_session_find_stream(session, two->stream), two);
    assert_null(tb_mcp_session_find_stream(session, 99));
    uint64_t number = one->stream;
    tb_mcp_sse_answer(one, TB_STR("x"));
    tb_mcp_session_stream_over(session, one);
    assert_ptr_equal(tb_mcp_session_find_stream(session, number), one);
    assert_int_equal(session->replay.classes[TB_MCP_DUE].count, 1);
    tb_clock_manual_advance(&f->rig.clock, TB_MCP_REPLAY_MS + 1);
    tb_loop_turn(f->rig.core.loop, false);
    session = tb_mcp_session_find(f->sessions, principal_of("default"), tb_str_of(session->id));
    assert_non_null(session);
    assert_null(tb_mcp_session_find_stream(session, number));
    assert_int_equal(session->replay.classes[TB_MCP_DUE].count, 0);
}

/* Each call that streams leaves one; looking for old ones must not cost more with each. */
static void streams_that_are_over_are_as_few_as_the_events_that_are_kept(void **state)
{
    struct fixture *f = *state;
    struct tb_mcp_session *session = make(f, "default");
    struct tb_mcp_sse *open = tb_mcp_session_stream(session);
    for (int i = 0; i < 5000; i++) {
        struct tb_mcp_sse *sse = tb_mcp_session_stream(session);
        tb_mcp_sse_answer(sse, TB_STR("x"));
        tb_mcp_session_stream_over(session, sse);
    }
    assert_int_equal(session->over_count, TB_MCP_REPLAY_EVENTS + TB_MCP_DUE_EVENTS);
    assert_int_equal(session->replay.classes[TB_MCP_DUE].count, TB_MCP_DUE_EVENTS);
    assert_ptr_equal(tb_mcp_session_find_stream(session, 1), open);
    assert_null(tb_mcp_session_find_stream(session, 2));
    assert_non_null(tb_mcp_session_find_stream(session, 5001));
}

/* Others may say as much as they like, and end. */
static void a_stream_whose_answer_is_due_outlives_all_others(void **state)
{
    struct fixture *f = *state;
    struct tb_mcp_session *session = make(f, "default");
    struct tb_mcp_sse *broken = tb_mcp_session_stream(session);
    tb_mcp_sse_answer(broken, TB_STR("due"));
    tb_mcp_session_stream_over(session, broken);
    for (int i = 0; i < 5000; i++) {
        struct tb_mcp_sse *sse = tb_mcp_session_stream(session);
        tb_mcp_sse_send(sse, TB_STR("news"));
        tb_mcp_sse_end(sse);
        tb_mcp_session_stream_over(session, sse);
    }
    assert_int_equal(session->over_count, TB_MCP_REPLAY_EVENTS + TB_MCP_DUE_EVENTS);
    assert_ptr_equal(tb_mcp_session_find_stream(session, 1), broken);
    assert_true(tb_mcp_sse_can_resume(broken, 0));
    assert_null(tb_mcp_session_find_stream(session, 2));
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(ids_are_long_random_and_visible),
        WITH(a_session_is_found_by_its_own_tenant_only),
        WITH(silence_ends_a_session_and_use_keeps_it),
        WITH(a_session_with_a_request_under_way_is_not_silent),
        WITH(the_newest_session_is_refused_rather_than_another_ended),
        WITH(only_one_that_is_idle_and_has_nothing_to_lose_gives_way),
        WITH(clients_that_never_come_back_do_not_lock_newcomers_out),
        WITH(an_ended_session_is_gone),
        WITH(streams_of_a_session_have_numbers_of_their_own),
        WITH(streams_that_are_over_are_as_few_as_the_events_that_are_kept),
        WITH(a_stream_whose_answer_is_due_outlives_all_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
