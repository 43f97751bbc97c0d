/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls. A principal is a credential as the daemon knows it: whose it is and what it may do.
 * core/auth.c makes it and knows the secret that stands for it; whoever acts in its name (a
 * request, a peer, a call, an event stream) holds a reference.
 *
 * A caller is a principal in one of its conversations: what a call, or a look at the sessions, is
 * made for. What its reply waits for is no part of it (core/gate.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"
#include "core/rates.h"

struct tb_policy;
struct tb_view;

#define TB_TENANT_DEFAULT "default" /* the operator's, and whoever's is not said */

enum {
    TB_TENANT_SIZE = 65,
    TB_KEY_SIZE = 33,
    TB_LABEL_SIZE = 97,
};

/* What a credential may do, a bit each; one does not include another. */
enum tb_scope {
    TB_SCOPE_OBSERVE = 1, /* look: sessions, events, metrics, tools that change nothing */
    TB_SCOPE_ACT = 2,     /* call the other tools, close and renew sessions */
    TB_SCOPE_ADMIN = 4,   /* what concerns the whole tenant: stop all, private sessions */
    TB_SCOPE_OPERATE = 8, /* what concerns all tenants: clear the audit log. Only the operator's own
                             credentials have it, whatever a tenant may give to others */
    TB_SCOPES_ALL = TB_SCOPE_OBSERVE | TB_SCOPE_ACT | TB_SCOPE_ADMIN | TB_SCOPE_OPERATE,
};

/* What a credential may use at most; 0: what the settings say. */
struct tb_quota {
    int64_t calls_per_minute;
    int64_t sessions_max; /* that are awake at once */
};

struct tb_principal {
    unsigned refs;
    unsigned scopes;
    char tenant[TB_TENANT_SIZE];
    char key[TB_KEY_SIZE];     /* names the credential, no secret */
    char label[TB_LABEL_SIZE]; /* for people */
    int64_t expires_ms;        /* wall clock; 0: never */
    int64_t used_ms;           /* wall clock, when it was last let in; 0: not yet */
    struct tb_quota quota;
    struct tb_policy *policy; /* narrows what it may; a reference; NULL: none of its own */
    struct tb_rate rate;      /* of its calls */
    unsigned streams;         /* that are open: core/rates.h */
    bool revoked;             /* begins nothing any more; what is live ends at once */
    struct tb_list live;
};

struct tb_principal_spec {
    const char *tenant;
    const char *key;
    const char *label;
    unsigned scopes;
    int64_t expires_ms;
    struct tb_quota quota;
    struct tb_policy *policy; /* borrowed */
};

/* A call or a stream that goes on in the name of a principal, inside its own record. */
struct tb_live {
    struct tb_list link;
    void (*revoked)(struct tb_live *live); /* ends it, now or later; it is off the list already */
};

/* With one reference. The texts fit, which is for whoever reads them to see to. */
struct tb_principal *tb_principal_new(const struct tb_principal_spec *spec);
struct tb_principal *tb_principal_ref(struct tb_principal *principal, const char *why);
void tb_principal_unref(struct tb_principal *principal, const char *why);
bool tb_principal_may(const struct tb_principal *principal, unsigned scopes);
/* As an agent in the log: TB_OPERATOR, or the id of its key. */
const char *tb_principal_name(const struct tb_principal *principal);
/* "act"; of several the one that fewest have. */
const char *tb_scope_name(unsigned scopes);
/* 1 to 64 of [a-z0-9_-], not beginning with '-'. */
bool tb_tenant_name_valid(struct tb_str name);
/* The principal is not revoked. To take it off again: tb_list_remove of its link. */
void tb_principal_add_live(struct tb_principal *principal, struct tb_live *live);
/* From now on it may nothing, and what is live ends. */
void tb_principal_revoke(struct tb_principal *principal);

#define TB_OPERATOR "operator" /* as an agent's name in the log */

struct tb_caller {
    struct tb_principal *who;
    const char *conversation; /* empty: none */
    const char *agent;    /* "claude-code 2.1", as it introduced itself; NULL or empty: unknown */
    bool files;           /* it has tools for files, so its new sessions keep downloads */
    bool brief;           /* its toolset lets a conversation's session end when it is idle */
    struct tb_view *view; /* the tools that it was given; NULL: all */
    const char *session;  /* an id or name that its way in gives (/mcp?session=...): where its calls
                             go that name none; NULL or empty: none */
    bool chooses;         /* its conversation is that of its way in alone, so a session that it has
                             chosen since counts before `session` */
    bool passing;         /* its conversation cannot outlive the daemon */
    bool whole;           /* it cuts results itself where they are long, in its toolset's manner */
    bool noteless;        /* its reply has no place for a note beside what it asks for */
    bool everyone;        /* the tenant's operator: private sessions of others are there for it */
};

/* The session that the caller's way in gives; empty: none. */
struct tb_str tb_caller_session(const struct tb_caller *caller);
