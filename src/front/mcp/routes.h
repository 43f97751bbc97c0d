/* SPDX-License-Identifier: Apache-2.0 */
/* The routes of an MCP front, with the scope that those over HTTP need: that of the product, or
 * none for the fixtures of the conformance suite. */
#pragma once

#include "core/front.h"
#include "front/mcp/http.h"
#include "front/mcp/stdio.h"

#define TB_MCP_ROUTES(scope)                                                                         \
    {"GET",        "/mcp/stdio",      TB_SCOPE_ACT, TB_CREDENTIAL_SAME_USER,                         \
     TB_DOOR_UNIX, tb_mcp_stdio_open, NULL},                                                         \
        {"POST",         "/mcp",           (scope),         TB_CREDENTIALS_USUAL,                    \
         TB_DOORS_USUAL, tb_mcp_http_post, tb_mcp_http_gone},                                        \
        {"GET",          "/mcp",          (scope),         TB_CREDENTIALS_USUAL,                     \
         TB_DOORS_USUAL, tb_mcp_http_get, tb_mcp_http_gone},                                         \
        {"DELETE", "/mcp", (scope), TB_CREDENTIALS_USUAL, TB_DOORS_USUAL, tb_mcp_http_delete, NULL}, \
        {"POST",         "/mcp/{toolset}", (scope),         TB_CREDENTIALS_USUAL,                    \
         TB_DOORS_USUAL, tb_mcp_http_post, tb_mcp_http_gone},                                        \
        {"GET",          "/mcp/{toolset}", (scope),         TB_CREDENTIALS_USUAL,                    \
         TB_DOORS_USUAL, tb_mcp_http_get,  tb_mcp_http_gone},                                        \
        {"DELETE",       "/mcp/{toolset}",   (scope), TB_CREDENTIALS_USUAL,                          \
         TB_DOORS_USUAL, tb_mcp_http_delete, NULL},
