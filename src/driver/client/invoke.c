/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "core/limits.h"
#include "core/toolbox.h"
#include "driver/client/session.h"
#include "proto/json_string.h"

enum {
    SECRET_CHARS = 12, /* of an id, so that no other page can answer in its place */
    ID_SIZE = 48,
    NAME_JSON_MAX = 6 * TB_BROUGHT_NAME_MAX + 2,
    METADATA_MAX = TB_JSONRPC_ID_MAX + 128,
};

/* A call that the page was asked to answer. */
struct ask {
    struct tb_list link;
    struct tb_driver_session *session;
    const struct tb_channel *page; /* that was asked; compared only */
    struct tb_op *op;
    char id[ID_SIZE]; /* as JSON */
    bool unsent;      /* the page could not take it yet */
};

static struct ask *ask_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct ask, link);
}

/* Gives the operation back, which is left to end. */
static struct tb_op *ask_free(struct ask *ask)
{
    struct tb_op *op = ask->op;
    tb_list_remove(&ask->link);
    op->cancel = NULL;
    tb_free(ask);
    return op;
}

static void fail(struct ask *ask, int code, const char *words)
{
    struct tb_op *op = ask_free(ask);
    tb_result_fail(op->result, code, "%s", words);
    tb_op_done(op);
}

/* Asking. */

/* Who calls, and what it calls its request: {"agentId":...,"requestId":...} */
static void put_metadata(const struct tb_op *op, struct tb_buf *out)
{
    struct tb_json_writer json;
    if (!op->agent_id.len && !op->request_id.len) {
        return;
    }
    tb_json_writer_init(&json, out);
    tb_json_key(&json, "metadata");
    tb_json_object_open(&json);
    if (op->agent_id.len) {
        tb_json_member_str(&json, "agentId", op->agent_id);
    }
    if (op->request_id.len) {
        tb_json_member_raw(&json, "requestId", op->request_id); /* its own text and type */
    }
    tb_json_object_close(&json);
    if (json.rc < 0) {
        tb_buf_clear(out);
    }
}

/* The page may answer inside, and the question is gone then. */
static void send(struct ask *ask)
{
    TB_AUTO(tb_buf_fini) struct tb_buf metadata = TB_BUF(METADATA_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf name = TB_BUF(NAME_JSON_MAX);
    struct tb_json_writer json;
    char id[ID_SIZE];
    const struct tb_op *op = ask->op;
    tb_json_writer_init(&json, &name);
    tb_json_put_cstr(&json, op->brought->name);
    put_metadata(op, &metadata);
    memcpy(id, ask->id, sizeof(id));
    const struct tb_jsonrpc request = {
        .kind = TB_JSONRPC_REQUEST,
        .id = {TB_JSON_STRING, tb_str_of(id)},
        .method = {TB_JSON_STRING, TB_STR("\"tools/call\"")},
        .name = {TB_JSON_STRING, tb_buf_str(&name)},
        .arguments = {TB_JSON_OBJECT, op->raw.len ? op->raw : TB_STR("{}")},
    };
    ask->unsent = false;
    if (tb_channel_send(ask->session->page, TB_CHANNEL_DRIVER, &request, tb_buf_str(&metadata)) ==
        TB_E_BUSY) {
        ask->unsent = true;
    } /* one that is closed is about to tell so */
}

void tb_client_send_unsent(struct tb_driver_session *session)
{
    LIST_FOREACH_SAFE(link, &session->asks) {
        if (ask_of(link)->unsent && ask_of(link)->page == session->page) {
            send(ask_of(link));
        }
    }
}

/* So that it need not go on. A page that takes nothing now is not told, and one that does not know
 * the method passes it over: what they answer comes too late for anybody. */
static void tell_cancelled(const struct ask *ask)
{
    char params[ID_SIZE + 32];
    snprintf(params, sizeof(params), "{\"requestId\":%s}", ask->id);
    const struct tb_jsonrpc notice = {
        .kind = TB_JSONRPC_NOTIFICATION,
        .method = {TB_JSON_STRING, TB_STR("\"notifications/cancelled\"")},
        .params = {TB_JSON_OBJECT, tb_str_of(params)},
    };
    if (ask->session->page && ask->session->page == ask->page && !ask->unsent) {
        tb_channel_send(ask->session->page, TB_CHANNEL_DRIVER, &notice, TB_STR(""));
    }
}

static void on_cancel(struct tb_op *op)
{
    struct ask *ask = op->driver_state;
    tb_list_remove(&ask->link); /* it cannot be answered from inside any more */
    tell_cancelled(ask);
    fail(ask, TB_E_CANCELLED,
         "nobody waits for its answer any more; the page may still do what was asked");
}

void tb_client_invoke(struct tb_driver_session *session, struct tb_op *op)
{
    char secret[SECRET_CHARS + 1];
    if (!tb_brought_list_has(&session->tools, op->brought)) {
        tb_result_fail(op->result, TB_E_UNKNOWN_TOOL, "the page no longer offers it");
        tb_op_done(op);
        return;
    }
    if (!session->page) {
        tb_result_fail(op->result, TB_E_AWAY, "the page has disconnected");
        tb_op_done(op);
        return;
    }
    struct ask *ask = TB_NEW(struct ask);
    *ask = (struct ask){.session = session, .page = session->page, .op = op};
    tb_random_text(secret, SECRET_CHARS);
    snprintf(ask->id, sizeof(ask->id), "\"call-%" PRIu64 "-%s\"", ++session->asked, secret);
    tb_list_append(&session->asks, &ask->link);
    op->driver_state = ask;
    op->cancel = on_cancel;
    send(ask);
}

void tb_client_end_calls(struct tb_driver_session *session, int code)
{
    while (!tb_list_empty(&session->asks)) {
        if (code < 0) {
            fail(ask_of(session->asks.next), code, "the session was closed");
        } else {
            ask_free(ask_of(session->asks.next));
        }
    }
}

/* Answers. */

static struct ask *find(struct tb_driver_session *session, struct tb_str id)
{
    LIST_FOREACH(link, &session->asks) {
        if (tb_str_eq_cstr(id, ask_of(link)->id)) {
            return ask_of(link);
        }
    }
    return NULL;
}

/* The page wrote it, so it stands in quotes: it must not read as if we had said it. */
static void take_error(struct ask *ask, struct tb_str error)
{
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH, .any_escape = true};
    struct tb_json_want want = {.key = "message"};
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(error.len);
    struct tb_op *op = ask_free(ask);
    if (tb_json_scan(error, &limits, &want, 1, NULL) == TB_JSON_OBJECT) {
        tb_json_string_decode(want.value.text, &words);
    }
    struct tb_quoted shown;
    if (words.len) {
        tb_result_fail(op->result, TB_E_SCRIPT, "the page says that the tool failed: %s",
                       tb_quoted(&shown, tb_buf_str(&words), 0));
    } else {
        tb_result_fail(op->result, TB_E_SCRIPT,
                       "the page says that the tool failed, but not in words");
    }
    tb_op_done(op);
}

void tb_client_take_answer(struct tb_driver_session *session, const struct tb_jsonrpc *answer)
{
    struct ask *ask = find(session, answer->id.text);
    if (!ask) {
        return;
    }
    /* Published pages send an error beside a result that says more. */
    if (answer->result.type == TB_JSON_ABSENT) {
        take_error(ask, answer->error.text);
    } else if (tb_buf_append_str(&ask->op->result->raw, answer->result.text) < 0) {
        fail(ask, TB_E_TOO_LARGE, "the tool returned more than can be passed on");
    } else {
        tb_op_done(ask_free(ask));
    }
}
