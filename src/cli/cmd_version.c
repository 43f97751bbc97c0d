/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cli/command.h"

static int run(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr, "tabard version: unexpected argument '%s'\n", argv[1]);
        return 2;
    }
    puts("tabard " TABARD_VERSION);
    return 0;
}

const struct tb_command tb_cmd_version = {
    .name = "version",
    .arguments = "",
    .summary = "Print the version.",
    .run = run,
};
