/* SPDX-License-Identifier: Apache-2.0 */
/* The routes of an MCP front, with who may use those over HTTP: a token for the product, anybody
 * for the fixtures of the conformance suite. */
#pragma once

#include "core/front.h"
#include "front/mcp/http.h"
#include "front/mcp/stdio.h"

#define TB_MCP_ROUTES(who)                                                                     \
    {"GET", "/mcp/stdio", TB_ACCESS_SAME_USER, TB_DOOR_UNIX, tb_mcp_stdio_open, NULL},         \
        {"POST", "/mcp", (who), TB_DOORS_USUAL, tb_mcp_http_post, tb_mcp_http_gone},           \
        {"GET", "/mcp", (who), TB_DOORS_USUAL, tb_mcp_http_get, tb_mcp_http_gone},             \
        {"DELETE", "/mcp", (who), TB_DOORS_USUAL, tb_mcp_http_delete, NULL},                   \
        {"POST", "/mcp/{toolset}", (who), TB_DOORS_USUAL, tb_mcp_http_post, tb_mcp_http_gone}, \
        {"GET", "/mcp/{toolset}", (who), TB_DOORS_USUAL, tb_mcp_http_get, tb_mcp_http_gone},   \
        {"DELETE", "/mcp/{toolset}", (who), TB_DOORS_USUAL, tb_mcp_http_delete, NULL},
