/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of egress.c and of egress_account.c, which counts whom a session talks to and what it
 * was refused. */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "base/map.h"
#include "core/egress.h"
#include "core/flood.h"
#include "core/policy.h"

enum {
    TB_EGRESS_PORTS = 8,
    TB_EGRESS_IPS = 64,
    TB_EGRESS_REFUSALS = 32, /* the last ones, for the listing */
    TB_EGRESS_SAID = 3,      /* rules in one reply */
};

struct tb_egress_host {
    char *name;
    int64_t requests;
    int64_t refused;
    uint64_t bytes_in; /* towards the browser */
    uint64_t bytes_out;
    int64_t first_wall_ms;
    int64_t last_wall_ms;
};

struct tb_refusal {
    int64_t wall_ms;
    uint16_t port;
    char *host; /* NULL: the place is free */
    char *rule;
};

/* Why something was refused. */
struct tb_egress_rule {
    char *text;
    unsigned opened; /* as in struct tb_egress_account, when it was last noted for a reply */
};

struct tb_egress_account {
    struct tb_map hosts;
    struct tb_egress_host others; /* all that the table has no room for */
    struct tb_refusal refusals[TB_EGRESS_REFUSALS];
    size_t refusal_count;               /* ever */
    struct tb_map rules;                /* by their texts */
    unsigned opened;                    /* addresses that calls have opened */
    const char *unsaid[TB_EGRESS_SAID]; /* the first of those that no reply has said yet */
    size_t unsaid_count;                /* of all those */
    struct tb_flood flood;
};

struct tb_pass {
    struct tb_list link; /* of its egress, or of those that are nobody's */
    struct tb_egresses *egresses;
    struct tb_egress *egress;
    struct tb_list uses;
    char user[TB_TOKEN_SIZE];
    char *secret; /* in the vault */
    uint8_t hash[TB_HASH_BYTES];
    bool known;
};

struct tb_egress {
    struct tb_list link; /* of all */
    struct tb_egresses *egresses;
    struct tb_session *session;
    struct tb_list passes;
    size_t uses;
    struct tb_upstream *upstream; /* in the vault; NULL: it had none yet */
    bool has_upstream;
    struct tb_egress_account account;
};

struct tb_egresses {
    struct tb_core *core;
    struct tb_map passes; /* by user name */
    struct tb_list all;
    struct tb_list unbound;
    size_t uses;
    struct tb_policy_own own; /* points into the next two */
    uint16_t own_ports[TB_EGRESS_PORTS];
    struct tb_ip own_ips[TB_EGRESS_IPS];
    char *proxy;
    uint8_t no_hash[TB_HASH_BYTES]; /* of no secret */
};

void tb_egress_account_init(struct tb_egress *egress);
void tb_egress_account_fini(struct tb_egress *egress);
