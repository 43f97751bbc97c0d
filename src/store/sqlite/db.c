/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/mem.h"

enum {
    APPLICATION_ID = 0x74616264, /* "tabd" */
};

/* From version i to i + 1. */
static const char *const steps[] = {
    /* Ids are random: in the order of their keys, new records would change every page. */
    "CREATE TABLE record (id INTEGER PRIMARY KEY, space TEXT NOT NULL, key TEXT NOT NULL,"
    "  value BLOB NOT NULL, UNIQUE (space, key));"
    "CREATE TABLE audit (seq INTEGER PRIMARY KEY, wall_ms INTEGER NOT NULL, type TEXT NOT NULL,"
    "  tenant TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, tool TEXT NOT NULL,"
    "  outcome TEXT NOT NULL, details TEXT NOT NULL, hash BLOB NOT NULL);"
    "CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), intake_id INTEGER NOT NULL,"
    "  intake_seq INTEGER NOT NULL, cut_seq INTEGER NOT NULL, cut_hash BLOB NOT NULL,"
    "  cut_seal BLOB NOT NULL, last_seq INTEGER NOT NULL, last_hash BLOB NOT NULL,"
    "  last_seal BLOB NOT NULL);"
    "INSERT INTO head VALUES"
    "  (1, 0, 0, 0, zeroblob(32), zeroblob(32), 0, zeroblob(32), zeroblob(32));",
    "ALTER TABLE head ADD COLUMN secret_check BLOB NOT NULL DEFAULT x'';",
};

/* Checkpoints are always synced, so the file stays whole; commits are as tb_db_sync says. */
static const char set_up_writer[] = "PRAGMA journal_mode = WAL;"
                                    "PRAGMA wal_autocheckpoint = 1000;"
                                    "PRAGMA journal_size_limit = 8388608; PRAGMA mmap_size = 0;";
static const char set_up_reader[] = "PRAGMA query_only = 1; PRAGMA mmap_size = 0;";

static const char *const sql[TB_DB_SQL_COUNT] = {
    [TB_DB_BEGIN] = "BEGIN IMMEDIATE",
    [TB_DB_COMMIT] = "COMMIT",
    [TB_DB_ROLLBACK] = "ROLLBACK",
    [TB_DB_GET_HEAD] = ("SELECT intake_id, intake_seq, cut_seq, cut_hash, cut_seal, last_seq,"
                        " last_hash, last_seal FROM head WHERE id = 1"),
    [TB_DB_GET_SECRET_CHECK] = "SELECT secret_check FROM head WHERE id = 1",
    [TB_DB_SET_HEAD] = ("UPDATE head SET intake_id = ?1, intake_seq = ?2, cut_seq = ?3,"
                        " cut_hash = ?4, cut_seal = ?5, last_seq = ?6, last_hash = ?7,"
                        " last_seal = ?8, secret_check = ?9 WHERE id = 1"),
    [TB_DB_PUT] = ("INSERT INTO record (space, key, value) VALUES (?1, ?2, ?3)"
                   " ON CONFLICT (space, key) DO UPDATE SET value = excluded.value"),
    [TB_DB_PUT_NEW] = ("INSERT INTO record (space, key, value) VALUES (?1, ?2, ?3)"
                       " ON CONFLICT (space, key) DO NOTHING"),
    [TB_DB_REMOVE] = "DELETE FROM record WHERE space = ?1 AND key = ?2",
    [TB_DB_APPEND] = "INSERT INTO audit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [TB_DB_FIRST_SINCE] = "SELECT seq FROM audit WHERE wall_ms >= ?1 ORDER BY seq LIMIT 1",
    [TB_DB_HASH_OF] = "SELECT hash FROM audit WHERE seq = ?1",
    [TB_DB_CUT] = "DELETE FROM audit WHERE seq <= ?1",
    [TB_DB_GET] = "SELECT id, key, value FROM record WHERE space = ?1 AND key = ?2",
    [TB_DB_EACH] = "SELECT id, key, value FROM record WHERE +space = ?1 AND id > ?2 ORDER BY id",
    [TB_DB_RANGE] = ("SELECT id, key, value FROM record WHERE space = ?1 AND key >= ?2"
                     " ORDER BY key"),
    [TB_DB_ENTRIES] = "SELECT * FROM audit WHERE seq > ?1 AND seq < ?2 ORDER BY seq",
    [TB_DB_ENTRIES_BACK] = "SELECT * FROM audit WHERE seq > ?1 AND seq < ?2 ORDER BY seq DESC",
    [TB_DB_DROP_STRAYS] = "DELETE FROM audit WHERE seq > (SELECT last_seq FROM head)",
    [TB_DB_STRAY] = "SELECT seq FROM head, audit WHERE seq <= cut_seq OR seq > last_seq LIMIT 1",
};

/* SQLite reports a damaged header (a format that it may not write) and a log that it cannot use by
 * the same codes as rights that are missing. The system tells which it is. */
static int fail_access(struct tb_db *db, int code, const char *path, struct tb_err *err)
{
    int why = db->sql ? sqlite3_system_errno(db->sql) : 0;
    if (code == SQLITE_READONLY_RECOVERY || code == SQLITE_READONLY_CANTINIT) {
        return tb_fail(
            err, TB_E_STORE,
            "the log %s-wal is damaged or was cut: start the daemon, which repairs it or "
            "sets it aside",
            path);
    }
    if (code == SQLITE_READONLY && access(path, W_OK) == 0) {
        return tb_fail(err, -EBADMSG, "%s is broken: its header is damaged", path);
    }
    if (code == SQLITE_READONLY || code == SQLITE_PERM || why == EACCES || why == EPERM ||
        why == EROFS) {
        return tb_fail(err, TB_E_STORE,
                       "cannot write %s: check the permissions of the file and its directory",
                       path);
    }
    return tb_fail(err, TB_E_STORE, "cannot open %s or its log: %s", path,
                   why ? tb_err_name(-why) : sqlite3_errstr(code));
}

/* What went wrong, in words for the operator. */
static int fail(struct tb_db *db, int code, struct tb_err *err)
{
    const char *text = db->sql ? sqlite3_errmsg(db->sql) : sqlite3_errstr(code);
    const char *path = db->sql ? sqlite3_db_filename(db->sql, NULL) : NULL;
    path = path && path[0] ? path : "the database";
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return tb_fail(err, -EBADMSG, "%s is broken: %s", path, text);
    case SQLITE_CONSTRAINT:
        return tb_fail(err, -EEXIST, "a row of %s conflicts: %s", path, text);
    case SQLITE_FULL:
        return tb_fail(err, -ENOSPC, "no disk space is left for %s: free some", path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return tb_fail(err, TB_E_STORE, "%s is locked by another program: stop that program", path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        return fail_access(db, code, path, err);
    default:
        return tb_fail(err, TB_E_STORE, "cannot use %s: %s", path, text);
    }
}

static int run(struct tb_db *db, const char *text, struct tb_err *err)
{
    int rc = sqlite3_exec(db->sql, text, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail(db, rc, err);
}

/* The number that a pragma gives. */
static int ask(struct tb_db *db, const char *text, int *ret_number, struct tb_err *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db->sql, text, -1, &statement, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(statement);
    }
    if (rc == SQLITE_ROW) {
        *ret_number = sqlite3_column_int(statement, 0);
    }
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW ? 0 : fail(db, rc, err);
}

/* Ours, and not newer than this program? An empty file is nobody's yet, nor is one with the page
 * that the change to WAL alone makes: a process may be killed right after it. */
static int check_version(struct tb_db *db, const char *path, int *ret_version, struct tb_err *err)
{
    int id = 0;
    int pages = 0;
    int rc = ask(db, "PRAGMA user_version", ret_version, err);
    if (rc == 0) {
        rc = ask(db, "PRAGMA application_id", &id, err);
    }
    if (rc == 0) {
        rc = ask(db, "PRAGMA page_count", &pages, err);
    }
    if (rc < 0) {
        return rc;
    }
    if (pages > 1 && id != APPLICATION_ID) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s is not a database of tabard: move it away, or choose another state_dir",
                       path);
    }
    if (*ret_version > (int)TB_COUNT(steps)) {
        return tb_fail(
            err, TB_E_CONFIG,
            "%s was written by a newer tabard (schema %d, this one knows %d): start that "
            "version, or choose another state_dir",
            path, *ret_version, (int)TB_COUNT(steps));
    }
    return 0;
}

/* SQLite would let others read it. */
static int make_file(const char *path, struct tb_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return tb_fail(err, TB_E_STORE, "cannot create %s: %s", path, tb_err_name(-errno));
    }
    close(fd);
    return 0;
}

static int open_file(struct tb_db *db, const char *path, enum tb_db_mode mode, int busy_ms,
                     struct tb_err *err)
{
    int flags =
        SQLITE_OPEN_NOMUTEX | (mode == TB_DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
    int rc = sqlite3_open_v2(path, &db->sql, flags, NULL);
    if (rc != SQLITE_OK) {
        return fail(db, rc, err);
    }
    sqlite3_extended_result_codes(db->sql, 1);
    tb_db_patience(db, busy_ms);
    rc = check_version(db, path, &db->version, err);
    if (rc < 0) {
        return rc;
    }
    return run(db, mode == TB_DB_READ ? set_up_reader : set_up_writer, err);
}

int tb_db_open(struct tb_db *db, const char *path, enum tb_db_mode mode, int busy_ms,
               struct tb_err *err)
{
    if (mode != TB_DB_CREATE && access(path, F_OK) < 0 && errno == ENOENT) {
        return tb_fail(err, TB_E_NOT_FOUND, "there is no %s", path);
    }
    int rc = mode == TB_DB_CREATE ? make_file(path, err) : 0;
    if (rc == 0) {
        rc = open_file(db, path, mode, busy_ms, err);
    }
    if (rc < 0) {
        tb_db_abandon(db);
    }
    return rc;
}

void tb_db_close(struct tb_db *db)
{
    for (size_t i = 0; i < TB_DB_SQL_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
    }
    sqlite3_close(db->sql);
    *db = (struct tb_db){0};
}

void tb_db_abandon(struct tb_db *db)
{
    if (db->sql) {
        sqlite3_db_config(db->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    }
    tb_db_close(db);
}

void tb_db_patience(struct tb_db *db, int busy_ms)
{
    sqlite3_busy_timeout(db->sql, busy_ms);
}

int tb_db_sync(struct tb_db *db, bool sync, struct tb_err *err)
{
    return run(db, sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", err);
}

static int migrate_from(struct tb_db *db, int version, struct tb_err *err)
{
    char finish[96];
    for (size_t i = (size_t)version; i < TB_COUNT(steps); i++) {
        int rc = run(db, steps[i], err);
        if (rc < 0) {
            return rc;
        }
    }
    snprintf(finish, sizeof(finish), "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
             APPLICATION_ID, (int)TB_COUNT(steps));
    return run(db, finish, err);
}

int tb_db_migrate(struct tb_db *db, struct tb_err *err)
{
    int rc = ask(db, "PRAGMA user_version", &db->version, err);
    if (rc < 0 || db->version >= (int)TB_COUNT(steps)) {
        return rc;
    }
    rc = run(db, "BEGIN IMMEDIATE", err);
    if (rc == 0) {
        rc = migrate_from(db, db->version, err);
    }
    if (rc < 0) {
        tb_db_rollback(db);
        return rc;
    }
    db->version = (int)TB_COUNT(steps);
    return 0;
}

static int check_one(struct tb_db *db, const char *pragma, struct tb_err *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db->sql, pragma, -1, &statement, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(statement);
    }
    if (rc != SQLITE_ROW) {
        rc = fail(db, rc, err);
    } else {
        const char *verdict = (const char *)sqlite3_column_text(statement, 0);
        rc = tb_str_eq_cstr(tb_str_of(verdict), "ok")
                 ? 0
                 : tb_fail(err, -EBADMSG, "the database is broken: %s", verdict);
    }
    sqlite3_finalize(statement);
    return rc;
}

int tb_db_check(struct tb_db *db, bool all, struct tb_err *err)
{
    return check_one(db, all ? "PRAGMA quick_check" : "PRAGMA quick_check(head)", err);
}

int tb_db_set_aside(const char *path, const char *aside, struct tb_err *err)
{
    TB_AUTO(tb_free) char *wal = tb_strdupf("%s-wal", path);
    TB_AUTO(tb_free) char *shm = tb_strdupf("%s-shm", path);
    TB_AUTO(tb_free) char *wal_aside = tb_strdupf("%s-wal", aside);
    if (rename(path, aside) < 0) {
        return tb_fail(err, TB_E_STORE, "cannot rename %s: %s", path, tb_err_name(-errno));
    }
    /* So that it can be opened together with its log. */
    rename(wal, wal_aside);
    unlink(shm);
    return 0;
}

int tb_db_use(struct tb_db *db, enum tb_db_sql which, sqlite3_stmt **ret_statement,
              struct tb_err *err)
{
    if (!db->statements[which]) {
        int rc = sqlite3_prepare_v3(db->sql, sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                                    &db->statements[which], NULL);
        if (rc != SQLITE_OK) {
            return fail(db, rc, err);
        }
    }
    *ret_statement = db->statements[which];
    return 0;
}

int tb_db_step(struct tb_db *db, sqlite3_stmt *statement, struct tb_err *err)
{
    int rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) {
        return 1;
    }
    int result = rc == SQLITE_DONE ? 0 : fail(db, rc, err);
    sqlite3_reset(statement);
    return result;
}
