/* SPDX-License-Identifier: Apache-2.0 */
/* What leaves the browsers of a session: a session with a policy, or with an upstream proxy, has an
 * egress, and its browser contexts reach the network only through the forward proxy (front/proxy).
 *
 * A pass is what a context shows there: a user name and a secret, made with the context and dead
 * with it. Bound to an egress it is judged by that session's policy; bound to none it opens
 * nothing. A use is a connection that was made with a pass; it is cut when the pass goes, when the
 * session ends, and when the policy changes so that it would not be made again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/upstream.h"
#include "proto/url_parts.h"

/* A name of our own: the proxy answers it with 204 to whoever shows a pass. */
#define TB_EGRESS_PRIME_HOST "prime.tabard.invalid"

struct cJSON;
struct tb_core;
struct tb_egress;
struct tb_egress_host;
struct tb_egresses;
struct tb_json_writer;
struct tb_pass;
struct tb_policy_own;
struct tb_session;

/* Where something wants to go. */
struct tb_egress_goal {
    unsigned schemes; /* TB_SCHEME_HTTP, or TB_POLICY_TUNNEL */
    struct tb_host host;
    uint16_t port;
};

/* A part of whoever has the connection. */
struct tb_egress_use {
    struct tb_list link; /* of its pass */
    struct tb_pass *pass;
    struct tb_egress_goal goal;
    struct tb_ip address; /* that it is connected to, if known */
    bool has_address;
    struct tb_egress_host *account; /* NULL: nothing was counted yet */
    /* It must end now. It has left its pass already. */
    void (*cut)(struct tb_egress_use *use);
};

struct tb_egresses *tb_egresses_new(struct tb_core *core);
/* Sessions and passes must be gone. */
void tb_egresses_free(struct tb_egresses *egresses);
TB_DEFINE_AUTO(struct tb_egresses *, tb_egresses_free)
/* A port of this machine where the daemon itself listens: no session gets there. */
void tb_egresses_own_port(struct tb_egresses *egresses, uint16_t port);
/* For the judges. */
const struct tb_policy_own *tb_egresses_own(const struct tb_egresses *egresses);
/* The forward proxy listens here: "127.0.0.1:45678". */
void tb_egresses_set_proxy(struct tb_egresses *egresses, const char *address);
/* NULL: there is none. */
const char *tb_egresses_proxy(const struct tb_egresses *egresses);
/* Policies have changed: what they no longer allow is cut. NULL is passed over. */
void tb_egresses_review(struct tb_egresses *egresses);

/* The egress that a session needs, made if need be; *ret_egress is NULL if it needs none.
 * TB_E_NOT_POSSIBLE when there is no proxy to enforce its policy, TB_E_PARAMS for an upstream that
 * is none. */
int tb_egress_of(struct tb_session *session, const struct cJSON *args,
                 struct tb_egress **ret_egress, struct tb_err *err);
/* The session has ended: its passes are bound to nobody and its connections cut. NULL is passed
 * over. */
void tb_egress_end(struct tb_egress *egress);
/* The same, and frees it. */
void tb_egress_free(struct tb_egress *egress);
/* By which proxy it goes out; NULL: by none. */
const struct tb_upstream *tb_egress_upstream(const struct tb_egress *egress);
/* The same, where that proxy gets the requests themselves and makes no tunnel for them: many make
 * none to the port of plain HTTP. NULL: it does not, or there is none. */
const struct tb_upstream *tb_egress_passes_on(const struct tb_egress *egress,
                                              const struct tb_egress_goal *goal);
/* {"proxied","hosts":[...],"refused":[...],"refusedTotal"}: whom a session talked to, how much, and
 * what was refused; all empty without an egress. */
void tb_egress_print(const struct tb_session *session, struct tb_json_writer *json);

/* A call is about to open an address: why that fails is news, also if it was said before. NULL is
 * passed over. */
void tb_egress_opens(struct tb_egress *egress);
/* Appends why requests were refused, in words for a reply, as far as this has not said it yet;
 * nothing if there is nothing new. NULL is passed over. */
void tb_egress_say_refused(struct tb_egress *egress, struct tb_buf *out);

/* Bound to nobody. */
struct tb_pass *tb_pass_new(struct tb_egresses *egresses);
/* Cuts what was made with it. */
void tb_pass_free(struct tb_pass *pass);
const char *tb_pass_user(const struct tb_pass *pass);
const char *tb_pass_secret(const struct tb_pass *pass);
/* The proxy has seen it, so its browser shows it. */
void tb_pass_note_known(struct tb_pass *pass);
bool tb_pass_is_known(const struct tb_pass *pass);
/* From now on it is that session's. */
void tb_pass_bind(struct tb_pass *pass, struct tb_egress *egress);
/* The pass with this user name and secret; NULL: there is none. Takes the same time for a wrong
 * name and a wrong secret. */
struct tb_pass *tb_pass_find(struct tb_egresses *egresses, struct tb_str user,
                             struct tb_str secret);
/* NULL: nobody's. */
struct tb_egress *tb_pass_egress(const struct tb_pass *pass);

/* A connection begins to use the pass. TB_E_LIMIT: there are too many. */
int tb_egress_enter(struct tb_egress_use *use, struct tb_pass *pass, struct tb_err *err);
/* Ends it; one that never began is passed over. */
void tb_egress_leave(struct tb_egress_use *use);
/* Each 0, or the refusal: TB_E_DOMAIN_BLOCKED and the like with words that name the rule. The first
 * asks whether the goal may be looked for at all, the second whether its host may be at this
 * address. */
int tb_egress_judge(const struct tb_egress *egress, const struct tb_egress_goal *goal,
                    struct tb_err *err);
int tb_egress_judge_address(const struct tb_egress *egress, const struct tb_egress_goal *goal,
                            const struct tb_ip *address, struct tb_err *err);
/* Whether the address of a name counts even where an upstream proxy resolves it. */
bool tb_egress_needs_address(const struct tb_egress *egress, const struct tb_egress_goal *goal);
/* A request to the goal of the use begins. */
void tb_egress_count_request(struct tb_egress_use *use);
void tb_egress_count_bytes(struct tb_egress_use *use, size_t in, size_t out);
/* It was refused: counted, kept for the listing, told on the bus. Of a flood the first hundred a
 * minute are told one by one, the rest as a number. */
void tb_egress_refused(struct tb_egress *egress, const struct tb_egress_goal *goal,
                       const struct tb_err *why);
