/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sink.h"
#include "cli/command.h"
#include "cli/options.h"
#include "daemon/daemon.h"

static int run(int argc, char **argv)
{
    struct tb_options options;
    struct tb_err err;
    if (tb_options_parse(&options, argc, argv, NULL, &err) < 0) {
        fprintf(stderr, "tabard serve: %s; 'tabard help serve' lists the options\n", err.text);
        return 2;
    }
    if (tb_daemon_run(&options.sources, -1, &err) < 0) {
        tb_sink_tell(STDERR_FILENO, "tabard serve: %s\n", err.text);
        return 1;
    }
    return 0;
}

static void more_help(void)
{
    tb_options_help(NULL);
}

const struct tb_command tb_cmd_serve = {
    .name = "serve",
    .arguments = "[OPTION]...",
    .summary = "Run the daemon in the foreground.",
    .run = run,
    .more_help = more_help,
};
