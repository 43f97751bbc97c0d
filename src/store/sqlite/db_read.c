/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <sqlite3.h>

#include "store/pack.h"
#include "store/sqlite/db.h"

/* How much is read before the loop gets it and others have their turn. No statement is left open in
 * between: it would hold on to the state of the file that it saw first. */
enum {
    PORTION_BYTES = 512 * 1024,
    PORTION_ENTRIES = 20000, /* looked at, whether they fit or not */
};

static struct tb_str column(sqlite3_stmt *statement, int place)
{
    const char *data = sqlite3_column_blob(statement, place);
    return (struct tb_str){data, (size_t)sqlite3_column_bytes(statement, place)};
}

static void take_record(sqlite3_stmt *statement, struct tb_buf *rows)
{
    tb_pack_str(rows, column(statement, 1));
    tb_pack_str(rows, column(statement, 2));
}

int tb_db_get(struct tb_db *db, const char *space, struct tb_str key, struct tb_buf *rows,
              struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_GET, &statement, err);
    if (rc < 0) {
        return rc;
    }
    sqlite3_bind_text(statement, 1, space, -1, SQLITE_STATIC);
    sqlite3_bind_text64(statement, 2, key.len ? key.ptr : "", key.len, SQLITE_STATIC, SQLITE_UTF8);
    rc = tb_db_step(db, statement, err);
    if (rc < 0) {
        return rc;
    }
    if (rc == 0) {
        return tb_fail(err, TB_E_NOT_FOUND, "there is no such record");
    }
    take_record(statement, rows);
    sqlite3_reset(statement);
    return 0;
}

int tb_db_each(struct tb_db *db, const char *space, int64_t *after, struct tb_buf *rows,
               struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_EACH, &statement, err);
    if (rc < 0) {
        return rc;
    }
    sqlite3_bind_text(statement, 1, space, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, *after);
    while (rows->len < PORTION_BYTES && (rc = tb_db_step(db, statement, err)) > 0) {
        *after = sqlite3_column_int64(statement, 0);
        take_record(statement, rows);
    }
    sqlite3_reset(statement);
    return rc;
}

/* 1: taken; negative: the range has no more. */
static int take_if_in(sqlite3_stmt *statement, struct tb_range_copy *range, struct tb_buf *rows)
{
    struct tb_str key = column(statement, 1);
    int in = tb_range_has(&range->range, key);
    if (in <= 0) {
        return in;
    }
    take_record(statement, rows);
    return tb_range_move_on(range, key) ? 1 : -1;
}

int tb_db_range(struct tb_db *db, const char *space, struct tb_range_copy *range,
                struct tb_buf *rows, struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_RANGE, &statement, err);
    if (rc < 0) {
        return rc;
    }
    struct tb_str start = tb_range_start(&range->range);
    sqlite3_bind_text(statement, 1, space, -1, SQLITE_STATIC);
    /* A copy, since the range moves on. */
    sqlite3_bind_text64(statement, 2, start.len ? start.ptr : "", start.len, SQLITE_TRANSIENT,
                        SQLITE_UTF8);
    while (rows->len < PORTION_BYTES && (rc = tb_db_step(db, statement, err)) > 0) {
        if (take_if_in(statement, range, rows) < 0) {
            rc = 0;
            break;
        }
    }
    sqlite3_reset(statement);
    return rc;
}

int tb_db_bound(struct tb_db *db, struct tb_audit_query *query, struct tb_err *err)
{
    struct tb_db_head head;
    int rc = tb_db_head(db, &head, err);
    if (rc < 0) {
        return rc;
    }
    if (query->after_seq < head.cut.seq) {
        query->after_seq = head.cut.seq;
    }
    if (query->before_seq == 0 || query->before_seq > head.last.seq) {
        query->before_seq = head.last.seq + 1;
    }
    return 0;
}

int tb_db_stray(struct tb_db *db, int64_t *ret_seq, struct tb_err *err)
{
    sqlite3_stmt *statement;
    int rc = tb_db_use(db, TB_DB_STRAY, &statement, err);
    if (rc == 0) {
        rc = tb_db_step(db, statement, err);
    }
    if (rc > 0) {
        *ret_seq = sqlite3_column_int64(statement, 0);
        sqlite3_reset(statement);
    }
    return rc;
}

/* A type that is not what was written is damage, even if the bytes can be made into the right one.
 */
static bool read_entry(sqlite3_stmt *statement, struct tb_audit_entry *ret_entry)
{
    struct tb_str *texts[] = {&ret_entry->type,   &ret_entry->tenant, &ret_entry->session,
                              &ret_entry->agent,  &ret_entry->tool,   &ret_entry->outcome,
                              &ret_entry->details};
    ret_entry->seq = sqlite3_column_int64(statement, 0);
    if (sqlite3_column_type(statement, 1) != SQLITE_INTEGER) {
        return false;
    }
    ret_entry->wall_ms = sqlite3_column_int64(statement, 1);
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        if (sqlite3_column_type(statement, 2 + (int)i) != SQLITE_TEXT) {
            return false;
        }
        *texts[i] = column(statement, 2 + (int)i);
    }
    struct tb_str hash = column(statement, 9);
    if (sqlite3_column_type(statement, 9) != SQLITE_BLOB || hash.len != TB_HASH_BYTES) {
        return false;
    }
    memcpy(ret_entry->hash, hash.ptr, TB_HASH_BYTES);
    return true;
}

/* The part of the query's range that this portion looks at. */
static void window(const struct tb_audit_query *query, int64_t *ret_after, int64_t *ret_before)
{
    *ret_after = query->after_seq;
    *ret_before = query->before_seq;
    if (query->before_seq - query->after_seq <= PORTION_ENTRIES) {
        return;
    }
    if (query->newest_first) {
        *ret_after = query->before_seq - PORTION_ENTRIES;
    } else {
        *ret_before = query->after_seq + PORTION_ENTRIES;
    }
}

/* The rest begins behind `seq`. */
static void move_on(struct tb_audit_query *query, int64_t seq)
{
    if (query->newest_first) {
        query->before_seq = seq;
    } else {
        query->after_seq = seq;
    }
}

/* 1 when the portion is full or the limit is reached. */
static int take_entry(sqlite3_stmt *statement, struct tb_audit_query *query, struct tb_buf *rows,
                      struct tb_err *err)
{
    struct tb_audit_entry entry;
    if (!read_entry(statement, &entry)) {
        return tb_fail(err, TB_E_STORE, "entry %lld of the audit log is damaged",
                       (long long)sqlite3_column_int64(statement, 0));
    }
    move_on(query, entry.seq);
    if (!tb_query_fits(query, &entry)) {
        return 0;
    }
    tb_pack_entry(rows, &entry);
    if (query->limit && --query->limit == 0) {
        query->after_seq = query->before_seq;
        return 1;
    }
    return rows->len >= PORTION_BYTES;
}

int tb_db_entries(struct tb_db *db, struct tb_audit_query *query, struct tb_buf *rows,
                  struct tb_err *err)
{
    sqlite3_stmt *statement;
    int64_t after;
    int64_t before;
    int rc =
        tb_db_use(db, query->newest_first ? TB_DB_ENTRIES_BACK : TB_DB_ENTRIES, &statement, err);
    if (rc < 0) {
        return rc;
    }
    window(query, &after, &before);
    sqlite3_bind_int64(statement, 1, after);
    sqlite3_bind_int64(statement, 2, before);
    int full = 0;
    while (full == 0 && (rc = tb_db_step(db, statement, err)) > 0) {
        full = take_entry(statement, query, rows, err);
    }
    sqlite3_reset(statement);
    if (rc < 0 || full < 0) {
        return rc < 0 ? rc : full;
    }
    if (!full) {
        move_on(query, query->newest_first ? after + 1 : before - 1);
    }
    return query->before_seq - query->after_seq > 1;
}
