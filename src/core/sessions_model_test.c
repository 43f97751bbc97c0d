/* SPDX-License-Identifier: Apache-2.0 */
/* Ten thousand random operations on sessions and calls, with lost browsers and restarts of the
 * daemon, each compared with the model. After each operation the loop runs until it is quiet. */
#include "support/sessions_model.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/ends.h"
#include "core/limits.h"
#include "core/resolve.h"
#include "core/sessions_internal.h"

#include "support/principals.h"

enum {
    OPERATIONS = 10000,
};

/* Each must come up, or the operations are not random enough. */
static const int outcomes[OUTCOMES] = {0,
                                       TB_E_CANCELLED,
                                       TB_E_TIMEOUT,
                                       TB_E_BUSY,
                                       TB_E_LIMIT,
                                       TB_E_SESSION_NOT_FOUND,
                                       TB_E_SESSION_ENDED,
                                       TB_E_BROWSER_CRASHED,
                                       TB_E_SHUTDOWN,
                                       TB_E_AWAY,
                                       TB_E_HELD};

static const char *const tenants[TENANTS] = {"t", "u"};
static const char *const conversations[CONVERSATIONS] = {"", "c1", "c2"};
static const char *const names[NAMES] = {"n0", "n1", "n2", "n3"};

static int pick(struct model *model, int below)
{
    model->random = model->random * 1103515245U + 12345U;
    return (int)((model->random >> 16) % (unsigned)below);
}

static bool is_told_end(int code)
{
    return code == TB_E_SESSION_ENDED || code == TB_E_SESSION_STOPPED;
}

/* All that is under way ends within a turn, but for a driver that still works. */
static enum tb_session_state model_state(const struct model_session *session)
{
    return session->asleep         ? TB_STATE_ASLEEP
           : session->away         ? TB_STATE_AWAY
           : session->held         ? TB_STATE_HELD
           : session->retiring     ? TB_STATE_RETIRING
           : session->grace_due_ms ? TB_STATE_SAVING
                                   : TB_STATE_OPEN;
}

static void check_session(struct model *model, struct model_session *session)
{
    struct tb_session *real = tb_sessions_find(model->rig->core.sessions, tenants[session->tenant],
                                               tb_str_of(session->name));
    assert_non_null(real);
    snprintf(session->id, sizeof(session->id), "%s", real->id);
    assert_int_equal(real->traits.of_conversation, session->conversation != 0);
    if (session->conversation) {
        assert_string_equal(tb_session_owner(real), conversations[session->conversation]);
    }
    assert_int_equal(real->queue.running_count, model_running_call(model, session) != NULL);
    assert_int_equal(real->queue.waiting_count, model_waiting_count(model, session));
    assert_int_equal(!tb_list_empty(&real->queue.ops),
                     session->stuck || model_running_call(model, session));
    assert_int_equal(real->times.last_active_ms, session->last_active_ms);
    assert_int_equal(real->state, model_state(session));
    assert_int_equal(real->queue.holder != NULL, session->asked);
}

/* Compares, and forgets the calls that have ended. */
static void check(struct model *model)
{
    rig_turns(model->rig, 32);
    for (size_t i = 0; i < CALLS_MAX; i++) {
        struct model_call *call = &model->calls[i];
        if (!call->real) {
            continue;
        }
        if (call->expected > 0) {
            assert_int_equal(call->real->dones, 0);
            continue;
        }
        for (size_t k = 0; k < OUTCOMES; k++) {
            model->seen[k] += outcomes[k] == call->expected;
        }
        /* The model does not remember ends; those who are told of one found nothing either. */
        if (call->expected == TB_E_SESSION_NOT_FOUND && is_told_end(call->real->code)) {
            call->expected = call->real->code;
        }
        rig_expect(call->real, call->expected);
        call->real = NULL;
    }
    assert_int_equal(tb_sessions_count(model->rig->core.sessions), model_count(model, -1));
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        if (model->sessions[i].live) {
            check_session(model, &model->sessions[i]);
        }
    }
}

static void advance(struct model *model, int64_t ms)
{
    const int64_t target_ms = model_now(model) + ms;
    while (model_now(model) < target_ms) {
        int64_t due_ms = model_next_due(model);
        int64_t stop_ms = due_ms < target_ms ? due_ms : target_ms;
        tb_clock_manual_advance(&model->rig->clock, stop_ms - model_now(model));
        if (stop_ms == due_ms) {
            model_all_due(model);
        }
        check(model);
    }
}

static void do_create(struct model *model)
{
    int tenant = pick(model, TENANTS);
    int conversation = pick(model, CONVERSATIONS);
    const char *name = names[pick(model, NAMES)];
    const struct tb_caller caller = {.who = principal_of(tenants[tenant]),
                                     .conversation = conversations[conversation]};
    const struct tb_session_spec spec = {
        .name = tb_str_of(name), .driver = &tb_driver_fake, .driver_state = model->rig->fake};
    struct tb_session *session;
    const char *warning;
    struct tb_err err;
    int expected = model_find(model, tenant, name)                        ? TB_E_SESSION_EXISTS
                   : model_count_awake(model, -1, false) >= (size_t)TOTAL ? TB_E_LIMIT
                                                                          : 0;
    assert_int_equal(
        tb_sessions_create(model->rig->core.sessions, &caller, &spec, &session, &warning, &err),
        expected);
    if (expected == 0) {
        model_add(model, tenant, conversation, 0, name);
    }
}

static void do_call(struct model *model)
{
    static const struct tb_tool *const tools[] = {&rig_navigate, &rig_click, &rig_wait};
    static const int64_t timeouts[] = {301, 2001, 9001};
    int tenant = pick(model, TENANTS);
    int conversation = pick(model, CONVERSATIONS);
    const char *name = pick(model, 2) ? names[pick(model, NAMES)] : NULL;
    int64_t timeout_ms = timeouts[pick(model, TB_COUNT(timeouts))];
    struct model_call *call = NULL;
    for (size_t i = 0; i < CALLS_MAX && !call; i++) {
        call = model->calls[i].real ? NULL : &model->calls[i];
    }
    assert_non_null(call);
    *call = (struct model_call){
        .tool = tools[pick(model, TB_COUNT(tools))], .born = ++model->births, .expected = 1};
    char args[120];
    snprintf(args, sizeof(args), "{\"timeout_ms\":%lld%s%s%s}", (long long)timeout_ms,
             name ? ",\"sessionId\":\"" : "", name ? name : "", name ? "\"" : "");
    call->real =
        rig_start_as(model->rig, call->tool, tenants[tenant], conversations[conversation], args);
    struct model_session *session;
    int rc =
        model_resolve(model, tenant, conversation, name, call->tool == &rig_navigate, &session);
    if (rc == 0 && session->away) {
        rc = TB_E_AWAY;
    }
    if (rc == 0 && model_waiting_count(model, session) >= QUEUE) {
        rc = TB_E_BUSY;
    }
    if (rc < 0) {
        call->expected = rc;
        return;
    }
    call->due_ms = model_now(model) + timeout_ms;
    model_enter(model, call, session);
}

/* One that lives, from a random place on; NULL: there is none. */
static struct model_session *pick_session(struct model *model)
{
    int from = pick(model, SESSIONS_MAX);
    for (int i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[(from + i) % SESSIONS_MAX];
        if (session->live) {
            return session;
        }
    }
    return NULL;
}

static void release(struct model *model, struct model_session *session)
{
    assert_int_equal(tb_fake_release(model->rig->fake, session->id),
                     session->stuck || model_running_call(model, session));
    model_release(model, session);
}

static void do_release(struct model *model)
{
    struct model_session *session = pick_session(model);
    if (session) {
        release(model, session);
    }
}

static void do_cancel(struct model *model)
{
    struct model_call *call = &model->calls[pick(model, CALLS_MAX)];
    for (int i = 0; i < CALLS_MAX && !call->real; i++) {
        call = &model->calls[pick(model, CALLS_MAX)];
    }
    if (call->real) {
        tb_call_cancel(call->real->call);
        model_break_call(model, call, TB_E_CANCELLED);
    }
}

static void do_end(struct model *model)
{
    struct model_session *session = pick_session(model);
    if (session) {
        tb_session_end(tb_sessions_find(model->rig->core.sessions, tenants[session->tenant],
                                        tb_str_of(session->id)),
                       TB_END_CLOSED);
        model_end(model, session, TB_E_SESSION_ENDED);
    }
}

static void do_lose(struct model *model)
{
    struct model_session *session = pick_session(model);
    if (session) {
        bool is_there = !session->asleep && !session->bare;
        assert_int_equal(tb_fake_lose(model->rig->fake, session->id), is_there);
        if (is_there) {
            model_lose(model, session);
        }
    }
}

static struct tb_session *real_of(const struct model *model, const struct model_session *session)
{
    return tb_sessions_find(model->rig->core.sessions, tenants[session->tenant],
                            tb_str_of(session->id));
}

/* By its channel, if it has one. */
static void do_go(struct model *model)
{
    struct model_session *session = pick_session(model);
    if (!session || session->asleep || session->away) {
        return;
    }
    struct peer *peer = &model->peers[session - model->sessions];
    if (peer->channel) {
        peer_close(peer);
    } else {
        assert_true(tb_fake_lose_for(model->rig->fake, session->id, TB_END_CLIENT_DISCONNECTED,
                                     TB_LOSS_AWAY, ""));
    }
    model_go(model, session);
}

static void do_come_back(struct model *model)
{
    struct model_session *session = pick_session(model);
    struct tb_err err;
    if (!session || !session->away) {
        return;
    }
    struct peer *peer = &model->peers[session - model->sessions];
    peer_fini(peer);
    peer_open(peer, model->rig->core.loop);
    int rc = tb_session_attach(real_of(model, session), peer->channel, &err);
    assert_int_equal(rc, model_come_back(model, session));
    if (rc < 0) {
        peer_close(peer);
    }
}

static void on_held(struct tb_holder *holder)
{
    assert_int_equal(holder->session->state, TB_STATE_HELD);
}

static void on_over(struct tb_holder *holder, const struct tb_err *why)
{
    assert_null(holder->session);
    assert_true(why->code < 0 && why->text[0]);
}

static void do_hold(struct model *model)
{
    struct model_session *session = pick_session(model);
    struct tb_err err;
    if (session) {
        struct tb_holder *own = &model->holders[session - model->sessions];
        struct tb_holder spare = {.who = "bob"};
        struct tb_holder *holder = session->asked ? &spare : own;
        *holder = (struct tb_holder){.who = "ann", .held = on_held, .over = on_over};
        int rc = tb_session_hold(real_of(model, session), holder, &err);
        assert_int_equal(rc, model_hold(model, session));
    }
}

static void do_hand_back(struct model *model)
{
    struct model_session *session = pick_session(model);
    if (session) {
        tb_session_release(&model->holders[session - model->sessions], NULL);
        if (session->asked) {
            model_hand_back(model, session);
        }
    }
}

static void do_end_many(struct model *model)
{
    int tenant = pick(model, TENANTS);
    int conversation = pick(model, CONVERSATIONS); /* 0: all of the tenant */
    const struct tb_caller caller = {.who = principal_of(tenants[tenant]),
                                     .conversation = conversations[conversation]};
    if (pick(model, 4)) {
        return; /* seldom, for little is left afterwards */
    }
    if (conversation) {
        tb_sessions_end_conversation(model->rig->core.sessions, &caller, TB_END_CONVERSATION_ENDED,
                                     NULL);
        model->currents[tenant][conversation] = NULL;
    } else {
        assert_int_equal(tb_sessions_end_all(model->rig->core.sessions, tenants[tenant],
                                             TB_END_GLOBAL_STOP, NULL),
                         model_count(model, tenant));
        for (int i = 0; i < CONVERSATIONS; i++) { /* all of them ask before they start another */
            const struct tb_tenant *found =
                tb_tenant_find(model->rig->core.sessions, tenants[tenant]);
            const struct tb_caller asker = {.conversation = conversations[i]};
            const struct tb_end *end = found ? tb_end_unheard(found, &asker) : NULL;
            if (end) {
                tb_end_warn(found, tb_end_id(end), conversations[i]);
            }
        }
    }
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[i];
        if (session->live && session->tenant == tenant &&
            (!conversation || session->conversation == conversation)) {
            model_end(model, session, conversation ? TB_E_SESSION_ENDED : TB_E_SESSION_STOPPED);
        }
    }
}

static void do_choose(struct model *model)
{
    int tenant = pick(model, TENANTS);
    int conversation = pick(model, CONVERSATIONS);
    const char *name = names[pick(model, NAMES)];
    const struct tb_caller caller = {.who = principal_of(tenants[tenant]),
                                     .conversation = conversations[conversation]};
    struct model_session *session = model_find(model, tenant, name);
    int rc =
        tb_sessions_set_current(model->rig->core.sessions, &caller, tb_str_of(name), NULL, NULL);
    assert_true(session ? rc == 0 : rc == TB_E_SESSION_NOT_FOUND || is_told_end(rc));
    model->currents[tenant][conversation] =
        session ? session : model->currents[tenant][conversation];
}

static void plan(struct rig *rig)
{
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    rig->fake->ops[TB_OP_WAIT].when = TB_FAKE_HELD;
    rig->fake->ops[TB_OP_WAIT].cancel = TB_FAKE_CANCEL_IGNORED;
}

/* Such a call would make the daemon wait before it stops. */
static bool release_one(struct model *model)
{
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[i];
        const struct model_call *call = model_running_call(model, session);
        if (session->live && (session->stuck || (call && call->tool == &rig_wait))) {
            release(model, session);
            check(model);
            return true;
        }
    }
    return false;
}

static void do_restart(struct model *model)
{
    while (release_one(model)) {
    }
    rig_restart(model->rig, 0);
    plan(model->rig);
    model_restart(model);
}

static void do_wait(struct model *model)
{
    static const int64_t times[] = {2, 10, 50, 200, 1200};
    advance(model, times[pick(model, TB_COUNT(times))]);
}

static void ten_thousand_random_operations_agree_with_the_model(void **state)
{
    static void (*const operations[])(struct model * model) = {
        do_call,      do_call,    do_call,      do_call,   do_call,    do_call,   do_call,
        do_call,      do_call,    do_call,      do_call,   do_create,  do_create, do_create,
        do_create,    do_create,  do_choose,    do_cancel, do_end,     do_wait,   do_release,
        do_release,   do_release, do_end_many,  do_lose,   do_restart, do_go,     do_come_back,
        do_come_back, do_hold,    do_hand_back, do_wait};
    struct rig *rig = *state;
    struct model *model = TB_NEW(struct model);
    model->rig = rig;
    model->random = 20260131;
    rig->config.sessions_queue = QUEUE;
    rig->config.sessions_per_tenant = PER_TENANT;
    rig->config.sessions_total = TOTAL;
    rig->brief = true;
    rig->config.sessions_octopus_idle_ms = CONVERSATION_IDLE_MS;
    rig->config.sessions_octopus_max_age_ms = CONVERSATION_AGE_MS;
    rig->config.sessions_named_idle_ms = NAMED_IDLE_MS;
    rig->config.sessions_hibernated_ms = HIBERNATED_MS;
    plan(rig);
    tb_bus_unsubscribe(&rig->listener);
    for (int i = 0; i < OPERATIONS; i++) {
        operations[pick(model, TB_COUNT(operations))](model);
        check(model);
        advance(model, 2);
    }
    rig_stop(rig);
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        peer_fini(&model->peers[i]);
    }
    for (size_t i = 0; i < CALLS_MAX; i++) {
        if (model->calls[i].real) {
            assert_int_equal(model->calls[i].real->dones, 1);
            rig_forget(model->calls[i].real);
        }
    }
    for (size_t k = 0; k < OUTCOMES; k++) {
        assert_true(model->seen[k] > 5);
    }
    assert_true(model->slept > 50 && model->woken > 200);
    assert_true(model->lost > 100 && model->restarted > 100);
    assert_true(model->gone > 50 && model->back > 30 && model->anew > 5 && model->held > 100);
    tb_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ten_thousand_random_operations_agree_with_the_model,
                                        rig_setup_stored, rig_teardown_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
