/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/text.h"

#include "front/mcp/batch.h"
#include "front/mcp/server.h"

static void refuse(struct tb_mcp_out *out, struct tb_str id, int code, const char *text)
{
    struct tb_mcp_fault fault;
    tb_mcp_fail(&fault, 0, code, "%s", text);
    tb_mcp_out_fault(out, id, &fault);
}

static void take_batch(struct tb_mcp_peer *peer, struct tb_str text, struct tb_mcp_out *out)
{
    bool allowed = peer->introduced && peer->version == TB_MCP_2025_03_26;
    if (!allowed || tb_mcp_batch_claims(text)) {
        refuse(out, TB_STR(""), -32600,
               "this protocol version has no batches; send one message per request");
        return;
    }
    tb_mcp_batch_run(peer, text, TB_STR(""), out);
}

static void take_message(struct tb_mcp_peer *peer, struct tb_mcp_message *message,
                         struct tb_mcp_out *out)
{
    struct tb_mcp_fault fault;
    enum tb_jsonrpc_kind kind = message->rpc.kind;
    if (kind == TB_JSONRPC_REQUEST || kind == TB_JSONRPC_NOTIFICATION) {
        if (tb_mcp_envelope_read(&message->rpc, &message->envelope, &fault) < 0 ||
            tb_mcp_version_choose(&message->rpc, &message->envelope, NULL, peer->version,
                                  &message->version, &fault) < 0) {
            if (kind == TB_JSONRPC_REQUEST) {
                tb_mcp_out_fault(out, message->rpc.id.text, &fault);
            }
            return;
        }
    }
    tb_mcp_peer_receive(peer, message, out);
}

void tb_mcp_text_receive(struct tb_mcp_peer *peer, struct tb_str text, struct tb_mcp_out *out)
{
    struct tb_mcp_message message = {.version = peer->version};
    struct tb_err err;
    int rc = tb_mcp_message_parse(text, &message, &err);
    enum tb_jsonrpc_kind kind = message.rpc.kind;
    if (rc == 0 && kind == TB_JSONRPC_BATCH) {
        take_batch(peer, text, out);
    } else if (rc == 0) {
        take_message(peer, &message, out);
    } else if (kind == TB_JSONRPC_NONE || kind == TB_JSONRPC_REQUEST) {
        refuse(out, message.rpc.id.text, tb_err_info(rc)->rpc_code, err.text);
    }
}
