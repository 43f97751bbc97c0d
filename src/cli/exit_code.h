/* SPDX-License-Identifier: Apache-2.0 */
/* What a script can tell from the exit code of a command that asks the daemon. */
#pragma once

enum tb_exit {
    TB_EXIT_DONE = 0,
    TB_EXIT_FAILED = 1,      /* and none of those below */
    TB_EXIT_USAGE = 2,       /* the command line is wrong */
    TB_EXIT_NO_DAEMON = 3,   /* none is running, or none can be reached */
    TB_EXIT_NOT_FOUND = 4,   /* there is no such session, tool, element ..., or no more */
    TB_EXIT_NOT_ALLOWED = 5, /* by the key, its scopes or a policy */
    TB_EXIT_TIMEOUT = 6,
    TB_EXIT_LATER = 7, /* too much at once, a limit, or it is away: the same may go well later */
};

/* For a negative code. */
enum tb_exit tb_exit_code(int code);
/* Their list, for help and manual. */
void tb_exit_help(void);
