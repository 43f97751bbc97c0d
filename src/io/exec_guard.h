/* SPDX-License-Identifier: Apache-2.0 */
/* The step between fork and a browser. libuv runs nothing of ours in a child, so a child that must
 * not outlive us is first this program itself:
 *   tabard __exec-guard PARENT_PID NO_NEW_PRIVS FILE ARGV0 ARG...
 * It asks the kernel to be killed with its parent, drops what it may not keep, becomes a better
 * victim than us when memory runs out, and then becomes FILE. It runs as the child's user already,
 * because a change of user would undo the request. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    TB_EXEC_GUARD_ARGS = 5, /* what stands before ARGV0 */
    TB_EXEC_GUARD_PID_SIZE = 16,
};

/* True if this process was started as a guard. */
bool tb_exec_guard_wanted(int argc, char *const *argv);
/* Does not return when all goes well; else the exit status. */
int tb_exec_guard_main(int argc, char **argv);
/* The beginning of the argument list for a guarded child of this process; `self` is our own program
 * and `pid_text` must live as long as the list. */
void tb_exec_guard_args(const char *self, const char *file, bool no_new_privs,
                        char pid_text[TB_EXEC_GUARD_PID_SIZE],
                        const char *ret_args[TB_EXEC_GUARD_ARGS]);
