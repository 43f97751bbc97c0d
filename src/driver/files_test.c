/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

#include "support/temp_dir.h"

static void names_are_made_safe(void **state)
{
    static const struct {
        const char *given;
        const char *name;
        bool plain;
    } rows[] = {
        {"a.txt", "a.txt", true},
        {"a b (1).txt", "a b (1).txt", true},
        {"../../etc/passwd", "_.._etc_passwd", false},
        {"/etc/passwd", "_etc_passwd", false},
        {"..", "download", false},
        {".bashrc", "bashrc", false},
        {"", "download", false},
        {"  x  ", "x", true},
        {"a\\b:c*d?\"<>|", "a_b_c_d_____", false},
        {"a\nb\x7f", "a_b_", false},
        {"\xe6\x97\xa5.pdf", "\xe6\x97\xa5.pdf", true},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char name[TB_FILE_NAME_SIZE];
        tb_files_name_clean(tb_str_of(rows[i].given), name);
        assert_string_equal(name, rows[i].name);
        assert_int_equal(tb_files_name_plain(tb_str_of(rows[i].given)), rows[i].plain);
        assert_true(tb_files_name_plain(tb_str_of(name)));
    }
    char longest[1000];
    char name[TB_FILE_NAME_SIZE];
    memset(longest, '\xc3', sizeof(longest));
    for (size_t i = 1; i < sizeof(longest); i += 2) {
        longest[i] = '\xa4';
    }
    tb_files_name_clean((struct tb_str){longest, sizeof(longest)}, name);
    assert_int_equal(strlen(name), 200);
    assert_false(tb_files_name_plain((struct tb_str){longest, sizeof(longest)}));
}

static void nothing_follows_a_link_out_of_the_directory(void **state)
{
    const char *directory = *state;
    char path[128];
    struct tb_err err;
    struct stat info;
    snprintf(path, sizeof(path), "%s/link", directory);
    assert_int_equal(symlink("/tmp/tabard-files-target", path), 0);
    assert_false(tb_files_has(directory, "link"));
    assert_int_equal(tb_files_write(directory, "link", TB_STR("x"), &err), 0);
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(stat("/tmp/tabard-files-target", &info), -1);
    assert_true(tb_files_has(directory, "link"));
    assert_false(tb_files_has(directory, "nothing"));
    assert_true(tb_files_write("/nonexistent", "x", TB_STR("x"), &err) < 0);
}

static void a_taken_name_gets_a_number(void **state)
{
    const char *directory = *state;
    static const char *const names[] = {"a.tar", "a (2).tar", "a (3).tar"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        char name[TB_FILE_NAME_SIZE] = "a.tar";
        assert_int_equal(tb_files_write(directory, "tmp", TB_STR("x"), NULL), 0);
        assert_int_equal(tb_files_rename(directory, "tmp", name), 0);
        assert_string_equal(name, names[i]);
        assert_true(tb_files_has(directory, name));
    }
    char name[TB_FILE_NAME_SIZE] = "b";
    assert_true(tb_files_rename(directory, "missing", name) < 0);
}

static void a_file_is_replaced_as_a_whole_and_read_where_it_lies(void **state)
{
    const char *directory = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(64);
    char link[128];
    assert_int_equal(tb_files_replace(directory, ".notes", TB_STR("old and longer")), 0);
    assert_int_equal(tb_files_replace(directory, ".notes", TB_STR("new")), 0);
    assert_false(tb_files_has(directory, ".notes.new"));
    assert_int_equal(tb_files_size(directory, ".notes"), 3);
    assert_int_equal(tb_files_read(directory, ".notes", &text), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&text), "new"));
    snprintf(link, sizeof(link), "%s/link", directory);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_true(tb_files_read(directory, "link", &text) < 0);
    assert_true(tb_files_read(directory, "missing", &text) < 0);
    assert_true(tb_files_replace("/nonexistent", "x", TB_STR("x")) < 0);
}

static bool is_old(struct tb_str session_id, void *user)
{
    (void)user;
    return tb_str_eq_cstr(session_id, "old");
}

static void directories_without_a_session_are_swept(void **state)
{
    const char *root = *state;
    static const char *const names[] = {"tabard-files-old", "tabard-files-new", "other"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", root, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
        assert_int_equal(tb_files_write(path, "a", TB_STR("x"), NULL), 0);
    }
    tb_files_sweep(root, is_old, NULL);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", root, names[i]);
        assert_int_equal(tb_files_has(path, "a"), i != 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_safe),
        TEMP_DIR_TEST(nothing_follows_a_link_out_of_the_directory),
        TEMP_DIR_TEST(a_taken_name_gets_a_number),
        TEMP_DIR_TEST(a_file_is_replaced_as_a_whole_and_read_where_it_lies),
        TEMP_DIR_TEST(directories_without_a_session_are_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
