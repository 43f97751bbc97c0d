/* SPDX-License-Identifier: Apache-2.0 */
/* Which binary a session gets: the headless shell, which is enough for sessions without a window
 * and costs a third, or the full browser. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/config.h"
#include "driver/cdp/browser/browser.h"

/* Fills in path and shell for spec->headless. `name` is that of an engine in core/offers.def. The
 * words of a failure say what to install or set. */
int tb_cdp_engine_choose(const struct tb_config *config, struct tb_str name,
                         struct tb_cdp_browser_spec *spec, struct tb_err *err);
