/* SPDX-License-Identifier: Apache-2.0 */
#include "core/limits.h"
#include "front/mcp/request.h"
#include "front/mcp/server.h"

enum {
    NOTE_MAX = 16 * TB_KIB,
};

static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};

int tb_mcp_log_level(struct tb_str name)
{
    for (size_t i = 0; i < TB_COUNT(levels); i++) {
        if (tb_str_eq_cstr(name, levels[i])) {
            return (int)i;
        }
    }
    return -1;
}

void tb_mcp_req_notify(struct tb_mcp_req *req, const char *method, struct tb_str params)
{
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(TB_MCP_RESULT_MAX);
    if (tb_jsonrpc_write_request(TB_STR(""), tb_str_of(method), params, &message) == 0) {
        req->out->ops->send(req->out, tb_buf_str(&message));
    }
}

/* A note that is too long is lost; half of one would be no JSON. */
static void notify_whole(struct tb_mcp_req *req, const char *method,
                         const struct tb_json_writer *params)
{
    if (params->rc == 0) {
        tb_mcp_req_notify(req, method, tb_buf_str(params->out));
    }
}

void tb_mcp_req_progress(struct tb_mcp_req *req, double done, double total, const char *message)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(NOTE_MAX);
    struct tb_json_writer json;
    if (!req->progress_token.len || done <= req->progress) {
        return;
    }
    req->progress = done;
    req->progress_ms = tb_loop_now_ms(req->mcp->core->loop);
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_raw(&json, "progressToken", req->progress_token);
    tb_json_member_num(&json, "progress", done);
    if (total > 0) {
        tb_json_member_num(&json, "total", total);
    }
    /* The first version of progress had no words. */
    if (message && req->version >= TB_MCP_2025_03_26) {
        tb_json_member_cstr(&json, "message", message);
    }
    tb_json_object_close(&json);
    notify_whole(req, "notifications/progress", &json);
}

void tb_mcp_req_log(struct tb_mcp_req *req, int level, struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(NOTE_MAX);
    struct tb_json_writer json;
    if (req->log_level < 0 || level < req->log_level) {
        return;
    }
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "level", levels[level]);
    tb_json_member_cstr(&json, "logger", "tabard");
    tb_json_member_str(&json, "data", text);
    tb_json_object_close(&json);
    notify_whole(req, "notifications/message", &json);
}
