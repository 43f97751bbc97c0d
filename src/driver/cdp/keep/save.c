/* SPDX-License-Identifier: Apache-2.0 */
/* Saving: the browser is asked for the cookies and every tab for its part, all at once; the last
 * answer puts it together. Operations may go on meanwhile. */
#include <string.h>

#include "core/limits.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/browser/sites.h"
#include "driver/cdp/keep/keep.h"
#include "driver/cdp/keep/keep_internal.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/cdp/wire/pick.h"
#include "proto/json_string.h"

enum {
    TABS_MAX_BYTES = 6 * 1024 * 1024, /* so that one page cannot keep the rest from being saved */
    TAB_MS = 2000,                    /* a page that is busy is kept by its address alone */
};

struct part {
    struct tb_cdp_saver *saver;
    char target_id[TB_TARGET_ID_SIZE];
    bool asked; /* and not answered yet */
    bool told;  /* it answered, whether or not that can be kept */
    char *kept; /* NULL: no answer */
};

struct tb_cdp_saver {
    struct tb_driver_session *session;
    tb_saved_fn *fn;
    void *owner;
    char *cookies;
    bool broken;                 /* the line went: what was saved before is better */
    struct tb_deferred all_told; /* so that its owner is never called from inside an answer */
    struct tb_timer busy;        /* when pages have had their time */
    size_t waiting;              /* for so many answers */
    size_t count;
    struct part parts[];
};

static struct tb_cdp_page *page_of(const struct part *part)
{
    return tb_cdp_session_page_by_target(part->saver->session, tb_str_of(part->target_id));
}

/* A page that is silent now has what it had, as long as it is the same document. */
static void note_typed(struct tb_cdp_page *page, struct tb_str value)
{
    uint64_t typed = 0;
    tb_str_to_u64(tb_cdp_pick(value, "typed"), &typed);
    tb_cdp_page_note_typed(page, typed < INT32_MAX ? (int64_t)typed : 0);
}

static bool is_whole(const struct tb_cdp_saver *saver)
{
    for (size_t i = 0; i < saver->count; i++) {
        if (!saver->parts[i].told && page_of(&saver->parts[i])) {
            return false;
        }
    }
    return true;
}

/* Putting it together. */

static bool is_shown(const struct tb_cdp_saver *saver, const char *origin)
{
    for (size_t i = 0; i < saver->count; i++) {
        const char *kept = page_of(&saver->parts[i]) ? saver->parts[i].kept : NULL;
        if (kept && tb_json_string_eq(tb_cdp_pick(tb_str_of(kept), "origin"), tb_str_of(origin))) {
            return true;
        }
    }
    return false;
}

/* Gives which of them is the current one. */
static int64_t put_tabs(const struct tb_cdp_saver *saver, struct tb_json_writer *json)
{
    int64_t count = 0;
    int64_t current = 0;
    tb_json_array_open(json);
    for (size_t i = 0; i < saver->count; i++) {
        const struct part *part = &saver->parts[i];
        struct tb_cdp_page *page =
            tb_cdp_session_page_by_target(saver->session, tb_str_of(part->target_id));
        if (!page) {
            continue; /* closed meanwhile */
        }
        if (part->kept) {
            tb_json_put_raw(json, tb_str_of(part->kept));
        } else {
            tb_json_object_open(json);
            tb_json_member_str(json, "url", tb_cdp_page_url(page));
            if (tb_cdp_page_typed(page)) {
                tb_json_member_int(json, "typed", tb_cdp_page_typed(page));
            }
            tb_json_object_close(json);
        }
        current = page == tb_cdp_session_page(saver->session) ? count : current;
        count++;
    }
    tb_json_array_close(json);
    return current;
}

static void put_sites(const struct tb_cdp_saver *saver, struct tb_json_writer *json)
{
    tb_json_array_open(json);
    LIST_FOREACH(link, &saver->session->sites) {
        const struct tb_cdp_site *site = TB_CONTAINER(link, struct tb_cdp_site, link);
        if (!is_shown(saver, site->origin)) {
            tb_json_object_open(json);
            tb_json_member_cstr(json, "origin", site->origin);
            tb_json_member_raw(json, "local", tb_str_of(site->local));
            tb_json_object_close(json);
        }
    }
    tb_json_array_close(json);
}

static int put_all(struct tb_cdp_saver *saver, struct tb_buf *out)
{
    const struct cJSON *emulation = saver->session->emulation;
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_int(&json, "version", 1);
    tb_json_member_raw(&json, "cookies", tb_str_of(saver->cookies));
    tb_json_key(&json, "emulation");
    if (emulation) {
        tb_json_put_tree(&json, emulation);
    } else {
        tb_json_put_null(&json);
    }
    tb_json_key(&json, "tabs");
    int64_t current = put_tabs(saver, &json);
    tb_json_member_int(&json, "current", current);
    tb_json_key(&json, "origins");
    put_sites(saver, &json);
    tb_json_object_close(&json);
    return json.rc;
}

/* The end. */

static void saver_free(struct tb_cdp_saver *saver)
{
    struct tb_driver_session *session = saver->session;
    tb_cdp_session_forget(session, saver);
    for (size_t i = 0; i < saver->count; i++) {
        tb_cdp_session_forget(session, &saver->parts[i]);
        tb_free(saver->parts[i].kept);
    }
    tb_cdp_keep_of(session)->saver = NULL;
    tb_deferred_cancel(&saver->all_told);
    tb_timer_fini(&saver->busy);
    tb_free(saver->cookies);
    tb_free(saver);
}

void tb_cdp_saver_end(struct tb_cdp_saver *saver, const struct tb_err *err)
{
    if (!saver) {
        return;
    }
    tb_saved_fn *fn = saver->fn;
    void *owner = saver->owner;
    saver_free(saver);
    if (err) {
        fn((struct tb_str){NULL, 0}, false, err, owner);
    }
}

static void finish(struct tb_deferred *job)
{
    struct tb_cdp_saver *saver = TB_CONTAINER(job, struct tb_cdp_saver, all_told);
    struct tb_err err;
    if (saver->broken || !saver->cookies || !tb_cdp_session_page_count(saver->session) ||
        !tb_cdp_browser_whole(saver->session->browser)) {
        tb_fail(&err, TB_E_BROWSER_CRASHED, "the browser does not report its state");
        tb_cdp_saver_end(saver, &err);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_SAVED_MAX);
    if (put_all(saver, &out) < 0) {
        tb_fail(&err, TB_E_TOO_LARGE, "the state of the browser is larger than %d MB",
                TB_SAVED_MAX / (1024 * 1024));
        tb_cdp_saver_end(saver, &err);
        return;
    }
    tb_saved_fn *fn = saver->fn;
    void *owner = saver->owner;
    bool whole = is_whole(saver);
    saver_free(saver);
    fn(tb_buf_str(&out), whole, NULL, owner);
}

static void answered(struct tb_cdp_saver *saver)
{
    if (--saver->waiting == 0) {
        tb_loop_defer(tb_cdp_session_loop(saver->session), &saver->all_told);
    }
}

/* Asking. */

static void on_cookies(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_saver *saver = user;
    (void)err;
    struct tb_str cookies = code == 0 ? tb_cdp_pick(result, "cookies") : (struct tb_str){NULL, 0};
    saver->cookies = cookies.len ? tb_str_dup(cookies) : NULL;
    answered(saver);
}

static void on_kept(int code, struct tb_str value, const struct tb_err *err, void *user)
{
    struct part *part = user;
    struct tb_cdp_saver *saver = part->saver;
    struct tb_cdp_page *page = page_of(part);
    part->asked = false;
    part->told = code == 0;
    (void)err;
    saver->broken = saver->broken || code == TB_E_BROWSER_CRASHED;
    /* The browser's own error page has nothing of the site. */
    if (code == 0 && page && !page->main_frame->failed) {
        if (value.len <= TABS_MAX_BYTES / saver->count) {
            part->kept = tb_str_dup(value);
        }
        tb_cdp_sites_note(saver->session, value);
        note_typed(page, value);
    }
    answered(saver);
}

static void on_busy(struct tb_timer *timer, void *user)
{
    struct tb_cdp_saver *saver = user;
    (void)timer;
    for (size_t i = 0; i < saver->count; i++) {
        struct part *part = &saver->parts[i];
        if (part->asked) {
            part->asked = false;
            tb_cdp_session_forget(saver->session, part);
            answered(saver);
        }
    }
}

/* A call that passes its deadline has its page's script ended; nobody asked for that here, so the
 * deadline lies behind our own. */
static void ask_tab(struct tb_cdp_saver *saver, struct tb_cdp_page *page, int64_t deadline_ms)
{
    struct part *part = &saver->parts[saver->count++];
    struct tb_err err;
    part->saver = saver;
    tb_cdp_target_id_copy(part->target_id, tb_str_of(tb_cdp_page_target_id(page)));
    if (tb_cdp_page_crashed(page) || tb_cdp_page_in_dialog(page, &err)) {
        return;
    }
    part->asked = true;
    saver->waiting++;
    tb_cdp_page_call(tb_cdp_page_main_frame(page), "kept", (struct tb_str){NULL, 0},
                     deadline_ms + TAB_MS, on_kept, part);
}

void tb_cdp_keep_save(struct tb_driver_session *session, int64_t deadline_ms, tb_saved_fn *fn,
                      void *owner)
{
    struct tb_loop *loop = tb_cdp_session_loop(session);
    size_t count = tb_cdp_session_page_count(session);
    struct tb_cdp_saver *saver = tb_zalloc(sizeof(*saver) + count * sizeof(saver->parts[0]));
    int64_t left_ms = deadline_ms - tb_loop_now_ms(loop);
    saver->session = session;
    saver->fn = fn;
    saver->owner = owner;
    saver->waiting = 1;
    saver->all_told.run = finish;
    tb_list_init(&saver->all_told.link);
    tb_cdp_keep_of(session)->saver = saver;
    tb_timer_init(&saver->busy, loop, on_busy, saver);
    tb_timer_start(&saver->busy, left_ms < TAB_MS ? left_ms / 2 : TAB_MS);
    for (size_t i = 0; i < count; i++) {
        ask_tab(saver, tb_cdp_session_page_by_index(session, i), deadline_ms);
    }
    if (!session->context) {
        answered(saver); /* its browser is lost */
        return;
    }
    char params[TB_CONTEXT_PARAMS_SIZE];
    tb_cdp_session_send(session, NULL, "Storage.getCookies",
                        tb_cdp_context_params(session->context, params), deadline_ms, on_cookies,
                        saver);
}
