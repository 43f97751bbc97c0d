/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of core/config.def from their three sources: the YAML file, then TABARD_*
 * variables, then flags; the later one wins. Before all of them come those that have the names of
 * BTCP's own server (daemon/config_btcp.h). Errors name the file, the line and the key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/config.h"

/* Where the settings come from; the strings outlive it. Kept for a reload. */
struct tb_config_sources {
    const char *file; /* --config: a tabard.yaml, or a btcp-server.yaml by its name; NULL, or beside
                         the latter: $XDG_CONFIG_HOME/tabard/tabard.yaml if it is there */
    bool no_file;     /* neither of them is read */
    const char *const *env;   /* NULL-ended NAME=value */
    const char *const *flags; /* pairs of a flag and its value */
    size_t flag_count;        /* pairs */
    const char *dir;          /* what relative paths count from; NULL: where the process is */
};

/* Fills an empty *ret_config; on failure it is left empty. */
int tb_config_load(const struct tb_config_sources *sources, struct tb_config *ret_config,
                   struct tb_err *err);
/* Our file that is read if it exists, the caller's; NULL when there is no place for one. */
char *tb_config_path(const struct tb_config_sources *sources);
/* Tells every TABARD_* variable that is no setting, with the one that is perhaps meant, or ""; and
 * what has a name of BTCP's and no use here. */
typedef void tb_config_unknown_fn(struct tb_str name, const char *meant, void *user);
void tb_config_each_unknown(const struct tb_config_sources *sources, tb_config_unknown_fn *fn,
                            void *user);
/* The YAML part alone, over the values that *config has. `name` is for the errors. */
int tb_config_load_yaml(struct tb_config *config, const char *name, struct tb_str text,
                        struct tb_err *err);
