/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions of the last run of the daemon. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/core.h"
#include "core/ends.h"
#include "core/records.h"
#include "core/session_hibernate.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"

enum {
    ENDS_A_MS = 50, /* so that a hundred thousand that are overdue do not hold up everything */
    RETRY_MS = 1000,
    DAY_MS = 24 * 60 * 60 * 1000,
};

struct tb_load {
    struct tb_store_read *read;
    struct tb_deferred job; /* without a store there is nothing to wait for */
    struct tb_timer timer;  /* the next attempt */
    struct tb_sessions *sessions;
    void (*fn)(void *user);
    void *user;
    size_t aside;
    size_t overdue;
    int64_t newest_ms;  /* on the wall, the last activity of any of them */
    int64_t younger_ms; /* than the wall clock says: ahead_ms */
    bool unsorted;
};

/* Its clocks go on from where they were. */
static void resume(struct tb_load *load, struct tb_session *session)
{
    const struct tb_config *config = session->core->config;
    int64_t now_ms = tb_loop_now_ms(session->core->loop);
    tb_session_rearm(session);
    if (tb_session_expires_ms(session) <= now_ms) {
        tb_timer_start(&session->times.timer, (int64_t)(load->overdue++ / ENDS_A_MS));
    } else if (!tb_session_survives(session)) {
        tb_session_end(session, TB_END_SHUTDOWN);
    } else if (session->traits.passing && strcmp(config->mcp_on_disconnect, "keep") != 0) {
        tb_session_end(session, TB_END_CONVERSATION_ENDED); /* nobody reaches it any more */
    }
}

/* How far the wall clock is ahead of what is believed: one that is wrong at the start would end
 * every session, before somebody can set it right. So it is later than the last activity by a day
 * at the most; after a longer rest they live that much longer. */
static int64_t ahead_ms(const struct tb_load *load)
{
    int64_t wall_ms = tb_clock_wall_ms(load->sessions->core->clock);
    int64_t ahead = wall_ms - (load->newest_ms + DAY_MS);
    return load->newest_ms && ahead > 0 ? ahead : 0;
}

static void make_younger(struct tb_session *session, int64_t by_ms)
{
    int64_t now_ms = tb_loop_now_ms(session->core->loop);
    session->times.created_ms += by_ms;
    session->times.created_ms =
        session->times.created_ms < now_ms ? session->times.created_ms : now_ms;
    session->times.last_active_ms += by_ms;
    if (session->times.ttl_at_ms) {
        session->times.ttl_at_ms += by_ms;
        session->times.ttl_at_ms -= session->times.ttl_at_ms == 0; /* which would be none */
    }
}

static void resume_stored(struct tb_session *session, void *user)
{
    struct tb_load *load = user;
    if (tb_session_is_dormant(session)) {
        make_younger(session, load->younger_ms);
        resume(load, session);
    }
}

static bool follows_younger(struct tb_session *session)
{
    struct tb_list *before = session->places.link.prev;
    return before != &session->places.home->sessions &&
           tb_session_of(before)->times.created_wall_ms > session->times.created_wall_ms;
}

static void on_record(struct tb_str key, struct tb_str value, void *user)
{
    struct tb_load *load = user;
    struct tb_session *session;
    struct tb_err err;
    if (tb_map_get(&load->sessions->by_id, key)) {
        return; /* from an attempt that failed half-way */
    }
    if (tb_record_load(load->sessions, value, &session, &err) < 0) {
        load->aside++;
        tb_log_at(load->sessions->core->log, ERROR, "session", "skipped a stored session",
                  tb_kv("id", tb_str_sub(key, 0, TB_ID_SHOWN)), tb_kv_cstr("reason", err.text));
        return;
    }
    load->unsorted = load->unsorted || follows_younger(session);
    if (load->newest_ms < session->times.last_active_wall_ms) {
        load->newest_ms = session->times.last_active_wall_ms;
    }
}

static int by_age(const void *a, const void *b)
{
    const struct tb_session *one = *(struct tb_session *const *)a;
    const struct tb_session *other = *(struct tb_session *const *)b;
    return (one->times.created_wall_ms > other->times.created_wall_ms) -
           (one->times.created_wall_ms < other->times.created_wall_ms);
}

/* The store's order is nearly always the right one: a tenant's list begins with the oldest. */
static void sort(struct tb_tenant *tenant)
{
    size_t count = 0;
    TB_AUTO(tb_free)
    struct tb_session **all = TB_NEW_ARRAY(struct tb_session *, tenant->count + 1);
    struct tb_list *link;
    while ((link = tb_list_pop(&tenant->sessions))) {
        all[count++] = tb_session_of(link);
    }
    qsort(all, count, sizeof(struct tb_session *), by_age);
    for (size_t i = 0; i < count; i++) {
        tb_list_append(&tenant->sessions, &all[i]->places.link);
        tb_list_remove(&all[i]->places.owned);
        tb_list_append(&all[i]->places.owner->sessions, &all[i]->places.owned);
    }
}

static void loaded(struct tb_load *load)
{
    struct tb_sessions *sessions = load->sessions;
    load->younger_ms = ahead_ms(load);
    tb_sessions_each(sessions, resume_stored, load);
    sessions->load = NULL;
    if (load->unsorted) {
        MAP_FOREACH(slot, &sessions->tenants) {
            sort(slot->value);
        }
    }
    tb_log_at(sessions->core->log, INFO, "session", "stored sessions loaded",
              tb_kv_int("count", (int64_t)tb_sessions_count(sessions)),
              tb_kv_int("aside", (int64_t)load->aside));
    tb_resolve_answer_all(sessions, NULL);
    if (load->fn) {
        load->fn(load->user);
    }
    tb_timer_fini(&load->timer);
    tb_free(load);
}

/* Without them the daemon would make others of the same names. */
static void failed(struct tb_load *load, const struct tb_err *err)
{
    struct tb_err told;
    tb_log_at(load->sessions->core->log, ERROR, "session", "cannot read the stored sessions yet",
              tb_kv_cstr("reason", err->text));
    tb_fail(&told, TB_E_STORE, "the stored sessions cannot be read: %s", err->text);
    tb_timer_start(&load->timer, RETRY_MS);
    tb_resolve_answer_all(load->sessions, &told);
}

static void on_end_record(struct tb_str key, struct tb_str value, void *user)
{
    tb_end_load(((struct tb_load *)user)->sessions, key, value);
}

static void on_ends_read(const struct tb_err *err, void *user)
{
    struct tb_load *load = user;
    load->read = NULL;
    if (err) {
        failed(load, err);
    } else {
        loaded(load);
    }
}

static void on_sessions_read(const struct tb_err *err, void *user)
{
    struct tb_load *load = user;
    const struct tb_store *store = &load->sessions->core->store;
    load->read = NULL;
    if (err) {
        failed(load, err);
    } else {
        load->read =
            store->kind->each(store->state, TB_SPACE_END, NULL, on_end_record, on_ends_read, load);
    }
}

static void on_job(struct tb_deferred *job)
{
    loaded(TB_CONTAINER(job, struct tb_load, job));
}

static void begin(struct tb_timer *timer, void *user)
{
    struct tb_load *load = user;
    const struct tb_store *store = &load->sessions->core->store;
    (void)timer;
    load->aside = 0;
    load->read =
        store->kind->each(store->state, TB_SPACE_SESSION, NULL, on_record, on_sessions_read, load);
}

void tb_sessions_load(struct tb_sessions *sessions, void (*fn)(void *user), void *user)
{
    struct tb_load *load = TB_NEW(struct tb_load);
    *load = (struct tb_load){.sessions = sessions, .fn = fn, .user = user, .job.run = on_job};
    tb_timer_init(&load->timer, sessions->core->loop, begin, load);
    sessions->load = load;
    if (sessions->core->store.kind) {
        begin(&load->timer, load);
    } else {
        tb_loop_defer(sessions->core->loop, &load->job);
    }
}

void tb_sessions_cut_load(struct tb_sessions *sessions)
{
    struct tb_load *load = sessions->load;
    struct tb_err err;
    if (!load) {
        return;
    }
    sessions->load = NULL;
    if (load->read) {
        sessions->core->store.kind->cancel(load->read);
    }
    tb_deferred_cancel(&load->job);
    tb_timer_fini(&load->timer);
    tb_free(load);
    tb_fail(&err, TB_E_SHUTDOWN, "the daemon is stopping");
    tb_resolve_answer_all(sessions, &err);
}
