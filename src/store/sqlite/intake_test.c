/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/intake.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <dirent.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "store/sqlite/aside.h"

enum {
    HEADER_BYTES = 4096,
    USED_AT = 40, /* of the first half's count in the header */
    RECORD_BYTES = 24,
};

struct lab {
    char dir[64];
    char path[96];
    struct tb_intake *intake;
    struct tb_err damage;
    struct tb_err err;
};

static void open_it(struct lab *lab)
{
    lab->err = (struct tb_err){0};
    lab->intake = tb_intake_open(lab->path, TB_INTAKE_START, &lab->damage, &lab->err);
}

static void reopen(struct lab *lab)
{
    tb_intake_free(lab->intake);
    open_it(lab);
    assert_non_null(lab->intake);
}

static int setup(void **state)
{
    struct lab *lab = TB_NEW(struct lab);
    tb_id_init();
    snprintf(lab->dir, sizeof(lab->dir), "/tmp/tabard-intake-XXXXXX");
    assert_non_null(mkdtemp(lab->dir));
    snprintf(lab->path, sizeof(lab->path), "%s/intake", lab->dir);
    open_it(lab);
    assert_non_null(lab->intake);
    *state = lab;
    return 0;
}

/* Removes all files; gives how many there were besides the intake. */
static int sweep(struct lab *lab)
{
    int others = 0;
    DIR *dir = opendir(lab->dir);
    struct dirent *item;
    while ((item = readdir(dir))) {
        char inner[400];
        snprintf(inner, sizeof(inner), "%s/%s", lab->dir, item->d_name);
        others += item->d_name[0] != '.' && strcmp(item->d_name, "intake") != 0;
        unlink(inner);
    }
    closedir(dir);
    return others;
}

static int teardown(void **state)
{
    struct lab *lab = *state;
    tb_intake_free(lab->intake);
    sweep(lab);
    rmdir(lab->dir);
    tb_free(lab);
    return 0;
}

static void add(struct lab *lab, const char *text)
{
    struct tb_intake_part part;
    assert_true(tb_intake_append(lab->intake, tb_str_of(text)));
    while (tb_intake_part(lab->intake, &part)) {
        assert_int_equal(tb_intake_write(lab->intake, &part, false, &lab->err), 0);
        tb_intake_written(lab->intake, &part);
    }
}

static void release(struct lab *lab)
{
    assert_int_equal(tb_intake_clear(lab->intake, false, &lab->err), 0);
    tb_intake_release(lab->intake);
}

/* The frozen half as "1:a 2:b ", with "!" where it is damaged. */
static const char *frozen(struct lab *lab, char *ret_text, size_t size)
{
    size_t pos = 0;
    size_t len = 0;
    uint64_t seq;
    struct tb_str bytes;
    int rc;
    ret_text[0] = '\0';
    while ((rc = tb_intake_next(lab->intake, &pos, &seq, &bytes)) > 0) {
        len += (size_t)snprintf(ret_text + len, size - len, "%llu:%.*s ", (unsigned long long)seq,
                                TB_STR_ARG(bytes));
    }
    if (rc < 0) {
        snprintf(ret_text + len, size - len, "!");
    }
    return ret_text;
}

#define EXPECT_FROZEN(lab, text)                                        \
    do {                                                                \
        char seen[256];                                                 \
        assert_string_equal(frozen((lab), seen, sizeof(seen)), (text)); \
    } while (0)

static void poke(struct lab *lab, off_t at, const void *data, size_t len)
{
    int fd = open(lab->path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pwrite(fd, data, len, at), len);
    close(fd);
}

static void peek(struct lab *lab, off_t at, void *ret_data, size_t len)
{
    int fd = open(lab->path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(fd, ret_data, len, at), len);
    close(fd);
}

static void records_come_back_in_order_after_a_kill(void **state)
{
    struct lab *lab = *state;
    add(lab, "a");
    add(lab, "");
    add(lab, "something longer");
    reopen(lab);
    assert_int_equal(lab->damage.code, 0);
    EXPECT_FROZEN(lab, "1:a 2: 3:something longer ");
    add(lab, "later");
    release(lab);
    tb_intake_freeze(lab->intake);
    EXPECT_FROZEN(lab, "4:later ");
}

static void the_file_is_for_its_owner_alone(void **state)
{
    struct lab *lab = *state;
    struct stat info;
    assert_int_equal(stat(lab->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_true(info.st_blocks * 512 >= 2L * TB_INTAKE_HALF_BYTES); /* it has its space */
}

static void what_is_released_does_not_come_back(void **state)
{
    struct lab *lab = *state;
    uint64_t id = tb_intake_id(lab->intake);
    add(lab, "a");
    add(lab, "b");
    tb_intake_freeze(lab->intake);
    add(lab, "c");
    release(lab);
    reopen(lab);
    EXPECT_FROZEN(lab, "3:c ");
    assert_int_equal(tb_intake_released(lab->intake), 2);
    assert_int_equal(tb_intake_id(lab->intake), id);
    release(lab);
    reopen(lab);
    assert_false(tb_intake_frozen(lab->intake));
    add(lab, "d");
    tb_intake_freeze(lab->intake);
    EXPECT_FROZEN(lab, "4:d ");
}

static void the_older_half_comes_first_whichever_it_is(void **state)
{
    struct lab *lab = *state;
    for (int round = 0; round < 2; round++) {
        add(lab, "older");
        tb_intake_freeze(lab->intake);
        add(lab, "newer");
        reopen(lab);
        EXPECT_FROZEN(lab, round == 0 ? "1:older " : "4:older ");
        release(lab);
        tb_intake_freeze(lab->intake);
        EXPECT_FROZEN(lab, round == 0 ? "2:newer " : "5:newer ");
        release(lab);
        add(lab, "changes the halves over");
        tb_intake_freeze(lab->intake);
        release(lab);
    }
}

static void numbers_go_on_after_those_of_the_database(void **state)
{
    struct lab *lab = *state;
    add(lab, "a");
    tb_intake_freeze(lab->intake);
    add(lab, "b");
    reopen(lab);
    tb_intake_number_after(lab->intake, 7);
    tb_intake_number_after(lab->intake, 3);
    release(lab);
    add(lab, "c");
    reopen(lab);
    assert_int_equal(lab->damage.code, 0);
    EXPECT_FROZEN(lab, "2:b 8:c ");
    release(lab);
    assert_int_equal(tb_intake_released(lab->intake), 8);
}

static void a_full_half_takes_nothing_until_the_other_is_released(void **state)
{
    struct lab *lab = *state;
    char *large = tb_zalloc(65536);
    struct tb_str record = {large, 65536};
    for (int halves = 0; halves < 2; halves++) {
        size_t count = 0;
        while (tb_intake_append(lab->intake, record)) {
            count++;
        }
        assert_int_equal(count, TB_INTAKE_HALF_BYTES / (65536 + RECORD_BYTES));
        tb_intake_freeze(lab->intake);
        tb_intake_freeze(lab->intake); /* the second time nothing */
    }
    assert_false(tb_intake_append(lab->intake, record));
    release(lab);
    assert_false(tb_intake_append(lab->intake, record));
    tb_intake_freeze(lab->intake);
    assert_true(tb_intake_append(lab->intake, record));
    assert_false(tb_intake_append(lab->intake, (struct tb_str){large, SIZE_MAX - 4}));
    tb_free(large);
}

/* Bytes reach the file in the order in which they are written: the record, then its count. */
static void a_kill_at_any_byte_of_an_append_leaves_the_records_before(void **state)
{
    struct lab *lab = *state;
    static const char text[] = "the second record";
    const size_t first = RECORD_BYTES + 8;
    const size_t size = RECORD_BYTES + 24;
    uint8_t record[RECORD_BYTES + 24];
    uint64_t count_before;
    uint64_t count_after;
    add(lab, "first");
    peek(lab, USED_AT, &count_before, sizeof(count_before));
    add(lab, text);
    peek(lab, USED_AT, &count_after, sizeof(count_after));
    peek(lab, HEADER_BYTES + (off_t)first, record, size);
    assert_int_not_equal(count_before, count_after);
    for (size_t written = 0; written <= size; written++) {
        uint8_t torn[sizeof(record)] = {0};
        memcpy(torn, record, written);
        poke(lab, HEADER_BYTES + (off_t)first, torn, size);
        poke(lab, USED_AT, &count_before, sizeof(count_before));
        reopen(lab);
        assert_int_equal(lab->damage.code, 0);
        EXPECT_FROZEN(lab, "1:first ");
    }
    poke(lab, USED_AT, &count_after, sizeof(count_after));
    reopen(lab);
    EXPECT_FROZEN(lab, "1:first 2:the second record ");
}

static void every_flipped_byte_of_a_record_or_count_is_noticed(void **state)
{
    struct lab *lab = *state;
    const off_t first = HEADER_BYTES + RECORD_BYTES + 8;
    add(lab, "first");
    add(lab, "12345678");
    for (off_t at = first; at < first + RECORD_BYTES + 8 + 8; at++) {
        off_t place = at < first + RECORD_BYTES + 8 ? at : USED_AT + at - first - RECORD_BYTES - 8;
        uint8_t byte;
        peek(lab, place, &byte, 1);
        byte ^= 0x10;
        poke(lab, place, &byte, 1);
        reopen(lab);
        assert_int_equal(lab->damage.code, TB_E_STORE);
        assert_non_null(strstr(lab->damage.text, "intake.broken-"));
        EXPECT_FROZEN(lab, place >= first ? "1:first " : "1:first 2:12345678 ");
        tb_intake_free(lab->intake);
        assert_true(sweep(lab) == 1); /* what was set aside */
        open_it(lab);
        add(lab, "first");
        add(lab, "12345678");
    }
}

static void damage_leaves_the_other_half_alone(void **state)
{
    struct lab *lab = *state;
    add(lab, "older");
    tb_intake_freeze(lab->intake);
    add(lab, "newer");
    poke(lab, HEADER_BYTES + RECORD_BYTES, "O", 1);
    uint64_t id = tb_intake_id(lab->intake);
    reopen(lab);
    assert_int_equal(lab->damage.code, TB_E_STORE);
    EXPECT_FROZEN(lab, "2:newer ");
    assert_int_equal(tb_intake_id(lab->intake), id);
    reopen(lab); /* and it is mended */
    assert_int_equal(lab->damage.code, 0);
    EXPECT_FROZEN(lab, "2:newer ");
}

static void a_damaged_header_is_set_aside(void **state)
{
    struct lab *lab = *state;
    for (off_t at = 0; at < 32; at++) {
        uint8_t byte;
        peek(lab, at, &byte, 1);
        byte ^= 1;
        poke(lab, at, &byte, 1);
        reopen(lab);
        assert_int_equal(lab->damage.code, TB_E_STORE);
        assert_false(tb_intake_frozen(lab->intake));
        add(lab, "works");
    }
}

static void a_file_of_another_size_is_set_aside(void **state)
{
    struct lab *lab = *state;
    static const off_t sizes[] = {0, 1, HEADER_BYTES, TB_INTAKE_HALF_BYTES,
                                  HEADER_BYTES + 2 * TB_INTAKE_HALF_BYTES + 1};
    for (size_t i = 0; i < TB_COUNT(sizes); i++) {
        tb_intake_free(lab->intake);
        assert_int_equal(truncate(lab->path, sizes[i]), 0);
        open_it(lab);
        assert_non_null(lab->intake);
        assert_int_equal(lab->damage.code, TB_E_STORE);
        add(lab, "works");
    }
}

static void a_damaged_file_stays_until_its_heir_is_whole(void **state)
{
    struct lab *lab = *state;
    char fresh[112];
    snprintf(fresh, sizeof(fresh), "%s.new", lab->path);
    add(lab, "older");
    tb_intake_freeze(lab->intake);
    add(lab, "newer");
    poke(lab, HEADER_BYTES + RECORD_BYTES, "O", 1);
    tb_intake_free(lab->intake);
    assert_int_equal(mkdir(fresh, 0700), 0); /* nothing can be made there */
    open_it(lab);
    assert_null(lab->intake);
    assert_non_null(strstr(lab->err.text, "cannot create"));
    assert_int_equal(rmdir(fresh), 0);
    open_it(lab);
    assert_int_equal(lab->damage.code, TB_E_STORE);
    EXPECT_FROZEN(lab, "2:newer ");
    tb_intake_free(lab->intake);
    lab->intake = NULL;
    assert_int_equal(sweep(lab), 1);
}

static void a_long_name_is_set_aside_whole(void **state)
{
    char path[1024];
    (void)state;
    memset(path, 'x', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    TB_AUTO(tb_free) char *aside = tb_aside_name(path);
    assert_memory_equal(aside, path, sizeof(path) - 1);
    assert_non_null(strstr(aside, "x.broken-"));
}

static void another_version_is_refused_and_left_alone(void **state)
{
    struct lab *lab = *state;
    uint8_t before[HEADER_BYTES];
    uint8_t after[HEADER_BYTES];
    tb_intake_free(lab->intake);
    peek(lab, 0, before, sizeof(before));
    before[8] = 2;
    uint64_t check = tb_checksum(before, 24);
    memcpy(before + 24, &check, sizeof(check));
    poke(lab, 0, before, sizeof(before));
    open_it(lab);
    assert_null(lab->intake);
    assert_int_equal(lab->err.code, TB_E_CONFIG);
    assert_non_null(strstr(lab->err.text, "another version"));
    peek(lab, 0, after, sizeof(after));
    assert_memory_equal(before, after, sizeof(before));
}

static void a_missing_file_is_told_when_it_should_be_there(void **state)
{
    struct lab *lab = *state;
    for (int expected = 0; expected < 2; expected++) {
        tb_intake_free(lab->intake);
        assert_int_equal(unlink(lab->path), 0);
        lab->intake = tb_intake_open(lab->path, expected ? TB_INTAKE_RESTART : TB_INTAKE_START,
                                     &lab->damage, &lab->err);
        assert_non_null(lab->intake);
        assert_int_equal(lab->damage.code, expected ? TB_E_STORE : 0);
    }
    assert_non_null(strstr(lab->damage.text, "is missing"));
}

/* As after a copy without its empty parts. */
static void a_sparse_file_gets_its_space_at_the_start(void **state)
{
    struct lab *lab = *state;
    struct stat info;
    add(lab, "kept");
    tb_intake_free(lab->intake);
    int fd = open(lab->path, O_RDWR | O_CLOEXEC);
    assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 8192,
                               2L * TB_INTAKE_HALF_BYTES - 8192),
                     0);
    assert_int_equal(fstat(fd, &info), 0);
    assert_true(info.st_blocks * 512 < TB_INTAKE_HALF_BYTES);
    close(fd);
    open_it(lab);
    assert_int_equal(stat(lab->path, &info), 0);
    assert_true(info.st_blocks * 512 >= 2L * TB_INTAKE_HALF_BYTES);
    EXPECT_FROZEN(lab, "1:kept ");
}

/* Mapped, each of these would have been a SIGBUS. */
static void a_file_that_is_cut_or_removed_is_noticed_and_made_anew(void **state)
{
    struct lab *lab = *state;
    for (int way = 0; way < 3; way++) {
        tb_intake_freeze(lab->intake);
        add(lab, "before");
        assert_int_equal(tb_intake_check(lab->intake, &lab->err), 0);
        assert_int_equal(way == 0 ? unlink(lab->path) : truncate(lab->path, way == 1 ? 0 : 9999),
                         0);
        add(lab, "after");
        assert_int_equal(tb_intake_check(lab->intake, &lab->err), TB_E_STORE);
        assert_non_null(strstr(lab->err.text, way == 0 ? "removed" : "cut"));
        assert_int_equal(tb_intake_renew(lab->intake, true, &lab->err), 0);
        tb_intake_renewed(lab->intake);
        assert_int_equal(tb_intake_check(lab->intake, &lab->err), 0);
        add(lab, "more");
        reopen(lab);
        assert_int_equal(lab->damage.code, 0);
        EXPECT_FROZEN(lab, way == 0   ? "1:before 2:after 3:more "
                           : way == 1 ? "4:before 5:after 6:more "
                                      : "7:before 8:after 9:more ");
        release(lab);
    }
}

static void both_halves_come_through_a_renewal(void **state)
{
    struct lab *lab = *state;
    struct tb_intake_part part;
    add(lab, "frozen");
    tb_intake_freeze(lab->intake);
    add(lab, "active");
    assert_int_equal(unlink(lab->path), 0);
    assert_int_equal(tb_intake_renew(lab->intake, false, &lab->err), 0);
    tb_intake_renewed(lab->intake);
    assert_true(tb_intake_frozen_stored(lab->intake));
    assert_false(tb_intake_part(lab->intake, &part)); /* it has what was in the other half too */
    add(lab, "more");
    reopen(lab);
    EXPECT_FROZEN(lab, "1:frozen ");
    release(lab);
    tb_intake_freeze(lab->intake);
    EXPECT_FROZEN(lab, "2:active 3:more ");
}

static void a_folder_that_cannot_be_written_is_said(void **state)
{
    struct lab *lab = *state;
    struct tb_err damage;
    struct tb_err err;
    (void)lab;
    assert_null(tb_intake_open("/nowhere/at/all", TB_INTAKE_START, &damage, &err));
    assert_non_null(strstr(err.text, "/nowhere/at/all"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(records_come_back_in_order_after_a_kill),
        CASE(the_file_is_for_its_owner_alone),
        CASE(what_is_released_does_not_come_back),
        CASE(the_older_half_comes_first_whichever_it_is),
        CASE(numbers_go_on_after_those_of_the_database),
        CASE(a_full_half_takes_nothing_until_the_other_is_released),
        CASE(a_kill_at_any_byte_of_an_append_leaves_the_records_before),
        CASE(every_flipped_byte_of_a_record_or_count_is_noticed),
        CASE(damage_leaves_the_other_half_alone),
        CASE(a_damaged_header_is_set_aside),
        CASE(a_file_of_another_size_is_set_aside),
        CASE(a_damaged_file_stays_until_its_heir_is_whole),
        CASE(a_long_name_is_set_aside_whole),
        CASE(another_version_is_refused_and_left_alone),
        CASE(a_missing_file_is_told_when_it_should_be_there),
        CASE(a_sparse_file_gets_its_space_at_the_start),
        CASE(a_file_that_is_cut_or_removed_is_noticed_and_made_anew),
        CASE(both_halves_come_through_a_renewal),
        CASE(a_folder_that_cannot_be_written_is_said),
    };
#undef CASE
    return cmocka_run_group_tests(tests, NULL, NULL);
}
