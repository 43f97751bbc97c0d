/* SPDX-License-Identifier: Apache-2.0 */
/* Room for sessions that are awake: the limits on their number, and who gives way to a newcomer. */
#include <string.h>

#include "core/core.h"
#include "core/lifetime.h"
#include "core/session_hibernate.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"

/* A row for each kind. All limits here are on what takes a browser. */
static const enum tb_takes takes[TB_KIND_COUNT] = {
    [TB_KIND_BROWSER] = TB_TAKES_BROWSER, [TB_KIND_IOS] = TB_TAKES_BROWSER,
    [TB_KIND_ANDROID] = TB_TAKES_BROWSER, [TB_KIND_TAB] = TB_TAKES_NOTHING,
    [TB_KIND_CLIENT] = TB_TAKES_NOTHING, /* its front allows so many per connection */
};

enum tb_takes tb_session_takes(const struct tb_session *session)
{
    return takes[session->kind];
}

/* It is on its way to sleep or to its end, and gives up its place without being asked to. */
static bool is_leaving(const struct tb_session *session)
{
    switch (session->state) {
    case TB_STATE_OPENING:
    case TB_STATE_WAKING:
        return session->trouble != NULL;
    case TB_STATE_RETIRING:
        return !session->queue.running_count;
    case TB_STATE_SAVING:
    case TB_STATE_CLOSING:
    case TB_STATE_ENDED:
        return true;
    default:
        return false;
    }
}

/* A limit on the sessions of a tenant that are awake. */
struct room {
    const struct tb_list *awake;
    const char *key; /* only those that this credential started; NULL: all */
    bool named;      /* those from start_session count, too */
    int64_t max;     /* 0: none */
    const char *words;
};

static bool counts(const struct room *room, const struct tb_session *session)
{
    return (room->named || session->traits.of_conversation) && !is_leaving(session) &&
           (!room->key || strcmp(room->key, session->key) == 0);
}

/* The conversation session that was idle longest, NULL when all are busy; and how many there are
 * besides those that are leaving. */
static struct tb_session *oldest_idle(const struct room *room, size_t *ret_count)
{
    struct tb_session *oldest = NULL;
    *ret_count = 0;
    LIST_FOREACH(link, room->awake) {
        struct tb_session *session = TB_CONTAINER(link, struct tb_session, places.awake);
        if (!counts(room, session)) {
            continue;
        }
        *ret_count += 1;
        if (session->traits.of_conversation && tb_session_at_rest(session) &&
            !tb_session_is_opening(session) && !session->queue.holder &&
            (!oldest || session->times.last_active_ms < oldest->times.last_active_ms)) {
            oldest = session;
        }
    }
    return oldest;
}

/* Puts those who are to give way into a list, until there is room. */
static int choose(const struct room *room, struct tb_list *giving, size_t *giving_count,
                  struct tb_err *err)
{
    while (room->max) {
        size_t count;
        struct tb_session *oldest = oldest_idle(room, &count);
        if (count < (size_t)room->max) {
            return 0;
        }
        if (!oldest) {
            return tb_fail(err, TB_E_LIMIT,
                           "all %zu %s are busy; try again when one of their calls has finished, "
                           "or close one",
                           count, room->words);
        }
        tb_list_remove(&oldest->places.awake);
        tb_list_append(giving, &oldest->places.awake);
        *giving_count += 1;
    }
    return 0;
}

/* Nobody loses a login to a newcomer if it can be kept. */
static void give_way(struct tb_session *session)
{
    if (tb_lifetime_of(session).at_idle == TB_IDLE_HIBERNATE && session->state != TB_STATE_AWAY) {
        tb_session_hibernate(session);
        session->end.gives_way = true;
    } else {
        tb_session_end(session, TB_END_EVICTED);
    }
}

/* Of awake sessions that a credential may have started; 0: any number. */
static int64_t key_max(const struct tb_core *core, const char *key)
{
    const struct tb_principal *who = core->auth ? tb_auth_of_key(core->auth, key) : NULL;
    return who && who->quota.sessions_max ? who->quota.sessions_max
                                          : core->config->limits_sessions_per_key;
}

/* When others make room is not told: it is what they do. */
static int say_full(const struct tb_sessions *sessions, const struct tb_tenant *tenant,
                    struct tb_err *err)
{
    int64_t now_ms = tb_loop_now_ms(sessions->core->loop);
    int64_t next_ms = INT64_MAX;
    size_t count = sessions->awake_counts[TB_TAKES_BROWSER];
    LIST_FOREACH(link, &tenant->awake[TB_TAKES_BROWSER]) {
        int64_t at_ms = tb_session_frees_ms(TB_CONTAINER(link, struct tb_session, places.awake));
        next_ms = at_ms < next_ms ? at_ms : next_ms;
    }
    if (next_ms == INT64_MAX) {
        return tb_fail(err, TB_E_LIMIT,
                       "all %zu sessions are in use, and none of yours will end by itself soon; "
                       "%stry again later",
                       count,
                       tb_list_empty(&tenant->awake[TB_TAKES_BROWSER]) ? "" : "close one, or ");
    }
    int64_t wait_s = next_ms > now_ms ? (next_ms - now_ms + 999) / 1000 : 1;
    return tb_fail(
        err, TB_E_LIMIT,
        "all %zu sessions are in use; try again in %lld s, when the next idle one makes room, "
        "or close one",
        count, (long long)wait_s);
}

/* All limits are judged before anybody gives way: nobody loses a browser to one who is refused. */
int tb_sessions_admit(struct tb_tenant *tenant, const struct tb_newcomer *newcomer,
                      struct tb_err *err)
{
    const struct tb_sessions *sessions = tenant->core->sessions;
    const struct tb_config *config = sessions->core->config;
    struct tb_list *awake = &tenant->awake[TB_TAKES_BROWSER];
    const struct room rooms[] = {
        {awake, newcomer->key, true, key_max(sessions->core, newcomer->key),
         "sessions that this key may have"},
        {awake, NULL, true, config->limits_sessions_per_tenant,
         "sessions that this tenant may have"},
        {awake, NULL, false, newcomer->of_conversation ? config->sessions_per_tenant : 0,
         "conversation sessions of this tenant"},
    };
    struct tb_list giving;
    struct tb_list *link;
    size_t giving_count = 0;
    int rc = 0;
    if (takes[newcomer->kind] != TB_TAKES_BROWSER) {
        return 0;
    }
    tb_list_init(&giving);
    for (size_t i = 0; rc == 0 && i < TB_COUNT(rooms); i++) {
        rc = choose(&rooms[i], &giving, &giving_count, err);
    }
    size_t staying_count = sessions->awake_counts[TB_TAKES_BROWSER] - giving_count;
    bool full = rc == 0 && staying_count >= (size_t)config->sessions_total;
    while ((link = tb_list_pop(&giving))) { /* whoever hears of an end may end others of them */
        tb_list_append(awake, link);
        if (rc == 0 && !full) {
            give_way(TB_CONTAINER(link, struct tb_session, places.awake));
        }
    }
    return full ? say_full(sessions, tenant, err) : rc;
}

int tb_session_admit(const struct tb_session *session, struct tb_err *err)
{
    const struct tb_newcomer newcomer = {session->kind, session->key,
                                         session->traits.of_conversation};
    return tb_sessions_admit(session->places.home, &newcomer, err);
}

void tb_sessions_count_awake(struct tb_session *session, int by)
{
    struct tb_tenant *tenant = session->places.home;
    enum tb_takes what = tb_session_takes(session);
    bool is_counted = !tb_list_empty(&session->places.awake);
    if (by > 0 ? tb_session_is_dormant(session) : !is_counted) {
        return;
    }
    if (what == TB_TAKES_BROWSER && !session->traits.of_conversation) {
        tenant->named_count += (size_t)by;
    }
    tb_list_remove(&session->places.awake);
    if (by > 0) {
        tb_list_append(&tenant->awake[what], &session->places.awake);
    }
    session->core->sessions->awake_counts[what] += (size_t)by;
}

size_t tb_sessions_awake_count(const struct tb_sessions *sessions)
{
    size_t count = 0;
    for (size_t i = 0; i < TB_TAKES_COUNT; i++) {
        count += sessions->awake_counts[i];
    }
    return count;
}

size_t tb_sessions_asleep_count(const struct tb_sessions *sessions)
{
    return sessions->by_id.count - tb_sessions_awake_count(sessions);
}
