/* SPDX-License-Identifier: Apache-2.0 */
/* fill: FILLING --> [FOCUSING --> SUBMITTING: Enter] --> end.   fill_form: FILLING for each field
 * --> end. */
#include <stdio.h>

#include "base/quote.h"
#include "core/args.h"
#include "driver/cdp/op/filler.h"
#include "driver/cdp/op/keystroke.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"

enum state {
    FILLING,
    FOCUSING,
    SUBMITTING,
};

enum {
    WORDS_MAX = 4096,
    FOCUS_MS = 1000, /* for a field that was there a moment ago */
};

struct fill {
    struct tb_cdp_work work;
    struct tb_cdp_filler filler;
    struct tb_cdp_typist typist; /* of Enter */
    struct tb_key enter;
    const struct cJSON *field; /* of a form; NULL: a single field */
    int number;
    struct cJSON *elements; /* part of the result */
};

static struct fill *fill_of(struct tb_cdp_work *work)
{
    return TB_CONTAINER(work, struct fill, work);
}

static void start_field(struct fill *fill)
{
    fill->filler.target = tb_args_text(fill->field, "target", "");
    fill->filler.value = tb_args_text(fill->field, "value", "");
    fill->filler.last = tb_json_next(fill->field) == NULL;
    fill->filler.tells_changes = tb_cdp_work_wants_changes(&fill->work);
    fill->number++;
    fill->work.state = FILLING;
    tb_cdp_filler_start(&fill->filler);
}

static void add_filled(struct fill *fill)
{
    const struct tb_cdp_filler *filler = &fill->filler;
    struct tb_str name = filler->element[0] ? tb_str_of(filler->element) : filler->target;
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(WORDS_MAX);
    tb_buf_append_str(&words, tb_str_sub(name, 0, sizeof(filler->element)));
    if (filler->differs && filler->secret) {
        tb_buf_append_cstr(&words, " (which now has another value)");
    } else if (filler->differs || filler->unsaid) {
        tb_buf_append_cstr(&words, " (which now has ");
        tb_quote(tb_str_of(filler->now), sizeof(filler->now), &words);
        tb_buf_append_cstr(&words, ")");
    }
    tb_json_append_take(fill->elements, tb_json_new_str(tb_buf_str(&words)));
    tb_json_set_int(fill->work.op->result->data, "filled", fill->number);
}

static void step_form(struct tb_cdp_work *work, struct tb_str value)
{
    struct fill *fill = fill_of(work);
    if (!tb_cdp_filler_step(&fill->filler, value)) {
        return;
    }
    add_filled(fill);
    fill->field = tb_json_next(fill->field);
    if (!fill->field) {
        tb_cdp_work_wind_up(work);
    } else if (tb_cdp_work_has_left(
                   work)) { /* the next may be a password, and that page anybody's */
        tb_cdp_work_fail(work, TB_E_ELEMENT_STALE,
                         "only %d of the fields %s filled: then the page began to load another "
                         "document",
                         fill->number, fill->number == 1 ? "was" : "were");
    } else {
        start_field(fill);
    }
}

/* Says which of the fields it was. */
static bool failed_form(struct tb_cdp_work *work, const struct tb_err *err)
{
    struct fill *fill = fill_of(work);
    if (tb_cdp_filler_failed(&fill->filler, err)) {
        return true;
    }
    if (tb_cdp_filler_has_text(&fill->filler, err)) {
        add_filled(fill);
        if (!tb_json_next(fill->field)) {
            return false;
        }
        tb_cdp_work_fail(work, err->code,
                         "field %d (%.*s) was filled, those after it were not: %s. Give only those "
                         "that are left when you call again",
                         fill->number, TB_STR_ARG(tb_str_sub(fill->filler.target, 0, 100)),
                         err->text);
        return true;
    }
    char before[40] = "";
    if (fill->number > 1) {
        snprintf(before, sizeof(before), "%d field%s filled; ", fill->number - 1,
                 fill->number == 2 ? " was" : "s were");
    }
    tb_cdp_work_fail(work, tb_cdp_work_code(err), "%sfield %d (%.*s): %s%s", before, fill->number,
                     TB_STR_ARG(tb_str_sub(fill->filler.target, 0, 100)), err->text,
                     tb_cdp_filler_doubt(&fill->filler, err));
    return true;
}

static void add_state(struct fill *fill)
{
    struct cJSON *data = fill->work.op->result->data;
    if (fill->filler.element[0]) {
        tb_json_set_cstr(data, "element", fill->filler.element);
    }
    if (fill->filler.secret) {
        tb_json_set_bool(data, "secret", true);
    }
    if (fill->filler.differs) {
        tb_json_set_bool(data, "differs", true);
    }
    if ((fill->filler.differs && !fill->filler.secret) || fill->filler.unsaid) {
        tb_json_set_cstr(data, "now", fill->filler.now);
    }
}

/* Enter is for the field, wherever the page has put the focus meanwhile and whatever fits the
 * target by then. */
static void focus(struct tb_cdp_work *work)
{
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    int64_t left_ms = tb_cdp_work_left_ms(work);
    tb_cdp_work_args(work, "target", false, &args);
    args.len--; /* the closing brace */
    tb_buf_printf(&args, ",\"timeout_ms\":%lld,\"strict\":%s,\"filled\":true}",
                  (long long)(left_ms < FOCUS_MS ? left_ms : FOCUS_MS),
                  work->op->lenient ? "false" : "true");
    tb_cdp_refs_continue(work, &args);
    if (tb_cdp_work_wants_changes(work)) {
        tb_cdp_work_requests_count(work);
    }
    work->state = FOCUSING;
    tb_cdp_work_call(work, "focus", tb_buf_str(&args));
}

static void submit(struct tb_cdp_work *work, struct tb_str value)
{
    struct fill *fill = fill_of(work);
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    tb_json_num(tb_json_get(json, "aim"), &work->expected.aim);
    work->state = SUBMITTING;
    work->acted = true;
    tb_cdp_work_watch_changes(work); /* it begins anew with a key */
    tb_key_parse(TB_STR("Enter"), &fill->enter, NULL);
    fill->typist = (struct tb_cdp_typist){.work = work, .key = &fill->enter};
    tb_cdp_typist_start(&fill->typist);
}

static void missed(struct tb_cdp_work *work, const struct cJSON *told)
{
    const struct tb_cdp_filler *filler = &fill_of(work)->filler;
    struct tb_str where = {NULL, 0};
    int64_t keys;
    if (work->state == SUBMITTING) {
        if (tb_cdp_work_is_away(told, &where, &keys) && keys) {
            return; /* Enter has moved it */
        }
        tb_json_str(tb_json_get(told, "strayed"), &where);
        tb_cdp_work_fail(
            work, TB_E_FOCUS_MOVED,
            "%s was filled, but Enter was not pressed in it: the page moved the focus to %.*s",
            filler->element[0] ? filler->element : "the field",
            TB_STR_ARG(where.len ? tb_str_sub(where, 0, 200) : TB_STR("another frame")));
        return;
    }
    tb_cdp_filler_missed(&fill_of(work)->filler, told);
}

static bool told(struct tb_cdp_work *work, const struct cJSON *json)
{
    return work->state == FILLING && tb_cdp_filler_told(&fill_of(work)->filler, json);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    struct fill *fill = fill_of(work);
    if (work->state == FOCUSING && tb_cdp_work_has_left(work)) {
        tb_cdp_work_wind_up(work);
        return true;
    }
    bool has_text = work->state == FILLING && tb_cdp_filler_has_text(&fill->filler, err);
    bool submits = tb_args_flag(work->op->args, "submit", false);
    if (work->state == FOCUSING || (has_text && submits)) {
        tb_cdp_work_fail(work, tb_cdp_work_code(err),
                         "the field was filled, but Enter was not pressed in it: %s", err->text);
        return true;
    }
    bool waits =
        work->state == FILLING && !submits && tb_cdp_filler_awaits_word(&fill->filler, err);
    if (has_text || waits) {
        add_state(fill);
    }
    if (work->state != FILLING) {
        return work->state == SUBMITTING && tb_cdp_typist_failed(&fill->typist, err);
    }
    if (tb_cdp_filler_failed(&fill->filler, err)) {
        return true;
    }
    const char *doubt = tb_cdp_filler_doubt(&fill->filler, err);
    if (doubt[0] && !waits) {
        tb_cdp_work_fail(work, err->code, "%s%s", err->text, doubt);
        return true;
    }
    return false;
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct fill *fill = fill_of(work);
    if (work->state == FILLING) {
        if (!tb_cdp_filler_step(&fill->filler, value)) {
            return;
        }
        add_state(fill);
        /* Enter is not for a page that the text has led to already. */
        if (tb_args_flag(work->op->args, "submit", false) && !tb_cdp_work_has_left(work)) {
            focus(work);
            return;
        }
    } else if (work->state == FOCUSING && !tb_cdp_work_has_left(work)) {
        submit(work, value);
        return;
    } else if (work->state == SUBMITTING && !tb_cdp_typist_step(&fill->typist, value)) {
        return;
    }
    tb_cdp_work_wind_up(work);
}

static void fini(struct tb_cdp_work *work)
{
    tb_cdp_filler_fini(&fill_of(work)->filler);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct fill),
                                             .step = step,
                                             .failed = failed,
                                             .missed = missed,
                                             .told = told,
                                             .fini = fini};
static const struct tb_cdp_work_kind form_kind = {.size = sizeof(struct fill),
                                                  .step = step_form,
                                                  .failed = failed_form,
                                                  .missed = missed,
                                                  .told = told,
                                                  .fini = fini};

void tb_cdp_op_fill(struct tb_driver_session *session, struct tb_op *op)
{
    struct fill *fill = tb_cdp_work_new(&kind, session, op);
    if (!fill) {
        return;
    }
    tb_cdp_filler_init(&fill->filler, &fill->work);
    fill->filler.target = tb_args_text(op->args, "target", "");
    fill->filler.value = tb_args_text(op->args, "value", "");
    fill->filler.clear = tb_args_flag(op->args, "clear_first", true);
    fill->filler.delay_ms = tb_args_int(op->args, "delay_ms", 0);
    fill->filler.last = !tb_args_flag(op->args, "submit", false);
    fill->filler.tells_changes = tb_cdp_work_wants_changes(&fill->work);
    tb_cdp_filler_start(&fill->filler);
}

void tb_cdp_op_fill_form(struct tb_driver_session *session, struct tb_op *op)
{
    struct fill *fill = tb_cdp_work_new(&form_kind, session, op);
    if (!fill) {
        return;
    }
    tb_cdp_filler_init(&fill->filler, &fill->work);
    fill->elements = tb_json_new_array();
    tb_json_set_take(op->result->data, "elements", fill->elements);
    tb_json_set_int(op->result->data, "filled", 0);
    fill->field = tb_json_first(tb_json_get(op->args, "fields"));
    if (!fill->field) {
        tb_cdp_work_fail(&fill->work, TB_E_PARAMS, "'fields' is empty");
        return;
    }
    start_field(fill);
}
