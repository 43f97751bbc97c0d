/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/typist.h"

#include <stdio.h>

#include "driver/cdp/op/keystroke.h"

enum phase {
    ASK,
    KEY,
};

enum {
    ARGS_MAX = 128,
};

static struct tb_str rest_of(const struct tb_cdp_typist *typist)
{
    return tb_str_sub(typist->text, typist->sent, typist->text.len);
}

bool tb_cdp_typist_has_rest(const struct tb_cdp_typist *typist)
{
    return typist->key ? !typist->sent : typist->sent < typist->text.len;
}

bool tb_cdp_typist_has_lost(const struct tb_cdp_typist *typist, int64_t keys)
{
    return keys < typist->before + typist->strokes;
}

static void insert(struct tb_cdp_typist *typist)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "text", typist->text);
    tb_json_object_close(&json);
    tb_cdp_work_send(typist->work, "Input.insertText", tb_buf_str(&params));
}

static void send(struct tb_cdp_typist *typist)
{
    struct tb_cdp_work *work = typist->work;
    typist->phase = KEY;
    work->acted = true;
    typist->strokes++;
    if (typist->key) {
        typist->sent = 1;
        tb_cdp_keystroke(work, typist->key);
    } else if (typist->at_once) {
        typist->sent = typist->text.len;
        insert(typist);
    } else if (typist->wary) {
        typist->sent += tb_cdp_keystroke_next(work, rest_of(typist));
    } else {
        typist->sent = typist->text.len;
        tb_cdp_keystroke_text(work, typist->text);
    }
}

static void ask(struct tb_cdp_typist *typist)
{
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(ARGS_MAX);
    tb_buf_printf(&args, "{\"aim\":%.17g}", typist->work->expected.aim);
    typist->phase = ASK;
    tb_cdp_work_call(typist->work, "typing", tb_buf_str(&args));
}

void tb_cdp_typist_start(struct tb_cdp_typist *typist)
{
    struct tb_cdp_page *page = tb_cdp_work_page(typist->work);
    struct tb_cdp_frame *frame =
        page ? tb_cdp_page_frame_by_number(page, typist->work->frame) : NULL;
    /* What is pasted for nobody makes no event that would tell of it. */
    bool blind = typist->at_once && !(typist->work->expected.aim > 0);
    /* The page counts the keys of a target. Of others nobody knows, and one has gone out. */
    typist->work->expected.due =
        typist->work->expected.aim > 0 || (!typist->key && tb_cdp_keystroke_count(typist->text) > 1)
            ? 1
            : 0;
    typist->work->expected.had = 0;
    typist->wary = blind || (frame && tb_cdp_frame_has_strangers(frame));
    if (typist->wary) {
        ask(typist);
    } else {
        send(typist);
    }
}

/* Whether what was sent has not arrived, or what is to come would not; and how many keys have. */
static bool is_elsewhere(struct tb_cdp_typist *typist, const struct cJSON *json, int64_t *ret_keys)
{
    struct tb_str frame = {NULL, 0};
    int64_t keys;
    bool away = tb_cdp_work_is_away(json, &frame, &keys);
    *ret_keys = keys;
    if (typist->work->expected.aim > 0) {
        typist->before = typist->strokes ? typist->before : keys;
        return tb_cdp_typist_has_lost(typist, keys) || tb_cdp_work_is_missed(json) ||
               (away && tb_cdp_typist_has_rest(typist));
    }
    frame = tb_str_sub(frame, 0, sizeof(typist->frame) - 1);
    if (!typist->strokes) {
        snprintf(typist->frame, sizeof(typist->frame), "%.*s", TB_STR_ARG(frame));
    }
    return tb_cdp_typist_has_rest(typist) && !tb_str_eq_cstr(frame, typist->frame);
}

/* Whether the page has not told of the last key: a tab that is behind another one gets no more. */
static bool is_unheard(const struct tb_cdp_typist *typist)
{
    return typist->count && typist->work->expected.aim > 0 &&
           typist->work->expected.had < typist->work->expected.due;
}

static bool lacks_keys(const struct tb_cdp_typist *typist, int64_t keys)
{
    return typist->count && typist->work->expected.aim > 0 && keys - typist->before < typist->count;
}

static void fail_short(struct tb_cdp_typist *typist, int64_t keys)
{
    tb_cdp_work_fail(typist->work, TB_E_FOCUS_MOVED,
                     "the element received %lld of %lld keys and then no more",
                     (long long)(keys - typist->before), (long long)typist->count);
}

/* The document that it was for is gone. The rest is not for the page that comes next. */
static bool on_left(struct tb_cdp_typist *typist)
{
    if (!tb_cdp_typist_has_rest(typist)) {
        typist->work->expected.due = 0; /* what comes up now comes after it */
        return true;
    }
    tb_cdp_work_fail(
        typist->work, TB_E_ELEMENT_STALE, "%s: the page began to load another document",
        typist->strokes ? "typing stopped before the end of the text" : "nothing was pressed");
    return false;
}

static bool on_sent(struct tb_cdp_typist *typist)
{
    if (tb_cdp_work_has_left(typist->work)) {
        return on_left(typist);
    }
    if (!typist->wary && !is_unheard(typist)) {
        typist->work->expected.due = 0;
        return true;
    }
    ask(typist);
    return false;
}

/* Asked for its target's keys, a document says who has the focus if it knows of no target. */
static bool is_another_document(const struct tb_cdp_typist *typist, const struct cJSON *json)
{
    return typist->work->expected.aim > 0 && tb_json_get(json, "nobody");
}

bool tb_cdp_typist_step(struct tb_cdp_typist *typist, struct tb_str value)
{
    if (typist->phase == KEY) {
        return on_sent(typist);
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    bool nobody = false;
    int64_t keys;
    tb_json_bool(tb_json_get(json, "nobody"), &nobody);
    if (is_another_document(typist, json)) {
        return on_left(typist);
    }
    if (is_elsewhere(typist, json, &keys)) {
        typist->work->kind->missed(typist->work, json);
    } else if (!tb_cdp_typist_has_rest(typist) && lacks_keys(typist, keys)) {
        fail_short(typist, keys);
    } else if (!tb_cdp_typist_has_rest(typist)) {
        typist->work->expected.due = 0;
        return true;
    } else if (typist->at_once && nobody) {
        tb_cdp_work_fail(typist->work, TB_E_PARAMS,
                         "nothing had the focus, so nothing was typed; give a target");
    } else {
        send(typist);
    }
    return false;
}

bool tb_cdp_typist_failed(struct tb_cdp_typist *typist, const struct tb_err *err)
{
    bool done = typist->phase == ASK && typist->strokes && !tb_cdp_typist_has_rest(typist);
    if (!done || err->code != TB_E_ELEMENT_STALE) {
        return false;
    }
    typist->phase = KEY;
    typist->wary = false;
    typist->work->kind->step(typist->work, (struct tb_str){NULL, 0});
    return true;
}
