/* SPDX-License-Identifier: Apache-2.0 */
/* The ceilings for a message of MCP, the same on every transport. */
#pragma once

#include "core/limits.h"
#include "proto/json_scan.h"

static const struct tb_json_limits tb_mcp_json_limits = {
    .depth_max = TB_MCP_DEPTH,
    .number_max = TB_JSON_NUMBER_TREE,
};
