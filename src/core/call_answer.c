/* SPDX-License-Identifier: Apache-2.0 */
/* What the caller of a call is told. The words are those of the tool or of its face; which of them
 * there are, and in what case, is decided here, once for every front. */
#include "core/call_internal.h"
#include "core/view.h"

/* What happened, what to do next, and what is done already. */
static void print_failure(const struct tb_tool *tool, const struct tb_result *result,
                          struct tb_buf *out)
{
    tb_buf_append_cstr(out, result->message);
    tb_buf_append_char(out, '\n');
    tb_view_hint(result->view, tb_err_info(result->code)->advice, out);
    if (tool && tool->print_partial) {
        tool->print_partial(result, out);
    }
}

static struct tb_str print_text(struct tb_call *call, bool *ret_is_error)
{
    const struct tb_result *result = &call->result;
    const struct tb_tool *tool = call->entry.tool;
    const struct tb_face *face = call->entry.face;
    struct tb_buf *out = &call->printed.text;
    *ret_is_error = result->code < 0;
    if (face && face->print) {
        face->print(call->face_args, result, out, ret_is_error);
    } else if (result->code < 0) {
        print_failure(tool, result, out);
    } else if (tool && tool->print) {
        tool->print(result, out);
    } else {
        return tb_buf_str(&result->text);
    }
    return tb_buf_str(out);
}

static struct tb_str print_aside(struct tb_call *call)
{
    const struct tb_tool *tool = call->entry.tool;
    if (tool && call->result.code == 0 && tool->print_aside) {
        tool->print_aside(&call->result, &call->printed.aside);
    }
    return tb_str_trim(tb_buf_str(&call->printed.aside));
}

static void print(struct tb_call *call, struct tb_answer *answer)
{
    const struct tb_result *result = &call->result;
    const struct tb_tool *tool = call->entry.tool;
    bool partial = tool && tool->print_partial;
    answer->code = result->code;
    answer->message = result->message;
    answer->own_form = call->entry.face && call->entry.face->print;
    answer->text = print_text(call, &answer->is_error);
    answer->raw = result->code == 0 ? tb_buf_str(&result->raw) : TB_STR("");
    tb_json_str(tb_json_get(result->data, "note"), &answer->note);
    if (!answer->own_form) {
        answer->aside = print_aside(call);
    }
    if (!answer->own_form && (result->code == 0 || partial)) {
        answer->image = tb_buf_str(&result->image);
        answer->image_type = result->image_type;
    }
    if (call->place.chosen && call->place.name[0]) {
        answer->session = call->place.name;
        answer->kind = call->place.kind;
    }
}

const struct tb_answer *tb_call_answer(struct tb_call *call)
{
    if (!call->printed.ready) {
        call->printed.ready = true;
        print(call, &call->printed.answer);
    }
    return &call->printed.answer;
}
