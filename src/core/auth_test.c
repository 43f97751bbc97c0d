/* SPDX-License-Identifier: Apache-2.0 */
#include "core/auth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/id.h"
#include "core/limits.h"

struct fixture {
    struct tb_clock_manual clock;
    struct tb_auth *auth;
    char token[TB_TOKEN_SIZE];
};

static int setup(void **state)
{
    static struct fixture fixture;
    tb_id_init();
    tb_clock_manual_init(&fixture.clock);
    fixture.auth = tb_auth_new(&fixture.clock.clock);
    tb_token_make(fixture.token);
    tb_auth_set_admin(fixture.auth, tb_str_of(fixture.token));
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    tb_auth_free(((struct fixture *)*state)->auth);
    return 0;
}

static void only_the_whole_token_is_right(void **state)
{
    struct fixture *f = *state;
    struct tb_str token = tb_str_of(f->token);
    char longer[TB_TOKEN_SIZE + 1] = {0};
    snprintf(longer, sizeof(longer), "%s", f->token);
    assert_int_equal(tb_auth_check(f->auth, "a", token), 0);
    assert_int_equal(tb_auth_check(f->auth, "a", tb_str_sub(token, 0, 20)), TB_E_UNAUTHORIZED);
    assert_int_equal(tb_auth_check(f->auth, "a", (struct tb_str){longer, token.len + 1}),
                     TB_E_UNAUTHORIZED);
    assert_int_equal(tb_auth_check(f->auth, "a", TB_STR("")), TB_E_UNAUTHORIZED);
}

static void guessing_is_slowed_down_per_peer(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < TB_AUTH_FAILURES; i++) {
        assert_int_equal(tb_auth_check(f->auth, "bad", TB_STR("guess")), TB_E_UNAUTHORIZED);
    }
    assert_int_equal(tb_auth_check(f->auth, "bad", TB_STR("guess")), TB_E_RATE);
    assert_int_equal(tb_auth_check(f->auth, "other", TB_STR("guess")), TB_E_UNAUTHORIZED);
    assert_int_equal(tb_auth_check(f->auth, "bad", tb_str_of(f->token)), 0);
    tb_clock_manual_advance(&f->clock, TB_AUTH_WINDOW_MS);
    assert_int_equal(tb_auth_check(f->auth, "bad", TB_STR("guess")), TB_E_UNAUTHORIZED);
}

static void a_missing_token_is_no_guess(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 10 * TB_AUTH_FAILURES; i++) {
        assert_int_equal(tb_auth_check(f->auth, "a", TB_STR("")), TB_E_UNAUTHORIZED);
    }
}

static void the_table_of_offenders_is_bounded(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < TB_AUTH_PEERS + 500; i++) {
        char peer[32];
        snprintf(peer, sizeof(peer), "10.0.%d.%d", i / 256, i % 256);
        assert_int_equal(tb_auth_check(f->auth, peer, TB_STR("guess")), TB_E_UNAUTHORIZED);
    }
    /* The first peers were dropped to make room, so their count begins again. */
    for (int i = 0; i < TB_AUTH_FAILURES; i++) {
        assert_int_equal(tb_auth_check(f->auth, "10.0.0.0", TB_STR("guess")), TB_E_UNAUTHORIZED);
    }
    assert_int_equal(tb_auth_check(f->auth, "10.0.0.0", TB_STR("guess")), TB_E_RATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_whole_token_is_right, setup, teardown),
        cmocka_unit_test_setup_teardown(guessing_is_slowed_down_per_peer, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_token_is_no_guess, setup, teardown),
        cmocka_unit_test_setup_teardown(the_table_of_offenders_is_bounded, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
