/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/quote.h"
#include "core/limits.h"
#include "driver/cdp/page/expression.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/page_script.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

/*   waiting for a world --it is there--> sent --reply--> over
 *           ^                             |
 *           +--the document was replaced--+                  */

enum {
    EXPRESSION_MAX = 16 * TB_MIB,
    PARAMS_MAX = EXPRESSION_MAX + TB_KIB,
    WORDS_MAX = 64 * TB_KIB,
};

struct call {
    struct tb_cdp_page_cmd cmd; /* it waits for a world, or is under way */
    struct tb_cdp_frame *frame;
    char *function;
    struct tb_buf expression; /* as a JSON string */
    tb_cdp_page_call_fn *fn;
    char world[TB_TARGET_ID_SIZE];
    bool injected; /* our scripts were missing and have been put there again */
    bool seeking;  /* it has told that it waits for its element, so it has done nothing */
    int64_t sent_ms;
};

static void call_free(struct call *call)
{
    tb_cdp_page_cmd_fini(&call->cmd);
    tb_buf_wipe(&call->expression); /* it may have a password in it */
    tb_free(call->function);
    tb_free(call);
}

static void end_with(struct call *call, const struct tb_err *err)
{
    tb_cdp_page_call_fn *fn = call->fn;
    void *user = call->cmd.ask.user;
    struct tb_err words = *err;
    call_free(call);
    fn(words.code, (struct tb_str){NULL, 0}, &words, user);
}

static void end_well(struct call *call, struct tb_str value)
{
    tb_cdp_page_call_fn *fn = call->fn;
    void *user = call->cmd.ask.user;
    call_free(call);
    fn(0, value, NULL, user);
}

static bool is_one_of(const char *function, const char *const *list)
{
    while (*list && strcmp(function, *list) != 0) {
        list++;
    }
    return *list;
}

/* Functions that change nothing may be called again in the document that took the place of theirs.
 */
static bool only_reads(const struct call *call)
{
    static const char *const readers[] = {"snapshot", "extract", "elements", "waitFor", "describe",
                                          "hosts",    "kept",    "stored",   NULL};
    return is_one_of(call->function, readers);
}

/* Whether it may wait for its element, and act only then. */
static bool may_wait(const struct call *call)
{
    static const char *const waiters[] = {"point",  "through",    "focus", "fill",
                                          "select", "receiver",   "carry", "scroll",
                                          "place",  "fillSecret", NULL};
    return is_one_of(call->function, waiters);
}

/* Its arguments are for the document that the frame had when it was asked for, and for no other. */
static bool is_bound(const struct call *call)
{
    static const char *const bound[] = {"fillSecret", NULL};
    return is_one_of(call->function, bound);
}

static void tell(const struct call *call, const char *word)
{
    const struct tb_cdp_page *page = call->frame->page;
    if (page->gone || !page->peer->conn || !may_wait(call)) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_CDP_EXPRESSION_PARAMS);
    char words[32];
    int len = snprintf(words, sizeof(words), "tabard.%s()", word);
    tb_cdp_expression_put(
        &(struct tb_cdp_expression){.text = {words, (size_t)len}, .world = call->world}, &params);
    tb_cdp_target_post(call->frame->target, "Runtime.evaluate", tb_buf_str(&params));
}

/* Nobody is there for its answer any more, so it must not act on an element that comes later. */
static void give_up(const struct call *call)
{
    tell(call, "endTurn");
}

static int code_of_wire(struct tb_str wire)
{
    for (int i = 0; i < TB_ERR_COUNT; i++) {
        int code = -10000 - i;
        if (tb_json_string_eq(wire, tb_str_of(tb_err_info(code)->wire))) {
            return code;
        }
    }
    return TB_E_INTERNAL;
}

static const struct tb_json_limits limits = {.depth_max = TB_JSON_DEPTH_MAX};

/* {"error":{"code":...,"message":...}}: the function's own way to fail. */
static bool is_failure(struct tb_str value, struct tb_err *ret_err)
{
    if (!tb_str_starts(value, TB_STR("{\"error\":{"))) {
        return false;
    }
    struct tb_json_want wants[] = {{.parent = "error", .key = "code"},
                                   {.parent = "error", .key = "message"}};
    if (tb_json_scan(value, &limits, wants, TB_COUNT(wants), NULL) < 0) {
        return false;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(WORDS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(WORDS_MAX);
    tb_json_string_decode(wants[1].value.text, &words);
    tb_quote_line(tb_buf_str(&words), &line);
    tb_fail(ret_err, code_of_wire(wants[0].value.text), "%.*s", TB_STR_ARG(tb_buf_str(&line)));
    return true;
}

static void send_call(struct call *call);

/* Ending a page's script may have hit ours, on its way into a fresh document. */
static void inject_again(struct call *call)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    tb_cdp_expression_put(&(struct tb_cdp_expression){.text = {tb_page_script, tb_page_script_len},
                                                      .world = call->frame->world},
                          &params);
    call->injected = true;
    tb_cdp_target_post(call->frame->target, "Runtime.evaluate", tb_buf_str(&params));
    send_call(call);
}

static void on_exception(struct call *call, struct tb_str details)
{
    struct tb_json_want wants[] = {{.parent = "exception", .key = "description"}};
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(WORDS_MAX);
    if (tb_json_scan(details, &limits, wants, TB_COUNT(wants), NULL) >= 0) {
        tb_json_string_decode(wants[0].value.text, &words);
    }
    if (!call->injected && !is_bound(call) &&
        tb_str_starts(tb_buf_str(&words), TB_STR("ReferenceError: tabard is not defined"))) {
        inject_again(call);
        return;
    }
    struct tb_err err;
    tb_fail(&err, TB_E_INTERNAL, "%s failed in the page: %.*s", call->function,
            TB_STR_ARG(tb_buf_str(&words)));
    end_with(call, &err);
}

static void on_result(struct call *call, struct tb_str result)
{
    struct tb_json_want wants[] = {{.parent = "result", .key = "value"},
                                   {.key = "exceptionDetails"}};
    struct tb_err err;
    if (tb_json_scan(result, &limits, wants, TB_COUNT(wants), &err) < 0 ||
        is_failure(wants[0].value.text, &err)) {
        end_with(call, &err);
    } else if (wants[1].value.type == TB_JSON_OBJECT) {
        on_exception(call, wants[1].value.text);
    } else {
        end_well(call, wants[0].value.text.len ? wants[0].value.text : TB_STR("null"));
    }
}

static void send_or_wait(struct call *call);

/* In the new document it has only the time that is left of what its arguments gave it. */
static void shorten(struct call *call)
{
    static const char key[] = "\\\"timeout_ms\\\":";
    struct tb_str text = tb_buf_str(&call->expression);
    const char *found = memmem(text.ptr, text.len, key, sizeof(key) - 1);
    size_t at = found ? (size_t)(found - text.ptr) + sizeof(key) - 1 : text.len;
    size_t end = at;
    while (end < text.len && isdigit((unsigned char)text.ptr[end])) {
        end++;
    }
    uint64_t given_ms;
    if (!tb_str_to_u64(tb_str_sub(text, at, end), &given_ms)) {
        return;
    }
    int64_t now_ms = tb_loop_now_ms(call->frame->page->peer->loop);
    int64_t left_ms = (int64_t)given_ms - (now_ms - call->sent_ms);
    TB_AUTO(tb_free) char *rest = tb_str_dup(tb_str_sub(text, end, text.len));
    call->expression.len = at;
    tb_buf_printf(&call->expression, "%lld%s", (long long)(left_ms > 0 ? left_ms : 0), rest);
}

/* The document went away under the call. */
static void on_replaced(struct call *call, bool had_begun)
{
    struct tb_cdp_running *running = tb_cdp_host_running(call->frame->page->host);
    if (strcmp(call->frame->world, call->world) == 0) {
        call->frame->world[0] = '\0';
    }
    if (!is_bound(call) && (!had_begun || only_reads(call) || call->seeking)) {
        if (running && !call->frame->parent) {
            running->ops->moved(running, call->cmd.ask.user);
        }
        shorten(call);
        send_or_wait(call);
        return;
    }
    struct tb_err err;
    tb_fail(&err, TB_E_ELEMENT_STALE, "the page moved to another document in the meantime");
    end_with(call, &err);
}

bool tb_cdp_page_was_replaced(const struct tb_err *err)
{
    static const char *const words[] = {
        "uniqueContextId not found",   "context was destroyed",    "navigated or closed",
        "Promise was collected",       "Cannot find context with", "Could not find object with",
        "Could not find node with",    "No node with given id",    "No frame for given id",
        "does not belong to the same",
    };
    for (size_t i = 0; err->code == TB_E_PROTOCOL && i < TB_COUNT(words); i++) {
        if (strstr(err->text, words[i])) {
            return true;
        }
    }
    return false;
}

static void on_done(struct tb_cdp_page_cmd *cmd, int code, struct tb_str result,
                    const struct tb_err *err)
{
    struct call *call = TB_CONTAINER(cmd, struct call, cmd);
    if (code == 0) {
        on_result(call, result);
    } else if (cmd->waits) {
        end_with(call, err);
    } else if (tb_cdp_page_was_replaced(err)) {
        on_replaced(call, !strstr(err->text, "uniqueContextId not found"));
    } else {
        give_up(call);
        end_with(call, err);
    }
}

/* With `timeout` the browser ends a function of ours that computes past its deadline, and nothing
 * of the page's own. */
static void send_call(struct call *call)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_str expression = tb_buf_str(&call->expression); /* with its quotes */
    tb_buf_append_cstr(&params, "{\"expression\":\"");
    if (may_wait(call)) {
        tb_buf_printf(&params, "tabard.sent(%lld),",
                      (long long)tb_clock_wall_ms(tb_clock_system()));
    }
    tb_buf_append_str(&params, tb_str_sub(expression, 1, expression.len));
    int64_t left_ms = call->cmd.command.deadline_ms - tb_loop_now_ms(call->frame->page->peer->loop);
    tb_buf_printf(&params,
                  ",\"uniqueContextId\":\"%s\",\"awaitPromise\":true,\"returnByValue\":true,"
                  "\"timeout\":%lld}",
                  call->frame->world, (long long)(left_ms > 0 ? left_ms : 1));
    memcpy(call->world, call->frame->world, sizeof(call->world));
    call->seeking = false;
    call->sent_ms = call->cmd.command.deadline_ms - left_ms;
    tb_cdp_page_cmd_start(&call->cmd, call->frame->target, "Runtime.evaluate", tb_buf_str(&params));
}

static void send_or_wait(struct call *call)
{
    const struct tb_cdp_page *page = call->frame->page;
    if (call->frame->world[0] || page->crashed || page->dialog.open || page->gone) {
        send_call(call); /* what is in the way is found there */
    } else {
        tb_cdp_page_cmd_wait(&call->cmd);
    }
}

static void forget(struct tb_cdp_ask *ask)
{
    struct call *call = TB_CONTAINER(ask, struct call, cmd.ask);
    struct tb_cdp_page *page = call->cmd.page;
    bool late = tb_cdp_page_cmd_is_late(&call->cmd);
    if (!call->cmd.waits) {
        give_up(call);
    }
    call_free(call);
    if (late) {
        tb_cdp_page_probe(page);
    }
}

uint64_t tb_cdp_page_call(struct tb_cdp_frame *frame, const char *function, struct tb_str args,
                          int64_t deadline_ms, tb_cdp_page_call_fn *fn, void *user)
{
    struct call *call = TB_NEW(struct call);
    call->frame = frame;
    call->function = tb_strdup(function);
    call->fn = fn;
    tb_cdp_page_cmd_init(&call->cmd, frame->page, deadline_ms, user);
    call->cmd.done = on_done;
    call->cmd.ask.forget = forget;

    TB_AUTO(tb_buf_wipe) struct tb_buf text = TB_BUF(EXPRESSION_MAX);
    tb_buf_init(&call->expression, EXPRESSION_MAX);
    tb_buf_printf(&text, "tabard.%s(", function);
    int rc = tb_buf_append_str(&text, args);
    tb_buf_append_char(&text, ')');
    struct tb_json_writer json;
    tb_json_writer_init(&json, &call->expression);
    tb_json_put_str(&json, tb_buf_str(&text));
    if (rc < 0 || json.rc < 0) {
        struct tb_err err;
        tb_fail(&err, TB_E_TOO_LARGE, "the arguments are larger than 16 MiB");
        tb_cdp_page_cmd_fail_later(&call->cmd, &err);
    } else if (is_bound(call) && !frame->world[0]) {
        struct tb_err err;
        tb_fail(&err, TB_E_ELEMENT_STALE, "the page moved to another document in the meantime");
        tb_cdp_page_cmd_fail_later(&call->cmd, &err);
    } else {
        send_or_wait(call);
    }
    return call->cmd.handle;
}

/* NULL: it is another command. */
static struct call *call_of(struct tb_list *link)
{
    struct tb_cdp_page_cmd *cmd = TB_CONTAINER(link, struct tb_cdp_page_cmd, ask.place);
    return cmd->done == on_done ? TB_CONTAINER(cmd, struct call, cmd) : NULL;
}

void tb_cdp_page_calls_seek(struct tb_cdp_page *page, bool seeking)
{
    LIST_FOREACH(link, &page->owed.cmds) {
        struct call *call = call_of(link);
        if (call) {
            call->seeking = seeking && !call->cmd.waits;
        }
    }
}

void tb_cdp_page_calls_resume(const struct tb_cdp_page *page)
{
    LIST_FOREACH(link, &page->owed.cmds) {
        const struct call *call = call_of(link);
        if (call && !call->cmd.waits) {
            tell(call, "goOn");
        }
    }
}

static struct call *find_in(const struct tb_cdp_frame *frame, uint64_t up_to)
{
    LIST_FOREACH(link, &frame->page->owed.cmds) {
        struct call *call = call_of(link);
        if (call && call->frame == frame && call->cmd.handle <= up_to) {
            return call;
        }
    }
    return NULL;
}

void tb_cdp_page_calls_fail(const struct tb_cdp_frame *frame, const struct tb_err *err)
{
    uint64_t up_to = frame->page->owed.last_handle;
    struct call *call;
    /* Its callback may change the list, so the search begins anew each time. */
    while ((call = find_in(frame, up_to))) {
        end_with(call, err);
    }
}

void tb_cdp_page_calls_go_on(struct tb_cdp_frame *frame)
{
    /* Sending calls nobody back, so the list does not change meanwhile. */
    LIST_FOREACH(link, &frame->page->owed.cmds) {
        struct call *call = call_of(link);
        if (call && call->frame == frame && call->cmd.waits && !call->cmd.late) {
            send_call(call);
        }
    }
}

void tb_cdp_page_call_forget(struct tb_cdp_page *page, uint64_t handle)
{
    LIST_FOREACH_SAFE(link, &page->owed.cmds) {
        struct call *call = call_of(link);
        if (call && call->cmd.handle == handle) {
            call_free(call);
        }
    }
}
