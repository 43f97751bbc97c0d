/* SPDX-License-Identifier: Apache-2.0 */
/* The policies that hold for a session, and what follows from them: which tools may act on it, and
 * which pages it may have. */
#pragma once

#include "base/err.h"
#include "core/policy.h"
#include "core/principal.h"
#include "core/toolbox.h"

struct cJSON;
struct tb_core;
struct tb_egress;
struct tb_mask;
struct tb_refusals;
struct tb_session;
struct tb_sessions;

/* What a session may do, and what may leave it. */
struct tb_session_bounds {
    struct tb_policy *starter;    /* of the key that started it; NULL: it had none */
    struct tb_policy *policy;     /* its own, from its arguments once it was opened; NULL: none */
    struct tb_refusals *refusals; /* of pages; NULL: none yet */
    struct tb_egress *egress;     /* NULL: its browser reaches the network by itself */
    struct tb_mask *mask;         /* of the secrets that were typed in it; NULL: none were */
};

/* Takes over the policy of its own from the arguments of start_session, which were read before, or
 * come from its record. TB_E_PARAMS. */
int tb_session_policy_read(struct tb_session *session, const struct cJSON *args,
                           struct tb_err *err);
/* The same for one that is opened again. It was read before it was stored; if it cannot be read any
 * more, the session may do nothing, since nobody knows what it must not. */
void tb_session_policy_restore(struct tb_session *session, const struct cJSON *args);
/* The session has ended: its pages connect to nothing any more, and what is left to tell of
 * refusals is told. */
void tb_session_policy_end(struct tb_session *session);
void tb_session_policy_fini(struct tb_session *session);
/* As they are now; borrowed until the next turn of the loop. */
struct tb_policy_set tb_session_policies(const struct tb_session *session);
/* The same with that of the key by which somebody calls; what holds for all of its sessions if
 * `session` is NULL. */
struct tb_policy_set tb_caller_policies(const struct tb_core *core, const struct tb_principal *who,
                                        const struct tb_session *session);
/* Whether a caller may run the tool, with this session if it is not NULL. TB_E_DENIED, TB_E_STORE
 * while nobody knows; the words are the rest of a sentence about it. */
int tb_session_policy_tool(const struct tb_core *core, const struct tb_principal *who,
                           const struct tb_session *session, const struct tb_entry *entry,
                           struct tb_err *err);
/* Whether it may use this session at all. A key with rules for the network must not get around them
 * by a session whose pages are not bound by them. TB_E_DENIED, with words of the same kind. */
int tb_session_policy_admits(const struct tb_session *session, const struct tb_principal *who,
                             struct tb_err *err);
/* For drivers (core/driver.h): whether a page of the session, `owner`, may be at this address. A
 * refusal is told. */
int tb_session_policy_page(void *owner, struct tb_str url, struct tb_err *err);
/* The same: how large a file may be that a page offers or, with `given`, is given. */
int64_t tb_session_policy_file_max(void *owner, bool given);
/* Policies have changed: sessions end whose page is not allowed any more, and connections that are
 * not are cut. */
void tb_session_policies_changed(struct tb_sessions *sessions);
