/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/result.h"

#include "core/limits.h"

enum {
    MESSAGE_MAX = 16 * TB_MIB, /* lists of ours are small, calls cut their own results */
    PUBLIC_MS = 3600 * 1000,
};

void tb_mcp_put_text(struct tb_json_writer *json, const char *key, const char *text)
{
    if (text) {
        tb_json_member_cstr(json, key, text);
    }
}

void tb_mcp_put_server_info(struct tb_json_writer *json)
{
    tb_json_object_open(json);
    tb_mcp_put_text(json, "name", "tabard");
    tb_mcp_put_text(json, "title", "tabard");
    tb_mcp_put_text(json, "version", TABARD_VERSION);
    tb_json_object_close(json);
}

static struct tb_json_writer *open_result(struct tb_mcp_result *result, struct tb_mcp_req *req,
                                          const char *type)
{
    *result = (struct tb_mcp_result){.req = req};
    tb_buf_init(&result->message, MESSAGE_MAX);
    tb_json_writer_init(&result->json, &result->message);
    tb_json_object_open(&result->json);
    tb_mcp_put_text(&result->json, "jsonrpc", "2.0");
    tb_json_member_raw(&result->json, "id", req->id);
    tb_json_key(&result->json, "result");
    tb_json_object_open(&result->json);
    if (tb_mcp_req_is_modern(req)) {
        tb_mcp_put_text(&result->json, "resultType", type);
    }
    return &result->json;
}

struct tb_json_writer *tb_mcp_result_open(struct tb_mcp_result *result, struct tb_mcp_req *req)
{
    struct tb_json_writer *json = open_result(result, req, "complete");
    enum tb_mcp_cache cache = req->shaped ? TB_MCP_CACHE_PRIVATE : req->method->cache;
    if (cache != TB_MCP_NOT_CACHED && tb_mcp_req_is_modern(req)) {
        tb_json_member_int(json, "ttlMs", cache == TB_MCP_CACHE_PUBLIC ? PUBLIC_MS : 0);
        tb_mcp_put_text(json, "cacheScope", cache == TB_MCP_CACHE_PUBLIC ? "public" : "private");
    }
    return json;
}

struct tb_json_writer *tb_mcp_result_open_input(struct tb_mcp_result *result,
                                                struct tb_mcp_req *req)
{
    return open_result(result, req, "input_required");
}

static void put_meta(struct tb_mcp_result *result)
{
    struct tb_json_writer *json = &result->json;
    bool modern = tb_mcp_req_is_modern(result->req);
    if (!modern && !result->meta.len) {
        return;
    }
    tb_json_key(json, "_meta");
    tb_json_object_open(json);
    if (modern) {
        tb_json_key(json, "io.modelcontextprotocol/serverInfo");
        tb_mcp_put_server_info(json);
    }
    if (result->meta.len) {
        tb_json_put_raw(json, result->meta);
    }
    tb_json_object_close(json);
}

void tb_mcp_result_send(struct tb_mcp_result *result)
{
    struct tb_mcp_req *req = result->req;
    put_meta(result);
    tb_json_object_close(&result->json);
    tb_json_object_close(&result->json);
    if (result->json.rc < 0) {
        tb_mcp_req_fail(req, tb_err_info(TB_E_TOO_LARGE)->rpc_code,
                        "the answer is too large to send");
    } else {
        tb_mcp_req_answer(req, 200, &result->message);
    }
    tb_buf_fini(&result->message);
}

void tb_mcp_result_empty(struct tb_mcp_req *req)
{
    struct tb_mcp_result result;
    tb_mcp_result_open(&result, req);
    tb_mcp_result_send(&result);
}
