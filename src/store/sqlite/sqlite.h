/* SPDX-License-Identifier: Apache-2.0 */
/* The default store: SQLite in <state-dir>/tabard.db, behind an intake (<state-dir>/tabard.intake)
 * that makes small writes durable without waiting for it. And the audit log of a state directory
 * for the command line, with or without a daemon. */
#pragma once

#include "base/id.h"
#include "base/mem.h"
#include "core/store.h"

extern const struct tb_store_kind tb_store_sqlite;

/* Is there anything in the state directory that was written with its secret? */
bool tb_sqlite_present(const char *state_dir);

/* The audit log alone; every function blocks. */
struct tb_sqlite_log;

/* With `alone` (the caller holds the lock of the directory: no daemon runs) what a killed daemon
 * left in the intake is moved into the database first; without, a running daemon does that within
 * moments. TB_E_NOT_FOUND when there is no database yet. */
int tb_sqlite_log_open(const char *state_dir, const uint8_t secret[TB_SECRET_BYTES], bool alone,
                       struct tb_sqlite_log **ret_log, struct tb_err *err);
void tb_sqlite_log_free(struct tb_sqlite_log *log);
TB_DEFINE_AUTO(struct tb_sqlite_log *, tb_sqlite_log_free)

/* Calls back for each entry, in order; an entry that cannot be read ends it with TB_E_STORE. */
int tb_sqlite_log_query(struct tb_sqlite_log *log, const struct tb_audit_query *query,
                        tb_store_entry_fn *entry, void *user, struct tb_err *err);
/* Both ends: the cut in front of the first entry and the sealed head, which is the last entry (all
 * zero: there never was one). Seals are those of tb_audit_seal with "cut" and "head". */
int tb_sqlite_log_ends(struct tb_sqlite_log *log, struct tb_audit_cut *ret_cut,
                       struct tb_audit_cut *ret_head, struct tb_err *err);
/* A row that stands outside of both ends, so no query gives it: 1 with its number, 0 when there is
 * none. */
int tb_sqlite_log_stray(struct tb_sqlite_log *log, int64_t *ret_seq, struct tb_err *err);
