/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/mem.h"
#include "core/audit_verify.h"
#include "io/testing.h"
#include "store/sqlite/db.h"
#include "store/sqlite/state.h"

#include "suite/store_cases.h"
#include "suite/store_lab.h"

static int setup(void **state)
{
    *state = store_lab_new(&tb_store_sqlite);
    return 0;
}

static int teardown(void **state)
{
    store_lab_free(*state);
    return 0;
}

static void run_sql(struct store_lab *lab, const char *sql)
{
    sqlite3 *db;
    char *words = NULL;
    assert_int_equal(sqlite3_open(store_lab_path(lab, "tabard.db"), &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &words) != SQLITE_OK) {
        fail_msg("%s: %s", sql, words);
    }
    sqlite3_close(db);
}

static void everything_is_there_after_a_restart(void **state)
{
    struct store_lab *lab = *state;
    for (int round = 0; round < 3; round++) {
        char key[16];
        snprintf(key, sizeof(key), "k%d", round);
        assert_int_equal(store_put(lab, TB_SPACE_SESSION, key, "light"), 0);
        assert_int_equal(store_put(lab, TB_SPACE_STATE, key, "heavy"), 0);
        assert_int_equal(store_put_new(lab, TB_SPACE_END, "new", key), round ? TB_E_EXISTS : 0);
        assert_int_equal(store_append_type(lab, key), 0);
        assert_int_equal(store_remove(lab, TB_SPACE_SESSION, "k1"), 0);
        store_lab_reopen(lab);
        assert_int_equal(store_expect_chain(lab), round + 1);
    }
    store_expect(lab, TB_SPACE_SESSION, "k0", "light");
    store_expect(lab, TB_SPACE_SESSION, "k1", NULL);
    store_expect(lab, TB_SPACE_STATE, "k1", "heavy");
    store_expect(lab, TB_SPACE_SESSION, "k2", "light");
    store_expect(lab, TB_SPACE_END, "new", "k0");
    assert_string_equal(store_lab_logged(lab), "");
}

static void the_files_are_for_their_owner_alone(void **state)
{
    struct store_lab *lab = *state;
    static const char *const names[] = {"tabard.db", "tabard.db-wal", "tabard.db-shm",
                                        "tabard.intake"};
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "v"), 0);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        struct stat info;
        assert_int_equal(stat(store_lab_path(lab, names[i]), &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
}

static void expect_refused(struct store_lab *lab, const char *words)
{
    struct tb_err err;
    assert_null(lab->kind->open(&lab->core, &err));
    assert_int_equal(err.code, TB_E_CONFIG);
    assert_non_null(strstr(err.text, words));
}

static void a_newer_schema_is_refused_and_left_alone(void **state)
{
    struct store_lab *lab = *state;
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "v"), 0);
    store_lab_close(lab);
    run_sql(lab, "PRAGMA user_version = 99");
    expect_refused(lab, "newer tabard (schema 99");
    expect_refused(lab, "newer tabard"); /* not only the first time */
    run_sql(lab, "PRAGMA user_version = 2");
    store_lab_open(lab);
    store_expect(lab, TB_SPACE_STATE, "k", "v");
}

static void a_database_of_another_program_is_refused(void **state)
{
    struct store_lab *lab = *state;
    store_lab_close(lab);
    unlink(store_lab_path(lab, "tabard.db"));
    run_sql(lab, "CREATE TABLE theirs (x)");
    expect_refused(lab, "not a database of tabard");
}

static void an_empty_file_becomes_a_database(void **state)
{
    struct store_lab *lab = *state;
    store_lab_close(lab);
    assert_int_equal(truncate(store_lab_path(lab, "tabard.db"), 0), 0);
    store_lab_open(lab);
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "v"), 0);
    store_lab_reopen(lab);
    store_expect(lab, TB_SPACE_STATE, "k", "v");
}

struct check {
    struct tb_audit_verify verify;
    struct tb_err err;
    int rc;
    size_t count;
};

static void on_entry(const struct tb_audit_entry *entry, void *user)
{
    struct check *check = user;
    check->count++;
    if (check->rc == 0) {
        check->rc = tb_audit_verify_entry(&check->verify, entry, &check->err);
    }
}

/* As `tabard audit verify` does it. */
static void expect_verified(struct store_lab *lab, bool alone, size_t count, const char *what)
{
    TB_AUTO(tb_sqlite_log_free) struct tb_sqlite_log *log = NULL;
    const struct tb_audit_query all = {0};
    struct tb_audit_cut cut;
    struct tb_audit_cut head;
    struct check check = {0};
    if (tb_sqlite_log_open(lab->dir, lab->core.secret, alone, &log, &check.err) < 0) {
        fail_msg("%s", check.err.text);
    }
    assert_int_equal(tb_sqlite_log_ends(log, &cut, &head, &check.err), 0);
    tb_audit_verify_init(&check.verify, lab->core.secret);
    check.rc = tb_audit_verify_cut(&check.verify, &cut, &check.err);
    assert_int_equal(tb_sqlite_log_query(log, &all, on_entry, &check, &check.err), 0);
    if (check.rc == 0) {
        check.rc = tb_audit_verify_head(&check.verify, &head, &check.err);
    }
    assert_int_equal(check.count, count);
    if (check.rc < 0 && !what) {
        fail_msg("%s", check.err.text);
    }
    assert_int_equal(check.rc, what ? TB_E_INVALID : 0);
}

static void the_log_is_read_beside_a_running_daemon_and_without(void **state)
{
    struct store_lab *lab = *state;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(store_append_type(lab, "x"), 0);
    }
    assert_int_equal(store_expect_chain(lab), 10); /* by now they are in the database */
    expect_verified(lab, false, 10, NULL);
    assert_int_equal(store_cut(lab, 0, 4), 0);
    store_expect(lab, TB_SPACE_SESSION, "nothing", NULL); /* the same of the cut */
    expect_verified(lab, false, 4, NULL);
    assert_int_equal(store_append_type(lab, "y"), 0);
    store_lab_close(lab);
    expect_verified(lab, true, 5, NULL);
    run_sql(lab, "UPDATE audit SET outcome = 'ok' WHERE seq = 9");
    expect_verified(lab, true, 5, "changed");
}

static void without_a_database_there_is_no_log(void **state)
{
    struct store_lab *lab = *state;
    struct tb_sqlite_log *log = NULL;
    struct tb_err err;
    store_lab_close(lab);
    unlink(store_lab_path(lab, "tabard.db"));
    assert_int_equal(tb_sqlite_log_open(lab->dir, lab->core.secret, false, &log, &err),
                     TB_E_NOT_FOUND);
    assert_null(log);
}

static void copy_file(struct store_lab *lab, const char *from, const char *to)
{
    char bytes[65536];
    int in = open(store_lab_path(lab, from), O_RDONLY | O_CLOEXEC);
    int out = open(store_lab_path(lab, to), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t got;
    assert_true(in >= 0 && out >= 0);
    while ((got = read(in, bytes, sizeof(bytes))) > 0) {
        assert_int_equal(write(out, bytes, (size_t)got), got);
    }
    close(in);
    close(out);
}

/* A copy of the intake taken while it has something is what a killed daemon leaves. */
static void what_a_killed_daemon_left_is_moved_before_the_log_is_read(void **state)
{
    struct store_lab *lab = *state;
    assert_int_equal(store_append_type(lab, "before"), 0);
    assert_int_equal(store_expect_chain(lab), 1);
    assert_int_equal(store_append_type(lab, "left"), 0);
    copy_file(lab, "tabard.intake", "copy");
    store_lab_close(lab);
    run_sql(lab, "DELETE FROM audit WHERE seq = 2;"
                 "UPDATE head SET intake_seq = 1, last_seq = 1,"
                 " last_hash = (SELECT hash FROM audit WHERE seq = 1)");
    copy_file(lab, "copy", "tabard.intake");
    expect_verified(lab, true, 2, NULL);
    expect_verified(lab, true, 2, NULL); /* once is enough */
    store_lab_open(lab);
    assert_int_equal(store_expect_chain(lab), 2);
}

/* The commit was made, and the kill came before the intake knew. */
static void what_is_in_the_database_is_not_moved_again(void **state)
{
    struct store_lab *lab = *state;
    assert_int_equal(store_append_type(lab, "once"), 0);
    assert_int_equal(store_put(lab, TB_SPACE_SESSION, "k", "old"), 0);
    copy_file(lab, "tabard.intake", "copy");
    assert_int_equal(store_expect_chain(lab), 1);
    store_lab_close(lab);
    copy_file(lab, "copy", "tabard.intake");
    run_sql(lab, "UPDATE record SET value = 'new'");
    store_lab_open(lab);
    assert_int_equal(store_expect_chain(lab), 1);
    store_expect(lab, TB_SPACE_SESSION, "k", "new");
}

static void an_older_copy_of_the_database_is_noticed(void **state)
{
    struct store_lab *lab = *state;
    assert_int_equal(store_append_type(lab, "a"), 0);
    store_lab_close(lab);
    copy_file(lab, "tabard.db", "copy");
    store_lab_open(lab);
    assert_int_equal(store_append_type(lab, "b"), 0);
    assert_int_equal(store_append_type(lab, "c"), 0);
    store_lab_close(lab);
    copy_file(lab, "copy", "tabard.db");
    store_lab_open(lab);
    assert_int_equal(store_expect_chain(lab), 1);
    assert_non_null(strstr(store_lab_logged(lab), "lacks the last changes"));
    store_lab_reopen(lab);
    assert_int_equal(store_append_type(lab, "d"), 0);
    assert_int_equal(store_expect_chain(lab), 2);
    const char *first = strstr(store_lab_logged(lab), "lacks the last");
    assert_null(strstr(first + 1, "lacks the last")); /* said once */
}

/* What a power loss may leave, or a copy of a running daemon's folder. */
static void an_older_copy_of_the_intake_drops_nothing(void **state)
{
    struct store_lab *lab = *state;
    assert_int_equal(store_append_type(lab, "a"), 0);
    store_lab_close(lab);
    copy_file(lab, "tabard.intake", "copy");
    store_lab_open(lab);
    assert_int_equal(store_append_type(lab, "b"), 0);
    assert_int_equal(store_append_type(lab, "c"), 0);
    store_lab_close(lab);
    copy_file(lab, "copy", "tabard.intake");
    store_lab_open(lab);
    assert_int_equal(store_append_type(lab, "d"), 0);
    assert_int_equal(store_put(lab, TB_SPACE_SESSION, "k", "v"), 0);
    assert_int_equal(store_expect_chain(lab), 4);
    store_expect(lab, TB_SPACE_SESSION, "k", "v");
    assert_string_equal(store_lab_logged(lab), "");
}

/* A daemon that was killed before its first batch: the database does not know the intake yet, and
 * may be empty, so that it is there is all that tells what is missing. Whoever looks at the log
 * before the next start leaves it so. */
static void an_intake_that_is_gone_beside_a_database_that_never_knew_it_is_told(void **state)
{
    struct store_lab *lab = *state;
    for (int i = 0; i < 4; i++) {
        bool cut = i % 2;
        bool empty = i / 2;
        struct tb_sqlite_log *log = NULL;
        struct tb_err err = {0};
        assert_int_equal(store_put(lab, TB_SPACE_SESSION, "k", "v"), 0);
        store_lab_close(lab);
        run_sql(lab, "UPDATE head SET intake_id = 0, intake_seq = 0");
        if (empty) {
            assert_int_equal(truncate(store_lab_path(lab, "tabard.db"), 0), 0);
        }
        const char *intake = store_lab_path(lab, "tabard.intake");
        assert_int_equal(cut ? truncate(intake, 0) : unlink(intake), 0);
        assert_int_equal(ftruncate(lab->log_fd, 0), 0);
        assert_int_equal(lseek(lab->log_fd, 0, SEEK_SET), 0);
        int rc = tb_sqlite_log_open(lab->dir, lab->core.secret, true, &log, &err);
        tb_sqlite_log_free(log);
        assert_true(!cut || (rc == TB_E_STORE && strstr(err.text, "tabard.intake is damaged")));
        store_lab_open(lab);
        assert_non_null(strstr(store_lab_logged(lab),
                               cut ? "the intake was damaged" : "tabard.intake is missing"));
        assert_int_equal(store_put(lab, TB_SPACE_SESSION, "k", "new"), 0);
        store_expect(lab, TB_SPACE_SESSION, "k", "new");
    }
}

/* It is small, so it waits for the intake and not for the database. */
static void a_removal_does_not_wait_for_the_database(void **state)
{
    struct store_lab *lab = *state;
    sqlite3 *other;
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "v"), 0);
    assert_int_equal(sqlite3_open(store_lab_path(lab, "tabard.db"), &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(store_remove(lab, TB_SPACE_STATE, "k"), 0);
    sqlite3_close(other);
    store_expect(lab, TB_SPACE_STATE, "k", NULL);
}

static void a_log_with_a_gap_is_not_cut_there_and_holds_up_nothing(void **state)
{
    struct store_lab *lab = *state;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(store_append_type(lab, "x"), 0);
    }
    store_lab_close(lab);
    run_sql(lab, "DELETE FROM audit WHERE seq = 3");
    store_lab_open(lab);
    assert_int_equal(store_cut(lab, 0, 2), 0);
    assert_int_equal(store_put(lab, TB_SPACE_SESSION, "k", "v"), 0);
    store_expect(lab, TB_SPACE_SESSION, "k", "v");
    assert_string_equal(store_lab_logged(lab), "");
}

static void a_row_in_the_way_of_an_entry_costs_nothing_else(void **state)
{
    struct store_lab *lab = *state;
    assert_int_equal(store_append_type(lab, "a"), 0);
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "v"), 0);
    store_lab_close(lab);
    run_sql(lab, "INSERT INTO audit SELECT seq + 1, wall_ms, type, tenant, session, agent, tool,"
                 " outcome, details, hash FROM audit");
    store_lab_open(lab);
    assert_int_equal(store_append_type(lab, "b"), 0);
    assert_int_equal(store_expect_chain(lab), 2);
    store_expect(lab, TB_SPACE_STATE, "k", "v");
    assert_null(strstr(store_lab_logged(lab), "set aside"));
    assert_non_null(strstr(store_lab_logged(lab), "tabard did not write"));
}

static void another_secret_is_refused_and_nothing_is_touched(void **state)
{
    struct store_lab *lab = *state;
    struct tb_sqlite_log *log = NULL;
    struct tb_err err;
    uint8_t right[TB_SECRET_BYTES];
    uint8_t wrong[TB_SECRET_BYTES] = {1};
    memcpy(right, lab->core.secret, sizeof(right));
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "v"), 0);
    for (int round = 0; round < 3; round++) {
        store_lab_close(lab);
        if (round == 2) { /* as from before there was a check value: the log's seal tells */
            run_sql(lab, "ALTER TABLE head DROP COLUMN secret_check; PRAGMA user_version = 1");
        }
        memcpy(lab->core.secret, wrong, sizeof(wrong));
        expect_refused(lab, "a different secret");
        assert_int_equal(tb_sqlite_log_open(lab->dir, wrong, true, &log, &err), TB_E_CONFIG);
        memcpy(lab->core.secret, right, sizeof(right));
        store_lab_open(lab);
        store_expect(lab, TB_SPACE_STATE, "k", "v");
        assert_int_equal(store_append_type(lab, "x"), 0);
        assert_int_equal(store_expect_chain(lab), round + 1);
    }
    assert_string_equal(store_lab_logged(lab), "");
}

static void a_flipped_check_value_alone_refuses_nothing(void **state)
{
    struct store_lab *lab = *state;
    assert_int_equal(store_append_type(lab, "x"), 0);
    store_lab_close(lab);
    run_sql(lab, "UPDATE head SET secret_check = zeroblob(32)");
    store_lab_open(lab);
    assert_int_equal(store_expect_chain(lab), 1);
}

/* Whatever was claimed before: with a clean end, and after more claims than are reserved at once.
 */
static void epochs_grow_over_restarts_and_no_claim_holds_after_one(void **state)
{
    struct store_lab *lab = *state;
    struct tb_fence fence = {0};
    int64_t last = 0;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 600; i++) {
            char key[16];
            snprintf(key, sizeof(key), "key %d", i);
            assert_int_equal(store_claim(lab, key, "node", 60000, &fence), 0);
            assert_true(fence.epoch > last);
            last = fence.epoch;
        }
        fence.key = TB_STR("key 599");
        assert_int_equal(store_put_fenced(lab, TB_SPACE_END, "k", "v", &fence), 0);
        store_lab_reopen(lab);
        assert_int_equal(store_put_fenced(lab, TB_SPACE_END, "k", "v", &fence), TB_E_FENCED);
        assert_int_equal(store_renew(lab, &fence, 1), TB_E_FENCED);
    }
    assert_string_equal(store_lab_logged(lab), "");
}

static void a_damaged_epoch_is_told_and_nothing_is_claimed(void **state)
{
    struct store_lab *lab = *state;
    struct tb_fence fence = {0};
    assert_int_equal(store_put(lab, TB_SPACE_EPOCH, "last", "many"), 0);
    assert_int_equal(store_claim(lab, "k", "node", 60000, &fence), TB_E_STORE);
    assert_non_null(strstr(lab->words, "which epoch was the last"));
    assert_int_equal(store_put(lab, TB_SPACE_EPOCH, "last", "70000"), 0);
    assert_int_equal(store_claim(lab, "k", "node", 60000, &fence), 0);
    assert_int_equal(fence.epoch, 70001);
}

static void on_claim(const struct tb_err *err, int64_t epoch, void *user)
{
    assert_null(err);
    *(int64_t *)user = epoch;
}

/* The database was replaced while the number that comes next was on its way to it. */
static void a_new_database_is_not_told_of_fewer_epochs_than_are_given(void **state)
{
    struct store_lab *lab = *state;
    struct tb_fence fence = {0};
    int64_t epoch = 0;
    assert_int_equal(store_claim(lab, "k", "node", 60000, &fence), 0);
    store_lab_reopen(lab);
    struct tb_sqlite *store = lab->state;
    lab->kind->claim(store, TB_STR("k"), TB_STR("node"), 60000, on_claim, &epoch);
    WAIT_UNTIL(lab->core.loop, store->claims.state == TB_CLAIMS_RESERVING);
    tb_sqlite_claims_replaced(store);
    WAIT_UNTIL(lab->core.loop, epoch);
    store_lab_reopen(lab);
    assert_int_equal(store_claim(lab, "k", "node", 60000, &fence), 0);
    assert_true(fence.epoch > epoch);
}

static void a_new_database_is_not_told_of_damage(void **state)
{
    struct store_lab *lab = *state;
    struct tb_fence fence = {0};
    assert_int_equal(store_put(lab, TB_SPACE_EPOCH, "last", "9223372036854775807"), 0);
    assert_int_equal(store_claim(lab, "k", "node", 60000, &fence), TB_E_STORE);
    assert_int_equal(store_put(lab, TB_SPACE_EPOCH, "last", "70000"), 0);
    tb_sqlite_claims_replaced(lab->state);
    assert_int_equal(store_claim(lab, "k", "node", 60000, &fence), 0);
    assert_int_equal(fence.epoch, 70001);
}

/* The planner takes the index: no row outside of the range is looked at, and nothing is sorted. */
static void a_range_is_read_by_its_index(void **state)
{
    struct store_lab *lab = *state;
    struct tb_db db = {0};
    struct tb_err err;
    sqlite3_stmt *statement;
    struct tb_range_copy range;
    TB_AUTO(tb_buf_fini) struct tb_buf rows = TB_BUF(SIZE_MAX);
    for (int i = 0; i < 1000; i++) {
        char key[16];
        snprintf(key, sizeof(key), "k%03d", i);
        lab->kind->put(lab->state, TB_SPACE_SESSION, tb_str_of(key), TB_STR("v"), NULL, NULL);
    }
    store_lab_close(lab);
    tb_range_copy_init(&range, &(struct tb_range){.prefix = TB_STR("k50"), .limit = 5});
    assert_int_equal(tb_db_open(&db, store_lab_path(lab, "tabard.db"), TB_DB_READ, 0, &err), 0);
    assert_int_equal(tb_db_range(&db, "session", &range, &rows, &err), 0);
    assert_int_equal(tb_db_use(&db, TB_DB_RANGE, &statement, &err), 0);
    assert_int_equal(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0), 0);
    assert_int_equal(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0), 0);
    assert_in_range(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0), 1, 100);
    assert_true(tb_str_eq(range.range.after, TB_STR("k504")));
    tb_db_close(&db);
    tb_range_copy_fini(&range);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(everything_is_there_after_a_restart),
        CASE(the_files_are_for_their_owner_alone),
        CASE(a_newer_schema_is_refused_and_left_alone),
        CASE(a_database_of_another_program_is_refused),
        CASE(an_empty_file_becomes_a_database),
        CASE(the_log_is_read_beside_a_running_daemon_and_without),
        CASE(without_a_database_there_is_no_log),
        CASE(what_a_killed_daemon_left_is_moved_before_the_log_is_read),
        CASE(what_is_in_the_database_is_not_moved_again),
        CASE(an_older_copy_of_the_database_is_noticed),
        CASE(an_older_copy_of_the_intake_drops_nothing),
        CASE(an_intake_that_is_gone_beside_a_database_that_never_knew_it_is_told),
        CASE(a_removal_does_not_wait_for_the_database),
        CASE(epochs_grow_over_restarts_and_no_claim_holds_after_one),
        CASE(a_damaged_epoch_is_told_and_nothing_is_claimed),
        CASE(a_new_database_is_not_told_of_fewer_epochs_than_are_given),
        CASE(a_new_database_is_not_told_of_damage),
        CASE(a_range_is_read_by_its_index),
        CASE(a_log_with_a_gap_is_not_cut_there_and_holds_up_nothing),
        CASE(a_row_in_the_way_of_an_entry_costs_nothing_else),
        CASE(another_secret_is_refused_and_nothing_is_touched),
        CASE(a_flipped_check_value_alone_refuses_nothing),
    };
#undef CASE
    return store_cases(&tb_store_sqlite, NULL) + cmocka_run_group_tests(tests, NULL, NULL);
}
