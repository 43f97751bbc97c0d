/* SPDX-License-Identifier: Apache-2.0 */
/* Resources: finding one by its URI, and the two forms of their content. */
#pragma once

#include "base/str.h"
#include "front/mcp/provider.h"
#include "front/mcp/request.h"

/* The resource or template that fits; NULL when none does. *ret_arg is what stands for the part in
 * braces. */
const struct tb_mcp_resource *tb_mcp_resource_find(const struct tb_mcp *mcp, struct tb_str uri,
                                                   struct tb_str *ret_arg);
/* True if the row is a template. */
bool tb_mcp_resource_is_template(const struct tb_mcp_resource *resource);
/* Answers with one item: text, or base64 that is copied as it is. Text that is too large is cut,
 * with a mark; JSON or a picture that is, is refused. */
void tb_mcp_resource_send_text(struct tb_mcp_req *req, struct tb_str uri, const char *type,
                               struct tb_str text);
void tb_mcp_resource_send_blob(struct tb_mcp_req *req, struct tb_str uri, const char *type,
                               struct tb_str base64);
/* Answers that there is no such resource. */
void tb_mcp_resource_missing(struct tb_mcp_req *req, struct tb_str uri);
