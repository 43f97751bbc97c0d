/* SPDX-License-Identifier: Apache-2.0 */
/* What the caller of a call is told. The words are those of the tool or of its face; which of them
 * there are, in what case and in what order, is decided here, once for every front. */
#include <stdio.h>

#include "core/call_internal.h"
#include "core/cut.h"
#include "core/limits.h"
#include "core/view.h"

void tb_call_printed_init(struct tb_call_printed *printed)
{
    /* What they are printed from has ceilings. */
    tb_buf_init(&printed->text, SIZE_MAX);
    tb_buf_init(&printed->aside, SIZE_MAX);
    for (size_t i = 0; i < TB_COUNT(printed->cut); i++) {
        tb_buf_init(&printed->cut[i], SIZE_MAX);
    }
}

void tb_call_printed_fini(struct tb_call_printed *printed)
{
    tb_buf_fini(&printed->text);
    tb_buf_fini(&printed->aside);
    for (size_t i = 0; i < TB_COUNT(printed->cut); i++) {
        tb_buf_fini(&printed->cut[i]);
    }
}

/* What the tool gave. */

/* The clients of such a toolset read the text and nothing beside it. */
static bool has_own_form(const struct tb_call *call)
{
    return call->entry.face && call->entry.face->print;
}

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
        face->print(call->given.face_args, result, out, ret_is_error);
    } else if (result->code < 0) {
        print_failure(tool, result, out);
    } else if (tool && tool->print) {
        tool->print(result, out);
    } else {
        return tb_buf_str(&result->text);
    }
    return tb_buf_str(out);
}

static void print(struct tb_call *call, struct tb_answer *answer)
{
    const struct tb_result *result = &call->result;
    const struct tb_tool *tool = call->entry.tool;
    bool partial = tool && tool->print_partial;
    answer->code = result->code;
    answer->message = result->message;
    answer->text = print_text(call, &answer->is_error);
    tb_json_str(tb_json_get(result->data, "note"), &answer->note);
    answer->raw = result->code == 0 ? tb_buf_str(&result->raw) : TB_STR("");
    if (!has_own_form(call) && (result->code == 0 || partial)) {
        answer->image = tb_buf_str(&result->image);
        answer->image_type = result->image_type;
    }
    if (!has_own_form(call) && result->code == 0 && tool && tool->print_aside) {
        tool->print_aside(result, &call->printed.aside);
        answer->aside = tb_str_trim(tb_buf_str(&call->printed.aside));
    }
    if (call->place.chosen && call->place.name[0]) {
        answer->session = call->place.name;
        answer->kind = call->place.kind;
    }
}

/* The parts. */

static void add_words(struct tb_call_printed *printed, struct tb_str words, size_t max)
{
    struct tb_answer *answer = &printed->answer;
    struct tb_buf *cut = &printed->cut[answer->part_count];
    tb_buf_clear(cut);
    answer->parts[answer->part_count++] = (struct tb_part){tb_cut(words, max, cut), NULL};
}

static void add_beside(struct tb_call_printed *printed, struct tb_str words)
{
    if (words.len) {
        add_words(printed, words, TB_ANSWER_BESIDE);
    }
}

static void add_session(struct tb_call_printed *printed, const char *name)
{
    snprintf(printed->session_line, sizeof(printed->session_line), "Session: %s", name);
    add_words(printed, tb_str_of(printed->session_line), TB_ANSWER_BESIDE);
}

/* Something is said in any case. Several clients pass on no pictures, so words come before them. */
static void add_parts(struct tb_call_printed *printed, const char *session, size_t room)
{
    struct tb_answer *answer = &printed->answer;
    struct tb_str text = answer->raw.len ? answer->raw : answer->text;
    bool image = answer->image.len > 0;
    bool image_fits = answer->image.len < room;
    room -= image && image_fits ? answer->image.len : 0;
    if (text.len || (!image && !session)) {
        add_words(printed, text.len ? text : TB_STR("Done."), room);
    }
    add_beside(printed, answer->aside);
    if (image && !image_fits) {
        add_words(printed, TB_STR("The picture is too large to send; ask for a smaller one."),
                  room);
    }
    if (session) {
        add_session(printed, session);
    }
    if (image && image_fits) {
        answer->parts[answer->part_count++] = (struct tb_part){answer->image, answer->image_type};
    }
}

const struct tb_answer *tb_call_answer(struct tb_call *call, size_t max)
{
    struct tb_call_printed *printed = &call->printed;
    struct tb_answer *answer = &printed->answer;
    size_t room = max > TB_ANSWER_BESIDE ? max - TB_ANSWER_BESIDE : 0;
    if (!printed->ready) {
        printed->ready = true;
        print(call, answer);
    }
    struct tb_str note = answer->note;
    answer->part_count = 0;
    /* Who knows a form of its own looks for it in front. */
    if (has_own_form(call)) {
        add_parts(printed, NULL, room);
        add_beside(printed, note);
    } else {
        add_beside(printed, note);
        add_parts(printed, answer->session, room);
    }
    return answer;
}
