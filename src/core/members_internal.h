/* SPDX-License-Identifier: Apache-2.0 */
/* A member from the inside, for core/members.c, which knows who it is, and core/members_queue.c,
 * which sees to its calls. */
#pragma once

#include "core/members.h"
#include "core/rates.h"
#include "core/session_internal.h"

struct tb_member {
    struct tb_list link;        /* of its session's */
    struct tb_list beside;      /* of its conversation's */
    struct tb_session *session; /* NULL: it has left, is on no list, and goes with its last call */
    struct tb_conversation *conversation;
    char key[TB_KEY_SIZE]; /* of the credential of one that names no conversation; else empty */
    char id[TB_MEMBER_ID_SIZE];
    char agent[TB_AGENT_SIZE];
    int64_t joined_wall_ms;
    int64_t heard_ms; /* its last word */
    struct tb_rate rate;
    size_t waiting; /* of its calls */
    size_t running; /* the same */
    bool stays;     /* somebody tells when it goes */
    bool told;      /* the bus knows it */
};

static inline struct tb_member *tb_member_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_member, link);
}

/* NULL: the caller is none. */
struct tb_member *tb_member_find(const struct tb_session *session, const struct tb_caller *caller);
/* It says something, or joins by that. As tb_member_join. */
int tb_member_hear(struct tb_session *session, const struct tb_caller *caller, bool calls,
                   struct tb_err *err);
void tb_member_free_if_done(struct tb_member *member);
