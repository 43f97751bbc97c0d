/* SPDX-License-Identifier: Apache-2.0 */
#include "core/limits.h"
#include "core/sessions.h"
#include "front/mcp/methods.h"
#include "front/mcp/peer.h"
#include "front/mcp/prompts.h"
#include "front/mcp/resources.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"

enum {
    VALUES_MAX = 100, /* the specification's */
};

/* What is to be completed. */
enum subject {
    UNKNOWN,
    NOTHING, /* it exists, and there is nothing to offer */
    SESSION_NAME,
};

static enum subject prompt_subject(const struct tb_mcp *mcp, struct tb_str name,
                                   struct tb_str argument)
{
    const struct tb_mcp_prompt *prompt = tb_mcp_prompt_find(mcp, name);
    if (!prompt) {
        return UNKNOWN;
    }
    for (const struct tb_mcp_prompt_arg *arg = prompt->args; arg && arg->name; arg++) {
        if (tb_str_eq_cstr(argument, arg->name) && arg->names_session) {
            return SESSION_NAME;
        }
    }
    return NOTHING;
}

static enum subject resource_subject(const struct tb_mcp *mcp, struct tb_str uri)
{
    for (const struct tb_mcp_provider *const *provider = mcp->providers; *provider; provider++) {
        for (const struct tb_mcp_resource *row = (*provider)->resources; row && row->uri; row++) {
            if (tb_str_eq_cstr(uri, row->uri)) {
                /* The part in braces of our own templates names a session. */
                bool ours = *provider == &tb_mcp_product && tb_mcp_resource_is_template(row);
                return ours ? SESSION_NAME : NOTHING;
            }
        }
    }
    return UNKNOWN;
}

static enum subject subject_of(const struct tb_mcp *mcp, const struct cJSON *params)
{
    const struct cJSON *ref = tb_json_get(params, "ref");
    struct tb_str type;
    struct tb_str name;
    struct tb_str argument;
    if (!tb_json_str(tb_json_get(ref, "type"), &type) ||
        !tb_json_str(tb_json_get(tb_json_get(params, "argument"), "name"), &argument)) {
        return UNKNOWN;
    }
    if (tb_str_eq_cstr(type, "ref/prompt") && tb_json_str(tb_json_get(ref, "name"), &name)) {
        return prompt_subject(mcp, name, argument);
    }
    if (tb_str_eq_cstr(type, "ref/resource") && tb_json_str(tb_json_get(ref, "uri"), &name)) {
        return resource_subject(mcp, name);
    }
    return UNKNOWN;
}

/* The sessions that the caller may see; NULL when they are too many. */
static struct cJSON *list_sessions(const struct tb_mcp_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    struct tb_json_writer list;
    const struct tb_caller caller = tb_mcp_req_caller(req);
    tb_json_writer_init(&list, &text);
    tb_sessions_list(req->mcp->core->sessions, &caller, &list);
    return list.rc < 0 ? NULL : tb_json_parse(tb_buf_str(&text));
}

/* Those whose name begins with `start`; how many there are. */
static size_t put_names(const struct cJSON *tree, struct tb_str start, struct tb_json_writer *json)
{
    size_t count = 0;
    JSON_ARRAY_FOREACH(session, tb_json_get(tree, "sessions")) {
        struct tb_str name;
        if (tb_json_str(tb_json_get(session, "sessionId"), &name) && tb_str_starts(name, start)) {
            if (++count <= VALUES_MAX) {
                tb_json_put_str(json, name);
            }
        }
    }
    return count;
}

/* Without a tree there is nothing to offer. */
static void send_names(struct tb_mcp_req *req, const struct cJSON *tree, struct tb_str start)
{
    struct tb_mcp_result result;
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_json_key(json, "completion");
    tb_json_object_open(json);
    tb_json_key(json, "values");
    tb_json_array_open(json);
    size_t total = put_names(tree, start, json);
    tb_json_array_close(json);
    tb_json_member_int(json, "total", (int64_t)total);
    tb_json_member_bool(json, "hasMore", total > VALUES_MAX);
    tb_json_object_close(json);
    tb_mcp_result_send(&result);
}

static void complete_session(struct tb_mcp_req *req, struct tb_str start)
{
    TB_AUTO(tb_json_free) struct cJSON *tree = list_sessions(req);
    if (tree) {
        send_names(req, tree, start);
    } else {
        tb_mcp_req_fail(req, tb_err_info(TB_E_TOO_LARGE)->rpc_code,
                        "the list of sessions is too large");
    }
}

void tb_mcp_complete(struct tb_mcp_req *req)
{
    const struct cJSON *params = tb_mcp_req_params(req);
    struct tb_str start = TB_STR("");
    enum subject subject = subject_of(req->mcp, params);
    if (subject == UNKNOWN) {
        tb_mcp_req_fail(req, -32602,
                        "ref must name a prompt or a resource template of this server");
        return;
    }
    if (subject == NOTHING) {
        send_names(req, NULL, start);
        return;
    }
    tb_json_str(tb_json_get(tb_json_get(params, "argument"), "value"), &start);
    /* No name is as long as that. */
    tb_mcp_req_await_sessions(req, tb_str_sub(start, 0, TB_NAME_SIZE), complete_session);
}
