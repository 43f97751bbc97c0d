/* SPDX-License-Identifier: Apache-2.0 */
/* Several agents call one page at once. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/members.h"
#include "core/session_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

enum {
    WIDTH = 4,
    QUEUE = 32, /* calls of one agent that may wait */
    FLOOD = WIDTH + QUEUE,
    MANY_MS = 600 * 1000,
    MINUTE_MS = 60 * 1000,
};

struct scene {
    struct rig *rig;
    struct tb_driver driver;
    struct tb_session *session;
    struct rig_call *flood[FLOOD];
};

static void begin(struct scene *scene, struct rig *rig)
{
    const char *warning;
    const struct tb_session_spec spec = {.kind = TB_KIND_CLIENT,
                                         .name = TB_STR("page"),
                                         .driver = &scene->driver,
                                         .driver_state = rig->fake};
    *scene = (struct scene){.rig = rig, .driver = tb_driver_fake};
    scene->driver.width = WIDTH;
    rig->fake->width = WIDTH;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    tb_sessions_create(rig->core.sessions,
                       &(struct tb_caller){.who = &principal_t, .conversation = "owner"}, &spec,
                       &scene->session, &warning, NULL);
    rig_turn(rig);
}

static struct rig_call *start(struct scene *scene, const char *agent)
{
    char args[64];
    snprintf(args, sizeof(args), "{\"sessionId\":\"page\",\"timeout_ms\":%d}", MANY_MS);
    struct rig_call *call = rig_start(scene->rig, &rig_click, agent, args);
    rig_turn(scene->rig);
    return call;
}

/* As many of one agent as there may be. */
static void flood(struct scene *scene)
{
    for (int i = 0; i < FLOOD; i++) {
        scene->flood[i] = start(scene, "flood");
    }
    rig_expect(start(scene, "flood"), TB_E_BUSY);
}

/* The oldest that runs. */
static void release(struct scene *scene)
{
    assert_true(tb_fake_release(scene->rig->fake, scene->session->id));
    rig_turn(scene->rig);
}

static size_t running(const struct scene *scene)
{
    return scene->session->queue.running_count;
}

/* The driver is the test's, so its session goes before it. */
static void finish(struct scene *scene)
{
    tb_session_end(scene->session, TB_END_CLOSED);
    rig_turn(scene->rig);
    assert_true(tb_list_empty(&scene->rig->fake->sessions));
    for (int i = 0; i < FLOOD && scene->flood[i]; i++) {
        assert_int_equal(scene->flood[i]->dones, 1);
        rig_forget(scene->flood[i]);
    }
}

/* S4-24: each agent has a queue of its own. */
static void one_that_floods_a_page_neither_fills_the_queue_of_others_nor_goes_before_them(
    void **state)
{
    struct scene scene;
    begin(&scene, *state);
    flood(&scene);
    assert_int_equal(running(&scene), WIDTH);
    struct rig_call *other = start(&scene, "other");
    release(&scene);
    assert_int_equal(other->dones, 0); /* its turn has come, before all that wait */
    assert_int_equal(scene.flood[0]->dones, 1);
    assert_int_equal(scene.session->queue.waiting_count, QUEUE);
    for (int i = 0; i < WIDTH; i++) {
        assert_int_equal(other->dones, 0);
        release(&scene);
    }
    rig_expect(other, 0);
    finish(&scene);
}

/* However long the page takes for what the other one asked. */
static void a_place_is_left_for_each_of_the_others(void **state)
{
    struct scene scene;
    begin(&scene, *state);
    struct rig_call *early[2] = {start(&scene, "a"), start(&scene, "b")};
    release(&scene);
    release(&scene);
    flood(&scene);
    assert_int_equal(running(&scene), WIDTH - 2);
    struct rig_call *calls[] = {start(&scene, "a"), start(&scene, "b"), start(&scene, "a")};
    assert_int_equal(running(&scene), WIDTH);
    release(&scene);
    release(&scene); /* those of the flood that ran; whoever has fewest is next */
    assert_int_equal(running(&scene), WIDTH);
    release(&scene);
    release(&scene);
    assert_int_equal(calls[0]->dones + calls[1]->dones, 2);
    rig_expect(early[0], 0);
    rig_expect(early[1], 0);
    rig_expect(calls[0], 0);
    rig_expect(calls[1], 0);
    tb_call_cancel(calls[2]->call);
    rig_turn(scene.rig);
    rig_expect(calls[2], TB_E_CANCELLED);
    finish(&scene);
}

/* They end in the order in which they began. */
static void whoever_has_the_fewest_running_is_next_and_among_equals_the_first_to_come(void **state)
{
    static const char *const agents[] = {"a", "b", "c", "a", "b", "c", "c", "b", "a"};
    static const size_t places[] = {1, 2, 3, 4, 5, 6, 7, 9, 8};
    struct scene scene;
    begin(&scene, *state);
    struct rig_call *calls[TB_COUNT(agents)];
    for (size_t i = 0; i < TB_COUNT(agents); i++) {
        calls[i] = start(&scene, agents[i]);
    }
    for (size_t i = 0; i < TB_COUNT(agents); i++) {
        release(&scene);
    }
    for (size_t i = 0; i < TB_COUNT(agents); i++) {
        assert_int_equal(calls[i]->place, places[i]);
        rig_expect(calls[i], 0);
    }
    assert_int_equal(scene.session->stats.calls, TB_COUNT(agents));
    finish(&scene);
}

/* Its calls are somebody's all the same. */
static void the_calls_of_one_that_leaves_go_on(void **state)
{
    struct scene scene;
    begin(&scene, *state);
    const struct tb_caller caller = {.who = &principal_t, .conversation = "a"};
    struct rig_call *calls[WIDTH + 1];
    for (int i = 0; i <= WIDTH; i++) {
        calls[i] = start(&scene, "a");
    }
    assert_true(tb_member_leave(scene.session, &caller));
    assert_int_equal(tb_members_count(scene.session), 0);
    struct rig_call *again = start(&scene, "a"); /* it is new, and has none that runs */
    assert_int_equal(tb_members_count(scene.session), 1);
    release(&scene);
    assert_int_equal(scene.session->queue.waiting_count, 1);
    for (int i = 1; i <= WIDTH + 1; i++) {
        release(&scene);
    }
    for (int i = 0; i <= WIDTH; i++) {
        rig_expect(calls[i], 0);
    }
    rig_expect(again, 0);
    finish(&scene);
}

/* Nor is it idle: it waits for an answer. */
static void one_whose_calls_are_under_way_does_not_leave_by_itself(void **state)
{
    struct scene scene;
    struct rig *rig = *state;
    begin(&scene, rig);
    rig_set(rig, "sessions.client_idle_ms", "1000");
    struct rig_call *call = start(&scene, "a");
    rig_advance(rig, MANY_MS - 1);
    assert_int_equal(tb_members_count(scene.session), 1);
    release(&scene);
    rig_expect(call, 0);
    rig_advance(rig, 999);
    assert_int_equal(tb_members_count(scene.session), 1);
    rig_advance(rig, 1);
    assert_int_equal(tb_members_count(scene.session), 0);
    finish(&scene);
}

static void each_agent_has_so_many_calls_a_minute(void **state)
{
    struct scene scene;
    struct rig *rig = *state;
    begin(&scene, rig);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_NOW;
    rig_set(rig, "client.calls_per_minute", "2");
    rig_expect(start(&scene, "a"), 0);
    rig_expect(start(&scene, "a"), 0);
    struct rig_call *third = start(&scene, "a");
    assert_string_equal(third->message, "an agent may make 2 calls per minute in session 'page'; "
                                        "try again in 30 s");
    rig_expect(third, TB_E_RATE);
    rig_expect(start(&scene, "b"), 0);
    assert_int_equal(scene.session->stats.calls, 3);
    rig_advance(rig, MINUTE_MS / 2);
    assert_int_equal(rig_events(rig, "call_done"), 2); /* a flood must not fill the log */
    assert_int_equal(rig_events(rig, "too_many_requests"), 0);
    rig_expect(start(&scene, "a"), 0);
    rig_expect(start(&scene, "a"), TB_E_RATE);
    finish(&scene);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(one_that_floods_a_page_neither_fills_the_queue_of_others_nor_goes_before_them),
        RIG_TEST(a_place_is_left_for_each_of_the_others),
        RIG_TEST(whoever_has_the_fewest_running_is_next_and_among_equals_the_first_to_come),
        RIG_TEST(the_calls_of_one_that_leaves_go_on),
        RIG_TEST(one_whose_calls_are_under_way_does_not_leave_by_itself),
        RIG_TEST(each_agent_has_so_many_calls_a_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
