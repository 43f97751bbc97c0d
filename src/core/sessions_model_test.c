/* SPDX-License-Identifier: Apache-2.0 */
/* Ten thousand random operations on sessions and calls, each compared with a model that is simple
 * enough to be right by looking: it has no timers, no jobs and no driver, only lists.
 *
 * After each operation the loop runs until it is quiet, so in the model everything happens at once.
 * Deadlines fall on odd milliseconds and all other times on even ones, so that no two that matter
 * to each other are equal. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"

#include "support/core_rig.h"

enum {
    OPERATIONS = 10000,
    TENANTS = 2,
    CONVERSATIONS = 3, /* the first is none */
    NAMES = 4,
    SESSIONS_MAX = 16,
    CALLS_MAX = 128,
    QUEUE = 4,
    PER_TENANT = 3,
    TOTAL = 7,
    CONVERSATION_IDLE_MS = 1010,
    CONVERSATION_AGE_MS = 7000,
    NAMED_IDLE_MS = 3010,
    OUTCOMES = 8,
};

struct model_session {
    bool live;
    int tenant;
    int conversation; /* 0: named */
    char name[TB_NAME_SIZE];
    char id[TB_ID_SIZE];
    size_t born; /* for the order */
    int64_t last_active_ms;
    int64_t idle_due_ms; /* 0: not armed */
    int64_t age_due_ms;
    bool retiring;
    bool stuck; /* the driver still works for a call that is gone */
};

struct model_call {
    struct rig_call *real; /* NULL: the slot is free */
    struct model_session *session;
    size_t born;
    const struct tb_tool *tool;
    bool running;
    int64_t due_ms;
    int broken;
    int expected; /* 1: it goes on */
};

struct model {
    struct rig *rig;
    struct model_session sessions[SESSIONS_MAX];
    struct model_call calls[CALLS_MAX];
    struct model_session *currents[TENANTS][CONVERSATIONS];
    struct model_session *newest[TENANTS][CONVERSATIONS];
    unsigned numbers[TENANTS];
    size_t births;
    unsigned random;
    size_t seen[OUTCOMES];
};

/* Each must come up, or the operations are not random enough. */
static const int outcomes[OUTCOMES] = {
    0,          TB_E_CANCELLED,         TB_E_TIMEOUT,       TB_E_BUSY,
    TB_E_LIMIT, TB_E_SESSION_NOT_FOUND, TB_E_SESSION_ENDED, TB_E_BROWSER_CRASHED};

static const char *const tenants[TENANTS] = {"t", "u"};
static const char *const conversations[CONVERSATIONS] = {"", "c1", "c2"};
static const char *const names[NAMES] = {"n0", "n1", "n2", "n3"};

static int64_t now(const struct model *model)
{
    return model->rig->clock.mono_ms;
}

static int pick(struct model *model, int below)
{
    model->random = model->random * 1103515245U + 12345U;
    return (int)((model->random >> 16) % (unsigned)below);
}

/* What the model knows. */

static struct model_call *first_call(struct model *model, const struct model_session *session)
{
    struct model_call *first = NULL;
    for (size_t i = 0; i < CALLS_MAX; i++) {
        struct model_call *call = &model->calls[i];
        bool fits = call->real && call->session == session;
        first = fits && (!first || call->born < first->born) ? call : first;
    }
    return first;
}

static struct model_call *running_call(struct model *model, const struct model_session *session)
{
    struct model_call *first = first_call(model, session);
    return first && first->running ? first : NULL;
}

static size_t waiting_count(struct model *model, const struct model_session *session)
{
    size_t count = 0;
    for (size_t i = 0; i < CALLS_MAX; i++) {
        const struct model_call *call = &model->calls[i];
        count += call->real && call->session == session && !call->running;
    }
    return count;
}

static struct model_session *find(struct model *model, int tenant, const char *name)
{
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[i];
        if (session->live && session->tenant == tenant && strcmp(session->name, name) == 0) {
            return session;
        }
    }
    return NULL;
}

static size_t count_sessions(const struct model *model, int tenant, bool of_conversations)
{
    size_t count = 0;
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        const struct model_session *session = &model->sessions[i];
        count += session->live && (tenant < 0 || session->tenant == tenant) &&
                 (!of_conversations || session->conversation);
    }
    return count;
}

/* What happens in the model. */

static void rest(struct model *model, struct model_session *session)
{
    session->last_active_ms = now(model);
    if (!first_call(model, session)) {
        session->idle_due_ms =
            now(model) + (session->conversation ? CONVERSATION_IDLE_MS : NAMED_IDLE_MS);
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

static void leave(struct model *model, struct model_call *call, int code)
{
    struct model_session *session = call->session;
    call->expected = code;
    call->session = NULL;
    call->running = false;
    call->due_ms = 0;
    rest(model, session);
}

static void end_session(struct model *model, struct model_session *session, int code)
{
    struct model_call *call;
    while ((call = first_call(model, session))) {
        leave(model, call, call->broken ? call->broken : code);
    }
    forget_choices(model, session);
    session->live = false;
}

static void settle(struct model *model, struct model_session *session)
{
    struct model_call *call;
    if (session->live && session->retiring && !running_call(model, session)) {
        end_session(model, session, TB_E_SESSION_ENDED);
    }
    while (session->live && !session->stuck && (call = first_call(model, session)) &&
           !call->running) {
        if (call->tool != &rig_navigate) {
            call->running = true;
            return;
        }
        leave(model, call, 0);
    }
}

static void break_call(struct model *model, struct model_call *call, int code)
{
    struct model_session *session = call->session;
    if (!session || call->broken) {
        return;
    }
    if (!call->running) {
        leave(model, call, code);
        return;
    }
    call->broken = code;
    if (call->tool == &rig_click) {
        leave(model, call, code);
        settle(model, session);
    } else {
        call->due_ms = now(model) + TB_CALL_GRACE_MS;
    }
}

static void call_due(struct model *model, struct model_call *call)
{
    struct model_session *session = call->session;
    if (!call->broken) {
        break_call(model, call, TB_E_TIMEOUT);
        return;
    }
    session->stuck = true;
    leave(model, call, call->broken);
    settle(model, session);
}

static void age_due(struct model *model, struct model_session *session)
{
    session->age_due_ms = 0;
    if (running_call(model, session)) {
        session->retiring = true;
        forget_choices(model, session);
    } else {
        end_session(model, session, TB_E_SESSION_ENDED);
    }
}

static struct model_session *add_session(struct model *model, int tenant, int conversation,
                                         int owner, const char *name)
{
    struct model_session *session = NULL;
    for (size_t i = 0; i < SESSIONS_MAX && !session; i++) {
        session = model->sessions[i].live ? NULL : &model->sessions[i];
    }
    assert_non_null(session);
    *session = (struct model_session){.live = true,
                                      .tenant = tenant,
                                      .conversation = owner,
                                      .born = ++model->births,
                                      .age_due_ms = owner ? now(model) + CONVERSATION_AGE_MS : 0};
    snprintf(session->name, sizeof(session->name), "%s", name);
    model->currents[tenant][conversation] = session;
    if (owner) {
        model->newest[tenant][conversation] = session;
    }
    rest(model, session);
    return session;
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
        bool fits = session->live && session->tenant == tenant && session->conversation &&
                    !first_call(model, session);
        oldest = fits && (!oldest || older(session, oldest)) ? session : oldest;
    }
    if (oldest) {
        end_session(model, oldest, TB_E_SESSION_ENDED);
    }
    return oldest != NULL;
}

static int create_implied(struct model *model, int tenant, int conversation,
                          struct model_session **ret_session)
{
    char name[TB_NAME_SIZE];
    if (conversation && count_sessions(model, tenant, true) >= PER_TENANT &&
        !evict(model, tenant)) {
        return TB_E_LIMIT;
    }
    if (count_sessions(model, -1, false) >= TOTAL) {
        return TB_E_LIMIT;
    }
    snprintf(name, sizeof(name), "browser-%u", ++model->numbers[tenant]);
    *ret_session = add_session(model, tenant, conversation, conversation, name);
    return 0;
}

static int resolve(struct model *model, int tenant, int conversation, const char *name,
                   bool may_create, struct model_session **ret_session)
{
    *ret_session = name ? find(model, tenant, name) : model->currents[tenant][conversation];
    if (!*ret_session && !name && conversation) {
        *ret_session = model->newest[tenant][conversation];
    }
    if (*ret_session) {
        return 0;
    }
    return name || !may_create ? TB_E_SESSION_NOT_FOUND
                               : create_implied(model, tenant, conversation, ret_session);
}

/* Both sides. */

static int64_t earlier(int64_t due_ms, int64_t other_ms)
{
    return other_ms && other_ms < due_ms ? other_ms : due_ms;
}

static int64_t next_due(const struct model *model)
{
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        const struct model_session *session = &model->sessions[i];
        due_ms = session->live ? earlier(due_ms, session->idle_due_ms) : due_ms;
        due_ms = session->live ? earlier(due_ms, session->age_due_ms) : due_ms;
    }
    for (size_t i = 0; i < CALLS_MAX; i++) {
        due_ms = model->calls[i].real ? earlier(due_ms, model->calls[i].due_ms) : due_ms;
    }
    return due_ms;
}

static void all_due(struct model *model)
{
    for (size_t i = 0; i < CALLS_MAX; i++) {
        if (model->calls[i].real && model->calls[i].due_ms == now(model)) {
            call_due(model, &model->calls[i]);
        }
    }
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[i];
        if (session->live && session->age_due_ms == now(model)) {
            age_due(model, session);
        }
        if (session->live && session->idle_due_ms == now(model)) {
            end_session(model, session, TB_E_SESSION_ENDED);
        }
    }
}

static void check_session(struct model *model, struct model_session *session)
{
    struct tb_session *real = tb_sessions_find(model->rig->core.sessions, tenants[session->tenant],
                                               tb_str_of(session->name));
    assert_non_null(real);
    snprintf(session->id, sizeof(session->id), "%s", real->id);
    assert_string_equal(real->conversation, conversations[session->conversation]);
    assert_int_equal(real->running != NULL, running_call(model, session) != NULL);
    assert_int_equal(real->waiting_count, waiting_count(model, session));
    assert_int_equal(real->op != NULL, session->stuck || running_call(model, session));
    assert_int_equal(real->last_active_ms, session->last_active_ms);
}

/* Compares, and forgets the calls that have ended. */
static void check(struct model *model)
{
    rig_turns(model->rig, 16);
    for (size_t i = 0; i < CALLS_MAX; i++) {
        struct model_call *call = &model->calls[i];
        if (!call->real) {
            continue;
        }
        if (call->expected > 0) {
            assert_int_equal(call->real->dones, 0);
            continue;
        }
        for (size_t k = 0; k < OUTCOMES; k++) {
            model->seen[k] += outcomes[k] == call->expected;
        }
        rig_expect(call->real, call->expected);
        call->real = NULL;
    }
    assert_int_equal(tb_sessions_count(model->rig->core.sessions),
                     count_sessions(model, -1, false));
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        if (model->sessions[i].live) {
            check_session(model, &model->sessions[i]);
        }
    }
}

static void advance(struct model *model, int64_t ms)
{
    const int64_t target_ms = now(model) + ms;
    while (now(model) < target_ms) {
        int64_t due_ms = next_due(model);
        int64_t stop_ms = due_ms < target_ms ? due_ms : target_ms;
        tb_clock_manual_advance(&model->rig->clock, stop_ms - now(model));
        if (stop_ms == due_ms) {
            all_due(model);
        }
        check(model);
    }
}

static void do_create(struct model *model)
{
    int tenant = pick(model, TENANTS);
    int conversation = pick(model, CONVERSATIONS);
    const char *name = names[pick(model, NAMES)];
    const struct tb_caller caller = {.tenant = tenants[tenant],
                                     .conversation = conversations[conversation]};
    const struct tb_session_spec spec = {
        .name = tb_str_of(name), .driver = &tb_driver_fake, .driver_state = model->rig->fake};
    struct tb_session *session;
    const char *warning;
    struct tb_err err;
    int expected = find(model, tenant, name)                           ? TB_E_SESSION_EXISTS
                   : count_sessions(model, -1, false) >= (size_t)TOTAL ? TB_E_LIMIT
                                                                       : 0;
    assert_int_equal(
        tb_sessions_create(model->rig->core.sessions, &caller, &spec, &session, &warning, &err),
        expected);
    if (expected == 0) {
        add_session(model, tenant, conversation, 0, name);
    }
}

static void do_call(struct model *model)
{
    static const struct tb_tool *const tools[] = {&rig_navigate, &rig_click, &rig_wait};
    static const int64_t timeouts[] = {301, 2001, 9001};
    int tenant = pick(model, TENANTS);
    int conversation = pick(model, CONVERSATIONS);
    const char *name = pick(model, 2) ? names[pick(model, NAMES)] : NULL;
    int64_t timeout_ms = timeouts[pick(model, TB_COUNT(timeouts))];
    struct model_call *call = NULL;
    for (size_t i = 0; i < CALLS_MAX && !call; i++) {
        call = model->calls[i].real ? NULL : &model->calls[i];
    }
    assert_non_null(call);
    *call = (struct model_call){
        .tool = tools[pick(model, TB_COUNT(tools))], .born = ++model->births, .expected = 1};
    char args[120];
    snprintf(args, sizeof(args), "{\"timeout_ms\":%lld%s%s%s}", (long long)timeout_ms,
             name ? ",\"sessionId\":\"" : "", name ? name : "", name ? "\"" : "");
    call->real =
        rig_start_as(model->rig, call->tool, tenants[tenant], conversations[conversation], args);
    struct model_session *session;
    int rc = resolve(model, tenant, conversation, name, call->tool == &rig_navigate, &session);
    if (rc == 0 && waiting_count(model, session) >= QUEUE) {
        rc = TB_E_BUSY;
    }
    if (rc < 0) {
        call->expected = rc;
        return;
    }
    call->session = session;
    call->due_ms = now(model) + timeout_ms;
    session->idle_due_ms = 0;
    session->last_active_ms = now(model);
    settle(model, session);
}

static void do_release(struct model *model)
{
    struct model_session *session = &model->sessions[pick(model, SESSIONS_MAX)];
    struct model_call *call = running_call(model, session);
    if (!session->live) {
        return;
    }
    assert_int_equal(tb_fake_release(model->rig->fake, session->id), call || session->stuck);
    if (call) {
        leave(model, call, call->broken == TB_E_CANCELLED ? TB_E_CANCELLED : 0);
    }
    session->stuck = false;
    settle(model, session);
}

static void do_cancel(struct model *model)
{
    struct model_call *call = &model->calls[pick(model, CALLS_MAX)];
    for (int i = 0; i < CALLS_MAX && !call->real; i++) {
        call = &model->calls[pick(model, CALLS_MAX)];
    }
    if (call->real) {
        tb_call_cancel(call->real->call);
        break_call(model, call, TB_E_CANCELLED);
    }
}

static void do_end(struct model *model)
{
    struct model_session *session = &model->sessions[pick(model, SESSIONS_MAX)];
    if (!session->live) {
        return;
    }
    if (pick(model, 3) == 0) {
        assert_true(tb_fake_lose(model->rig->fake, session->id));
        end_session(model, session, TB_E_BROWSER_CRASHED);
        return;
    }
    tb_session_end(tb_sessions_find(model->rig->core.sessions, tenants[session->tenant],
                                    tb_str_of(session->id)),
                   TB_END_CLOSED);
    end_session(model, session, TB_E_SESSION_ENDED);
}

static void do_end_many(struct model *model)
{
    int tenant = pick(model, TENANTS);
    int conversation = pick(model, CONVERSATIONS); /* 0: all of the tenant */
    const struct tb_caller caller = {.tenant = tenants[tenant],
                                     .conversation = conversations[conversation]};
    if (pick(model, 4)) {
        return; /* seldom, for little is left afterwards */
    }
    if (conversation) {
        tb_sessions_end_conversation(model->rig->core.sessions, &caller, TB_END_CONVERSATION_ENDED);
        model->currents[tenant][conversation] = NULL;
    } else {
        assert_int_equal(
            tb_sessions_end_all(model->rig->core.sessions, tenants[tenant], TB_END_GLOBAL_STOP),
            count_sessions(model, tenant, false));
    }
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct model_session *session = &model->sessions[i];
        if (session->live && session->tenant == tenant &&
            (!conversation || session->conversation == conversation)) {
            end_session(model, session, TB_E_SESSION_ENDED);
        }
    }
}

static void do_choose(struct model *model)
{
    int tenant = pick(model, TENANTS);
    int conversation = pick(model, CONVERSATIONS);
    const char *name = names[pick(model, NAMES)];
    const struct tb_caller caller = {.tenant = tenants[tenant],
                                     .conversation = conversations[conversation]};
    struct model_session *session = find(model, tenant, name);
    assert_int_equal(
        tb_sessions_set_current(model->rig->core.sessions, &caller, tb_str_of(name), NULL),
        session ? 0 : TB_E_SESSION_NOT_FOUND);
    model->currents[tenant][conversation] =
        session ? session : model->currents[tenant][conversation];
}

static void do_wait(struct model *model)
{
    static const int64_t times[] = {2, 10, 50, 200, 1200};
    advance(model, times[pick(model, TB_COUNT(times))]);
}

static void ten_thousand_random_operations_agree_with_the_model(void **state)
{
    static void (*const operations[])(struct model * model) = {
        do_call,   do_call,   do_call, do_call,   do_call,    do_call,    do_call,    do_call,
        do_call,   do_call,   do_call, do_create, do_create,  do_create,  do_create,  do_create,
        do_choose, do_cancel, do_end,  do_wait,   do_release, do_release, do_release, do_end_many};
    struct rig *rig = *state;
    struct model *model = TB_NEW(struct model);
    model->rig = rig;
    model->random = 20260131;
    rig->config.sessions_queue = QUEUE;
    rig->config.sessions_per_tenant = PER_TENANT;
    rig->config.sessions_total = TOTAL;
    rig->config.sessions_conversation_idle_ms = CONVERSATION_IDLE_MS;
    rig->config.sessions_conversation_max_age_ms = CONVERSATION_AGE_MS;
    rig->config.sessions_named_idle_ms = NAMED_IDLE_MS;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    rig->fake->ops[TB_OP_WAIT].when = TB_FAKE_HELD;
    rig->fake->ops[TB_OP_WAIT].cancel = TB_FAKE_CANCEL_IGNORED;
    tb_bus_unsubscribe(&rig->listener);
    for (int i = 0; i < OPERATIONS; i++) {
        operations[pick(model, TB_COUNT(operations))](model);
        check(model);
        advance(model, 2);
    }
    rig_stop(rig);
    for (size_t i = 0; i < CALLS_MAX; i++) {
        if (model->calls[i].real) {
            assert_int_equal(model->calls[i].real->dones, 1);
            rig_forget(model->calls[i].real);
        }
    }
    for (size_t k = 0; k < OUTCOMES; k++) {
        assert_true(model->seen[k] > 5);
    }
    tb_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ten_thousand_random_operations_agree_with_the_model,
                                        rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
