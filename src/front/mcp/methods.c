/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/methods.h"

static const struct tb_mcp_method methods[] = {
    {"ping", TB_MCP_LEGACY, TB_MCP_NOT_CACHED, tb_mcp_ping},
    {"tools/call", TB_MCP_BOTH, TB_MCP_NOT_CACHED, tb_mcp_tools_call},
    {"tools/list", TB_MCP_BOTH, TB_MCP_CACHE_PUBLIC, tb_mcp_tools_list},
    {"initialize", TB_MCP_LEGACY, TB_MCP_NOT_CACHED, tb_mcp_initialize},
    {"server/discover", TB_MCP_MODERN, TB_MCP_CACHE_PUBLIC, tb_mcp_discover},
    {"logging/setLevel", TB_MCP_LEGACY, TB_MCP_NOT_CACHED, tb_mcp_set_level},
    {"resources/list", TB_MCP_BOTH, TB_MCP_CACHE_PUBLIC, tb_mcp_resources_list},
    {"resources/templates/list", TB_MCP_BOTH, TB_MCP_CACHE_PUBLIC, tb_mcp_templates_list},
    {"resources/read", TB_MCP_BOTH, TB_MCP_CACHE_PRIVATE, tb_mcp_resources_read},
    {"resources/subscribe", TB_MCP_LEGACY, TB_MCP_NOT_CACHED, tb_mcp_subscribe},
    {"resources/unsubscribe", TB_MCP_LEGACY, TB_MCP_NOT_CACHED, tb_mcp_unsubscribe},
    {"subscriptions/listen", TB_MCP_MODERN, TB_MCP_NOT_CACHED, tb_mcp_listen},
    {"prompts/list", TB_MCP_BOTH, TB_MCP_CACHE_PUBLIC, tb_mcp_prompts_list},
    {"prompts/get", TB_MCP_BOTH, TB_MCP_NOT_CACHED, tb_mcp_prompts_get},
    {"completion/complete", TB_MCP_BOTH, TB_MCP_NOT_CACHED, tb_mcp_complete},
};

const struct tb_mcp_method *tb_mcp_method_find(const struct tb_jsonrpc *rpc)
{
    for (size_t i = 0; i < TB_COUNT(methods); i++) {
        if (tb_jsonrpc_is(rpc, methods[i].name)) {
            return &methods[i];
        }
    }
    return NULL;
}

bool tb_mcp_req_without_cursor(struct tb_mcp_req *req)
{
    struct tb_json_want cursor = {.key = "cursor"};
    const struct tb_json_limits limits = {0};
    const struct tb_json_value *params = &req->message->rpc.params;
    if (params->type != TB_JSON_OBJECT ||
        tb_json_scan(params->text, &limits, &cursor, 1, NULL) < 0 ||
        cursor.value.type == TB_JSON_ABSENT || cursor.value.type == TB_JSON_NULL) {
        return true;
    }
    tb_mcp_req_fail(req, -32602,
                    "unknown cursor; omit it, because the whole list comes in one reply");
    return false;
}
