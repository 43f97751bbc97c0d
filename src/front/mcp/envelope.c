/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/envelope.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "core/limits.h"
#include "front/mcp/limits.h"
#include "proto/json_string.h"

#define KEY(name) "io.modelcontextprotocol/" name

enum {
    WANT_VERSION,
    WANT_CAPABILITIES,
    WANT_LOG_LEVEL,
    WANT_PROGRESS,
    WANT_CONVERSATION,
    WANT_CLIENT_INFO,
    WANT_TRACE,
    WANT_COUNT,
};

int tb_mcp_fail(struct tb_mcp_fault *fault, int status, int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fault->status = status;
    fault->code = code;
    fault->data[0] = '\0';
    vsnprintf(fault->text, sizeof(fault->text), fmt, args);
    va_end(args);
    return -1;
}

int tb_mcp_envelope_read(const struct tb_jsonrpc *rpc, struct tb_mcp_envelope *ret_envelope,
                         struct tb_mcp_fault *fault)
{
    struct tb_json_want wants[WANT_COUNT] = {
        [WANT_VERSION] = {.key = KEY("protocolVersion")},
        [WANT_CAPABILITIES] = {.key = KEY("clientCapabilities")},
        [WANT_LOG_LEVEL] = {.key = KEY("logLevel")},
        [WANT_PROGRESS] = {.key = "progressToken"},
        [WANT_CONVERSATION] = {.key = "tabard/conversation"},
        [WANT_CLIENT_INFO] = {.key = KEY("clientInfo")},
        [WANT_TRACE] = {.key = "traceparent"},
    };
    const struct tb_json_limits limits = {0};
    struct tb_err err;
    *ret_envelope = (struct tb_mcp_envelope){0};
    if (rpc->meta.type != TB_JSON_OBJECT) {
        return 0;
    }
    int rc = tb_json_scan(rpc->meta.text, &limits, wants, WANT_COUNT, &err);
    if (rc < 0) {
        return tb_mcp_fail(fault, 400, tb_err_info(rc)->rpc_code, "params._meta: %s", err.text);
    }
    *ret_envelope = (struct tb_mcp_envelope){
        .version = wants[WANT_VERSION].value,
        .capabilities = wants[WANT_CAPABILITIES].value,
        .log_level = wants[WANT_LOG_LEVEL].value,
        .progress_token = wants[WANT_PROGRESS].value,
        .conversation = wants[WANT_CONVERSATION].value,
        .client_info = wants[WANT_CLIENT_INFO].value,
        .trace = wants[WANT_TRACE].value,
    };
    return 0;
}

bool tb_mcp_envelope_claims(const struct tb_mcp_envelope *envelope)
{
    return envelope->version.type != TB_JSON_ABSENT;
}

static bool is_valid(const struct tb_mcp_envelope *envelope)
{
    return envelope->version.type == TB_JSON_STRING &&
           envelope->capabilities.type == TB_JSON_OBJECT;
}

bool tb_mcp_header_fits(struct tb_str header, struct tb_str raw)
{
    const struct tb_str open = TB_STR("=?base64?");
    const struct tb_str close = TB_STR("?=");
    TB_AUTO(tb_buf_fini) struct tb_buf decoded = TB_BUF(TB_HTTP_HEAD_MAX);
    bool coded = header.len >= open.len + close.len && tb_str_starts(header, open) &&
                 tb_str_eq(tb_str_sub(header, header.len - close.len, header.len), close);
    if (!coded) {
        return tb_json_string_eq(raw, header);
    }
    struct tb_str text = tb_str_sub(header, open.len, header.len - close.len);
    return tb_base64_decode(text, &decoded) == 0 && tb_json_string_eq(raw, tb_buf_str(&decoded));
}

/* The member of params that Mcp-Name repeats; absent for methods that have none. */
static struct tb_json_value named_member(const struct tb_jsonrpc *rpc)
{
    if (tb_jsonrpc_is(rpc, "tools/call") || tb_jsonrpc_is(rpc, "prompts/get")) {
        return rpc->name;
    }
    struct tb_json_want uri = {.key = "uri"};
    const struct tb_json_limits limits = {0};
    if (tb_jsonrpc_is(rpc, "resources/read") && rpc->params.type == TB_JSON_OBJECT) {
        tb_json_scan(rpc->params.text, &limits, &uri, 1, NULL);
    }
    return uri.value;
}

static int check_missing(const struct tb_jsonrpc *rpc, const struct tb_mcp_headers *headers,
                         struct tb_mcp_fault *fault)
{
    struct tb_json_value name = named_member(rpc);
    const char *missing = !headers->version.ptr  ? "MCP-Protocol-Version"
                          : !headers->method.ptr ? "Mcp-Method"
                          : name.type != TB_JSON_ABSENT && !headers->name.ptr ? "Mcp-Name"
                                                                              : NULL;
    if (missing) {
        return tb_mcp_fail(fault, 400, TB_MCP_HEADER_MISMATCH, "the header %s is missing", missing);
    }
    if (name.type == TB_JSON_STRING && !tb_mcp_header_fits(headers->name, name.text)) {
        return tb_mcp_fail(fault, 400, TB_MCP_HEADER_MISMATCH,
                           "the header Mcp-Name differs from the request");
    }
    return 0;
}

static int bad_version(const struct tb_mcp_envelope *envelope, struct tb_mcp_fault *fault)
{
    enum {
        SHOWN_MAX = 64,
    };
    tb_mcp_fail(fault, 400, TB_MCP_BAD_VERSION, "this protocol version is not supported");
    TB_AUTO(tb_buf_fini) struct tb_buf data = TB_BUF(sizeof(fault->data) - 1);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &data);
    tb_json_object_open(&json);
    tb_json_key(&json, "supported");
    tb_mcp_version_list(TB_MCP_MODERN, &json);
    tb_json_member_raw(&json, "requested",
                       envelope->version.text.len <= SHOWN_MAX ? envelope->version.text
                                                               : TB_STR("\"\""));
    tb_json_object_close(&json);
    snprintf(fault->data, sizeof(fault->data), "%.*s", TB_STR_ARG(tb_buf_str(&data)));
    return -1;
}

/* The message says that it is modern. */
static int choose_modern(const struct tb_jsonrpc *rpc, const struct tb_mcp_envelope *envelope,
                         const struct tb_mcp_headers *headers, enum tb_mcp_version *ret_version,
                         struct tb_mcp_fault *fault)
{
    /* Which headers a notification has to carry is not laid down. */
    bool strict = headers && rpc->kind == TB_JSONRPC_REQUEST;
    if (!is_valid(envelope) && rpc->kind == TB_JSONRPC_REQUEST) {
        return tb_mcp_fail(fault, 400, -32602, "params._meta needs %s and %s",
                           KEY("protocolVersion (a string)"),
                           KEY("clientCapabilities (an object)"));
    }
    if (headers && headers->version.ptr &&
        !tb_json_string_eq(envelope->version.text, headers->version)) {
        return tb_mcp_fail(
            fault, 400, TB_MCP_HEADER_MISMATCH,
            "the header MCP-Protocol-Version differs from the version in params._meta");
    }
    if (headers && headers->method.ptr && !tb_json_string_eq(rpc->method.text, headers->method)) {
        return tb_mcp_fail(fault, 400, TB_MCP_HEADER_MISMATCH,
                           "the header Mcp-Method differs from the method");
    }
    if (!tb_json_string_eq(envelope->version.text,
                           tb_str_of(tb_mcp_version_name(TB_MCP_2026_07_28)))) {
        return bad_version(envelope, fault);
    }
    *ret_version = TB_MCP_2026_07_28;
    return strict ? check_missing(rpc, headers, fault) : 0;
}

int tb_mcp_version_choose_legacy(const struct tb_mcp_headers *headers, enum tb_mcp_version legacy,
                                 enum tb_mcp_version *ret_version, struct tb_mcp_fault *fault)
{
    *ret_version = legacy;
    /* Clients are known to send another version than the one agreed on; any that we serve will do.
     */
    if (headers && headers->version.ptr && !tb_mcp_version_find(headers->version, ret_version)) {
        return tb_mcp_fail(fault, 400, -32600,
                           "the header MCP-Protocol-Version names a version that is not supported");
    }
    return 0;
}

int tb_mcp_version_choose(const struct tb_jsonrpc *rpc, const struct tb_mcp_envelope *envelope,
                          const struct tb_mcp_headers *headers, enum tb_mcp_version legacy,
                          enum tb_mcp_version *ret_version, struct tb_mcp_fault *fault)
{
    bool modern_header =
        headers && headers->version.ptr && tb_mcp_version_is_modern(headers->version);
    if (tb_jsonrpc_is(rpc, "initialize") && !is_valid(envelope)) {
        if (modern_header) {
            return tb_mcp_fail(
                fault, 400, TB_MCP_HEADER_MISMATCH,
                "initialize belongs to versions before the one that MCP-Protocol-Version names");
        }
        *ret_version = legacy; /* whatever the header says: this is where versions are agreed on */
        return 0;
    }
    if (tb_mcp_envelope_claims(envelope)) {
        return choose_modern(rpc, envelope, headers, ret_version, fault);
    }
    if (!modern_header) {
        return tb_mcp_version_choose_legacy(headers, legacy, ret_version, fault);
    }
    if (rpc->kind == TB_JSONRPC_NOTIFICATION) {
        *ret_version = TB_MCP_MODERN_OLDEST;
        return 0;
    }
    return tb_mcp_fail(fault, 400, -32602, "params._meta lacks %s", KEY("protocolVersion"));
}

int tb_mcp_message_parse(struct tb_str text, struct tb_mcp_message *ret_message, struct tb_err *err)
{
    const unsigned flags = TB_JSONRPC_BATCHES | TB_JSONRPC_OBJECT_PARAMS;
    int rc = tb_jsonrpc_parse(text, &tb_mcp_json_limits, flags, &ret_message->rpc, err);
    if (rc != TB_E_PARSE) {
        return rc;
    }
    struct tb_json_limits lax = tb_mcp_json_limits;
    struct tb_jsonrpc rpc;
    lax.any_escape = true;
    lax.number_max = TB_KIB;
    if (tb_jsonrpc_parse(text, &lax, flags, &rpc, NULL) < 0 || rpc.kind != TB_JSONRPC_REQUEST ||
        !tb_jsonrpc_is(&rpc, "tools/call")) {
        return rc;
    }
    ret_message->rpc = rpc;
    ret_message->odd = *err;
    return 0;
}
