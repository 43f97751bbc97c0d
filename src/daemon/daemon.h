/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon as a whole: makes the core, opens the listeners, runs the loop, and takes it all down
 * again. */
#pragma once

#include "base/err.h"
#include "daemon/config_load.h"

/* Runs until it is told to stop. 0 after an orderly end; a negative code with words when it could
 * not start. */
int tb_daemon_run(const struct tb_config_sources *sources, struct tb_err *err);
