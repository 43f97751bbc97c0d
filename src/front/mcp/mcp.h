/* SPDX-License-Identifier: Apache-2.0 */
/* The front for agents: the Model Context Protocol, versions 2024-10-07 to 2025-11-25 and
 * 2026-07-28 side by side, over Streamable HTTP at /mcp and /mcp/{toolset}, and for `tabard mcp`
 * over the Unix socket. server.h tells how it is built. */
#pragma once

#include "core/front.h"

extern const struct tb_front tb_front_mcp;
