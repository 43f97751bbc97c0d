/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are started as browsers and do not answer. Their processor time is real, the time
 * of the loop is moved by hand. */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/id.h"
#include "driver/proc.h"

#include "support/cdp_lab.h"
#include "support/deaf.h"

enum {
    LOOKS_MAX = 6000, /* a minute, for a process to get a tick on a loaded machine */
    LOOK_NS = 10000000,
};

struct scene {
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    struct tb_config config;
    struct tb_core core;
    struct tb_cdp_fleet *fleet;
    bool answered;
    char path[32];
};

static void on_opened(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    assert_null(session);
    assert_non_null(strstr(err->text, "does not answer"));
    ((struct scene *)owner)->answered = true;
}

static void write_program(struct scene *scene, const char *script)
{
    snprintf(scene->path, sizeof(scene->path), "/tmp/tabard-program-XXXXXX");
    int fd = mkstemp(scene->path);
    assert_true(fd >= 0);
    assert_true(dprintf(fd, "#!/bin/sh\n%s\n", script) > 0);
    assert_int_equal(fchmod(fd, 0755), 0);
    close(fd);
}

static void turn(struct scene *scene)
{
    for (int i = 0; i < 10; i++) {
        tb_loop_turn(scene->loop, false);
    }
}

static void set_up(struct scene *scene, const char *script)
{
    memset(scene, 0, sizeof(*scene));
    assert_int_equal(tb_id_init(), 0);
    write_program(scene, script);
    tb_clock_manual_init(&scene->clock);
    scene->loop = tb_loop_new(&scene->clock.clock);
    tb_config_init(&scene->config);
    tb_free(scene->config.browser_path);
    scene->config.browser_path = tb_strdup(scene->path);
    scene->config.browser_prestart = false;
    scene->core = (struct tb_core){
        .loop = scene->loop, .clock = &scene->clock.clock, .config = &scene->config};
    scene->fleet = tb_cdp_fleet_new(&scene->core, "/proc/self/exe");
    const struct tb_open_opts opts = {.tenant = "default",
                                      .session_id = "s",
                                      .deadline_ms = 60000,
                                      .events = &deaf_events,
                                      .owner = scene};
    tb_driver_cdp.open(scene->fleet, &opts, on_opened);
    turn(scene);
}

static void tear_down(struct scene *scene)
{
    tb_cdp_fleet_free(scene->fleet);
    tb_loop_free(scene->loop);
    tb_config_fini(&scene->config);
    unlink(scene->path);
}

static struct tb_launch *launch_of(struct scene *scene)
{
    struct tb_cdp_browser *browser =
        TB_CONTAINER(scene->fleet->browsers.next, struct tb_cdp_browser, link);
    assert_non_null(browser->launch);
    return browser->launch;
}

static void wait_for_work(pid_t group)
{
    uint64_t before = tb_proc_group_work(group);
    for (int i = 0; i < LOOKS_MAX && tb_proc_group_work(group) == before; i++) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    assert_true(tb_proc_group_work(group) > before);
}

static void pass(struct scene *scene, int64_t ms)
{
    tb_clock_manual_advance(&scene->clock, ms);
    turn(scene);
}

static void has_all_the_time_of_a_start(const char *script)
{
    struct scene scene;
    set_up(&scene, script);
    for (int64_t passed_ms = TB_BROWSER_SILENCE_MS; passed_ms < TB_BROWSER_START_MS;
         passed_ms += TB_BROWSER_SILENCE_MS) {
        wait_for_work(tb_launch_pid(launch_of(&scene)));
        pass(&scene, TB_BROWSER_SILENCE_MS);
        assert_false(scene.answered);
    }
    pass(&scene, TB_BROWSER_SILENCE_MS);
    assert_true(scene.answered);
    tear_down(&scene);
}

static void a_browser_that_computes_has_all_the_time_of_a_start(void **state)
{
    (void)state;
    has_all_the_time_of_a_start("while :; do :; done");
}

static void one_that_waits_for_a_helper_at_work_has_it_too(void **state)
{
    (void)state;
    has_all_the_time_of_a_start("(while :; do :; done) & wait");
}

static void one_that_sleeps_is_given_up_for_its_silence(void **state)
{
    struct scene scene;
    (void)state;
    set_up(&scene, "exec sleep 600");
    kill(tb_launch_pid(launch_of(&scene)), SIGSTOP);
    pass(&scene, TB_BROWSER_SILENCE_MS); /* it may have computed before it slept */
    pass(&scene, TB_BROWSER_SILENCE_MS);
    assert_true(scene.answered);
    tear_down(&scene);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_browser_that_computes_has_all_the_time_of_a_start),
        cmocka_unit_test(one_that_waits_for_a_helper_at_work_has_it_too),
        cmocka_unit_test(one_that_sleeps_is_given_up_for_its_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
