/* SPDX-License-Identifier: Apache-2.0 */
/* The options that name settings (--listen, --state-dir ...), shared by all commands that read the
 * configuration. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "daemon/config_load.h"

struct tb_options {
    struct tb_config_sources sources;
    bool json; /* --json, where a command allows it */
    const char *flags[64];
    char dir[PATH_MAX]; /* where the program was started */
};

/* Reads argv[1] and on. "--flag value" and "--flag=value" are the same; a setting that is true or
 * false needs no value. */
int tb_options_parse(struct tb_options *options, int argc, char **argv, bool allow_json,
                     struct tb_err *err);
/* Lists the options for the help. */
void tb_options_help(void);
