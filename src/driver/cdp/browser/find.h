/* SPDX-License-Identifier: Apache-2.0 */
/* Where the browser is. Two binaries count: the headless shell, which starts in a third of the time
 * and memory, and the full browser. Both are named by their real path in the library folder: the
 * wrapper scripts in the search path do not exec, so signals and descriptors would go astray. */
#pragma once

#include <stdbool.h>

/* The path to start, or NULL. `configured` (browser.path, may be empty) wins if it can be executed;
 * else the usual places, the shell first if it is wanted. The result is `configured` or constant.
 */
const char *tb_cdp_browser_find(const char *configured, bool prefer_shell);
