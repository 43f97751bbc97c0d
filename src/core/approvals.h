/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a person. A policy names tools in `ask`: each call of one waits until whoever
 * administers its tenant, or the person at the client that makes it (policy.ask_client), approves
 * of it or refuses, and is refused when nobody does in time (policy.ask_ms). Approvals do not
 * outlive the daemon: neither do the calls.
 *
 * What is asked for is on the bus as approval_wanted, without the call's arguments; these are for
 * those who decide alone. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "core/principal.h"

struct tb_approval;
struct tb_approvals;
struct tb_core;

/* What somebody wants to do; texts and arguments are copied. */
struct tb_approval_wish {
    const char *tenant;
    const char *session; /* its name; empty: none yet */
    const char *agent;
    const char *tool;         /* as its caller calls it */
    const struct cJSON *args; /* may be NULL */
};

/* `refusal` is NULL if it was approved. Once, from the loop; the approval is gone then. */
typedef void tb_approval_fn(const struct tb_err *refusal, void *user);

struct tb_approvals *tb_approvals_new(struct tb_core *core);
/* None waits any more. */
void tb_approvals_free(struct tb_approvals *approvals);
struct tb_approval *tb_approval_new(struct tb_approvals *approvals,
                                    const struct tb_approval_wish *wish, tb_approval_fn *fn,
                                    void *user);
/* Nobody waits for it any more: `fn` is not called. */
void tb_approval_free(struct tb_approval *approval);
/* The person at the client that makes the call has decided. Passed over if somebody else was
 * earlier. */
void tb_approval_answer(struct tb_approval *approval, bool approve);
/* While it is held, `fn` does not come, whoever decides; and if its time is over by then, it is
 * refused. True if somebody has decided. */
bool tb_approval_hold(struct tb_approval *approval, bool held);
/* TB_E_NOT_FOUND: there is none of this id for this principal, or it was decided already. */
int tb_approvals_find(const struct tb_approvals *approvals, const struct tb_principal *by,
                      struct tb_str id, struct tb_err *err);
/* The same failure. */
int tb_approvals_decide(struct tb_approvals *approvals, const struct tb_principal *by,
                        struct tb_str id, bool approve, struct tb_err *err);
/* {"approvals":[...]}: those that the principal decides on, oldest first. */
void tb_approvals_list(const struct tb_approvals *approvals, const struct tb_principal *by,
                       struct tb_json_writer *json);
