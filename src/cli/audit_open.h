/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log of a state directory, for `tabard audit`: beside a running daemon, or, when none
 * runs, after what a killed one left behind was put in its place. */
#pragma once

#include "base/err.h"
#include "base/id.h"
#include "core/audit_verify.h"
#include "store/sqlite/sqlite.h"

struct tb_audit_log {
    struct tb_sqlite_log *log;
    uint8_t secret[TB_SECRET_BYTES];
};

int tb_audit_open(const char *state_dir, struct tb_audit_log *ret_log, struct tb_err *err);
void tb_audit_close(struct tb_audit_log *log);
/* 0, and *ret_verify says how far the log goes; TB_E_INVALID with words that say what is wrong with
 * it; another code when it cannot be read. */
int tb_audit_check(struct tb_audit_log *log, struct tb_audit_verify *ret_verify,
                   struct tb_err *err);
