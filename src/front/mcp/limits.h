/* SPDX-License-Identifier: Apache-2.0 */
/* The ceilings for a message of MCP, the same on every transport. A tree costs some 80 bytes for
 * each key and value, however few bytes it was written with: 8 MiB of "1,1,1" would become 335 MB.
 */
#pragma once

#include "core/limits.h"
#include "proto/json_scan.h"

static const struct tb_json_limits tb_mcp_json_limits = {
    .depth_max = TB_MCP_DEPTH,
    .number_max = TB_JSON_NUMBER_TREE,
    .token_max = TB_ARGS_TEXT_TOKENS, /* files and long texts are one value each */
};
