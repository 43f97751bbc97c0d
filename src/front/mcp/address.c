/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/address.h"

#include <stdio.h>

#include "base/buf.h"
#include "core/limits.h"
#include "front/mcp/server.h"
#include "front/reply.h"
#include "front/target.h"

static int read_view(const struct tb_front_req *front, struct tb_str toolset,
                     struct tb_view **ret_view, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf groups = TB_BUF(TB_KIB);
    struct tb_core *core = front->core;
    int rc = tb_target_query(tb_http_req_head(front->http)->query, "groups", &groups);
    if (rc < 0) {
        return tb_fail(err, rc, "the query string is malformed");
    }
    return tb_view_make(&core->views, toolset, tb_buf_str(&groups), &core->config->mcp_groups,
                        ret_view, err);
}

/* The query counts before the header; BTCP calls it either way. */
static int read_session(const struct tb_http1_head *head, char ret_session[TB_NAME_SIZE],
                        struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf named = TB_BUF(TB_NAME_SIZE - 1);
    const char *name = tb_target_query_has(head->query, "session") ? "session" : "sessionId";
    if (tb_target_query_has(head->query, name)) {
        if (tb_target_query(head->query, name, &named) < 0) {
            return tb_fail(err, TB_E_INVALID, "the session in the query is malformed or too long");
        }
        if (!named.len) {
            return tb_fail(err, TB_E_SESSION_NOT_FOUND, "Session ID required");
        }
    } else {
        struct tb_str header = tb_http1_header(head, "X-Session-ID");
        if (tb_buf_append_str(&named, header.ptr ? tb_str_trim(header) : header) < 0) {
            return tb_fail(err, TB_E_INVALID, "the header X-Session-ID is too long");
        }
    }
    snprintf(ret_session, TB_NAME_SIZE, "%.*s", TB_STR_ARG(tb_buf_str(&named)));
    return 0;
}

int tb_mcp_address_read(const struct tb_front_req *front, struct tb_str toolset,
                        const char *const known[], struct tb_mcp_address *ret_address,
                        struct tb_err *err)
{
    const struct tb_http1_head *head = tb_http_req_head(front->http);
    int rc = tb_target_check_query(head->query, known, err);
    rc = rc < 0 ? rc : read_view(front, toolset, &ret_address->view, err);
    return rc < 0 ? rc : read_session(head, ret_address->session, err);
}

bool tb_mcp_address_of(struct tb_front_req *front, struct tb_mcp_address *ret_address)
{
    static const char *const known[] = {"session", "sessionId", "groups", NULL};
    struct tb_err err;
    int rc = tb_mcp_address_read(front, front->args[0], known, ret_address, &err);
    if (rc < 0) {
        tb_reply_error(front, rc, err.text);
    }
    return rc == 0;
}
