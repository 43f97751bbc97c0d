/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions whose peer goes and comes back. */
#include "core/session_away.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/session_internal.h"
#include "core/toolbox.h"
#include "core/watch.h"

#include "support/fake_store.h"
#include "support/peer.h"
#include "support/principals.h"

#define MINUTE_MS ((int64_t)60 * 1000)

/* A session of a page, "a", whose page brings the tool "add". */
static struct tb_session *start(struct rig *rig, struct peer *peer)
{
    const struct tb_caller caller = {.who = &principal_t, .conversation = ""};
    struct tb_session *session = NULL;
    const char *warning;
    peer_open(peer, rig->core.loop);
    const struct tb_session_spec spec = {.kind = TB_KIND_CLIENT,
                                         .name = TB_STR("a"),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake,
                                         .channel = peer->channel};
    assert_int_equal(
        tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL), 0);
    rig_turn(rig);
    struct tb_brought **tools = tb_zalloc_array(1, sizeof(*tools));
    assert_int_equal(tb_brought_new("add", "https://a.test", "h", TB_STR("{}"), tools, NULL), 0);
    assert_true(tb_fake_bring_take(rig->fake, session->id, tools, 1));
    return session;
}

/* A call of the page's own tool. */
struct told {
    struct tb_call *call;
    int dones;
    int code;
    char message[512];
    char raw[64];
};

static void on_called(struct tb_call *call, void *user)
{
    struct told *told = user;
    const struct tb_answer *answer = tb_call_answer(call, SIZE_MAX);
    told->dones++;
    told->code = answer->code;
    snprintf(told->message, sizeof(told->message), "%s", answer->message ? answer->message : "");
    snprintf(told->raw, sizeof(told->raw), "%.*s", TB_STR_ARG(answer->raw));
}

static void call_add(struct rig *rig, struct told *told)
{
    *told = (struct told){.code = 1};
    told->call = tb_call_start(&rig->core, &(struct tb_call_request){
                                               .name = TB_STR("add"),
                                               .args.json = TB_STR("{\"n\" : 1.0}"),
                                               .caller = {.who = &principal_t, .conversation = ""},
                                               .done = on_called,
                                               .user = told,
                                           });
    rig_turn(rig);
}

static void go(struct rig *rig, struct peer *peer)
{
    peer_close(peer);
    rig_turn(rig);
}

static int come_back(struct rig *rig, struct peer *peer)
{
    struct tb_err err = {0};
    peer_open(peer, rig->core.loop);
    int rc = tb_session_attach(rig_find(rig, "a"), peer->channel, &err);
    rig_turn(rig);
    return rc;
}

static void a_call_goes_to_the_peer_and_its_answer_comes_back(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    struct told told;
    start(rig, &peer);
    call_add(rig, &told);
    assert_true(tb_str_eq_cstr(
        tb_buf_str(&peer.frames),
        "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add\",\"arguments\":"
        "{\"n\" : 1.0},\"metadata\":{\"requestId\":1}}}\n"));
    assert_int_equal(told.dones, 0);
    assert_int_equal(peer_answer(&peer, "1", "{\"sum\": 2.50}"), 0);
    rig_turn(rig);
    assert_int_equal(told.code, 0);
    assert_string_equal(told.raw, "{\"sum\": 2.50}");
    peer.answer = "[1]"; /* inside the request */
    call_add(rig, &told);
    assert_string_equal(told.raw, "[1]");
    peer_fini(&peer);
}

static void what_a_busy_peer_or_driver_could_not_take_is_sent_when_it_can(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    struct told told;
    struct tb_session *session = start(rig, &peer);
    peer.busy = true;
    call_add(rig, &told);
    assert_int_equal(peer.frames.len, 0);
    peer_resume(&peer);
    rig_turn(rig);
    assert_true(peer.frames.len > 0);
    assert_true(tb_fake_listen(rig->fake, session->id, false));
    assert_int_equal(peer_answer(&peer, "1", "{}"), TB_E_BUSY);
    assert_true(tb_fake_listen(rig->fake, session->id, true));
    rig_turn(rig);
    assert_int_equal(peer.readies, 1);
    assert_int_equal(peer_answer(&peer, "1", "{}"), 0);
    rig_turn(rig);
    assert_int_equal(told.code, 0);
    peer_fini(&peer);
}

/* Those that run, once; then those that wait; then those that come. */
static void calls_of_a_session_that_is_away_fail_and_say_why(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    struct told running;
    struct told waiting;
    struct tb_session *session = start(rig, &peer);
    call_add(rig, &running);
    call_add(rig, &waiting);
    go(rig, &peer);
    assert_int_equal(session->state, TB_STATE_AWAY);
    assert_int_equal(running.dones, 1);
    assert_int_equal(running.code, TB_E_AWAY);
    assert_string_equal(running.message,
                        "Session 'a' lost its client: the fake page was closed; part of what the "
                        "call was to do may have been done");
    assert_int_equal(waiting.dones, 1);
    assert_string_equal(waiting.message, "Session 'a' is away: its client has disconnected");
    int64_t active_ms = session->times.last_active_ms;
    int64_t calls = session->stats.calls;
    rig_advance(rig, 1000);
    call_add(rig, &waiting);
    assert_int_equal(waiting.code, TB_E_AWAY);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), TB_E_AWAY);
    assert_int_equal(session->times.last_active_ms, active_ms);
    assert_int_equal(session->stats.calls, calls);
    assert_int_equal(rig->fake->counts.cancelled, 1);
    assert_int_equal(rig->fake->counts.at_work, 0);
    assert_int_equal(rig_events(rig, "session_away {\"name\":\"a\",\"type\":\"client\","
                                     "\"reason\":\"client_disconnected\"}"),
                     1);
    peer_fini(&peer);
}

static void a_session_that_is_away_is_listed_and_has_its_tools_when_it_is_back(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller caller = {.who = &principal_t, .conversation = ""};
    TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    struct peer peer;
    struct told told;
    struct tb_session *session = start(rig, &peer);
    go(rig, &peer);
    peer_fini(&peer);
    tb_json_writer_init(&json, &list);
    tb_sessions_list(rig->core.sessions, &caller, &json);
    assert_non_null(memmem(list.data, list.len, "\"away\":true", 11));
    assert_int_equal(session->brought.count, 1);
    assert_int_equal(come_back(rig, &peer), 0);
    assert_int_equal(session->state, TB_STATE_OPEN);
    assert_int_equal(rig->fake->counts.opened, 1);
    assert_int_equal(rig->fake->counts.attached, 1);
    assert_int_equal(rig_events(rig, "session_back {\"name\":\"a\",\"type\":\"client\"}"), 1);
    peer.answer = "{}";
    call_add(rig, &told);
    assert_int_equal(told.code, 0);
    peer_fini(&peer);
}

static void a_peer_may_be_back_before_its_going_was_seen(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    struct told told;
    struct tb_session *session = start(rig, &peer);
    call_add(rig, &told);
    assert_true(
        tb_fake_lose_for(rig->fake, session->id, TB_END_CLIENT_DISCONNECTED, TB_LOSS_AWAY, "gone"));
    peer_close(&peer);
    peer_fini(&peer);
    assert_int_equal(come_back(rig, &peer), 0);
    assert_int_equal(session->state, TB_STATE_OPEN);
    assert_int_equal(told.dones, 1);
    assert_int_equal(told.code, TB_E_AWAY);
    peer.answer = "{}";
    call_add(rig, &told);
    assert_int_equal(told.code, 0);
    peer_fini(&peer);
}

/* The first one hears that it was replaced, and its going is nobody's loss. */
static void the_newest_peer_wins(void **state)
{
    struct rig *rig = *state;
    struct peer first;
    struct peer second;
    struct told told;
    const struct tb_session *session = start(rig, &first);
    call_add(rig, &told);
    assert_int_equal(come_back(rig, &second), 0);
    assert_int_equal(first.closes, 1);
    assert_int_equal(told.dones, 1); /* the second has not been asked */
    assert_int_equal(told.code, TB_E_AWAY);
    assert_string_equal(told.message,
                        "Session 'a' has a newer client; part of what the call was to "
                        "do may have been done");
    assert_int_equal(session->state, TB_STATE_OPEN);
    second.answer = "{}";
    call_add(rig, &told);
    assert_int_equal(told.code, 0);
    assert_int_equal(rig_events(rig, "session_away {"), 0);
    go(rig, &second);
    assert_int_equal(session->state, TB_STATE_AWAY);
    peer_fini(&first);
    peer_fini(&second);
}

static void a_peer_that_goes_as_soon_as_it_came_leaves_its_session_away(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller caller = {.who = &principal_t, .conversation = ""};
    struct tb_session *session;
    const char *warning;
    struct peer peer;
    rig->fake->open.when = TB_FAKE_HELD;
    peer_open(&peer, rig->core.loop);
    const struct tb_session_spec spec = {.kind = TB_KIND_CLIENT,
                                         .name = TB_STR("a"),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake,
                                         .channel = peer.channel};
    tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL);
    rig_turn(rig);
    assert_true(tb_fake_release(rig->fake, session->id));
    assert_true(
        tb_fake_lose_for(rig->fake, session->id, TB_END_CLIENT_DISCONNECTED, TB_LOSS_AWAY, ""));
    rig_turn(rig);
    assert_int_equal(session->state, TB_STATE_AWAY);
    peer_fini(&peer);
}

static void how_long_a_session_may_be_away_is_by_its_kind(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    start(rig, &peer);
    rig_advance(rig, MINUTE_MS);
    go(rig, &peer);
    rig_advance(rig, 35 * MINUTE_MS - 1);
    assert_non_null(rig_find(rig, "a"));
    assert_int_equal(rig_events(rig, "session_expiring"), 1);
    rig_advance(rig, 1);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(rig_events(rig, "\"reason\":\"client_disconnected\",\"duration_ms\""), 1);
    peer_fini(&peer);
}

/* Its other times go on, whether it is there or not. */
static void a_session_that_comes_and_goes_ends_at_its_time(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    start(rig, &peer);
    for (int i = 0; i < 3; i++) {
        go(rig, &peer);
        peer_fini(&peer);
        rig_advance(rig, 19 * MINUTE_MS);
        assert_int_equal(come_back(rig, &peer), 0);
    }
    go(rig, &peer);
    rig_advance(rig, 3 * MINUTE_MS - 1);
    assert_non_null(rig_find(rig, "a"));
    rig_advance(rig, 1);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(rig_events(rig, "\"reason\":\"ttl_expired\",\"duration_ms\":3600000"), 1);
    peer_fini(&peer);
}

/* By a stop in good order and by a kill, away or not. */
static void after_a_restart_a_session_with_a_peer_is_away_until_that_is_back(void **state)
{
    struct rig *rig = *state;
    for (int i = 0; i < 4; i++) {
        struct peer peer;
        struct peer again;
        start(rig, &peer);
        if (i & 1) {
            go(rig, &peer);
        }
        (i & 2 ? rig_kill : rig_restart)(rig, MINUTE_MS);
        rig_turn(rig);
        peer_fini(&peer);
        struct tb_session *session = rig_find(rig, "a");
        assert_non_null(session);
        assert_int_equal(session->state, TB_STATE_AWAY);
        assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), TB_E_AWAY);
        assert_int_equal(rig->fake->counts.opened, 0);
        assert_int_equal(come_back(rig, &again), 0);
        assert_int_equal(session->state, TB_STATE_OPEN);
        struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
        rig_turn(rig);
        assert_false(tb_json_get(call->data, "note")); /* its page is what it was */
        rig_expect(call, 0);
        tb_session_end(session, TB_END_CLOSED);
        rig_turn(rig);
        assert_int_equal(again.closes, 1);
        peer_fini(&again);
    }
}

static void a_page_takes_nobodys_place_here_or_away_and_comes_back_to_a_full_house(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    rig->config.sessions_total = 1;
    start(rig, &peer);
    go(rig, &peer);
    assert_int_equal(rig_find(rig, "a")->side, TB_SIDE_OPEN);
    tb_session_end(rig_create(rig, "b"), TB_END_CLOSED);
    peer_fini(&peer);
    rig_kill(rig, 0);
    rig_create(rig, "c");
    rig_turn(rig);
    assert_int_equal(come_back(rig, &peer), 0);
    assert_int_equal(rig_find(rig, "a")->state, TB_STATE_OPEN);
    peer_fini(&peer);
}

/* Calls wait for it as long as it opens, and it is away again when that fails. */
static void a_peer_that_goes_while_its_session_opens_leaves_it_away(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    start(rig, &peer);
    rig_kill(rig, 0);
    peer_fini(&peer);
    rig->fake->open.when = TB_FAKE_HELD;
    assert_int_equal(come_back(rig, &peer), 0);
    struct tb_session *session = rig_find(rig, "a");
    assert_int_equal(session->state, TB_STATE_WAKING);
    struct tb_err err;
    assert_int_equal(tb_session_attach(session, peer.channel, &err), TB_E_BUSY);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    assert_int_equal(call->dones, 0);
    go(rig, &peer);
    assert_int_equal(session->state, TB_STATE_AWAY);
    rig_expect(call, TB_E_CLOSED);
    peer_fini(&peer);
    rig->fake->open.when = TB_FAKE_NOW;
    assert_int_equal(come_back(rig, &peer), 0);
    assert_int_equal(session->state, TB_STATE_OPEN);
    peer_fini(&peer);
}

static void a_loss_for_good_ends_a_session_that_is_away(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    struct tb_session *session = start(rig, &peer);
    go(rig, &peer);
    assert_true(tb_fake_lose_for(rig->fake, session->id, TB_END_USER_STOPPED, TB_LOSS_FINAL, ""));
    rig_turn(rig);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(rig_events(rig, "\"reason\":\"user_stopped\""), 1);
    peer_fini(&peer);
}

/* What the driver kept for the peer is gone, too; then the peer has it made anew. */
static void a_session_that_is_lost_while_it_is_away_is_opened_anew_for_its_peer(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    struct tb_session *session = start(rig, &peer);
    go(rig, &peer);
    peer_fini(&peer);
    assert_true(tb_fake_lose(rig->fake, session->id));
    rig_turn(rig);
    assert_int_equal(session->state, TB_STATE_AWAY);
    assert_int_equal(rig->fake->counts.closed, 1);
    assert_int_equal(come_back(rig, &peer), 0);
    assert_int_equal(session->state, TB_STATE_OPEN);
    assert_int_equal(rig->fake->counts.opened, 2);
    peer_fini(&peer);
}

static void what_cannot_be_attached_is_refused(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    struct peer gone;
    struct tb_err err;
    struct tb_driver lonely = tb_driver_fake;
    struct tb_session *session = start(rig, &peer);
    peer_open(&gone, rig->core.loop);
    struct tb_channel *channel = tb_channel_ref(gone.channel, "test");
    peer_close(&gone);
    assert_int_equal(tb_session_attach(session, channel, &err), TB_E_CLOSED);
    assert_int_equal(session->state, TB_STATE_OPEN);
    lonely.attach = NULL;
    session->driver = &lonely;
    assert_int_equal(tb_session_attach(session, channel, &err), TB_E_NOT_POSSIBLE);
    session->driver = &tb_driver_fake;
    tb_session_end(session, TB_END_CLOSED);
    assert_int_equal(tb_session_attach(session, channel, &err), TB_E_SESSION_ENDED);
    tb_channel_unref(channel, "test");
    rig_turn(rig);
    assert_int_equal(peer.closes, 1);
    peer_fini(&peer);
    peer_fini(&gone);
}

static void on_show(struct tb_viewer *viewer, struct tb_picture *picture)
{
    (void)picture;
    tb_watch_ready(viewer);
}

static void on_ended(struct tb_viewer *viewer, enum tb_end_reason reason)
{
    (void)viewer;
    (void)reason;
}

static void who_looks_sees_it_again_when_it_is_back(void **state)
{
    struct rig *rig = *state;
    struct peer peer;
    struct tb_viewer viewer = {.want = {400, 200}, .show = on_show, .ended = on_ended};
    struct tb_session *session = start(rig, &peer);
    assert_int_equal(tb_watch_start(session, &viewer, NULL), 0);
    rig_turn(rig);
    assert_true(tb_fake_draw(rig->fake, session->id, "one"));
    rig_turn(rig);
    go(rig, &peer);
    peer_fini(&peer);
    assert_false(tb_fake_draw(rig->fake, session->id, "unseen"));
    assert_int_equal(come_back(rig, &peer), 0);
    assert_true(tb_fake_draw(rig->fake, session->id, "two"));
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.frames, 2);
    tb_watch_stop(&viewer);
    peer_fini(&peer);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_call_goes_to_the_peer_and_its_answer_comes_back),
        CASE(what_a_busy_peer_or_driver_could_not_take_is_sent_when_it_can),
        CASE(calls_of_a_session_that_is_away_fail_and_say_why),
        CASE(a_session_that_is_away_is_listed_and_has_its_tools_when_it_is_back),
        CASE(a_peer_may_be_back_before_its_going_was_seen),
        CASE(the_newest_peer_wins),
        CASE(a_peer_that_goes_as_soon_as_it_came_leaves_its_session_away),
        CASE(how_long_a_session_may_be_away_is_by_its_kind),
        CASE(a_session_that_comes_and_goes_ends_at_its_time),
        CASE(after_a_restart_a_session_with_a_peer_is_away_until_that_is_back),
        CASE(a_page_takes_nobodys_place_here_or_away_and_comes_back_to_a_full_house),
        CASE(a_peer_that_goes_while_its_session_opens_leaves_it_away),
        CASE(a_loss_for_good_ends_a_session_that_is_away),
        CASE(a_session_that_is_lost_while_it_is_away_is_opened_anew_for_its_peer),
        CASE(what_cannot_be_attached_is_refused),
        CASE(who_looks_sees_it_again_when_it_is_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
