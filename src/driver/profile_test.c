/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

static void touch(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static void make_root(char *root)
{
    assert_non_null(mkdtemp(root));
}

static void a_profile_is_private_and_goes_with_all_that_is_in_it(void **state)
{
    char root[] = "/tmp/profile-test-XXXXXX";
    char path[TB_PROFILE_PATH_SIZE];
    struct stat info;
    (void)state;
    make_root(root);
    assert_int_equal(tb_profile_make(root, getuid(), getgid(), path, NULL), 0);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    /* A tree with many files and deep folders. */
    TB_AUTO(tb_free) char *deep = tb_strdup(path);
    for (int i = 0; i < 20; i++) {
        char *next = tb_strdupf("%s/d%d", deep, i);
        tb_free(deep);
        deep = next;
        assert_int_equal(mkdir(deep, 0700), 0);
        for (int k = 0; k < 5; k++) {
            TB_AUTO(tb_free) char *file = tb_strdupf("%s/f%d", deep, k);
            touch(file);
        }
    }
    assert_int_equal(tb_profile_remove(path), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(tb_profile_remove(path), 0); /* gone already */
    assert_int_equal(rmdir(root), 0);
}

static void links_are_removed_and_not_followed(void **state)
{
    char root[] = "/tmp/profile-test-XXXXXX";
    char path[TB_PROFILE_PATH_SIZE];
    (void)state;
    make_root(root);
    TB_AUTO(tb_free) char *outside = tb_strdupf("%s/outside", root);
    TB_AUTO(tb_free) char *precious = tb_strdupf("%s/precious", outside);
    assert_int_equal(mkdir(outside, 0700), 0);
    touch(precious);
    assert_int_equal(tb_profile_make(root, getuid(), getgid(), path, NULL), 0);
    TB_AUTO(tb_free) char *to_folder = tb_strdupf("%s/a", path);
    TB_AUTO(tb_free) char *to_file = tb_strdupf("%s/b", path);
    assert_int_equal(symlink(outside, to_folder), 0);
    assert_int_equal(symlink(precious, to_file), 0);
    assert_int_equal(tb_profile_remove(path), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(precious, F_OK), 0);
    /* A link in place of the profile itself is not followed either. */
    assert_int_equal(symlink(outside, path), 0);
    assert_true(tb_profile_remove(path) < 0);
    assert_int_equal(access(precious, F_OK), 0);
    unlink(path);
    unlink(precious);
    rmdir(outside);
    assert_int_equal(rmdir(root), 0);
}

static void only_profiles_of_dead_daemons_are_swept(void **state)
{
    static const struct {
        const char *name;
        bool swept;
    } rows[] = {
        {"tabard-browser-1-12345-abcdef00", true}, /* pid 1 began at another time */
        {"tabard-browser-4194305-1-abcdef00", true},
        {"tabard-browser-x-1-abcdef00", false},
        {"tabard-browser-", false},
        {"tabard-other-1-12345-abcdef00", false},
    };
    char root[] = "/tmp/profile-test-XXXXXX";
    char mine[TB_PROFILE_PATH_SIZE];
    (void)state;
    make_root(root);
    assert_int_equal(tb_profile_make(root, getuid(), getgid(), mine, NULL), 0);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", root, rows[i].name);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    TB_AUTO(tb_free) char *file = tb_strdupf("%s/tabard-browser-1-1-file", root);
    touch(file);
    assert_int_equal(tb_profile_sweep(root, getuid()), 2);
    assert_int_equal(access(mine, F_OK), 0);
    assert_int_equal(access(file, F_OK), 0);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", root, rows[i].name);
        assert_int_equal(access(path, F_OK) < 0, rows[i].swept);
        rmdir(path);
    }
    assert_int_equal(tb_profile_remove(mine), 0);
    unlink(file);
    assert_int_equal(rmdir(root), 0);
}

static void a_place_that_cannot_hold_it_is_said(void **state)
{
    char path[TB_PROFILE_PATH_SIZE];
    char root[300];
    struct tb_err err;
    (void)state;
    assert_int_equal(tb_profile_make("/nowhere", 0, 0, path, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nowhere"));
    memset(root, 'x', sizeof(root) - 1);
    root[sizeof(root) - 1] = '\0';
    assert_int_equal(tb_profile_make(root, 0, 0, path, &err), -ENAMETOOLONG);
    assert_int_equal(tb_profile_sweep("/nowhere", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_is_private_and_goes_with_all_that_is_in_it),
        cmocka_unit_test(links_are_removed_and_not_followed),
        cmocka_unit_test(only_profiles_of_dead_daemons_are_swept),
        cmocka_unit_test(a_place_that_cannot_hold_it_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
