/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that are one call of a page function: select, scroll, extract, elements. Address and
 * title are asked for in the same breath, or told by the function itself. */
#include <string.h>

#include "base/mem.h"
#include "core/args.h"
#include "core/limits.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"
#include "driver/json_plain.h"
#include "proto/json_iter.h"

enum state {
    WAITING, /* extract with `wait` */
    CALLED,
};

enum {
    EXTRACT_LIMIT = 10,
    EXTRACT_CHARS = 20000,
};

struct call {
    const char *function;
    const char *args; /* names of those that are passed on */
    bool wait;        /* it waits for its element */
    bool acts;
    bool refs; /* it may give some */
    bool tells_changes;
    bool told; /* by its reply, with where the page is; and so is what its requests change */
    /* When the caller names none; 0: the page's own. */
    int limit;
    int max_chars;
    /* Puts the reply into the result; false: the operation has failed. */
    bool (*take)(struct tb_cdp_work *work, struct tb_str value);
};

struct page_op {
    struct tb_cdp_work work;
    const struct call *call;
};

static void copy(struct tb_cdp_work *work, const struct cJSON *json, const char *from,
                 const char *to)
{
    const struct cJSON *value = tb_json_get(json, from);
    if (value) {
        tb_json_set_take(work->op->result->data, to, tb_json_dup(value));
    }
}

static bool take_select(struct tb_cdp_work *work, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    copy(work, json, "selected", "selected");
    tb_cdp_work_set_element(work, "element", json);
    return true;
}

static bool take_scroll(struct tb_cdp_work *work, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    copy(work, json, "x", "x");
    copy(work, json, "y", "y");
    copy(work, json, "atTop", "at_top");
    copy(work, json, "atBottom", "at_bottom");
    copy(work, json, "intoView", "into_view");
    tb_cdp_work_set_element(work, "element", json);
    if (work->frame || !tb_json_get(json, "url")) {
        tb_cdp_work_take_changes(work, json);
    } else {
        tb_cdp_work_take(work, json);
    }
    return true;
}

static bool take_extract(struct tb_cdp_work *work, struct tb_str value)
{
    struct tb_result *result = work->op->result;
    struct tb_str results = tb_cdp_pick(value, "results");
    struct tb_json_iter iter = tb_json_iter_of(results);
    struct tb_json_item item;
    int64_t count = 0;
    while (tb_json_iter_next(&iter, &item)) {
        count++;
    }
    uint64_t total = (uint64_t)count;
    tb_str_to_u64(tb_cdp_pick(value, "count"), &total);
    tb_json_set_int(result->data, "count", count);
    tb_json_set_int(result->data, "total", (int64_t)total);
    tb_json_set_str(result->data, "format", tb_args_text(work->op->args, "format", "text"));
    tb_json_set_bool(result->data, "truncated",
                     tb_str_eq_cstr(tb_cdp_pick(value, "truncated"), "true"));
    tb_json_set_int(result->data, "max_chars",
                    tb_args_int(work->op->args, "max_chars", EXTRACT_CHARS));
    if (tb_json_plain(results, &result->text) < 0) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE,
                         "the content takes %zu KB, more than the limit of %d",
                         results.len / TB_KIB, TB_RESULT_TEXT_MAX / TB_KIB);
        return false;
    }
    return true;
}

static bool take_elements(struct tb_cdp_work *work, struct tb_str value)
{
    static const char *const keys[] = {"total", "showing", "hasMore", "elements"};
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        copy(work, json, keys[i], keys[i]);
    }
    tb_cdp_refs_note(work, json);
    return true;
}

static void add_default(struct tb_cdp_work *work, const char *name, int value, struct tb_buf *args)
{
    if (value && !tb_args_has(work->op->args, name)) {
        args->len--; /* the closing brace */
        tb_buf_printf(args, "%s\"%s\":%d}", args->len > 1 ? "," : "", name, value);
    }
}

static void call(struct page_op *page_op)
{
    struct tb_cdp_work *work = &page_op->work;
    const struct call *what = page_op->call;
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    tb_cdp_work_args(work, what->args, what->wait, &args);
    add_default(work, "limit", what->limit, &args);
    add_default(work, "max_chars", what->max_chars, &args);
    if (what->refs) {
        tb_cdp_refs_continue(work, &args);
    }
    if (what->tells_changes && tb_cdp_work_wants_changes(work)) {
        args.len--; /* the closing brace */
        tb_buf_append_cstr(&args, ",\"watch\":true}");
        tb_cdp_work_watch_changes(work);
    }
    if (what->told && tb_cdp_work_wants_changes(work)) {
        tb_cdp_work_requests_count(work);
    }
    work->state = CALLED;
    work->acted = what->acts;
    work->expected.due = what->acts ? 1 : 0;
    tb_cdp_work_call(work, what->function, tb_buf_str(&args));
    if (!what->told) {
        tb_cdp_work_here(work, what->acts ? TB_HERE_BEHIND : TB_HERE_NOW);
    }
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct page_op *page_op = TB_CONTAINER(work, struct page_op, work);
    if (work->state == WAITING) {
        call(page_op);
    } else if (page_op->call->take(work, value)) {
        tb_cdp_work_wind_up(work);
    }
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (work->state == WAITING && err->code == TB_E_TIMEOUT) {
        tb_cdp_work_fail(work, TB_E_ELEMENT_NOT_FOUND, "%s", err->text);
        return true;
    }
    /* It may wait before it acts, and tells when it does. After a dialog that word may still come.
     */
    if (work->expected.had < work->expected.due && err->code != TB_E_DIALOG_OPEN) {
        work->acted = false;
    }
    return false;
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct page_op),
                                             .step = step,
                                             .failed = failed};

/* NULL: it has ended already. */
static struct page_op *begin(struct tb_driver_session *session, struct tb_op *op,
                             const struct call *what)
{
    struct page_op *page_op = tb_cdp_work_new(&kind, session, op);
    if (!page_op || !tb_cdp_work_frame(&page_op->work, tb_args_text(op->args, "target", ""))) {
        return NULL;
    }
    page_op->call = what;
    return page_op;
}

void tb_cdp_op_select(struct tb_driver_session *session, struct tb_op *op)
{
    static const struct call what = {.function = "select",
                                     .args = "target values",
                                     .wait = true,
                                     .acts = true,
                                     .refs = true,
                                     .tells_changes = true,
                                     .take = take_select};
    struct page_op *page_op = begin(session, op, &what);
    if (page_op) {
        call(page_op);
    }
}

void tb_cdp_op_scroll(struct tb_driver_session *session, struct tb_op *op)
{
    static const struct call what = {.function = "scroll",
                                     .args = "target direction pixels to",
                                     .acts = true,
                                     .refs = true,
                                     .tells_changes = true,
                                     .told = true,
                                     .take = take_scroll};
    struct page_op *page_op = begin(session, op, &what);
    if (page_op) {
        call(page_op);
    }
}

void tb_cdp_op_elements(struct tb_driver_session *session, struct tb_op *op)
{
    static const struct call what = {.function = "elements",
                                     .args = "in_viewport bounds limit offset",
                                     .refs = true,
                                     .take = take_elements};
    struct page_op *page_op = begin(session, op, &what);
    if (page_op) {
        call(page_op);
    }
}

void tb_cdp_op_extract(struct tb_driver_session *session, struct tb_op *op)
{
    static const struct call what = {.function = "extract",
                                     .args = "target format limit max_chars",
                                     .limit = EXTRACT_LIMIT,
                                     .max_chars = EXTRACT_CHARS,
                                     .take = take_extract};
    struct page_op *page_op = begin(session, op, &what);
    if (!page_op) {
        return;
    }
    if (!tb_args_flag(op->args, "wait", false) || !tb_args_has(op->args, "target")) {
        call(page_op);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    tb_cdp_work_args(&page_op->work, "target", true, &args);
    page_op->work.state = WAITING;
    tb_cdp_work_call(&page_op->work, "waitFor", tb_buf_str(&args));
}
