/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/filler.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "core/secrets.h"
#include "driver/cdp/op/element.h"
#include "driver/cdp/op/keystroke.h"
#include "driver/cdp/op/refs.h"

enum phase {
    LOOK,
    FILL,
    TYPING,
    READ,
    CLICK,
    CHECKED,
};

enum {
    PARAMS_MAX = 16 * 1024 * 1024,
    ORIGINS_MAX = 16, /* frames inside each other */
    WORD_MS = 1000, /* far more than it takes; only what is told as a failure waits for all of it */
};

/* With `revealed`, the value with its secrets: all at once, and in this document only. */
static void fill_with(struct tb_cdp_filler *filler, struct tb_str value, bool revealed)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf args = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    bool keys = filler->delay_ms > 0 && !revealed;
    tb_json_writer_init(&json, &args);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "target", filler->target);
    tb_json_member_str(&json, "value", value);
    tb_json_member_int(&json, "timeout_ms", tb_cdp_work_element_ms(filler->work));
    tb_json_member_bool(&json, "strict", !filler->work->op->lenient);
    tb_json_member_bool(&json, "clear", filler->clear);
    tb_json_member_bool(&json, "keys", keys && value.len);
    tb_json_member_int(&json, "strokes", keys ? tb_cdp_keystroke_count(value) : 1);
    tb_json_member_bool(&json, "watch", filler->tells_changes);
    if (filler->document[0] && !filler->work->frame) { /* refs do not mean another one anyway */
        tb_json_member_cstr(&json, "document", filler->document);
    }
    tb_json_object_close(&json);
    tb_cdp_refs_continue(filler->work, &args);
    if (filler->tells_changes) {
        tb_cdp_work_watch_changes(filler->work);
    }
    filler->phase = FILL;
    tb_cdp_work_call(filler->work, revealed ? "fillSecret" : "fill", tb_buf_str(&args));
}

static void look(struct tb_cdp_filler *filler)
{
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &args);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "target", filler->target);
    tb_json_member_int(&json, "timeout_ms", tb_cdp_work_element_ms(filler->work));
    tb_json_member_bool(&json, "strict", !filler->work->op->lenient);
    tb_json_object_close(&json);
    tb_cdp_refs_continue(filler->work, &args);
    filler->phase = LOOK;
    tb_cdp_work_call(filler->work, "place", tb_buf_str(&args));
}

/* The field is there. Whose its document is, the browser has told; if another takes its place from
 * here on, the call does not reach that one (page/call.c). */
static void reveal(struct tb_cdp_filler *filler)
{
    struct tb_cdp_work *work = filler->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    TB_AUTO(tb_buf_wipe) struct tb_buf value = TB_BUF(PARAMS_MAX);
    struct tb_str origins[ORIGINS_MAX];
    struct tb_err err;
    size_t count = frame ? tb_cdp_frame_origins(frame, origins, ORIGINS_MAX) : 0;
    if (work->op->reveal(work->op, filler->value, origins, count, &value, &err) < 0) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    if (frame) {
        tb_cdp_frame_note_secret(frame);
    }
    fill_with(filler, tb_buf_str(&value), true);
}

static void type_next(struct tb_cdp_filler *filler)
{
    struct tb_str rest = tb_str_sub(filler->value, filler->typed, filler->value.len);
    size_t len = filler->delay_ms > 0 ? tb_cdp_keystroke_len(rest) : rest.len;
    filler->typed += len;
    filler->typist = (struct tb_cdp_typist){
        .work = filler->work, .text = tb_str_sub(rest, 0, len), .at_once = filler->delay_ms <= 0};
    tb_cdp_typist_start(&filler->typist);
}

static bool read_back(struct tb_cdp_filler *filler)
{
    filler->phase = READ;
    tb_cdp_work_call(filler->work, "filled", (struct tb_str){NULL, 0});
    return false;
}

static bool type(struct tb_cdp_filler *filler)
{
    filler->phase = TYPING;
    filler->work->acted = true;
    filler->typed = 0;
    if (!filler->value.len && !filler->clear) {
        return read_back(filler); /* nothing is added to what is there */
    }
    if (!filler->value.len) {
        tb_key_parse(TB_STR("Backspace"), &filler->key, NULL);
        filler->typist = (struct tb_cdp_typist){.work = filler->work, .key = &filler->key};
        tb_cdp_typist_start(&filler->typist);
    } else {
        type_next(filler);
    }
    return false;
}

static void fail_cut_off(struct tb_cdp_filler *filler, int code, const char *why)
{
    tb_cdp_work_fail(filler->work, code, "typing stopped before the end of the text: %s", why);
}

/* The word of a box has come, or is waited for no longer. */
static void end_word(struct tb_cdp_filler *filler)
{
    filler->word_late = true;
    filler->work->kind->step(filler->work, (struct tb_str){NULL, 0});
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_cdp_filler *filler = user;
    (void)timer;
    if (filler->phase == CHECKED) {
        end_word(filler);
    } else if (tb_cdp_work_has_left(
                   filler->work)) { /* the rest is not for the page that comes next */
        fail_cut_off(filler, TB_E_ELEMENT_STALE, "the page began to load another document");
    } else {
        type_next(filler);
    }
}

static bool on_typed(struct tb_cdp_filler *filler)
{
    if (filler->typed >= filler->value.len) {
        return tb_cdp_work_has_left(filler->work) || read_back(filler);
    }
    tb_timer_start(&filler->timer, filler->delay_ms);
    return false;
}

static void note_element(struct tb_cdp_filler *filler, const struct cJSON *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(sizeof(filler->element));
    tb_json_bool(tb_json_get(json, "secret"), &filler->secret);
    tb_cdp_element_print(json, &words);
    if (words.len) {
        snprintf(filler->element, sizeof(filler->element), "%.*s", TB_STR_ARG(tb_buf_str(&words)));
    }
}

static void note_document(struct tb_cdp_filler *filler, const struct cJSON *json)
{
    struct tb_str document = {NULL, 0};
    if (!filler->work->frame && tb_json_str(tb_json_get(json, "document"), &document)) {
        snprintf(filler->document, sizeof(filler->document), "%.*s", TB_STR_ARG(document));
    }
}

static void fail_refused(struct tb_cdp_filler *filler, struct tb_str form)
{
    const char *element = filler->element[0] ? filler->element : "the field";
    struct tb_quoted now;
    if (filler->secret) {
        tb_cdp_work_fail(filler->work, TB_E_WRONG_VALUE, "%s did not accept the value", element);
    } else if (form.len) {
        tb_cdp_work_fail(filler->work, TB_E_WRONG_VALUE,
                         "%s did not accept the value: it takes %.*s and now has %s", element,
                         TB_STR_ARG(form), tb_quoted(&now, tb_str_of(filler->now), 0));
    } else {
        tb_cdp_work_fail(filler->work, TB_E_WRONG_VALUE,
                         "%s did not accept the value; it now has %s", element,
                         tb_quoted(&now, tb_str_of(filler->now), 0));
    }
}

static void note_state(struct tb_cdp_filler *filler, const struct cJSON *json, bool same)
{
    struct tb_str now = tb_json_text(json, "now");
    snprintf(filler->now, sizeof(filler->now), "%.*s", TB_STR_ARG(tb_str_sub(now, 0, 500)));
    filler->now[tb_utf8_prefix(tb_str_of(filler->now))] = '\0';
    filler->differs = !same;
    filler->unsaid = same && tb_json_get(json, "unsaid");
    filler->work->acted = true;
}

/* What the field has, as the page read it. */
static bool on_read(struct tb_cdp_filler *filler, const struct cJSON *json)
{
    struct tb_str form = {NULL, 0};
    bool same = false;
    bool taken = false;
    if (tb_cdp_work_is_missed(json)) {
        tb_cdp_filler_missed(filler, json);
        return false;
    }
    if (!tb_json_bool(tb_json_get(json, "same"), &same) && tb_cdp_work_has_left(filler->work)) {
        return true; /* it was the next document that answered, and the field is gone */
    }
    tb_json_bool(tb_json_get(json, "taken"), &taken);
    tb_json_str(tb_json_get(json, "form"), &form);
    note_state(filler, json, same);
    if (!taken) {
        fail_refused(filler, form);
        return false;
    }
    if (filler->last) {
        tb_cdp_work_take(filler->work, json);
    } else {
        tb_cdp_work_take_changes(filler->work, json);
    }
    return true;
}

/* -1: neither yes nor no. */
static int wish_of(struct tb_str value)
{
    static const char *const yes[] = {"true", "on", "yes", "1", "checked"};
    static const char *const no[] = {"false", "off", "no", "0", "unchecked", ""};
    for (size_t i = 0; i < TB_COUNT(yes); i++) {
        if (tb_str_eq_nocase(value, tb_str_of(yes[i]))) {
            return 1;
        }
    }
    for (size_t i = 0; i < TB_COUNT(no); i++) {
        if (tb_str_eq_nocase(value, tb_str_of(no[i]))) {
            return 0;
        }
    }
    return -1;
}

/* 1: checked, 0: not, -1: mixed, which is neither. */
static int state_of(const struct cJSON *json)
{
    bool checked;
    return tb_json_bool(tb_json_get(json, "checked"), &checked) ? checked : -1;
}

static void press_box(struct tb_cdp_filler *filler)
{
    filler->phase = CLICK;
    filler->click = (struct tb_cdp_click){.work = filler->work,
                                          .target = filler->target,
                                          .mouse = {.button = "left"},
                                          .count = 1,
                                          .tells_changes = filler->tells_changes,
                                          .ticks = true,
                                          .stays = true};
    tb_cdp_click_start(&filler->click);
}

static bool on_checkbox(struct tb_cdp_filler *filler, const struct cJSON *json)
{
    int wish = wish_of(filler->value);
    if (wish < 0) {
        tb_cdp_work_fail(filler->work, TB_E_PARAMS, "a checkbox takes true or false, not \"%.*s\"",
                         TB_STR_ARG(tb_str_sub(filler->value, 0, 60)));
        return false;
    }
    if (state_of(json) == wish) {
        return true;
    }
    filler->mixed = state_of(json) < 0;
    press_box(filler);
    return false;
}

static bool check(struct tb_cdp_filler *filler)
{
    if (filler->ticked && tb_cdp_work_has_left(filler->work)) {
        return true; /* the tick has led to another page, and the box is gone */
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &args);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "target", filler->target);
    tb_json_member_bool(&json, "strict", !filler->work->op->lenient);
    tb_json_object_close(&json);
    filler->phase = CHECKED;
    tb_cdp_work_call(filler->work, "check", tb_buf_str(&args));
    return false;
}

/* What was clicked has led to another page, or the page has removed the box: only the word that it
 * told before tells whether that was the box, and not a link in its label. Answers may overtake it.
 */
static bool on_box_gone(struct tb_cdp_filler *filler)
{
    if (filler->ticked) {
        return true;
    }
    if (!filler->word_late) {
        tb_timer_start(&filler->timer, WORD_MS);
        return false;
    }
    tb_cdp_work_fail(filler->work, TB_E_ELEMENT_STALE,
                     "%s was clicked%s, and nothing showed that it was %s",
                     filler->element[0] ? filler->element : "the checkbox",
                     tb_cdp_work_has_left(filler->work) ? ", but the page moved to another document"
                                                        : " and has left the page",
                     wish_of(filler->value) == 1 ? "checked" : "unchecked");
    return false;
}

static bool on_checked(struct tb_cdp_filler *filler, const struct cJSON *json)
{
    int state = state_of(json);
    if (!json || tb_cdp_work_has_left(filler->work)) {
        return on_box_gone(filler);
    }
    if (state == wish_of(filler->value)) {
        return true;
    }
    if (filler->mixed && state >= 0) { /* the first click made it one of both, the next the other */
        filler->mixed = false;
        press_box(filler);
        return false;
    }
    tb_cdp_work_fail(filler->work, TB_E_ELEMENT_NOT_READY, "%s was clicked, but it is %s",
                     filler->element[0] ? filler->element : "the checkbox",
                     state < 0 ? "in a mixed state"
                     : state   ? "still checked"
                               : "not checked");
    return false;
}

static bool on_filled(struct tb_cdp_filler *filler, const struct cJSON *json)
{
    struct tb_str kind = {NULL, 0};
    bool typed = false;
    tb_json_str(tb_json_get(json, "kind"), &kind);
    note_element(filler, json);
    note_document(filler, json);
    tb_json_num(tb_json_get(json, "aim"), &filler->work->expected.aim);
    if (tb_json_bool(tb_json_get(json, "typed"), &typed)) {
        return typed ? on_read(filler, json) : type(filler);
    }
    if (tb_str_eq_cstr(kind, "checkbox") || tb_str_eq_cstr(kind, "radio")) {
        return on_checkbox(filler, json);
    }
    if (tb_str_eq_cstr(kind, "file")) {
        tb_cdp_work_fail(filler->work, TB_E_TAKES_FILES, "%.*s takes files, not text",
                         TB_STR_ARG(tb_str_sub(filler->target, 0, 100)));
    } else {
        tb_cdp_work_fail(filler->work, TB_E_WRONG_ELEMENT, "%s does not accept text",
                         filler->element[0] ? filler->element : "the element");
    }
    return false;
}

void tb_cdp_filler_init(struct tb_cdp_filler *filler, struct tb_cdp_work *work)
{
    *filler = (struct tb_cdp_filler){.work = work, .clear = true};
    tb_timer_init(&filler->timer, tb_cdp_session_loop(work->session), on_timer, filler);
}

void tb_cdp_filler_fini(struct tb_cdp_filler *filler)
{
    tb_timer_fini(&filler->timer);
}

void tb_cdp_filler_start(struct tb_cdp_filler *filler)
{
    filler->element[0] = '\0';
    filler->now[0] = '\0';
    filler->has_text = false;
    filler->work->expected.due = 0;
    filler->work->expected.had = 0;
    filler->secret = false;
    filler->differs = false;
    filler->unsaid = false;
    filler->ticked = false;
    filler->word_late = false;
    if (!tb_cdp_work_frame(filler->work, filler->target)) {
        return;
    }
    if (filler->work->op->reveal && tb_secrets_wanted(filler->value)) {
        look(filler);
    } else {
        fill_with(filler, filler->value, false);
    }
}

bool tb_cdp_filler_step(struct tb_cdp_filler *filler, struct tb_str value)
{
    if (filler->phase == LOOK) {
        reveal(filler);
        return false;
    }
    if (filler->phase == TYPING) {
        return tb_cdp_typist_step(&filler->typist, value) && on_typed(filler);
    }
    if (filler->phase == READ && !value.len) {
        return true; /* what was done has led to another document */
    }
    if (filler->phase == CLICK) {
        return tb_cdp_click_step(&filler->click, value) && check(filler);
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    switch (filler->phase) {
    case FILL:
        return on_filled(filler, json);
    case READ:
        return on_read(filler, json);
    default:
        return on_checked(filler, json);
    }
}

void tb_cdp_filler_missed(struct tb_cdp_filler *filler, const struct cJSON *told)
{
    struct tb_str where = {NULL, 0};
    int64_t keys;
    bool away = tb_cdp_work_is_away(told, &where, &keys);
    bool lost = filler->phase == TYPING && tb_cdp_typist_has_lost(&filler->typist, keys);
    bool has_rest = filler->typed < filler->value.len || tb_cdp_typist_has_rest(&filler->typist);
    if ((away || lost) && !tb_cdp_work_is_missed(told)) {
        if (!keys || lost || has_rest) {
            tb_cdp_work_fail(
                filler->work, TB_E_FOCUS_MOVED,
                "typing stopped: the page moved the focus from %s into %.*s%s",
                filler->element[0] ? filler->element : "the field",
                TB_STR_ARG(where.len ? tb_str_sub(where, 0, 200) : TB_STR("another frame")),
                lost ? ", which may have received some of the text" : "");
        }
        return;
    }
    if (!tb_json_str(tb_json_get(told, "strayed"), &where)) {
        tb_cdp_click_missed(&filler->click, told);
        return;
    }
    bool got = tb_json_get(told, "got") != NULL;
    tb_cdp_work_fail(filler->work, TB_E_FOCUS_MOVED,
                     "typing stopped: the page moved the %s from %s to %.*s, which received %s",
                     got ? "text cursor" : "focus",
                     filler->element[0] ? filler->element : "the field",
                     TB_STR_ARG(tb_str_sub(where, 0, 200)),
                     got ? "some or all of the text" : "none of the text");
}

bool tb_cdp_filler_failed(struct tb_cdp_filler *filler, const struct tb_err *err)
{
    if (filler->phase == TYPING && tb_cdp_typist_failed(&filler->typist, err)) {
        return true;
    }
    if (filler->phase == TYPING && filler->typed < filler->value.len) {
        fail_cut_off(filler, tb_cdp_work_code(err), err->text);
        return true;
    }
    bool gone = err->code == TB_E_ELEMENT_NOT_FOUND || err->code == TB_E_ELEMENT_STALE;
    bool left = tb_cdp_work_has_left(filler->work);
    if ((filler->phase == READ && err->code == TB_E_ELEMENT_STALE && left) ||
        (filler->phase == CHECKED && err->code != TB_E_DIALOG_OPEN && (left || gone))) {
        filler->work->kind->step(filler->work, (struct tb_str){NULL, 0});
        return true;
    }
    return filler->phase == CLICK && tb_cdp_click_failed(&filler->click, err);
}

bool tb_cdp_filler_told(struct tb_cdp_filler *filler, const struct cJSON *told)
{
    bool same = false;
    bool taken = false;
    bool ticked = false;
    if ((filler->phase == CLICK || filler->phase == CHECKED) &&
        tb_json_bool(tb_json_get(told, "ticked"), &ticked)) {
        filler->ticked = ticked == (wish_of(filler->value) == 1);
        filler->work->expected.had += filler->ticked ? 1 : 0;
        if (filler->phase == CHECKED && tb_timer_armed(&filler->timer)) {
            tb_timer_stop(&filler->timer);
            end_word(filler);
        } else {
            tb_cdp_work_look_again(filler->work);
        }
        return true;
    }
    if (!tb_json_bool(tb_json_get(told, "taken"), &taken) || filler->phase != FILL) {
        return false;
    }
    if (taken) {
        tb_json_bool(tb_json_get(told, "same"), &same);
        note_element(filler, told);
        note_state(filler, told, same);
        filler->has_text = true;
    }
    return true;
}

bool tb_cdp_filler_has_text(const struct tb_cdp_filler *filler, const struct tb_err *err)
{
    bool told = (filler->phase == CLICK || filler->phase == CHECKED ||
                 (filler->phase == TYPING && filler->typed >= filler->value.len)) &&
                filler->work->expected.due &&
                filler->work->expected.had >= filler->work->expected.due;
    return err->code == TB_E_DIALOG_OPEN && (filler->has_text || told || filler->phase == READ);
}

const char *tb_cdp_filler_doubt(const struct tb_cdp_filler *filler, const struct tb_err *err)
{
    bool begun = filler->phase == FILL || filler->work->expected.due;
    bool doubtful = err->code == TB_E_DIALOG_OPEN && begun && !tb_cdp_filler_has_text(filler, err);
    return doubtful ? ". The field may be filled once the dialog is answered: look at it before "
                      "you fill it again"
                    : "";
}

bool tb_cdp_filler_awaits_word(const struct tb_cdp_filler *filler, const struct tb_err *err)
{
    return err->code == TB_E_DIALOG_OPEN && filler->phase != FILL && filler->work->expected.due > 0;
}
