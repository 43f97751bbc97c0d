/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and calls once more, simple enough to be right by looking: no timers, no jobs and no
 * driver, only lists. core/sessions_model_test.c compares the real ones with it.
 *
 * In the model everything happens at once. All times but deadlines are even, so that no two that
 * matter to each other are equal. */
#pragma once

#include "core/session_hold.h"

#include "support/fake_store.h"
#include "support/peer.h"

enum {
    TENANTS = 2,
    CONVERSATIONS = 3, /* the first is none */
    NAMES = 4,
    SESSIONS_MAX = 64,
    CALLS_MAX = 128,
    QUEUE = 4,
    PER_TENANT = 3,
    TOTAL = 7,
    CONVERSATION_IDLE_MS = 1010,
    CONVERSATION_AGE_MS = 7000,
    NAMED_IDLE_MS = 410,
    HIBERNATED_MS = 3010,
    OUTCOMES = 11,
};

struct model_session {
    bool live;
    int tenant;
    int conversation; /* 0: named */
    char name[TB_NAME_SIZE];
    char id[TB_ID_SIZE];
    size_t born; /* for the order */
    int64_t last_active_ms;
    int64_t idle_due_ms;  /* 0: not armed */
    int64_t end_due_ms;   /* of one that sleeps instead of ending when it is idle */
    int64_t grace_due_ms; /* it is to sleep, but the driver still works */
    int64_t hibernate_after_ms;
    int64_t age_due_ms;
    bool asleep;
    bool saved;
    bool retiring;
    bool stuck; /* the driver still works for a call that is gone */
    bool away;
    bool bare;  /* away, and the driver has let go of it */
    bool asked; /* a person wants it ... */
    bool held;  /* ... and has it */
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
    struct peer peers[SESSIONS_MAX]; /* of the sessions of the same places */
    struct tb_holder holders[SESSIONS_MAX];
    struct model_call calls[CALLS_MAX];
    struct model_session *currents[TENANTS][CONVERSATIONS];
    struct model_session *newest[TENANTS][CONVERSATIONS];
    unsigned numbers[TENANTS];
    size_t births;
    unsigned random;
    size_t seen[OUTCOMES];
    size_t slept; /* because they were idle */
    size_t woken;
    size_t lost;
    size_t restarted;
    size_t gone;
    size_t back;
    size_t anew; /* the same, and the driver had let go of it */
    size_t held;
};

int64_t model_now(const struct model *model);
struct model_call *model_first_call(struct model *model, const struct model_session *session);
struct model_call *model_running_call(struct model *model, const struct model_session *session);
size_t model_waiting_count(struct model *model, const struct model_session *session);
/* NULL: there is none. */
struct model_session *model_find(struct model *model, int tenant, const char *name);
/* A tenant below 0 is all. */
size_t model_count(const struct model *model, int tenant);
size_t model_count_awake(const struct model *model, int tenant, bool of_conversations);

/* What happens. */
struct model_session *model_add(struct model *model, int tenant, int conversation, int owner,
                                const char *name);
int model_resolve(struct model *model, int tenant, int conversation, const char *name,
                  bool may_create, struct model_session **ret_session);
void model_enter(struct model *model, struct model_call *call, struct model_session *session);
void model_leave(struct model *model, struct model_call *call, int code);
void model_settle(struct model *model, struct model_session *session);
void model_break_call(struct model *model, struct model_call *call, int code);
void model_release(struct model *model, struct model_session *session);
void model_lose(struct model *model, struct model_session *session);
void model_go(struct model *model, struct model_session *session);
int model_come_back(struct model *model, struct model_session *session);
int model_hold(struct model *model, struct model_session *session);
void model_hand_back(struct model *model, struct model_session *session);
void model_end(struct model *model, struct model_session *session, int code);
void model_restart(struct model *model);

/* When something happens by itself next; then that it does. */
int64_t model_next_due(const struct model *model);
void model_all_due(struct model *model);
