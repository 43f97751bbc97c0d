/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/jsonrpc.h"

#include "base/json.h"
#include "proto/json_iter.h"
#include "proto/json_string.h"

enum {
    WANT_VERSION,
    WANT_ID,
    WANT_METHOD,
    WANT_PARAMS,
    WANT_NAME,
    WANT_ARGUMENTS,
    WANT_META,
    WANT_RESULT,
    WANT_ERROR,
    WANT_COUNT,
};

static bool has(struct tb_json_value value)
{
    return value.type != TB_JSON_ABSENT;
}

static bool is_integer(struct tb_json_value value)
{
    if (value.type != TB_JSON_NUMBER) {
        return false;
    }
    for (size_t i = 0; i < value.text.len; i++) {
        char c = value.text.ptr[i];
        if (c == '.' || c == 'e' || c == 'E') {
            return false;
        }
    }
    return true;
}

static bool id_ok(struct tb_json_value id)
{
    return (id.type == TB_JSON_STRING || is_integer(id)) && id.text.len <= TB_JSONRPC_ID_MAX;
}

static enum tb_jsonrpc_kind kind_of(const struct tb_jsonrpc *message)
{
    if (has(message->method)) {
        if (has(message->id)) {
            return TB_JSONRPC_REQUEST;
        }
        return message->method.type == TB_JSON_STRING ? TB_JSONRPC_NOTIFICATION : TB_JSONRPC_NONE;
    }
    if (has(message->error)) {
        return TB_JSONRPC_ERROR;
    }
    return has(message->result) ? TB_JSONRPC_RESULT : TB_JSONRPC_NONE;
}

static int check_call(const struct tb_jsonrpc *message, unsigned flags, struct tb_err *err)
{
    if (message->method.type != TB_JSON_STRING ||
        message->method.text.len > TB_JSONRPC_METHOD_MAX + 2) {
        return tb_fail(err, TB_E_INVALID, "method must be a string of at most %d bytes",
                       TB_JSONRPC_METHOD_MAX);
    }
    if (has(message->result) || has(message->error)) {
        return tb_fail(err, TB_E_INVALID,
                       "a message must have exactly one of method, result and error");
    }
    bool array_ok = !(flags & TB_JSONRPC_OBJECT_PARAMS);
    enum tb_json_type params = message->params.type;
    if (params == TB_JSON_ABSENT || params == TB_JSON_OBJECT ||
        (params == TB_JSON_ARRAY && array_ok)) {
        return 0;
    }
    return tb_fail(err, TB_E_INVALID, "params must be an object%s", array_ok ? " or an array" : "");
}

static int check_error(const struct tb_jsonrpc *message, unsigned flags,
                       const struct tb_json_limits *limits, struct tb_err *err)
{
    struct tb_json_want wants[] = {{.key = "code"}, {.key = "message"}};
    if (has(message->result) && !(flags & TB_JSONRPC_RESULT_TOO)) {
        return tb_fail(err, TB_E_INVALID, "a response must have either a result or an error");
    }
    int rc = tb_json_scan(message->error.text, limits, wants, TB_COUNT(wants), err);
    if (rc < 0) {
        return rc;
    }
    if (!is_integer(wants[0].value) || wants[1].value.type != TB_JSON_STRING) {
        return tb_fail(err, TB_E_INVALID,
                       "error must be an object with a whole number code and a string message");
    }
    return 0;
}

static int check_kind(const struct tb_jsonrpc *message, unsigned flags,
                      const struct tb_json_limits *limits, struct tb_err *err)
{
    switch (message->kind) {
    case TB_JSONRPC_ERROR:
        return check_error(message, flags, limits, err);
    case TB_JSONRPC_RESULT:
        return has(message->id) ? 0 : tb_fail(err, TB_E_INVALID, "a result needs an id");
    case TB_JSONRPC_NONE:
        if (!has(message->method)) {
            return tb_fail(err, TB_E_INVALID, "the message has no method, result or error");
        }
        return check_call(message, flags, err);
    default:
        return check_call(message, flags, err);
    }
}

/* JSON-RPC answers what it could not read with the id null, so an error may carry it. */
static int take_id(struct tb_jsonrpc *message, struct tb_err *err)
{
    struct tb_json_value id = message->id;
    if (!has(id) || id_ok(id)) {
        return 0;
    }
    message->id = (struct tb_json_value){.type = TB_JSON_ABSENT};
    if (id.type == TB_JSON_NULL && message->kind == TB_JSONRPC_ERROR) {
        return 0;
    }
    return tb_fail(err, TB_E_INVALID, "id must be a string or a whole number of at most %d bytes",
                   TB_JSONRPC_ID_MAX);
}

static int check_array(struct tb_str text, unsigned flags, struct tb_jsonrpc *message,
                       struct tb_err *err)
{
    if (!(flags & TB_JSONRPC_BATCHES)) {
        return tb_fail(err, TB_E_INVALID, "batches are not part of this protocol version");
    }
    struct tb_json_iter iter = tb_json_iter_of(text);
    struct tb_json_item item;
    if (!tb_json_iter_next(&iter, &item)) {
        return tb_fail(err, TB_E_INVALID, "the batch is empty");
    }
    message->kind = TB_JSONRPC_BATCH;
    return 0;
}

/* An id that another reader of this text would see, too: whole, and valid by itself. */
static bool is_whole_id(struct tb_str text, struct tb_json_value id)
{
    const struct tb_json_limits none = {0};
    return id_ok(id) && id.text.ptr + id.text.len < text.ptr + text.len &&
           tb_json_scan(id.text, &none, NULL, 0, NULL) == (int)id.type;
}

/* Most of what the scan refuses is refused for its contents (half an emoji, a number beyond all
 * doubles, a key that stands twice): it is still a request, whose sender waits for an answer under
 * its id. */
static void guess_id(struct tb_str text, struct tb_jsonrpc *message)
{
    struct tb_json_iter iter = tb_json_iter_of(text);
    struct tb_json_item item;
    struct tb_jsonrpc seen = {.kind = TB_JSONRPC_NONE};
    size_t ids = 0;
    while (tb_json_iter_next(&iter, &item)) {
        if (tb_json_string_eq(item.key, TB_STR("id"))) {
            seen.id = item.value;
            ids++;
        } else if (tb_json_string_eq(item.key, TB_STR("method"))) {
            seen.method = item.value;
        } else if (tb_json_string_eq(item.key, TB_STR("result"))) {
            seen.result = item.value;
        } else if (tb_json_string_eq(item.key, TB_STR("error"))) {
            seen.error = item.value;
        }
    }
    if (ids == 1 && is_whole_id(text, seen.id)) {
        message->id = seen.id;
        message->kind = kind_of(&seen);
    }
}

int tb_jsonrpc_parse(struct tb_str text, const struct tb_json_limits *limits, unsigned flags,
                     struct tb_jsonrpc *ret_message, struct tb_err *err)
{
    struct tb_json_want wants[WANT_COUNT] = {
        [WANT_VERSION] = {.key = "jsonrpc"},
        [WANT_ID] = {.key = "id"},
        [WANT_METHOD] = {.key = "method"},
        [WANT_PARAMS] = {.key = "params"},
        [WANT_NAME] = {.parent = "params", .key = "name"},
        [WANT_ARGUMENTS] = {.parent = "params", .key = "arguments"},
        [WANT_META] = {.parent = "params", .key = "_meta"},
        [WANT_RESULT] = {.key = "result"},
        [WANT_ERROR] = {.key = "error"},
    };
    *ret_message = (struct tb_jsonrpc){.kind = TB_JSONRPC_NONE};
    int rc = tb_json_scan(text, limits, wants, WANT_COUNT, err);
    if (rc < 0) {
        guess_id(text, ret_message);
        return rc;
    }
    if (rc == TB_JSON_ARRAY) {
        return check_array(text, flags, ret_message, err);
    }
    if (rc != TB_JSON_OBJECT) {
        return tb_fail(err, TB_E_INVALID, "a message must be an object");
    }
    *ret_message = (struct tb_jsonrpc){
        .id = wants[WANT_ID].value,
        .method = wants[WANT_METHOD].value,
        .params = wants[WANT_PARAMS].value,
        .name = wants[WANT_NAME].value,
        .arguments = wants[WANT_ARGUMENTS].value,
        .meta = wants[WANT_META].value,
        .result = wants[WANT_RESULT].value,
        .error = wants[WANT_ERROR].value,
    };
    ret_message->kind = kind_of(ret_message);
    rc = take_id(ret_message, err);
    if (rc == 0 && !tb_json_string_eq(wants[WANT_VERSION].value.text, TB_STR("2.0"))) {
        rc = tb_fail(err, TB_E_INVALID, "jsonrpc must be \"2.0\"");
    }
    return rc < 0 ? rc : check_kind(ret_message, flags, limits, err);
}

bool tb_jsonrpc_is(const struct tb_jsonrpc *message, const char *method)
{
    return tb_json_string_eq(message->method.text, tb_str_of(method));
}

/* Writers share the frame: open, members, close; what did not fit is taken back. */
static void open_message(struct tb_json_writer *writer, struct tb_str id, struct tb_buf *out)
{
    tb_json_writer_init(writer, out);
    tb_json_object_open(writer);
    tb_json_member_cstr(writer, "jsonrpc", "2.0");
    if (id.len) {
        tb_json_member_raw(writer, "id", id);
    }
}

static void put_member(struct tb_json_writer *writer, const char *key, struct tb_str json)
{
    if (json.len) {
        tb_json_member_raw(writer, key, json);
    }
}

static int close_message(struct tb_json_writer *writer, size_t before)
{
    tb_json_object_close(writer);
    if (writer->rc < 0) {
        writer->out->len = before;
    }
    return writer->rc;
}

int tb_jsonrpc_write_result(struct tb_str id, struct tb_str result, struct tb_buf *out)
{
    const size_t before = out->len;
    struct tb_json_writer writer;
    open_message(&writer, id, out);
    put_member(&writer, "result", result);
    return close_message(&writer, before);
}

int tb_jsonrpc_write_error(struct tb_str id, int rpc_code, struct tb_str message,
                           struct tb_str data, struct tb_buf *out)
{
    const size_t before = out->len;
    struct tb_json_writer writer;
    open_message(&writer, id, out);
    tb_json_key(&writer, "error");
    tb_json_object_open(&writer);
    tb_json_member_int(&writer, "code", rpc_code);
    tb_json_member_str(&writer, "message", message);
    put_member(&writer, "data", data);
    tb_json_object_close(&writer);
    return close_message(&writer, before);
}

int tb_jsonrpc_write_request(struct tb_str id, struct tb_str method, struct tb_str params,
                             struct tb_buf *out)
{
    const size_t before = out->len;
    struct tb_json_writer writer;
    open_message(&writer, id, out);
    tb_json_member_str(&writer, "method", method);
    put_member(&writer, "params", params);
    return close_message(&writer, before);
}
