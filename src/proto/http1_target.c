/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "proto/authority.h"
#include "proto/http1_internal.h"

static int bad_target(struct tb_err *err, const char *why)
{
    return tb_fail(err, TB_E_PROTOCOL, "the request target %s", why);
}

static void split_path(struct tb_str text, struct tb_http1_head *head)
{
    head->path = tb_str_cut(&text, '?');
    head->query = text;
}

/* "host:port"; the port has no default (RFC 9112 3.2.3). */
static int authority_form(struct tb_http1_head *head, struct tb_err *err)
{
    struct tb_authority authority;
    if (!tb_authority_parse(head->target, &authority) || !authority.has_port) {
        return bad_target(err, "of CONNECT is not host:port");
    }
    head->form = TB_HTTP1_AUTHORITY;
    head->authority = head->target;
    return 0;
}

static int absolute_form(struct tb_http1_head *head, struct tb_err *err)
{
    struct tb_str target = head->target;
    const char *mark = memmem(target.ptr, target.len, "://", 3);
    if (!mark) {
        return bad_target(err, "is neither a path nor an address");
    }
    size_t from = (size_t)(mark - target.ptr) + 3;
    size_t to = from;
    while (to < target.len && target.ptr[to] != '/' && target.ptr[to] != '?') {
        to++;
    }
    struct tb_authority authority;
    if (!tb_origin_parse(tb_str_sub(target, 0, to), &head->scheme, &authority)) {
        return bad_target(err, "has no valid scheme, host and port");
    }
    head->form = TB_HTTP1_ABSOLUTE;
    head->authority = tb_str_sub(target, from, to);
    split_path(tb_str_sub(target, to, target.len), head);
    if (head->path.len == 0) {
        head->path = TB_STR("/"); /* RFC 9110 4.2.3: an empty path is the same as this one */
    }
    return 0;
}

int tb_http1_target_parse(struct tb_http1_head *head, struct tb_err *err)
{
    if (!tb_http1_all(head->target, TB_HTTP1_TARGET)) {
        return bad_target(err, "is empty or contains a byte that is not allowed");
    }
    if (tb_str_eq(head->method, TB_STR("CONNECT"))) {
        return authority_form(head, err);
    }
    if (head->target.ptr[0] == '/') {
        head->form = TB_HTTP1_ORIGIN;
        split_path(head->target, head);
        return 0;
    }
    if (!tb_str_eq(head->target, TB_STR("*"))) {
        return absolute_form(head, err);
    }
    if (!tb_str_eq(head->method, TB_STR("OPTIONS"))) {
        return bad_target(err, "is *, but the method is not OPTIONS");
    }
    head->form = TB_HTTP1_ASTERISK;
    return 0;
}
