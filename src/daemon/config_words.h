/* SPDX-License-Identifier: Apache-2.0 */
/* What libcyaml says about a file, in words for the person who wrote it. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "daemon/config_yaml.h"

/* What libcyaml says of a failure: first the matter, then where, from the inside to the outside. */
struct tb_config_complaint {
    char matter[256];
    char key[64];     /* the innermost name */
    char section[64]; /* the one around it */
    int line;
};

/* Fills *err with "<name>:<line>: <what is wrong>" and returns TB_E_CONFIG. */
int tb_config_explain(const struct tb_config_complaint *complaint,
                      const struct tb_config_file *file, const char *name, struct tb_str text,
                      struct tb_err *err);
