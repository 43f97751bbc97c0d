/* SPDX-License-Identifier: Apache-2.0 */
/* Disks that are full, slow or broken, by a layer between SQLite and its files. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/mem.h"
#include "core/limits.h"
#include "io/testing.h"
#include "store/sqlite/sqlite.h"

#include "suite/store_lab.h"

/* What the layer does; the workers look at it. */
struct disk {
    atomic_int write_code; /* SQLITE_OK: writes go through */
    atomic_int write_ms;   /* one write of the next transaction takes so long */
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    sqlite3_io_methods methods[2]; /* of the database and of its log */
    int (*real_write)(sqlite3_file *file, const void *data, int len, sqlite3_int64 at);
};

static struct disk disk;

static void take_time(int ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&left, &left) < 0) {
    }
}

static int disk_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 at)
{
    int ms = atomic_exchange(&disk.write_ms, 0);
    int code = atomic_load(&disk.write_code);
    take_time(ms);
    return code == SQLITE_OK ? disk.real_write(file, data, len, at) : code;
}

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    (void)vfs;
    int rc = disk.real->xOpen(disk.real, name, file, flags, ret_flags);
    if (rc == SQLITE_OK && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) {
        sqlite3_io_methods *methods = &disk.methods[(flags & SQLITE_OPEN_WAL) != 0];
        disk.real_write = file->pMethods->xWrite; /* the same for both */
        *methods = *file->pMethods;
        methods->xWrite = disk_write;
        file->pMethods = methods;
    }
    return rc;
}

static void insert_disk(void)
{
    disk.real = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.real;
    disk.vfs.zName = "faulty";
    disk.vfs.xOpen = disk_open;
    disk.vfs.pNext = NULL;
    assert_int_equal(sqlite3_vfs_register(&disk.vfs, 1), SQLITE_OK);
}

static int setup(void **state)
{
    struct store_lab *lab = store_lab_new(&tb_store_sqlite);
    assert_int_equal(store_put(lab, TB_SPACE_SESSION, "before", "v"), 0);
    store_expect(lab, TB_SPACE_SESSION, "before", "v");
    *state = lab;
    return 0;
}

static int teardown(void **state)
{
    atomic_store(&disk.write_code, SQLITE_OK);
    store_lab_free(*state);
    return 0;
}

static bool logged(struct store_lab *lab, const char *text)
{
    return strstr(store_lab_logged(lab), text) != NULL;
}

/* Light writes are well while the database fails, and are there when it works again. */
static void expect_to_ride_it_out(struct store_lab *lab, const char *words)
{
    struct tb_err err;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(store_append_type(lab, "while it fails"), 0);
    }
    assert_int_equal(store_put(lab, TB_SPACE_SESSION, "k", "v"), 0);
    WAIT_UNTIL(lab->core.loop, logged(lab, words));
    assert_true(lab->kind->ready(lab->state, &err));
}

static void expect_to_recover(struct store_lab *lab)
{
    WAIT_UNTIL(lab->core.loop, logged(lab, "storing works again"));
    assert_int_equal(store_expect_chain(lab), 100);
    store_expect(lab, TB_SPACE_SESSION, "k", "v");
    store_expect(lab, TB_SPACE_SESSION, "before", "v");
    store_lab_reopen(lab);
    assert_int_equal(store_expect_chain(lab), 100);
}

static void a_full_disk_is_said_and_ridden_out(void **state)
{
    struct store_lab *lab = *state;
    atomic_store(&disk.write_code, SQLITE_FULL);
    expect_to_ride_it_out(lab, "no disk space is left");
    atomic_store(&disk.write_code, SQLITE_OK);
    expect_to_recover(lab);
}

static void a_disk_with_errors_is_said_and_ridden_out(void **state)
{
    struct store_lab *lab = *state;
    atomic_store(&disk.write_code, SQLITE_IOERR_WRITE);
    expect_to_ride_it_out(lab, "disk I/O error");
    atomic_store(&disk.write_code, SQLITE_OK);
    expect_to_recover(lab);
}

static void what_fails_at_the_end_is_there_at_the_next_start(void **state)
{
    struct store_lab *lab = *state;
    atomic_store(&disk.write_code, SQLITE_FULL);
    expect_to_ride_it_out(lab, "no disk space is left");
    store_lab_close(lab);
    store_lab_open(lab);
    assert_int_equal(store_append_type(lab, "after"), 0);
    atomic_store(&disk.write_code, SQLITE_OK);
    assert_int_equal(store_expect_chain(lab), 101);
    store_expect(lab, TB_SPACE_SESSION, "k", "v");
}

/* The database fails until there is no room for more: then writes fail, and the store says before
 * that it is not ready. */
static void when_nothing_more_fits_writes_fail_with_words(void **state)
{
    struct store_lab *lab = *state;
    char *details = tb_zalloc(TB_RECORD_LIGHT_MAX / 2);
    const struct tb_audit_entry entry = {.details = {details, TB_RECORD_LIGHT_MAX / 2}};
    struct tb_err err = {0};
    size_t good = 0;
    size_t good_when_ready = 0;
    memset(details, 'x', TB_RECORD_LIGHT_MAX / 2);
    atomic_store(&disk.write_code, SQLITE_FULL);
    assert_int_equal(store_append(lab, &entry), 0);
    WAIT_UNTIL(lab->core.loop, logged(lab, "no disk space is left"));
    for (good = 1; store_append(lab, &entry) == 0; good++) {
        good_when_ready += lab->kind->ready(lab->state, &err);
    }
    assert_true(good > 200);
    assert_true(good_when_ready < good - 5);
    assert_int_equal(err.code, TB_E_STORE);
    assert_non_null(strstr(err.text, "no disk space is left"));
    assert_non_null(strstr(lab->words, "nothing more can be stored"));

    atomic_store(&disk.write_code, SQLITE_OK);
    WAIT_UNTIL(lab->core.loop, lab->kind->ready(lab->state, &err));
    assert_int_equal(store_append(lab, &entry), 0);
    assert_int_equal(store_expect_chain(lab), good + 1);
    tb_free(details);
}

static void on_gate(struct tb_gate *gate)
{
    (void)gate;
}

static void a_slow_disk_holds_up_nothing_but_heavy_writes(void **state)
{
    struct store_lab *lab = *state;
    struct tb_gate gate;
    tb_gate_init(&gate, on_gate);
    atomic_store(&disk.write_ms, 5000);
    int64_t begun_ms = tb_clock_mono_ms(lab->core.clock);
    lab->kind->put(lab->state, TB_SPACE_STATE, TB_STR("slow"), TB_STR("v"), NULL, &gate);
    assert_true(tb_gate_shut(&gate));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(store_append_type(lab, "meanwhile"), 0);
    }
    assert_true(tb_clock_mono_ms(lab->core.clock) - begun_ms < 2000);
    tb_gate_fini(&gate);
    store_expect(lab, TB_SPACE_STATE, "slow", "v");
    assert_true(tb_clock_mono_ms(lab->core.clock) - begun_ms >= 4900);
    assert_int_equal(store_expect_chain(lab), 100);
    assert_false(logged(lab, "trouble"));
}

static sqlite3 *lock(struct store_lab *lab)
{
    sqlite3 *other;
    assert_int_equal(sqlite3_open(store_lab_path(lab, "tabard.db"), &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return other;
}

static void a_locked_database_is_said_and_ridden_out(void **state)
{
    struct store_lab *lab = *state;
    sqlite3 *other = lock(lab);
    expect_to_ride_it_out(lab, "locked by another program");
    sqlite3_close(other);
    expect_to_recover(lab);
}

static void a_database_that_is_locked_at_the_start_is_waited_for(void **state)
{
    struct store_lab *lab = *state;
    store_lab_close(lab);
    sqlite3 *other = lock(lab);
    store_lab_open(lab);
    assert_int_equal(store_append_type(lab, "x"), 0);
    sqlite3_close(other);
    assert_int_equal(store_expect_chain(lab), 1);
    store_expect(lab, TB_SPACE_SESSION, "before", "v");
}

static void begin_manual_time(struct store_lab *lab, struct tb_clock_manual *clock)
{
    store_lab_close(lab);
    tb_loop_free(lab->core.loop);
    tb_clock_manual_init(clock);
    lab->core.loop = tb_loop_new(&clock->clock);
    store_lab_open(lab);
}

static void end_manual_time(struct store_lab *lab)
{
    store_lab_close(lab);
    tb_loop_free(lab->core.loop);
    lab->core.loop = tb_loop_new(lab->core.clock);
}

static void turn_until_open(struct store_lab *lab, const struct tb_gate *gate)
{
    while (tb_gate_shut(gate)) {
        tb_loop_turn(lab->core.loop, false);
    }
}

static void put_and_fail(struct store_lab *lab, struct tb_gate *gate, const char *words)
{
    tb_gate_init(gate, on_gate);
    lab->kind->put(lab->state, TB_SPACE_STATE, TB_STR("k"), TB_STR("v"), NULL, gate);
    while (!logged(lab, words)) {
        tb_loop_turn(lab->core.loop, false);
    }
}

/* Heavy writes are not kept: who waits for one is told. */
static void a_heavy_write_fails_after_a_while(void **state)
{
    struct store_lab *lab = *state;
    struct tb_clock_manual clock;
    struct tb_gate gates[2];
    begin_manual_time(lab, &clock);
    atomic_store(&disk.write_code, SQLITE_IOERR_WRITE);
    for (int i = 0; i < 2; i++) {
        put_and_fail(lab, &gates[i], "disk I/O error");
        tb_clock_manual_advance(&clock, 6000);
        for (int turns = 0; turns < 1000 && i == 0; turns++) {
            tb_loop_turn(lab->core.loop, false);
        }
    }
    /* The first has waited for 12 s, the second for 6. */
    turn_until_open(lab, &gates[0]);
    assert_int_equal(gates[0].err.code, TB_E_STORE);
    assert_non_null(strstr(gates[0].err.text, "disk I/O error"));
    assert_true(tb_gate_shut(&gates[1]));
    atomic_store(&disk.write_code, SQLITE_OK);
    tb_clock_manual_advance(&clock, 2000);
    turn_until_open(lab, &gates[1]);
    assert_int_equal(gates[1].err.code, 0);
    end_manual_time(lab);
}

/* A full disk stays full until somebody comes: neither a stop nor an agent waits so long. */
static void a_heavy_write_fails_soon_when_the_disk_is_full(void **state)
{
    struct store_lab *lab = *state;
    struct tb_clock_manual clock;
    struct tb_gate gate;
    begin_manual_time(lab, &clock);
    atomic_store(&disk.write_code, SQLITE_FULL);
    put_and_fail(lab, &gate, "no disk space is left");
    assert_true(tb_gate_shut(&gate));
    tb_clock_manual_advance(&clock, 1500);
    turn_until_open(lab, &gate);
    assert_int_equal(gate.err.code, TB_E_STORE);
    assert_non_null(strstr(gate.err.text, "no disk space is left"));
    atomic_store(&disk.write_code, SQLITE_OK);
    end_manual_time(lab);
}

static void the_order_of_writes_is_kept_while_the_disk_fails(void **state)
{
    struct store_lab *lab = *state;
    struct tb_str key = TB_STR("k");
    atomic_store(&disk.write_code, SQLITE_FULL);
    assert_int_equal(store_append_type(lab, "fails"), 0);
    WAIT_UNTIL(lab->core.loop, logged(lab, "no disk space is left"));
    lab->kind->put(lab->state, TB_SPACE_STATE, key, TB_STR("old"), NULL, NULL);
    lab->kind->remove(lab->state, TB_SPACE_STATE, key, NULL, NULL);
    lab->kind->put(lab->state, TB_SPACE_STATE, key, TB_STR("new"), NULL, NULL);
    atomic_store(&disk.write_code, SQLITE_OK);
    store_expect(lab, TB_SPACE_STATE, "k", "new");
}

static void a_new_record_waits_for_the_disk_and_holds_up_no_other(void **state)
{
    struct store_lab *lab = *state;
    struct store_seen seen;
    store_seen_init(lab, &seen);
    atomic_store(&disk.write_code, SQLITE_IOERR_WRITE);
    assert_int_equal(store_append_type(lab, "fails"), 0);
    WAIT_UNTIL(lab->core.loop, logged(lab, "disk I/O error"));
    store_put_new_start(lab, TB_SPACE_SESSION, "new", "first", &seen);
    lab->kind->put(lab->state, TB_SPACE_SESSION, TB_STR("new"), TB_STR("second"), NULL, NULL);
    assert_int_equal(store_put(lab, TB_SPACE_SESSION, "other", "v"), 0);
    assert_int_equal(store_append_type(lab, "while it fails"), 0);
    assert_int_equal(seen.ends, 0);
    atomic_store(&disk.write_code, SQLITE_OK);
    WAIT_UNTIL(lab->core.loop, seen.ends);
    assert_int_equal(seen.code, 0);
    store_expect(lab, TB_SPACE_SESSION, "new", "second");
    store_seen_fini(&seen);
}

/* As root a folder's mode means nothing, so the test is somebody else for a while. */
static void a_folder_that_became_read_only_is_ridden_out(void **state)
{
    struct store_lab *lab = *state;
    bool root = geteuid() == 0;
    store_lab_close(lab);
    unlink(store_lab_path(lab, "tabard.db"));
    if (root) {
        assert_int_equal(chown(lab->dir, 65534, 65534), 0);
        assert_int_equal(chown(store_lab_path(lab, "tabard.intake"), 65534, 65534), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    assert_int_equal(chmod(lab->dir, 0500), 0);
    store_lab_open(lab);
    expect_to_ride_it_out(lab, "cannot create");
    assert_int_equal(chmod(lab->dir, 0700), 0);
    WAIT_UNTIL(lab->core.loop, logged(lab, "storing works again"));
    assert_int_equal(store_expect_chain(lab), 100);
    if (root) {
        store_lab_close(lab);
        assert_int_equal(seteuid(0), 0);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_full_disk_is_said_and_ridden_out),
        CASE(a_disk_with_errors_is_said_and_ridden_out),
        CASE(what_fails_at_the_end_is_there_at_the_next_start),
        CASE(when_nothing_more_fits_writes_fail_with_words),
        CASE(a_slow_disk_holds_up_nothing_but_heavy_writes),
        CASE(a_locked_database_is_said_and_ridden_out),
        CASE(a_database_that_is_locked_at_the_start_is_waited_for),
        CASE(a_heavy_write_fails_after_a_while),
        CASE(a_heavy_write_fails_soon_when_the_disk_is_full),
        CASE(the_order_of_writes_is_kept_while_the_disk_fails),
        CASE(a_new_record_waits_for_the_disk_and_holds_up_no_other),
        CASE(a_folder_that_became_read_only_is_ridden_out),
    };
#undef CASE
    insert_disk();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
