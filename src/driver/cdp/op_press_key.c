/* SPDX-License-Identifier: Apache-2.0 */
/* [FOCUS] --> KEYS --> end. */
#include "core/args.h"
#include "driver/cdp/keystroke.h"
#include "driver/cdp/ops.h"
#include "driver/cdp/opwork.h"
#include "driver/cdp/refs.h"

enum state {
    FOCUS,
    KEYS,
};

enum {
    TYPED_MAX = 2000, /* bytes of a text that is typed; a longer one comes at once, as if pasted */
};

struct press {
    struct tb_opwork work;
    struct tb_key key;
};

static void act(struct press *press)
{
    struct tb_opwork *work = &press->work;
    struct tb_str text = tb_args_text(work->op->args, "text", "");
    work->state = KEYS;
    work->acted = true;
    if (!text.len) {
        tb_keystroke(work, &press->key);
        return;
    }
    if (text.len <= TYPED_MAX) {
        tb_keystroke_text(work, text);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_OPWORK_ARGS_MAX);
    tb_opwork_args(work, "text", false, &params);
    tb_opwork_send(work, "Input.insertText", tb_buf_str(&params));
}

static void step(struct tb_opwork *work, struct tb_str value)
{
    if (work->state == KEYS) {
        tb_opwork_wind_up(work);
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    tb_refs_note(work, json);
    tb_opwork_set_element(work, "element", json);
    tb_json_num(tb_json_get(json, "aim"), &work->aim);
    act(TB_CONTAINER(work, struct press, work));
}

static void missed(struct tb_opwork *work, const struct cJSON *told)
{
    struct tb_str where = {NULL, 0};
    int64_t keys;
    if (tb_opwork_is_away(told, &where, &keys)) {
        if (!keys) { /* else it is the key that has moved it */
            tb_opwork_fail(
                work, TB_E_ELEMENT_NOT_READY,
                "the page moved the focus into %.*s; what was pressed may have gone there",
                TB_STR_ARG(tb_str_sub(where, 0, 200)));
        }
        return;
    }
    bool by_key = tb_args_has(work->op->args, "key");
    tb_json_str(tb_json_get(told, "strayed"), &where);
    tb_opwork_fail(work, TB_E_ELEMENT_NOT_READY,
                   "%s: the page moved the focus to %.*s, which received nothing",
                   !keys    ? "nothing was pressed"
                   : by_key ? "the key went down in the element, but had no other effect"
                            : "the element received the beginning of the text only",
                   TB_STR_ARG(tb_str_sub(where, 0, 200)));
}

static const struct tb_opwork_kind kind = {.size = sizeof(struct press),
                                           .step = step,
                                           .missed = missed};

void tb_cdp_op_press_key(struct tb_driver_session *session, struct tb_op *op)
{
    struct press *press = tb_opwork_new(&kind, session, op);
    if (!press) {
        return;
    }
    struct tb_opwork *work = &press->work;
    struct tb_err err;
    bool by_key = tb_args_has(op->args, "key");
    if (by_key == tb_args_has(op->args, "text")) {
        tb_opwork_fail(work, TB_E_PARAMS, "give exactly one of key and text");
        return;
    }
    if (by_key && tb_key_parse(tb_args_text(op->args, "key", ""), &press->key, &err) < 0) {
        tb_opwork_fail_err(work, &err);
        return;
    }
    if (tb_opwork_wants_changes(work)) {
        work->frame = tb_ref_frame(tb_args_text(op->args, "target", ""));
        tb_requests_count(work);
    }
    if (!tb_args_has(op->args, "target")) {
        act(press);
        return;
    }
    if (tb_opwork_frame(work, tb_args_text(op->args, "target", ""))) {
        TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_OPWORK_ARGS_MAX);
        tb_opwork_args(work, "target", true, &args);
        args.len--; /* the closing brace */
        tb_buf_printf(&args, ",\"watch\":%s}", tb_opwork_wants_changes(work) ? "true" : "false");
        tb_refs_continue(work, &args);
        work->state = FOCUS;
        tb_opwork_call(work, "focus", tb_buf_str(&args));
    }
}
