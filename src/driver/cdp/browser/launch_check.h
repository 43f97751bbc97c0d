/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the settings of browsers before the first one starts: a switch that takes away what
 * tabard promises is refused, and so is a program that cannot be run. */
#pragma once

#include "base/err.h"
#include "core/config.h"

/* browser.path, if it is set, is a program that can be run. */
int tb_cdp_launch_check_path(const struct tb_config *config, struct tb_err *err);
/* browser.args has no switch that tabard sets itself or that opens the browser to others. */
int tb_cdp_launch_check_args(const struct tb_config *config, struct tb_err *err);
/* browser.remote_ca, if it is set, is a file that can be read. */
int tb_cdp_launch_check_remote_ca(const struct tb_config *config, struct tb_err *err);
