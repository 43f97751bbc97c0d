/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a killed daemon with bytes flipped. Whatever comes of it: no crash, and the audit log is
 * whole or somebody is told. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dirent.h>
#include <sqlite3.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/audit_verify.h"
#include "core/driver.h"
#include "core/records.h"
#include "core/sessions.h"
#include "io/testing.h"
#include "store/sqlite/sqlite.h"

#include "suite/store_lab.h"

enum {
    ROUNDS = 150,
    MOVED = 300,
    WAITING = 40,
    ENTRIES = MOVED + WAITING,
    SESSIONS = 60,
    INTAKE_BYTES = 24 * 1024, /* of the file that is in use */
};

static const char *const names[] = {"tabard.db", "tabard.db-wal", "tabard.intake"};

struct files {
    struct tb_buf bytes[TB_COUNT(names)];
};

/* What is on the disk while a store with all this is open. */
static void take_files(struct files *files)
{
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    char value[200];
    memset(value, 'v', sizeof(value));
    for (int i = 0; i < ENTRIES; i++) {
        if (i == MOVED / 2) {
            store_lab_reopen(lab); /* one half in the file, the other in its log */
        }
        if (i == MOVED) {
            assert_int_equal(store_expect_chain(lab), MOVED);
        }
        assert_int_equal(store_append_type(lab, "entry"), 0);
        if (i < SESSIONS) {
            char key[16];
            snprintf(key, sizeof(key), "k%d", i);
            assert_int_equal(
                store_put_bytes(lab, TB_SPACE_SESSION, key, (struct tb_str){value, sizeof(value)}),
                0);
        }
    }
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        tb_buf_init(&files->bytes[i], SIZE_MAX);
        assert_int_equal(tb_file_read(store_lab_path(lab, names[i]), &files->bytes[i]), 0);
    }
    store_lab_free(lab);
}

/* In an empty folder, without a word said so far. */
static void put_files(struct store_lab *lab, struct files *files)
{
    store_lab_clear(lab);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        const struct tb_buf *bytes = &files->bytes[i];
        int fd = open(store_lab_path(lab, names[i]), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(write(fd, bytes->data, bytes->len), bytes->len);
        close(fd);
    }
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

/* The whole log, or words. */
static bool log_is_whole(struct store_lab *lab, size_t *ret_count)
{
    TB_AUTO(tb_sqlite_log_free) struct tb_sqlite_log *log = NULL;
    const struct tb_audit_query all = {0};
    struct tb_audit_cut cut;
    struct tb_audit_cut head;
    struct check check = {0};
    tb_audit_verify_init(&check.verify, lab->core.secret);
    if (tb_sqlite_log_open(lab->dir, lab->core.secret, true, &log, &check.err) < 0 ||
        tb_sqlite_log_ends(log, &cut, &head, &check.err) < 0) {
        return false;
    }
    check.rc = tb_audit_verify_cut(&check.verify, &cut, &check.err);
    if (tb_sqlite_log_query(log, &all, on_entry, &check, &check.err) < 0 || check.rc < 0) {
        return false;
    }
    *ret_count = check.count;
    return tb_audit_verify_head(&check.verify, &head, &check.err) == 0;
}

/* How it ended: 'r'efused, 's'aid, 'v'erify says it, 'w'hole. */
static char open_damaged(struct store_lab *lab, size_t wanted)
{
    struct tb_err err;
    size_t count = 0;
    lab->state = lab->kind->open(&lab->core, &err);
    if (!lab->state) {
        assert_int_equal(err.code, TB_E_CONFIG);
        return 'r';
    }
    struct store_seen seen;
    struct store_seen entries;
    const struct tb_audit_query all = {0};
    store_each(lab, TB_SPACE_SESSION, NULL, &seen);
    store_audit(lab, &all, &entries);
    bool said = seen.code || entries.code;
    store_seen_fini(&seen);
    store_seen_fini(&entries);
    assert_int_equal(store_append_type(lab, "and on it goes"), 0);
    store_lab_close(lab);
    said = said || strstr(store_lab_logged(lab), "trouble");
    if (said) {
        return 's';
    }
    if (!log_is_whole(lab, &count)) {
        return 'v';
    }
    assert_int_equal(count, wanted + 1);
    return 'w';
}

static void flip(struct files *files, size_t which, unsigned *seed, int count)
{
    size_t size = which == 2 ? INTAKE_BYTES : files->bytes[which].len;
    for (int i = 0; i < count; i++) {
        size_t at = (size_t)rand_r(seed) % size;
        files->bytes[which].data[at] ^= (uint8_t)(1U << rand_r(seed) % 8);
    }
}

static void flipped_bytes_never_make_a_wrong_log_pass(void **state)
{
    (void)state;
    struct files files;
    unsigned seed = 4;
    size_t ends[128] = {0};
    take_files(&files);
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    for (int round = 0; round < ROUNDS; round++) {
        struct files damaged;
        store_lab_close(lab);
        for (size_t i = 0; i < TB_COUNT(names); i++) {
            tb_buf_init(&damaged.bytes[i], SIZE_MAX);
            tb_buf_append_str(&damaged.bytes[i], tb_buf_str(&files.bytes[i]));
        }
        if (round > 0) { /* the first is whole */
            flip(&damaged, (size_t)round % TB_COUNT(names), &seed, 1 + round % 5 * 4);
        }
        put_files(lab, &damaged);
        char end = open_damaged(lab, ENTRIES);
        assert_true(round > 0 || end == 'w');
        ends[(size_t)end]++;
        for (size_t i = 0; i < TB_COUNT(names); i++) {
            tb_buf_fini(&damaged.bytes[i]);
        }
    }
    store_lab_free(lab);
    print_message("refused %zu, said %zu, found by verify %zu, whole %zu\n", ends['r'], ends['s'],
                  ends['v'], ends['w']);
    assert_true(ends['s'] > 0 && ends['w'] > 0);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        tb_buf_fini(&files.bytes[i]);
    }
}

static bool has_file(struct store_lab *lab, const char *begin)
{
    DIR *dir = opendir(lab->dir);
    struct dirent *item;
    bool found = false;
    while ((item = readdir(dir))) {
        found = found || strncmp(item->d_name, begin, strlen(begin)) == 0;
    }
    closedir(dir);
    return found;
}

static void a_broken_database_is_set_aside_and_a_new_one_begun(void **state)
{
    (void)state;
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    assert_int_equal(store_append_type(lab, "x"), 0);
    store_lab_close(lab);
    assert_int_equal(tb_file_write(store_lab_path(lab, "tabard.db"),
                                   TB_STR("this is no database, however long one looks at it"),
                                   0600),
                     0);
    store_lab_open(lab);
    assert_int_equal(store_append_type(lab, "y"), 0);
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "v"), 0);
    assert_int_equal(store_expect_chain(lab), 1);
    assert_non_null(strstr(store_lab_logged(lab), "it was set aside as"));
    assert_true(has_file(lab, "tabard.db.broken-"));
    store_lab_reopen(lab);
    store_expect(lab, TB_SPACE_STATE, "k", "v");
    store_lab_free(lab);
}

/* Or they would be closed without another save, and be gone with the next start. */
static void live_sessions_are_stored_again_in_a_new_database(void **state)
{
    (void)state;
    static const struct tb_driver driver = {.name = "none"};
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    struct tb_session *session;
    struct store_seen seen;
    assert_int_equal(store_append_type(lab, "x"), 0);
    store_lab_close(lab);
    assert_int_equal(
        tb_file_write(store_lab_path(lab, "tabard.db"), TB_STR("this is no database"), 0600), 0);
    lab->core.drivers[0].driver = &driver;
    lab->core.sessions = tb_sessions_new(&lab->core);
    assert_int_equal(tb_record_load(lab->core.sessions,
                                    TB_STR("{\"id\":\"i\",\"name\":\"a\",\"tenant\":\"t\","
                                           "\"kind\":\"browser\",\"driver\":\"none\","
                                           "\"created\":1,\"active\":1,\"saved\":true}"),
                                    &session, NULL),
                     0);
    store_lab_open(lab);
    lab->core.store = (struct tb_store){lab->kind, lab->state};
    store_expect(lab, TB_SPACE_STATE, "none", NULL); /* it has been looked at */
    assert_false(tb_session_info(session).saved);
    store_each(lab, TB_SPACE_SESSION, NULL, &seen);
    assert_int_equal(seen.rows, 1);
    store_seen_fini(&seen);
    tb_sessions_free(lab->core.sessions);
    lab->core.sessions = NULL;
    store_lab_free(lab);
}

/* The claims of the process go on, and so do its epochs, also after the next start. */
static void epochs_are_stored_again_in_a_new_database(void **state)
{
    (void)state;
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    struct tb_fence before = {0};
    struct tb_fence after = {0};
    char garbage[4096];
    memset(garbage, 7, sizeof(garbage));
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "v"), 0);
    store_lab_reopen(lab);
    assert_int_equal(store_claim(lab, "key", "node", 60000, &before), 0);
    store_expect(lab, TB_SPACE_STATE, "k", "v"); /* the epoch is in the database now */
    int fd = open(store_lab_path(lab, "tabard.db"), O_RDWR | O_CLOEXEC);
    for (off_t at = 0; at < lseek(fd, 0, SEEK_END); at += (off_t)sizeof(garbage)) {
        assert_int_equal(pwrite(fd, garbage, sizeof(garbage), at), sizeof(garbage));
    }
    close(fd);
    assert_int_equal(truncate(store_lab_path(lab, "tabard.db-wal"), 0), 0);
    unlink(store_lab_path(lab, "tabard.db-shm")); /* so that the file is opened anew */
    for (int i = 0; !strstr(store_lab_logged(lab), "it was set aside as"); i++) {
        assert_true(i < 100);
        store_put(lab, TB_SPACE_STATE, "k", "v");
    }
    assert_int_equal(store_put_fenced(lab, TB_SPACE_SESSION, "k", "v", &before), 0);
    store_lab_reopen(lab);
    assert_int_equal(store_claim(lab, "key", "node", 60000, &after), 0);
    assert_true(after.epoch > before.epoch);
    store_lab_free(lab);
}

static void flip_header(struct store_lab *lab, off_t at)
{
    int fd = open(store_lab_path(lab, "tabard.db"), O_RDWR | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "\x07", 1, at), 1);
    close(fd);
}

/* Not its permissions: SQLite gives the same code for both. */
static void a_header_of_an_unknown_format_is_damage(void **state)
{
    (void)state;
    for (off_t at = 18; at <= 19; at++) { /* what may write it, what may read it */
        struct store_lab *lab = store_lab_new(&tb_store_sqlite);
        assert_int_equal(store_append_type(lab, "x"), 0);
        store_lab_close(lab);
        flip_header(lab, at);
        store_lab_open(lab);
        assert_int_equal(store_append_type(lab, "y"), 0);
        assert_int_equal(store_expect_chain(lab), 1);
        assert_non_null(strstr(store_lab_logged(lab), "is broken"));
        assert_null(strstr(store_lab_logged(lab), "permissions"));
        assert_true(has_file(lab, "tabard.db.broken-"));
        store_lab_free(lab);
    }
}

/* A header that is damaged and a log that is cut, as `audit verify` and the daemon see them. */
static void call_it_damage(struct store_lab *lab, struct files *files, off_t at, off_t kept)
{
    struct tb_sqlite_log *log = NULL;
    struct tb_err err = {0};
    store_lab_close(lab);
    put_files(lab, files);
    flip_header(lab, at);
    assert_int_equal(truncate(store_lab_path(lab, "tabard.db-wal"), kept), 0);
    assert_int_equal(tb_sqlite_log_open(lab->dir, lab->core.secret, true, &log, &err), TB_E_STORE);
    assert_null(strstr(err.text, "permissions"));
    assert_true(strstr(err.text, "is broken") || strstr(err.text, "it is damaged"));
    store_lab_open(lab);
    assert_int_equal(store_append_type(lab, "y"), 0);
    store_expect(lab, TB_SPACE_STATE, "none", NULL); /* it has been looked at */
    assert_null(strstr(store_lab_logged(lab), "permissions"));
    assert_non_null(strstr(store_lab_logged(lab), "is broken"));
    assert_true(has_file(lab, "tabard.db.broken-"));
}

static void a_damaged_header_beside_a_cut_log_is_called_damage(void **state)
{
    (void)state;
    static const off_t kept[] = {0, 20, 32, 5000}; /* within the log's header, a frame, the next */
    struct files files;
    take_files(&files);
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    for (off_t at = 18; at <= 19; at++) {
        for (size_t i = 0; i < TB_COUNT(kept); i++) {
            call_it_damage(lab, &files, at, kept[i]);
        }
    }
    store_lab_free(lab);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        tb_buf_fini(&files.bytes[i]);
    }
}

/* SQLite would go on writing to the removed file. */
static void a_log_that_is_removed_is_noticed_and_nothing_is_lost(void **state)
{
    (void)state;
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    struct tb_err err;
    assert_int_equal(store_append_type(lab, "a"), 0);
    assert_int_equal(store_expect_chain(lab), 1);
    assert_int_equal(unlink(store_lab_path(lab, "tabard.db-wal")), 0);
    assert_int_equal(store_append_type(lab, "b"), 0); /* the intake has it */
    WAIT_UNTIL(lab->core.loop, strstr(store_lab_logged(lab), "tabard.db-wal was removed"));
    assert_false(lab->kind->ready(lab->state, &err));
    assert_int_equal(store_append_type(lab, "c"), TB_E_STORE);
    assert_non_null(strstr(lab->words, "was removed while the daemon was running"));
    store_lab_reopen(lab);
    assert_int_equal(store_expect_chain(lab), 2);
    store_lab_free(lab);
}

/* SQLite has it mapped: what is cut off is a SIGBUS to whoever touches it. */
static void an_index_that_is_cut_or_removed_is_made_anew_and_nothing_is_lost(void **state)
{
    (void)state;
    static const off_t kept[] = {0, 3, 4096, 16384, -1}; /* the last: removed */
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    size_t count = 0;
    for (size_t i = 0; i < TB_COUNT(kept); i++) {
        for (int j = 0; j < 20; j++) {
            assert_int_equal(store_append_type(lab, "before"), 0);
        }
        assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "old"), 0);
        count += 20;
        assert_int_equal(store_expect_chain(lab), count);
        const char *index = store_lab_path(lab, "tabard.db-shm");
        assert_int_equal(kept[i] < 0 ? unlink(index) : truncate(index, kept[i]), 0);
        assert_int_equal(ftruncate(lab->log_fd, 0), 0);
        assert_int_equal(lseek(lab->log_fd, 0, SEEK_SET), 0);
        assert_int_equal(store_append_type(lab, "after"), 0);
        assert_int_equal(store_put(lab, TB_SPACE_STATE, "k", "new"), 0);
        count++;
        assert_int_equal(store_expect_chain(lab), count);
        store_expect(lab, TB_SPACE_STATE, "k", "new");
        assert_non_null(strstr(store_lab_logged(lab), "tabard.db-shm was cut or removed"));
        assert_non_null(strstr(store_lab_logged(lab), "storing works again"));
        assert_null(strstr(store_lab_logged(lab), "lacks"));
        assert_null(strstr(store_lab_logged(lab), "set aside"));
    }
    assert_int_equal(truncate(store_lab_path(lab, "tabard.db-shm"), 4096), 0);
    store_lab_reopen(lab); /* right before the end */
    assert_int_equal(store_expect_chain(lab), count);
    store_lab_free(lab);
}

static void a_log_that_another_program_emptied_is_none_the_worse(void **state)
{
    (void)state;
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    sqlite3 *other;
    assert_int_equal(store_append_type(lab, "a"), 0);
    assert_int_equal(store_expect_chain(lab), 1);
    assert_int_equal(sqlite3_open(store_lab_path(lab, "tabard.db"), &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(other);
    assert_int_equal(store_append_type(lab, "b"), 0);
    assert_int_equal(store_expect_chain(lab), 2);
    assert_string_equal(store_lab_logged(lab), "");
    store_lab_free(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flipped_bytes_never_make_a_wrong_log_pass),
        cmocka_unit_test(a_broken_database_is_set_aside_and_a_new_one_begun),
        cmocka_unit_test(live_sessions_are_stored_again_in_a_new_database),
        cmocka_unit_test(epochs_are_stored_again_in_a_new_database),
        cmocka_unit_test(a_header_of_an_unknown_format_is_damage),
        cmocka_unit_test(a_damaged_header_beside_a_cut_log_is_called_damage),
        cmocka_unit_test(a_log_that_is_removed_is_noticed_and_nothing_is_lost),
        cmocka_unit_test(an_index_that_is_cut_or_removed_is_made_anew_and_nothing_is_lost),
        cmocka_unit_test(a_log_that_another_program_emptied_is_none_the_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
