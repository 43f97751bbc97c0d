/* SPDX-License-Identifier: Apache-2.0 */
/* Who asks for a session before it can be known which one is meant: while those of the last run of
 * the daemon are being read. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/resolve.h"
#include "core/session_internal.h"
#include "core/sessions.h"

#include "support/fake_store.h"
#include "support/principals.h"

static void make(struct rig *rig, const char *name)
{
    rig_create_as(rig, "t", "talk", name);
    rig_turn(rig);
}

static void calls_wait_for_the_stored_sessions_within_their_time(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    make(rig, "a");
    store->reads_late = true;
    rig_kill(rig, 0);
    struct rig_call *late =
        rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\",\"timeout_ms\":100}");
    struct rig_call *gone = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_advance(rig, 100);
    assert_string_equal(late->message, "waited 100 ms for the stored sessions to be read");
    rig_expect(late, TB_E_TIMEOUT);
    tb_call_cancel(gone->call);
    rig_turn(rig);
    rig_expect(gone, TB_E_CANCELLED);
    assert_int_equal(call->dones, 0);
    fake_store_catch_up(store);
    rig_turn(rig);
    rig_expect(call, 0);
}

/* Somebody who asks for a session, or for all of them. */
struct asker {
    struct tb_resolve_ask ask;
    struct tb_caller caller;
    struct tb_sessions *sessions;
    int code; /* 1: no answer yet */
    int count;
    char session[TB_NAME_SIZE];
    struct tb_buf *order; /* the names of those who were answered; NULL: nobody writes them down */
    const char *name;
    struct asker *next; /* asks anew inside the answer of the one before; NULL: nobody does */
};

static int ask(struct asker *asker);

static void note(struct asker *asker, const struct tb_place *place, const struct tb_err *err)
{
    asker->count++;
    asker->code = err ? err->code : 0;
    assert_true(!err != !place);
    snprintf(asker->session, sizeof(asker->session), "%s",
             place && place->session ? place->session->name : "");
    if (asker->order) {
        tb_buf_printf(asker->order, "%s ", asker->name);
    }
}

static void on_answer(struct tb_resolve_ask *question, const struct tb_place *place,
                      const struct tb_err *err)
{
    struct asker *asker = TB_CONTAINER(question, struct asker, ask);
    note(asker, place, err);
    if (asker->next) {
        ask(asker->next);
    }
}

/* As whoever uses it does: at once, or later. */
static int ask(struct asker *asker)
{
    struct tb_place place;
    struct tb_err err;
    asker->caller = (struct tb_caller){.who = principal_of("t"), .conversation = "talk"};
    asker->ask.caller = &asker->caller;
    asker->ask.fn = on_answer;
    asker->code = 1;
    int rc = tb_resolve(asker->sessions, &asker->ask, &place, &err);
    if (rc != TB_LATER) {
        note(asker, rc < 0 ? NULL : &place, rc < 0 ? &err : NULL);
    }
    return rc;
}

#define ASKER(rig) ((struct asker){.ask.flags = TB_RESOLVE_NONE, .sessions = (rig)->core.sessions})

/* Its store keeps silent. */
static struct fake_store *kill_and_wait(struct rig *rig)
{
    struct fake_store *store = fake_store_of(rig);
    store->reads_late = true;
    rig_kill(rig, 0);
    return store;
}

static void whoever_asks_early_is_answered_in_order_once(void **state)
{
    struct rig *rig = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf order = TB_BUF(100);
    make(rig, "a");
    make(rig, "b");
    struct fake_store *store = kill_and_wait(rig);
    struct asker askers[5];
    static const struct {
        const char *named;
        unsigned flags;
        int code;
        const char *session;
    } rows[] = {
        {"a", 0, 0, "a"}, {"", TB_RESOLVE_NONE, 0, ""}, {"nobody", 0, TB_E_SESSION_NOT_FOUND, ""},
        {"b", 0, 1, ""}, /* gives up */
        {"", 0, 0, "b"}, /* the last that the conversation made */
    };
    static const char *const names[] = {"0", "1", "2", "3", "4"};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        askers[i] =
            (struct asker){.ask = {.named = tb_str_of(rows[i].named), .flags = rows[i].flags},
                           .sessions = rig->core.sessions,
                           .order = &order,
                           .name = names[i]};
        assert_int_equal(ask(&askers[i]), TB_LATER);
    }
    assert_null(tb_resolve_meant(rig->core.sessions, &askers[0].caller));
    tb_resolve_cancel(&askers[3].ask);
    tb_resolve_cancel(&askers[3].ask);
    fake_store_catch_up(store);
    rig_turn(rig);
    tb_buf_append_char(&order, '\0');
    assert_string_equal((const char *)order.data, "0 1 2 4 ");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_int_equal(askers[i].code, rows[i].code);
        assert_int_equal(askers[i].count, rows[i].code != 1);
        assert_string_equal(askers[i].session, rows[i].session);
        tb_resolve_cancel(&askers[i].ask); /* which is over */
    }
    assert_int_equal(ask(&askers[0]), 0);
    assert_int_equal(ask(&askers[2]), TB_E_SESSION_NOT_FOUND);
}

/* Or a store that stays broken would keep the daemon in one turn for ever. */
static void whoever_asks_again_inside_a_failure_waits_for_the_next_attempt(void **state)
{
    struct rig *rig = *state;
    struct asker first = ASKER(rig);
    struct asker second = ASKER(rig);
    fake_store_of(rig)->broken = true;
    rig_kill(rig, 0);
    first.sessions = second.sessions = rig->core.sessions;
    first.next = &second;
    second.next = &first;
    assert_int_equal(ask(&first), TB_LATER);
    rig_advance(rig, 1000);
    assert_int_equal(first.code, TB_E_STORE);
    assert_int_equal(second.code, 1);
    rig_advance(rig, 1000);
    assert_int_equal(second.code, TB_E_STORE);
    assert_int_equal(first.code, 1);
    tb_resolve_cancel(&first.ask);
}

/* Nothing is decided before it is: a call that would have found a session makes none. */
static void a_call_that_may_create_a_session_waits_for_its_own(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct fake_store *store = kill_and_wait(rig);
    struct rig_call *first = rig_start(rig, &rig_navigate, "talk", NULL);
    struct rig_call *other = rig_start(rig, &rig_navigate, "new", NULL);
    struct rig_call *second = rig_start(rig, &rig_click, "talk", NULL);
    struct rig_call *lost = rig_start(rig, &rig_click, "talk", "{\"sessionId\":\"x\"}");
    rig_turn(rig);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
    fake_store_catch_up(store);
    rig_turn(rig);
    assert_string_equal(first->chosen, "browser-1");
    assert_string_equal(second->chosen, "browser-1");
    assert_string_equal(other->chosen, "browser-2");
    assert_true(first->place < second->place);
    rig_expect(first, 0);
    rig_expect(second, 0);
    rig_expect(other, 0);
    rig_expect(lost, TB_E_SESSION_NOT_FOUND);
}

/* As close_session does. */
static void tell_name(struct tb_call *call)
{
    const struct tb_session *session = tb_call_beside(call);
    tb_json_set_cstr(tb_call_out(call)->data, "beside", session->name);
    tb_call_finish(call);
}

static const struct tb_param beside_params[] = {TB_PARAM_ROW_SESSION, {.name = NULL}};
static const struct tb_tool beside = {
    .name = "beside",
    .flags = TB_TOOL_NO_SESSION | TB_TOOL_BESIDE,
    .params = beside_params,
    .op = TB_OP_NONE,
    .run = tell_name,
};

static void a_tool_beside_the_queue_gets_the_session_that_is_meant(void **state)
{
    struct rig *rig = *state;
    make(rig, "a");
    make(rig, "b");
    for (int late = 0; late <= 1; late++) {
        struct fake_store *store = fake_store_of(rig);
        store->reads_late = late;
        rig_kill(rig, 0);
        struct rig_call *named = rig_start(rig, &beside, "talk", "{\"sessionId\":\"a\"}");
        struct rig_call *meant = rig_start(rig, &beside, "talk", NULL);
        struct rig_call *lost = rig_start(rig, &beside, "talk", "{\"sessionId\":\"x\"}");
        fake_store_catch_up(store);
        rig_turn(rig);
        assert_true(tb_str_eq_cstr(tb_json_text(named->data, "beside"), "a"));
        assert_true(tb_str_eq_cstr(tb_json_text(meant->data, "beside"), "b"));
        assert_string_equal(meant->chosen, ""); /* the tool says where it acted */
        rig_expect(named, 0);
        rig_expect(meant, 0);
        rig_expect(lost, TB_E_SESSION_NOT_FOUND);
        assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
    }
}

static int refuse_bad(const struct tb_core *core, enum tb_op_kind kind, const struct cJSON *args,
                      struct tb_err *err)
{
    (void)core;
    (void)kind;
    bool is_bad = tb_str_eq_cstr(tb_json_text(args, "tag"), "bad");
    return is_bad ? tb_fail(err, TB_E_BAD_URL, "bad is no address") : 0;
}

/* Now or later, none is made for it; the reason is told, unless there is a better one. */
static void what_no_session_could_do_makes_none(void **state)
{
    struct rig *rig = *state;
    struct tb_driver picky = tb_driver_fake;
    picky.check_op = refuse_bad;
    make(rig, "a");
    for (int late = 0; late <= 1; late++) {
        struct fake_store *store = fake_store_of(rig);
        store->reads_late = late;
        rig_kill(rig, 0);
        rig->core.drivers[0] = (struct tb_driver_slot){&picky, rig->fake};
        struct rig_call *bad = rig_start(rig, &rig_navigate, "new", "{\"tag\":\"bad\"}");
        struct rig_call *own = rig_start(rig, &rig_navigate, "talk", "{\"tag\":\"bad\"}");
        fake_store_catch_up(store);
        rig_turn(rig);
        assert_string_equal(bad->message, "bad is no address");
        rig_expect(bad, TB_E_BAD_URL);
        rig_expect(own, 0); /* there is one, whose driver has its own say */
        assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
        rig->core.drivers[0] = (struct tb_driver_slot){&tb_driver_fake, rig->fake};
    }
    kill_and_wait(rig);
    rig->core.drivers[0] = (struct tb_driver_slot){&picky, rig->fake};
    struct rig_call *call = rig_start(rig, &rig_navigate, "new", "{\"tag\":\"bad\"}");
    rig->core.drivers[0] = (struct tb_driver_slot){&tb_driver_fake, rig->fake};
    rig_restart(rig, 0);
    rig_expect(call, TB_E_SHUTDOWN);
}

/* What cannot be put on record when its time has come is not done. */
static void a_store_that_is_full_by_then_refuses_what_waited(void **state)
{
    struct rig *rig = *state;
    make(rig, "a");
    struct fake_store *store = kill_and_wait(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", NULL);
    store->full = true;
    fake_store_catch_up(store);
    rig_turn(rig);
    assert_string_equal(call->message, "the disk is full");
    rig_expect(call, TB_E_STORE);
    store->full = false;
}

static void a_store_that_cannot_be_read_is_asked_again(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct asker first = ASKER(rig);
    struct asker second = ASKER(rig);
    make(rig, "a");
    make(rig, "b");
    store->broken = true;
    rig_kill(rig, 0);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"b\"}");
    first.sessions = second.sessions = rig->core.sessions;
    assert_int_equal(ask(&first), TB_LATER);
    rig_advance(rig, 1000);
    rig_expect(call, TB_E_STORE);
    assert_int_equal(first.code, TB_E_STORE);
    store->broken = false;
    call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"b\"}");
    assert_int_equal(ask(&second), TB_LATER);
    rig_turn(rig);
    assert_int_equal(call->dones, 0);
    assert_int_equal(second.count, 0);
    rig_advance(rig, 1000);
    rig_expect(call, 0);
    assert_int_equal(second.code, 0);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 2);
    assert_int_equal(ask(&first), 0);
    assert_int_equal(first.code, 0);
    assert_int_equal(first.count + second.count, 3);
}

static void who_leaves_before_its_sessions_are_read_leaves_none_behind(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    const struct tb_caller gone = {.who = principal_of("t"), .conversation = "gone"};
    assert_int_equal(rig_run(rig, &rig_navigate, "gone", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    store->broken = true; /* at the first attempt */
    rig_kill(rig, 0);
    tb_sessions_leave_conversation(rig->core.sessions, &gone);
    rig_advance(rig, 1000);
    store->broken = false;
    rig_advance(rig, 1000);
    assert_int_equal(rig_events(rig, "session_ended {\"name\":\"browser-1\",\"type\":\"browser\","
                                     "\"reason\":\"conversation_ended\""),
                     1);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
    assert_non_null(rig_find(rig, "browser-2"));
}

static void whoever_leaves_waits_for_no_store_that_is_never_read(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller gone = {.who = principal_of("t"), .conversation = "gone"};
    unsigned refs = gone.who->refs;
    kill_and_wait(rig);
    for (int i = 0; i < 2 * TB_CURRENT_MAX; i++) {
        tb_sessions_leave_conversation(rig->core.sessions, &gone);
    }
    assert_int_equal(gone.who->refs - refs, TB_CURRENT_MAX);
    rig_restart(rig, 0);
    assert_int_equal(gone.who->refs, refs);
}

static void the_daemon_may_stop_before_they_are_read(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    make(rig, "a");
    store->reads_late = true;
    rig_kill(rig, 0);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    struct asker waiting = ASKER(rig);
    assert_int_equal(ask(&waiting), TB_LATER);
    rig_restart(rig, 0);
    rig_expect(call, TB_E_SHUTDOWN);
    assert_int_equal(waiting.code, TB_E_SHUTDOWN);
    assert_int_equal(waiting.count, 1);
    fake_store_catch_up(store);
    rig_turn(rig);
    assert_non_null(rig_find(rig, "a"));
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(calls_wait_for_the_stored_sessions_within_their_time),
        RIG_TEST(whoever_asks_early_is_answered_in_order_once),
        RIG_TEST(whoever_asks_again_inside_a_failure_waits_for_the_next_attempt),
        RIG_TEST(a_call_that_may_create_a_session_waits_for_its_own),
        RIG_TEST(a_tool_beside_the_queue_gets_the_session_that_is_meant),
        RIG_TEST(what_no_session_could_do_makes_none),
        RIG_TEST(a_store_that_is_full_by_then_refuses_what_waited),
        RIG_TEST(a_store_that_cannot_be_read_is_asked_again),
        RIG_TEST(who_leaves_before_its_sessions_are_read_leaves_none_behind),
        RIG_TEST(whoever_leaves_waits_for_no_store_that_is_never_read),
        RIG_TEST(the_daemon_may_stop_before_they_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
