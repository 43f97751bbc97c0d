/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/launch_user.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void a_user_must_be_somebody_without_roots_rights(void **state)
{
    static const struct {
        const char *user;
        uid_t own;
        const char *words; /* NULL: it is right */
    } rows[] = {{"nobody", 0, NULL},        {"1234", 0, NULL},
                {"nosuchuser", 1000, NULL}, {"root", 0, "root"},
                {"0", 0, "root"},           {"nosuchuser", 0, "no such user"},
                {"-1", 0, "no such user"},  {"4294967295", 0, "no such"}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct tb_config config;
        struct tb_err err = {0};
        tb_config_init(&config);
        tb_free(config.browser_user);
        config.browser_user = tb_strdup(rows[i].user);
        int rc = tb_launch_user_check(&config, rows[i].own, &err);
        assert_int_equal(rc, rows[i].words ? TB_E_CONFIG : 0);
        assert_non_null(strstr(err.text, rows[i].words ? rows[i].words : ""));
        tb_config_fini(&config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_must_be_somebody_without_roots_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
