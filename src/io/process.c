/* SPDX-License-Identifier: Apache-2.0 */
#include "io/process.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "io/loop_internal.h"
#include "io/stream_internal.h"

/* A freed process that still runs is killed and waits for its end under `closing`, so that libuv
 * reaps it. */

enum {
    FDS_MAX = 16,
    FDS_STANDARD = 3,
};

struct tb_process {
    uv_process_t uv;
    struct tb_loop *loop;
    tb_process_exit_fn *fn;
    void *user;
    pid_t pid;
    bool exited;
    bool freed;
};

static void on_ended(uv_process_t *uv, int64_t status, int signum)
{
    struct tb_process *process = uv->data;
    process->exited = true;
    if (process->freed) {
        process->loop->closing--;
        tb_handle_close((uv_handle_t *)uv);
    } else {
        process->fn(process, status, signum, process->user);
    }
}

static int check_fds(const struct tb_process_opts *opts)
{
    bool used[FDS_MAX] = {false};
    for (size_t i = 0; i < opts->fd_count; i++) {
        int fd = opts->fds[i].child_fd;
        if (fd < 0 || fd >= FDS_MAX || used[fd]) {
            return -EINVAL;
        }
        used[fd] = true;
    }
    return 0;
}

/* Fills the table of the child's descriptors; returns how long it is. */
static int plan_fds(struct tb_loop *loop, const struct tb_process_opts *opts,
                    uv_stdio_container_t table[FDS_MAX])
{
    int count = FDS_STANDARD;
    for (int fd = 0; fd < FDS_MAX; fd++) {
        table[fd].flags = UV_IGNORE; /* below 3: /dev/null */
    }
    for (size_t i = 0; i < opts->fd_count; i++) {
        struct tb_process_fd *row = &opts->fds[i];
        uv_stdio_container_t *slot = &table[row->child_fd];
        if (row->inherit >= 0) {
            slot->flags = UV_INHERIT_FD;
            slot->data.fd = row->inherit;
        } else {
            row->stream = tb_stream_new_pipe(loop);
            slot->flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE;
            slot->data.stream = &row->stream->uv.stream;
        }
        count = row->child_fd >= count ? row->child_fd + 1 : count;
    }
    return count;
}

static void drop_streams(const struct tb_process_opts *opts)
{
    for (size_t i = 0; i < opts->fd_count; i++) {
        if (opts->fds[i].inherit < 0) {
            tb_stream_free(opts->fds[i].stream);
            opts->fds[i].stream = NULL;
        }
    }
}

static int spawn(struct tb_process *process, const struct tb_process_opts *opts)
{
    static const char *const no_env[] = {NULL};
    uv_stdio_container_t table[FDS_MAX];
    uv_process_options_t uv = {
        .exit_cb = on_ended,
        .file = opts->file,
        .args = (char **)(uintptr_t)opts->args,
        .env = (char **)(uintptr_t)(opts->env ? opts->env : no_env),
        .cwd = opts->cwd,
        .flags = UV_PROCESS_DETACHED, /* a session and a process group of its own */
        .stdio_count = plan_fds(process->loop, opts, table),
        .stdio = table,
    };
    if (opts->set_user) {
        uv.flags |= UV_PROCESS_SETUID | UV_PROCESS_SETGID;
        uv.uid = opts->uid;
        uv.gid = opts->gid;
    }
    /* All of ours are closed at exec anyhow; this catches what our own parent left open. */
    close_range(FDS_STANDARD, ~0U, CLOSE_RANGE_CLOEXEC);
    return uv_spawn(&process->loop->uv, &process->uv, &uv);
}

struct tb_process *tb_process_new(struct tb_loop *loop, const struct tb_process_opts *opts,
                                  tb_process_exit_fn *fn, void *user, struct tb_err *err)
{
    int rc = check_fds(opts);
    if (rc < 0) {
        tb_fail(err, rc, "cannot start %s: the list of descriptors is wrong", opts->file);
        return NULL;
    }
    struct tb_process *process = TB_NEW(struct tb_process);
    process->loop = loop;
    process->fn = fn;
    process->user = user;
    rc = spawn(process, opts);
    process->uv.data = process;
    if (rc < 0) {
        tb_fail(err, rc, "cannot start %s: %s", opts->file, tb_err_name(rc));
        drop_streams(opts);
        tb_handle_close((uv_handle_t *)&process->uv);
        return NULL;
    }
    process->pid = process->uv.pid;
    loop->live++;
    return process;
}

void tb_process_free(struct tb_process *process)
{
    if (!process) {
        return;
    }
    process->freed = true;
    process->loop->live--;
    if (process->exited) {
        tb_handle_close((uv_handle_t *)&process->uv);
    } else {
        process->loop->closing++;
        tb_process_kill(process, SIGKILL);
    }
}

int tb_process_kill(struct tb_process *process, int signum)
{
    return kill(-process->pid, signum) < 0 ? -errno : 0;
}

pid_t tb_process_pid(const struct tb_process *process)
{
    return process->pid;
}
