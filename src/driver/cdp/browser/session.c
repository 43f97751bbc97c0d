/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/session.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "core/args.h"
#include "core/config.h"
#include "core/core.h"
#include "driver/cdp/browser/engine.h"
#include "driver/cdp/browser/folder.h"
#include "driver/cdp/browser/ownership.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/browser/sites.h"
#include "driver/cdp/page/page_internal.h"

enum {
    CLOSE_MS = 3000,
    SIDE_MAX = 10000,
    RESTORE_MARGIN_MS = 500, /* a tab that does not load must not cost the whole session */
};

static void leave_browser(struct tb_driver_session *session)
{
    struct tb_cdp_browser *browser = session->browser;
    session->browser = NULL;
    tb_list_remove(&session->seat_link);
    if (!browser) {
        return;
    }
    tb_cdp_browser_leave(browser);
}

void tb_cdp_session_free(struct tb_driver_session *session)
{
    if (!session) {
        return;
    }
    if (session->use.running) {
        session->use.running->ops->end(session->use.running, NULL);
    }
    session->keeper->ops->free(session->keeper);
    tb_cdp_session_tab_waits_drop(session);
    tb_cdp_session_forget(session, session);
    while (tb_list_pop(&session->listeners)) {
        /* their owners may be there for longer */
    }
    if (session->context) {
        tb_cdp_context_part(session->context);
    }
    while (tb_list_pop(&session->use.asks)) {
        /* what is left, tabs ask for themselves */
    }
    tb_list_remove(&session->link);
    tb_list_remove(&session->seat_link);
    tb_timer_fini(&session->deadline);
    tb_deferred_cancel(&session->later);
    tb_cdp_journal_fini(&session->journal);
    tb_cdp_sites_fini(&session->sites);
    tb_json_free(session->emulation);
    tb_free(session->folder.path);
    tb_free(session->id);
    tb_free(session);
}

static void refuse(struct tb_driver_session *session, const struct tb_err *err)
{
    tb_open_fn *opened = session->opened;
    void *owner = session->owner;
    struct tb_err words = *err;
    leave_browser(session);
    tb_cdp_session_free(session);
    opened(NULL, &words, owner);
}

void tb_cdp_session_refused(struct tb_list *seat_link, const struct tb_err *err)
{
    refuse(TB_CONTAINER(seat_link, struct tb_driver_session, seat_link), err);
}

void tb_cdp_session_prepared(struct tb_driver_session *session)
{
    tb_open_fn *opened = session->opened;
    session->opened = NULL;
    tb_timer_stop(&session->deadline);
    opened(session, NULL, session->owner);
}

void tb_cdp_session_seated(struct tb_list *seat_link, struct tb_cdp_context *context)
{
    struct tb_driver_session *session =
        TB_CONTAINER(seat_link, struct tb_driver_session, seat_link);
    session->context = context;
    tb_cdp_context_take(context, session);
    LIST_FOREACH(link, &context->host.pages) {
        session->current = TB_CONTAINER(link, struct tb_cdp_page, link);
        if (session->use.width) {
            tb_cdp_page_set_viewport(session->current, session->use.width, session->use.height);
        }
    }
    if (session->files) {
        tb_cdp_folder_keep_downloads(session, NULL); /* if not, the first download tells */
    }
    session->preparing = session->keeper->ops->seated(session->keeper, session,
                                                      session->deadline.due_ms - RESTORE_MARGIN_MS);
    if (!session->preparing) {
        tb_cdp_session_prepared(session);
    }
}

/* {"width":w,"height":h} or "WxH". */
static int read_viewport(struct tb_driver_session *session, const struct cJSON *args,
                         struct tb_err *err)
{
    const struct cJSON *viewport = tb_json_get(args, "viewport");
    struct tb_str text;
    int64_t width = 0;
    int64_t height = 0;
    if (!viewport) {
        return 0;
    }
    if (tb_json_str(viewport, &text)) {
        uint64_t sides[2] = {0, 0};
        struct tb_str first = tb_str_cut(&text, 'x');
        if (tb_str_to_u64(first, &sides[0]) && tb_str_to_u64(text, &sides[1]) &&
            sides[0] <= SIDE_MAX && sides[1] <= SIDE_MAX) {
            width = (int64_t)sides[0];
            height = (int64_t)sides[1];
        }
    } else {
        tb_json_int(tb_json_get(viewport, "width"), &width);
        tb_json_int(tb_json_get(viewport, "height"), &height);
    }
    if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
        return tb_fail(err, TB_E_PARAMS,
                       "viewport must be {width, height} or \"WxH\", each from 1 to %d", SIDE_MAX);
    }
    bool usual = width == TB_WINDOW_WIDTH && height == TB_WINDOW_HEIGHT;
    session->own_width = usual ? 0 : (int)width;
    session->own_height = usual ? 0 : (int)height;
    session->use.width = session->own_width;
    session->use.height = session->own_height;
    return 0;
}

static int choose_browser(struct tb_driver_session *session, const struct tb_open_opts *opts,
                          struct tb_cdp_browser_spec *spec, struct tb_err *err)
{
    const struct tb_config *config = session->fleet->core->config;
    *spec = (struct tb_cdp_browser_spec){.tenant = opts->tenant, .path = "", .endpoint = ""};
    spec->headless = config->browser_headless;
    tb_json_bool(tb_json_get(opts->args, "headless"), &spec->headless);
    spec->proxied = opts->egress != NULL;
    struct tb_str endpoint;
    if (tb_json_str(tb_json_get(opts->args, "endpoint"), &endpoint)) {
        if (spec->proxied) {
            return tb_fail(
                err, TB_E_NOT_POSSIBLE,
                "a browser at an endpoint reaches the network by itself, so this session's "
                "policy or proxy cannot be enforced there");
        }
        spec->endpoint = endpoint.ptr; /* a string of a tree ends in NUL */
        return 0;
    }
    struct tb_str engine = tb_str_of(config->browser_engine);
    tb_json_str(tb_json_get(opts->args, "engine"), &engine);
    return tb_cdp_engine_choose(config, engine, spec, err);
}

static void on_deadline(struct tb_timer *timer, void *user)
{
    struct tb_driver_session *session = user;
    (void)timer;
    if (session->preparing) {
        session->keeper->ops->cut(session->keeper);
        tb_cdp_session_prepared(session);
        return;
    }
    struct tb_err err;
    tb_fail(&err, TB_E_TIMEOUT, "the browser was not ready in time");
    refuse(session, &err);
}

static void run_later(struct tb_deferred *job)
{
    struct tb_driver_session *session = TB_CONTAINER(job, struct tb_driver_session, later);
    tb_closed_fn *closed = session->closed;
    void *owner = session->closed_owner;
    leave_browser(session);
    tb_cdp_session_free(session);
    closed(owner);
}

void tb_cdp_session_open_take(struct tb_cdp_fleet *fleet, const struct tb_open_opts *opts,
                              struct tb_cdp_keeper *keeper, tb_open_fn *fn)
{
    struct tb_driver_session *session = TB_NEW(struct tb_driver_session);
    session->fleet = fleet;
    session->id = tb_strdup(opts->session_id);
    session->events = opts->events;
    session->owner = opts->owner;
    session->opened = fn;
    session->files = opts->files;
    session->egress = opts->egress;
    session->keeper = keeper;
    session->use.last_ref = opts->last_ref;
    tb_cdp_journal_init(session);
    tb_list_init(&session->sites);
    session->later.run = run_later;
    tb_list_init(&session->later.link);
    tb_list_init(&session->seat_link);
    tb_list_init(&session->listeners);
    tb_list_init(&session->tabs.waits);
    tb_list_init(&session->use.asks);
    tb_timer_init(&session->deadline, fleet->loop, on_deadline, session);
    tb_list_append(&fleet->sessions, &session->link);

    struct tb_err err;
    struct tb_cdp_browser_spec spec;
    if (read_viewport(session, opts->args, &err) < 0 ||
        choose_browser(session, opts, &spec, &err) < 0) {
        refuse(session, &err);
        return;
    }
    int64_t left_ms = opts->deadline_ms - tb_loop_now_ms(fleet->loop);
    tb_timer_start(&session->deadline, left_ms > 0 ? left_ms : 0);
    session->browser = tb_cdp_browser_get(fleet, &spec);
    tb_cdp_browser_seat(session->browser, &session->seat_link);
}

/* Whoever waits for something of the session is told first; then nothing holds its parts. */
static void end_all(struct tb_driver_session *session, const struct tb_err *err)
{
    if (session->use.running) {
        session->use.running->ops->end(session->use.running, err);
    }
    session->keeper->ops->end(session->keeper, err);
    tb_cdp_session_tab_waits_end(session, err);
    tb_cdp_session_forget(session, session);
}

void tb_cdp_session_lost(struct tb_driver_session *session, const struct tb_err *err)
{
    session->context = NULL;
    session->current = NULL;
    end_all(session, err);
    if (session->opened) {
        refuse(session, err);
        return;
    }
    leave_browser(session);
    if (session->closed) {
        tb_loop_defer(session->fleet->loop, &session->later);
    } else {
        session->events->on_lost(session->owner, TB_END_BROWSER_CRASHED, TB_LOSS_RESTORABLE,
                                 err->text);
    }
}

static void on_disposed(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_driver_session *session = user;
    (void)code;
    (void)result;
    (void)err;
    tb_loop_defer(session->fleet->loop, &session->later);
}

bool tb_cdp_session_detach(struct tb_driver_session *session)
{
    session->detached = session->context && !session->browser->ownership->ours;
    return session->detached;
}

void tb_cdp_session_close(struct tb_driver_session *session, tb_closed_fn *fn, void *owner)
{
    session->closed = fn;
    session->closed_owner = owner;
    struct tb_err err;
    tb_fail(&err, TB_E_CLOSED, "the session was closed");
    end_all(session, &err);
    struct tb_cdp_context *context = session->context;
    if (!context) {
        tb_loop_defer(session->fleet->loop, &session->later);
        return;
    }
    session->context = NULL;
    session->current = NULL;
    tb_cdp_context_part(context);
    if (session->detached) {
        tb_cdp_context_leave(context, &err);
        tb_loop_defer(session->fleet->loop, &session->later);
        return;
    }
    char params[TB_CONTEXT_PARAMS_SIZE];
    tb_cdp_session_send(session, NULL, "Target.disposeBrowserContext",
                        tb_cdp_context_params(context, params),
                        tb_loop_now_ms(session->fleet->loop) + CLOSE_MS, on_disposed, session);
    tb_cdp_context_free(context, &err);
}

void tb_cdp_session_describe(struct tb_driver_session *session, struct tb_json_writer *json)
{
    const struct tb_cdp_browser *browser = session->browser;
    const char *product = browser ? browser->product : "";
    const char *slash = strchr(product, '/');
    char version[64];
    snprintf(version, sizeof(version), "%s", slash ? slash + 1 : "");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "browserName", "chrome");
    tb_json_member_cstr(json, "browserVersion", version);
    tb_json_member_cstr(json, "engine",
                        !browser                    ? NULL
                        : !browser->ownership->ours ? "remote"
                        : browser->spec.shell       ? tb_engine_name(TB_ENGINE_SHELL)
                                                    : tb_engine_name(TB_ENGINE_CHROMIUM));
    tb_json_member_bool(json, "headless", !browser || browser->spec.headless);
    tb_json_key(json, "viewport");
    tb_json_object_open(json);
    tb_json_member_int(json, "width", session->use.width ? session->use.width : TB_WINDOW_WIDTH);
    tb_json_member_int(json, "height",
                       session->use.height ? session->use.height : TB_WINDOW_HEIGHT);
    tb_json_object_close(json);
    tb_json_member_int(json, "tabs", (int64_t)tb_cdp_session_page_count(session));
    tb_json_object_close(json);
}
