/* SPDX-License-Identifier: Apache-2.0 */
/* What a message says about itself (`params._meta`, HTTP headers), and the era that follows from
 * it. Nothing is allocated; everything is borrowed from the message. The order of the checks
 * decides what a caller is told; it is that of the specification's HTTP transport, with the rules
 * for headers left out on stdio. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "front/mcp/version.h"
#include "proto/jsonrpc.h"

/* Codes that have no row in err.def because only MCP knows them. */
enum {
    TB_MCP_NOT_FOUND = -32002, /* a resource, legacy only */
    TB_MCP_HEADER_MISMATCH = -32020,
    TB_MCP_MISSING_CAPABILITY = -32021,
    TB_MCP_BAD_VERSION = -32022,
};

/* A refusal: an error for the caller, and the HTTP status that goes with it. */
struct tb_mcp_fault {
    int status;
    int code;
    char text[256];
    char data[256]; /* JSON, empty: none */
};

struct tb_mcp_envelope {
    struct tb_json_value version; /* its presence is the claim to be modern */
    struct tb_json_value capabilities;
    struct tb_json_value log_level;
    struct tb_json_value progress_token;
    struct tb_json_value conversation;
    struct tb_json_value client_info;
    struct tb_json_value trace;
};

/* Pointer NULL: not sent. Without spaces at both ends. */
struct tb_mcp_headers {
    struct tb_str version;
    struct tb_str method;
    struct tb_str name;
};

/* A message with all that is known of it. */
struct tb_mcp_message {
    struct tb_jsonrpc rpc;
    struct tb_mcp_envelope envelope;
    enum tb_mcp_version version;
    struct tb_str conversation; /* from the transport; empty: none */
    struct tb_str session;      /* the same: where its calls go that name none */
    struct tb_str trace;        /* the same: traceparent */
    struct tb_err odd;          /* code < 0: no tree can be made of it, and why */
};

/* tb_jsonrpc_parse within the ceilings of MCP. A call of a tool may have what cJSON cannot hold,
 * such as \u0000 or a long number: only who asks for the tool can tell whether that matters. */
int tb_mcp_message_parse(struct tb_str text, struct tb_mcp_message *ret_message,
                         struct tb_err *err);

/* Reads `_meta`; a message without one has an empty envelope. 0, or negative with a fault when it
 * cannot be read as it is meant: a member stands twice, or has what no C string can hold. What it
 * says about the conversation would be lost, and the message act in another one. */
int tb_mcp_envelope_read(const struct tb_jsonrpc *rpc, struct tb_mcp_envelope *ret_envelope,
                         struct tb_mcp_fault *fault);
bool tb_mcp_envelope_claims(const struct tb_mcp_envelope *envelope);

/* Decides the version of a request or notification: 0, or negative with a fault. A legacy version
 * is the one that the header names, else `legacy`, the one that was agreed on. `headers` is NULL
 * where there are none (stdio). */
int tb_mcp_version_choose(const struct tb_jsonrpc *rpc, const struct tb_mcp_envelope *envelope,
                          const struct tb_mcp_headers *headers, enum tb_mcp_version legacy,
                          enum tb_mcp_version *ret_version, struct tb_mcp_fault *fault);
/* The same for what has no envelope. */
int tb_mcp_version_choose_legacy(const struct tb_mcp_headers *headers, enum tb_mcp_version legacy,
                                 enum tb_mcp_version *ret_version, struct tb_mcp_fault *fault);
/* Fills the fault and returns -1. */
int tb_mcp_fail(struct tb_mcp_fault *fault, int status, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* True if a header's value stands for this JSON string; it may be written as =?base64?...?=. */
bool tb_mcp_header_fits(struct tb_str header, struct tb_str raw);
