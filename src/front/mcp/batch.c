/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/batch.h"

#include "base/mem.h"
#include "core/limits.h"
#include "front/mcp/limits.h"
#include "proto/json_iter.h"

struct batch {
    struct tb_mcp_out out;
    struct tb_mcp_out *parent;
    struct tb_buf answers;
    size_t waiting; /* for so many answers, and one for ourselves while the messages are started */
};

bool tb_mcp_batch_claims(struct tb_str array)
{
    struct tb_json_iter iter = tb_json_iter_of(array);
    struct tb_json_item item;
    for (size_t i = 0; i < TB_MCP_BATCH && tb_json_iter_next(&iter, &item); i++) {
        struct tb_jsonrpc rpc;
        struct tb_mcp_envelope envelope;
        struct tb_mcp_fault fault;
        if (tb_jsonrpc_parse(item.value.text, &tb_mcp_json_limits, 0, &rpc, NULL) == 0 &&
            tb_mcp_envelope_read(&rpc, &envelope, &fault) == 0 &&
            tb_mcp_envelope_claims(&envelope)) {
            return true;
        }
    }
    return false;
}

/* One less to wait for. True if that was the last, and the batch is gone. */
static bool finish_one(struct batch *batch)
{
    if (--batch->waiting > 0) {
        return false;
    }
    struct tb_mcp_out *parent = batch->parent;
    bool any = batch->answers.len > 0;
    if (any) {
        tb_buf_append_char(&batch->answers, ']');
        parent->ops->answer(parent, 200, &batch->answers);
    }
    tb_buf_fini(&batch->answers);
    tb_free(batch);
    return any;
}

static void batch_send(struct tb_mcp_out *out, struct tb_str message)
{
    struct batch *batch = TB_CONTAINER(out, struct batch, out);
    batch->parent->ops->send(batch->parent, message);
}

static void batch_answer(struct tb_mcp_out *out, int status, struct tb_buf *message)
{
    struct batch *batch = TB_CONTAINER(out, struct batch, out);
    (void)status;
    tb_buf_append_char(&batch->answers, batch->answers.len ? ',' : '[');
    tb_buf_append_str(&batch->answers, tb_buf_str(message));
    finish_one(batch);
}

/* The others are still answered; when nothing is left to say the caller is told so. */
static void batch_drop(struct tb_mcp_out *out)
{
    struct batch *batch = TB_CONTAINER(out, struct batch, out);
    struct tb_mcp_out *parent = batch->parent;
    bool last = batch->waiting == 1;
    bool answered = finish_one(batch);
    if (last && !answered) {
        parent->ops->drop(parent);
    }
}

static const struct tb_mcp_out_ops batch_ops = {batch_send, batch_answer, batch_drop, NULL};

static void refuse_fault(struct batch *batch, struct tb_str id, const struct tb_mcp_fault *fault)
{
    batch->waiting++;
    tb_mcp_out_fault(&batch->out, id, fault);
}

static void refuse(struct batch *batch, struct tb_str id, int code, const char *text)
{
    struct tb_mcp_fault fault;
    tb_mcp_fail(&fault, 200, code, "%s", text);
    refuse_fault(batch, id, &fault);
}

static void run_one(struct batch *batch, struct tb_mcp_peer *peer, struct tb_str text,
                    const struct tb_mcp_message *whole)
{
    struct tb_mcp_message message = {.version = peer->version,
                                     .conversation = whole->conversation,
                                     .session = whole->session,
                                     .trace = whole->trace};
    struct tb_mcp_fault fault;
    struct tb_err err;
    int rc =
        tb_jsonrpc_parse(text, &tb_mcp_json_limits, TB_JSONRPC_OBJECT_PARAMS, &message.rpc, &err);
    enum tb_jsonrpc_kind kind = message.rpc.kind;
    if (rc < 0) {
        if (kind == TB_JSONRPC_NONE || kind == TB_JSONRPC_REQUEST) {
            refuse(batch, message.rpc.id.text, tb_err_info(rc)->rpc_code, err.text);
        }
    } else if (kind == TB_JSONRPC_REQUEST && tb_jsonrpc_is(&message.rpc, "initialize")) {
        refuse(batch, message.rpc.id.text, -32600,
               "initialize cannot be part of a batch; send it alone");
    } else if (tb_mcp_envelope_read(&message.rpc, &message.envelope, &fault) < 0) {
        if (kind == TB_JSONRPC_REQUEST) {
            refuse_fault(batch, message.rpc.id.text, &fault);
        }
    } else {
        batch->waiting += kind == TB_JSONRPC_REQUEST;
        tb_mcp_peer_receive(peer, &message, &batch->out);
    }
}

bool tb_mcp_batch_run(struct tb_mcp_peer *peer, struct tb_str array,
                      const struct tb_mcp_message *whole, struct tb_mcp_out *out)
{
    struct batch *batch = TB_NEW(struct batch);
    struct tb_json_iter iter = tb_json_iter_of(array);
    struct tb_json_item item;
    size_t count = 0;
    batch->out.ops = &batch_ops;
    batch->out.answer_only = out->answer_only;
    batch->parent = out;
    batch->waiting = 1;
    tb_buf_init(&batch->answers,
                SIZE_MAX); /* as many results as messages, each with its own ceiling */
    while (tb_json_iter_next(&iter, &item)) {
        if (++count > TB_MCP_BATCH) {
            refuse(batch, TB_STR(""), -32600,
                   "the batch has too many messages; the rest was not read");
            break;
        }
        run_one(batch, peer, item.value.text, whole);
    }
    bool pending = batch->waiting > 1;
    return finish_one(batch) || pending;
}
