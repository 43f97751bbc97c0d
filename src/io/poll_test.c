/* SPDX-License-Identifier: Apache-2.0 */
#include "io/poll.h"

#include <fcntl.h>
#include <unistd.h>

#include "io/testing.h"

struct watch {
    struct tb_poll *poll;
    int events;
    int calls;
    bool free_it;
};

static void note(struct tb_poll *poll, int events, void *user)
{
    struct watch *watch = user;
    assert_ptr_equal(poll, watch->poll);
    watch->events = events;
    watch->calls++;
    if (watch->free_it) {
        tb_poll_free(poll);
        watch->poll = NULL;
    } else {
        tb_poll_watch(poll, 0);
    }
}

static void only_wanted_events_of_a_pipe_are_reported(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    struct watch in = {0};
    struct watch out = {0};
    in.poll = tb_poll_new(loop, fds[0], note, &in);
    out.poll = tb_poll_new(loop, fds[1], note, &out);
    tb_poll_watch(in.poll, TB_POLL_READ);
    tb_loop_turn(loop, false);
    assert_int_equal(in.calls + out.calls, 0);

    tb_poll_watch(out.poll, TB_POLL_WRITE);
    WAIT_UNTIL(loop, out.calls == 1);
    assert_int_equal(out.events, TB_POLL_WRITE);
    assert_int_equal(write(fds[1], "x", 1), 1);
    WAIT_UNTIL(loop, in.calls == 1);
    assert_int_equal(in.events, TB_POLL_READ);

    /* Both were told to stop; the byte still waits. */
    tb_loop_turn(loop, false);
    assert_int_equal(in.calls, 1);
    assert_int_equal(out.calls, 1);
    in.free_it = true;
    tb_poll_watch(in.poll, TB_POLL_READ);
    WAIT_UNTIL(loop, in.calls == 2);
    tb_poll_free(out.poll);
    tb_poll_free(NULL);
    /* They stay the caller's. */
    assert_int_equal(close(fds[0]), 0);
    assert_int_equal(close(fds[1]), 0);
}

static void a_broken_pipe_is_reported_as_an_error(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    struct watch out = {.free_it = true};
    out.poll = tb_poll_new(loop, fds[1], note, &out);
    close(fds[0]);
    tb_poll_watch(out.poll, TB_POLL_WRITE);
    WAIT_UNTIL(loop, out.calls == 1);
    assert_true(out.events & TB_POLL_ERROR);
    close(fds[1]);
}

static void a_plain_file_cannot_be_watched(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct watch watch = {0};
    assert_null(tb_poll_new(loop, fd, note, &watch));
    assert_null(tb_poll_new(loop, -1, note, &watch));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_wanted_events_of_a_pipe_are_reported),
        cmocka_unit_test(a_broken_pipe_is_reported_as_an_error),
        cmocka_unit_test(a_plain_file_cannot_be_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
