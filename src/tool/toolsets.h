/* SPDX-License-Identifier: Apache-2.0 */
/* The toolsets besides the default one. Each is a folder here and a row in tools.c. */
#pragma once

#include "core/tool.h"

/* The six tools of the Octopus WebDriverPlugin, with its results and errors. */
extern const struct tb_toolset tb_toolset_octopus;
/* The names, arguments and texts of the WebdriverIO MCP server and of its multi-session proposal.
 */
extern const struct tb_toolset tb_toolset_wdio;
