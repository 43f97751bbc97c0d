/* SPDX-License-Identifier: Apache-2.0 */
#include "core/watch.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/session_hibernate.h"
#include "core/session_internal.h"
#include "core/session_life.h"

#include "support/fake_store.h"

enum {
    HALF_HOUR_MS = 30 * 60 * 1000,
};

/* One who looks, and writes down what is shown. */
struct eye {
    struct tb_viewer viewer;
    bool fast; /* passes each picture on at once */
    char seen[64];
    int ends;
    enum tb_end_reason reason;
    struct eye *stops; /* what it does when it is shown something */
    struct tb_session *closes;
};

static void on_show(struct tb_viewer *viewer, struct tb_picture *picture)
{
    struct eye *eye = TB_CONTAINER(viewer, struct eye, viewer);
    size_t len = strlen(eye->seen);
    assert_string_equal(picture->type, "image/png");
    snprintf(eye->seen + len, sizeof(eye->seen) - len, "%.*s ",
             TB_STR_ARG(tb_buf_str(&picture->bytes)));
    if (eye->fast) {
        tb_watch_ready(viewer);
    }
    if (eye->stops) {
        tb_watch_stop(&eye->stops->viewer);
    }
    if (eye->closes) {
        tb_session_end(eye->closes, TB_END_CLOSED);
    }
}

static void on_ended(struct tb_viewer *viewer, enum tb_end_reason reason)
{
    struct eye *eye = TB_CONTAINER(viewer, struct eye, viewer);
    eye->ends++;
    eye->reason = reason;
}

static void look(struct tb_session *session, struct eye *eye, int width)
{
    struct tb_err err = {0};
    eye->viewer.want = (struct tb_want){width, width / 2};
    eye->viewer.show = on_show;
    eye->viewer.ended = on_ended;
    assert_int_equal(tb_watch_start(session, &eye->viewer, &err), 0);
}

static struct tb_session *start(struct rig *rig)
{
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    return session;
}

static void draw(struct rig *rig, const char *look)
{
    assert_true(tb_fake_draw(rig->fake, rig_find(rig, "a")->id, look));
    rig_turn(rig);
}

static void the_driver_is_asked_only_while_somebody_looks(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = start(rig);
    struct eye a = {.fast = true};
    struct eye b = {.fast = true};
    assert_false(tb_fake_draw(rig->fake, session->id, "unseen"));
    look(session, &a, 800);
    rig_turn(rig);
    draw(rig, "one");
    draw(rig, "two");
    assert_string_equal(a.seen, "one two ");
    look(session, &b, 400);
    rig_turn(rig);
    assert_string_equal(b.seen, "two "); /* it need not wait until something changes */
    assert_int_equal(rig->fake->counts.watches, 1);
    tb_watch_stop(&a.viewer);
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.unwatches, 0);
    tb_watch_stop(&b.viewer);
    tb_watch_stop(&b.viewer);
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.unwatches, 1);
    assert_false(tb_fake_draw(rig->fake, session->id, "unseen"));
    assert_string_equal(a.seen, "one two ");
}

static void the_largest_size_that_anybody_wants_is_asked_for(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = start(rig);
    struct eye small = {.fast = true};
    struct eye large = {.fast = true};
    look(session, &small, 400);
    rig_turn(rig);
    assert_int_equal(rig->fake->want.width, 400);
    look(session, &large, 800);
    rig_turn(rig);
    assert_int_equal(rig->fake->want.width, 800);
    assert_int_equal(rig->fake->want.height, 400);
    tb_watch_stop(&large.viewer);
    rig_turn(rig);
    assert_int_equal(rig->fake->want.width, 400);
    draw(rig, "one");
    assert_string_equal(small.seen, "one ");
    tb_watch_stop(&small.viewer);
}

static void a_slow_viewer_holds_up_nobody_and_gets_the_newest_picture(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = start(rig);
    struct eye slow = {0};
    struct eye fast = {.fast = true};
    look(session, &slow, 400);
    look(session, &fast, 400);
    rig_turn(rig);
    draw(rig, "one");
    draw(rig, "two");
    draw(rig, "three");
    assert_string_equal(fast.seen, "one two three ");
    assert_string_equal(slow.seen, "one ");
    tb_watch_ready(&slow.viewer);
    rig_turn(rig);
    assert_string_equal(slow.seen, "one three ");
    tb_watch_ready(&slow.viewer);
    rig_turn(rig);
    assert_string_equal(slow.seen, "one three ");
    tb_watch_stop(&slow.viewer);
    tb_watch_stop(&fast.viewer);
}

/* The browser is not to work for pictures that nobody has the time to see. */
static void no_picture_is_made_before_one_has_passed_the_last_one_on(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = start(rig);
    struct eye a = {0};
    struct eye b = {0};
    look(session, &a, 400);
    look(session, &b, 400);
    rig_turn(rig);
    draw(rig, "one");
    draw(rig, "two");
    draw(rig, "three");
    assert_string_equal(a.seen, "one ");
    assert_int_equal(rig->fake->counts.frames, 1);
    tb_watch_ready(&a.viewer);
    rig_turn(rig);
    assert_string_equal(a.seen, "one three ");
    draw(rig, "four");
    tb_watch_ready(&b.viewer); /* of the first one: nobody is done with the second */
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.frames, 2);
    tb_watch_stop(&a.viewer); /* with the newest in hand */
    rig_turn(rig);
    assert_string_equal(b.seen, "one three ");
    tb_watch_ready(&b.viewer);
    rig_turn(rig);
    assert_string_equal(b.seen, "one three four ");
    tb_watch_stop(&b.viewer);
}

static void a_viewer_may_stop_others_or_end_the_session_when_it_is_shown_something(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = start(rig);
    struct eye b = {.fast = true};
    struct eye a = {.fast = true, .stops = &b};
    look(session, &a, 400);
    look(session, &b, 400);
    rig_turn(rig);
    draw(rig, "one");
    assert_string_equal(b.seen, "");
    a.stops = &a;
    draw(rig, "two");
    rig_turn(rig);
    assert_string_equal(a.seen, "one two ");
    assert_int_equal(rig->fake->counts.unwatches, 1);
    a = (struct eye){.closes = session};
    b = (struct eye){0};
    look(session, &a, 400);
    look(session, &b, 400);
    rig_turn(rig);
    draw(rig, "three");
    assert_string_equal(a.seen, "three ");
    assert_string_equal(b.seen, "");
    assert_int_equal(a.ends, 1);
    assert_int_equal(b.ends, 1);
    assert_int_equal(b.reason, TB_END_CLOSED);
}

static void looking_neither_wakes_nor_touches_nor_renews_a_session(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = start(rig);
    struct eye eye = {.fast = true};
    rig_advance(rig, 1000);
    int64_t active_ms = session->times.last_active_ms;
    int64_t expires_ms = tb_session_expires_ms(session);
    look(session, &eye, 400);
    rig_turn(rig);
    draw(rig, "one");
    assert_int_equal(session->times.last_active_ms, active_ms);
    assert_int_equal(tb_session_expires_ms(session), expires_ms);
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    tb_watch_stop(&eye.viewer);
    look(session, &eye, 400);
    rig_advance(rig, 1000);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    assert_int_equal(rig->fake->counts.opened, 1);
    assert_int_equal(session->times.last_active_ms, active_ms);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    draw(rig, "awake"); /* whoever looked on is shown what the call woke */
    assert_string_equal(eye.seen, "one awake ");
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
    assert_int_equal(eye.ends, 1);
    tb_watch_stop(&eye.viewer);
}

static void what_cannot_be_watched_is_refused(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = start(rig);
    struct eye eyes[TB_VIEWERS_MAX + 1] = {0};
    struct eye *last = &eyes[TB_VIEWERS_MAX];
    struct tb_driver blind = tb_driver_fake;
    struct tb_err err = {0};
    blind.watch = NULL;
    session->driver = &blind;
    assert_int_equal(tb_watch_start(session, &last->viewer, &err), TB_E_NOT_POSSIBLE);
    session->driver = &tb_driver_fake;
    for (int i = 0; i < TB_VIEWERS_MAX; i++) {
        look(session, &eyes[i], 400);
    }
    assert_int_equal(tb_watch_start(session, &last->viewer, &err), TB_E_LIMIT);
    tb_watch_stop(&eyes[0].viewer);
    look(session, last, 400);
    tb_session_end(session, TB_END_CLOSED);
    assert_int_equal(last->ends, 1);
    assert_int_equal(eyes[0].ends, 0);
    assert_int_equal(tb_watch_start(session, &last->viewer, &err), TB_E_SESSION_ENDED);
}

/* When the daemon stops. */
static void viewers_of_sessions_that_go_without_a_word_look_at_nothing(void **state)
{
    struct rig *rig = *state;
    struct eye eye = {0};
    look(start(rig), &eye, 400);
    rig_turn(rig);
    draw(rig, "one");
    rig_stop(rig);
    assert_null(eye.viewer.watch);
    assert_int_equal(eye.ends, 0);
    tb_watch_ready(&eye.viewer);
    tb_watch_stop(&eye.viewer);
}

static void viewers_see_a_session_that_was_to_sleep_as_soon_as_it_was_open(void **state)
{
    struct rig *rig = *state;
    struct eye eye = {.fast = true};
    rig->fake->open.when = TB_FAKE_HELD;
    struct tb_session *session = start(rig);
    look(session, &eye, 400);
    rig_turn(rig);
    assert_true(tb_fake_release(rig->fake, session->id));
    tb_session_hibernate(session); /* before its job has seen that it is open */
    assert_int_equal(rig_run(rig, &rig_click, "", NULL), 0);
    draw(rig, "one");
    assert_string_equal(eye.seen, "one ");
    tb_watch_stop(&eye.viewer);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(the_driver_is_asked_only_while_somebody_looks),
        RIG_TEST(the_largest_size_that_anybody_wants_is_asked_for),
        RIG_TEST(a_slow_viewer_holds_up_nobody_and_gets_the_newest_picture),
        RIG_TEST(no_picture_is_made_before_one_has_passed_the_last_one_on),
        RIG_TEST(a_viewer_may_stop_others_or_end_the_session_when_it_is_shown_something),
        RIG_TEST(looking_neither_wakes_nor_touches_nor_renews_a_session),
        RIG_TEST(viewers_see_a_session_that_was_to_sleep_as_soon_as_it_was_open),
        RIG_TEST(what_cannot_be_watched_is_refused),
        RIG_TEST(viewers_of_sessions_that_go_without_a_word_look_at_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
