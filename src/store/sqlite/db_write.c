/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <sqlite3.h>

#include "core/audit_chain.h"
#include "store/sqlite/db.h"

/* Values live longer than the step, so SQLite need not copy them. An empty text has no pointer,
 * which SQLite would take for NULL. */
static void bind_text(sqlite3_stmt *statement, int place, struct tb_str text)
{
    sqlite3_bind_text64(statement, place, text.len ? text.ptr : "", text.len, SQLITE_STATIC,
                        SQLITE_UTF8);
}

static void bind_blob(sqlite3_stmt *statement, int place, const void *data, size_t len)
{
    sqlite3_bind_blob64(statement, place, len ? data : "", len, SQLITE_STATIC);
}

/* A statement without rows. */
static int finish(struct tb_db *db, sqlite3_stmt *statement, struct tb_err *err)
{
    int rc = tb_db_step(db, statement, err);
    sqlite3_reset(statement);
    return rc;
}

static int run(struct tb_db *db, enum tb_db_sql which, struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, which, &statement, err);
    return rc < 0 ? rc : finish(db, statement, err);
}

static bool read_hash(sqlite3_stmt *statement, int column, uint8_t ret_hash[TB_HASH_BYTES])
{
    const void *data = sqlite3_column_blob(statement, column);
    if (!data || sqlite3_column_bytes(statement, column) != TB_HASH_BYTES) {
        return false;
    }
    memcpy(ret_hash, data, TB_HASH_BYTES);
    return true;
}

static bool read_end(sqlite3_stmt *statement, int column, struct tb_audit_cut *ret_end)
{
    ret_end->seq = sqlite3_column_int64(statement, column);
    return read_hash(statement, column + 1, ret_end->hash) &&
           read_hash(statement, column + 2, ret_end->seal);
}

int tb_db_head(struct tb_db *db, struct tb_db_head *ret_head, struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_GET_HEAD, &statement, err);
    if (rc == 0) {
        rc = tb_db_step(db, statement, err);
    }
    if (rc < 0) {
        return rc;
    }
    bool good = rc > 0;
    if (good) {
        ret_head->intake_id = (uint64_t)sqlite3_column_int64(statement, 0);
        ret_head->intake_seq = (uint64_t)sqlite3_column_int64(statement, 1);
        good = read_end(statement, 2, &ret_head->cut) && read_end(statement, 5, &ret_head->last);
    }
    sqlite3_reset(statement);
    return good ? 0 : tb_fail(err, -EBADMSG, "the database is broken: its head row is missing");
}

static void bind_end(sqlite3_stmt *statement, int place, const struct tb_audit_cut *end)
{
    sqlite3_bind_int64(statement, place, end->seq);
    bind_blob(statement, place + 1, end->hash, TB_HASH_BYTES);
    bind_blob(statement, place + 2, end->seal, TB_HASH_BYTES);
}

static int set_head(struct tb_db *db, const struct tb_db_head *head, struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_SET_HEAD, &statement, err);
    if (rc < 0) {
        return rc;
    }
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)head->intake_id);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)head->intake_seq);
    bind_end(statement, 3, &head->cut);
    bind_end(statement, 6, &head->last);
    bind_blob(statement, 9, head->secret_check, TB_HASH_BYTES);
    return finish(db, statement, err);
}

int tb_db_begin(struct tb_db *db, struct tb_db_head *ret_head, struct tb_err *err)
{
    int rc = run(db, TB_DB_BEGIN, err);
    return rc < 0 ? rc : tb_db_head(db, ret_head, err);
}

int tb_db_commit(struct tb_db *db, const struct tb_db_head *head, struct tb_err *err)
{
    int rc = set_head(db, head, err);
    return rc < 0 ? rc : run(db, TB_DB_COMMIT, err);
}

int tb_db_drop_strays(struct tb_db *db, int *ret_count, struct tb_err *err)
{
    int rc = run(db, TB_DB_DROP_STRAYS, err);
    if (rc == 0) {
        *ret_count = sqlite3_changes(db->sql);
    }
    return rc;
}

void tb_db_rollback(struct tb_db *db)
{
    /* Some failures have ended the transaction already. */
    if (db->sql && !sqlite3_get_autocommit(db->sql)) {
        run(db, TB_DB_ROLLBACK, NULL);
    }
}

static int put(struct tb_db *db, enum tb_db_sql how, const struct tb_change *change,
               struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, how, &statement, err);
    if (rc < 0) {
        return rc;
    }
    bind_text(statement, 1, change->space);
    bind_text(statement, 2, change->key);
    bind_blob(statement, 3, change->value.ptr, change->value.len);
    return finish(db, statement, err);
}

static int put_new(struct tb_db *db, const struct tb_change *change, struct tb_err *err)
{
    int rc = put(db, TB_DB_PUT_NEW, change, err);
    return rc < 0 ? rc : sqlite3_changes(db->sql) == 0;
}

static int remove_record(struct tb_db *db, const struct tb_change *change, struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_REMOVE, &statement, err);
    if (rc < 0) {
        return rc;
    }
    bind_text(statement, 1, change->space);
    bind_text(statement, 2, change->key);
    return finish(db, statement, err);
}

static int append(struct tb_db *db, struct tb_db_head *head, const struct tb_audit_entry *given,
                  const uint8_t *secret, struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_APPEND, &statement, err);
    if (rc < 0) {
        return rc;
    }
    struct tb_audit_entry entry = *given;
    entry.seq = head->last.seq + 1;
    tb_audit_link(secret, head->last.hash, &entry, entry.hash);
    sqlite3_bind_int64(statement, 1, entry.seq);
    sqlite3_bind_int64(statement, 2, entry.wall_ms);
    const struct tb_str texts[] = {entry.type, entry.tenant,  entry.session, entry.agent,
                                   entry.tool, entry.outcome, entry.details};
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        bind_text(statement, 3 + (int)i, texts[i]);
    }
    bind_blob(statement, 10, entry.hash, TB_HASH_BYTES);
    rc = finish(db, statement, err);
    if (rc == 0) {
        head->last.seq = entry.seq;
        memcpy(head->last.hash, entry.hash, TB_HASH_BYTES);
        tb_audit_seal(secret, TB_AUDIT_HEAD, entry.seq, entry.hash, head->last.seal);
    }
    return rc;
}

/* The last entry that a cut takes; 0: none. */
static int cut_at(struct tb_db *db, const struct tb_db_head *head, const struct tb_change *change,
                  int64_t *ret_seq, struct tb_err *err)
{
    int64_t seq = change->count ? head->last.seq - change->count : 0;
    if (change->wall_ms) {
        sqlite3_stmt *statement;
        int rc = tb_db_use(db, TB_DB_FIRST_SINCE, &statement, err);
        if (rc < 0) {
            return rc;
        }
        sqlite3_bind_int64(statement, 1, change->wall_ms);
        rc = tb_db_step(db, statement, err);
        if (rc < 0) {
            return rc;
        }
        int64_t old = rc ? sqlite3_column_int64(statement, 0) - 1 : head->last.seq;
        sqlite3_reset(statement);
        seq = old > seq ? old : seq;
    }
    *ret_seq = seq;
    return 0;
}

/* 1, or 0 when there is no such entry. */
static int hash_of(struct tb_db *db, int64_t seq, uint8_t ret_hash[TB_HASH_BYTES],
                   struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_HASH_OF, &statement, err);
    if (rc < 0) {
        return rc;
    }
    sqlite3_bind_int64(statement, 1, seq);
    rc = tb_db_step(db, statement, err);
    if (rc < 0) {
        return rc;
    }
    bool good = rc > 0 && read_hash(statement, 0, ret_hash);
    sqlite3_reset(statement);
    return good;
}

static int cut(struct tb_db *db, struct tb_db_head *head, const struct tb_change *change,
               const uint8_t *secret, struct tb_err *err)
{
    struct tb_audit_cut fresh = {0};
    sqlite3_stmt *statement = NULL;
    int rc = cut_at(db, head, change, &fresh.seq, err);
    if (rc < 0 || fresh.seq <= head->cut.seq) {
        return rc;
    }
    if (fresh.seq == head->last.seq) {
        memcpy(fresh.hash, head->last.hash, TB_HASH_BYTES);
    } else {
        /* A log with a gap there stays as it is: a failure would hold up everything for good. */
        rc = hash_of(db, fresh.seq, fresh.hash, err);
        if (rc <= 0) {
            return rc;
        }
    }
    rc = tb_db_use(db, TB_DB_CUT, &statement, err);
    if (rc < 0) {
        return rc;
    }
    sqlite3_bind_int64(statement, 1, fresh.seq);
    rc = finish(db, statement, err);
    if (rc == 0) {
        tb_audit_seal(secret, TB_AUDIT_CUT, fresh.seq, fresh.hash, fresh.seal);
        head->cut = fresh;
    }
    return rc;
}

int tb_db_change(struct tb_db *db, struct tb_db_head *head, const struct tb_change *change,
                 const uint8_t secret[TB_SECRET_BYTES], struct tb_err *err)
{
    switch (change->kind) {
    case TB_CHANGE_PUT:
        return put(db, TB_DB_PUT, change, err);
    case TB_CHANGE_PUT_NEW:
        return put_new(db, change, err);
    case TB_CHANGE_REMOVE:
        return remove_record(db, change, err);
    case TB_CHANGE_APPEND:
        return append(db, head, &change->entry, secret, err);
    case TB_CHANGE_CUT:
        return cut(db, head, change, secret, err);
    }
    return 0;
}
