/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/proc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    MIB = 1024 * 1024,
    CHILD_BYTES = 64 * MIB,
};

/* In a group of its own, with so much memory. Tells by the pipe when it has that. */
static pid_t start_child(void)
{
    int ends[2];
    char byte = 'x';
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setpgid(0, 0);
        char *memory = malloc(CHILD_BYTES);
        memset(memory, 1, CHILD_BYTES);
        _exit(write(ends[1], memory, 1) == 1 && pause() == 0);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

static void the_use_of_groups_is_that_of_their_processes(void **state)
{
    pid_t child = start_child();
    const pid_t groups[] = {child, 1 << 30};
    (void)state;
    struct tb_proc_usage usage = tb_proc_groups_usage(groups, 2);
    assert_int_equal(usage.processes, 1);
    assert_true(usage.bytes >= CHILD_BYTES);
    assert_int_equal(tb_proc_groups_usage(groups + 1, 1).processes, 0);
    assert_int_equal(tb_proc_groups_usage(NULL, 0).processes, 0);
    assert_true(tb_proc_group_work(child) > 0);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(tb_proc_groups_usage(groups, 2).processes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_use_of_groups_is_that_of_their_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
