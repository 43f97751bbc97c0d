/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/resources.h"

#include <string.h>

#include "core/cut.h"
#include "core/limits.h"
#include "front/mcp/content.h"
#include "front/mcp/methods.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"

enum {
    URI_MAX = 2 * TB_KIB,
    CONTENT_MAX = TB_MCP_RESULT_MAX - URI_MAX, /* of one item */
    DATA_MAX = 8 * URI_MAX,                    /* with its escapes */
};

bool tb_mcp_resource_is_template(const struct tb_mcp_resource *resource)
{
    return strchr(resource->uri, '{') != NULL;
}

/* Literal text up to the brace, one part without a slash, literal text behind the brace. */
static bool fits(const char *pattern, struct tb_str uri, struct tb_str *ret_arg)
{
    struct tb_str behind = tb_str_of(pattern);
    struct tb_str before = tb_str_cut(&behind, '{');
    if (!behind.ptr) {
        return tb_str_eq(before, uri);
    }
    tb_str_cut(&behind, '}');
    if (!tb_str_starts(uri, before) || uri.len <= before.len + behind.len ||
        !tb_str_eq(tb_str_sub(uri, uri.len - behind.len, uri.len), behind)) {
        return false;
    }
    *ret_arg = tb_str_sub(uri, before.len, uri.len - behind.len);
    return memchr(ret_arg->ptr, '/', ret_arg->len) == NULL;
}

const struct tb_mcp_resource *tb_mcp_resource_find(const struct tb_mcp *mcp, struct tb_str uri,
                                                   struct tb_str *ret_arg)
{
    for (const struct tb_mcp_provider *const *provider = mcp->providers; *provider; provider++) {
        for (const struct tb_mcp_resource *row = (*provider)->resources; row && row->uri; row++) {
            if (fits(row->uri, uri, ret_arg)) {
                return row;
            }
        }
    }
    return NULL;
}

static void put_rows(struct tb_json_writer *json, const struct tb_mcp *mcp, bool templates)
{
    tb_json_array_open(json);
    for (const struct tb_mcp_provider *const *provider = mcp->providers; *provider; provider++) {
        for (const struct tb_mcp_resource *row = (*provider)->resources; row && row->uri; row++) {
            if (tb_mcp_resource_is_template(row) != templates) {
                continue;
            }
            tb_json_object_open(json);
            tb_mcp_put_text(json, templates ? "uriTemplate" : "uri", row->uri);
            tb_mcp_put_text(json, "name", row->name);
            tb_mcp_put_text(json, "title", row->title);
            tb_mcp_put_text(json, "description", row->description);
            tb_mcp_put_text(json, "mimeType", row->type);
            tb_json_object_close(json);
        }
    }
    tb_json_array_close(json);
}

static void send_list(struct tb_mcp_req *req, const char *key, bool templates)
{
    struct tb_mcp_result result;
    if (!tb_mcp_req_without_cursor(req)) {
        return;
    }
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_json_key(json, key);
    put_rows(json, req->mcp, templates);
    tb_mcp_result_send(&result);
}

void tb_mcp_resources_list(struct tb_mcp_req *req)
{
    send_list(req, "resources", false);
}

void tb_mcp_templates_list(struct tb_mcp_req *req)
{
    send_list(req, "resourceTemplates", true);
}

void tb_mcp_resource_missing(struct tb_mcp_req *req, struct tb_str uri)
{
    TB_AUTO(tb_buf_fini) struct tb_buf data = TB_BUF(DATA_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &data);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "uri", tb_str_sub(uri, 0, URI_MAX));
    tb_json_object_close(&json);
    tb_buf_append_char(&data, '\0');
    tb_mcp_req_fail_data(req, tb_mcp_req_is_modern(req) ? -32602 : TB_MCP_NOT_FOUND,
                         "unknown resource", (const char *)data.data);
}

void tb_mcp_resources_read(struct tb_mcp_req *req)
{
    struct tb_str uri;
    struct tb_str arg = TB_STR("");
    if (!tb_json_str(tb_json_get(tb_mcp_req_params(req), "uri"), &uri)) {
        tb_mcp_req_fail(req, -32602, "params.uri must be the URI of a resource");
        return;
    }
    req->resource = uri.len <= URI_MAX ? tb_mcp_resource_find(req->mcp, uri, &arg) : NULL;
    if (req->resource) {
        req->uri = tb_strdupf("%.*s", TB_STR_ARG(uri));
        req->resource->read(req, req->resource, uri, arg);
    } else {
        tb_mcp_resource_missing(req, uri);
    }
}

/* Content. */

static struct tb_json_writer *open_contents(struct tb_mcp_result *result, struct tb_mcp_req *req,
                                            struct tb_str uri, const char *type)
{
    struct tb_json_writer *json = tb_mcp_result_open(result, req);
    tb_json_key(json, "contents");
    tb_json_array_open(json);
    tb_json_object_open(json);
    tb_json_member_str(json, "uri", uri);
    tb_mcp_put_text(json, "mimeType", type);
    return json;
}

static void send_contents(struct tb_mcp_result *result)
{
    tb_json_object_close(&result->json);
    tb_json_array_close(&result->json);
    tb_mcp_result_send(result);
}

/* Half of it would be worth nothing. */
static void refuse_large(struct tb_mcp_req *req, const char *text)
{
    tb_mcp_req_fail(req, tb_err_info(TB_E_TOO_LARGE)->rpc_code, "%s", text);
}

void tb_mcp_resource_send_text(struct tb_mcp_req *req, struct tb_str uri, const char *type,
                               struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf cut = TB_BUF(SIZE_MAX);
    struct tb_mcp_result result;
    bool cuttable = !type || strcmp(type, "application/json") != 0;
    if (!cuttable && tb_cut_fits(text, CONTENT_MAX) < text.len) {
        refuse_large(req, "the resource is too large to send");
        return;
    }
    struct tb_json_writer *json = open_contents(&result, req, uri, type);
    tb_json_member_str(json, "text", tb_cut(text, CONTENT_MAX, &cut));
    send_contents(&result);
}

void tb_mcp_resource_send_blob(struct tb_mcp_req *req, struct tb_str uri, const char *type,
                               struct tb_str base64)
{
    struct tb_mcp_result result;
    if (base64.len >= CONTENT_MAX) {
        refuse_large(req, "the picture is too large to send; ask for a smaller one");
        return;
    }
    struct tb_json_writer *json = open_contents(&result, req, uri, type);
    tb_json_key(json, "blob");
    tb_mcp_put_base64(json, base64);
    send_contents(&result);
}
