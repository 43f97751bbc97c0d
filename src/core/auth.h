/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials: which tokens there are, and whom each stands for. Only hashes are kept. A peer that
 * fails too often is told to wait, so that guessing is slow; a right token always passes, so that
 * one bad neighbour on the same address cannot lock others out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

struct tb_auth;

struct tb_auth *tb_auth_new(const struct tb_clock *clock);
void tb_auth_free(struct tb_auth *auth);
TB_DEFINE_AUTO(struct tb_auth *, tb_auth_free)
/* The operator's token, which may do everything. */
void tb_auth_set_admin(struct tb_auth *auth, struct tb_str token);
/* 0 if `token` is right; TB_E_UNAUTHORIZED if not, TB_E_RATE if this peer was wrong too often
 * within the last minute. An empty token counts as none: it is refused but no guess. */
int tb_auth_check(struct tb_auth *auth, const char *peer, struct tb_str token);
