/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files in YAML, whatever names they have for the settings. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/config.h"

/* What such a file may have: keys of the types TEXT and LIST, or any that are our own. */
struct tb_config_file {
    const struct tb_config_key *keys; /* path and type are read */
    size_t count;
    /* As tb_config_set and tb_config_list_add. */
    int (*set)(struct tb_config *config, const struct tb_config_key *key, struct tb_str text,
               struct tb_err *err);
    int (*add)(struct tb_config *config, const struct tb_config_key *key, struct tb_str item,
               struct tb_err *err);
};

/* Over the values that *config has. `name` is for the errors. */
int tb_config_file_load(const struct tb_config_file *file, struct tb_config *config,
                        const char *name, struct tb_str text, struct tb_err *err);
