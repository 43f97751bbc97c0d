/* SPDX-License-Identifier: Apache-2.0 */
/* The way from `tabard mcp` to the daemon: its Unix socket, upgraded to lines of JSON. Starts the
 * daemon when none runs. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"
#include "core/config.h"
#include "daemon/config_load.h"

struct tb_mcp_link {
    const struct tb_config *config;
    const struct tb_config_sources *sources; /* handed on to a daemon that is started */
    const char *toolset;                     /* empty: the default one */
    const char *groups;                      /* empty: none */
    bool may_start;
    char conversation[TB_TOKEN_SIZE]; /* known to this process alone, and to its daemons */
};

/* A connected socket that carries lines, or a negative code with words. Blocks, for at most some
 * seconds when a daemon has to be started. */
int tb_mcp_link_open(const struct tb_mcp_link *link, struct tb_err *err);
