/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/filler.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "driver/cdp/keystroke.h"

enum phase {
    FOCUS,
    CARET,
    TYPING,
    SETTING,
    CHECK,
    POINT,
    OFFSET,
    CLICKED,
};

enum {
    PARAMS_MAX = 16 * 1024 * 1024,
};

static void call(struct tb_filler *filler, enum phase phase, const char *function, const char *flag)
{
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &args);
    tb_json_object_open(&json);
    tb_json_key(&json, "target");
    tb_json_put_str(&json, filler->target);
    tb_json_key(&json, "timeout_ms");
    tb_json_put_int(&json, tb_opwork_page_ms(filler->work));
    if (phase == SETTING) {
        tb_json_key(&json, "value");
        tb_json_put_str(&json, filler->value);
    }
    if (flag) {
        tb_json_key(&json, flag);
        tb_json_put_bool(&json, true);
    }
    tb_json_object_close(&json);
    filler->phase = (int)phase;
    tb_opwork_call(filler->work, function, tb_buf_str(&args));
}

static void insert(struct tb_filler *filler, struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "text");
    tb_json_put_str(&json, text);
    tb_json_object_close(&json);
    tb_opwork_send(filler->work, "Input.insertText", tb_buf_str(&params));
}

/* One character as a key stroke, if it is on the keyboard. */
static void type_next(struct tb_filler *filler)
{
    struct tb_str rest = tb_str_sub(filler->value, filler->typed, filler->value.len);
    size_t len = 1;
    while (len < rest.len && ((unsigned char)rest.ptr[len] & 0xc0) == 0x80) {
        len++;
    }
    struct tb_str one = tb_str_sub(rest, 0, len);
    filler->typed += len;
    if (one.ptr[0] == '\n' || one.ptr[0] == '\r') {
        tb_keystroke_named(filler->work, "Enter");
    } else if ((unsigned char)one.ptr[0] > ' ' && len == 1) {
        char chord[2] = {one.ptr[0], '\0'};
        tb_keystroke_named(filler->work, chord);
    } else {
        insert(filler, one);
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    (void)timer;
    type_next(user);
}

static void type(struct tb_filler *filler)
{
    filler->phase = TYPING;
    filler->work->acted = true;
    filler->typed = 0;
    if (!filler->value.len) {
        tb_keystroke_named(filler->work, "Backspace");
    } else if (filler->delay_ms > 0) {
        type_next(filler);
    } else {
        filler->typed = filler->value.len;
        insert(filler, filler->value);
        if (filler->last) {
            tb_opwork_expect(filler->work, TB_HERE_INPUTS, filler->inputs + 1);
        }
    }
}

static bool on_typed(struct tb_filler *filler)
{
    if (filler->typed >= filler->value.len) {
        return true;
    }
    tb_timer_start(&filler->timer, filler->delay_ms);
    return false;
}

static void note_element(struct tb_filler *filler, const struct cJSON *json)
{
    struct tb_str role = {NULL, 0};
    struct tb_str name = {NULL, 0};
    tb_json_bool(tb_json_get(json, "secret"), &filler->secret);
    if (!tb_json_str(tb_json_get(json, "role"), &role) || !role.len) {
        tb_json_str(tb_json_get(json, "tag"), &role);
    }
    tb_json_str(tb_json_get(json, "name"), &name);
    if (role.len || name.len) {
        snprintf(filler->element, sizeof(filler->element), "%.*s%s%.*s%s",
                 TB_STR_ARG(tb_str_sub(role, 0, 100)), name.len ? " \"" : "",
                 TB_STR_ARG(tb_str_sub(name, 0, 800)), name.len ? "\"" : "");
        filler->element[tb_utf8_prefix(tb_str_of(filler->element))] = '\0';
    }
}

static bool on_focus(struct tb_filler *filler, const struct cJSON *json)
{
    struct tb_str kind = {NULL, 0};
    tb_json_str(tb_json_get(json, "kind"), &kind);
    note_element(filler, json);
    tb_json_int(tb_json_get(json, "inputs"), &filler->inputs);
    if (tb_str_eq_cstr(kind, "text") || tb_str_eq_cstr(kind, "contenteditable")) {
        if (!filler->value.len && !filler->clear) {
            return true; /* nothing is added to what is there */
        }
        if (filler->clear) {
            type(filler);
        } else {
            filler->phase = CARET;
            tb_keystroke_named(filler->work, "Control+End");
        }
    } else if (tb_str_eq_cstr(kind, "value") || tb_str_eq_cstr(kind, "select")) {
        filler->work->acted = true;
        call(filler, SETTING, "setValue", NULL);
    } else if (tb_str_eq_cstr(kind, "checkbox") || tb_str_eq_cstr(kind, "radio")) {
        call(filler, CHECK, "check", NULL);
    } else if (tb_str_eq_cstr(kind, "file")) {
        tb_opwork_fail(filler->work, TB_E_ELEMENT_NOT_READY,
                       "%.*s takes files and no text; use browser_upload",
                       TB_STR_ARG(tb_str_sub(filler->target, 0, 100)));
    } else {
        tb_opwork_fail(filler->work, TB_E_ELEMENT_NOT_READY, "%s takes no text",
                       filler->element[0] ? filler->element : "the element");
    }
    return false;
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

static bool on_check(struct tb_filler *filler, const struct cJSON *json)
{
    int wish = wish_of(filler->value);
    bool checked = false;
    tb_json_bool(tb_json_get(json, "checked"), &checked);
    if (wish < 0) {
        tb_opwork_fail(filler->work, TB_E_PARAMS, "a checkbox takes true or false, not \"%.*s\"",
                       TB_STR_ARG(tb_str_sub(filler->value, 0, 60)));
        return false;
    }
    if (checked == (wish == 1)) {
        return true;
    }
    call(filler, POINT, "point", NULL);
    return false;
}

static void click(struct tb_filler *filler)
{
    filler->mouse.x += filler->work->frame_x;
    filler->mouse.y += filler->work->frame_y;
    filler->phase = CLICKED;
    filler->work->acted = true;
    tb_mouse_click(filler->work, &filler->mouse, 1);
}

static void on_point(struct tb_filler *filler, const struct cJSON *json)
{
    filler->mouse = (struct tb_mouse){.button = "left"};
    tb_json_num(tb_json_get(json, "x"), &filler->mouse.x);
    tb_json_num(tb_json_get(json, "y"), &filler->mouse.y);
    filler->phase = OFFSET;
    if (tb_opwork_offset(filler->work)) {
        click(filler);
    }
}

void tb_filler_init(struct tb_filler *filler, struct tb_opwork *work)
{
    *filler = (struct tb_filler){.work = work, .clear = true};
    tb_timer_init(&filler->timer, tb_session_loop(work->session), on_timer, filler);
}

void tb_filler_fini(struct tb_filler *filler)
{
    tb_timer_fini(&filler->timer);
}

void tb_filler_start(struct tb_filler *filler)
{
    filler->element[0] = '\0';
    filler->secret = false;
    if (tb_opwork_frame(filler->work, filler->target)) {
        call(filler, FOCUS, "focus", filler->clear ? "select" : NULL);
    }
}

bool tb_filler_step(struct tb_filler *filler, struct tb_str value)
{
    TB_AUTO(tb_json_free)
    struct cJSON *json = value.len && filler->phase != TYPING ? tb_json_parse(value) : NULL;
    switch (filler->phase) {
    case FOCUS:
        return on_focus(filler, json);
    case CARET:
        type(filler);
        return false;
    case TYPING:
        return on_typed(filler);
    case CHECK:
        return on_check(filler, json);
    case POINT:
        on_point(filler, json);
        return false;
    case OFFSET:
        click(filler);
        return false;
    default:
        return true;
    }
}
