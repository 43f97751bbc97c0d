/* SPDX-License-Identifier: Apache-2.0 */
/* Parts lie inside the text and keep the rules of their kind; what parses also parses when it is
 * written again from its parts, with the same parts; a batch never changes what its elements are.
 */
#undef NDEBUG
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "proto/json_iter.h"
#include "proto/json_string.h"
#include "proto/jsonrpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tb_json_limits limits = {.depth_max = 64,
                                             .number_max = TB_JSON_NUMBER_TREE,
                                             .token_max = 100000};

enum {
    OUT_MAX = 1 << 20,
};

static void check_inside(struct tb_str text, struct tb_json_value part)
{
    if (part.type == TB_JSON_ABSENT) {
        assert(!part.text.ptr && part.text.len == 0);
        return;
    }
    assert(part.text.ptr >= text.ptr && part.text.len > 0);
    assert(part.text.ptr + part.text.len <= text.ptr + text.len);
}

static void check_id(struct tb_json_value id)
{
    assert(id.type == TB_JSON_ABSENT || id.type == TB_JSON_STRING || id.type == TB_JSON_NUMBER);
    assert(id.text.len <= TB_JSONRPC_ID_MAX);
    assert(id.type != TB_JSON_NUMBER || !memchr(id.text.ptr, '.', id.text.len));
}

static bool same(struct tb_json_value a, struct tb_json_value b)
{
    return a.type == b.type && tb_str_eq(a.text, b.text);
}

static void write_call(const struct tb_jsonrpc *message, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf method = TB_BUF(TB_JSONRPC_METHOD_MAX);
    assert(tb_json_string_decode(message->method.text, &method) == 0);
    int rc =
        tb_jsonrpc_write_request(message->id.text, tb_buf_str(&method), message->params.text, out);
    assert(rc == 0);
}

static void write_error(const struct tb_jsonrpc *message, struct tb_buf *out)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(message->error.text);
    struct tb_str words;
    assert(tb_json_str(tb_json_get(json, "message"), &words));
    const struct tb_str none = {NULL, 0};
    assert(tb_jsonrpc_write_error(message->id.text, -32000, words, none, out) == 0);
}

static void check_rewritten(const struct tb_jsonrpc *message, unsigned flags)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(OUT_MAX);
    if (message->kind == TB_JSONRPC_RESULT) {
        assert(tb_jsonrpc_write_result(message->id.text, message->result.text, &out) == 0);
    } else if (message->kind == TB_JSONRPC_ERROR) {
        write_error(message, &out);
    } else {
        write_call(message, &out);
    }
    struct tb_jsonrpc again;
    assert(tb_jsonrpc_parse(tb_buf_str(&out), &limits, flags, &again, NULL) == 0);
    assert(again.kind == message->kind && same(again.id, message->id));
    assert(same(again.params, message->params) && same(again.name, message->name));
    assert(same(again.meta, message->meta));
    assert(message->kind == TB_JSONRPC_ERROR || same(again.result, message->result));
}

static void check_parts(struct tb_str text, const struct tb_jsonrpc *message)
{
    check_inside(text, message->id);
    check_inside(text, message->method);
    check_inside(text, message->params);
    check_inside(text, message->name);
    check_inside(text, message->meta);
    check_inside(text, message->result);
    check_inside(text, message->error);
    check_id(message->id);
}

static void check_one(struct tb_str text, unsigned flags)
{
    struct tb_jsonrpc message;
    struct tb_err err;
    int rc = tb_jsonrpc_parse(text, &limits, flags & ~(unsigned)TB_JSONRPC_BATCHES, &message, &err);
    check_id(message.id);
    if (rc < 0) {
        assert(rc == err.code && (rc == TB_E_PARSE || rc == TB_E_INVALID));
        return;
    }
    check_parts(text, &message);
    assert(message.kind != TB_JSONRPC_NONE && message.kind != TB_JSONRPC_BATCH);
    assert((message.kind == TB_JSONRPC_NOTIFICATION) <= (message.id.type == TB_JSON_ABSENT));
    assert((message.kind == TB_JSONRPC_REQUEST) <= (message.id.type != TB_JSON_ABSENT));
    check_rewritten(&message, flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned flags = 0; flags < 8; flags++) {
        struct tb_str text = {(const char *)data, size};
        struct tb_jsonrpc message;
        int rc = tb_jsonrpc_parse(text, &limits, flags, &message, NULL);
        assert((rc == 0 && message.kind == TB_JSONRPC_BATCH) <= (flags & TB_JSONRPC_BATCHES));
        if (rc == 0 && message.kind == TB_JSONRPC_BATCH) {
            struct tb_json_iter iter = tb_json_iter_of(text);
            struct tb_json_item item;
            while (tb_json_iter_next(&iter, &item)) {
                check_one(item.value.text, flags);
            }
        } else {
            check_one(text, flags);
        }
    }
    return 0;
}
