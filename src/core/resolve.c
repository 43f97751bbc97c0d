/* SPDX-License-Identifier: Apache-2.0 */
#include "core/resolve.h"

#include <string.h>

#include "base/quote.h"
#include "core/core.h"
#include "core/ends.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"

enum {
    CANDIDATES_MAX = 10,
    CANDIDATES_BYTES = 300,
};

/* The words when there is none. */

/* True if one of them is the caller's own. */
static bool put_candidates(const struct tb_tenant *tenant, const struct tb_caller *caller,
                           struct tb_buf *out)
{
    size_t count = 0;
    bool own = false;
    LIST_FOREACH(link, &tenant->sessions) {
        const struct tb_session *session = tb_session_of(link);
        if (!tb_session_visible(session, caller)) {
            continue;
        }
        if (count == CANDIDATES_MAX ||
            tb_buf_printf(out, "%s%s", count ? ", " : "", session->name) < 0) {
            tb_buf_append_cstr(out, " and more");
            break;
        }
        count++;
        own = own || strcmp(tb_session_owner(session), caller->conversation) == 0;
    }
    return own;
}

static int not_found(const struct tb_tenant *tenant, const struct tb_caller *caller,
                     struct tb_str name, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf more = TB_BUF(CANDIDATES_BYTES);
    struct tb_end *end = NULL;
    if (tenant) {
        end = name.len ? tb_end_find(tenant, caller, name) : tb_end_missed(tenant, caller);
    }
    if (end) {
        if (!caller->everyone) {
            tb_end_warn(tenant, tb_end_id(end), caller->conversation);
        }
        tb_end_print(tenant->core, end, &more);
        return tb_fail(err, tb_end_code(end), "%.*s", TB_STR_ARG(tb_buf_str(&more)));
    }
    bool own = tenant && put_candidates(tenant, caller, &more);
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(CANDIDATES_BYTES);
    if (name.len) {
        tb_quote_bare(name, TB_NAME_SIZE - 1, &shown);
    } else {
        tb_buf_append_cstr(&shown, more.len ? "none is current" : "none active");
    }
    if (!more.len) {
        return tb_fail(err, TB_E_SESSION_NOT_FOUND, "No session: %.*s",
                       TB_STR_ARG(tb_buf_str(&shown)));
    }
    return tb_fail(err, TB_E_SESSION_NOT_FOUND, "No session: %.*s. There are: %.*s%s",
                   TB_STR_ARG(tb_buf_str(&shown)), TB_STR_ARG(tb_buf_str(&more)),
                   own ? "" : ", of other agents; use one only if you were told to");
}

/* The decision. */

/* The caller's calls would go there if it were not too old; NULL: there is no such session. */
static const struct tb_session *retiring(const struct tb_sessions *sessions,
                                         const struct tb_caller *caller)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    const struct tb_session *current = tenant ? tb_current_get(tenant, caller->conversation) : NULL;
    return current && current->state == TB_STATE_RETIRING ? current : NULL;
}

/* What the caller has lost that it would have gone on in; NULL: nothing. */
static const struct tb_end *lost(const struct tb_tenant *tenant, const struct tb_caller *caller)
{
    struct tb_str given = tb_caller_session(caller);
    const struct tb_end *missed = tb_end_missed(tenant, caller);
    return missed || !given.len ? missed : tb_end_find(tenant, caller, given);
}

/* A new session in the place of one that ended, or is about to (`old`, may be NULL), is no secret
 * to its owner. */
static void note_loss(struct tb_session *session, const struct tb_caller *caller,
                      const struct tb_session *old)
{
    const struct tb_end *end = old ? NULL : lost(session->places.home, caller);
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(TB_KIB);
    if (old) {
        tb_end_foretell(old, &words);
    } else if (end) {
        tb_end_print(session->core, end, &words);
    } else {
        return;
    }
    session->end.replaces = tb_strdup(old ? old->id : tb_end_id(end));
    session->end.replaces_note =
        tb_strdupf("%.*s Session %s is new.", TB_STR_ARG(tb_buf_str(&words)), session->name);
}

static int create_usual(struct tb_sessions *sessions, const struct tb_resolve_ask *ask,
                        struct tb_session **ret_session, struct tb_err *err)
{
    const struct tb_driver_slot *slot;
    int rc = tb_driver_find(sessions->core, &tb_offer_usual, &slot, err);
    if (rc < 0) {
        return rc;
    }
    const struct tb_session_spec spec = {
        .kind = tb_offer_usual.kind,
        .for_conversation = true,
        .driver = slot->driver,
        .driver_state = slot->state,
        .gate = ask->gate,
        .deadline_ms =
            tb_loop_now_ms(sessions->core->loop) + sessions->core->config->browser_timeout_ms,
    };
    const char *warning;
    /* The new one takes its place; it stays while its call runs. */
    const struct tb_session *old = retiring(sessions, ask->caller);
    rc = tb_sessions_create(sessions, ask->caller, &spec, ret_session, &warning, err);
    if (rc == 0) {
        note_loss(*ret_session, ask->caller, old);
    }
    return rc;
}

/* Where the caller's calls go that name no session; NULL: nowhere. It may be too old, and to ask
 * ends nothing: who asks may have it, or another one, in hand. */
static struct tb_session *implied_current(struct tb_sessions *sessions,
                                          const struct tb_caller *caller, bool may_create)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    if (!tenant) {
        return NULL;
    }
    bool fresh = may_create && !sessions->core->config->sessions_reuse_within_conversation;
    struct tb_session *current = tb_current_get(tenant, caller->conversation);
    if (current && current->state != TB_STATE_RETIRING &&
        !(fresh && current->traits.of_conversation)) {
        return current;
    }
    const struct tb_conversation *own = tb_conversation_find(tenant, caller->conversation);
    return fresh || !own ? NULL : tb_conversation_last(own);
}

/* What is meant by a call that names no session, by the kind that its tools are for: an agent's own
 * browsers, say, are guessed more freely than the tabs of a person would be. A kind without a row
 * has to be named. Today every call asks by the usual kind (tb_offer_usual): a further row takes
 * somebody who asks by its kind. */
static const struct rule {
    /* Where such calls go; NULL: nowhere. To ask changes nothing. */
    struct tb_session *(*implied)(struct tb_sessions *sessions, const struct tb_caller *caller,
                                  bool may_create);
    int (*create)(struct tb_sessions *sessions, const struct tb_resolve_ask *ask,
                  struct tb_session **ret_session, struct tb_err *err);
} rules[TB_KIND_COUNT] = {
    [TB_KIND_BROWSER] = {implied_current, create_usual},
};

/* Of a caller whose way in gives a session: what it has chosen instead; NULL: nothing. */
static struct tb_session *chosen_instead(struct tb_sessions *sessions,
                                         const struct tb_caller *caller)
{
    const struct tb_tenant *tenant = tb_tenant_find(sessions, caller->who->tenant);
    struct tb_session *current =
        tenant && caller->chooses ? tb_current_get(tenant, caller->conversation) : NULL;
    return current && current->state != TB_STATE_RETIRING ? current : NULL;
}

struct tb_session *tb_resolve_meant(struct tb_sessions *sessions, const struct tb_caller *caller)
{
    struct tb_str given = tb_caller_session(caller);
    if (!given.len) {
        return rules[tb_offer_usual.kind].implied(sessions, caller, false);
    }
    struct tb_session *chosen = chosen_instead(sessions, caller);
    return chosen ? chosen : tb_sessions_reach(sessions, caller, given);
}

static struct tb_session *implied(struct tb_sessions *sessions, const struct tb_resolve_ask *ask)
{
    const struct rule *rule = &rules[ask->kind];
    if (tb_caller_session(ask->caller).len) {
        return chosen_instead(sessions, ask->caller);
    }
    return rule->implied ? rule->implied(sessions, ask->caller, ask->flags & TB_RESOLVE_MAY_CREATE)
                         : NULL;
}

/* The timer may be late by the work of one turn, or wait for the store; an age is never passed. */
static struct tb_session *implied_young(struct tb_sessions *sessions,
                                        const struct tb_resolve_ask *ask)
{
    struct tb_session *session;
    while ((session = implied(sessions, ask)) && tb_session_too_old(session)) {
        tb_session_retire(session); /* and is implied no more */
    }
    return session;
}

/* One may be made: the caller names none, nor is it bound to the one that its way in gives. */
static bool may_create(const struct tb_resolve_ask *ask)
{
    bool bound = tb_caller_session(ask->caller).len && !ask->caller->chooses;
    return !ask->named.len && !bound && (ask->flags & TB_RESOLVE_MAY_CREATE) &&
           rules[ask->kind].create;
}

static int find(struct tb_sessions *sessions, const struct tb_resolve_ask *ask,
                struct tb_session **ret_session, struct tb_err *err)
{
    const struct tb_caller *caller = ask->caller;
    struct tb_session *session = ask->named.len ? NULL : implied_young(sessions, ask);
    struct tb_str named = ask->named.len ? ask->named : tb_caller_session(caller);
    if (!session && named.len) {
        session = tb_sessions_reach(sessions, caller, named);
    }
    if (session) {
        *ret_session = session;
        return 0;
    }
    if (may_create(ask)) {
        return rules[ask->kind].create(sessions, ask, ret_session, err);
    }
    return not_found(tb_tenant_find(sessions, caller->who->tenant), caller, named, err);
}

static int decide(struct tb_sessions *sessions, const struct tb_resolve_ask *ask,
                  struct tb_place *ret_place, struct tb_err *err)
{
    if (ask->flags & TB_RESOLVE_NONE) {
        *ret_place = (struct tb_place){NULL};
        return 0;
    }
    if ((ask->flags & TB_RESOLVE_STORED) && !tb_store_ready(&sessions->core->store, err)) {
        return TB_E_STORE;
    }
    return find(sessions, ask, &ret_place->session, err);
}

/* Waiting. */

int tb_resolve(struct tb_sessions *sessions, struct tb_resolve_ask *ask, struct tb_place *ret_place,
               struct tb_err *err)
{
    if (!sessions->load) {
        return decide(sessions, ask, ret_place, err);
    }
    ask->awaits = "the stored sessions to be read";
    tb_list_append(&sessions->asks, &ask->link);
    return TB_LATER;
}

void tb_resolve_cancel(struct tb_resolve_ask *ask)
{
    tb_list_remove(&ask->link);
}

bool tb_resolve_denies(const struct tb_err *err)
{
    return err->code != TB_E_STORE && err->code != TB_E_SHUTDOWN;
}

/* Whoever is told may ask anew, and is not answered in the same breath. */
void tb_resolve_answer_all(struct tb_sessions *sessions, const struct tb_err *err)
{
    struct tb_list waiting;
    struct tb_list *link;
    tb_list_init(&waiting);
    tb_list_splice(&waiting, &sessions->asks);
    while ((link = tb_list_pop(&waiting))) {
        struct tb_resolve_ask *ask = TB_CONTAINER(link, struct tb_resolve_ask, link);
        struct tb_place place;
        struct tb_err why;
        if (err) {
            ask->fn(ask, NULL, err);
        } else if (decide(sessions, ask, &place, &why) < 0) {
            ask->fn(ask, NULL, &why);
        } else {
            ask->fn(ask, &place, NULL);
        }
    }
}

int tb_sessions_set_current(struct tb_sessions *sessions, const struct tb_caller *caller,
                            struct tb_str id_or_name, struct tb_gate *gate, struct tb_err *err)
{
    struct tb_session *session = tb_sessions_reach(sessions, caller, id_or_name);
    if (!session) {
        return not_found(tb_tenant_find(sessions, caller->who->tenant), caller, id_or_name, err);
    }
    struct tb_str given = tb_caller_session(caller);
    if (given.len && !caller->chooses && tb_sessions_reach(sessions, caller, given) != session) {
        return tb_fail(err, TB_E_NOT_POSSIBLE,
                       "calls that come this way go to the session that its address names; pass "
                       "sessionId to use another one");
    }
    int rc = tb_member_choose(session, caller, err);
    if (rc == 0) {
        tb_current_choose(caller, session, gate);
    }
    return rc;
}
