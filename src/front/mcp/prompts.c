/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/prompts.h"

#include <string.h>

#include "core/limits.h"
#include "front/mcp/methods.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"

const struct tb_mcp_prompt *tb_mcp_prompt_find(const struct tb_mcp *mcp, struct tb_str name)
{
    for (const struct tb_mcp_provider *const *provider = mcp->providers; *provider; provider++) {
        for (const struct tb_mcp_prompt *row = (*provider)->prompts; row && row->name; row++) {
            if (tb_str_eq_cstr(name, row->name)) {
                return row;
            }
        }
    }
    return NULL;
}

static void put_prompt(struct tb_json_writer *json, const struct tb_mcp_prompt *prompt)
{
    tb_json_object_open(json);
    tb_mcp_put_text(json, "name", prompt->name);
    tb_mcp_put_text(json, "title", prompt->title);
    tb_mcp_put_text(json, "description", prompt->description);
    tb_json_key(json, "arguments");
    tb_json_array_open(json);
    for (const struct tb_mcp_prompt_arg *arg = prompt->args; arg && arg->name; arg++) {
        tb_json_object_open(json);
        tb_mcp_put_text(json, "name", arg->name);
        tb_mcp_put_text(json, "description", arg->description);
        tb_json_member_bool(json, "required", arg->required);
        tb_json_object_close(json);
    }
    tb_json_array_close(json);
    tb_json_object_close(json);
}

void tb_mcp_prompts_list(struct tb_mcp_req *req)
{
    struct tb_mcp_result result;
    if (!tb_mcp_req_without_cursor(req)) {
        return;
    }
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_json_key(json, "prompts");
    tb_json_array_open(json);
    for (const struct tb_mcp_provider *const *provider = req->mcp->providers; *provider;
         provider++) {
        for (const struct tb_mcp_prompt *row = (*provider)->prompts; row && row->name; row++) {
            put_prompt(json, row);
        }
    }
    tb_json_array_close(json);
    tb_mcp_result_send(&result);
}

/* {name} or {name|what stands there when it was not given}. */
static void fill(const char *text, const struct cJSON *args, struct tb_buf *out)
{
    struct tb_str rest = tb_str_of(text);
    while (rest.ptr) {
        char key[64];
        tb_buf_append_str(out, tb_str_cut(&rest, '{'));
        if (!rest.ptr) {
            break;
        }
        struct tb_str fallback = tb_str_cut(&rest, '}');
        struct tb_str name = tb_str_cut(&fallback, '|');
        struct tb_str value = fallback.ptr ? fallback : TB_STR("");
        size_t len = name.len < sizeof(key) - 1 ? name.len : sizeof(key) - 1;
        memcpy(key, name.ptr, len);
        key[len] = '\0';
        tb_json_str(tb_json_get(args, key), &value);
        tb_buf_append_str(out, value);
    }
}

static void send_text(struct tb_mcp_req *req, const struct tb_mcp_prompt *prompt,
                      const struct cJSON *args)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MCP_RESULT_MAX / 8);
    struct tb_mcp_result result;
    fill(prompt->text, args, &text);
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_mcp_put_text(json, "description", prompt->description);
    tb_json_key(json, "messages");
    tb_json_array_open(json);
    tb_json_object_open(json);
    tb_mcp_put_text(json, "role", "user");
    tb_json_key(json, "content");
    tb_json_object_open(json);
    tb_mcp_put_text(json, "type", "text");
    tb_json_member_str(json, "text", tb_buf_str(&text));
    tb_json_object_close(json);
    tb_json_object_close(json);
    tb_json_array_close(json);
    tb_mcp_result_send(&result);
}

/* The name of an argument that is missing or no text; NULL when all is well. */
static const char *wrong_arg(const struct tb_mcp_prompt *prompt, const struct cJSON *args)
{
    for (const struct tb_mcp_prompt_arg *arg = prompt->args; arg && arg->name; arg++) {
        struct tb_str value;
        const struct cJSON *given = tb_json_get(args, arg->name);
        if ((given || arg->required) && !tb_json_str(given, &value)) {
            return arg->name;
        }
    }
    return NULL;
}

void tb_mcp_prompts_get(struct tb_mcp_req *req)
{
    const struct cJSON *params = tb_mcp_req_params(req);
    const struct cJSON *args = tb_json_get(params, "arguments");
    struct tb_str name;
    const struct tb_mcp_prompt *prompt =
        tb_json_str(tb_json_get(params, "name"), &name) ? tb_mcp_prompt_find(req->mcp, name) : NULL;
    if (!prompt) {
        tb_mcp_req_fail(req, -32602, "unknown prompt; prompts/list names the available ones");
        return;
    }
    const char *wrong = wrong_arg(prompt, args);
    if (wrong) {
        tb_mcp_req_fail(req, -32602, "the argument '%s' is missing or not a string", wrong);
    } else if (prompt->get) {
        prompt->get(req, args);
    } else {
        send_text(req, prompt, args);
    }
}
