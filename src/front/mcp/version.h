/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of MCP that are served, and the era that each belongs to: legacy ones begin with
 * `initialize`, modern ones say in every request who speaks which version. A new version is one row
 * in version.c. */
#pragma once

#include <stdbool.h>

#include "base/json.h"
#include "base/str.h"

enum tb_mcp_era {
    TB_MCP_LEGACY = 1,
    TB_MCP_MODERN = 2,
    TB_MCP_BOTH = 3,
};

/* In the order of time. */
enum tb_mcp_version {
    TB_MCP_2024_10_07,
    TB_MCP_2024_11_05,
    TB_MCP_2025_03_26,
    TB_MCP_2025_06_18,
    TB_MCP_2025_11_25,
    TB_MCP_2026_07_28,
    TB_MCP_VERSIONS,
    TB_MCP_LEGACY_NEWEST = TB_MCP_2025_11_25,
    TB_MCP_MODERN_OLDEST = TB_MCP_2026_07_28,
};

const char *tb_mcp_version_name(enum tb_mcp_version version);
enum tb_mcp_era tb_mcp_version_era(enum tb_mcp_version version);
/* False when the text names no version that is served. */
bool tb_mcp_version_find(struct tb_str text, enum tb_mcp_version *ret_version);
/* True for a date at or after the first modern version, served or not. */
bool tb_mcp_version_is_modern(struct tb_str text);
/* Writes an array of the names of an era's versions. */
void tb_mcp_version_list(enum tb_mcp_era era, struct tb_json_writer *json);
