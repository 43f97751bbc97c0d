/* SPDX-License-Identifier: Apache-2.0 */
/* One connection to the database. It is used by one thread at a time; every function blocks.
 *
 * Functions return TB_E_STORE when the database cannot do it now (locked, disk full), -EBADMSG when
 * the file is broken and another has to take its place, -EEXIST when a row is in the way that
 * should not be there, and TB_E_CONFIG when the file is not ours to touch: a newer version's,
 * another program's or another installation's. A new version of the schema is one more row of
 * `steps` in db.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "core/store.h"
#include "store/query.h"
#include "store/sqlite/change.h"

struct sqlite3;
struct sqlite3_stmt;

enum tb_db_sql {
    TB_DB_BEGIN,
    TB_DB_COMMIT,
    TB_DB_ROLLBACK,
    TB_DB_GET_HEAD,
    TB_DB_GET_SECRET_CHECK,
    TB_DB_SET_HEAD,
    TB_DB_PUT,
    TB_DB_PUT_NEW,
    TB_DB_REMOVE,
    TB_DB_APPEND,
    TB_DB_FIRST_SINCE,
    TB_DB_HASH_OF,
    TB_DB_CUT,
    TB_DB_GET,
    TB_DB_EACH,
    TB_DB_RANGE,
    TB_DB_ENTRIES,
    TB_DB_ENTRIES_BACK,
    TB_DB_STRAY,
    TB_DB_DROP_STRAYS,
    TB_DB_SQL_COUNT,
};

struct tb_db {
    struct sqlite3 *sql; /* NULL: not open */
    int version;         /* of the schema; 0: there is none yet */
    struct sqlite3_stmt *statements[TB_DB_SQL_COUNT];
};

/* The one row that changes with every transaction. */
struct tb_db_head {
    uint64_t intake_id; /* which records of which intake are in the database */
    uint64_t intake_seq;
    struct tb_audit_cut cut;
    struct tb_audit_cut last;            /* the newest entry */
    uint8_t secret_check[TB_HASH_BYTES]; /* written, and read by tb_db_check_secret alone */
};

enum tb_db_mode {
    TB_DB_READ,
    TB_DB_WRITE,  /* TB_E_NOT_FOUND when there is no file */
    TB_DB_CREATE, /* makes it */
};

/* On failure the connection is closed. */
int tb_db_open(struct tb_db *db, const char *path, enum tb_db_mode mode, int busy_ms,
               struct tb_err *err);
/* Safe on one that is zeroed or closed. */
void tb_db_close(struct tb_db *db);
/* The same without a last checkpoint, which would go by an index that is wrong. */
void tb_db_abandon(struct tb_db *db);
/* How long to wait for another program's lock. */
void tb_db_patience(struct tb_db *db, int busy_ms);
/* Commits outlive a power cut, and wait for the disk; otherwise they outlive the process. */
int tb_db_sync(struct tb_db *db, bool sync, struct tb_err *err);
/* Brings the schema up to date, in one transaction. */
int tb_db_migrate(struct tb_db *db, struct tb_err *err);
/* Is the file whole? `all`: records and log too, which may be long. */
int tb_db_check(struct tb_db *db, bool all, struct tb_err *err);
/* TB_E_CONFIG when the file was written with another secret: entries made with this one would break
 * the log for good. 0 for a file that does not tell yet. */
int tb_db_check_secret(struct tb_db *db, const uint8_t secret[TB_SECRET_BYTES], struct tb_err *err);
/* What tells a secret from another, and does not give it away. */
void tb_db_secret_check(const uint8_t secret[TB_SECRET_BYTES], uint8_t ret_check[TB_HASH_BYTES]);
/* Renames a file that is broken, with its log; the connections to it are closed before. */
int tb_db_set_aside(const char *path, const char *aside, struct tb_err *err);

/* A transaction: begin, changes, commit; after a failure rollback. */
int tb_db_begin(struct tb_db *db, struct tb_db_head *ret_head, struct tb_err *err);
/* 1: a record is to be put as a new one and is there already. */
int tb_db_change(struct tb_db *db, struct tb_db_head *head, const struct tb_change *change,
                 const uint8_t secret[TB_SECRET_BYTES], struct tb_err *err);
int tb_db_commit(struct tb_db *db, const struct tb_db_head *head, struct tb_err *err);
void tb_db_rollback(struct tb_db *db);

/* Removes entries behind the end of the log, which somebody else must have put there. Gives their
 * number. */
int tb_db_drop_strays(struct tb_db *db, int *ret_count, struct tb_err *err);

/* Reading, in portions. Rows are packed as key and value, or as entries. */
int tb_db_head(struct tb_db *db, struct tb_db_head *ret_head, struct tb_err *err);
int tb_db_get(struct tb_db *db, const char *space, struct tb_str key, struct tb_buf *rows,
              struct tb_err *err);
/* The records after the place *after (first 0), which moves on; 1 if there may be more. */
int tb_db_each(struct tb_db *db, const char *space, int64_t *after, struct tb_buf *rows,
               struct tb_err *err);
/* The records of a range, which moves on; 1 if there may be more. */
int tb_db_range(struct tb_db *db, const char *space, struct tb_range_copy *range,
                struct tb_buf *rows, struct tb_err *err);
/* The entries from `query->after_seq` to `before_seq`, both moved on; counts `limit` down. 1 if
 * there may be more. */
int tb_db_entries(struct tb_db *db, struct tb_audit_query *query, struct tb_buf *rows,
                  struct tb_err *err);
/* The number of a row outside of the log that the head describes: 1, or 0 when there is none. */
int tb_db_stray(struct tb_db *db, int64_t *ret_seq, struct tb_err *err);
/* Before the first portion: bounds that are open end where the log ends now. */
int tb_db_bound(struct tb_db *db, struct tb_audit_query *query, struct tb_err *err);

/* For the files of this connection: the statement, ready for its values; and one row of it: 1, 0
 * at the end. */
int tb_db_use(struct tb_db *db, enum tb_db_sql which, struct sqlite3_stmt **ret_statement,
              struct tb_err *err);
int tb_db_step(struct tb_db *db, struct sqlite3_stmt *statement, struct tb_err *err);
