/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
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
#include <ftw.h>

#include "base/err.h"
#include "base/mem.h"

/* A folder of its own for each test, removed with all that is in it. */
static int dir_setup(void **state)
{
    char *dir = tb_strdup("/tmp/tabard-file-test.XXXXXX");
    umask(022);
    *state = dir;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

static int dir_teardown(void **state)
{
    int rc = nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    tb_free(*state);
    return rc;
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

static void assert_file(const char *path, struct tb_str want)
{
    TB_AUTO(tb_buf_fini) struct tb_buf content = TB_BUF(1 << 20);
    assert_int_equal(tb_file_read(path, &content), 0);
    assert_true(tb_str_eq(tb_buf_str(&content), want));
}

static void what_is_written_is_read_back(void **state)
{
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/file", (const char *)*state);
    TB_AUTO(tb_free) char *large = tb_zalloc(100000);
    memset(large, 'x', 100000);
    assert_int_equal(tb_file_write(path, TB_STR("a\0b\n"), 0600), 0);
    assert_file(path, TB_STR("a\0b\n"));
    assert_int_equal(mode_of(path), 0600);
    assert_int_equal(tb_file_place(path, (struct tb_str){large, 100000}, 0600), 0);
    assert_file(path, (struct tb_str){large, 100000});
    assert_int_equal(tb_file_write(path, (struct tb_str){NULL, 0}, 0600), 0);
    assert_file(path, TB_STR(""));
}

static void reading_appends_and_stops_at_the_ceiling(void **state)
{
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/file", (const char *)*state);
    assert_int_equal(tb_file_write(path, TB_STR("12345"), 0600), 0);
    TB_AUTO(tb_buf_fini) struct tb_buf content = TB_BUF(8);
    assert_int_equal(tb_buf_append_cstr(&content, "abc"), 0);
    assert_int_equal(tb_file_read(path, &content), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&content), "abc12345"));
    tb_buf_clear(&content);
    assert_int_equal(tb_buf_append_cstr(&content, "abcd"), 0);
    assert_int_equal(tb_file_read(path, &content), TB_E_TOO_LARGE);
    assert_true(tb_str_eq_cstr(tb_buf_str(&content), "abcd"));
}

static void what_cannot_be_read_gives_its_errno(void **state)
{
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/absent", (const char *)*state);
    TB_AUTO(tb_buf_fini) struct tb_buf content = TB_BUF(100);
    assert_int_equal(tb_file_read(path, &content), -ENOENT);
    assert_int_equal(tb_file_read(*state, &content), -EISDIR);
    assert_int_equal(content.len, 0);
}

static void writing_replaces_a_link_and_not_what_it_points_to(void **state)
{
    TB_AUTO(tb_free) char *target = tb_strdupf("%s/target", (const char *)*state);
    TB_AUTO(tb_free) char *link = tb_strdupf("%s/link", (const char *)*state);
    TB_AUTO(tb_free) char *fresh = tb_strdupf("%s.new", link);
    assert_int_equal(tb_file_write(target, TB_STR("kept"), 0644), 0);
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(symlink(target, fresh), 0);
    assert_int_equal(tb_file_write(link, TB_STR("secret"), 0600), 0);
    assert_file(target, TB_STR("kept"));
    assert_file(link, TB_STR("secret"));
    assert_int_equal(mode_of(link), 0600);
    assert_int_equal(access(fresh, F_OK), -1);
}

static void a_write_that_fails_leaves_nothing_behind(void **state)
{
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/dir", (const char *)*state);
    TB_AUTO(tb_free) char *fresh = tb_strdupf("%s.new", path);
    TB_AUTO(tb_free) char *absent = tb_strdupf("%s/absent/file", (const char *)*state);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(tb_file_write(path, TB_STR("x"), 0600), -EISDIR);
    assert_int_equal(access(fresh, F_OK), -1);
    assert_int_equal(tb_file_write(absent, TB_STR("x"), 0600), -ENOENT);
}

static void folders_are_made_and_only_the_last_gets_the_mode(void **state)
{
    static const char *const endings[] = {"", "/", "///"};
    for (size_t i = 0; i < TB_COUNT(endings); i++) {
        TB_AUTO(tb_free) char *top = tb_strdupf("%s/%zu", (const char *)*state, i);
        TB_AUTO(tb_free) char *last = tb_strdupf("%s//b/c", top);
        TB_AUTO(tb_free) char *path = tb_strdupf("%s%s", last, endings[i]);
        assert_int_equal(tb_dir_make(path, 0700), 0);
        assert_int_equal(mode_of(top), 0755);
        assert_int_equal(mode_of(last), 0700);
        assert_int_equal(tb_dir_make(path, 0700), 0);
    }
}

static void a_folder_cannot_be_made_of_nothing_or_below_a_file(void **state)
{
    TB_AUTO(tb_free) char *file = tb_strdupf("%s/file", (const char *)*state);
    TB_AUTO(tb_free) char *below = tb_strdupf("%s/dir", file);
    assert_int_equal(tb_file_write(file, TB_STR("x"), 0600), 0);
    assert_int_equal(tb_dir_make(file, 0700), -ENOTDIR);
    assert_int_equal(tb_dir_make(below, 0700), -ENOTDIR);
    assert_int_equal(tb_dir_make("", 0700), -ENOENT);
    assert_int_equal(tb_dir_make("/", 0700), 0);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, dir_setup, dir_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(what_is_written_is_read_back),
        WITH_DIR(reading_appends_and_stops_at_the_ceiling),
        WITH_DIR(what_cannot_be_read_gives_its_errno),
        WITH_DIR(writing_replaces_a_link_and_not_what_it_points_to),
        WITH_DIR(a_write_that_fails_leaves_nothing_behind),
        WITH_DIR(folders_are_made_and_only_the_last_gets_the_mode),
        WITH_DIR(a_folder_cannot_be_made_of_nothing_or_below_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
