/* SPDX-License-Identifier: Apache-2.0 */
/* How an operation ends that tells where the page is then:
 *
 *   it is known where the page is, and no navigation began --> page keys, done
 *      |     |
 *      |     +--it has begun requests--> answered, or a second later --> ask again
 *      |     +--the same document has a new address since--> ask again
 *      |
 *      +--one began--> settle --there--> ask again --> page keys, done
 *
 * Usually nothing has to be asked: after a click or input the page tells by itself where it is
 * (page/here.js). Otherwise the question goes out behind the act. What tells or answers is the
 * fence, too: navigations that the page has begun by then were announced before it. */
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "core/limits.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/work_internal.h"
#include "driver/cdp/page/chooser.h"
#include "driver/cdp/page/inner.h"

enum {
    WORD_MS = 1000, /* far more than it takes; only what is told as a failure waits for all of it */
};

static void go_on(struct tb_cdp_work *work);

static void fail_unseen(struct tb_cdp_work *work, int code, const char *why)
{
    struct tb_str element = tb_json_text(work->op->result->data, "element");
    tb_cdp_work_fail(
        work, code, "the %s may not have reached %.*s: %s. Look at the page before you repeat it",
        work->clicks ? "click" : "input",
        TB_STR_ARG(element.len ? tb_str_sub(element, 0, 300) : TB_STR("the element")), why);
}

void tb_cdp_work_fail_unseen(struct tb_cdp_work *work, const char *why)
{
    fail_unseen(work, TB_E_ELEMENT_STALE, why);
}

/* Whether input was sent of which the page would have told, and it has not. */
static bool is_unseen(const struct tb_cdp_work *work)
{
    return !work->expected.struck &&
           (work->expected.aimed || (work->expected.aim > 0 && work->navigated));
}

/* Whether a dialog came before the page had dealt with all of the input. */
static bool is_cut_off(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_session_page(work->session);
    struct tb_err dialog;
    return work->expected.had < work->expected.due && page && tb_cdp_page_in_dialog(page, &dialog);
}

static void fail_cut_off(struct tb_cdp_work *work, const struct tb_err *dialog)
{
    struct tb_str element = tb_json_text(work->op->result->data, "element");
    element = element.len ? tb_str_sub(element, 0, 200) : TB_STR("the element");
    if (work->clicks && !work->expected.had) {
        tb_cdp_work_fail(work, TB_E_DIALOG_OPEN,
                         "a dialog opened before the click on %.*s had happened: look at the page "
                         "before you click again. Now %s",
                         TB_STR_ARG(element), dialog->text);
    } else if (work->op->kind == TB_OP_SCROLL) {
        tb_cdp_work_fail(work, TB_E_DIALOG_OPEN,
                         "a dialog opened before anything was seen to scroll: look at the page "
                         "before you scroll again. Now %s",
                         dialog->text);
    } else {
        tb_cdp_work_fail(
            work, TB_E_DIALOG_OPEN,
            "a dialog opened before the page told how much of the input reached %.*s: look at "
            "it before you repeat it. Now %s",
            TB_STR_ARG(element), dialog->text);
    }
}

/* The browser itself tells of a dialog or another document, and may do so before it passes on what
 * the page had told by then. */
static bool awaits_word(struct tb_cdp_work *work)
{
    bool waits = (is_unseen(work) || is_cut_off(work)) && !work->expected.late;
    if (waits && !tb_timer_armed(&work->expected.timer)) {
        int64_t left_ms = tb_cdp_work_left_ms(work);
        tb_timer_start(&work->expected.timer, left_ms < WORD_MS ? left_ms : WORD_MS);
    }
    return waits;
}

static void finish(struct tb_cdp_work *work)
{
    if (awaits_word(work)) {
        return;
    }
    struct tb_cdp_page *page = tb_cdp_session_page(work->session);
    struct tb_err dialog;
    bool asks = page && tb_cdp_page_in_dialog(page, &dialog);
    if (is_unseen(work) && asks && !work->clicks) {
        fail_unseen(work, TB_E_DIALOG_OPEN, dialog.text);
        return;
    }
    if (asks && (is_unseen(work) || work->expected.had < work->expected.due)) {
        fail_cut_off(work, &dialog);
        return;
    }
    if (is_unseen(work)) {
        tb_cdp_work_fail_unseen(
            work, "the page moved to another document, and something there may have received it");
        return;
    }
    tb_cdp_work_add_events(work);
    tb_cdp_work_done(work);
}

void tb_cdp_work_on_word_late(struct tb_timer *timer, void *user)
{
    struct tb_cdp_work *work = user;
    (void)timer;
    work->expected.late = true;
    finish(work);
}

/* Only what the browser knows without the page. */
static void finish_blind(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    page = page ? page : tb_cdp_session_page(work->session);
    if (page) {
        tb_json_set_str(work->op->result->data, "url", tb_cdp_page_url(page));
    }
    finish(work);
}

void tb_cdp_work_moved(struct tb_cdp_work *work)
{
    const struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!work->acted && page) {
        work->navigated = work->navigated || tb_cdp_page_navigation_mark(page) > work->mark;
        work->mark = tb_cdp_page_navigation_mark(page);
    }
}

bool tb_cdp_work_has_left(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    const struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    return page && (tb_cdp_frame_has_left(tb_cdp_page_main_frame(page), work->mark) ||
                    (frame && tb_cdp_frame_has_left(frame, work->mark)));
}

/* An aim that nobody needs any more may still tell, when the next operation moves the focus. */
static bool is_of_this(const struct tb_cdp_work *work, const struct cJSON *told)
{
    double aim = 0;
    tb_json_num(tb_json_get(told, "aim"), &aim);
    return aim > 0 && aim == work->expected.aim;
}

void tb_cdp_work_done_at(struct tb_cdp_work *work, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    tb_cdp_work_take(work, json);
    finish(work);
}

/* What the act opened is the current tab now, and that is what the caller will see next. */
static bool follow_current(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_session_page(work->session);
    if (!page || tb_cdp_page_is_inner(page) ||
        strcmp(tb_cdp_page_target_id(page), work->page_id) == 0) {
        return false;
    }
    struct tb_cdp_page *before = tb_cdp_work_page(work);
    if (before) {
        tb_cdp_page_call_forget(before, work->here.call);
    }
    work->here.call = 0;
    tb_cdp_target_id_copy(work->page_id, tb_str_of(tb_cdp_page_target_id(page)));
    work->mark = 0;
    work->until = "domcontentloaded";
    return true;
}

bool tb_cdp_work_end_failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (!work->acted) {
        return false;
    }
    work->ending = true;
    if (err->code == TB_E_DIALOG_OPEN) {
        finish_blind(work);
        return true;
    }
    struct tb_cdp_page *current = tb_cdp_session_page(work->session);
    if (err->code == TB_E_TAB_NOT_FOUND && current &&
        strcmp(tb_cdp_page_target_id(current), work->page_id) != 0) {
        work->here.known = false;
        go_on(work);
        return true;
    }
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    bool began = page && tb_cdp_page_navigation_mark(page) > work->mark;
    if (err->code == TB_E_TIMEOUT && (work->navigated || began)) {
        struct tb_str url = page ? tb_cdp_page_bound_for(page) : (struct tb_str){NULL, 0};
        struct tb_quoted shown;
        tb_cdp_work_fail(
            work, TB_E_UNFINISHED,
            "the action completed, but the page that it led to (%s) did not finish loading in time",
            tb_quoted_url(&shown, url));
        return true;
    }
    if (err->code == TB_E_TIMEOUT && page && !tb_cdp_page_awaits_first(page)) {
        tb_cdp_work_fail(work, TB_E_UNFINISHED,
                         "the action was sent, but the page did not process it within %lld ms, so "
                         "its effect is unknown",
                         (long long)(work->deadline_ms - work->began_ms));
        return true;
    }
    return false;
}

static void fail(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (!tb_cdp_work_end_failed(work, err)) {
        tb_cdp_work_fail_err(work, err);
    }
}

static void on_settled(int code, bool navigated, const struct tb_err *err, void *user)
{
    struct tb_cdp_work *work = user;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    work->navigated = work->navigated || navigated;
    if (code < 0) {
        fail(work, err);
        return;
    }
    work->mark = page ? tb_cdp_page_navigation_mark(page) : work->mark;
    go_on(work);
}

static void forget_here(struct tb_cdp_work *work, struct tb_cdp_page *page)
{
    tb_cdp_page_call_forget(page, work->here.call);
    work->here.call = 0;
    work->here.known = false;
}

static void forget_requests(struct tb_cdp_work *work)
{
    tb_timer_stop(&work->requests_timer);
    tb_cdp_work_requests_forget(work);
}

static void settle(struct tb_cdp_work *work, struct tb_cdp_page *page)
{
    forget_here(work, page);
    forget_requests(work);
    tb_cdp_page_settle(page, work->mark, work->until, work->deadline_ms, on_settled, work);
}

static void on_here(int code, struct tb_str value, const struct tb_err *err, void *user)
{
    struct tb_cdp_work *work = user;
    TB_AUTO(tb_json_free) struct cJSON *json = code == 0 ? tb_json_parse(value) : NULL;
    work->here.call = 0;
    if (work->kind->missed && tb_cdp_work_is_missed(json)) {
        work->kind->missed(work, json);
        return;
    }
    if (code == 0 && (work->here.when != TB_HERE_BEHIND || work->ending)) {
        tb_cdp_work_take(work, json);
    }
    if (!work->ending) {
        return; /* what is in the way, if it failed, the act itself will tell */
    }
    if (code < 0 && code != TB_E_ELEMENT_STALE) {
        fail(work, err);
        return;
    }
    go_on(work);
}

/* `also`: members for the page, as JSON; see page/here.js. */
static void ask_here(struct tb_cdp_work *work, enum tb_cdp_here when, const char *also)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!page || work->here.call) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_KIB);
    tb_buf_printf(&args, "{\"first_ref\":%lld%s}", (long long)work->session->use.last_ref + 1,
                  also);
    work->here.when = when;
    work->here.call = tb_cdp_page_call(tb_cdp_page_main_frame(page), "here", tb_buf_str(&args),
                                       work->deadline_ms, on_here, work);
}

void tb_cdp_work_here(struct tb_cdp_work *work, enum tb_cdp_here when)
{
    ask_here(work, when, "");
}

void tb_cdp_work_here_again(struct tb_cdp_work *work)
{
    char heard[48];
    snprintf(heard, sizeof(heard), ",\"heard\":%lld", (long long)work->session->heard);
    if (!work->here.known) {
        ask_here(work, work->here.when, heard);
    }
}

void tb_cdp_work_expect(struct tb_cdp_work *work, int64_t clicks)
{
    work->here.when = TB_HERE_CLICKS;
    work->here.clicks = clicks;
}

void tb_cdp_work_begin_again(struct tb_cdp_work *work)
{
    tb_cdp_session_forget(work->session, work);
    tb_deferred_cancel(&work->here.ask);
    tb_timer_stop(&work->expected.timer);
    work->expected.late = false;
    work->here.call = 0;
    work->here.when = TB_HERE_NOW;
    work->here.known = false;
    work->ending = false;
    work->acted = false;
    work->expected.aimed = false;
    work->expected.struck = false;
    work->expected.due = 0;
    work->expected.had = 0;
}

/* Of the input, by the tab that got it: what came of that may have led to another one by now, and
 * what a person does in another is not ours. True: it has reached the element. */
static bool take_input_word(struct tb_cdp_work *work, const struct tb_cdp_page *page,
                            const struct cJSON *told)
{
    struct tb_cdp_expected *expected = &work->expected;
    bool hit = false;
    if (strcmp(tb_cdp_page_target_id(page), expected->page_id) != 0) {
        return false;
    }
    tb_json_bool(tb_json_get(told, "hit"), &hit);
    hit = hit || tb_json_get(told, "struck");
    expected->struck = expected->struck || hit;
    expected->had += tb_json_get(told, "done") ? 1 : 0;
    work->ticked = work->ticked || tb_json_get(told, "ticked");
    return hit;
}

void tb_cdp_work_told(struct tb_cdp_running *running, struct tb_cdp_page *page,
                      const struct cJSON *told)
{
    struct tb_cdp_work *work = TB_CONTAINER(running, struct tb_cdp_work, running);
    int64_t clicks = 0;
    bool seeking;
    if (take_input_word(work, page, told) && tb_timer_armed(&work->expected.timer)) {
        tb_timer_stop(&work->expected.timer);
        finish(work);
        return;
    }
    if (page != tb_cdp_work_page(work) || tb_json_get(told, "status")) {
        return;
    }
    if (tb_json_bool(tb_json_get(told, "seeking"), &seeking)) {
        tb_cdp_page_calls_seek(page, seeking);
        return;
    }
    if (tb_json_get(told, "stalled")) {
        tb_cdp_page_calls_resume(page);
        return;
    }
    if (tb_cdp_work_is_missed(told)) {
        if (work->kind->missed) {
            work->kind->missed(work, told);
        }
        return;
    }
    if (tb_json_get(told, "away")) {
        if (work->kind->missed && is_of_this(work, told)) {
            work->kind->missed(work, told);
        }
        return;
    }
    if (tb_json_get(told, "struck")) {
        return;
    }
    if (work->kind->told && work->kind->told(work, told)) {
        return;
    }
    tb_json_int(tb_json_get(told, "clicks"), &clicks);
    if (work->here.when != TB_HERE_CLICKS || clicks < work->here.clicks) {
        return;
    }
    tb_cdp_work_take(work, told);
    if (work->ending) {
        go_on(work);
    } else {
        /* Nothing comes behind it, so the answer to the act would bring nothing new. */
        work->here.when = TB_HERE_NOW;
        tb_cdp_session_forget(work->session, work);
        work->kind->step(work, (struct tb_str){NULL, 0});
    }
}

void tb_cdp_work_ask_here(struct tb_deferred *job)
{
    struct tb_cdp_work *work = TB_CONTAINER(job, struct tb_cdp_work, here.ask);
    if (work->here.known) {
        return; /* told meanwhile */
    }
    if (!tb_cdp_work_page(work)) {
        go_on(work); /* closed meanwhile */
        return;
    }
    enum tb_cdp_here expected = work->here.when; /* whichever comes first */
    tb_cdp_work_here(work, TB_HERE_NOW);
    work->here.when = expected == TB_HERE_BEHIND ? TB_HERE_NOW : expected;
}

void tb_cdp_work_notice(struct tb_cdp_running *running)
{
    struct tb_cdp_work *work = TB_CONTAINER(running, struct tb_cdp_work, running);
    tb_loop_defer(tb_cdp_session_loop(work->session), &work->noticed);
}

/* At its end only one that waits for the answers of requests needs it: all else is told otherwise.
 */
void tb_cdp_work_on_noticed(struct tb_deferred *job)
{
    struct tb_cdp_work *work = TB_CONTAINER(job, struct tb_cdp_work, noticed);
    if (work->ending && work->requests.waiting) {
        go_on(work);
    } else if (!work->ending && work->kind->noticed) {
        work->kind->noticed(work);
    }
}

void tb_cdp_work_on_requests_late(struct tb_timer *timer, void *user)
{
    struct tb_cdp_work *work = user;
    (void)timer;
    work->requests.late = true;
    work->requests.ended = true;
    tb_cdp_work_look_again(work);
}

/* Waits for the answers to what the act has requested, then asks the page again. False: there is
 * nothing to wait for. */
static bool awaits_requests(struct tb_cdp_work *work)
{
    struct tb_cdp_requests *requests = &work->requests;
    bool waits = requests->count && !requests->late;
    if (waits && !requests->waiting) {
        int64_t left_ms = tb_cdp_work_left_ms(work);
        requests->waiting = true;
        tb_timer_start(&work->requests_timer,
                       left_ms < TB_REQUESTS_MS ? left_ms / 2 : TB_REQUESTS_MS);
    }
    if (!waits && requests->ended) {
        requests->ended = false;
        forget_here(work, tb_cdp_work_page(work));
        ask_here(work, TB_HERE_NOW,
                 !requests->counted      ? ""
                 : work->changes.watched ? ",\"late\":true,\"whole\":true"
                                         : ",\"late\":true");
        return true;
    }
    return waits;
}

/* The document is the same under a new address: what the act has begun in it goes on, and what the
 * page had told before is out of date. */
static void note_address(struct tb_cdp_work *work, const struct tb_cdp_page *page)
{
    work->navigated = true;
    work->mark = tb_cdp_page_navigation_mark(page);
    if (work->here.known && work->here.mark < work->mark) {
        work->requests.ended = true;
    }
}

/* The next thing to do until it is known where the page is. */
static void go_on(struct tb_cdp_work *work)
{
    bool moved = !work->kind->stays && follow_current(work);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (page && !moved && tb_cdp_page_stayed(page, work->mark)) {
        note_address(work, page);
    }
    if (!page || tb_cdp_page_dialog(page)->open) {
        finish_blind(work);
    } else if (moved || tb_cdp_page_navigation_mark(page) > work->mark) {
        settle(work, page);
    } else if (work->here.known) {
        if (!tb_cdp_page_chooser(page)->ask && !awaits_requests(work)) {
            finish(work);
        }
    } else if (!work->here.call) {
        /* What the page tells is often in what was read together with the answer. */
        tb_loop_defer(tb_cdp_session_loop(work->session), &work->here.ask);
    }
}

void tb_cdp_work_look_again(struct tb_cdp_work *work)
{
    if (work->ending) {
        go_on(work);
    }
}

void tb_cdp_work_wind_up(struct tb_cdp_work *work)
{
    work->ending = true;
    go_on(work);
}
