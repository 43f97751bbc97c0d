/* SPDX-License-Identifier: Apache-2.0 */
/* The table of sessions from the inside, for core/session.c, core/sessions.c,
 * core/sessions_create.c, core/resolve.c and core/call.c. A tenant's record is made with its first
 * session and kept, so that the numbers in names go on counting; there are as many tenants as the
 * operator gave credentials to. */
#pragma once

#include "base/list.h"
#include "base/map.h"
#include "core/sessions.h"
#include "io/loop.h"

enum {
    TB_ENDED_KEPT = 8,
};

/* A session that is gone, for the words of an error. */
struct tb_ended {
    char name[TB_NAME_SIZE];
    enum tb_end_reason reason;
};

struct tb_tenant {
    char name[TB_TENANT_SIZE];
    struct tb_list sessions; /* oldest first */
    struct tb_map by_name;
    struct tb_map by_conversation; /* the newest session of each */
    struct tb_map currents;        /* struct tb_current by conversation */
    struct tb_list current_order;  /* the one that was set longest ago first */
    size_t named_count;
    size_t conversation_count;
    unsigned numbers[TB_KIND_COUNT];
    struct tb_ended ended[TB_ENDED_KEPT]; /* a ring */
    size_t ended_next;
};

struct tb_sessions {
    struct tb_core *core;
    struct tb_map by_id;
    struct tb_map tenants;
    struct tb_list closing; /* ended, but the driver is not done */
    struct tb_list calls;   /* all that are under way */
    bool draining;
    void (*drained)(void *user);
    void *drained_user;
    struct tb_deferred drained_job;
    char warning[160];
};

/* From a link of a tenant's sessions or of those that are closing. */
static inline struct tb_session *tb_session_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_session, link);
}

struct tb_tenant *tb_tenant_find(const struct tb_sessions *sessions, const char *tenant);

/* The current session of a conversation, NULL if it has none. */
struct tb_session *tb_current_get(const struct tb_tenant *tenant, const char *conversation);
void tb_current_set(struct tb_tenant *tenant, const char *conversation, struct tb_session *session);
/* No caller comes to this session any more unless by its name. */
void tb_current_forget(struct tb_session *session);
/* The caller's choice is forgotten. */
void tb_current_drop(struct tb_tenant *tenant, const char *conversation);

/* Begins to open a record that stands in the table. */
void tb_session_open(struct tb_session *session, const struct tb_session_spec *spec);
/* Looks soon at what there is to do: a call to start, an end to bring about. */
void tb_session_wake(struct tb_session *session);
/* It is too old: ends now, or with the call that runs. */
void tb_session_retire(struct tb_session *session);
/* It no longer belongs to a conversation. */
void tb_session_make_named(struct tb_session *session);
/* When it ends by itself, in monotonic time; INT64_MAX: never. */
int64_t tb_session_expires_ms(const struct tb_session *session);
/* One step of a session that has ended: closes the driver, or frees the record. */
void tb_session_wind_up(struct tb_session *session);
void tb_session_record_free(struct tb_session *session);

/* Takes an ended session out of every table; it waits among those that are closing. */
void tb_sessions_forget(struct tb_session *session, enum tb_end_reason reason);
/* The driver is done with it: frees it. */
void tb_sessions_gone(struct tb_session *session);
