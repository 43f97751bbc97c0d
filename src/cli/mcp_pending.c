/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_pending.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "core/limits.h"
#include "front/mcp/batch.h"
#include "front/mcp/limits.h"
#include "proto/json_iter.h"
#include "proto/json_string.h"
#include "proto/jsonrpc.h"

struct due {
    struct tb_list link;
    struct tb_str id; /* as written; in the same block of memory */
    uint64_t batch;   /* its number; 0: came alone */
    size_t times;
};

void tb_mcp_pending_init(struct tb_mcp_pending *pending)
{
    *pending = (struct tb_mcp_pending){0};
    tb_map_init(&pending->by_id);
    tb_list_init(&pending->in_order);
}

static void forget(struct tb_mcp_pending *pending, struct due *due)
{
    tb_map_remove(&pending->by_id, due->id);
    tb_list_remove(&due->link);
    tb_free(due);
}

void tb_mcp_pending_fini(struct tb_mcp_pending *pending)
{
    LIST_FOREACH_SAFE(link, &pending->in_order) {
        forget(pending, TB_CONTAINER(link, struct due, link));
    }
    tb_map_fini(&pending->by_id);
}

size_t tb_mcp_pending_count(const struct tb_mcp_pending *pending)
{
    return pending->by_id.count;
}

static void add(struct tb_mcp_pending *pending, struct tb_str id, uint64_t batch)
{
    struct due *due = tb_map_get(&pending->by_id, id);
    if (!due) {
        due = tb_zalloc(sizeof(*due) + id.len);
        memcpy(due + 1, id.ptr, id.len);
        due->id = (struct tb_str){(const char *)(due + 1), id.len};
        due->batch = batch;
        tb_list_append(&pending->in_order, &due->link);
        tb_map_add(&pending->by_id, due->id, due);
    }
    due->times++;
}

static void take_off(struct tb_mcp_pending *pending, struct tb_str id)
{
    struct due *due = tb_map_get(&pending->by_id, id);
    if (due && --due->times == 0) {
        forget(pending, due);
    }
}

static void cancel(struct tb_mcp_pending *pending, const struct tb_jsonrpc *message)
{
    struct tb_json_want id = {.key = "requestId"};
    if (message->params.type == TB_JSON_OBJECT &&
        tb_json_scan(message->params.text, &tb_mcp_json_limits, &id, 1, NULL) >= 0) {
        take_off(pending, id.value.text);
    }
}

/* The daemon agrees to this version when it is asked for it. */
static void note_version(struct tb_mcp_pending *pending, const struct tb_jsonrpc *message)
{
    struct tb_json_want version = {.key = "protocolVersion"};
    pending->batching =
        message->params.type == TB_JSON_OBJECT &&
        tb_json_scan(message->params.text, &tb_mcp_json_limits, &version, 1, NULL) >= 0 &&
        tb_json_string_eq(version.value.text, TB_STR("2025-03-26"));
}

/* What is no valid request but has an id gets its error under that id. */
static bool gets_answer(const struct tb_jsonrpc *message)
{
    return (message->kind == TB_JSONRPC_REQUEST || message->kind == TB_JSONRPC_NONE) &&
           message->id.type != TB_JSON_ABSENT;
}

static void note(struct tb_mcp_pending *pending, const struct tb_jsonrpc *message, uint64_t batch)
{
    if (gets_answer(message)) {
        add(pending, message->id.text, batch);
    } else if (message->kind == TB_JSONRPC_NOTIFICATION &&
               tb_jsonrpc_is(message, "notifications/cancelled")) {
        cancel(pending, message);
    }
}

static void note_batch(struct tb_mcp_pending *pending, struct tb_str line)
{
    struct tb_json_iter iter = tb_json_iter_of(line);
    struct tb_json_item item;
    pending->batches++;
    for (size_t i = 0; i < TB_MCP_BATCH && tb_json_iter_next(&iter, &item); i++) {
        struct tb_jsonrpc message;
        tb_jsonrpc_parse(item.value.text, &tb_mcp_json_limits, TB_JSONRPC_OBJECT_PARAMS, &message,
                         NULL);
        note(pending, &message, pending->batches);
    }
}

bool tb_mcp_pending_asked(struct tb_mcp_pending *pending, struct tb_str line)
{
    struct tb_jsonrpc message;
    int rc = tb_jsonrpc_parse(line, &tb_mcp_json_limits,
                              TB_JSONRPC_BATCHES | TB_JSONRPC_OBJECT_PARAMS, &message, NULL);
    if (message.kind == TB_JSONRPC_BATCH) {
        if (pending->batching && !tb_mcp_batch_claims(line)) {
            note_batch(pending, line);
        }
        return false;
    }
    note(pending, &message, 0);
    bool initialize =
        rc == 0 && message.kind == TB_JSONRPC_REQUEST && tb_jsonrpc_is(&message, "initialize");
    if (initialize) {
        note_version(pending, &message);
    }
    return initialize;
}

static void note_answer(struct tb_mcp_pending *pending, const struct tb_jsonrpc *message)
{
    if (message->kind == TB_JSONRPC_RESULT || message->kind == TB_JSONRPC_ERROR) {
        take_off(pending, message->id.text);
    }
}

void tb_mcp_pending_answered(struct tb_mcp_pending *pending, struct tb_str line)
{
    const struct tb_json_limits limits = {.any_escape = true};
    struct tb_jsonrpc message;
    if (tb_jsonrpc_parse(line, &limits, TB_JSONRPC_BATCHES, &message, NULL) < 0) {
        return;
    }
    if (message.kind != TB_JSONRPC_BATCH) {
        note_answer(pending, &message);
        return;
    }
    struct tb_json_iter iter = tb_json_iter_of(line);
    struct tb_json_item item;
    while (tb_json_iter_next(&iter, &item)) {
        if (tb_jsonrpc_parse(item.value.text, &limits, 0, &message, NULL) == 0) {
            note_answer(pending, &message);
        }
    }
}

void tb_mcp_pending_fail(struct tb_mcp_pending *pending, int code, const char *message,
                         struct tb_buf *out)
{
    const int rpc_code = tb_err_info(code)->rpc_code;
    while (!tb_list_empty(&pending->in_order)) {
        struct due *due = TB_CONTAINER(pending->in_order.next, struct due, link);
        const struct tb_list *after = due->link.next;
        uint64_t batch = due->batch;
        bool first = batch && (out->len == 0 || out->data[out->len - 1] == '\n');
        bool more = after != &pending->in_order &&
                    TB_CONTAINER(after, struct due, link)->batch == batch && batch;
        tb_buf_append_cstr(out, first ? "[" : "");
        tb_jsonrpc_write_error(due->id, rpc_code, tb_str_of(message), TB_STR(""), out);
        tb_buf_append_cstr(out, more ? "," : batch ? "]\n" : "\n");
        forget(pending, due);
    }
}
