/* SPDX-License-Identifier: Apache-2.0 */
/* save: COOKIES --> TABS, one after the other --> WRITING --> done.
 * load: SETTING cookies --> for each origin: OPENED (a tab of its own, whose requests we answer
 *       ourselves, so that the site is not visited) --> ORIGIN --> ITEMS --> ... --> CLOSING -->
 * done. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "core/args.h"
#include "core/core.h"
#include "driver/cdp/browser/cookies.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/browser/sites.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/expression.h"
#include "driver/cdp/page/stand_in.h"
#include "driver/login_state.h"
#include "io/work.h"
#include "proto/json_string.h"

enum state_step {
    COOKIES,
    TABS,
    WRITING,
    SETTING,
    OPENED,
    ORIGIN,
    COMMITTED,
    ITEMS,
};

enum {
    PARAMS_MAX = 2 * TB_LOGIN_STATE_MAX,
};

/* On its way to the disk; outlives an operation that is cancelled. */
struct job {
    struct state *state; /* NULL: it has ended */
    char *path;
    struct tb_buf content;
};

struct state {
    struct tb_cdp_work work;
    char *path;
    struct cJSON *json;
    struct cJSON *origins;  /* part of it */
    size_t tab;             /* saving: which one */
    const struct cJSON *at; /* loading: the origin */
    size_t origins_done;    /* saved, or loaded */
    char home[TB_TARGET_ID_SIZE];
    char own[TB_TARGET_ID_SIZE]; /* the tab that it has opened; empty: none */
    struct job *job;
};

static struct state *state_of(struct tb_cdp_work *work)
{
    return TB_CONTAINER(work, struct state, work);
}

static const struct tb_core *core_of(const struct tb_cdp_work *work)
{
    return work->session->fleet->core;
}

static const char *tenant_of(const struct tb_cdp_work *work)
{
    return work->session->browser ? work->session->browser->spec.tenant : "";
}

static size_t length(const struct cJSON *array)
{
    size_t count = 0;
    JSON_ARRAY_FOREACH(item, array) {
        (void)item;
        count++;
    }
    return count;
}

static void finish(struct state *state)
{
    struct cJSON *data = state->work.op->result->data;
    tb_json_set_str(data, "action", tb_args_text(state->work.op->args, "action", "save"));
    tb_json_set_str(data, "name", tb_args_text(state->work.op->args, "name", "default"));
    tb_json_set_int(data, "cookies", (int64_t)length(tb_json_get(state->json, "cookies")));
    tb_json_set_int(data, "origins", (int64_t)state->origins_done);
    tb_cdp_work_done(&state->work);
}

static int write_file(void *user)
{
    struct job *job = user;
    return tb_file_write(job->path, tb_buf_str(&job->content), 0600);
}

static void on_written(int status, void *user)
{
    struct job *job = user;
    struct state *state = job->state;
    tb_buf_fini(&job->content);
    tb_free(job->path);
    tb_free(job);
    if (!state) {
        return;
    }
    state->job = NULL;
    if (status < 0) {
        tb_cdp_work_fail(&state->work, TB_E_STORE, "cannot write the state to disk: %s",
                         strerror(-status));
        return;
    }
    state->origins_done = length(state->origins);
    finish(state);
}

static void save(struct state *state)
{
    struct tb_cdp_work *work = &state->work;
    struct job *job = TB_NEW(struct job);
    tb_buf_init(&job->content, PARAMS_MAX);
    work->state = WRITING;
    if (tb_login_state_seal(core_of(work), tenant_of(work), state->json, &job->content) < 0) {
        tb_buf_fini(&job->content);
        tb_free(job);
        tb_cdp_work_fail(work, TB_E_TOO_LARGE, "the state is larger than %d MB",
                         TB_LOGIN_STATE_MAX / (1024 * 1024));
        return;
    }
    job->state = state;
    job->path = tb_strdup(state->path);
    state->job = job;
    tb_work_submit(tb_cdp_session_loop(work->session), write_file, on_written, job);
}

static void evaluate(struct tb_cdp_work *work, struct tb_str expression)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    const char *world = page ? tb_cdp_frame_world(tb_cdp_page_main_frame(page)) : "";
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    tb_cdp_expression_put(
        &(struct tb_cdp_expression){expression, world[0] ? world : NULL, .value = true}, &params);
    tb_cdp_work_send(work, "Runtime.evaluate", tb_buf_str(&params));
}

static bool has_origin(const struct state *state, struct tb_str origin)
{
    JSON_ARRAY_FOREACH(item, state->origins) {
        struct tb_str have;
        if (tb_json_str(tb_json_get(item, "origin"), &have) && tb_str_eq(have, origin)) {
            return true;
        }
    }
    return false;
}

/* Sites that no tab shows now, as they were seen last. */
static void add_sites(struct state *state)
{
    LIST_FOREACH(link, &state->work.session->sites) {
        const struct tb_cdp_site *site = TB_CONTAINER(link, struct tb_cdp_site, link);
        TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(PARAMS_MAX);
        tb_json_string_decode(tb_str_of(site->local), &text);
        TB_AUTO(tb_json_free) struct cJSON *items = tb_json_parse(tb_buf_str(&text));
        if (tb_json_first(items) && !has_origin(state, tb_str_of(site->origin))) {
            struct cJSON *json = tb_json_new_object();
            tb_json_set_cstr(json, "origin", site->origin);
            tb_json_set_take(json, "items", tb_json_dup(items));
            tb_json_append_take(state->origins, json);
        }
    }
}

static void read_next_tab(struct state *state)
{
    struct tb_cdp_work *work = &state->work;
    struct tb_cdp_page *page = tb_cdp_session_page_by_index(work->session, state->tab++);
    while (page && tb_cdp_page_dialog(page)->open) {
        page = tb_cdp_session_page_by_index(work->session, state->tab++);
    }
    if (!page) {
        add_sites(state);
        save(state);
        return;
    }
    tb_cdp_target_id_copy(work->page_id, tb_str_of(tb_cdp_page_target_id(page)));
    work->state = TABS;
    /* In our own world: in the page's it would name any origin that it likes. */
    tb_cdp_work_call(work, "stored", TB_STR("{}"));
}

/* {"k":"v"} as [["k","v"]]. */
static struct cJSON *pairs_of(const struct cJSON *items)
{
    struct cJSON *pairs = tb_json_new_array();
    JSON_ARRAY_FOREACH(item, items) {
        struct tb_str value;
        if (tb_json_name(item) && tb_json_str(item, &value)) {
            struct cJSON *pair = tb_json_new_array();
            tb_json_append_take(pair, tb_json_new_str(tb_str_of(tb_json_name(item))));
            tb_json_append_take(pair, tb_json_new_str(value));
            tb_json_append_take(pairs, pair);
        }
    }
    return pairs;
}

static void on_tab_read(struct state *state, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    const struct cJSON *items = tb_json_get(json, "items");
    struct tb_str origin = tb_json_text(json, "origin");
    if (!has_origin(state, origin) && tb_json_first(items)) {
        struct cJSON *site = tb_json_new_object();
        tb_json_set_str(site, "origin", origin);
        tb_json_set_take(site, "items", pairs_of(items));
        tb_json_append_take(state->origins, site);
    } else if (!has_origin(state, origin)) {
        tb_cdp_sites_put(&state->work.session->sites, origin, TB_STR("\"[]\"")); /* emptied */
    }
    read_next_tab(state);
}

static void on_cookies(struct state *state, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    if (!tb_json_is_array(tb_json_get(json, "cookies"))) {
        tb_cdp_work_fail(&state->work, TB_E_INTERNAL,
                         "the browser did not say which cookies it has; nothing was saved");
        return;
    }
    state->json = tb_json_new_object();
    state->origins = tb_json_new_array();
    tb_json_set_int(state->json, "version", 1);
    tb_json_set_take(state->json, "cookies", tb_json_dup(tb_json_get(json, "cookies")));
    tb_json_set_take(state->json, "origins", state->origins);
    read_next_tab(state);
}

static void on_closed(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user)
{
    struct state *state = user;
    struct tb_driver_session *session = state->work.session;
    struct tb_cdp_page *home = tb_cdp_session_page_by_target(session, tb_str_of(state->home));
    (void)code;
    (void)page;
    (void)err;
    if (home) {
        tb_cdp_session_page_select(session, home);
    }
    finish(state);
}

static void next_origin(struct state *state)
{
    struct tb_cdp_work *work = &state->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_str origin = {NULL, 0};
    if (!state->at || !page) {
        if (page) {
            tb_cdp_session_tab_close(work->session, page, work->deadline_ms, on_closed, state);
        } else {
            finish(state);
        }
        return;
    }
    tb_json_str(tb_json_get(state->at, "origin"), &origin);
    work->state = ORIGIN;
    work->mark = tb_cdp_page_navigation_mark(page);
    tb_cdp_work_open(work, origin);
}

static void set_items(struct state *state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(PARAMS_MAX);
    tb_buf_append_cstr(&text, "for(const[k,v]of ");
    tb_json_print(tb_json_get(state->at, "items"), &text);
    tb_buf_append_cstr(&text, ")localStorage.setItem(k,v)");
    state->work.state = ITEMS;
    evaluate(&state->work, tb_buf_str(&text));
}

static void on_event(struct tb_cdp_work *work, struct tb_cdp_page *page, struct tb_str method,
                     struct tb_str params)
{
    if (page == tb_cdp_work_page(work)) {
        tb_cdp_stand_in_on_event(page, method, params);
    }
}

static void on_opened(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user)
{
    struct state *state = user;
    struct tb_cdp_work *work = &state->work;
    if (code < 0) {
        tb_cdp_work_fail_err(work, err);
        return;
    }
    tb_cdp_target_id_copy(work->page_id, tb_str_of(tb_cdp_page_target_id(page)));
    tb_cdp_target_id_copy(state->own, tb_str_of(work->page_id));
    work->until = "commit";
    work->state = OPENED;
    tb_cdp_work_send(work, "Fetch.enable", (struct tb_str){NULL, 0});
}

static void on_cookies_set(struct state *state)
{
    struct tb_cdp_work *work = &state->work;
    state->at = tb_json_first(tb_json_get(state->json, "origins"));
    if (!state->at) {
        finish(state);
        return;
    }
    tb_cdp_target_id_copy(state->home, tb_str_of(work->page_id));
    tb_cdp_session_tab_open(work->session, work->deadline_ms, on_opened, state);
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct state *state = state_of(work);
    switch (work->state) {
    case COOKIES:
        on_cookies(state, value);
        break;
    case TABS:
        on_tab_read(state, value);
        break;
    case SETTING:
        on_cookies_set(state);
        break;
    case OPENED:
        next_origin(state);
        break;
    case ORIGIN:
        work->state = COMMITTED;
        tb_cdp_work_settle(work);
        break;
    case COMMITTED:
        set_items(state);
        break;
    default:
        /* The site may refuse: it has less room than before, or wants no storage. */
        state->origins_done += tb_cdp_pick(value, "exceptionDetails").len ? 0 : 1;
        state->at = tb_json_next(state->at);
        next_origin(state);
        break;
    }
}

/* A tab or an origin that cannot be used costs no more than itself. */
static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    struct state *state = state_of(work);
    if (err->code == TB_E_TIMEOUT || err->code == TB_E_BROWSER_CRASHED ||
        err->code == TB_E_CLOSED) {
        return false;
    }
    if (work->state == TABS) {
        read_next_tab(state);
        return true;
    }
    if (work->state >= ORIGIN && state->at) {
        state->at = tb_json_next(state->at);
        next_origin(state);
        return true;
    }
    return false;
}

/* However it ends: nobody answers the requests of its own tab from now on. */
static void leave_own_tab(struct state *state)
{
    struct tb_driver_session *session = state->work.session;
    struct tb_cdp_page *own = tb_cdp_session_page_by_target(session, tb_str_of(state->own));
    struct tb_cdp_page *home = tb_cdp_session_page_by_target(session, tb_str_of(state->home));
    char params[128];
    if (!own || !tb_cdp_page_conn(own)) {
        return;
    }
    if (home && tb_cdp_session_page(session) == own) {
        tb_cdp_session_page_select(session, home);
    }
    int len = snprintf(params, sizeof(params), "{\"targetId\":\"%s\"}", state->own);
    tb_cdp_post(tb_cdp_page_conn(own), NULL, "Target.closeTarget",
                (struct tb_str){params, (size_t)len});
}

static void fini(struct tb_cdp_work *work)
{
    struct state *state = state_of(work);
    if (state->job) {
        state->job->state = NULL;
    }
    leave_own_tab(state);
    tb_free(state->path);
    tb_json_free(state->json);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct state),
                                             .step = step,
                                             .failed = failed,
                                             .on_event = on_event,
                                             .fini = fini};

static void begin_save(struct state *state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(256);
    tb_buf_printf(&params, "{\"browserContextId\":\"%s\"}",
                  tb_cdp_session_context_id(state->work.session));
    state->work.state = COOKIES;
    tb_cdp_work_send_to(&state->work, "", "Storage.getCookies", tb_buf_str(&params));
}

static void begin_load(struct state *state)
{
    struct tb_cdp_work *work = &state->work;
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_err err;
    state->json = tb_login_state_read(core_of(work), tenant_of(work), state->path, &err);
    if (!state->json) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    tb_cdp_cookies_put_set(state->json, tb_cdp_session_context_id(work->session), &params);
    work->state = SETTING;
    tb_cdp_work_send_to(work, "", "Storage.setCookies", tb_buf_str(&params));
}

void tb_cdp_op_state(struct tb_driver_session *session, struct tb_op *op)
{
    struct state *state = tb_cdp_work_new(&kind, session, op);
    if (!state) {
        return;
    }
    struct tb_err err;
    state->path = tb_login_state_path(core_of(&state->work), tenant_of(&state->work),
                                      tb_args_text(op->args, "name", "default"), &err);
    if (!state->path) {
        tb_cdp_work_fail_err(&state->work, &err);
    } else if (tb_str_eq_cstr(tb_args_text(op->args, "action", "save"), "load")) {
        begin_load(state);
    } else {
        begin_save(state);
    }
}
