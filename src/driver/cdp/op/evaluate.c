/* SPDX-License-Identifier: Apache-2.0 */
/* A script runs in the page's own world, as if the page had it:
 *
 *   RUNNING --> its value, or what it failed with
 *      | a SyntaxError: did it run and fail, or not compile?
 *      v
 *   COMPILING --it compiles--> it ran and failed so; nothing is done twice
 *      +--it does not: nothing has run--> RUNNING in the next form
 *
 * Statements give an object by reference, since it may be a promise: RUNNING --> SHOWING.
 * With a target the element is looked up in our world and handed over to the page's first:
 * ELEMENT --> NODE --> OBJECT --> RUNNING, or where there is none ELEMENT --> REASON.
 *
 * A script that computes past the deadline is ended by the browser's own timer, which knows it from
 * what the page does by itself. */
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "core/args.h"
#include "core/limits.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/script_form.h"
#include "driver/cdp/op/work.h"
#include "driver/json_plain.h"
#include "proto/json_iter.h"
#include "proto/json_string.h"

enum state {
    ELEMENT,
    REASON,
    AGAIN,
    NODE,
    OBJECT,
    RUNNING,
    COMPILING,
    SHOWING,
};

enum {
    SCRIPT_MAX = 8 * 1024 * 1024,
    PARAMS_MAX = 2 * SCRIPT_MAX,
    WORDS_MAX = 64 * 1024,
    OBJECT_ID_SIZE = 128,
    TITLE_MAX = 500,
    SHOWN_MAX = 260,     /* of what a script failed with */
    STOP_MARGIN_MS = 20, /* our own words come first */
};

#define OBJECT_GROUP "tabard-evaluate"

struct evaluate {
    struct tb_cdp_work work;
    enum tb_cdp_script_form form;
    char object[OBJECT_ID_SIZE]; /* the element in the page's world, in quotes; empty: no target */
    uint64_t document;           /* that it was found in */
    struct tb_err failure;       /* what the script failed with, if it has run */
    bool holds;                  /* objects of the page */
};

static struct tb_str script_of(const struct tb_cdp_work *work)
{
    return tb_args_text(work->op->args, "script", "");
}

/* True when the reply holds the title beside the value. */
static bool brings_title(const struct evaluate *evaluate)
{
    return !evaluate->object[0] &&
           (evaluate->form != TB_SCRIPT_STATEMENTS || evaluate->work.state == SHOWING);
}

static void put_flags(struct evaluate *evaluate, struct tb_json_writer *json)
{
    bool statements = evaluate->form == TB_SCRIPT_STATEMENTS;
    struct {
        const char *name;
        bool holds;
    } flags[] = {
        {"awaitPromise", true},
        {"returnByValue", !statements},
        {"userGesture", tb_cdp_script_wants_gesture(script_of(&evaluate->work))},
        {"replMode", statements}, /* await, and names that an earlier script has declared */
    };
    for (size_t i = 0; i < TB_COUNT(flags); i++) {
        if (flags[i].holds) {
            tb_json_member_bool(json, flags[i].name, true);
        }
    }
    tb_json_member_cstr(json, "objectGroup", OBJECT_GROUP);
    if (!evaluate->object[0]) {
        tb_json_member_int(json, "timeout", tb_cdp_work_left_ms(&evaluate->work) + STOP_MARGIN_MS);
    }
}

static void put_element(const struct evaluate *evaluate, struct tb_json_writer *json)
{
    tb_json_member_raw(json, "objectId", tb_str_of(evaluate->object));
    tb_json_key(json, "arguments");
    tb_json_array_open(json);
    tb_json_object_open(json);
    tb_json_member_raw(json, "objectId", tb_str_of(evaluate->object));
    tb_json_object_close(json);
    tb_json_array_close(json);
}

/* Sends the script in its present form, to be run or only to be compiled. */
static void send_script(struct evaluate *evaluate, int state)
{
    struct tb_cdp_work *work = &evaluate->work;
    TB_AUTO(tb_buf_fini) struct tb_buf source = TB_BUF(SCRIPT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    bool on_element = evaluate->object[0];
    bool compile = state == COMPILING;
    work->state = state;
    tb_buf_append_cstr(&source, compile && on_element ? "(" : "");
    tb_cdp_script_put(evaluate->form, on_element, script_of(work), &source);
    tb_buf_append_cstr(&source, compile && on_element ? ")" : "");
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_str(&json, on_element && !compile ? "functionDeclaration" : "expression",
                       tb_buf_str(&source));
    if (compile) {
        tb_json_member_cstr(&json, "sourceURL", "");
        tb_json_member_bool(&json, "persistScript", false);
    } else {
        if (on_element) {
            put_element(evaluate, &json);
        }
        put_flags(evaluate, &json);
    }
    tb_json_object_close(&json);
    if (json.rc < 0 || source.len < script_of(work).len) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE, "the script is larger than %d KB",
                         SCRIPT_MAX / TB_KIB);
        return;
    }
    const char *method = on_element ? "Runtime.callFunctionOn" : "Runtime.evaluate";
    tb_cdp_work_frame_send(work, compile ? "Runtime.compileScript" : method, tb_buf_str(&params));
}

static void run(struct evaluate *evaluate, enum tb_cdp_script_form form)
{
    struct tb_cdp_work *work = &evaluate->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    evaluate->form = form;
    work->acted = true;
    work->script = true;
    work->begun = frame && tb_cdp_frame_has_just_answered(frame);
    send_script(evaluate, RUNNING);
    if (!brings_title(evaluate)) {
        tb_cdp_work_here(work, TB_HERE_BEHIND);
    }
}

static void ask(struct tb_cdp_work *work, int state, const char *method, const char *key,
                struct tb_str value)
{
    char params[256];
    int len = snprintf(params, sizeof(params), "{\"%s\":%.*s}", key, TB_STR_ARG(value));
    work->state = state;
    if (!value.len || len >= (int)sizeof(params)) {
        tb_cdp_work_fail(work, TB_E_ELEMENT_NOT_FOUND, "the element has left the page");
        return;
    }
    tb_cdp_work_frame_send(work, method, (struct tb_str){params, (size_t)len});
}

static void ask_element(struct tb_cdp_work *work, struct tb_cdp_frame *frame)
{
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SCRIPT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_cdp_work_args(work, "target", false, &args);
    int rc = tb_buf_printf(&text, "tabard.element(%.*s)", TB_STR_ARG(tb_buf_str(&args)));
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "expression", tb_buf_str(&text));
    tb_json_member_cstr(&json, "uniqueContextId", tb_cdp_frame_world(frame));
    tb_json_member_cstr(&json, "objectGroup", OBJECT_GROUP);
    tb_json_object_close(&json);
    if (rc < 0 || json.rc < 0) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE, "the target is larger than %d KB",
                         SCRIPT_MAX / TB_KIB);
        return;
    }
    work->state = ELEMENT;
    tb_cdp_work_frame_send(work, "Runtime.evaluate", tb_buf_str(&params));
}

/* A function of page/ that fails gives an object that is no node; asked again by value it tells
 * why. */
static void on_element(struct evaluate *evaluate, struct tb_str reply)
{
    struct tb_cdp_work *work = &evaluate->work;
    struct tb_str result = tb_cdp_pick(reply, "result");
    evaluate->holds = true;
    if (!tb_json_string_eq(tb_cdp_pick(result, "subtype"), TB_STR("node"))) {
        TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
        tb_cdp_work_args(work, "target", false, &args);
        work->state = REASON;
        tb_cdp_work_call(work, "element", tb_buf_str(&args));
        return;
    }
    ask(work, NODE, "DOM.describeNode", "objectId", tb_cdp_pick(result, "objectId"));
}

static void on_object(struct evaluate *evaluate, struct tb_str reply)
{
    struct tb_str id = tb_cdp_pick(tb_cdp_pick(reply, "object"), "objectId");
    if (!id.len || id.len >= sizeof(evaluate->object)) {
        tb_cdp_work_fail(&evaluate->work, TB_E_ELEMENT_NOT_FOUND, "the element has left the page");
        return;
    }
    snprintf(evaluate->object, sizeof(evaluate->object), "%.*s", TB_STR_ARG(id));
    run(evaluate, tb_cdp_script_form_of(script_of(&evaluate->work), true));
}

/* The line of the script where it failed, from 1. The frames of the stack tell it, all of them
 * counted from 0; without a stack there is only the line of the error itself. */
static unsigned long long line_of(struct tb_str details)
{
    uint64_t line = 0;
    tb_str_to_u64(tb_cdp_pick(details, "lineNumber"), &line);
    struct tb_json_iter iter =
        tb_json_iter_of(tb_cdp_pick(tb_cdp_pick(details, "stackTrace"), "callFrames"));
    struct tb_json_item frame;
    while (tb_json_iter_next(&iter, &frame)) {
        if (tb_str_eq_cstr(tb_cdp_pick(frame.value.text, "url"), "\"\"")) {
            tb_str_to_u64(tb_cdp_pick(frame.value.text, "lineNumber"), &line);
            break;
        }
    }
    return (unsigned long long)line + 1;
}

static bool is_rejection(struct tb_str details)
{
    struct tb_str text = tb_cdp_pick(details, "text");
    return text.len && memmem(text.ptr, text.len, "(in promise)", 12);
}

/* An object that is no error: its first members, as the browser lists them. */
static void put_preview(struct tb_str exception, struct tb_buf *out)
{
    struct tb_json_iter iter =
        tb_json_iter_of(tb_cdp_pick(tb_cdp_pick(exception, "preview"), "properties"));
    struct tb_json_item item;
    const char *before = "{";
    while (tb_json_iter_next(&iter, &item)) {
        tb_buf_append_cstr(out, before);
        tb_json_string_decode(tb_cdp_pick(item.value.text, "name"), out);
        tb_buf_append_cstr(out, ": ");
        tb_json_string_decode(tb_cdp_pick(item.value.text, "value"), out);
        before = ", ";
    }
    tb_buf_append_cstr(out, *before == '{' ? "{}" : "}");
}

/* The message of an error; the stack below it is of our own making. Of another value what it is. */
static void put_thrown(struct tb_str exception, struct tb_buf *out)
{
    struct tb_str text = tb_cdp_pick(exception, "description");
    bool is_error = tb_json_string_eq(tb_cdp_pick(exception, "subtype"), TB_STR("error"));
    if (text.len && !is_error && tb_cdp_pick(exception, "preview").len) {
        put_preview(exception, out);
        return;
    }
    text = text.len ? text : tb_cdp_pick(exception, "value");
    text = text.len ? text : tb_cdp_pick(exception, "type");
    if (tb_json_string_decode(text, out) < 0) {
        tb_buf_append_str(out, tb_str_sub(text, 0, SHOWN_MAX));
    }
    const char *stack = out->len ? memmem(out->data, out->len, "\n    at ", 8) : NULL;
    out->len = stack ? (size_t)(stack - (const char *)out->data) : out->len;
}

/* What was thrown at run time brings a stack, and a promise that was rejected says so. The rest
 * is asked about, since a page can take stacks away. */
static bool may_not_compile(struct tb_str details)
{
    struct tb_str class_name = tb_cdp_pick(tb_cdp_pick(details, "exception"), "className");
    return tb_json_string_eq(class_name, TB_STR("SyntaxError")) && !is_rejection(details) &&
           !tb_cdp_pick(details, "stackTrace").len;
}

static unsigned long long lines_in(struct tb_str script)
{
    unsigned long long lines = 1;
    for (size_t i = 0; i < script.len; i++) {
        lines += script.ptr[i] == '\n';
    }
    return lines;
}

static void note_failure(struct evaluate *evaluate, struct tb_str details)
{
    if (evaluate->form == TB_SCRIPT_BODY && may_not_compile(details) &&
        line_of(details) > lines_in(script_of(&evaluate->work))) {
        /* What cannot be read is ours, because of what comes before it. */
        tb_fail(&evaluate->failure, TB_E_SCRIPT,
                "SyntaxError: the script is incomplete, or closes a bracket that it did not open");
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(WORDS_MAX);
    struct tb_quoted shown;
    char where[32] = "";
    put_thrown(tb_cdp_pick(details, "exception"), &words);
    if (tb_cdp_pick(details, "stackTrace").len || !is_rejection(details)) {
        snprintf(where, sizeof(where), " (line %llu)", line_of(details));
    }
    tb_fail(&evaluate->failure, TB_E_SCRIPT, "%s%s%s",
            is_rejection(details) ? "its promise was rejected: " : "",
            tb_quoted(&shown, tb_buf_str(&words), SHOWN_MAX), where);
}

/* The form to try when the present one does not compile; false: there is none. */
static bool next_form(const struct evaluate *evaluate, struct tb_str details,
                      enum tb_cdp_script_form *ret_form)
{
    struct tb_str words = tb_cdp_pick(tb_cdp_pick(details, "exception"), "description");
    bool is_return = words.len && memmem(words.ptr, words.len, "Illegal return", 14);
    if (evaluate->form == TB_SCRIPT_VALUE) {
        *ret_form = evaluate->object[0] ? TB_SCRIPT_BODY : TB_SCRIPT_STATEMENTS;
        return true;
    }
    *ret_form = TB_SCRIPT_BODY;
    return evaluate->form == TB_SCRIPT_STATEMENTS && is_return;
}

static void on_failure(struct evaluate *evaluate, struct tb_str details)
{
    enum tb_cdp_script_form next;
    evaluate->holds = true;
    note_failure(evaluate, details);
    if (evaluate->work.state != RUNNING || !may_not_compile(details) ||
        !next_form(evaluate, details, &next)) {
        tb_cdp_work_fail_err(&evaluate->work, &evaluate->failure);
    } else if (evaluate->form == TB_SCRIPT_STATEMENTS) {
        run(evaluate,
            next); /* what runs in this form fails as a rejection, so it did not compile */
    } else {
        send_script(evaluate, COMPILING);
    }
}

static void on_compiled(struct evaluate *evaluate, struct tb_str reply)
{
    struct tb_str details = tb_cdp_pick(reply, "exceptionDetails");
    enum tb_cdp_script_form next;
    if (details.len && next_form(evaluate, details, &next)) {
        run(evaluate, next);
    } else {
        tb_cdp_work_fail_err(&evaluate->work, &evaluate->failure);
    }
}

/* What the statements gave is an object: its value, or that of what it promises. */
static void ask_value(struct evaluate *evaluate, struct tb_str object_id)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(4096);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "functionDeclaration", tb_cdp_script_show);
    tb_json_member_raw(&json, "objectId", object_id);
    tb_json_member_bool(&json, "awaitPromise", true);
    tb_json_member_bool(&json, "returnByValue", true);
    tb_json_object_close(&json);
    evaluate->work.state = SHOWING;
    evaluate->holds = true;
    tb_cdp_work_frame_send(&evaluate->work, "Runtime.callFunctionOn", tb_buf_str(&params));
}

/* What is no text has been put there by the page in place of its title. */
static void take_title(struct tb_cdp_work *work, struct tb_str raw)
{
    TB_AUTO(tb_buf_fini) struct tb_buf title = TB_BUF(WORDS_MAX);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (page && raw.len && raw.ptr[0] == '"' && tb_json_string_decode(raw, &title) == 0) {
        tb_cdp_work_known(work, tb_cdp_page_url(page),
                          tb_str_sub(tb_str_trim(tb_buf_str(&title)), 0, TITLE_MAX));
    }
}

static void on_value(struct evaluate *evaluate, struct tb_str reply)
{
    struct tb_cdp_work *work = &evaluate->work;
    struct tb_str details = tb_cdp_pick(reply, "exceptionDetails");
    struct tb_str result = tb_cdp_pick(reply, "result");
    struct tb_str value = tb_cdp_pick(result, "value");
    struct tb_str object_id = tb_cdp_pick(result, "objectId");
    if (details.len) {
        on_failure(evaluate, details);
        return;
    }
    if (object_id.len && evaluate->form == TB_SCRIPT_STATEMENTS && work->state == RUNNING) {
        ask_value(evaluate, object_id);
        return;
    }
    struct tb_str length = tb_cdp_pick(value, "n");
    if (brings_title(evaluate) && length.len) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE, "the value has a length of %.*s, more than %d",
                         TB_STR_ARG(length), TB_RESULT_TEXT_MAX);
        return;
    }
    if (brings_title(evaluate)) {
        take_title(work, tb_cdp_pick(value, "t"));
        value = tb_cdp_pick(value, "v");
    } else if (!value.len) {
        value = tb_cdp_pick(result, "description"); /* NaN, Infinity, -0 */
    }
    if (!value.len) {
        value = TB_STR("null");
    }
    if (tb_json_plain(value, &work->op->result->text) < 0) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE,
                         "the value takes %zu KB as JSON, more than the limit of %d",
                         value.len / TB_KIB, TB_RESULT_TEXT_MAX / TB_KIB);
        return;
    }
    work->script = false;
    tb_cdp_work_wind_up(work);
}

static void start(struct tb_cdp_work *work)
{
    struct tb_cdp_frame *frame =
        tb_cdp_work_frame(work, tb_args_text(work->op->args, "target", ""));
    if (frame) {
        TB_CONTAINER(work, struct evaluate, work)->document = tb_cdp_work_document(work);
        ask_element(work, frame);
    }
}

/* A question that waits for the new document. */
static void start_again(struct tb_cdp_work *work)
{
    work->state = AGAIN;
    tb_cdp_work_moved(work);
    tb_cdp_work_call(work, "describe", TB_STR(""));
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct evaluate *evaluate = TB_CONTAINER(work, struct evaluate, work);
    switch (work->state) {
    case ELEMENT:
        on_element(evaluate, value);
        break;
    case REASON: /* asked again it was there, so the page is at work on it */
        tb_cdp_work_fail(work, TB_E_ELEMENT_NOT_FOUND, "the element has left the page");
        break;
    case AGAIN:
        start(work);
        break;
    case NODE:
        ask(work, OBJECT, "DOM.resolveNode", "backendNodeId",
            tb_cdp_pick(tb_cdp_pick(value, "node"), "backendNodeId"));
        break;
    case OBJECT:
        if (tb_cdp_work_document(work) != evaluate->document) {
            start_again(work); /* what has the same number there is another element */
        } else {
            on_object(evaluate, value);
        }
        break;
    case COMPILING:
        on_compiled(evaluate, value);
        break;
    default:
        on_value(evaluate, value);
        break;
    }
}

/* A function that is called on an object has no timer in the browser. */
static void fail_late(struct evaluate *evaluate)
{
    struct tb_cdp_work *work = &evaluate->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_quoted url;
    if (page && tb_cdp_page_is_leaving(page)) {
        tb_cdp_work_fail(
            work, TB_E_TIMEOUT,
            "the script did not finish within %lld ms and may not have begun: the page "
            "is being left for %s, which has not answered",
            (long long)(work->deadline_ms - work->began_ms),
            tb_quoted_url(&url, tb_cdp_page_bound_for(page)));
        return;
    }
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    if (frame && evaluate->object[0]) {
        tb_cdp_frame_end_script(frame, work->begun);
    }
    /* Nobody tells whether a loop has ended by now: some are out of reach, as one in a getter. */
    tb_cdp_work_fail(
        work, TB_E_TIMEOUT,
        "the script did not finish within %lld ms%s; the browser was told to end it, but what it "
        "awaits goes on. If the page stays busy, load another one",
        (long long)(work->deadline_ms - work->began_ms),
        work->begun ? "" : ", and may not have begun");
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    struct evaluate *evaluate = TB_CONTAINER(work, struct evaluate, work);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    bool running = work->state >= RUNNING;
    if (running && err->code == TB_E_TOO_LARGE) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE, "the value is larger than %d MB as JSON",
                         TB_CDP_MESSAGE_MAX / TB_MIB);
        return true;
    }
    if (running && err->code == TB_E_TIMEOUT && page && !tb_cdp_page_awaits_first(page)) {
        fail_late(evaluate);
        return true;
    }
    if (!running && tb_cdp_page_was_replaced(err)) {
        start_again(work);
        return true;
    }
    if (!running || err->code != TB_E_PROTOCOL) {
        return false;
    }
    if (page && tb_cdp_page_was_replaced(err)) {
        /* It has led to another page, or something else has: with its own page its value is gone.
         */
        tb_buf_append_cstr(&work->op->result->text, "null");
        tb_json_set_bool(work->op->result->data, "unfinished", true);
        work->script = false;
        tb_cdp_work_wind_up(work);
        return true;
    }
    bool nested = strstr(err->text, "reference chain");
    tb_cdp_work_fail(
        work, TB_E_SCRIPT, "%s: %s",
        nested
            ? "the value refers to itself or is nested too deeply for JSON; return only the parts "
              "that you need"
            : "the value cannot be written as JSON",
        err->text);
    return true;
}

static void fini(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    if (TB_CONTAINER(work, struct evaluate, work)->holds && frame && tb_cdp_page_conn(page)) {
        tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_frame_session_id(frame),
                    "Runtime.releaseObjectGroup", TB_STR("{\"objectGroup\":\"" OBJECT_GROUP "\"}"));
    }
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct evaluate),
                                             .step = step,
                                             .failed = failed,
                                             .fini = fini};

void tb_cdp_op_evaluate(struct tb_driver_session *session, struct tb_op *op)
{
    struct evaluate *evaluate = tb_cdp_work_new(&kind, session, op);
    if (!evaluate) {
        return;
    }
    if (!tb_args_has(op->args, "target")) {
        run(evaluate, tb_cdp_script_form_of(script_of(&evaluate->work), false));
        return;
    }
    start(&evaluate->work);
}
