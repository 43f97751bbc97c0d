/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "base/mem.h"
#include "front/btcp/page_internal.h"

enum {
    BODY_MAX = TB_MIB, /* of a session with many tools */
};

static void send(struct tb_btcp_page *page, const struct tb_buf *frame)
{
    if (tb_ws_conn_send(page->ws, true, tb_buf_str(frame)) == TB_E_TOO_LARGE) {
        tb_ws_conn_close(page->ws, TB_BTCP_TOO_SLOW, TB_STR("too much waits to be read"));
    }
}

static void send_result(struct tb_btcp_page *page, struct tb_str id, struct tb_str result)
{
    TB_AUTO(tb_buf_fini) struct tb_buf frame = TB_BUF(SIZE_MAX);
    tb_jsonrpc_write_result(id, result, &frame);
    send(page, &frame);
}

void tb_btcp_send_error(struct tb_btcp_page *page, struct tb_str id, const struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf frame = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf data = TB_BUF(SIZE_MAX);
    const struct tb_err_info *info = tb_err_info(err->code);
    tb_buf_printf(&data, "{\"code\":\"%s\"}", info->wire);
    tb_jsonrpc_write_error(id, info->rpc_code, tb_str_of(err->text), tb_buf_str(&data), &frame);
    send(page, &frame);
}

void tb_btcp_send_notice(struct tb_btcp_page *page, const char *method, struct tb_str params)
{
    TB_AUTO(tb_buf_fini) struct tb_buf frame = TB_BUF(SIZE_MAX);
    tb_jsonrpc_write_request(TB_STR(""), tb_str_of(method), params, &frame);
    send(page, &frame);
}

void tb_btcp_reply_free(struct tb_btcp_reply *reply)
{
    struct tb_btcp_page *page = reply->page;
    tb_list_remove(&reply->link);
    page->reply_count--;
    if (page->asks == reply) {
        tb_resolve_cancel(&page->ask);
        page->asks = NULL;
    }
    tb_gate_fini(&reply->gate);
    tb_buf_fini(&reply->id);
    tb_buf_fini(&reply->body);
    tb_free(reply);
}

static void on_stored(struct tb_gate *gate)
{
    struct tb_btcp_reply *reply = TB_CONTAINER(gate, struct tb_btcp_reply, gate);
    if (gate->err.code < 0) {
        tb_btcp_send_error(reply->page, tb_buf_str(&reply->id), &gate->err);
    } else {
        send_result(reply->page, tb_buf_str(&reply->id), tb_buf_str(&reply->body));
    }
    tb_btcp_reply_free(reply);
}

struct tb_btcp_reply *tb_btcp_reply_new(struct tb_btcp_page *page, struct tb_str id)
{
    struct tb_btcp_reply *reply = TB_NEW(struct tb_btcp_reply);
    reply->page = page;
    tb_buf_init(&reply->id, TB_JSONRPC_ID_MAX);
    tb_buf_init(&reply->body, BODY_MAX);
    tb_buf_append_str(&reply->id, id);
    tb_gate_init(&reply->gate, on_stored);
    tb_gate_hold(&reply->gate, &reply->hold);
    tb_list_append(&page->replies, &reply->link);
    page->reply_count++;
    return reply;
}

void tb_btcp_reply_finish(struct tb_btcp_reply *reply, const struct tb_err *err)
{
    tb_hold_release(&reply->hold, err);
}
