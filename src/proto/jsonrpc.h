/* SPDX-License-Identifier: Apache-2.0 */
/* The envelope of JSON-RPC 2.0 as both eras of MCP and BTCP use it: which kind of message it is,
 * and where its parts stand. Nothing is allocated; all parts are borrowed from the text, as
 * written.
 *
 * An id is a string or a whole number and is echoed by its text, so its type and all its digits
 * stay. Answer a message that failed only if its kind is none or request: a peer's notification or
 * response gets no answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "proto/json_scan.h"

enum {
    TB_JSONRPC_ID_MAX = 256, /* bytes as written */
    TB_JSONRPC_METHOD_MAX = 256,
};

enum tb_jsonrpc_kind {
    TB_JSONRPC_NONE, /* cannot be told */
    TB_JSONRPC_REQUEST,
    TB_JSONRPC_NOTIFICATION,
    TB_JSONRPC_RESULT,
    TB_JSONRPC_ERROR,
    TB_JSONRPC_BATCH,
};

enum tb_jsonrpc_flag {
    /* An array of messages passes as TB_JSONRPC_BATCH (MCP 2025-03-26 only). Walk over the text
     * with proto/json_iter.h and parse each element without this flag. */
    TB_JSONRPC_BATCHES = 1 << 0,
    TB_JSONRPC_OBJECT_PARAMS = 1 << 1, /* params is an object (MCP), not an array */
    TB_JSONRPC_RESULT_TOO =
        1 << 2, /* an error may have a result beside it (published BTCP pages) */
};

struct tb_jsonrpc {
    enum tb_jsonrpc_kind kind;
    struct tb_json_value id; /* absent in notifications and in errors without a readable id */
    struct tb_json_value method;
    struct tb_json_value params;
    struct tb_json_value name;      /* params.name, of any type */
    struct tb_json_value arguments; /* params.arguments, of any type */
    struct tb_json_value meta;      /* params._meta, of any type */
    struct tb_json_value result;
    struct tb_json_value error; /* an object with a whole number `code` and a string `message` */
};

/* 0, TB_E_PARSE when the text is no JSON within the limits, TB_E_INVALID when it is no such
 * message. After a failure only `kind` and `id` mean something: the id is there if it was readable,
 * also in a text that is no JSON. */
int tb_jsonrpc_parse(struct tb_str text, const struct tb_json_limits *limits, unsigned flags,
                     struct tb_jsonrpc *ret_message, struct tb_err *err);
/* True if the message has this method, however it was escaped. */
bool tb_jsonrpc_is(const struct tb_jsonrpc *message, const char *method);

/* Writers append one message, or fail at the buffer's ceiling and leave it as it was. `id`,
 * `result`, `params` and `data` are JSON already and are copied as they are; an empty one is left
 * out. */
int tb_jsonrpc_write_result(struct tb_str id, struct tb_str result, struct tb_buf *out);
int tb_jsonrpc_write_error(struct tb_str id, int rpc_code, struct tb_str message,
                           struct tb_str data, struct tb_buf *out);
/* Without an id it is a notification. */
int tb_jsonrpc_write_request(struct tb_str id, struct tb_str method, struct tb_str params,
                             struct tb_buf *out);
