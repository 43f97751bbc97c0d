/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's folders, lock and token. */
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

#include "base/file.h"
#include "base/mem.h"
#include "daemon/dirs.h"
#include "daemon/lock.h"
#include "daemon/token.h"

static int make_dir(void **state)
{
    static char dir[64];
    snprintf(dir, sizeof(dir), "/tmp/tabard-state-XXXXXX");
    assert_non_null(mkdtemp(dir));
    assert_int_equal(tb_id_init(), 0);
    *state = dir;
    return 0;
}

static int remove_dir(void **state)
{
    static const char *const files[] = {"lock", "admin.token"};
    for (size_t i = 0; i < TB_COUNT(files); i++) {
        TB_AUTO(tb_free) char *path = tb_dirs_join(*state, files[i]);
        unlink(path);
    }
    rmdir(*state);
    return 0;
}

static void a_folder_of_another_user_is_refused(void **state)
{
    struct tb_err err = {0};
    struct tb_config config;
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    tb_config_init(&config);
    tb_free(config.state_dir);
    tb_free(config.runtime_dir);
    config.state_dir = tb_strdup(*state);
    config.runtime_dir = tb_strdup(*state);
    assert_int_equal(tb_dirs_make(&config, &err), 0);
    assert_int_equal(chown(*state, 65534, 65534), 0);
    assert_int_equal(tb_dirs_make(&config, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "belongs to another user (65534)"));
    assert_non_null(strstr(err.text, "--state-dir"));
    assert_int_equal(chown(*state, 0, 0), 0);
    tb_config_fini(&config);
}

static void a_second_lock_names_the_holder(void **state)
{
    struct tb_err err;
    char holder[128];
    struct tb_lock lock;
    struct tb_lock second;
    assert_int_equal(tb_lock_take(*state, &lock, &err), 0);
    tb_lock_describe(&lock, TB_STR("http://127.0.0.1:1"));
    assert_int_equal(tb_lock_take(*state, &second, &err), TB_E_LOCKED);
    assert_int_equal(second.dir_fd, -1);
    assert_non_null(strstr(err.text, "http://127.0.0.1:1"));
    tb_lock_holder(*state, holder, sizeof(holder));
    assert_non_null(strstr(holder, "http://127.0.0.1:1"));

    tb_lock_release(&lock);
    tb_lock_holder(*state, holder, sizeof(holder));
    assert_string_equal(holder, "");
    assert_int_equal(tb_lock_take(*state, &lock, &err), 0);
    tb_lock_release(&lock);
}

static void a_lock_whose_file_was_removed_still_holds(void **state)
{
    struct tb_err err;
    char holder[128];
    struct tb_lock lock;
    struct tb_lock second;
    TB_AUTO(tb_free) char *path = tb_dirs_join(*state, "lock");
    assert_int_equal(tb_lock_take(*state, &lock, &err), 0);
    assert_int_equal(unlink(path), 0);
    tb_lock_holder(*state, holder, sizeof(holder));
    assert_string_equal(holder, "another tabard");
    for (int i = 0; i < 2; i++) { /* the first attempt makes the file anew */
        assert_int_equal(tb_lock_take(*state, &second, &err), TB_E_LOCKED);
        assert_non_null(strstr(err.text, "another tabard"));
    }
    tb_lock_release(&lock);
    assert_int_equal(tb_lock_take(*state, &lock, &err), 0);
    tb_lock_release(&lock);
}

static void the_token_is_made_once_and_private(void **state)
{
    struct tb_err err;
    char first[TB_TOKEN_SIZE];
    char second[TB_TOKEN_SIZE];
    struct stat info;
    TB_AUTO(tb_free) char *path = tb_dirs_join(*state, "admin.token");
    assert_int_equal(tb_token_load(*state, first, &err), 1);
    assert_int_equal(tb_token_save(*state, first, &err), 0);
    assert_int_equal(tb_token_load(*state, second, &err), 0);
    assert_string_equal(first, second);
    assert_int_equal(strlen(first), TB_TOKEN_SIZE - 1);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void a_token_that_others_can_read_is_refused(void **state)
{
    struct tb_err err;
    char token[TB_TOKEN_SIZE];
    TB_AUTO(tb_free) char *path = tb_dirs_join(*state, "admin.token");
    assert_int_equal(tb_token_load(*state, token, &err), 1);
    assert_int_equal(tb_token_save(*state, token, &err), 0);
    chmod(path, 0644);
    assert_int_equal(tb_token_load(*state, token, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "chmod 600"));
    tb_file_write(path, TB_STR("short\n"), 0600);
    assert_int_equal(tb_token_load(*state, token, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "delete it"));
}

static void folders_are_private(void **state)
{
    struct tb_err err;
    struct tb_config config;
    tb_config_init(&config);
    tb_free(config.state_dir);
    config.state_dir = tb_strdup(*state);
    assert_int_equal(tb_dirs_fill(&config, &err), 0);
    chmod(*state, 0777);
    assert_int_equal(tb_dirs_make(&config, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "chmod 700"));
    chmod(*state, 0700);
    tb_free(config.runtime_dir);
    config.runtime_dir = tb_strdup(*state);
    assert_int_equal(tb_dirs_make(&config, &err), 0);
    tb_config_fini(&config);
}

static void a_socket_path_that_is_too_long_is_said(void **state)
{
    struct tb_err err;
    struct tb_config config;
    char deep[200];
    memset(deep, 'x', sizeof(deep) - 1);
    deep[0] = '/';
    deep[sizeof(deep) - 1] = '\0';
    tb_config_init(&config);
    tb_free(config.state_dir);
    tb_free(config.runtime_dir);
    config.state_dir = tb_strdup(*state);
    config.runtime_dir = tb_strdup(deep);
    assert_int_equal(tb_dirs_fill(&config, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "--runtime-dir"));
    tb_config_fini(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_folder_of_another_user_is_refused, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_second_lock_names_the_holder, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_lock_whose_file_was_removed_still_holds, make_dir,
                                        remove_dir),
        cmocka_unit_test_setup_teardown(the_token_is_made_once_and_private, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_token_that_others_can_read_is_refused, make_dir,
                                        remove_dir),
        cmocka_unit_test_setup_teardown(folders_are_private, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_socket_path_that_is_too_long_is_said, make_dir,
                                        remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
