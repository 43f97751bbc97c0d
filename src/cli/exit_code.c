/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/exit_code.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"

static enum tb_exit of_status(int status)
{
    switch (status) {
    case 401:
    case 403:
    case 421:
        return TB_EXIT_NOT_ALLOWED;
    case 404:
    case 410:
        return TB_EXIT_NOT_FOUND;
    case 408:
        return TB_EXIT_TIMEOUT;
    default:
        return TB_EXIT_FAILED;
    }
}

enum tb_exit tb_exit_code(int code)
{
    if (code == TB_E_CLOSED || code == -ECONNREFUSED) {
        return TB_EXIT_NO_DAEMON;
    }
    if (!tb_err_is_ours(code)) {
        return TB_EXIT_FAILED;
    }
    const struct tb_err_info *info = tb_err_info(code);
    return info->retry == TB_RETRY_LATER ? TB_EXIT_LATER : of_status(info->http_status);
}

void tb_exit_help(void)
{
    puts("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no daemon, 4 not found or ended, 5 not\n"
         "allowed, 6 not in time, 7 try again later.");
}
