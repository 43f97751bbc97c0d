/* SPDX-License-Identifier: Apache-2.0 */
/* A child process with extra descriptors and a chosen user. Each entry of `fds` becomes a stream at
 * the child's descriptor of that number (a socket pair, both ways). The child leads its own process
 * group, so that tb_process_kill reaches its children too. The environment is exactly what is
 * given. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/loop.h"
#include "io/stream.h"

struct tb_process;
/* The child has ended: exit status, or the signal that ended it (else 0). Once, from the loop. */
typedef void tb_process_exit_fn(struct tb_process *process, int64_t status, int signum, void *user);

struct tb_process_fd {
    int child_fd;             /* 0 .. 15 */
    int inherit;              /* one of ours to hand over, or -1 */
    struct tb_stream *stream; /* out: our end, the caller's, when inherit is -1 */
};

struct tb_process_opts {
    const char *file;
    const char *const *args; /* NULL-ended, args[0] included */
    const char *const *env;  /* NULL-ended; NULL means an empty one */
    const char *cwd;         /* NULL: ours */
    bool set_user;
    uid_t uid;
    gid_t gid;
    struct tb_process_fd *fds; /* those of 0, 1, 2 that are not named are /dev/null */
    size_t fd_count;
};

/* On failure nothing was started and no stream was made. */
struct tb_process *tb_process_new(struct tb_loop *loop, const struct tb_process_opts *opts,
                                  tb_process_exit_fn *fn, void *user, struct tb_err *err);
/* Forgets the process. One that runs is killed with its group and reaped without a callback. */
void tb_process_free(struct tb_process *process);
TB_DEFINE_AUTO(struct tb_process *, tb_process_free)
/* To the whole group. -ESRCH when it is gone. */
int tb_process_kill(struct tb_process *process, int signum);
pid_t tb_process_pid(const struct tb_process *process);
