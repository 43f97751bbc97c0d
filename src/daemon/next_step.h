/* SPDX-License-Identifier: Apache-2.0 */
/* What a person who has just started a daemon does next. */
#pragma once

#include "daemon/config_load.h"

/* Prints the line that gives the daemon with these settings to an agent. */
void tb_next_step_print(const struct tb_config_sources *sources);
