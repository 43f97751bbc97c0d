/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of sessions: the one that agents get, and the pages of it that programs ask for. */
#include <stdio.h>

#include "base/buf.h"
#include "base/quote.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/resolve.h"
#include "core/sessions_internal.h"

enum {
    LISTED_ASLEEP = 500, /* a list is for reading, and a result has a ceiling */
};

/* The list: all that are awake, and the newest of those that sleep. */
struct listing {
    const struct tb_caller *caller;
    const struct tb_conversation *own; /* NULL: the caller has started none */
    size_t asleep_count;
    size_t skipped;
    struct tb_json_writer *json;
};

static void put_sessions(struct listing *listing, const struct tb_tenant *tenant, bool own)
{
    LIST_FOREACH(link, &tenant->sessions) {
        const struct tb_session *session = tb_session_of(link);
        if ((session->places.owner == listing->own) != own ||
            !tb_session_visible(session, listing->caller)) {
            continue;
        }
        if (tb_session_is_dormant(session) &&
            listing->asleep_count > LISTED_ASLEEP + listing->skipped) {
            listing->skipped++;
        } else {
            tb_session_describe(session, listing->caller, listing->json);
        }
    }
}

static size_t put_list(const struct tb_tenant *tenant, const struct tb_caller *caller,
                       struct tb_json_writer *json)
{
    struct listing listing = {
        .caller = caller,
        .own = tb_conversation_find(tenant, caller->conversation),
        .json = json,
    };
    LIST_FOREACH(link, &tenant->sessions) {
        const struct tb_session *session = tb_session_of(link);
        listing.asleep_count +=
            tb_session_is_dormant(session) && tb_session_visible(session, caller);
    }
    put_sessions(&listing, tenant, true);
    put_sessions(&listing, tenant, false);
    return listing.skipped;
}

void tb_sessions_list(struct tb_sessions *sessions, const struct tb_caller *caller,
                      struct tb_json_writer *json)
{
    struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    const struct tb_session *current = NULL;
    size_t left_out = 0;
    tb_json_object_open(json);
    tb_json_key(json, "sessions");
    tb_json_array_open(json);
    if (tenant) {
        current = tb_caller_session(caller).len ? tb_resolve_meant(sessions, caller)
                                                : tb_current_get(tenant, caller->conversation);
        left_out = put_list(tenant, caller, json);
    }
    tb_json_array_close(json);
    if (left_out) {
        tb_json_member_int(json, "hibernatedNotListed", (int64_t)left_out);
    }
    tb_json_member_cstr(json, "currentSession",
                        current && current->state != TB_STATE_RETIRING
                            ? tb_session_address(current, caller)
                            : NULL);
    tb_json_object_close(json);
}

/* Pages. A place in the list is the time at which a session was made, and how many of that time
 * have been listed; so it is one though the session has ended. */

static const char *const shown_beside[] = {"hibernated", "away", "held"};

static bool has_state(const struct tb_session *session, struct tb_str state)
{
    const struct tb_session_info info = tb_session_info(session);
    const bool flags[] = {info.hibernated, info.away, info.held};
    for (size_t i = 0; i < TB_COUNT(shown_beside); i++) {
        if (tb_str_eq_cstr(state, shown_beside[i])) {
            return flags[i];
        }
    }
    return tb_str_eq_cstr(state, tb_shown_state_name(info.state));
}

static int check_state(struct tb_str state, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(TB_KIB);
    for (int i = TB_SHOWN_CREATED; i <= TB_SHOWN_IDLE; i++) {
        const char *name = tb_shown_state_name((enum tb_shown_state)i);
        tb_buf_printf(&names, "%s, ", name);
        if (!state.len || tb_str_eq_cstr(state, name)) {
            return 0;
        }
    }
    for (size_t i = 0; i < TB_COUNT(shown_beside); i++) {
        tb_buf_printf(&names, "%s%s", i ? ", " : "", shown_beside[i]);
        if (tb_str_eq_cstr(state, shown_beside[i])) {
            return 0;
        }
    }
    struct tb_quoted shown;
    return tb_fail(err, TB_E_PARAMS, "no session has the state %s; use one of %.*s",
                   tb_quoted(&shown, state, TB_NAME_SIZE), TB_STR_ARG(tb_buf_str(&names)));
}

static int check_kind(struct tb_str kind, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(TB_KIB);
    enum tb_session_kind found;
    struct tb_quoted shown;
    if (!kind.len || tb_session_kind_find(kind, &found)) {
        return 0;
    }
    for (int i = 0; i < TB_KIND_COUNT; i++) {
        tb_buf_printf(&names, "%s%s", i ? ", " : "", tb_session_kind_name((enum tb_session_kind)i));
    }
    return tb_fail(err, TB_E_PARAMS, "no session is of the kind %s; use one of %.*s",
                   tb_quoted(&shown, kind, TB_NAME_SIZE), TB_STR_ARG(tb_buf_str(&names)));
}

struct place {
    int64_t created_ms;
    uint64_t passed; /* of those that were made then */
};

static int read_place(struct tb_str text, struct place *ret_place, struct tb_err *err)
{
    uint64_t created_ms = 0;
    uint64_t passed = 0;
    struct tb_str rest = text;
    struct tb_str time = tb_str_cut(&rest, '-');
    if (text.len && (!tb_str_to_u64(time, &created_ms) || created_ms > INT64_MAX || !rest.ptr ||
                     !tb_str_to_u64(rest, &passed))) {
        return tb_fail(err, TB_E_PARAMS,
                       "after must be what the list before this one gives as next");
    }
    *ret_place = (struct place){(int64_t)created_ms, passed};
    return 0;
}

/* Walks the list of a tenant. */
struct walk {
    struct place from;
    struct place at;
};

static bool comes_after(struct walk *walk, const struct tb_session *session)
{
    int64_t created_ms = session->times.created_wall_ms;
    bool same = created_ms == walk->at.created_ms;
    walk->at = (struct place){created_ms, same ? walk->at.passed + 1 : 1};
    return created_ms > walk->from.created_ms ||
           (created_ms == walk->from.created_ms && walk->at.passed > walk->from.passed);
}

static bool fits(const struct tb_session *session, const struct tb_caller *caller,
                 const struct tb_sessions_wish *wish)
{
    enum tb_session_kind kind = session->kind;
    tb_session_kind_find(wish->kind, &kind);
    return tb_session_visible(session, caller) && kind == session->kind &&
           (!wish->state.len || has_state(session, wish->state));
}

/* True if there are more: *ret_next is the place to go on from. */
static bool put_page(const struct tb_tenant *tenant, const struct tb_caller *caller,
                     const struct tb_sessions_wish *wish, struct walk *walk, struct place *ret_next,
                     struct tb_json_writer *json)
{
    int64_t count = 0;
    LIST_FOREACH(link, &tenant->sessions) {
        const struct tb_session *session = tb_session_of(link);
        if (!comes_after(walk, session) || !fits(session, caller, wish)) {
            continue;
        }
        if (wish->limit && count == wish->limit) {
            return true;
        }
        tb_session_describe(session, caller, json);
        *ret_next = walk->at;
        count++;
    }
    return false;
}

int tb_sessions_select(struct tb_sessions *sessions, const struct tb_caller *caller,
                       const struct tb_sessions_wish *wish, struct tb_json_writer *json,
                       struct tb_err *err)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    struct walk walk = {{0}, {0}};
    struct place next = {0};
    int rc = check_kind(wish->kind, err);
    rc = rc < 0 ? rc : check_state(wish->state, err);
    rc = rc < 0 ? rc : read_place(wish->after, &walk.from, err);
    if (rc < 0) {
        return rc;
    }
    tb_json_object_open(json);
    tb_json_key(json, "sessions");
    tb_json_array_open(json);
    bool more = tenant && put_page(tenant, caller, wish, &walk, &next, json);
    tb_json_array_close(json);
    if (more) {
        char text[48];
        snprintf(text, sizeof(text), "%lld-%llu", (long long)next.created_ms,
                 (unsigned long long)next.passed);
        tb_json_member_cstr(json, "next", text);
    }
    tb_json_object_close(json);
    return 0;
}
