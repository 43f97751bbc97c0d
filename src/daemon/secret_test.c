/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/secret.h"

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

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

struct place {
    char dir[64];
    char path[128];
};

static int make_dir(void **state)
{
    static struct place place;
    snprintf(place.dir, sizeof(place.dir), "/tmp/tabard-secret-XXXXXX");
    assert_non_null(mkdtemp(place.dir));
    snprintf(place.path, sizeof(place.path), "%s/secret", place.dir);
    assert_int_equal(tb_id_init(), 0);
    *state = &place;
    return 0;
}

static int remove_dir(void **state)
{
    const struct place *place = *state;
    unlink(place->path);
    return rmdir(place->dir);
}

static void it_is_made_once_and_private(void **state)
{
    const struct place *place = *state;
    uint8_t first[TB_SECRET_BYTES];
    uint8_t second[TB_SECRET_BYTES];
    uint8_t zeros[TB_SECRET_BYTES] = {0};
    struct stat info;
    struct tb_err err;
    assert_int_equal(tb_secret_load(place->dir, first, &err), 1);
    assert_int_equal(tb_secret_save(place->dir, first, false, &err), 0);
    assert_int_equal(tb_secret_load(place->dir, second, &err), 0);
    assert_memory_equal(first, second, TB_SECRET_BYTES);
    assert_int_equal(tb_secret_save(place->dir, first, true, &err), 0);
    assert_int_equal(tb_secret_load(place->dir, second, &err), 0);
    assert_memory_equal(first, second, TB_SECRET_BYTES);
    assert_memory_not_equal(first, zeros, TB_SECRET_BYTES);
    assert_int_equal(stat(place->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(info.st_size, TB_SECRET_BYTES);
}

static void what_is_no_secret_is_refused(void **state)
{
    static const struct {
        const char *content;
        size_t len;
        mode_t mode;
        const char *words;
    } rows[] = {
        {"", 0, 0600, "contains no secret"},
        {"0123456789012345678901234567890", 31, 0600, "contains no secret"},
        {"012345678901234567890123456789012", 33, 0600, "contains no secret"},
        {"0123456789012345678901234567890123456789", 40, 0600, "contains no secret"},
        {"01234567890123456789012345678901", 32, 0640, "other users can read"},
    };
    const struct place *place = *state;
    uint8_t secret[TB_SECRET_BYTES];
    struct tb_err err;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_str content = {rows[i].content, rows[i].len};
        assert_int_equal(tb_file_write(place->path, content, rows[i].mode), 0);
        assert_int_equal(chmod(place->path, rows[i].mode), 0);
        assert_int_equal(tb_secret_load(place->dir, secret, &err), TB_E_CONFIG);
        assert_non_null(strstr(err.text, rows[i].words));
    }
    assert_true(tb_secret_save("/nonexistent", secret, true, &err) < 0);
}

/* A new one would cost all that is stored. */
static void none_is_made_beside_a_database_that_needs_the_old_one(void **state)
{
    static const char *const names[] = {"tabard.db", "tabard.intake"};
    const struct place *place = *state;
    uint8_t secret[TB_SECRET_BYTES];
    struct tb_err err;
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", place->dir, names[i]);
        assert_int_equal(tb_file_write(path, TB_STR("x"), 0600), 0);
        assert_int_equal(tb_secret_load(place->dir, secret, &err), TB_E_CONFIG);
        assert_non_null(strstr(err.text, "is missing"));
        assert_non_null(strstr(err.text, "restore it"));
        assert_int_equal(access(place->path, F_OK), -1);
        assert_int_equal(tb_file_write(place->path, TB_STR(""), 0600), 0);
        assert_int_equal(tb_secret_load(place->dir, secret, &err), TB_E_CONFIG);
        assert_non_null(strstr(err.text, "contains no secret"));
        assert_non_null(strstr(err.text, "restore it"));
        unlink(path);
        unlink(place->path);
    }
}

static void one_that_is_gone_is_put_back_and_another_stays(void **state)
{
    const struct place *place = *state;
    static const uint8_t secret[TB_SECRET_BYTES] = "0123456789abcdef0123456789abcdef";
    uint8_t found[TB_SECRET_BYTES];
    struct tb_err err;
    assert_int_equal(tb_secret_keep(place->dir, secret, &err), 1);
    assert_int_equal(tb_secret_load(place->dir, found, &err), 0);
    assert_memory_equal(found, secret, TB_SECRET_BYTES);
    assert_int_equal(tb_secret_keep(place->dir, secret, &err), 0);
    assert_int_equal(tb_file_write(place->path, TB_STR(""), 0600), 0);
    assert_int_equal(tb_secret_keep(place->dir, secret, &err), 1);
    static const char *const others[] = {"short", "01234567890123456789012345678901",
                                         "0123456789abcdef0123456789abcdef and more"};
    for (size_t i = 0; i < TB_COUNT(others); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf left = TB_BUF(64);
        assert_int_equal(tb_file_write(place->path, tb_str_of(others[i]), 0600), 0);
        assert_int_equal(tb_secret_keep(place->dir, secret, &err), TB_E_CONFIG);
        assert_non_null(strstr(err.text, "restore it"));
        assert_int_equal(tb_file_read(place->path, &left), 0);
        assert_true(tb_str_eq(tb_buf_str(&left), tb_str_of(others[i])));
    }
    assert_true(tb_secret_keep("/nonexistent", secret, &err) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_made_once_and_private, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(what_is_no_secret_is_refused, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(none_is_made_beside_a_database_that_needs_the_old_one,
                                        make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(one_that_is_gone_is_put_back_and_another_stays, make_dir,
                                        remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
