/* SPDX-License-Identifier: Apache-2.0 */
/* A time as people write it: 2026-01-31, 2026-01-31T12:00:00Z (UTC), or how long ago: 90m, 24h,
 * 7d. */
#pragma once

#include <stdint.h>

#include "base/err.h"

/* TB_E_PARAMS for anything else. */
int tb_time_arg(const char *text, int64_t now_wall_ms, int64_t *ret_wall_ms, struct tb_err *err);
