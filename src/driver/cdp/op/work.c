/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/work.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/quote.h"
#include "core/args.h"
#include "driver/address.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/element.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work_internal.h"
#include "driver/cdp/page/inner.h"

enum {
    URL_PARAMS_MAX = 8 * TB_ADDRESS_MAX,
};

static int64_t now_ms(const struct tb_cdp_work *work)
{
    return tb_loop_now_ms(tb_cdp_session_loop(work->session));
}

int64_t tb_cdp_work_left_ms(const struct tb_cdp_work *work)
{
    int64_t left_ms = work->deadline_ms - now_ms(work);
    return left_ms > 0 ? left_ms : 0;
}

int64_t tb_cdp_work_element_ms(const struct tb_cdp_work *work)
{
    int64_t left_ms = tb_cdp_work_left_ms(work);
    int64_t usual_ms = work->op->element_ms;
    return usual_ms && usual_ms < left_ms ? usual_ms : left_ms;
}

static struct tb_cdp_conn *conn_of(const struct tb_cdp_work *work)
{
    return work->session->browser ? work->session->browser->peer.conn : NULL;
}

void tb_cdp_work_drop(struct tb_cdp_work *work)
{
    work->session->use.running = NULL;
    tb_cdp_session_forget(work->session, work);
    if (work->kind->fini) {
        work->kind->fini(work);
    }
    tb_deferred_cancel(&work->noticed);
    tb_deferred_cancel(&work->here.ask);
    tb_deferred_cancel(&work->gone);
    tb_timer_fini(&work->requests_timer);
    tb_timer_fini(&work->expected.timer);
    tb_timer_fini(&work->grace);
    tb_free(work);
}

/* Whether something stands in a field now that the page did not put there; a failure may have come
 * in the middle of it. */
static bool has_typed(const struct tb_cdp_work *work)
{
    bool has_acted = work->acted || work->op->result->code == 0;
    switch (work->op->kind) {
    case TB_OP_FILL:
    case TB_OP_FILL_FORM:
    case TB_OP_SELECT:
    case TB_OP_UPLOAD:
        return has_acted;
    case TB_OP_PRESS_KEY:
        return (has_acted && work->edits) || work->ticked;
    default:
        return work->ticked;
    }
}

void tb_cdp_work_done(struct tb_cdp_work *work)
{
    struct tb_op *op = work->op;
    struct tb_driver_session *session = work->session;
    op->typed = has_typed(work);
    op->last_ref = session->use.last_ref;
    const struct tb_cdp_page *page = tb_cdp_session_page(session);
    /* A failure does not tell of new tabs. */
    if (op->result->code == 0 || (page && page == tb_cdp_work_page(work))) {
        tb_cdp_session_tabs_told(session);
    }
    tb_cdp_work_drop(work);
    op->driver_state = NULL;
    tb_op_done(op);
    tb_cdp_session_dirty(session);
}

static void stop(struct tb_cdp_work *work)
{
    if (work->kind->stop) {
        work->kind->stop(work);
    }
}

static void on_grace_over(struct tb_timer *timer, void *user)
{
    struct tb_cdp_work *work = user;
    (void)timer;
    stop(work);
    tb_cdp_work_fail(work, TB_E_TIMEOUT, "the time ran out before it was done");
}

static struct tb_cdp_frame *asked_frame(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    return page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
}

uint64_t tb_cdp_work_document(struct tb_cdp_work *work)
{
    const struct tb_cdp_frame *frame = asked_frame(work);
    return frame ? tb_cdp_frame_document(frame) : 0;
}

/* At the deadline what is under way ends by itself, with better words than could be had here. */
static void cancel(struct tb_op *op)
{
    struct tb_cdp_work *work = op->driver_state;
    struct tb_cdp_frame *frame = asked_frame(work);
    if (now_ms(work) >= work->deadline_ms) {
        tb_timer_start(&work->grace, TB_CDP_WORK_GRACE_MS);
        return;
    }
    stop(work);
    if (work->script && frame) {
        tb_cdp_frame_end_script(frame, work->begun); /* the caller wants it stopped */
    }
    tb_cdp_work_fail(work, TB_E_CANCELLED, "the call was cancelled");
}

static void run_gone(struct tb_deferred *job);

static struct tb_cdp_work *work_of(struct tb_cdp_running *running)
{
    return TB_CONTAINER(running, struct tb_cdp_work, running);
}

static void moved(struct tb_cdp_running *running, const void *user)
{
    if (user == work_of(running)) {
        tb_cdp_work_moved(work_of(running));
    }
}

static void chooser_known(struct tb_cdp_running *running)
{
    tb_cdp_work_look_again(work_of(running));
}

static void on_event(struct tb_cdp_running *running, struct tb_cdp_page *page, struct tb_str method,
                     struct tb_str params)
{
    struct tb_cdp_work *work = work_of(running);
    if (tb_str_starts(method, TB_STR("Network."))) {
        tb_cdp_work_requests_on_event(work, page, method, params);
    } else if (work->kind->on_event) {
        work->kind->on_event(work, page, method, params);
    }
}

static void unheard(struct tb_cdp_running *running, const struct tb_cdp_page *page)
{
    if (page == tb_cdp_work_page(work_of(running))) {
        tb_cdp_work_requests_unheard(work_of(running));
    }
}

static void end_running(struct tb_cdp_running *running, const struct tb_err *err)
{
    if (err) {
        tb_cdp_work_fail_err(work_of(running), err);
    } else {
        tb_cdp_work_drop(work_of(running));
    }
}

static const struct tb_cdp_running_ops running_ops = {
    .notice = tb_cdp_work_notice,
    .chooser_known = chooser_known,
    .dismissed = tb_cdp_work_note_dismissed,
    .moved = moved,
    .told = tb_cdp_work_told,
    .on_event = on_event,
    .unheard = unheard,
    .end = end_running,
};

static int check_tab(struct tb_driver_session *session, struct tb_err *err)
{
    const struct tb_cdp_page *page = tb_cdp_session_page(session);
    if (!page) {
        tb_cdp_session_want_tab(session);
        return tb_fail(err, TB_E_TAB_NOT_FOUND,
                       "the session has no tab right now; one is being opened, so try again");
    }
    return tb_cdp_page_is_inner(page) ? tb_cdp_inner_fail(page, err) : 0;
}

int tb_cdp_work_check_tab(const struct tb_cdp_work *work, struct tb_err *err)
{
    return check_tab(work->session, err);
}

void tb_cdp_work_take_tab(struct tb_cdp_work *work, const struct tb_cdp_page *page)
{
    tb_cdp_target_id_copy(work->page_id, tb_str_of(tb_cdp_page_target_id(page)));
    work->mark = tb_cdp_page_navigation_mark(page);
}

void *tb_cdp_work_new(const struct tb_cdp_work_kind *kind, struct tb_driver_session *session,
                      struct tb_op *op)
{
    if (kind->stays) {
        tb_cdp_session_page_select_told(session);
    }
    struct tb_cdp_page *page = tb_cdp_session_page(session);
    struct tb_err err;
    if (check_tab(session, &err) < 0 && !kind->leaves) {
        tb_result_fail_err(op->result, &err);
        tb_op_done(op);
        return NULL;
    }
    bool asks = !kind->in_dialog && tb_cdp_page_in_dialog(page, &err);
    if (asks && !op->dismisses) {
        tb_result_fail(op->result, err.code, "%s", err.text);
        tb_op_done(op);
        return NULL;
    }
    struct tb_cdp_work *work = tb_zalloc(kind->size);
    work->kind = kind;
    work->session = session;
    work->op = op;
    work->until = "load";
    work->began_ms = now_ms(work);
    work->deadline_ms = op->deadline_ms;
    tb_timer_init(&work->grace, tb_cdp_session_loop(session), on_grace_over, work);
    if (page) {
        tb_cdp_work_take_tab(work, page);
        tb_cdp_target_id_copy(work->expected.page_id, tb_str_of(work->page_id));
    }
    work->before.tabs_opened = tb_cdp_session_tabs_opened(session);
    work->before.tabs_refused = tb_cdp_session_tabs_refused(session);
    work->before.console_errors = session->journal.console.errors;
    work->here.ask.run = tb_cdp_work_ask_here;
    tb_list_init(&work->here.ask.link);
    work->noticed.run = tb_cdp_work_on_noticed;
    tb_list_init(&work->noticed.link);
    tb_timer_init(&work->requests_timer, tb_cdp_session_loop(session), tb_cdp_work_on_requests_late,
                  work);
    tb_timer_init(&work->expected.timer, tb_cdp_session_loop(session), tb_cdp_work_on_word_late,
                  work);
    work->before.downloads = session->journal.downloads.begun;
    work->gone.run = run_gone;
    tb_list_init(&work->gone.link);
    work->running.ops = &running_ops;
    session->use.running = &work->running;
    op->driver_state = work;
    op->cancel = cancel;
    if (asks) {
        tb_cdp_page_dismiss(page);
    }
    return work;
}

struct tb_cdp_page *tb_cdp_work_page(struct tb_cdp_work *work)
{
    return tb_cdp_session_page_by_target(work->session, tb_str_of(work->page_id));
}

struct tb_cdp_frame *tb_cdp_work_frame(struct tb_cdp_work *work, struct tb_str target)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    work->frame = tb_cdp_ref_frame(target);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    if (!frame) {
        tb_cdp_work_fail(work, TB_E_ELEMENT_STALE, "the frame of ref %.*s has left the page",
                         TB_STR_ARG(tb_str_sub(target, 0, 40)));
    }
    return frame;
}

static void answered(struct tb_cdp_work *work, int code, struct tb_str value,
                     const struct tb_err *err)
{
    if (code == 0) {
        work->kind->step(work, value);
    } else if (work->kind->failed && work->kind->failed(work, err)) {
        return;
    } else if (!tb_cdp_work_end_failed(work, err)) {
        tb_cdp_work_fail_err(work, err);
    }
}

static void run_gone(struct tb_deferred *job)
{
    struct tb_cdp_work *work = TB_CONTAINER(job, struct tb_cdp_work, gone);
    struct tb_err err;
    if (tb_cdp_work_page(work)) {
        tb_fail(&err, TB_E_ELEMENT_STALE, "the frame of the element has left the page");
    } else {
        tb_fail(&err, TB_E_TAB_NOT_FOUND, "the tab was closed");
    }
    answered(work, err.code, (struct tb_str){NULL, 0}, &err);
}

static void on_reply(int code, struct tb_str value, const struct tb_err *err, void *user)
{
    answered(user, code, value, err);
}

static void on_settled(int code, bool navigated, const struct tb_err *err, void *user)
{
    struct tb_cdp_work *work = user;
    work->navigated = work->navigated || navigated;
    answered(work, code, (struct tb_str){NULL, 0}, err);
}

/* A tab or frame that goes ends what is asked of it itself; this is for what begins after that.
 * Whoever asks goes on after asking, perhaps to ask more, so it must not end here and now. */
static void fail_gone(struct tb_cdp_work *work)
{
    tb_loop_defer(tb_cdp_session_loop(work->session), &work->gone);
}

void tb_cdp_work_call(struct tb_cdp_work *work, const char *function, struct tb_str args)
{
    struct tb_cdp_frame *frame = asked_frame(work);
    if (!frame) {
        fail_gone(work);
        return;
    }
    tb_cdp_page_call(frame, function, args, work->deadline_ms + TB_CDP_WORK_GRACE_MS, on_reply,
                     work);
}

void tb_cdp_work_call_in(struct tb_cdp_work *work, unsigned number, const char *function,
                         struct tb_str args)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, number) : NULL;
    if (frame) {
        tb_cdp_page_call(frame, function, args, work->deadline_ms + TB_CDP_WORK_GRACE_MS, on_reply,
                         work);
    } else {
        fail_gone(work);
    }
}

void tb_cdp_work_send(struct tb_cdp_work *work, const char *method, struct tb_str params)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!page) {
        fail_gone(work);
        return;
    }
    tb_cdp_page_send(page, method, params, work->deadline_ms, on_reply, work);
}

void tb_cdp_work_fence(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!page) {
        fail_gone(work);
        return;
    }
    tb_cdp_page_fence(page, work->deadline_ms, on_reply, work);
}

void tb_cdp_work_open(struct tb_cdp_work *work, struct tb_str url)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(URL_PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "url", url);
    tb_json_object_close(&json);
    tb_cdp_work_send(work, "Page.navigate", tb_buf_str(&params));
}

void tb_cdp_work_frame_send(struct tb_cdp_work *work, const char *method, struct tb_str params)
{
    struct tb_cdp_frame *frame = asked_frame(work);
    if (!frame) {
        fail_gone(work);
        return;
    }
    tb_cdp_frame_send(frame, method, params, work->deadline_ms, on_reply, work);
}

void tb_cdp_work_send_to(struct tb_cdp_work *work, const char *session_id, const char *method,
                         struct tb_str params)
{
    if (!conn_of(work)) {
        fail_gone(work);
        return;
    }
    tb_cdp_session_send(work->session, session_id, method, params, work->deadline_ms, on_reply,
                        work);
}

void tb_cdp_work_post(struct tb_cdp_work *work, const char *method, struct tb_str params)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (page && tb_cdp_page_conn(page)) {
        tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page), method, params);
    }
}

void tb_cdp_work_settle(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!page) {
        fail_gone(work);
        return;
    }
    tb_cdp_page_settle(page, work->mark, work->until, work->deadline_ms, on_settled, work);
}

void tb_cdp_work_settle_asked(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!page) {
        fail_gone(work);
        return;
    }
    tb_cdp_page_settle_asked(page, work->mark, work->until, work->deadline_ms, on_settled, work);
}

void tb_cdp_work_args(struct tb_cdp_work *work, const char *names, bool wait, struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    struct tb_str rest = tb_str_of(names);
    while (rest.len) {
        struct tb_str name = tb_str_cut(&rest, ' ');
        char key[32];
        snprintf(key, sizeof(key), "%.*s", TB_STR_ARG(name));
        const struct cJSON *value = tb_json_get(work->op->args, key);
        if (value) {
            tb_json_member_tree(&json, key, value);
        }
    }
    if (wait) {
        tb_json_member_int(&json, "timeout_ms", tb_cdp_work_element_ms(work));
        tb_json_member_bool(&json, "strict", !work->op->lenient);
    }
    tb_json_object_close(&json);
}

void tb_cdp_work_fail(struct tb_cdp_work *work, int code, const char *fmt, ...)
{
    struct tb_err err = {.code = code};
    va_list args;
    va_start(args, fmt);
    vsnprintf(err.text, sizeof(err.text), fmt, args);
    va_end(args);
    tb_cdp_work_fail_err(work, &err);
}

int tb_cdp_work_code(const struct tb_err *err)
{
    return err->code == TB_E_PROTOCOL ? TB_E_BROWSER_REFUSED : err->code;
}

void tb_cdp_work_fail_err(struct tb_cdp_work *work, const struct tb_err *err)
{
    struct tb_result *result = work->op->result;
    if (tb_cdp_page_was_replaced(err)) {
        tb_result_fail(result, TB_E_ELEMENT_STALE,
                       "the page moved to another document in the meantime");
    } else if (err->code == TB_E_PROTOCOL) {
        tb_result_fail(result, tb_cdp_work_code(err), "the browser refused a command: %s",
                       err->text);
    } else {
        tb_result_fail(result, err->code, "%s", err->text);
    }
    tb_cdp_work_done(work);
}

void tb_cdp_work_set_element(struct tb_cdp_work *work, const char *key, const struct cJSON *reply)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_CDP_ELEMENT_MAX);
    tb_cdp_element_print(reply, &text);
    if (text.len) {
        tb_json_set_str(work->op->result->data, key, tb_buf_str(&text));
    }
}
