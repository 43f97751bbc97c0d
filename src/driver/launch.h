/* SPDX-License-Identifier: Apache-2.0 */
/* Starts browser processes and cleans up after them.
 *
 * A launch is one process (with its group) and one temporary profile. tb_launch_free may be called
 * at any time: the group is killed, and once it is gone the profile is removed, behind the scenes.
 * tb_launcher_free does what is left of that before it returns. The browser never outlives us: end
 * of file on its pipe, and the death signal of io/exec_guard, see to that. As root the browser runs
 * as another user, since its sandbox does not work for root. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/loop.h"
#include "io/stream.h"

struct tb_launcher;
struct tb_launch;

struct tb_launcher_opts {
    const char *runtime_dir; /* for profiles; may be empty */
    const char *user;        /* name or number, used only as root */
    const char *guard;       /* our own program, see io/exec_guard.h; NULL: none */
    bool no_sandbox;         /* then root may be the browser's user, too */
    /* Where profiles are is known, and what dead daemons left there is swept. May be NULL. */
    void (*settled)(const char *root, void *owner);
    void *owner;
};

/* The options' texts must outlive the launcher. Sweeps what dead daemons left behind, a moment
 * later. */
struct tb_launcher *tb_launcher_new(struct tb_loop *loop, const struct tb_launcher_opts *opts);
/* All launches must be freed before. Waits, for two seconds at most, until their processes are
 * gone. */
void tb_launcher_free(struct tb_launcher *launcher);
TB_DEFINE_AUTO(struct tb_launcher *, tb_launcher_free)
/* Where profiles are. */
const char *tb_launcher_root(struct tb_launcher *launcher);

struct tb_launch_spec {
    const char *path;           /* the browser's binary */
    const char *const *args;    /* NULL-ended */
    const char *profile_switch; /* what its profile is told by, up to the path */
    bool windowed;              /* it sees the display */
    bool gains_rights;          /* a program of its own is setuid */
};

/* The process has ended. Once; not after tb_launch_free. */
typedef void tb_launch_exit_fn(struct tb_launch *launch, void *user);

/* NULL with words that say what to change. */
struct tb_launch *tb_launch_new(struct tb_launcher *launcher, const struct tb_launch_spec *spec,
                                tb_launch_exit_fn *fn, void *user, struct tb_err *err);
void tb_launch_free(struct tb_launch *launch);
/* Our ends of the pipe that the process has as descriptors 3 (it reads) and 4; the caller's from
 * now on. */
void tb_launch_pipe_take(struct tb_launch *launch, struct tb_stream **ret_to,
                         struct tb_stream **ret_from);
pid_t tb_launch_pid(const struct tb_launch *launch);
/* Its main thread runs or wants to; one that hangs, waits or was stopped does not. */
bool tb_launch_at_work(const struct tb_launch *launch);
/* Its processes have computed or read from the disk since this was asked last. */
bool tb_launch_has_worked(struct tb_launch *launch);
/* It has ended or is about to, though nobody may have been told yet. */
bool tb_launch_is_ending(const struct tb_launch *launch);
const char *tb_launch_profile(const struct tb_launch *launch);
