/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/seccomp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

enum {
    NONSENSE = -1, /* an argument for which the kernel itself would have another error */
    FAR = 600,     /* no system call has that number yet */
};

/* A filter stays, so each test has a process of its own; what `look` gives is its exit status. */
static int in_child(int (*look)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        bool installed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && tb_seccomp_install() == 0;
        _exit(installed ? look() : 100);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool is_refused(long number)
{
    errno = 0;
    return syscall(number, NONSENSE, NONSENSE, NONSENSE, NONSENSE, NONSENSE, NONSENSE) == -1 &&
           errno == EPERM;
}

/* How many of the table are not. */
static int try_the_table(void)
{
    int passed = 0;
    for (long number = 0; number < FAR; number++) {
        passed += tb_seccomp_refuses(number) && !is_refused(number);
    }
    return passed;
}

static void each_call_of_the_table_is_refused(void **state)
{
    (void)state;
    assert_int_equal(in_child(try_the_table), 0);
}

static int do_the_usual(void)
{
    int pair[2];
    int status = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || write(pair[0], "x", 1) != 1) {
        return 1;
    }
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    return waitpid(child, &status, 0) == child ? status : 2;
}

static void the_usual_calls_go_on(void **state)
{
    (void)state;
    assert_int_equal(in_child(do_the_usual), 0);
}

static int try_other_abi(void)
{
    return is_refused(0x40000000L | SYS_getpid) ? 0 : 1;
}

static void the_same_calls_by_the_numbers_of_another_abi_are_refused(void **state)
{
    (void)state;
    assert_int_equal(in_child(try_other_abi), 0);
}

static void what_it_is_for_is_in_the_table_and_what_a_sandbox_needs_is_not(void **state)
{
    static const long out[] = {SYS_mount, SYS_bpf, SYS_keyctl, SYS_io_uring_setup, SYS_kexec_load};
    static const long in[] = {SYS_unshare, SYS_chroot, SYS_clone, SYS_execve, SYS_seccomp};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(out); i++) {
        assert_true(tb_seccomp_refuses(out[i]));
    }
    for (size_t i = 0; i < TB_COUNT(in); i++) {
        assert_false(tb_seccomp_refuses(in[i]));
    }
#ifdef TB_TRACEABLE
    assert_false(tb_seccomp_refuses(SYS_ptrace));
#else
    assert_true(tb_seccomp_refuses(SYS_ptrace));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_of_the_table_is_refused),
        cmocka_unit_test(the_usual_calls_go_on),
        cmocka_unit_test(the_same_calls_by_the_numbers_of_another_abi_are_refused),
        cmocka_unit_test(what_it_is_for_is_in_the_table_and_what_a_sandbox_needs_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
