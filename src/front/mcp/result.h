/* SPDX-License-Identifier: Apache-2.0 */
/* A good answer, written straight into its message. What differs between the eras is done here and
 * nowhere else: modern results say their type, who answers and how long they may be kept, legacy
 * ones say nothing of the kind.
 *
 *   struct tb_mcp_result result;
 *   struct tb_json_writer *json = tb_mcp_result_open(&result, req);
 *   ... members ...
 *   tb_mcp_result_send(&result);       the request is gone */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "front/mcp/request.h"

struct tb_mcp_result {
    struct tb_mcp_req *req;
    struct tb_buf message;
    struct tb_json_writer json;
    struct tb_str meta; /* further members of _meta as JSON text, set before send; empty: none */
};

struct tb_json_writer *tb_mcp_result_open(struct tb_mcp_result *result, struct tb_mcp_req *req);
/* The same for a result that asks the client for something first (resultType input_required);
 * modern only. */
struct tb_json_writer *tb_mcp_result_open_input(struct tb_mcp_result *result,
                                                struct tb_mcp_req *req);
/* A message over the ceiling becomes an error. */
void tb_mcp_result_send(struct tb_mcp_result *result);
/* A result without members. */
void tb_mcp_result_empty(struct tb_mcp_req *req);
/* {"name","version",...} of this server. */
void tb_mcp_put_server_info(struct tb_json_writer *json);

/* "key":"text"; nothing when the text is NULL. */
void tb_mcp_put_text(struct tb_json_writer *json, const char *key, const char *text);
