/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/methods.h"
#include "front/mcp/peer.h"
#include "front/mcp/result.h"

void tb_mcp_set_level(struct tb_mcp_req *req)
{
    struct tb_str name;
    bool given = tb_json_str(tb_json_get(tb_mcp_req_params(req), "level"), &name);
    int level = given ? tb_mcp_log_level(name) : -1;
    if (level < 0) {
        tb_mcp_req_fail(
            req, -32602,
            "level must be one of debug, info, notice, warning, error, critical, alert and emergency");
        return;
    }
    req->peer->log_level = level;
    tb_mcp_result_empty(req);
}
