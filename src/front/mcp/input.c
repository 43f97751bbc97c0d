/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/input.h"

#include <stdio.h>

#include "core/limits.h"
#include "front/mcp/peer.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"

enum {
    SEALED_MAX = 128 * TB_KIB,
};

static const struct {
    const char *method;
    const char *capability;
} needs[] = {
    {"elicitation/create", "elicitation"},
    {"sampling/createMessage", "sampling"},
    {"roots/list", "roots"},
};

static const char *capability_of(const struct tb_mcp_input *input)
{
    for (size_t i = 0; i < TB_COUNT(needs); i++) {
        if (tb_str_eq_cstr(tb_str_of(input->method), needs[i].method)) {
            return needs[i].capability;
        }
    }
    return "";
}

/* Whoever sends the state back must be the same caller, with the same call. */
static void print_binding(struct tb_mcp_req *req, struct tb_buf *out)
{
    struct tb_json_writer json;
    const struct cJSON *params = tb_mcp_req_params(req);
    tb_json_writer_init(&json, out);
    tb_json_array_open(&json);
    tb_json_put_cstr(&json, req->peer->who->tenant);
    tb_json_put_cstr(&json, req->peer->who->key);
    tb_json_put_cstr(&json, req->method->name);
    tb_json_put_tree(&json, tb_json_get(params, "name"));
    tb_json_put_tree(&json, tb_json_get(params, "uri"));
    tb_json_put_tree(&json, tb_json_get(params, "arguments"));
    tb_json_array_close(&json);
}

static void put_state(struct tb_mcp_req *req, struct tb_str state, struct tb_json_writer *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf bound = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(SEALED_MAX);
    print_binding(req, &bound);
    int64_t now_ms = tb_loop_now_ms(req->mcp->core->loop);
    tb_mcp_state_seal(&req->mcp->states, now_ms, tb_buf_str(&bound), state, &sealed);
    tb_json_member_str(json, "requestState", tb_buf_str(&sealed));
}

static void put_input(struct tb_json_writer *json, const struct tb_mcp_input *input)
{
    tb_json_key(json, input->key);
    tb_json_object_open(json);
    tb_mcp_put_text(json, "method", input->method);
    tb_json_member_raw(json, "params", tb_str_of(input->params));
    tb_json_object_close(json);
}

void tb_mcp_input_ask(struct tb_mcp_req *req, const struct tb_mcp_input *inputs,
                      struct tb_str state)
{
    struct tb_mcp_result result;
    size_t asked = 0;
    for (const struct tb_mcp_input *input = inputs; input->key; input++) {
        asked += tb_mcp_req_client_can(req, capability_of(input));
    }
    if (!asked) {
        char data[128];
        snprintf(data, sizeof(data), "{\"requiredCapabilities\":{\"%s\":{}}}",
                 capability_of(inputs));
        tb_mcp_req_fail_data(req, TB_MCP_MISSING_CAPABILITY,
                             "the client has not declared a capability that this needs", data);
        return;
    }
    struct tb_json_writer *json = tb_mcp_result_open_input(&result, req);
    tb_json_key(json, "inputRequests");
    tb_json_object_open(json);
    for (const struct tb_mcp_input *input = inputs; input->key; input++) {
        if (tb_mcp_req_client_can(req, capability_of(input))) {
            put_input(json, input);
        }
    }
    tb_json_object_close(json);
    if (state.len) {
        put_state(req, state, json);
    }
    tb_mcp_result_send(&result);
}

const struct cJSON *tb_mcp_input_response(struct tb_mcp_req *req, const char *key)
{
    const struct cJSON *answer =
        tb_json_get(tb_json_get(tb_mcp_req_params(req), "inputResponses"), key);
    return tb_json_is_object(answer) ? answer : NULL;
}

int tb_mcp_input_state(struct tb_mcp_req *req, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf bound = TB_BUF(SIZE_MAX);
    struct tb_str sealed;
    const struct cJSON *given = tb_json_get(tb_mcp_req_params(req), "requestState");
    if (!given) {
        return 0;
    }
    if (!tb_json_str(given, &sealed)) {
        return TB_E_INVALID;
    }
    print_binding(req, &bound);
    int64_t now_ms = tb_loop_now_ms(req->mcp->core->loop);
    return tb_mcp_state_open(&req->mcp->states, now_ms, tb_buf_str(&bound), sealed, out);
}
