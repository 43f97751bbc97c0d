/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "core/limits.h"
#include "front/mcp/http.h"
#include "front/mcp/server.h"
#include "front/reply.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static int decode(struct tb_str text, struct tb_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            int high = i + 2 < text.len ? hex_value(text.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_value(text.ptr[i + 2]) : -1;
            if (low < 0) {
                return TB_E_INVALID;
            }
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        int rc = tb_buf_append_char(out, c);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

int tb_mcp_query_get(struct tb_str query, const char *name, struct tb_buf *out)
{
    while (query.len) {
        struct tb_str value = tb_str_cut(&query, '&');
        if (tb_str_eq_cstr(tb_str_cut(&value, '='), name)) {
            return decode(value, out);
        }
    }
    return 0;
}

bool tb_mcp_http_view(struct tb_front_req *front, struct tb_str toolset,
                      struct tb_mcp_view *ret_view)
{
    TB_AUTO(tb_buf_fini) struct tb_buf groups;
    struct tb_err err;
    tb_buf_init(&groups, TB_KIB);
    int rc = tb_mcp_query_get(tb_http_req_head(front->http)->query, "groups", &groups);
    if (rc < 0) {
        tb_fail(&err, rc, "the query is not written as it should be");
    } else {
        rc = tb_mcp_view_parse(toolset, tb_buf_str(&groups), &front->core->config->mcp_groups,
                               ret_view, &err);
    }
    if (rc < 0) {
        tb_reply_error(front, rc, err.text);
    }
    return rc == 0;
}

const char *tb_mcp_http_tenant(const struct tb_front_req *front)
{
    /* There is one credential so far, the operator's. */
    (void)front;
    return "default";
}
