/* SPDX-License-Identifier: Apache-2.0 */
/* The routes of an MCP front, with the scope that those over HTTP need: that of the product, or
 * none for the fixtures of the conformance suite. */
#pragma once

#include "core/front.h"
#include "front/mcp/http.h"
#include "front/mcp/http_sse.h"
#include "front/mcp/stdio.h"
#include "front/mcp/ws.h"

#define TB_MCP_HTTP(method, path, scope, fn)                                                    \
    {                                                                                           \
        (method), (path), (scope), TB_CREDENTIALS_USUAL, TB_DOORS_ALL, .handle = (fn),          \
                                                                       .gone = tb_mcp_http_gone \
    }

#define TB_MCP_STDIO                                                               \
    {                                                                              \
        "GET", "/mcp/stdio", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOOR_UNIX, \
            .handle = tb_mcp_stdio_open                                            \
    }

/* Programs in browsers cannot set headers for a WebSocket. */
#define TB_MCP_WS(path, scope, doors)                                                   \
    {                                                                                   \
        "GET", (path), (scope), TB_CREDENTIALS_USUAL | TB_CREDENTIAL_QUERY, (doors),    \
            .handle = tb_mcp_ws_open, .gone = tb_mcp_ws_gone, .flags = TB_ROUTE_UPGRADE \
    }

#define TB_MCP_ROUTES(scope)                                                          \
    TB_MCP_STDIO, TB_MCP_HTTP("POST", "/mcp", scope, tb_mcp_http_post),               \
        TB_MCP_HTTP("GET", "/mcp", scope, tb_mcp_http_get),                           \
        TB_MCP_HTTP("DELETE", "/mcp", scope, tb_mcp_http_delete),                     \
        TB_MCP_HTTP("POST", "/mcp/{toolset}", scope, tb_mcp_http_post),               \
        TB_MCP_HTTP("GET", "/mcp/{toolset}", scope, tb_mcp_http_get),                 \
        TB_MCP_HTTP("DELETE", "/mcp/{toolset}", scope, tb_mcp_http_delete),           \
        TB_MCP_HTTP("GET", "/mcp/sse", scope, tb_mcp_http_sse_open),                  \
        TB_MCP_HTTP("GET", "/mcp/{toolset}/sse", scope, tb_mcp_http_sse_open),        \
        TB_MCP_HTTP("POST", "/mcp/sse/{id}", scope, tb_mcp_http_sse_post),            \
        TB_MCP_WS("/", scope, TB_DOOR_AGENT), TB_MCP_WS("/mcp", scope, TB_DOORS_ALL), \
        TB_MCP_WS("/mcp/{toolset}", scope, TB_DOORS_ALL)
