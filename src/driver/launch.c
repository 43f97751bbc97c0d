/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/launch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/list.h"
#include "base/str.h"
#include "driver/launch_command.h"
#include "driver/launch_user.h"
#include "driver/proc.h"
#include "driver/profile.h"
#include "io/process.h"
#include "io/timer.h"

/*   running --free--> dying --exit--> removing --> gone
 *      |                                 ^
 *      +--exit (told)--> ended --free----+          */

enum {
    PIPE_TO = 3,
    PIPE_FROM = 4,
    ROOT_LENGTH_MAX = 50, /* the browser puts a socket below, whose path may have 107 characters */
    REMOVE_AGAIN_MS = 50,
    REMOVE_TRIES = 40,
    PAUSE_NS = 10000000, /* while there is no loop any more that could wait */
    PAUSES = 200,
    SETTLE_MS = 1000,
    FLAG_EXITING = 4, /* of tb_proc */
    PENDING_KILL = 1 << (SIGKILL - 1),
};

struct tb_launcher {
    struct tb_loop *loop;
    struct tb_launcher_opts opts;
    struct tb_timer settle_timer;
    const char *root; /* NULL: not settled yet */
    bool set_user;
    uid_t uid;
    gid_t gid;
    struct tb_list launches;
};

struct tb_launch {
    struct tb_list link;
    struct tb_launcher *launcher;
    struct tb_process *process;
    struct tb_stream *to;
    struct tb_stream *from;
    tb_launch_exit_fn *fn;
    void *user;
    struct tb_timer remove_timer;
    int remove_tries;
    uint64_t work; /* of its processes, at the last look */
    bool ended;
    bool freed;
    char profile[TB_PROFILE_PATH_SIZE];
};

/* Another user cannot enter our own runtime directory, so its profiles are below /tmp. */
static const char *choose_root(const struct tb_launcher *launcher)
{
    const char *dir = launcher->opts.runtime_dir;
    bool fits = dir && dir[0] && strlen(dir) <= ROOT_LENGTH_MAX && access(dir, W_OK) == 0;
    return launcher->set_user || !fits ? "/tmp" : dir;
}

/* Not at once, since an agent waits for the daemon: with the first browser, or a moment later. */
static void settle(struct tb_launcher *launcher)
{
    if (launcher->root) {
        return;
    }
    launcher->set_user = geteuid() == 0 && tb_launch_user_find(launcher->opts.user, &launcher->uid,
                                                               &launcher->gid) == 0;
    launcher->root = choose_root(launcher);
    tb_profile_sweep(launcher->root, launcher->uid);
    if (launcher->opts.settled) {
        launcher->opts.settled(launcher->root, launcher->opts.owner);
    }
}

const char *tb_launcher_root(struct tb_launcher *launcher)
{
    settle(launcher);
    return launcher->root;
}

static void on_settle_timer(struct tb_timer *timer, void *user)
{
    (void)timer;
    settle(user);
}

struct tb_launcher *tb_launcher_new(struct tb_loop *loop, const struct tb_launcher_opts *opts)
{
    struct tb_launcher *launcher = TB_NEW(struct tb_launcher);
    launcher->loop = loop;
    launcher->opts = *opts;
    launcher->uid = geteuid();
    launcher->gid = getegid();
    tb_list_init(&launcher->launches);
    tb_timer_init(&launcher->settle_timer, loop, on_settle_timer, launcher);
    tb_timer_start(&launcher->settle_timer, SETTLE_MS);
    return launcher;
}

/* The group may go on for a moment after its leader; what it still writes would stay behind. */
static void wait_for_end(struct tb_launch *launch)
{
    siginfo_t info;
    for (int i = 0; i < PAUSES && !launch->ended; i++) {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)tb_process_pid(launch->process), &info,
                   WEXITED | WNOHANG | WNOWAIT) < 0 ||
            info.si_pid) {
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
}

static void launch_gone(struct tb_launch *launch)
{
    tb_timer_fini(&launch->remove_timer);
    tb_list_remove(&launch->link);
    tb_process_free(launch->process);
    tb_free(launch);
}

void tb_launcher_free(struct tb_launcher *launcher)
{
    if (!launcher) {
        return;
    }
    tb_timer_fini(&launcher->settle_timer);
    LIST_FOREACH_SAFE(link, &launcher->launches) {
        struct tb_launch *launch = TB_CONTAINER(link, struct tb_launch, link);
        wait_for_end(launch);
        for (int i = 0; i < REMOVE_TRIES && tb_profile_remove(launch->profile) < 0; i++) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        }
        launch_gone(launch);
    }
    tb_free(launcher);
}

static void remove_profile(struct tb_launch *launch)
{
    if (tb_profile_remove(launch->profile) < 0 && launch->remove_tries++ < REMOVE_TRIES) {
        tb_timer_start(&launch->remove_timer, REMOVE_AGAIN_MS);
    } else {
        launch_gone(launch);
    }
}

static void on_remove_timer(struct tb_timer *timer, void *user)
{
    (void)timer;
    remove_profile(user);
}

static void on_ended(struct tb_process *process, int64_t status, int signum, void *user)
{
    struct tb_launch *launch = user;
    (void)status;
    (void)signum;
    launch->ended = true;
    tb_process_kill(process, SIGKILL); /* whoever is left of the group */
    if (launch->freed) {
        remove_profile(launch);
    } else {
        launch->fn(launch, launch->user);
    }
}

static int spawn(struct tb_launch *launch, const struct tb_launch_spec *spec, struct tb_err *err)
{
    const struct tb_launcher *launcher = launch->launcher;
    struct tb_launch_command command;
    tb_launch_command_build(&command, launcher->opts.guard, spec, launch->profile);
    /* Not its stderr: what pages say on the console goes there, and that is not for our log. */
    struct tb_process_fd fds[] = {
        {.child_fd = PIPE_TO, .inherit = -1},
        {.child_fd = PIPE_FROM, .inherit = -1},
    };
    struct tb_process_opts opts = {
        .file = launcher->opts.guard ? launcher->opts.guard : spec->path,
        .args = command.args,
        .env = command.env,
        .cwd = launch->profile,
        .set_user = launcher->set_user,
        .uid = launcher->uid,
        .gid = launcher->gid,
        .fds = fds,
        .fd_count = TB_COUNT(fds),
    };
    launch->process = tb_process_new(launcher->loop, &opts, on_ended, launch, err);
    if (!launch->process) {
        return err ? err->code : TB_E_BROWSER_START;
    }
    launch->to = fds[0].stream;
    launch->from = fds[1].stream;
    return 0;
}

struct tb_launch *tb_launch_new(struct tb_launcher *launcher, const struct tb_launch_spec *spec,
                                tb_launch_exit_fn *fn, void *user, struct tb_err *err)
{
    settle(launcher);
    if (geteuid() == 0 && !launcher->set_user && !launcher->opts.no_sandbox) {
        tb_fail(err, TB_E_BROWSER_START,
                "there is no user '%s' to run browsers as: set browser.user to one that exists",
                launcher->opts.user);
        return NULL;
    }
    struct tb_launch *launch = TB_NEW(struct tb_launch);
    launch->launcher = launcher;
    launch->fn = fn;
    launch->user = user;
    tb_timer_init(&launch->remove_timer, launcher->loop, on_remove_timer, launch);
    tb_list_init(&launch->link);
    int rc = tb_profile_make(launcher->root, launcher->uid, launcher->gid, launch->profile, err);
    if (rc == 0) {
        rc = spawn(launch, spec, err);
        if (rc < 0) {
            tb_profile_remove(launch->profile);
        }
    }
    if (rc < 0) {
        if (err) {
            err->code = TB_E_BROWSER_START;
        }
        tb_free(launch);
        return NULL;
    }
    tb_list_append(&launcher->launches, &launch->link);
    return launch;
}

void tb_launch_free(struct tb_launch *launch)
{
    if (!launch || launch->freed) {
        return;
    }
    launch->freed = true;
    tb_stream_free(launch->to);
    tb_stream_free(launch->from);
    if (launch->ended) {
        remove_profile(launch);
    } else {
        tb_process_kill(launch->process, SIGKILL);
    }
}

void tb_launch_pipe_take(struct tb_launch *launch, struct tb_stream **ret_to,
                         struct tb_stream **ret_from)
{
    *ret_to = launch->to;
    *ret_from = launch->from;
    launch->to = NULL;
    launch->from = NULL;
}

pid_t tb_launch_pid(const struct tb_launch *launch)
{
    return tb_process_pid(launch->process);
}

bool tb_launch_at_work(const struct tb_launch *launch)
{
    struct tb_proc proc;
    return tb_proc_read(tb_launch_pid(launch), &proc) && (proc.state == 'R' || proc.state == 'D');
}

/* Its helpers count, too: while one of them is loaded, the browser itself does nothing. */
bool tb_launch_has_worked(struct tb_launch *launch)
{
    uint64_t before = launch->work;
    launch->work = tb_proc_group_work(tb_launch_pid(launch));
    return launch->work != before; /* less of it: a helper has ended */
}

bool tb_launch_is_ending(const struct tb_launch *launch)
{
    struct tb_proc proc;
    return launch->ended || !tb_proc_read(tb_launch_pid(launch), &proc) || proc.state == 'Z' ||
           proc.state == 'X' || (proc.flags & FLAG_EXITING) || (proc.pending & PENDING_KILL);
}

const char *tb_launch_profile(const struct tb_launch *launch)
{
    return launch->profile;
}
