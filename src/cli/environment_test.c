/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"

enum {
    ROOM = 300,
};

/* In a child, since a process has one title only. */
static bool is_shown(const char *title)
{
    pid_t child = fork();
    if (child == 0) {
        struct tb_buf shown = TB_BUF(65536);
        tb_environment_clean(tb_str_of(title));
        bool good = tb_file_read("/proc/self/cmdline", &shown) == 0 &&
                    tb_buf_append_char(&shown, '\0') == 0 &&
                    strcmp((const char *)shown.data, title) == 0;
        const char *variable = getenv("TABARD_TEST_ROOM");
        good = good && variable && strlen(variable) == ROOM;
        for (size_t i = strlen(title); good && i < shown.len; i++) {
            good = shown.data[i] == '\0';
        }
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status == 0;
}

static void a_short_title_replaces_all_arguments(void **state)
{
    (void)state;
    assert_true(is_shown("x y"));
}

static void a_title_longer_than_the_arguments_is_shown_whole(void **state)
{
    char title[200] = "tabard serve ";
    (void)state;
    memset(title + strlen(title), 'a', sizeof(title) - 1 - strlen(title));
    assert_true(is_shown(title));
}

static void the_secrets_of_the_agent_are_gone_and_what_a_daemon_needs_stays(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct tb_buf shown = TB_BUF(65536);
        tb_environment_clean(TB_STR("x"));
        bool good = tb_file_read("/proc/self/environ", &shown) == 0 &&
                    !memmem(shown.data, shown.len, "hunter2", 7) && !getenv("AGENT_KEY") &&
                    !getenv("PATHS") && getenv("TABARD_TEST_ROOM") && getenv("LC_ALL") &&
                    getenv("PATH") && getenv("BTCP_HOST") && !getenv("BTCP_API_KEY");
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    /* Room enough behind the arguments, whatever the caller's variables are. */
    if (!getenv("TABARD_TEST_ROOM")) {
        char room[ROOM + 1] = "";
        memset(room, 'r', ROOM);
        setenv("TABARD_TEST_ROOM", room, 1);
        setenv("AGENT_KEY", "hunter2", 1);
        setenv("PATHS", "hunter2", 1);
        setenv("BTCP_API_KEY", "hunter2", 1);
        setenv("BTCP_HOST", "127.0.0.1", 1);
        setenv("LC_ALL", "C", 1);
        setenv("PATH", "/bin", 1);
        execl("/proc/self/exe", "t", (char *)NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_title_replaces_all_arguments),
        cmocka_unit_test(a_title_longer_than_the_arguments_is_shown_whole),
        cmocka_unit_test(the_secrets_of_the_agent_are_gone_and_what_a_daemon_needs_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
