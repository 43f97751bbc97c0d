/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of plain HTTP messages as the proxy passes them on. They are written anew from what the
 * strict parser understood, never copied: where two parsers could disagree, requests would be
 * smuggled. Headers that are for one connection only (RFC 9110 7.6.1) stay behind. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "core/egress.h"
#include "core/limits.h"
#include "proto/http1.h"

/* The goal of a request in authority or absolute form. TB_E_INVALID for anything that a proxy is
 * not asked, TB_E_BAD_URL for what is no host. */
int tb_heads_goal(const struct tb_http1_head *head, struct tb_egress_goal *ret_goal,
                  struct tb_err *err);
/* False for one that names more headers in Connection than anybody has use for: each header is
 * looked for among them. */
bool tb_heads_can_pass(const struct tb_http1_head *head);
/* These write into a buffer that has room for any head that the limits allow: TB_HEADS_MAX. */
enum {
    TB_HEADS_MAX = 2 * (TB_PROXY_LINE_MAX + TB_PROXY_HEAD_MAX),
};
/* The request, for the server, or for a proxy that is to pass it on (`via`, else NULL). With
 * `upgrade` it asks to leave HTTP. */
void tb_heads_put_request(const struct tb_http1_head *head, const struct tb_egress_goal *goal,
                          const struct tb_upstream *via, bool upgrade, struct tb_buf *out);
/* The header with the credentials for a proxy; nothing if it wants none. */
void tb_heads_put_credentials(const struct tb_upstream *upstream, struct tb_buf *out);
/* The response, for the browser, whose connection ends with it unless `keep`. `has_body` says
 * whether one follows. */
void tb_heads_put_response(const struct tb_http1_head *head, bool keep, bool has_body,
                           struct tb_buf *out);
/* What ends a body. */
struct tb_str tb_heads_body_end(const struct tb_http1_head *head);
