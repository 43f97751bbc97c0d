/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for what an act has started.
 *
 * A navigation that an input event starts is announced up to a millisecond after the event was
 * answered. So a wait that knows of none first sends a command through the same renderer: what the
 * act has started is known when that is answered, and no time has to be waited away. */
#include "base/quote.h"
#include "driver/cdp/page/page_internal.h"

enum {
    FENCE_GRACE_MS = 1000, /* the wait's own deadline comes first */
    BEGIN_MS = 5000,       /* for a navigation that the browser was asked for to begin */
};

struct settle {
    struct tb_cdp_ask ask; /* in its page */
    struct tb_cdp_page *page;
    uint64_t handle;
    uint64_t mark;
    unsigned until;
    bool fenced; /* whatever the act has started is known */
    bool asked;  /* the browser was asked for a navigation: it begins by itself */
    struct tb_cdp_page_cmd *fence;
    struct tb_timer begin_timer;
    struct tb_timer timer;
    tb_cdp_page_settled_fn *fn;
};

static struct settle *settle_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct settle, ask.place);
}

static void settle_free(struct settle *settle)
{
    if (settle->fence) {
        tb_cdp_page_cmd_drop(settle->fence);
    }
    tb_timer_fini(&settle->timer);
    tb_timer_fini(&settle->begin_timer);
    tb_cdp_ask_end(&settle->ask);
    tb_free(settle);
}

static void end_settle(struct settle *settle, bool navigated, const struct tb_err *err)
{
    tb_cdp_page_settled_fn *fn = settle->fn;
    void *user = settle->ask.user;
    struct tb_err words = {.code = 0};
    if (err) {
        words = *err;
    }
    settle_free(settle);
    fn(words.code, navigated, err ? &words : NULL, user);
}

/* True when the wait is over; says how. */
static bool is_settled(const struct settle *settle, bool *ret_navigated,
                       const struct tb_cdp_frame **ret_failed)
{
    *ret_navigated = false;
    *ret_failed = NULL;
    MAP_FOREACH(slot, &settle->page->frames) {
        const struct tb_cdp_frame *frame = slot->value;
        if (frame->nav <= settle->mark) {
            continue;
        }
        *ret_navigated = true;
        /* Inside a frame, silence on the network is not worth waiting for. */
        unsigned until = frame->parent ? settle->until & ~(unsigned)TB_REACHED_IDLE : settle->until;
        if (frame->nav_asked || (!frame->nav_within && (frame->reached & until) != until)) {
            return false;
        }
        if (frame->failed && !frame->parent) {
            *ret_failed = frame;
        }
    }
    bool came_to_nothing = settle->asked && settle->page->navs > settle->mark;
    return *ret_navigated || settle->fenced || came_to_nothing;
}

static bool check_one(struct settle *settle)
{
    bool navigated;
    const struct tb_cdp_frame *failed;
    if (!is_settled(settle, &navigated, &failed)) {
        return false;
    }
    struct tb_err err;
    if (failed) {
        struct tb_quoted url;
        /* The browser tells why only of what it was asked to open. */
        tb_fail(&err, TB_E_NAVIGATION,
                "%s could not be loaded, and the tab shows an empty error page; open that address "
                "by its url to learn why",
                tb_quoted_url(&url, tb_str_of(failed->url)));
    }
    end_settle(settle, navigated, failed ? &err : NULL);
    return true;
}

void tb_cdp_nav_check(struct tb_cdp_page *page)
{
    bool again = true;
    while (again) {
        again = false;
        LIST_FOREACH(link, &page->owed.settles) {
            /* Its callback may change the list, so the walk begins anew. */
            if (check_one(settle_of(link))) {
                again = true;
                break;
            }
        }
    }
}

static void on_fence(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct settle *settle = user;
    (void)result;
    settle->fence = NULL;
    if (code == TB_E_PAGE_CRASHED || code == TB_E_DIALOG_OPEN || code == TB_E_TAB_NOT_FOUND ||
        code == TB_E_BROWSER_CRASHED || code == TB_E_CLOSED) {
        end_settle(settle, false, err);
        return;
    }
    /* Any other failure means that the document went away: that is an answer too. */
    settle->fenced = true;
    check_one(settle);
}

static void on_not_begun(struct tb_timer *timer, void *user)
{
    struct settle *settle = user;
    (void)timer;
    settle->fenced = true;
    check_one(settle);
}

static void on_settle_timer(struct tb_timer *timer, void *user)
{
    struct settle *settle = user;
    bool navigated;
    const struct tb_cdp_frame *failed;
    struct tb_err err;
    (void)timer;
    is_settled(settle, &navigated, &failed);
    if (navigated) {
        tb_fail(&err, TB_E_TIMEOUT, "the new page did not finish loading in time");
    } else {
        tb_fail(&err, TB_E_TIMEOUT, "the page did not answer in time");
    }
    tb_cdp_page_probe(settle->page); /* a script that never ends, while loading or later */
    end_settle(settle, navigated, &err);
}

static const struct {
    const char *name;
    unsigned reached;
} stages[] = {
    {"load", TB_REACHED_COMMIT | TB_REACHED_DOM | TB_REACHED_LOAD},
    {"commit", TB_REACHED_COMMIT},
    {"domcontentloaded", TB_REACHED_COMMIT | TB_REACHED_DOM},
    {"networkidle", TB_REACHED_COMMIT | TB_REACHED_DOM | TB_REACHED_LOAD | TB_REACHED_IDLE},
};

static size_t stage_of(struct tb_str name)
{
    for (size_t i = 0; i < TB_COUNT(stages); i++) {
        if (tb_str_eq_cstr(name, stages[i].name)) {
            return i;
        }
    }
    return 0;
}

const char *tb_cdp_page_stage(struct tb_str name)
{
    return stages[stage_of(name)].name;
}

uint64_t tb_cdp_page_navigation_mark(const struct tb_cdp_page *page)
{
    return page->navs;
}

bool tb_cdp_page_stayed(const struct tb_cdp_page *page, uint64_t mark)
{
    bool stayed = false;
    MAP_FOREACH(slot, &page->frames) {
        const struct tb_cdp_frame *frame = slot->value;
        if (frame->nav > mark && (frame->nav_asked || !frame->nav_within)) {
            return false;
        }
        stayed = stayed || frame->nav > mark;
    }
    return stayed;
}

static void forget(struct tb_cdp_ask *ask)
{
    settle_free(TB_CONTAINER(ask, struct settle, ask));
}

static struct settle *settle_new(struct tb_cdp_page *page, uint64_t mark, const char *until,
                                 int64_t deadline_ms, tb_cdp_page_settled_fn *fn, void *user)
{
    struct tb_loop *loop = page->peer->loop;
    struct settle *settle = TB_NEW(struct settle);
    settle->page = page;
    settle->handle = ++page->owed.last_handle;
    settle->mark = mark;
    settle->until = stages[stage_of(tb_str_of(until))].reached;
    settle->fn = fn;
    settle->ask.user = user;
    settle->ask.forget = forget;
    tb_timer_init(&settle->timer, loop, on_settle_timer, settle);
    tb_timer_init(&settle->begin_timer, loop, on_not_begun, settle);
    int64_t left_ms = deadline_ms - tb_loop_now_ms(loop);
    tb_timer_start(&settle->timer, left_ms > 0 ? left_ms : 0);
    tb_cdp_ask_begin(&settle->ask, &page->owed.settles, tb_cdp_page_asks(page));
    return settle;
}

uint64_t tb_cdp_page_settle(struct tb_cdp_page *page, uint64_t mark, const char *until,
                            int64_t deadline_ms, tb_cdp_page_settled_fn *fn, void *user)
{
    struct settle *settle = settle_new(page, mark, until, deadline_ms, fn, user);
    if (page->navs > mark) {
        settle->fenced = true;
        tb_loop_defer(page->peer->loop, &page->late);
    } else {
        settle->fence =
            tb_cdp_page_cmd_fence(page->target, deadline_ms + FENCE_GRACE_MS, on_fence, settle);
    }
    return settle->handle;
}

uint64_t tb_cdp_page_settle_asked(struct tb_cdp_page *page, uint64_t mark, const char *until,
                                  int64_t deadline_ms, tb_cdp_page_settled_fn *fn, void *user)
{
    struct settle *settle = settle_new(page, mark, until, deadline_ms, fn, user);
    settle->asked = true;
    if (page->navs > mark) {
        tb_loop_defer(page->peer->loop, &page->late);
    } else {
        tb_timer_start(&settle->begin_timer, BEGIN_MS);
    }
    return settle->handle;
}

void tb_cdp_nav_settles_fail(struct tb_cdp_page *page, const struct tb_err *err)
{
    uint64_t up_to = page->owed.last_handle;
    struct settle *found;
    do {
        found = NULL;
        LIST_FOREACH(link, &page->owed.settles) {
            struct settle *settle = settle_of(link);
            if (settle->handle <= up_to) {
                found = settle;
                break;
            }
        }
        if (found) {
            end_settle(found, false, err);
        }
    } while (found);
}
