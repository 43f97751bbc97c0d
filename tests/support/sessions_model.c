/* SPDX-License-Identifier: Apache-2.0 */
#include "support/sessions_model.h"

#include <stdio.h>
#include <string.h>

#include "core/limits.h"

enum {
    RETRY_MS = 60 * 1000, /* of a session that could not be saved */
};

int64_t model_now(const struct model *model)
{
    return model->rig->clock.mono_ms;
}

/* What the model knows. */

struct model_call *model_first_call(struct model *model, const struct model_session *session)
{
    struct model_call *first = NULL;
    for (size_t i = 0; i < CALLS_MAX; i++) {
        struct model_call *call = &model->calls[i];
        bool fits = call->real && call->session == session;
        first = fits && (!first || call->born < first->born) ? call : first;
    }
    return first;
}

struct model_call *model_running_call(struct model *model, const struct model_session *session)
{
    struct model_call *first = model_first_call(model, session);
    return first && first->running ? first : NULL;
}

size_t model_waiting_count(struct model *model, const struct model_session *session)
{
    size_t count = 0;
    for (size_t i = 0; i < CALLS_MAX; i++) {
        const struct model_call *call = &model->calls[i];
        count += call->real && call->session == session && !call->running;
    }
    return count;
}

struct model_session *model_find(struct model *model, int tenant, const char *name)
{
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[i];
        if (session->live && session->tenant == tenant && strcmp(session->name, name) == 0) {
            return session;
        }
    }
    return NULL;
}

size_t model_count(const struct model *model, int tenant)
{
    size_t count = 0;
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        const struct model_session *session = &model->sessions[i];
        count += session->live && (tenant < 0 || session->tenant == tenant);
    }
    return count;
}

size_t model_count_awake(const struct model *model, int tenant, bool of_conversations)
{
    size_t count = 0;
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        const struct model_session *session = &model->sessions[i];
        count += session->live && !session->asleep && !session->bare &&
                 (tenant < 0 || session->tenant == tenant) &&
                 (!of_conversations || session->conversation);
    }
    return count;
}

/* Resting and ending. */

static void stop_times(struct model_session *session)
{
    session->idle_due_ms = 0;
    session->end_due_ms = 0;
    session->grace_due_ms = 0;
}

static void rest(struct model *model, struct model_session *session)
{
    stop_times(session);
    if (model_first_call(model, session) || session->asked) {
        return;
    }
    if (session->conversation) {
        session->idle_due_ms = session->last_active_ms + CONVERSATION_IDLE_MS;
        return;
    }
    session->end_due_ms = session->last_active_ms + HIBERNATED_MS;
    if (!session->asleep && !session->away) {
        session->idle_due_ms = session->last_active_ms + NAMED_IDLE_MS;
        if (session->idle_due_ms < session->hibernate_after_ms) {
            session->idle_due_ms = session->hibernate_after_ms;
        }
    }
}

static void forget_choices(struct model *model, const struct model_session *session)
{
    for (int t = 0; t < TENANTS; t++) {
        for (int c = 0; c < CONVERSATIONS; c++) {
            struct model_session **current = &model->currents[t][c];
            struct model_session **newest = &model->newest[t][c];
            *current = *current == session ? NULL : *current;
            *newest = *newest == session ? NULL : *newest;
        }
    }
}

void model_leave(struct model *model, struct model_call *call, int code)
{
    struct model_session *session = call->session;
    call->expected = code;
    call->session = NULL;
    call->running = false;
    call->due_ms = 0;
    session->last_active_ms = model_now(model);
    rest(model, session);
}

void model_end(struct model *model, struct model_session *session, int code)
{
    struct model_call *call;
    while ((call = model_first_call(model, session))) {
        model_leave(model, call, call->broken ? call->broken : code);
    }
    forget_choices(model, session);
    session->live = false;
}

/* A person. */

static void end_hold(struct model *model, struct model_session *session)
{
    if (session->asked) {
        session->last_active_ms = model_now(model);
    }
    session->asked = false;
    session->held = false;
}

int model_hold(struct model *model, struct model_session *session)
{
    if (session->retiring || session->away || session->asked) {
        return session->retiring ? TB_E_SESSION_ENDED : session->away ? TB_E_AWAY : TB_E_HELD;
    }
    session->asked = true;
    stop_times(session);
    model_settle(model, session);
    return 0;
}

void model_hand_back(struct model *model, struct model_session *session)
{
    end_hold(model, session);
    rest(model, session);
    model_settle(model, session);
}

/* Sleeping and waking. */

static void fall_asleep(struct model *model, struct model_session *session)
{
    session->asleep = true;
    session->stuck = false;
    rest(model, session);
}

static bool older(const struct model_session *a, const struct model_session *b)
{
    return a->last_active_ms != b->last_active_ms ? a->last_active_ms < b->last_active_ms
                                                  : a->born < b->born;
}

static bool evict(struct model *model, int tenant)
{
    struct model_session *oldest = NULL;
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[i];
        bool fits = session->live && !session->asleep && !session->bare && !session->asked &&
                    session->tenant == tenant && session->conversation &&
                    !model_first_call(model, session);
        oldest = fits && (!oldest || older(session, oldest)) ? session : oldest;
    }
    if (oldest) {
        model_end(model, oldest, TB_E_SESSION_ENDED);
    }
    return oldest != NULL;
}

static bool admit(struct model *model, int tenant, bool owned)
{
    if (owned && model_count_awake(model, tenant, true) >= PER_TENANT && !evict(model, tenant)) {
        return false;
    }
    return model_count_awake(model, -1, false) < TOTAL;
}

static void wake(struct model *model, struct model_session *session)
{
    struct model_call *call;
    if (admit(model, session->tenant, session->conversation != 0)) {
        model->woken++;
        session->asleep = false;
        return;
    }
    while ((call = model_first_call(model, session))) {
        model_leave(model, call, TB_E_LIMIT);
    }
    end_hold(model, session);
    rest(model, session);
}

/* The person has it when nothing runs any more. */
static void take_over(struct model *model, struct model_session *session)
{
    if (!session->held && !session->stuck && !model_running_call(model, session)) {
        model->held++;
        session->held = true;
    }
}

void model_settle(struct model *model, struct model_session *session)
{
    struct model_call *call;
    if (session->live && session->retiring && !model_running_call(model, session)) {
        model_end(model, session, TB_E_SESSION_ENDED);
    }
    if (session->live && session->asleep && (session->asked || model_first_call(model, session))) {
        wake(model, session);
    }
    if (session->live && session->asked) {
        take_over(model, session);
        return;
    }
    while (session->live && !session->stuck && (call = model_first_call(model, session)) &&
           !call->running) {
        if (call->tool != &rig_navigate) {
            call->running = true;
            return;
        }
        model_leave(model, call, 0);
    }
}

void model_enter(struct model *model, struct model_call *call, struct model_session *session)
{
    call->session = session;
    session->last_active_ms = model_now(model);
    stop_times(session);
    model_settle(model, session);
}

void model_break_call(struct model *model, struct model_call *call, int code)
{
    struct model_session *session = call->session;
    if (!session || call->broken) {
        return;
    }
    if (!call->running) {
        model_leave(model, call, code);
        return;
    }
    call->broken = code;
    if (call->tool == &rig_click) {
        model_leave(model, call, code);
        model_settle(model, session);
    } else {
        call->due_ms = model_now(model) + TB_CALL_GRACE_MS;
    }
}

void model_release(struct model *model, struct model_session *session)
{
    struct model_call *call = model_running_call(model, session);
    if (call) {
        model_leave(model, call, call->broken == TB_E_CANCELLED ? TB_E_CANCELLED : 0);
    }
    session->stuck = false;
    if (session->grace_due_ms) {
        session->saved = true;
        fall_asleep(model, session);
    }
    model_settle(model, session);
}

void model_lose(struct model *model, struct model_session *session)
{
    struct model_call *running = model_running_call(model, session);
    model->lost++;
    if (session->retiring) {
        model_end(model, session, TB_E_BROWSER_CRASHED);
        return;
    }
    if (session->away) {
        session->bare = true;
        session->stuck = false;
        return;
    }
    if (running) {
        model_leave(model, running, running->broken ? running->broken : TB_E_BROWSER_CRASHED);
    }
    end_hold(model, session);
    fall_asleep(model, session);
    model_settle(model, session);
}

/* Of the calls that end, only one that runs counts as use. */
void model_go(struct model *model, struct model_session *session)
{
    struct model_call *running = model_running_call(model, session);
    int64_t active_ms = running ? model_now(model) : session->last_active_ms;
    struct model_call *call;
    model->gone++;
    if (session->retiring) {
        model_end(model, session, TB_E_SESSION_ENDED);
        return;
    }
    session->stuck = session->stuck || (running && running->tool == &rig_wait);
    while ((call = model_first_call(model, session))) {
        model_leave(model, call, call->broken ? call->broken : TB_E_AWAY);
    }
    session->last_active_ms = active_ms;
    end_hold(model, session);
    session->away = true;
    rest(model, session);
}

int model_come_back(struct model *model, struct model_session *session)
{
    if (session->bare && !admit(model, session->tenant, session->conversation != 0)) {
        return TB_E_LIMIT;
    }
    model->back++;
    model->anew += session->bare;
    session->last_active_ms = model_now(model);
    session->away = false;
    session->bare = false;
    rest(model, session);
    return 0;
}

/* A running call of rig_wait would not let the daemon stop at once: not with those. */
void model_restart(struct model *model)
{
    model->restarted++;
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[i];
        struct model_call *call;
        if (!session->live) {
            continue;
        }
        if (session->retiring) {
            model_end(model, session, TB_E_SHUTDOWN);
            continue;
        }
        while ((call = model_first_call(model, session))) {
            model_leave(model, call, TB_E_SHUTDOWN);
        }
        end_hold(model, session);
        session->asleep = true;
        session->saved = session->saved || !session->away;
        session->away = false;
        session->bare = false;
        session->hibernate_after_ms = 0;
        rest(model, session);
        struct model_session **newest = &model->newest[session->tenant][session->conversation];
        if (session->conversation && (!*newest || (*newest)->born < session->born)) {
            *newest = session;
        }
    }
}

/* Beginning. */

struct model_session *model_add(struct model *model, int tenant, int conversation, int owner,
                                const char *name)
{
    struct model_session *session = NULL;
    for (size_t i = 0; i < SESSIONS_MAX && !session; i++) {
        session = model->sessions[i].live ? NULL : &model->sessions[i];
    }
    assert_non_null(session);
    *session =
        (struct model_session){.live = true,
                               .tenant = tenant,
                               .conversation = owner,
                               .born = ++model->births,
                               .last_active_ms = model_now(model),
                               .age_due_ms = owner ? model_now(model) + CONVERSATION_AGE_MS : 0};
    snprintf(session->name, sizeof(session->name), "%s", name);
    model->currents[tenant][conversation] = session;
    if (owner) {
        model->newest[tenant][conversation] = session;
    }
    rest(model, session);
    return session;
}

static int create_implied(struct model *model, int tenant, int conversation,
                          struct model_session **ret_session)
{
    char name[TB_NAME_SIZE];
    if (!admit(model, tenant, conversation != 0)) {
        return TB_E_LIMIT;
    }
    do {
        snprintf(name, sizeof(name), "browser-%u", ++model->numbers[tenant]);
    } while (model_find(model, tenant, name));
    *ret_session = model_add(model, tenant, conversation, conversation, name);
    return 0;
}

int model_resolve(struct model *model, int tenant, int conversation, const char *name,
                  bool may_create, struct model_session **ret_session)
{
    *ret_session = name ? model_find(model, tenant, name) : model->currents[tenant][conversation];
    if (!*ret_session && !name && conversation) {
        *ret_session = model->newest[tenant][conversation];
    }
    if (*ret_session) {
        return 0;
    }
    return name || !may_create ? TB_E_SESSION_NOT_FOUND
                               : create_implied(model, tenant, conversation, ret_session);
}

/* Time. */

static int64_t earlier(int64_t due_ms, int64_t other_ms)
{
    return other_ms && other_ms < due_ms ? other_ms : due_ms;
}

int64_t model_next_due(const struct model *model)
{
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        const struct model_session *session = &model->sessions[i];
        if (session->live) {
            due_ms = earlier(due_ms, session->idle_due_ms);
            due_ms = earlier(due_ms, session->end_due_ms);
            due_ms = earlier(due_ms, session->grace_due_ms);
            due_ms = earlier(due_ms, session->age_due_ms);
        }
    }
    for (size_t i = 0; i < CALLS_MAX; i++) {
        due_ms = model->calls[i].real ? earlier(due_ms, model->calls[i].due_ms) : due_ms;
    }
    return due_ms;
}

static void call_due(struct model *model, struct model_call *call)
{
    struct model_session *session = call->session;
    if (!call->broken) {
        bool is_kept_out = !call->running && session->asked;
        model_break_call(model, call, is_kept_out ? TB_E_HELD : TB_E_TIMEOUT);
        return;
    }
    session->stuck = true;
    model_leave(model, call, call->broken);
    model_settle(model, session);
}

static void age_due(struct model *model, struct model_session *session)
{
    session->age_due_ms = 0;
    if (model_running_call(model, session)) {
        session->retiring = true;
        forget_choices(model, session);
    } else {
        model_end(model, session, TB_E_SESSION_ENDED);
    }
}

static void idle_due(struct model *model, struct model_session *session)
{
    if (session->conversation) {
        model_end(model, session, TB_E_SESSION_ENDED);
    } else if (session->stuck) {
        session->idle_due_ms = 0;
        session->grace_due_ms = model_now(model) + TB_CALL_GRACE_MS;
    } else {
        model->slept++;
        session->saved = true;
        fall_asleep(model, session);
    }
}

/* The driver works for a call that is gone, so nothing can be saved. */
static void grace_due(struct model *model, struct model_session *session)
{
    if (session->saved) {
        fall_asleep(model, session);
    } else {
        session->hibernate_after_ms = model_now(model) + RETRY_MS;
        rest(model, session);
    }
}

static void session_due(struct model *model, struct model_session *session)
{
    int64_t now_ms = model_now(model);
    if (session->live && session->age_due_ms == now_ms) {
        age_due(model, session);
    }
    if (session->live && session->end_due_ms == now_ms) {
        model_end(model, session, TB_E_SESSION_ENDED);
    }
    if (session->live && session->grace_due_ms == now_ms) {
        grace_due(model, session);
    }
    if (session->live && session->idle_due_ms == now_ms) {
        idle_due(model, session);
    }
}

void model_all_due(struct model *model)
{
    for (size_t i = 0; i < CALLS_MAX; i++) {
        if (model->calls[i].real && model->calls[i].due_ms == model_now(model)) {
            call_due(model, &model->calls[i]);
        }
    }
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        session_due(model, &model->sessions[i]);
    }
}
