/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon as a whole: makes the core, opens the listeners, runs the loop, and takes it all down
 * again. */
#pragma once

#include "base/err.h"
#include "daemon/config_load.h"

/* Runs until it is told to stop. 0 after an orderly end; a negative code with words when it could
 * not start. `open_fd` gets a byte as soon as the Unix socket is open, before the ready line on
 * stdout; -1: none. */
int tb_daemon_run(const struct tb_config_sources *sources, int open_fd, struct tb_err *err);
