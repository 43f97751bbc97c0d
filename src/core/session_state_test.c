/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session_state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/session_internal.h"
#include "core/session_life.h"

#include "support/fake_store.h"

/* A row for the state that is left, a column for the one that follows, in the order of the enum. */
static const char *const allowed[TB_STATE_COUNT] = {
    /*                    O W o H R S C A a E */
    [TB_STATE_OPENING] = "- - x - - - x - - x",  [TB_STATE_WAKING] = "- - x - - - x x x x",
    [TB_STATE_OPEN] = "- - - x x x x - x x",     [TB_STATE_HELD] = "- - x - - x x - x x",
    [TB_STATE_RETIRING] = "- - - - - - - - - x", [TB_STATE_SAVING] = "- - x - - - x - - x",
    [TB_STATE_CLOSING] = "- - - - - - - x - x",  [TB_STATE_ASLEEP] = "- x - - - - - - - x",
    [TB_STATE_AWAY] = "- x x - - - - - - x",     [TB_STATE_ENDED] = "- - - - - - - - - -",
};

/* Whether a process survives that move: a refused one is a bug of ours, so it stops there. */
static bool survives(enum tb_session_state from, enum tb_session_state to)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct tb_session session = {.state = from};
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
        tb_session_move(&session, to);
        _exit(session.state == to ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void every_pair_of_states_is_allowed_or_refused(void **state)
{
    (void)state;
    for (int from = 0; from < TB_STATE_COUNT; from++) {
        assert_int_equal(strlen(allowed[from]), 2 * TB_STATE_COUNT - 1);
        for (int to = 0; to < TB_STATE_COUNT; to++) {
            bool may = allowed[from][(size_t)to * 2] == 'x';
            if (tb_state_allows((enum tb_session_state)from, (enum tb_session_state)to) != may ||
                survives((enum tb_session_state)from, (enum tb_session_state)to) != may) {
                fail_msg("state %d to %d", from, to);
            }
        }
    }
}

static void expect(const struct tb_session *session, enum tb_session_state state,
                   enum tb_shown_state shown)
{
    const struct tb_session_info info = tb_session_info(session);
    assert_int_equal(session->state, state);
    assert_int_equal(info.state, shown);
    assert_int_equal(info.hibernated, state == TB_STATE_ASLEEP);
    assert_int_equal(info.retiring, state == TB_STATE_RETIRING);
    assert_int_equal(info.away, state == TB_STATE_AWAY);
    assert_int_equal(info.held, state == TB_STATE_HELD);
}

static void release(struct rig *rig, const struct tb_session *session)
{
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
}

static void each_state_is_shown_as_one_that_people_know(void **state)
{
    struct rig *rig = *state;
    rig->fake->open.when = TB_FAKE_HELD;
    rig->fake->save.when = TB_FAKE_HELD;
    rig->fake->close.when = TB_FAKE_HELD;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct tb_session *session = rig_create(rig, "a");
    struct rig_call *first = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    expect(session, TB_STATE_OPENING, TB_SHOWN_CREATED);
    release(rig, session);
    expect(session, TB_STATE_OPEN, TB_SHOWN_ACTIVE);
    release(rig, session);
    rig_expect(first, 0);
    expect(session, TB_STATE_OPEN, TB_SHOWN_IDLE);
    rig_advance(rig, rig->config.sessions_named_idle_ms);
    expect(session, TB_STATE_SAVING, TB_SHOWN_IDLE);
    release(rig, session);
    expect(session, TB_STATE_CLOSING, TB_SHOWN_IDLE);
    release(rig, session);
    expect(session, TB_STATE_ASLEEP, TB_SHOWN_IDLE);
    struct rig_call *second = rig_start(rig, &rig_click, "", NULL);
    expect(session, TB_STATE_ASLEEP, TB_SHOWN_ACTIVE);
    rig_turn(rig);
    expect(session, TB_STATE_WAKING, TB_SHOWN_ACTIVE);
    release(rig, session);
    expect(session, TB_STATE_OPEN, TB_SHOWN_ACTIVE);
    tb_session_retire(session);
    expect(session, TB_STATE_RETIRING, TB_SHOWN_ACTIVE);
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    rig_expect(second, 0);
    expect(session, TB_STATE_ENDED, TB_SHOWN_EXPIRED);
    release(rig, session);
    session = rig_create(rig, "b");
    tb_session_end(session, TB_END_CLOSED);
    expect(session, TB_STATE_ENDED, TB_SHOWN_TERMINATED);
}

static void a_call_keeps_a_session_that_is_being_saved(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig->fake->save.when = TB_FAKE_HELD;
    rig_advance(rig, rig->config.sessions_named_idle_ms);
    expect(session, TB_STATE_SAVING, TB_SHOWN_IDLE);
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    expect(session, TB_STATE_OPEN, TB_SHOWN_ACTIVE);
    release(rig, session);
    rig_expect(call, 0);
    expect(session, TB_STATE_OPEN, TB_SHOWN_IDLE);
    assert_int_equal(rig->fake->counts.closed, 0);
}

/* What a build without asserts does with a move that the table forbids. */
static void a_session_that_goes_astray_ends_with_its_calls(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    int ends[2];
    struct tb_log log;
    char line[256] = "";
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    tb_log_init(&log, TB_LOG_ERROR, ends[1], rig->core.clock);
    rig->core.log = &log;
    tb_session_stray(session, TB_STATE_ASLEEP);
    tb_session_stray(session, TB_STATE_WAKING);
    assert_int_equal(session->state, TB_STATE_OPEN);
    assert_int_equal(call->dones, 0);
    rig_turn(rig);
    rig_expect(call, TB_E_SESSION_ENDED);
    assert_null(rig_find(rig, "a"));
    assert_true(read(ends[0], line, sizeof(line) - 1) > 0);
    assert_non_null(strstr(line, "forbidden move; the session ends name=a from=2 to=7\n"));
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1); /* once */
    rig->core.log = &rig->log;
    tb_log_fini(&log);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(rig_events(rig, "\"reason\":\"internal_error\""), 1);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_states_is_allowed_or_refused),
        STORED(each_state_is_shown_as_one_that_people_know),
        STORED(a_call_keeps_a_session_that_is_being_saved),
        STORED(a_session_that_goes_astray_ends_with_its_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
