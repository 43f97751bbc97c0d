/* SPDX-License-Identifier: Apache-2.0 */
/* Room for another session while those that have the places are between two states: several things
 * happen before their jobs run. */
#include <stdio.h>

#include "base/mem.h"
#include "core/sessions.h"
#include "core/sessions_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

enum {
    HOUR_MS = 3600 * 1000,
    PER_TENANT = 2,
    CONVERSATIONS = 5,
    CALLS = 32,
    BURSTS = 3000,
    MAX_AGE_MS = 20 * 1000,
};

static const char *id_of(struct rig *rig, const char *name)
{
    return tb_session_info(rig_find(rig, name)).id;
}

/* The call of "talk-1" waits for its browser, is cancelled, and the browser does not start. */
static void refuse_browser(struct rig *rig)
{
    rig->fake->open.when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk-1", NULL);
    rig_turn(rig);
    tb_call_cancel(call->call);
    rig_turn(rig);
    rig_expect(call, TB_E_CANCELLED);
    assert_true(tb_fake_release_with(rig->fake, id_of(rig, "browser-1"), TB_E_BROWSER_CRASHED));
    rig->fake->open.when = TB_FAKE_NOW;
}

static void a_session_that_did_not_open_has_left_its_place(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_per_tenant = 1;
    refuse_browser(rig);
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk-2", NULL);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 2);
    rig_turn(rig);
    rig_expect(call, 0);
    assert_null(rig_find(rig, "browser-1"));
}

static void a_session_that_did_not_wake_has_left_its_place(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_per_tenant = 1;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-1", NULL), 0);
    rig_advance(rig, rig->config.sessions_conversation_idle_ms);
    assert_true(tb_session_info(rig_find(rig, "browser-1")).hibernated);
    refuse_browser(rig);
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk-2", NULL);
    rig_turn(rig);
    rig_expect(call, 0);
    assert_true(tb_session_info(rig_find(rig, "browser-1")).hibernated);
}

static void start_another(struct rig_call *call)
{
    call->user = rig_start(call->rig, &rig_navigate, "talk-2", NULL);
}

static void a_session_that_ends_with_its_last_call_has_left_its_place(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_per_tenant = 1;
    rig->config.sessions_conversation_max_age_ms = HOUR_MS;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-1", NULL), 0);
    rig_advance(rig, HOUR_MS - 1000);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *last = rig_start(rig, &rig_click, "talk-1", NULL);
    rig_turn(rig);
    rig_advance(rig, 1000);
    assert_true(tb_session_info(rig_find(rig, "browser-1")).retiring);
    last->on_done = start_another;
    assert_true(tb_fake_release(rig->fake, id_of(rig, "browser-1")));
    rig_turn(rig);
    rig_expect(last->user, 0);
    rig_expect(last, 0);
    assert_int_equal(rig_events(rig, "\"reason\":\"max_age\",\"duration_ms\""), 1);
}

static void who_makes_room_in_a_full_house_gives_its_own_place(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_per_tenant = 2;
    rig->config.sessions_total = 2;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-1", NULL), 0);
    rig_advance(rig, 10);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-2", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-3", NULL), 0);
    assert_true(tb_session_info(rig_find(rig, "browser-1")).hibernated);
    assert_false(tb_session_info(rig_find(rig, "browser-2")).hibernated);
}

/* The limit that it meets first could be met, the one after it not. */
static void nobody_is_put_to_sleep_for_a_session_that_is_refused(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-1", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-2", NULL), 0);
    rig_create(rig, "named");
    rig_turn(rig);
    rig->config.sessions_per_tenant = 2;
    rig->config.sessions_total = 2;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-3", NULL), TB_E_LIMIT);
    rig->config.sessions_per_tenant = 1;
    rig->config.sessions_total = 50;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *busy = rig_start(rig, &rig_click, "talk-2", NULL);
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-3", NULL), TB_E_LIMIT);
    assert_false(tb_session_info(rig_find(rig, "browser-1")).hibernated);
    assert_false(tb_session_info(rig_find(rig, "browser-2")).hibernated);
    assert_true(tb_fake_release(rig->fake, id_of(rig, "browser-2")));
    rig_turn(rig);
    rig_expect(busy, 0);
}

/* Random bursts. */

struct bursts {
    struct rig *rig;
    unsigned random;
    struct rig_call *calls[CALLS];
    size_t limited; /* calls that found no room */
    size_t done;
};

static int pick(struct bursts *bursts, int below)
{
    bursts->random = bursts->random * 1103515245U + 12345U;
    return (int)((bursts->random >> 16) % (unsigned)below);
}

static struct tb_session *pick_session(struct bursts *bursts)
{
    const struct tb_tenant *tenant = tb_tenant_find(bursts->rig->core.sessions, "t");
    size_t count = tenant ? tenant->count : 0;
    if (!count) {
        return NULL;
    }
    struct tb_list *link = tenant->sessions.next;
    for (int skip = pick(bursts, (int)count); skip > 0; skip--) {
        link = link->next;
    }
    return tb_session_of(link);
}

static void step(struct bursts *bursts)
{
    static const struct tb_tool *const tools[] = {&rig_navigate, &rig_navigate, &rig_click};
    struct rig *rig = bursts->rig;
    struct rig_call **call = &bursts->calls[pick(bursts, CALLS)];
    const struct tb_session *session = pick_session(bursts);
    char conversation[16];
    switch (pick(bursts, 8)) {
    case 0:
        if (*call && (*call)->call) {
            tb_call_cancel((*call)->call);
        }
        break;
    case 1:
    case 2:
        if (session) {
            tb_fake_release_with(rig->fake, session->id,
                                 pick(bursts, 2) ? TB_E_BROWSER_CRASHED : 0);
        }
        break;
    case 3:
        if (session) {
            tb_fake_lose(rig->fake, session->id);
        }
        break;
    default:
        if (!*call) {
            snprintf(conversation, sizeof(conversation), "talk-%d", pick(bursts, CONVERSATIONS));
            rig->fake->open.when = pick(bursts, 2) ? TB_FAKE_HELD : TB_FAKE_NOW;
            *call = rig_start(rig, tools[pick(bursts, TB_COUNT(tools))], conversation, NULL);
        }
    }
}

static void forget_ended(struct bursts *bursts)
{
    for (size_t i = 0; i < CALLS; i++) {
        struct rig_call *call = bursts->calls[i];
        if (call && call->dones) {
            bursts->limited += call->code == TB_E_LIMIT;
            bursts->done += call->code == 0;
            rig_expect(call, call->code);
            bursts->calls[i] = NULL;
        }
    }
}

/* All is quiet: whoever has a place needs it. That may be more than the limit allows, since one
 * that gives way stays if a call comes meanwhile. */
static void check_places(struct bursts *bursts)
{
    const struct tb_tenant *tenant = tb_tenant_find(bursts->rig->core.sessions, "t");
    size_t count = 0;
    LIST_FOREACH(link, &tenant->awake[TB_TAKES_BROWSER]) {
        const struct tb_session *session = TB_CONTAINER(link, struct tb_session, places.awake);
        assert_int_not_equal(session->state, TB_STATE_ASLEEP);
        assert_null(session->trouble);
        count++;
    }
    assert_int_equal(count, bursts->rig->core.sessions->awake_counts[TB_TAKES_BROWSER]);
}

static void bursts_of_changes_leave_nobody_without_a_place(void **state)
{
    struct bursts bursts = {.rig = *state, .random = 20260131};
    struct rig *rig = *state;
    rig->config.sessions_per_tenant = PER_TENANT;
    rig->config.sessions_conversation_max_age_ms = MAX_AGE_MS;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    tb_bus_unsubscribe(&rig->listener);
    for (int i = 0; i < BURSTS; i++) {
        for (int left = pick(&bursts, 6); left >= 0; left--) {
            step(&bursts);
            rig_turns(rig, pick(&bursts, 4) == 0);
        }
        rig_advance(rig, pick(&bursts, 4) ? 10 : 1000);
        forget_ended(&bursts);
        check_places(&bursts);
    }
    rig_stop(rig);
    forget_ended(&bursts);
    assert_true(bursts.limited > 50 && bursts.done > 500);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_session_that_did_not_open_has_left_its_place),
        RIG_TEST(a_session_that_did_not_wake_has_left_its_place),
        RIG_TEST(a_session_that_ends_with_its_last_call_has_left_its_place),
        RIG_TEST(who_makes_room_in_a_full_house_gives_its_own_place),
        RIG_TEST(nobody_is_put_to_sleep_for_a_session_that_is_refused),
        RIG_TEST(bursts_of_changes_leave_nobody_without_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
