/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of Chromium. */
#pragma once

#include <stdbool.h>

struct tb_config;

/* NULL-ended, the caller's; its texts belong to `config` and to the program. `headless` says that
 * it takes a switch to have no window; `proxied`, that all goes through the forward proxy. */
const char **tb_cdp_switches_new(const struct tb_config *config, bool headless, bool proxied);
/* The browser at `path` has no sandbox without its helper, which is setuid. */
bool tb_cdp_switches_need_rights(const char *path);
