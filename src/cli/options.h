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
 * false needs no value. `own` are the further options of the command, NULL-ended or NULL: "--json"
 * is read if it is among them, the others are known by now and only lack a value, or are what was
 * meant. */
int tb_options_parse(struct tb_options *options, int argc, char **argv, const char *const *own,
                     struct tb_err *err);
/* The value of the command's own option `name` at argv[*at], behind "=" or as the next argument
 * (then *at moves on). NULL when it is another argument or has no value. */
const char *tb_options_own(int argc, char **argv, int *at, const char *name);
/* Lists the settings for the help: those in `only`, NULL-ended, or all when it is NULL. */
void tb_options_help(const char *const *only);
