/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"
#include "driver/profile.h"

enum {
    TEXT_MAX = 4096,
};

struct scene {
    struct tb_loop *loop;
    struct tb_launcher *launcher;
    char root[32];
};

static int setup(void **state)
{
    struct scene *scene = TB_NEW(struct scene);
    snprintf(scene->root, sizeof(scene->root), "/tmp/launch-test-XXXXXX");
    assert_non_null(mkdtemp(scene->root));
    struct tb_launcher_opts opts = {.runtime_dir = scene->root, .user = "nobody"};
    scene->loop = tb_loop_new(tb_clock_system());
    scene->launcher = tb_launcher_new(scene->loop, &opts);
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    tb_launcher_free(scene->launcher);
    tb_loop_free(scene->loop);
    rmdir(scene->root);
    tb_free(scene);
    return 0;
}

static void on_exit_of_program(struct tb_launch *launch, void *user)
{
    (void)launch;
    *(bool *)user = true;
}

static void expect_line(struct tb_str text, const char *name, const char *value)
{
    char line[TB_PROFILE_PATH_SIZE + 32];
    snprintf(line, sizeof(line), "%s%s\n", name, value);
    if (!memmem(text.ptr, text.len, line, strlen(line))) {
        fail_msg("'%s' is not in '%.*s'", line, TB_STR_ARG(text));
    }
}

/* Any program will do: this one is told its profile as a variable, and writes down what it has. */
static void a_program_has_its_profile_and_nothing_of_our_environment(void **state)
{
    static const char *const args[] = {"sh", "-c", "env > env.txt", NULL};
    struct scene *scene = *state;
    struct tb_launch_spec spec = {
        .path = "/usr/bin/env", .args = args, .profile_switch = "PROFILE="};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TEXT_MAX);
    char path[TB_PROFILE_PATH_SIZE + 32];
    bool ended = false;
    struct tb_err err = {0};
    setenv("OUR_SECRET", "x", 1);
    struct tb_launch *launch =
        tb_launch_new(scene->launcher, &spec, on_exit_of_program, &ended, &err);
    assert_non_null(launch);
    while (!ended) {
        tb_loop_turn(scene->loop, true);
    }
    const char *profile = tb_launch_profile(launch);
    snprintf(path, sizeof(path), "%s/env.txt", profile);
    assert_int_equal(tb_file_read(path, &text), 0);
    expect_line(tb_buf_str(&text), "PROFILE=", profile);
    expect_line(tb_buf_str(&text), "HOME=", profile);
    expect_line(tb_buf_str(&text), "TMPDIR=", profile);
    assert_null(memmem(text.data, text.len, "OUR_SECRET", strlen("OUR_SECRET")));
    assert_true(tb_launch_is_ending(launch));
    snprintf(path, sizeof(path), "%s", profile);
    tb_launch_free(launch);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_program_that_is_not_there_leaves_nothing_behind(void **state)
{
    static const char *const args[] = {NULL};
    struct scene *scene = *state;
    struct tb_launch_spec spec = {.path = "/no/such/program", .args = args, .profile_switch = ""};
    struct tb_err err = {0};
    bool ended = false;
    assert_null(tb_launch_new(scene->launcher, &spec, on_exit_of_program, &ended, &err));
    assert_int_equal(err.code, TB_E_BROWSER_START);
    assert_false(ended);
    if (geteuid() != 0) { /* else profiles are elsewhere */
        assert_int_equal(rmdir(scene->root), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_program_has_its_profile_and_nothing_of_our_environment,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_program_that_is_not_there_leaves_nothing_behind, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
