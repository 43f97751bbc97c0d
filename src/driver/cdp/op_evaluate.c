/* SPDX-License-Identifier: Apache-2.0 */
/* A script runs in the page's own world, as if the page had it. Without a target:
 *
 *   AS_VALUE --does not compile--> AS_STATEMENTS --"illegal return"--> AS_BODY
 *
 * With one, the element is looked up in our world and handed over to the page's:
 *
 *   ELEMENT --> NODE --> OBJECT --> AS_VALUE --does not compile--> AS_BODY
 *
 * A script that does not compile has not run, so trying another form does nothing twice. */
#include <stdio.h>
#include <string.h>

#include "core/args.h"
#include "core/limits.h"
#include "driver/cdp/json_plain.h"
#include "driver/cdp/ops.h"
#include "driver/cdp/opwork.h"
#include "proto/json_iter.h"
#include "proto/json_string.h"

enum state {
    ELEMENT,
    NODE,
    OBJECT,
    AS_VALUE,
    AS_STATEMENTS,
    AS_BODY,
};

enum {
    SCRIPT_MAX = 8 * 1024 * 1024,
    PARAMS_MAX = 2 * SCRIPT_MAX,
    WORDS_MAX = 64 * 1024,
    OBJECT_ID_SIZE = 128,
    TITLE_MAX = 500,
};

struct evaluate {
    struct tb_opwork work;
    char object[OBJECT_ID_SIZE]; /* the element in the page's world, in quotes; empty: no target */
};

/* What JSON has no form for is told by what it is called: elements, functions, symbols. */
static const char show[] =
    "v=>typeof v==='function'||typeof v==='symbol'||typeof v==='bigint'||v!==v?String(v):"
    "v&&typeof v==='object'&&typeof v.nodeType==='number'&&typeof v.cloneNode==='function'?"
    "(v.cloneNode(false).outerHTML||v.nodeName):v";

static bool looks_like_function(struct tb_str script)
{
    return memmem(script.ptr, script.len, "=>", 2) || memmem(script.ptr, script.len, "function", 8);
}

/* Some functions of pages work only for a user who has just done something. To pretend so makes a
 * short script a quarter slower, so it is done where one of them may be meant. */
static bool may_want_gesture(struct tb_str script)
{
    static const char *const words[] = {"open",   "click",  "play",    "lipboard", "ullscreen",
                                        "icture", "submit", "print",   "share",    "how",
                                        "exec",   "ibrate", "request", "dispatch"};
    for (size_t i = 0; i < TB_COUNT(words); i++) {
        if (memmem(script.ptr, script.len, words[i], strlen(words[i]))) {
            return true;
        }
    }
    return false;
}

static struct tb_str script_of(const struct tb_opwork *work)
{
    return tb_args_text(work->op->args, "script", "");
}

/* A value stands in parentheses, where no semicolon may end it. */
static struct tb_str value_of(struct tb_str script)
{
    while (script.len && strchr(" \t\r\n;", script.ptr[script.len - 1])) {
        script.len--;
    }
    return script;
}

/* The text to run. It begins on the first line, so that line numbers in errors are the script's.
 * Without a target the title of the page comes along, and nothing more has to be asked for; and
 * what is longer than any result may be is not sent at all. */
static void put_source(const struct evaluate *evaluate, struct tb_buf *out)
{
    struct tb_str script = script_of(&evaluate->work);
    struct tb_str value = value_of(script);
    const char *call = looks_like_function(script) ? "typeof f==='function'?f(e):f" : "f";
    bool on_element = evaluate->object[0];
    if (evaluate->work.state == AS_STATEMENTS) {
        tb_buf_append_str(out, script);
    } else if (evaluate->work.state == AS_VALUE && on_element) {
        tb_buf_printf(out,
                      "function(element){return(async(f,e)=>(%s)(await(%s)))((%.*s\n),element)}",
                      show, call, TB_STR_ARG(value));
    } else if (evaluate->work.state == AS_VALUE) {
        /* Nothing is waited for that is no promise: a plain value is answered at once. */
        tb_buf_printf(
            out,
            "((f,e)=>{const d=v=>v?.length>%d?{n:v.length}:{v:(%s)(v),t:document.title},r="
            "%s;return r&&typeof r.then==='function'?r.then(d):d(r)})((%.*s\n))",
            TB_RESULT_TEXT_MAX, show, call, TB_STR_ARG(value));
    } else if (on_element) {
        tb_buf_printf(out, "function(element){return(async()=>(%s)(await(async()=>{%.*s\n})()))()}",
                      show, TB_STR_ARG(script));
    } else {
        tb_buf_printf(out, "(async()=>({v:(%s)(await(async()=>{%.*s\n})()),t:document.title}))()",
                      show, TB_STR_ARG(script));
    }
}

/* True when the reply holds the title beside the value. */
static bool brings_title(const struct evaluate *evaluate)
{
    return !evaluate->object[0] && evaluate->work.state != AS_STATEMENTS;
}

static void run(struct evaluate *evaluate, enum state state)
{
    struct tb_opwork *work = &evaluate->work;
    TB_AUTO(tb_buf_fini) struct tb_buf source = TB_BUF(SCRIPT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    bool on_object = evaluate->object[0];
    tb_json_writer_init(&json, &params);
    work->state = state;
    work->acted = true;
    work->script = true;
    put_source(evaluate, &source);
    tb_json_object_open(&json);
    tb_json_key(&json, on_object ? "functionDeclaration" : "expression");
    tb_json_put_str(&json, tb_buf_str(&source));
    if (on_object) {
        tb_json_key(&json, "objectId");
        tb_json_put_raw(&json, tb_str_of(evaluate->object));
        tb_json_key(&json, "arguments");
        tb_json_array_open(&json);
        tb_json_object_open(&json);
        tb_json_key(&json, "objectId");
        tb_json_put_raw(&json, tb_str_of(evaluate->object));
        tb_json_object_close(&json);
        tb_json_array_close(&json);
    }
    static const char *const flags[] = {"awaitPromise", "returnByValue", "userGesture"};
    size_t count = TB_COUNT(flags) - (may_want_gesture(script_of(work)) ? 0 : 1);
    for (size_t i = 0; i < count; i++) {
        tb_json_key(&json, flags[i]);
        tb_json_put_bool(&json, true);
    }
    if (state == AS_STATEMENTS) {
        /* Lets a script declare the names that an earlier one has declared. */
        tb_json_key(&json, "replMode");
        tb_json_put_bool(&json, true);
    }
    tb_json_object_close(&json);
    if (json.rc < 0 || source.len < script_of(work).len) {
        tb_opwork_fail(work, TB_E_TOO_LARGE, "the script is larger than %d KB",
                       SCRIPT_MAX / TB_KIB);
        return;
    }
    tb_opwork_frame_send(work, on_object ? "Runtime.callFunctionOn" : "Runtime.evaluate",
                         tb_buf_str(&params));
    if (!brings_title(evaluate)) {
        tb_opwork_here(work, TB_HERE_BEHIND);
    }
}

static void ask(struct tb_opwork *work, enum state state, const char *method, const char *key,
                struct tb_str value)
{
    char params[256];
    int len = snprintf(params, sizeof(params), "{\"%s\":%.*s}", key, TB_STR_ARG(value));
    work->state = state;
    if (!value.len || len >= (int)sizeof(params)) {
        tb_opwork_fail(work, TB_E_ELEMENT_NOT_FOUND, "the element has left the page");
        return;
    }
    tb_opwork_frame_send(work, method, (struct tb_str){params, (size_t)len});
}

static void ask_element(struct tb_opwork *work, struct tb_frame *frame)
{
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_OPWORK_ARGS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(args.len + 64);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(8 * args.len + 512);
    struct tb_json_writer json;
    tb_opwork_args(work, "target", false, &args);
    tb_buf_printf(&text, "tabard.element(%.*s)", TB_STR_ARG(tb_buf_str(&args)));
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "expression");
    tb_json_put_str(&json, tb_buf_str(&text));
    tb_json_key(&json, "uniqueContextId");
    tb_json_put_cstr(&json, tb_frame_world(frame));
    tb_json_key(&json, "objectGroup");
    tb_json_put_cstr(&json, "tabard-evaluate");
    tb_json_object_close(&json);
    work->state = ELEMENT;
    tb_opwork_frame_send(work, "Runtime.evaluate", tb_buf_str(&params));
}

/* A function of page/ that fails gives an object that is no node; asked again by value it tells
 * why. */
static void on_element(struct evaluate *evaluate, struct tb_str reply)
{
    struct tb_opwork *work = &evaluate->work;
    struct tb_str result = tb_pick(reply, "result");
    if (!tb_json_string_eq(tb_pick(result, "subtype"), TB_STR("node"))) {
        TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_OPWORK_ARGS_MAX);
        tb_opwork_args(work, "target", false, &args);
        tb_opwork_call(work, "element", tb_buf_str(&args));
        return;
    }
    ask(work, NODE, "DOM.describeNode", "objectId", tb_pick(result, "objectId"));
}

static void on_object(struct evaluate *evaluate, struct tb_str reply)
{
    struct tb_str id = tb_pick(tb_pick(reply, "object"), "objectId");
    if (!id.len || id.len >= sizeof(evaluate->object)) {
        tb_opwork_fail(&evaluate->work, TB_E_ELEMENT_NOT_FOUND, "the element has left the page");
        return;
    }
    snprintf(evaluate->object, sizeof(evaluate->object), "%.*s", TB_STR_ARG(id));
    run(evaluate, AS_VALUE);
}

/* True when the script could not be compiled: only then there is no stack. */
static bool is_syntax_error(struct tb_str details)
{
    struct tb_str class_name = tb_pick(tb_pick(details, "exception"), "className");
    return tb_json_string_eq(class_name, TB_STR("SyntaxError")) &&
           !tb_pick(details, "stackTrace").len;
}

/* The line of the script where it failed, from 1. The frames of the stack tell it, all of them
 * counted from 0; without a stack there is only the line of the error itself. */
static unsigned long long line_of(struct tb_str details)
{
    uint64_t line = 0;
    tb_str_to_u64(tb_pick(details, "lineNumber"), &line);
    struct tb_json_iter iter =
        tb_json_iter_of(tb_pick(tb_pick(details, "stackTrace"), "callFrames"));
    struct tb_json_item frame;
    while (tb_json_iter_next(&iter, &frame)) {
        if (tb_str_eq_cstr(tb_pick(frame.value.text, "url"), "\"\"")) {
            tb_str_to_u64(tb_pick(frame.value.text, "lineNumber"), &line);
            break;
        }
    }
    return (unsigned long long)line + 1;
}

static void fail_script(struct tb_opwork *work, struct tb_str details)
{
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(WORDS_MAX);
    struct tb_str exception = tb_pick(details, "exception");
    struct tb_str text = tb_pick(exception, "description");
    if (!text.len) {
        text = tb_pick(exception, "value");
    }
    if (tb_json_string_decode(text, &words) < 0) {
        tb_buf_append_str(&words, tb_str_sub(text, 0, 300));
    }
    /* The message; the stack below it is of our own making. */
    struct tb_str rest = tb_buf_str(&words);
    const char *stack = rest.len ? memmem(rest.ptr, rest.len, "\n    at ", 8) : NULL;
    size_t len = stack ? (size_t)(stack - rest.ptr) : rest.len;
    tb_opwork_fail(work, TB_E_SCRIPT, "%.*s (line %llu)",
                   TB_STR_ARG(tb_str_sub(rest, 0, len < 400 ? len : 400)), line_of(details));
}

static bool try_another_form(struct evaluate *evaluate, struct tb_str details)
{
    struct tb_opwork *work = &evaluate->work;
    if (!is_syntax_error(details)) {
        return false;
    }
    struct tb_str words = tb_pick(tb_pick(details, "exception"), "description");
    bool is_return = words.len && memmem(words.ptr, words.len, "Illegal return", 14);
    if (work->state == AS_VALUE && !evaluate->object[0]) {
        run(evaluate, AS_STATEMENTS);
        return true;
    }
    if (work->state == AS_VALUE || (work->state == AS_STATEMENTS && is_return)) {
        run(evaluate, AS_BODY);
        return true;
    }
    return false;
}

/* What is no text has been put there by the page in place of its title. */
static void take_title(struct tb_opwork *work, struct tb_str raw)
{
    TB_AUTO(tb_buf_fini) struct tb_buf title = TB_BUF(WORDS_MAX);
    struct tb_page *page = tb_opwork_page(work);
    if (page && raw.len && raw.ptr[0] == '"' && tb_json_string_decode(raw, &title) == 0) {
        tb_opwork_known(work, tb_page_url(page),
                        tb_str_sub(tb_str_trim(tb_buf_str(&title)), 0, TITLE_MAX));
    }
}

static void on_value(struct evaluate *evaluate, struct tb_str reply)
{
    struct tb_opwork *work = &evaluate->work;
    struct tb_str details = tb_pick(reply, "exceptionDetails");
    if (details.len) {
        if (!try_another_form(evaluate, details)) {
            fail_script(work, details);
        }
        return;
    }
    struct tb_str result = tb_pick(reply, "result");
    struct tb_str value = tb_pick(result, "value");
    struct tb_str length = tb_pick(value, "n");
    if (brings_title(evaluate) && length.len) {
        tb_opwork_fail(work, TB_E_TOO_LARGE, "the value has a length of %.*s, more than %d",
                       TB_STR_ARG(length), TB_RESULT_TEXT_MAX);
        return;
    }
    if (brings_title(evaluate)) {
        take_title(work, tb_pick(value, "t"));
        value = tb_pick(value, "v");
    } else if (!value.len) {
        value = tb_pick(result, "description"); /* NaN, Infinity, -0 */
    }
    if (!value.len) {
        value = TB_STR("null");
    }
    if (tb_json_plain(value, &work->op->result->text) < 0) {
        tb_opwork_fail(work, TB_E_TOO_LARGE, "the value has %zu KB as JSON, more than %d",
                       value.len / TB_KIB, TB_RESULT_TEXT_MAX / TB_KIB);
        return;
    }
    work->script = false;
    tb_opwork_wind_up(work);
}

static void step(struct tb_opwork *work, struct tb_str value)
{
    struct evaluate *evaluate = TB_CONTAINER(work, struct evaluate, work);
    switch (work->state) {
    case ELEMENT:
        on_element(evaluate, value);
        break;
    case NODE:
        ask(work, OBJECT, "DOM.resolveNode", "backendNodeId",
            tb_pick(tb_pick(value, "node"), "backendNodeId"));
        break;
    case OBJECT:
        on_object(evaluate, value);
        break;
    default:
        on_value(evaluate, value);
        break;
    }
}

static bool failed(struct tb_opwork *work, const struct tb_err *err)
{
    struct tb_page *page = tb_opwork_page(work);
    bool running = work->state >= AS_VALUE;
    if (running && err->code == TB_E_TOO_LARGE) {
        tb_opwork_fail(work, TB_E_TOO_LARGE, "the value is larger than %d MB as JSON",
                       TB_CDP_MESSAGE_MAX / TB_MIB);
        return true;
    }
    if (running && err->code == TB_E_TIMEOUT) {
        if (page) {
            tb_page_terminate_script(page);
        }
        tb_opwork_fail(work, TB_E_TIMEOUT, "the script did not end in %lld ms and was stopped",
                       (long long)(work->deadline_ms - work->began_ms));
        return true;
    }
    if (!running || err->code != TB_E_PROTOCOL) {
        return false;
    }
    if (page && (strstr(err->text, "navigated") || strstr(err->text, "context was destroyed"))) {
        /* It has led to another page, and with its own page its value is gone. */
        tb_buf_append_cstr(&work->op->result->text, "null");
        work->script = false;
        tb_opwork_wind_up(work);
        return true;
    }
    bool nested = strstr(err->text, "reference chain");
    tb_opwork_fail(work, TB_E_SCRIPT, "%s: %s",
                   nested ? "the value refers to itself or is nested too deep for JSON; return the "
                            "parts that are wanted"
                          : "the value has no form in JSON",
                   err->text);
    return true;
}

static const struct tb_opwork_kind kind = {.size = sizeof(struct evaluate),
                                           .step = step,
                                           .failed = failed};

void tb_cdp_op_evaluate(struct tb_driver_session *session, struct tb_op *op)
{
    struct evaluate *evaluate = tb_opwork_new(&kind, session, op);
    if (!evaluate) {
        return;
    }
    if (!tb_args_has(op->args, "target")) {
        run(evaluate, AS_VALUE);
        return;
    }
    struct tb_frame *frame = tb_opwork_frame(&evaluate->work, tb_args_text(op->args, "target", ""));
    if (frame) {
        ask_element(&evaluate->work, frame);
    }
}
