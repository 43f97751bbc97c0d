/* SPDX-License-Identifier: Apache-2.0 */
#include "io/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/testing.h"

struct child {
    struct tb_loop *loop;
    struct tb_process *process;
    struct test_owner out; /* reads the child's descriptor 1 */
    int exits;
    int64_t status;
    int signum;
    bool free_it;
};

static void note_exit(struct tb_process *process, int64_t status, int signum, void *user)
{
    struct child *child = user;
    assert_ptr_equal(process, child->process);
    child->exits++;
    child->status = status;
    child->signum = signum;
    if (child->free_it) {
        tb_process_free(process);
        child->process = NULL;
    }
}

static int setup(void **state)
{
    struct child *child = TB_NEW(struct child);
    child->loop = tb_loop_new(tb_clock_system());
    *state = child;
    return 0;
}

static int teardown(void **state)
{
    struct child *child = *state;
    tb_process_free(child->process);
    test_owner_fini(&child->out);
    tb_loop_free(child->loop);
    /* Every child was waited for. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    tb_free(child);
    return 0;
}

/* Runs a line of shell with descriptor 1 as a stream. */
static void start_sh(struct child *child, const char *line, struct tb_process_opts opts)
{
    const char *const args[] = {"sh", "-c", line, NULL};
    struct tb_process_fd out = {.child_fd = 1, .inherit = -1};
    opts.file = "/bin/sh";
    opts.args = args;
    if (!opts.fds) {
        opts.fds = &out;
        opts.fd_count = 1;
    }
    struct tb_err err = {0};
    child->process = tb_process_new(child->loop, &opts, note_exit, child, &err);
    assert_string_equal(err.text, "");
    assert_non_null(child->process);
    for (size_t i = 0; i < opts.fd_count; i++) {
        if (opts.fds[i].child_fd == 1) {
            test_owner_start(&child->out, opts.fds[i].stream);
        }
    }
}

static void assert_said(struct child *child, const char *text)
{
    WAIT_UNTIL(child->loop, child->out.ends == 1);
    if (!tb_str_eq_cstr(tb_buf_str(&child->out.got), text)) {
        TB_AUTO(tb_free) char *said = tb_str_dup(tb_buf_str(&child->out.got));
        assert_string_equal(said, text);
    }
}

static void the_exit_status_comes_once_and_the_output_whole(void **state)
{
    struct child *child = *state;
    start_sh(child, "echo out; exit 3", (struct tb_process_opts){0});
    assert_true(tb_process_pid(child->process) > 0);
    WAIT_UNTIL(child->loop, child->exits == 1);
    assert_int_equal(child->status, 3);
    assert_int_equal(child->signum, 0);
    assert_said(child, "out\n");
}

static void the_signal_that_ended_it_is_told(void **state)
{
    struct child *child = *state;
    child->free_it = true;
    start_sh(child, "kill -TERM $$", (struct tb_process_opts){0});
    WAIT_UNTIL(child->loop, child->exits == 1);
    assert_int_equal(child->signum, SIGTERM);
    assert_null(child->process);
}

static void streams_go_both_ways_at_any_descriptor(void **state)
{
    struct child *child = *state;
    struct tb_process_fd fds[] = {
        {.child_fd = 1, .inherit = -1},
        {.child_fd = 3, .inherit = -1},
        {.child_fd = 7, .inherit = -1},
    };
    struct tb_process_opts opts = {.fds = fds, .fd_count = TB_COUNT(fds)};
    start_sh(child, "read line <&3; echo \"got $line\" >&7; echo done", opts);
    struct test_owner three = {0};
    struct test_owner seven = {0};
    test_owner_start(&three, fds[1].stream);
    test_owner_start(&seven, fds[2].stream);
    assert_int_equal(tb_stream_write(three.stream, TB_STR("question\n")), 0);
    WAIT_UNTIL(child->loop, seven.ends == 1 && three.ends == 1);
    assert_true(tb_str_eq_cstr(tb_buf_str(&seven.got), "got question\n"));
    assert_said(child, "done\n");
    WAIT_UNTIL(child->loop, child->exits == 1);
    test_owner_fini(&three);
    test_owner_fini(&seven);
}

static void the_child_has_the_descriptors_named_and_no_others(void **state)
{
    struct child *child = *state;
    /* One that our own parent might have left open: not closed at exec. */
    int leaky = open("/dev/null", O_RDONLY);
    assert_true(leaky >= 3);
    int inherited = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    struct tb_process_fd fds[] = {
        {.child_fd = 1, .inherit = -1},
        {.child_fd = 4, .inherit = inherited},
    };
    struct tb_process_opts opts = {.fds = fds, .fd_count = TB_COUNT(fds)};
    /* The shell lists the folder first, and has closed it again when it looks at each entry. */
    start_sh(child,
             "for fd in 0 2 4; do readlink /proc/self/fd/$fd; done; cd /proc/$$/fd; "
             "for fd in *; do [ ! -L $fd ] || echo $fd; done",
             opts);
    assert_said(child, "/dev/null\n/dev/null\n/dev/zero\n0\n1\n2\n4\n");
    WAIT_UNTIL(child->loop, child->exits == 1);
    close(leaky);
    close(inherited);
}

static void the_environment_and_the_folder_are_those_given(void **state)
{
    struct child *child = *state;
    static const char *const env[] = {"COLOR=blue", NULL};
    setenv("TB_TEST_SECRET", "leak", 1);
    start_sh(child, "echo \"$COLOR,$TB_TEST_SECRET\"; /bin/pwd",
             (struct tb_process_opts){.env = env, .cwd = "/"});
    assert_said(child, "blue,\n/\n");
    unsetenv("TB_TEST_SECRET");
}

static void without_an_environment_there_is_none(void **state)
{
    struct child *child = *state;
    setenv("TB_TEST_SECRET", "leak", 1);
    start_sh(child, "echo \"<$TB_TEST_SECRET$HOME$LANG>\"", (struct tb_process_opts){0});
    assert_said(child, "<>\n");
    unsetenv("TB_TEST_SECRET");
}

static void another_user_has_no_groups_of_ours(void **state)
{
    struct child *child = *state;
    if (getuid() != 0) {
        skip();
    }
    start_sh(child, "/usr/bin/id -u; /usr/bin/id -G",
             (struct tb_process_opts){.set_user = true, .uid = 65534, .gid = 65534, .cwd = "/"});
    assert_said(child, "65534\n65534\n");
}

/* Waits until the line with the pid of a grandchild is there. */
static pid_t grandchild_of(struct child *child)
{
    WAIT_UNTIL(child->loop,
               child->out.got.len && child->out.got.data[child->out.got.len - 1] == '\n');
    uint64_t pid;
    assert_true(
        tb_str_to_u64((struct tb_str){(char *)child->out.got.data, child->out.got.len - 1}, &pid));
    return (pid_t)pid;
}

static void a_signal_reaches_the_children_of_the_child(void **state)
{
    struct child *child = *state;
    start_sh(child, "/bin/sleep 3600 & echo $!; wait", (struct tb_process_opts){0});
    pid_t grandchild = grandchild_of(child);
    assert_int_equal(kill(grandchild, 0), 0);
    assert_int_equal(tb_process_kill(child->process, SIGTERM), 0);
    WAIT_UNTIL(child->loop, child->exits == 1);
    assert_int_equal(child->signum, SIGTERM);
    /* It held the other end of descriptor 1. */
    WAIT_UNTIL(child->loop, child->out.ends == 1);
}

static void a_group_that_is_gone_is_esrch(void **state)
{
    struct child *child = *state;
    start_sh(child, "exit 0", (struct tb_process_opts){0});
    WAIT_UNTIL(child->loop, child->exits == 1);
    assert_int_equal(tb_process_kill(child->process, SIGTERM), -ESRCH);
}

static void a_process_freed_while_it_runs_is_killed_with_its_group_and_reaped(void **state)
{
    struct child *child = *state;
    start_sh(child, "trap '' TERM; /bin/sleep 3600 & echo $!; wait", (struct tb_process_opts){0});
    grandchild_of(child);
    tb_process_free(child->process);
    child->process = NULL;
    WAIT_UNTIL(child->loop, child->out.ends == 1);
    assert_int_equal(child->exits, 0);
    tb_process_free(NULL);
    /* The teardown frees the loop, and then no child may be left. */
}

static void the_child_leads_its_own_group_and_has_default_signals(void **state)
{
    struct child *child = *state;
    /* The loop ignores SIGPIPE; a child must not inherit that. Signals 32 and 33 are the C
     * library's own and pass through everybody's hands, so only the lower ones count. */
    start_sh(
        child,
        "while read -r key value; do case $key in SigIgn:) echo $((0x$value & 0x7fffffff));; esac; "
        "done < /proc/self/status; read -r pid comm st ppid pgrp rest < /proc/$$/stat; "
        "[ $pid = $pgrp ] && echo leader",
        (struct tb_process_opts){0});
    assert_said(child, "0\nleader\n");
}

static void failures_start_nothing_and_leave_no_stream(void **state)
{
    struct child *child = *state;
    static const char *const args[] = {"x", NULL};
    struct tb_process_fd fds[] = {{.child_fd = 1, .inherit = -1}, {.child_fd = 3, .inherit = -1}};
    struct tb_process_opts opts = {
        .file = "/nonexistent/program", .args = args, .fds = fds, .fd_count = TB_COUNT(fds)};
    struct tb_err err = {0};
    assert_null(tb_process_new(child->loop, &opts, note_exit, child, &err));
    assert_int_equal(err.code, -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/program"));
    assert_null(fds[0].stream);
    assert_null(fds[1].stream);

    opts.file = "/bin/true";
    static const int wrong[] = {-1, 1, 16};
    for (size_t i = 0; i < TB_COUNT(wrong); i++) {
        fds[1].child_fd = wrong[i];
        assert_null(tb_process_new(child->loop, &opts, note_exit, child, &err));
        assert_int_equal(err.code, -EINVAL);
    }
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(the_exit_status_comes_once_and_the_output_whole),
        WITH_FIXTURE(the_signal_that_ended_it_is_told),
        WITH_FIXTURE(streams_go_both_ways_at_any_descriptor),
        WITH_FIXTURE(the_child_has_the_descriptors_named_and_no_others),
        WITH_FIXTURE(the_environment_and_the_folder_are_those_given),
        WITH_FIXTURE(without_an_environment_there_is_none),
        WITH_FIXTURE(another_user_has_no_groups_of_ours),
        WITH_FIXTURE(a_signal_reaches_the_children_of_the_child),
        WITH_FIXTURE(a_group_that_is_gone_is_esrch),
        WITH_FIXTURE(a_process_freed_while_it_runs_is_killed_with_its_group_and_reaped),
        WITH_FIXTURE(the_child_leads_its_own_group_and_has_default_signals),
        WITH_FIXTURE(failures_start_nothing_and_leave_no_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
