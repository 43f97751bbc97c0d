/* SPDX-License-Identifier: Apache-2.0 */
/* PROC-2, the parts that a process can say of itself; tests/integration/harden.test.mjs asks a
 * running daemon. */
#include "daemon/harden.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/capability.h>
#include <linux/seccomp.h>

/* None of it can be taken back, so each test has a process of its own. */
static int in_child(int (*look)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        _exit(look());
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool may(unsigned cap)
{
    return prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1;
}

static int look_at_all(void)
{
    struct tb_err err = {0};
    struct rlimit core;
    if (tb_harden(false, &err) < 0 || err.code != 0) {
        return 1;
    }
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
        return 2;
    }
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER) {
        return 3;
    }
    if (umask(0) != (S_IRWXG | S_IRWXO)) {
        return 4;
    }
#ifndef TB_TRACEABLE
    if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0 || getrlimit(RLIMIT_CORE, &core) < 0 ||
        core.rlim_max != 0) {
        return 5;
    }
#else
    (void)core;
#endif
    return 0;
}

static void all_of_it_is_given_up(void **state)
{
    (void)state;
    assert_int_equal(in_child(look_at_all), 0);
}

static int look_at_capabilities(void)
{
    struct tb_err err;
    if (tb_harden(false, &err) < 0) {
        return 1;
    }
    return !may(CAP_SYS_ADMIN) && !may(CAP_SYS_PTRACE) && !may(CAP_NET_ADMIN) && may(CAP_SETUID) &&
                   may(CAP_KILL)
               ? 0
               : 2;
}

static void root_keeps_only_the_capabilities_that_it_uses(void **state)
{
    (void)state;
    if (geteuid() != 0 || !may(CAP_SYS_ADMIN)) {
        skip(); /* there is nothing to lose */
    }
    assert_int_equal(in_child(look_at_capabilities), 0);
}

static int leave_the_way_to_rights(void)
{
    struct tb_err err;
    int rc = tb_harden(true, &err);
    bool open = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
    bool filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
    return open && (filtered ? rc == 0 : rc == -EACCES && strstr(err.text, "setuid")) ? 0 : 1;
}

static void for_a_browser_that_gains_rights_they_can_be_gained(void **state)
{
    (void)state;
    assert_int_equal(in_child(leave_the_way_to_rights), 0);
}

static int leave_the_way_as_nobody(void)
{
    return setuid(65534) < 0 ? 2 : leave_the_way_to_rights();
}

static void without_a_filter_the_rest_is_given_up_and_the_words_say_why(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip(); /* the test before is the same then */
    }
    assert_int_equal(in_child(leave_the_way_as_nobody), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_is_given_up),
        cmocka_unit_test(root_keeps_only_the_capabilities_that_it_uses),
        cmocka_unit_test(for_a_browser_that_gains_rights_they_can_be_gained),
        cmocka_unit_test(without_a_filter_the_rest_is_given_up_and_the_words_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
