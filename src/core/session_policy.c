/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session_policy.h"

#include <string.h>

#include "base/json.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/egress.h"
#include "core/flood.h"
#include "core/policies.h"
#include "core/sessions_internal.h"
#include "core/url.h"

/* What only moves through pages changes nothing of them. */
static const bool only_moves[TB_OP_COUNT] = {
    [TB_OP_NAVIGATE] = true, [TB_OP_TABS] = true,   [TB_OP_SCROLL] = true,
    [TB_OP_HOVER] = true,    [TB_OP_DIALOG] = true, [TB_OP_WAIT] = true,
};

static const unsigned op_uses[TB_OP_COUNT] = {
    [TB_OP_EVALUATE] = TB_POLICY_EVALUATES,
    [TB_OP_UPLOAD] = TB_POLICY_UPLOADS,
    [TB_OP_DOWNLOADS] = TB_POLICY_DOWNLOADS,
};

/* Pages that were refused. */
struct tb_refusals {
    struct tb_flood flood;
    struct tb_session *session;
};

int tb_session_policy_read(struct tb_session *session, const struct cJSON *args, struct tb_err *err)
{
    const struct cJSON *given = tb_json_get(args, "policy");
    return given && !session->bounds.policy ? tb_policy_read(given, &session->bounds.policy, err)
                                            : 0;
}

void tb_session_policy_restore(struct tb_session *session, const struct cJSON *args)
{
    struct tb_err err;
    if (tb_session_policy_read(session, args, &err) < 0) {
        tb_log_at(session->core->log, ERROR, "policy",
                  "cannot read the policy of a session; it may do nothing",
                  tb_kv_cstr("session", session->name), tb_kv_cstr("reason", err.text));
        session->bounds.policy = tb_policy_new_nothing();
    }
}

void tb_session_policy_end(struct tb_session *session)
{
    if (session->bounds.refusals) {
        tb_flood_fini(&session->bounds.refusals->flood);
        tb_free(session->bounds.refusals);
        session->bounds.refusals = NULL;
    }
    tb_egress_end(session->bounds.egress);
}

void tb_session_policy_fini(struct tb_session *session)
{
    tb_session_policy_end(session);
    tb_egress_free(session->bounds.egress);
    tb_policy_unref(session->bounds.policy, "session");
    tb_policy_unref(session->bounds.starter, "session");
}

struct tb_policy_set tb_session_policies(const struct tb_session *session)
{
    struct tb_policy_set set = tb_policies_of(session->core->policies, session->tenant);
    set.parts[TB_POLICY_STARTER] = session->bounds.starter;
    set.parts[TB_POLICY_SESSION] = session->bounds.policy;
    if (session->traits.brief) {
        set.parts[TB_POLICY_TOOLSET] = tb_policies_of_octopus(session->core->policies);
    }
    set.own = tb_egresses_own(session->core->egresses);
    return set;
}

struct tb_policy_set tb_caller_policies(const struct tb_core *core, const struct tb_principal *who,
                                        const struct tb_session *session)
{
    struct tb_policy_set set =
        session ? tb_session_policies(session) : tb_policies_of(core->policies, who->tenant);
    set.parts[TB_POLICY_KEY] = who->policy;
    return set;
}

/* A tool that is no operation sees to sessions, or is a list of steps, which are judged one by
 * one. */
static unsigned uses_of(const struct tb_tool *tool)
{
    if (tool->op >= TB_OP_COUNT) {
        return 0;
    }
    bool looks = (tool->flags & TB_TOOL_READ_ONLY) || only_moves[tool->op];
    return op_uses[tool->op] | (looks ? 0 : TB_POLICY_CHANGES);
}

int tb_session_policy_tool(const struct tb_core *core, const struct tb_principal *who,
                           const struct tb_session *session, const struct tb_entry *entry,
                           struct tb_err *err)
{
    int rc = tb_policies_ready(core->policies, err);
    if (rc < 0) {
        return rc;
    }
    const struct tb_policy_set set = tb_caller_policies(core, who, session);
    const char *shown = entry->face ? entry->face->name : NULL;
    shown = entry->brought ? entry->brought->shown : shown;
    return tb_policy_judge_tool(&set, entry->tool->name, shown, uses_of(entry->tool), err);
}

int tb_session_policy_admits(const struct tb_session *session, const struct tb_principal *who,
                             struct tb_err *err)
{
    if (!who->policy || !tb_policy_limits_network(who->policy) ||
        tb_policy_is_same(who->policy, session->bounds.starter)) {
        return 0;
    }
    return tb_fail(err, TB_E_DENIED,
                   "cannot be used in session '%s', whose pages are not bound by the key's policy; "
                   "start a session with this key",
                   session->name);
}

static void on_rest(struct tb_flood *flood, int64_t count)
{
    struct tb_session *session = TB_CONTAINER(flood, struct tb_refusals, flood)->session;
    struct tb_event event = tb_session_event(session, TB_EVENT_PAGE_REFUSED);
    event.outcome = tb_err_name(TB_E_DOMAIN_BLOCKED);
    event.fields[1] = tb_field_number("missed", count);
    tb_bus_publish(&session->core->bus, &event);
}

static struct tb_flood *flood_of(struct tb_session *session)
{
    if (!session->bounds.refusals) {
        session->bounds.refusals = TB_NEW(struct tb_refusals);
        session->bounds.refusals->session = session;
        tb_flood_init(&session->bounds.refusals->flood, session->core->loop, on_rest);
    }
    return &session->bounds.refusals->flood;
}

static void tell(struct tb_session *session, struct tb_str url, const struct tb_err *why)
{
    if (!tb_flood_tells(flood_of(session))) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TB_URL_SHOWN_MAX);
    tb_url_shown(url, &shown);
    struct tb_event event = tb_session_event(session, TB_EVENT_PAGE_REFUSED);
    event.outcome = tb_err_name(why->code);
    event.fields[1] = tb_field_text("url", tb_buf_str(&shown));
    event.fields[2] = tb_field_cstr("rule", why->text);
    tb_session_publish(session, &event); /* a page may write into addresses what was typed */
}

int tb_session_policy_page(void *owner, struct tb_str url, struct tb_err *err)
{
    struct tb_session *session = owner;
    const struct tb_policy_set set = tb_session_policies(session);
    int rc = tb_policy_judge_url(&set, url, err);
    if (rc == TB_E_DOMAIN_BLOCKED) {
        tell(session, url, err);
    }
    return rc == TB_E_DOMAIN_BLOCKED ? rc : 0; /* what is no address is the driver's to refuse */
}

/* Only a call gives files, and the key that makes it may be another than the session's. */
static int64_t given_max(const struct tb_session *session)
{
    struct tb_policy_set set = tb_session_policies(session);
    int64_t least = tb_policy_bytes_max(&set, TB_POLICY_UPLOADS);
    LIST_FOREACH(link, &session->queue.running) {
        const struct tb_call *call = TB_CONTAINER(link, struct tb_call, link);
        set = tb_caller_policies(session->core, call->from.caller.who, session);
        int64_t max = tb_policy_bytes_max(&set, TB_POLICY_UPLOADS);
        least = max >= 0 && (least < 0 || max < least) ? max : least;
    }
    return least;
}

int64_t tb_session_policy_file_max(void *owner, bool given)
{
    const struct tb_policy_set set = tb_session_policies(owner);
    return given ? given_max(owner) : tb_policy_bytes_max(&set, TB_POLICY_DOWNLOADS);
}

struct tab_review {
    struct tb_policy_set set;
    size_t tabs;
    bool wrong; /* one of them */
};

static void review_tab(struct tb_str url, void *user)
{
    struct tab_review *review = user;
    review->tabs++;
    review->wrong =
        review->wrong || tb_policy_judge_url(&review->set, url, NULL) == TB_E_DOMAIN_BLOCKED;
}

/* Where the tabs are is for the driver to say: pages go on by themselves, and calls tell of one
 * alone. Without a driver session there is only what the last call told. */
static bool has_wrong_page(const struct tb_session *session)
{
    struct tab_review review = {.set = tb_session_policies(session)};
    if (session->driver_session && session->driver->tabs) {
        session->driver->tabs(session->driver_session, review_tab, &review);
    }
    if (!review.tabs && session->url) {
        review_tab(tb_str_of(session->url), &review);
    }
    return review.wrong;
}

void tb_session_policies_changed(struct tb_sessions *sessions)
{
    size_t count = 0;
    if (!sessions) {
        return;
    }
    /* Ids: the end of one may be that of another. */
    TB_AUTO(tb_free)
    char(*ids)[TB_ID_SIZE] = tb_zalloc_array(sessions->by_id.count + 1, TB_ID_SIZE);
    MAP_FOREACH(slot, &sessions->by_id) {
        const struct tb_session *session = slot->value;
        if (has_wrong_page(session)) {
            memcpy(ids[count++], session->id, TB_ID_SIZE);
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct tb_session *session = tb_map_get(&sessions->by_id, tb_str_of(ids[i]));
        if (session) {
            tb_session_end(session, TB_END_DOMAIN_BLOCKED);
        }
    }
    tb_egresses_review(sessions->core->egresses);
}
