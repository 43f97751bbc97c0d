/* SPDX-License-Identifier: Apache-2.0 */
/* What the store has of sessions that have ended, on its way out. A session that was ended must not
 * come back after a restart, logins and all, so a removal that failed is repeated until the store
 * has it: every second while the store takes anything. Part of struct tb_sessions. */
#pragma once

#include "core/gate.h"

struct tb_core;
struct tb_removals;
struct tb_session;
struct tb_tenant;

struct tb_removals *tb_removals_new(struct tb_core *core);
/* What is left is tried a last time. The store outlives it. */
void tb_removals_free(struct tb_removals *removals);
/* The session has ended: its record and its state go. The gate hears if that fails; it may be NULL.
 */
void tb_removals_add(struct tb_removals *removals, const struct tb_session *session,
                     struct tb_gate *gate);
/* The gate's reply says that this tenant's sessions are gone: what is left of earlier ones is tried
 * again now. */
void tb_removals_repeat(struct tb_removals *removals, const struct tb_tenant *tenant,
                        struct tb_gate *gate);
