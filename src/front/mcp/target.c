/* SPDX-License-Identifier: Apache-2.0 */
#include "front/target.h"

#include "base/buf.h"
#include "core/limits.h"
#include "front/mcp/http.h"
#include "front/mcp/server.h"
#include "front/reply.h"

struct tb_view *tb_mcp_http_view(struct tb_front_req *front, struct tb_str toolset)
{
    TB_AUTO(tb_buf_fini) struct tb_buf groups = TB_BUF(TB_KIB);
    struct tb_core *core = front->core;
    struct tb_view *view = NULL;
    struct tb_err err;
    int rc = tb_target_query(tb_http_req_head(front->http)->query, "groups", &groups);
    if (rc < 0) {
        tb_fail(&err, rc, "the query string is malformed");
    } else {
        rc = tb_view_make(&core->views, toolset, tb_buf_str(&groups), &core->config->mcp_groups,
                          &view, &err);
    }
    if (rc < 0) {
        tb_reply_error(front, rc, err.text);
    }
    return view;
}
