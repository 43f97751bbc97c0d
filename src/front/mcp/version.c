/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/version.h"

#include <string.h>

static const char *const names[] = {
    [TB_MCP_2024_10_07] = "2024-10-07", [TB_MCP_2024_11_05] = "2024-11-05",
    [TB_MCP_2025_03_26] = "2025-03-26", [TB_MCP_2025_06_18] = "2025-06-18",
    [TB_MCP_2025_11_25] = "2025-11-25", [TB_MCP_2026_07_28] = "2026-07-28",
};

const char *tb_mcp_version_name(enum tb_mcp_version version)
{
    return names[version];
}

enum tb_mcp_era tb_mcp_version_era(enum tb_mcp_version version)
{
    return version >= TB_MCP_MODERN_OLDEST ? TB_MCP_MODERN : TB_MCP_LEGACY;
}

bool tb_mcp_version_find(struct tb_str text, enum tb_mcp_version *ret_version)
{
    for (size_t i = 0; i < TB_MCP_VERSIONS; i++) {
        if (tb_str_eq_cstr(text, names[i])) {
            *ret_version = (enum tb_mcp_version)i;
            return true;
        }
    }
    return false;
}

bool tb_mcp_version_is_modern(struct tb_str text)
{
    const char *first = names[TB_MCP_MODERN_OLDEST];
    size_t len = strlen(first);
    /* Dates in this form are in order as text. */
    return text.len == len && text.ptr[0] == '2' && memcmp(text.ptr, first, len) >= 0;
}

void tb_mcp_version_list(enum tb_mcp_era era, struct tb_json_writer *json)
{
    tb_json_array_open(json);
    for (size_t i = 0; i < TB_MCP_VERSIONS; i++) {
        if (tb_mcp_version_era((enum tb_mcp_version)i) & era) {
            tb_json_put_cstr(json, names[i]);
        }
    }
    tb_json_array_close(json);
}
