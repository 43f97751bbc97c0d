/* SPDX-License-Identifier: Apache-2.0 */
/* A command that does one of several things, by its first word: "tabard keys list". It says which
 * verbs and options it has; what all have in common is done here: choosing the verb, telling its
 * own options and words from settings, reading the settings, the errors and the exit code.
 *
 * A command's own struct of what was asked for begins with a struct tb_wish. */
#pragma once

#include "base/err.h"
#include "cli/daemon_call.h"
#include "core/config.h"

struct cJSON;

struct tb_wish {
    size_t verb; /* its place among the names */
    struct tb_daemon_way way;
    bool json;
};

struct tb_verbs {
    const char *command;
    const char *const *names; /* of the verbs, NULL-ended; NULL: it has none */
    const char *const *own;   /* options that are no settings, NULL-ended */
    /* Takes an option or a word of the command at argv[*at], which moves on to its last one: 1. 0:
     * it is another argument; failure: it is wrong. */
    int (*take)(struct tb_wish *wish, int argc, char **argv, int *at, struct tb_err *err);
    /* All is read: fails if something is missing, which is wrong usage. May be NULL. */
    int (*check)(struct tb_wish *wish, struct tb_err *err);
    /* The exit code, or a failure, whose words are printed. */
    int (*work)(struct tb_wish *wish, const struct tb_config *config, struct tb_err *err);
    bool local; /* it asks no daemon: its failures are code 1, whatever they are */
    bool named; /* without verbs: argv[1] names what it is about, and the command reads it */
};

/* The exit code. argv[1] is the verb. */
int tb_verbs_run(const struct tb_verbs *verbs, int argc, char **argv, struct tb_wish *wish);

/* For `work`: asks the daemon, and prints a good answer by `print`, which gives the exit code, or
 * as it came if --json is there. */
int tb_verbs_ask(const struct tb_wish *wish, const struct tb_config *config,
                 const struct tb_daemon_call *call,
                 int (*print)(const struct tb_wish *wish, const struct cJSON *answer),
                 struct tb_err *err);
/* Somebody else chose this text, and a terminal shows it. */
void tb_verbs_print(struct tb_str text);
/* The same as a cell of a table, cut after `max` bytes; "-" if it is empty. */
void tb_verbs_print_cell(struct tb_str text, size_t max, int width);
