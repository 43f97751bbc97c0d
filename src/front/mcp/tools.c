/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/quote.h"
#include "core/limits.h"
#include "core/view.h"
#include "front/mcp/content.h"
#include "front/mcp/methods.h"
#include "front/mcp/peer.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"

enum {
    FRAME_BYTES = 2 * TB_KIB, /* of a result, beside its text and picture */
    TOOL_SHOWN_MAX = 80,      /* of the name of one that there is not */
};

void tb_mcp_tools_list(struct tb_mcp_req *req)
{
    struct tb_mcp_result result;
    if (!tb_mcp_req_without_cursor(req)) {
        return;
    }
    const struct tb_caller caller = {.who = req->peer->who, .view = req->peer->view};
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_json_member_raw(json, "tools",
                       tb_mcp_catalog_list(&req->mcp->catalog, req->mcp->core, &caller));
    tb_mcp_result_send(&result);
}

/* Results. */

/* What the model is told of a failure: what happened, what to do next, and what is done already. */
static void print_failure(const struct tb_tool *tool, const struct tb_result *result,
                          struct tb_buf *out)
{
    tb_buf_append_cstr(out, result->message);
    tb_buf_append_char(out, '\n');
    tb_view_hint(result->view, tb_err_info(result->code)->advice, out);
    if (tool->print_partial) {
        tool->print_partial(result, out);
    }
}

/* The text of a result; `scratch` holds it where it has to be printed first. */
static struct tb_str text_of(const struct tb_mcp_req *req, const struct tb_result *result,
                             struct tb_buf *scratch, bool *ret_is_error)
{
    const struct tb_entry *entry = &req->entry;
    *ret_is_error = result->code < 0;
    if (entry->face && entry->face->print) {
        entry->face->print(req->args, result, scratch, ret_is_error);
    } else if (result->code < 0) {
        print_failure(entry->tool, result, scratch);
    } else if (entry->tool->print) {
        entry->tool->print(result, scratch);
    } else {
        return tb_buf_str(&result->text);
    }
    return tb_buf_str(scratch);
}

/* What core has to say of the session, e.g. what was lost with its browser. */
static void put_note(struct tb_json_writer *json, const struct tb_result *result)
{
    struct tb_str note;
    if (tb_json_str(tb_json_get(result->data, "note"), &note)) {
        tb_mcp_put_text_item(json, note, FRAME_BYTES);
    }
}

/* A toolset with a form of its own has the session and the picture in it, or not at all. */
static bool has_own_form(const struct tb_mcp_req *req)
{
    return req->entry.face && req->entry.face->print;
}

static void put_aside(struct tb_json_writer *json, const struct tb_mcp_req *req,
                      const struct tb_result *result)
{
    const struct tb_tool *tool = req->entry.tool;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    if (tool && tool->print_aside && result->code == 0) {
        tool->print_aside(result, &text);
    }
    if (text.len) {
        tb_mcp_put_text_item(json, tb_str_trim(tb_buf_str(&text)), FRAME_BYTES);
    }
}

/* Several clients pass on no pictures, so words come first. */
static void put_content(struct tb_json_writer *json, const struct tb_mcp_req *req,
                        struct tb_str text, const struct tb_result *result,
                        const char *session_line)
{
    size_t room = TB_MCP_RESULT_MAX - FRAME_BYTES;
    bool own_form = has_own_form(req);
    bool partial = req->entry.tool && req->entry.tool->print_partial;
    bool image = !own_form && (result->code == 0 || partial) && result->image.len > 0;
    bool image_fits = result->image.len < room;
    room -= image && image_fits ? result->image.len : 0;
    tb_json_key(json, "content");
    tb_json_array_open(json);
    if (!own_form) {
        put_note(json, result);
    }
    if (text.len || (!image && !session_line)) {
        tb_mcp_put_text_item(json, text.len ? text : TB_STR("Done."), room);
    }
    if (!own_form) {
        put_aside(json, req, result);
    }
    if (image && !image_fits) {
        tb_mcp_put_text_item(
            json, TB_STR("The picture is too large to send; ask for a smaller one."), room);
    }
    if (session_line) {
        tb_mcp_put_text_item(json, tb_str_of(session_line), FRAME_BYTES);
    }
    if (image && image_fits) {
        tb_mcp_put_image_item(json, tb_buf_str(&result->image), result->image_type);
    }
    if (own_form) {
        put_note(json, result); /* clients of such a toolset read the first item only */
    }
    tb_json_array_close(json);
}

/* {"sessionId":...,"sessionType":...}, without its braces. */
static void put_session(struct tb_json_writer *json, const char *name, enum tb_session_kind kind)
{
    tb_mcp_put_text(json, "sessionId", name);
    tb_mcp_put_text(json, "sessionType", tb_session_kind_name(kind));
}

static void print_session_meta(struct tb_buf *out, const char *name, enum tb_session_kind kind)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_key(&json, "tabard/session");
    tb_json_object_open(&json);
    put_session(&json, name, kind);
    tb_json_object_close(&json);
}

static void send_result(struct tb_mcp_req *req, const struct tb_result *outcome,
                        const char *session, enum tb_session_kind kind)
{
    /* What it is printed from has ceilings. */
    TB_AUTO(tb_buf_fini) struct tb_buf scratch = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf meta = TB_BUF(FRAME_BYTES);
    struct tb_mcp_result result;
    char line[TB_NAME_SIZE + 16];
    bool is_error;
    struct tb_str text = text_of(req, outcome, &scratch, &is_error);
    snprintf(line, sizeof(line), "Session: %s", session ? session : "");

    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    put_content(json, req, text, outcome, session && !has_own_form(req) ? line : NULL);
    if (is_error) {
        tb_json_member_bool(json, "isError", true);
    }
    if (session) {
        put_session(json, session, kind);
        print_session_meta(&meta, session, kind);
        result.meta = tb_buf_str(&meta);
    }
    tb_mcp_result_send(&result);
}

static void on_called(struct tb_mcp_req *req, struct tb_call *call)
{
    enum tb_session_kind kind = TB_KIND_BROWSER;
    const char *session = tb_call_chosen_session(call, &kind);
    send_result(req, tb_call_result(call), session, kind);
}

/* Calls. */

/* Arguments that a face refuses: its own form of the error. */
static void refuse_args(struct tb_mcp_req *req, const struct tb_err *err)
{
    struct tb_result refusal;
    tb_result_init(&refusal);
    refusal.view = req->peer->view;
    tb_result_fail_err(&refusal, err);
    send_result(req, &refusal, NULL, TB_KIND_BROWSER);
    tb_result_fini(&refusal);
}

static void call_face(struct tb_mcp_req *req, const struct cJSON *args)
{
    const struct tb_face *face = req->entry.face;
    struct tb_err err;
    if (face->params && tb_args_check(face->params, args, &req->args, &err) < 0) {
        req->args = tb_json_dup(args);
        refuse_args(req, &err);
        return;
    }
    if (!req->args) {
        req->args = args ? tb_json_dup(args) : tb_json_new_object();
    }
    TB_AUTO(tb_json_free) struct cJSON *mapped = face->map_args ? face->map_args(req->args) : NULL;
    tb_mcp_req_call(req, face->tool, mapped ? mapped : req->args, on_called);
}

static void call_native(struct tb_mcp_req *req, const struct cJSON *args)
{
    const struct tb_mcp_native *native = req->native;
    if (native->capability && tb_mcp_req_is_modern(req) &&
        !tb_mcp_req_client_can(req, native->capability)) {
        char data[128];
        snprintf(data, sizeof(data), "{\"requiredCapabilities\":{\"%s\":{}}}", native->capability);
        tb_mcp_req_fail_data(req, TB_MCP_MISSING_CAPABILITY,
                             "the client has not declared a capability that this tool needs", data);
        return;
    }
    if (native->fixed) {
        struct tb_mcp_result result;
        tb_json_put_raw(tb_mcp_result_open(&result, req), tb_str_of(native->fixed));
        tb_mcp_result_send(&result);
        return;
    }
    native->run(req, args);
}

static void refuse_unknown(struct tb_mcp_req *req, struct tb_str name, const struct tb_err *why)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TB_KIB);
    tb_quote_bare(name, TOOL_SHOWN_MAX, &shown);
    tb_mcp_req_fail(req, -32602, "the tool '%.*s' %s", TB_STR_ARG(tb_buf_str(&shown)), why->text);
}

void tb_mcp_tools_call(struct tb_mcp_req *req)
{
    const struct cJSON *params = tb_mcp_req_params(req);
    const struct cJSON *args = tb_json_get(params, "arguments");
    struct tb_str name;
    args = tb_json_is_null(args) ? NULL : args; /* some clients send it for nothing */
    if (!tb_json_str(tb_json_get(params, "name"), &name)) {
        tb_mcp_req_fail(req, -32602, "params.name must be the name of a tool");
        return;
    }
    if (args && !tb_json_is_object(args)) {
        tb_mcp_req_fail(req, -32602, "params.arguments must be an object");
        return;
    }
    req->native = tb_mcp_catalog_native(&req->mcp->catalog, name);
    if (req->native) {
        call_native(req, args);
        return;
    }
    const struct tb_caller caller = {.who = req->peer->who, .view = req->peer->view};
    struct tb_err err;
    if (tb_toolbox_find(req->mcp->core, &caller, name, &req->entry, &err) < 0) {
        refuse_unknown(req, name, &err);
    } else if (req->entry.face) {
        call_face(req, args);
    } else {
        tb_mcp_req_call(req, req->entry.tool, args, on_called);
    }
}
