/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a daemon from `tabard mcp`: in the background, with a clean environment, nobody's child.
 * It goes on when the bridge ends. */
#pragma once

#include "base/err.h"
#include "core/config.h"
#include "daemon/config_load.h"

/* Returns a pipe on which tb_mcp_start_result waits for its word; the caller closes it. `sources`
 * are handed on to the daemon. */
int tb_mcp_start(const struct tb_config *config, const struct tb_config_sources *sources,
                 struct tb_err *err);
/* Once the pipe is readable: 0 when the daemon is open, or what kept it from starting. */
int tb_mcp_start_result(const struct tb_config *config, int fd, struct tb_err *err);
