/* SPDX-License-Identifier: Apache-2.0 */
/* [FOCUS] --> KEYS --> [TOLD, by the target's own frame] --> end. */
#include "core/args.h"
#include "core/secrets.h"
#include "driver/cdp/op/keystroke.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/typist.h"
#include "driver/cdp/op/work.h"

enum state {
    FOCUS,
    KEYS,
    TOLD,
};

enum {
    TYPED_MAX = 2000, /* bytes of a text that is typed; a longer one comes at once, as if pasted */
};

struct press {
    struct tb_cdp_work work;
    struct tb_key key;
    struct tb_cdp_typist typist;
};

static struct press *press_of(struct tb_cdp_work *work)
{
    return TB_CONTAINER(work, struct press, work);
}

static void act(struct press *press)
{
    press->work.state = KEYS;
    tb_cdp_typist_start(&press->typist);
}

/* How many keys the element has to get. */
static int64_t count_of(const struct tb_cdp_typist *typist)
{
    if (typist->key) {
        return 1 + __builtin_popcount(typist->key->modifiers);
    }
    return typist->at_once ? 1 : tb_cdp_keystroke_count(typist->text);
}

static void fail_away(struct press *press, struct tb_str where, int64_t keys)
{
    const struct tb_cdp_typist *typist = &press->typist;
    int64_t count = typist->count;
    where = where.len ? tb_str_sub(where, 0, 200) : TB_STR("another frame");
    if (!typist->strokes) {
        tb_cdp_work_fail(&press->work, TB_E_FOCUS_MOVED,
                         "nothing was pressed: the page moved the focus into %.*s",
                         TB_STR_ARG(where));
    } else if (!keys || typist->key || typist->at_once) {
        tb_cdp_work_fail(&press->work, TB_E_FOCUS_MOVED,
                         "the page moved the focus into %.*s; what was pressed may have gone there",
                         TB_STR_ARG(where));
    } else {
        tb_cdp_work_fail(&press->work, TB_E_FOCUS_MOVED,
                         "typing stopped after %lld of %lld characters: the page moved the focus "
                         "into %.*s%s",
                         (long long)keys, (long long)count, TB_STR_ARG(where),
                         !typist->wary || tb_cdp_typist_has_lost(typist, keys)
                             ? ", where more of them may have gone"
                             : "");
    }
}

static void missed(struct tb_cdp_work *work, const struct cJSON *told)
{
    struct press *press = press_of(work);
    struct tb_str where = {NULL, 0};
    int64_t keys;
    if (tb_cdp_work_is_away(told, &where, &keys) || !tb_cdp_work_is_missed(told)) {
        keys = work->expected.aim > 0 ? keys : press->typist.strokes;
        if (keys < press->typist.count) { /* else it is the key that has moved it */
            fail_away(press, where, keys);
        }
        return;
    }
    bool by_key = tb_args_has(work->op->args, "key");
    tb_json_str(tb_json_get(told, "strayed"), &where);
    where = tb_str_sub(where, 0, 200);
    if (tb_json_get(told, "got")) {
        tb_cdp_work_fail(work, TB_E_FOCUS_MOVED,
                         "the page moved the text cursor to %.*s, which received some of the text",
                         TB_STR_ARG(where));
        return;
    }
    tb_cdp_work_fail(work, TB_E_FOCUS_MOVED,
                     "%s: the page moved the focus to %.*s, which received nothing",
                     !keys    ? "nothing was pressed"
                     : by_key ? "the key went down in the element, but had no other effect"
                              : "the element received the beginning of the text only",
                     TB_STR_ARG(where));
}

/* The document of the tab is asked in the end; what came of it in another one, only that knows. */
static void on_typed(struct tb_cdp_work *work)
{
    if (!work->frame || !tb_cdp_work_wants_changes(work)) {
        tb_cdp_work_wind_up(work);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    tb_buf_append_cstr(&args, "{}");
    tb_cdp_refs_continue(work, &args);
    work->state = TOLD;
    tb_cdp_work_call(work, "here", tb_buf_str(&args));
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct press *press = press_of(work);
    if (work->state == KEYS) {
        if (tb_cdp_typist_step(&press->typist, value)) {
            on_typed(work);
        }
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    tb_cdp_refs_note(work, json);
    if (work->state == TOLD) {
        if (tb_cdp_work_is_missed(json)) {
            missed(work, json);
        } else {
            tb_cdp_work_take_changes(work, json);
            tb_cdp_work_wind_up(work);
        }
        return;
    }
    tb_cdp_work_set_element(work, "element", json);
    tb_json_num(tb_json_get(json, "aim"), &work->expected.aim);
    act(press);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (work->state == TOLD && err->code == TB_E_ELEMENT_STALE) {
        tb_cdp_work_wind_up(work); /* the key has taken the frame away, or led it elsewhere */
        return true;
    }
    return work->state == KEYS && tb_cdp_typist_failed(&press_of(work)->typist, err);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct press),
                                             .step = step,
                                             .failed = failed,
                                             .missed = missed};

void tb_cdp_op_press_key(struct tb_driver_session *session, struct tb_op *op)
{
    struct press *press = tb_cdp_work_new(&kind, session, op);
    if (!press) {
        return;
    }
    struct tb_cdp_work *work = &press->work;
    struct tb_err err;
    bool by_key = tb_args_has(op->args, "key");
    if (by_key == tb_args_has(op->args, "text")) {
        tb_cdp_work_fail(work, TB_E_PARAMS, "give exactly one of key and text");
        return;
    }
    if (tb_secrets_wanted(tb_args_text(op->args, "text", ""))) {
        tb_cdp_work_fail(
            work, TB_E_PARAMS,
            "keys go to whatever has the focus, so they cannot type a secret; fill the field "
            "instead");
        return;
    }
    if (by_key && tb_key_parse(tb_args_text(op->args, "key", ""), &press->key, &err) < 0) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    bool has_target = tb_args_has(op->args, "target");
    work->edits = !by_key || tb_key_edits(&press->key) ||
                  (has_target && tb_key_is_arrow(&press->key)); /* without one it scrolls */
    struct tb_str text = tb_args_text(op->args, "text", "");
    press->typist = (struct tb_cdp_typist){.work = work,
                                           .key = by_key ? &press->key : NULL,
                                           .text = text,
                                           .at_once = text.len > TYPED_MAX};
    press->typist.count = count_of(&press->typist);
    if (tb_cdp_work_wants_changes(work)) {
        work->frame = tb_cdp_ref_frame(tb_args_text(op->args, "target", ""));
        tb_cdp_work_requests_count(work);
    }
    if (!has_target) {
        act(press);
        return;
    }
    if (tb_cdp_work_frame(work, tb_args_text(op->args, "target", ""))) {
        TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
        tb_cdp_work_args(work, "target", true, &args);
        args.len--; /* the closing brace */
        tb_buf_printf(&args, ",\"watch\":%s,\"keys\":%lld}",
                      tb_cdp_work_wants_changes(work) ? "true" : "false",
                      (long long)press->typist.count);
        tb_cdp_refs_continue(work, &args);
        tb_cdp_work_watch_changes(work);
        work->state = FOCUS;
        tb_cdp_work_call(work, "focus", tb_buf_str(&args));
    }
}
