/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ends.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/args.h"
#include "core/core.h"
#include "core/lifetime.h"
#include "core/limits.h"
#include "core/sessions_internal.h"

struct tb_end {
    struct tb_list link;
    char id[TB_ID_SIZE];
    char name[TB_NAME_SIZE];
    enum tb_session_kind kind;
    enum tb_end_reason reason;
    int64_t wall_ms;
    int64_t span_ms; /* that ran out, if the reason is one of time */
    bool hidden;     /* it was private */
    bool empty;      /* it had nothing yet: no browser of it was there for a call */
    char *owner;
    /* The conversations whose calls went to it without naming it; false: was told to ask before it
     * starts another. */
    struct cJSON *missed_by;
};

static struct tb_end *end_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_end, link);
}

static void end_free(struct tb_end *end)
{
    tb_list_remove(&end->link);
    tb_json_free(end->missed_by);
    tb_free(end->owner);
    tb_free(end);
}

void tb_ends_free(struct tb_tenant *tenant)
{
    while (!tb_list_empty(&tenant->ends)) {
        end_free(end_of(tenant->ends.next));
    }
}

/* Words. */

void tb_span_print(int64_t ms, struct tb_buf *out)
{
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{86400000, "day"},
                 {3600000, "hour"},
                 {60000, "minute"},
                 {1000, "second"},
                 {1, "millisecond"}};
    for (size_t i = 0; i < TB_COUNT(units); i++) {
        /* 90 seconds say more than 1 minute. */
        bool last = i + 1 == TB_COUNT(units);
        if (last || ms >= 2 * units[i].ms || (ms >= units[i].ms && ms % units[i].ms < 1000)) {
            int64_t count = ms / units[i].ms;
            tb_buf_printf(out, "%" PRId64 " %s%s", count, units[i].name, count == 1 ? "" : "s");
            return;
        }
    }
}

/* What a session of this kind had and nobody can bring back. */
static const char *gone_with(enum tb_session_kind kind, bool empty)
{
    static const char *const words[TB_KIND_COUNT] = {
        [TB_KIND_BROWSER] = "; its cookies are gone", [TB_KIND_IOS] = "; its app is closed",
        [TB_KIND_ANDROID] = "; its app is closed",    [TB_KIND_TAB] = "",
        [TB_KIND_CLIENT] = "; its tools are gone",
    };
    return empty ? "" : words[kind];
}

static void print_reason(enum tb_end_reason reason, int64_t span_ms, struct tb_buf *out)
{
    const char *after = tb_end_reason_after(reason);
    tb_buf_append_cstr(out, tb_end_reason_words(reason));
    if (after) {
        tb_buf_append_char(out, ' ');
        tb_span_print(span_ms, out);
        tb_buf_append_cstr(out, after);
    }
}

static int64_t span_of(const struct tb_session *session, enum tb_end_reason reason)
{
    int64_t now_ms = tb_loop_now_ms(session->core->loop);
    if (reason == TB_END_IDLE_TIMEOUT) {
        return now_ms - session->times.last_active_ms;
    }
    /* A call that ran may have kept it for longer than it is to live. */
    int64_t lived_ms = now_ms - session->times.created_ms;
    int64_t max_age_ms = tb_lifetime_of(session).max_age_ms;
    return max_age_ms > 0 && max_age_ms < lived_ms ? max_age_ms : lived_ms;
}

void tb_end_words(const struct tb_session *session, enum tb_end_reason reason, struct tb_buf *out)
{
    print_reason(reason, span_of(session, reason), out);
}

void tb_end_foretell(const struct tb_session *session, struct tb_buf *out)
{
    tb_buf_printf(out, "Session %s has ", session->name);
    tb_end_words(session, TB_END_MAX_AGE, out);
    tb_buf_printf(out, " and ends with the call that is still running%s.",
                  gone_with(session->kind, tb_session_is_new(session)));
}

void tb_end_print(const struct tb_core *core, const struct tb_end *end, struct tb_buf *out)
{
    int64_t ago_ms = tb_clock_wall_ms(core->clock) - end->wall_ms;
    tb_buf_printf(out, "Session %s ", end->name);
    print_reason(end->reason, end->span_ms, out);
    tb_buf_printf(out, "%s. That was ", gone_with(end->kind, end->empty));
    if (ago_ms < 1000) {
        tb_buf_append_cstr(out, "just now.");
        return;
    }
    tb_span_print(ago_ms, out);
    tb_buf_append_cstr(out, " ago.");
}

/* Asking. */

static bool could_reach(const struct tb_end *end, const struct tb_caller *caller)
{
    return !end->hidden || caller->everyone || strcmp(end->owner, caller->conversation) == 0;
}

static bool is_recent(const struct tb_core *core, const struct tb_end *end)
{
    return tb_clock_wall_ms(core->clock) - end->wall_ms < TB_ENDS_MS;
}

struct tb_end *tb_end_find(const struct tb_tenant *tenant, const struct tb_caller *caller,
                           struct tb_str id_or_name)
{
    struct tb_end *found = NULL;
    LIST_FOREACH(link, &tenant->ends) {
        struct tb_end *end = end_of(link);
        bool meant = tb_str_eq_cstr(id_or_name, end->name) || tb_str_eq_cstr(id_or_name, end->id);
        if (meant && could_reach(end, caller) && is_recent(tenant->core, end)) {
            found = end; /* the newest comes last */
        }
    }
    return found;
}

struct tb_end *tb_end_missed(const struct tb_tenant *tenant, const struct tb_caller *caller)
{
    struct tb_end *found = NULL;
    LIST_FOREACH(link, &tenant->ends) {
        struct tb_end *end = end_of(link);
        bool missed = tb_json_get(end->missed_by, caller->conversation) != NULL;
        found = missed && is_recent(tenant->core, end) ? end : found;
    }
    return found;
}

/* It was stopped, and nobody has told the conversation to ask before it starts another. */
static bool is_unheard(const struct tb_end *end, const char *conversation)
{
    bool news = false;
    return tb_end_code(end) == TB_E_SESSION_STOPPED &&
           tb_json_bool(tb_json_get(end->missed_by, conversation), &news) && news;
}

struct tb_end *tb_end_unheard(const struct tb_tenant *tenant, const struct tb_caller *caller)
{
    struct tb_end *found = NULL;
    LIST_FOREACH(link, &tenant->ends) {
        struct tb_end *end = end_of(link);
        bool unheard = is_unheard(end, caller->conversation) && is_recent(tenant->core, end);
        found = unheard ? end : found;
    }
    return found;
}

static const struct tb_end *find_id(const struct tb_tenant *tenant, struct tb_str id)
{
    LIST_FOREACH(link, &tenant->ends) {
        const struct tb_end *end = end_of(link);
        if (tb_str_eq_cstr(id, end->id)) {
            return end;
        }
    }
    return NULL;
}

const char *tb_end_id(const struct tb_end *end)
{
    return end->id;
}

int tb_end_code(const struct tb_end *end)
{
    return tb_end_reason_code(end->reason);
}

/* Keeping. */

/* In the order of time; what is over the ceiling goes, from the store too. */
static void add(struct tb_tenant *tenant, struct tb_end *end)
{
    struct tb_list *before = tenant->ends.prev;
    while (before != &tenant->ends && end_of(before)->wall_ms > end->wall_ms) {
        before = before->prev;
    }
    tb_list_append(before->next, &end->link);
    tenant->end_count++;
    while (tenant->end_count > TB_ENDS_KEPT ||
           (tenant->end_count && !is_recent(tenant->core, end_of(tenant->ends.next)))) {
        struct tb_end *oldest = end_of(tenant->ends.next);
        tb_store_remove(&tenant->core->store, TB_SPACE_END, tb_str_of(oldest->id), NULL);
        tenant->end_count--;
        end_free(oldest);
    }
}

static void put(const struct tb_tenant *tenant, const struct tb_end *end)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_RECORD_LIGHT_MAX);
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_new_object();
    tb_json_set_cstr(json, "tenant", tenant->name);
    tb_json_set_cstr(json, "name", end->name);
    tb_json_set_cstr(json, "kind", tb_session_kind_name(end->kind));
    tb_json_set_cstr(json, "reason", tb_end_reason_name(end->reason));
    tb_json_set_int(json, "at", end->wall_ms);
    tb_json_set_int(json, "span", end->span_ms);
    tb_json_set_cstr(json, "owner", end->owner);
    tb_json_set_bool(json, "private", end->hidden);
    tb_json_set_bool(json, "empty", end->empty);
    tb_json_set_take(json, "missed_by", tb_json_dup(end->missed_by));
    if (tb_json_print(json, &text) == 0) {
        tb_store_put(&tenant->core->store, TB_SPACE_END, tb_str_of(end->id), tb_buf_str(&text),
                     NULL);
    }
}

/* A stop that it has not heard of stays: it is not the conversation's to forget. */
static void forget(const struct tb_tenant *tenant, struct tb_end *end, const char *conversation)
{
    if (tb_json_get(end->missed_by, conversation) && !is_unheard(end, conversation)) {
        tb_json_remove(end->missed_by, conversation);
        put(tenant, end);
    }
}

void tb_end_told(const struct tb_tenant *tenant, const char *id, const char *conversation)
{
    if (!find_id(tenant, tb_str_of(id))) {
        return;
    }
    LIST_FOREACH(link, &tenant->ends) {
        struct tb_end *end = end_of(link);
        forget(tenant, end, conversation);
        if (strcmp(end->id, id) == 0) {
            return; /* those that follow are newer */
        }
    }
}

void tb_ends_forget(const struct tb_tenant *tenant, const char *conversation)
{
    LIST_FOREACH(link, &tenant->ends) {
        forget(tenant, end_of(link), conversation);
    }
}

void tb_end_warn(const struct tb_tenant *tenant, const char *id, const char *conversation)
{
    const struct tb_end *told = find_id(tenant, tb_str_of(id));
    if (!told || tb_end_code(told) != TB_E_SESSION_STOPPED) {
        return;
    }
    LIST_FOREACH(link, &tenant->ends) {
        struct tb_end *end = end_of(link);
        if (is_unheard(end, conversation)) {
            tb_json_set_bool(end->missed_by, conversation, false);
            put(tenant, end);
        }
        if (end == told) {
            return; /* of those that follow it was not told */
        }
    }
}

static struct cJSON *missed_by(const struct tb_session *session)
{
    struct cJSON *names = tb_json_new_object();
    size_t count = 0;
    if (tb_session_is_new(
            session)) { /* it never opened, and its calls have failed with the reason */
        return names;
    }
    if (session->traits.of_conversation) {
        tb_json_set_bool(names, session->places.owner->name, true);
    }
    LIST_FOREACH(link, &session->places.currents) {
        if (count++ < TB_END_MISSED_MAX) {
            tb_json_set_bool(names, TB_CONTAINER(link, struct tb_conversation, of_session)->name,
                             true);
        }
    }
    return names;
}

void tb_end_keep(const struct tb_session *session, enum tb_end_reason reason, const char *by)
{
    struct tb_end *end = TB_NEW(struct tb_end);
    memcpy(end->id, session->id, sizeof(end->id));
    memcpy(end->name, session->name, sizeof(end->name));
    end->kind = session->kind;
    end->reason = reason;
    end->wall_ms = tb_clock_wall_ms(session->core->clock);
    end->span_ms = span_of(session, reason);
    end->hidden = session->traits.hidden;
    end->empty = tb_session_is_new(session);
    end->owner = tb_strdup(session->places.owner->name);
    end->missed_by = missed_by(session);
    if (by && tb_json_get(end->missed_by, by)) {
        tb_json_remove(end->missed_by, by);
        tb_ends_forget(session->places.home, by);
    }
    put(session->places.home, end);
    add(session->places.home, end);
}

/* Reading. */

static bool fill(struct tb_end *end, const struct cJSON *json)
{
    struct tb_str name = tb_args_text(json, "name", "");
    if (!tb_session_kind_find(tb_args_text(json, "kind", ""), &end->kind) ||
        !tb_end_reason_find(tb_args_text(json, "reason", ""), &end->reason) ||
        !tb_json_int(tb_json_get(json, "at"), &end->wall_ms) || name.len >= TB_NAME_SIZE) {
        return false;
    }
    snprintf(end->name, sizeof(end->name), "%.*s", TB_STR_ARG(name));
    end->span_ms = tb_args_int(json, "span", 0);
    end->hidden = tb_args_flag(json, "private", false);
    end->empty = tb_args_flag(json, "empty", false);
    end->owner = tb_str_dup(tb_args_text(json, "owner", ""));
    end->missed_by = tb_json_dup(tb_json_get(json, "missed_by"));
    return true;
}

void tb_end_load(struct tb_sessions *sessions, struct tb_str id, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    char name[TB_TENANT_SIZE];
    struct tb_end *end = TB_NEW(struct tb_end);
    tb_list_init(&end->link);
    snprintf(end->id, sizeof(end->id), "%.*s", TB_STR_ARG(id));
    snprintf(name, sizeof(name), "%.*s", TB_STR_ARG(tb_args_text(json, "tenant", "")));
    struct tb_tenant *tenant = tb_tenant_make(sessions, name);
    if (fill(end, json) && !find_id(tenant, id)) {
        if (!end->hidden) {
            tb_tenant_note_name(tenant, end->kind, tb_str_of(end->name));
        }
        add(tenant, end);
    } else {
        end_free(end);
    }
}
