/* SPDX-License-Identifier: Apache-2.0 */
/* What a person who has just started a daemon does next. */
#pragma once

#include "base/buf.h"
#include "daemon/config_load.h"

/* Appends the line that gives the daemon with these settings to an agent. */
void tb_next_step_put(const struct tb_config_sources *sources, struct tb_buf *out);
