/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/utf8.h"
#include "core/core.h"
#include "core/members.h"
#include "front/mcp/methods.h"
#include "front/mcp/peer.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"

static void put_list_capability(struct tb_json_writer *json, const char *name, bool changes,
                                bool subscribe)
{
    tb_json_key(json, name);
    tb_json_object_open(json);
    if (changes) {
        tb_json_member_bool(json, "listChanged", true);
    }
    if (subscribe) {
        tb_json_member_bool(json, "subscribe", true);
    }
    tb_json_object_close(json);
}

static void put_about(struct tb_json_writer *json, const struct tb_mcp_req *req)
{
    bool changes = req->mcp->list_changes;
    tb_json_key(json, "capabilities");
    tb_json_object_open(json);
    put_list_capability(json, "tools", changes || req->mcp->brings, false);
    put_list_capability(json, "resources", false, true);
    put_list_capability(json, "prompts", changes, false);
    put_list_capability(json, "completions", false, false);
    put_list_capability(json, "logging", false, false);
    tb_json_object_close(json);
    tb_mcp_put_text(json, "instructions", req->peer->view->toolset->instructions);
}

/* What the client asked for if we have it, else our newest: agreeing on a version never fails. */
static enum tb_mcp_version agree(const struct cJSON *params)
{
    struct tb_str wanted;
    enum tb_mcp_version version;
    if (tb_json_str(tb_json_get(params, "protocolVersion"), &wanted) &&
        tb_mcp_version_find(wanted, &version) && tb_mcp_version_era(version) == TB_MCP_LEGACY) {
        return version;
    }
    return TB_MCP_LEGACY_NEWEST;
}

void tb_mcp_agent_name(const struct cJSON *client_info, char ret_agent[TB_AGENT_SIZE])
{
    struct tb_str name = TB_STR("");
    struct tb_str version = TB_STR("");
    tb_json_str(tb_json_get(client_info, "name"), &name);
    tb_json_str(tb_json_get(client_info, "version"), &version);
    snprintf(ret_agent, TB_AGENT_SIZE, "%.*s%s%.*s", TB_STR_ARG(name), version.len ? " " : "",
             TB_STR_ARG(version));
    ret_agent[tb_utf8_prefix(tb_str_of(ret_agent))] = '\0';
}

static void take_client(struct tb_mcp_req *req)
{
    struct tb_mcp_peer *peer = req->peer;
    const struct cJSON *params = tb_mcp_req_params(req);
    peer->version = agree(params);
    peer->introduced = true;
    peer->capabilities = tb_mcp_capabilities(tb_json_get(params, "capabilities"));
    tb_mcp_agent_name(tb_json_get(params, "clientInfo"), peer->agent);
}

static void answer_initialize(struct tb_mcp_req *req)
{
    struct tb_mcp_result result;
    const struct tb_mcp_peer *peer = req->peer;
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_mcp_put_text(json, "protocolVersion", tb_mcp_version_name(peer->version));
    tb_json_key(json, "serverInfo");
    tb_mcp_put_server_info(json);
    put_about(json, req);
    tb_mcp_result_send(&result);
}

/* Who came for a session that there is not has come for nothing. */
static void join_and_answer(struct tb_mcp_req *req, struct tb_str text)
{
    struct tb_mcp_peer *peer = req->peer;
    struct tb_err err;
    (void)text;
    if (tb_mcp_peer_join(peer, &err) < 0) {
        peer->introduced = false;
        tb_mcp_req_fail(req, tb_err_info(err.code)->rpc_code, "%s", err.text);
    } else {
        answer_initialize(req);
    }
}

void tb_mcp_initialize(struct tb_mcp_req *req)
{
    take_client(req);
    struct tb_caller caller = tb_mcp_req_caller(req);
    caller.agent = req->peer->agent;
    tb_members_introduce(req->mcp->core->sessions, &caller);
    if (req->peer->session[0]) {
        tb_mcp_req_await_sessions(req, TB_STR(""), join_and_answer);
    } else {
        answer_initialize(req);
    }
}

void tb_mcp_discover(struct tb_mcp_req *req)
{
    struct tb_mcp_result result;
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_json_key(json, "supportedVersions");
    tb_mcp_version_list(TB_MCP_MODERN, json);
    put_about(json, req);
    tb_mcp_result_send(&result);
}

void tb_mcp_ping(struct tb_mcp_req *req)
{
    tb_mcp_result_empty(req);
}
