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
    struct tb_loop *loop;
    struct tb_auth *auth;
    char token[TB_TOKEN_SIZE];
};

static int setup(void **state)
{
    static struct fixture fixture;
    tb_id_init();
    tb_clock_manual_init(&fixture.clock);
    fixture.loop = tb_loop_new(&fixture.clock.clock);
    fixture.auth = tb_auth_new(fixture.loop);
    tb_token_make(fixture.token);
    tb_auth_set_admin(fixture.auth, tb_str_of(fixture.token));
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    tb_auth_free(f->auth);
    tb_loop_free(f->loop);
    return 0;
}

static int check(struct fixture *f, const char *peer, struct tb_str secret)
{
    struct tb_principal *who;
    return tb_auth_find(f->auth, peer, TB_CREDENTIAL_BEARER, secret, &who);
}

static void only_the_whole_token_is_right(void **state)
{
    struct fixture *f = *state;
    struct tb_str token = tb_str_of(f->token);
    char longer[TB_TOKEN_SIZE + 1] = {0};
    snprintf(longer, sizeof(longer), "%s", f->token);
    assert_int_equal(check(f, "a", token), 0);
    assert_int_equal(check(f, "a", tb_str_sub(token, 0, 20)), TB_E_UNAUTHORIZED);
    assert_int_equal(check(f, "a", (struct tb_str){longer, token.len + 1}), TB_E_UNAUTHORIZED);
    assert_int_equal(check(f, "a", TB_STR("")), TB_E_UNAUTHORIZED);
}

static void guessing_is_slowed_down_per_peer(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < TB_AUTH_FAILURES; i++) {
        assert_int_equal(check(f, "bad", TB_STR("guess")), TB_E_UNAUTHORIZED);
    }
    assert_int_equal(check(f, "bad", TB_STR("guess")), TB_E_RATE);
    assert_int_equal(check(f, "other", TB_STR("guess")), TB_E_UNAUTHORIZED);
    assert_int_equal(check(f, "bad", tb_str_of(f->token)), 0);
    tb_clock_manual_advance(&f->clock, TB_AUTH_WINDOW_MS);
    assert_int_equal(check(f, "bad", TB_STR("guess")), TB_E_UNAUTHORIZED);
}

static void a_missing_token_is_no_guess(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 10 * TB_AUTH_FAILURES; i++) {
        assert_int_equal(check(f, "a", TB_STR("")), TB_E_UNAUTHORIZED);
    }
}

static void the_table_of_offenders_is_bounded(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < TB_AUTH_PEERS + 500; i++) {
        char peer[32];
        snprintf(peer, sizeof(peer), "10.0.%d.%d", i / 256, i % 256);
        assert_int_equal(check(f, peer, TB_STR("guess")), TB_E_UNAUTHORIZED);
    }
    /* The first peers were dropped to make room, so their count begins again. */
    for (int i = 0; i < TB_AUTH_FAILURES; i++) {
        assert_int_equal(check(f, "10.0.0.0", TB_STR("guess")), TB_E_UNAUTHORIZED);
    }
    assert_int_equal(check(f, "10.0.0.0", TB_STR("guess")), TB_E_RATE);
}

static struct tb_principal *find(struct fixture *f, const char *secret)
{
    struct tb_principal *who = NULL;
    tb_auth_find(f->auth, "a", TB_CREDENTIAL_BEARER, tb_str_of(secret), &who);
    return who;
}

static void each_credential_stands_for_its_principal(void **state)
{
    struct fixture *f = *state;
    struct tb_principal *who;
    const struct tb_principal_spec spec = {
        .tenant = "t", .key = "k1", .label = "a script", .scopes = TB_SCOPE_OBSERVE};
    tb_auth_add(f->auth, &spec, TB_STR("secret"));
    who = find(f, "secret");
    assert_string_equal(who->tenant, "t");
    assert_string_equal(who->key, "k1");
    assert_string_equal(who->label, "a script");
    assert_true(tb_principal_may(who, TB_SCOPE_OBSERVE));
    assert_false(tb_principal_may(who, TB_SCOPE_OBSERVE | TB_SCOPE_ACT));
    who = find(f, f->token);
    assert_string_equal(who->tenant, "default");
    assert_int_equal(who->scopes, TB_SCOPES_ALL);
    assert_int_equal(tb_auth_find(f->auth, "", TB_CREDENTIAL_SAME_USER, TB_STR(""), &who), 0);
    assert_string_equal(who->tenant, "default");
    assert_int_equal(who->scopes, TB_SCOPES_ALL);
    assert_int_equal(tb_auth_find(f->auth, "a", TB_CREDENTIAL_NONE, TB_STR(""), &who), 0);
    assert_int_equal(who->scopes, 0);
}

/* Neither as nobody, whom some routes let in, nor as anybody else. */
static void a_credential_of_no_known_sort_is_refused(void **state)
{
    struct fixture *f = *state;
    struct tb_principal *who = NULL;
    assert_int_equal(tb_auth_find(f->auth, "a", TB_CREDENTIALS_USUAL, tb_str_of(f->token), &who),
                     TB_E_UNAUTHORIZED);
    assert_null(who);
}

static void a_credential_ends_by_revocation_replacement_or_its_time(void **state)
{
    struct fixture *f = *state;
    struct tb_principal_spec spec = {.tenant = "t", .key = "k1", .label = ""};
    tb_auth_add(f->auth, &spec, TB_STR("first"));
    tb_auth_add(f->auth, &spec, TB_STR("second"));
    assert_null(find(f, "first"));
    tb_auth_revoke(f->auth, "k2");
    assert_non_null(find(f, "second"));
    tb_auth_revoke(f->auth, "k1");
    assert_null(find(f, "second"));
    spec.expires_ms = tb_clock_wall_ms(&f->clock.clock) + 1000;
    tb_auth_add(f->auth, &spec, TB_STR("third"));
    struct tb_principal *third = tb_principal_ref(find(f, "third"), "test");
    tb_clock_manual_advance(&f->clock, 999);
    tb_loop_turn(f->loop, false);
    assert_non_null(find(f, "third"));
    assert_false(third->revoked);
    tb_clock_manual_advance(&f->clock, 1);
    tb_loop_turn(f->loop, false);
    assert_null(find(f, "third"));
    assert_true(third->revoked);
    tb_principal_unref(third, "test");
}

static void each_credential_ends_at_its_own_time(void **state)
{
    static const int ends_ms[] = {3000, 1000, 0, 2000, 60000};
    struct fixture *f = *state;
    const int64_t now_ms = tb_clock_wall_ms(&f->clock.clock);
    for (size_t i = 0; i < TB_COUNT(ends_ms); i++) {
        char name[8];
        snprintf(name, sizeof(name), "k%zu", i);
        const struct tb_principal_spec spec = {.tenant = "t",
                                               .key = name,
                                               .label = "",
                                               .expires_ms = ends_ms[i] ? now_ms + ends_ms[i] : 0};
        tb_auth_add(f->auth, &spec, tb_str_of(name));
    }
    for (int at_ms = 0; at_ms <= 60000; at_ms += 500) {
        for (size_t i = 0; i < TB_COUNT(ends_ms); i++) {
            char name[8];
            snprintf(name, sizeof(name), "k%zu", i);
            bool is_there = tb_auth_of_key(f->auth, name);
            assert_int_equal(is_there, !ends_ms[i] || at_ms < ends_ms[i]);
        }
        tb_clock_manual_advance(&f->clock, 500);
        tb_loop_turn(f->loop, false);
    }
}

static void a_name_that_would_be_cut_is_refused(void **state)
{
    struct fixture *f = *state;
    char tenant[TB_TENANT_SIZE + 1];
    char key[TB_KEY_SIZE + 1];
    snprintf(tenant, sizeof(tenant), "%0*d", TB_TENANT_SIZE, 0);
    snprintf(key, sizeof(key), "%0*d", TB_KEY_SIZE, 0);
    const struct tb_principal_spec of_tenant = {.tenant = tenant, .key = "k", .label = ""};
    const struct tb_principal_spec of_key = {.tenant = "t", .key = key, .label = ""};
    const struct tb_principal_spec longest = {.tenant = tenant + 1, .key = key + 1, .label = ""};
    assert_int_equal(tb_auth_add(f->auth, &of_tenant, TB_STR("secret")), TB_E_PARAMS);
    assert_int_equal(tb_auth_add(f->auth, &of_key, TB_STR("secret")), TB_E_PARAMS);
    assert_null(find(f, "secret"));
    assert_int_equal(tb_auth_add(f->auth, &longest, TB_STR("secret")), 0);
    assert_string_equal(find(f, "secret")->tenant, tenant + 1);
}

/* The machine slept, or somebody set its clock: the timer knows nothing of it. */
static void a_credential_is_not_valid_past_its_time_by_the_wall_clock(void **state)
{
    struct fixture *f = *state;
    const struct tb_principal_spec spec = {.tenant = "t",
                                           .key = "k1",
                                           .label = "",
                                           .expires_ms = tb_clock_wall_ms(&f->clock.clock) + 1000};
    tb_auth_add(f->auth, &spec, TB_STR("secret"));
    struct tb_principal *who = tb_principal_ref(find(f, "secret"), "test");
    f->clock.wall_ms += 999;
    assert_ptr_equal(find(f, "secret"), who);
    f->clock.wall_ms += 1;
    assert_null(find(f, "secret"));
    assert_true(who->revoked);
    tb_principal_unref(who, "test");
}

/* Nobody shows it again, but a stream that it opened is still there. */
static void nor_does_what_it_opened_go_on_when_the_wall_clock_has_jumped(void **state)
{
    struct fixture *f = *state;
    const int64_t hour_ms = INT64_C(60) * 60 * 1000;
    const struct tb_principal_spec spec = {.tenant = "t",
                                           .key = "k1",
                                           .label = "",
                                           .expires_ms =
                                               tb_clock_wall_ms(&f->clock.clock) + hour_ms};
    tb_auth_add(f->auth, &spec, TB_STR("secret"));
    struct tb_principal *who = tb_principal_ref(find(f, "secret"), "test");
    f->clock.wall_ms += hour_ms;
    tb_clock_manual_advance(&f->clock, 10000);
    tb_loop_turn(f->loop, false);
    assert_true(who->revoked);
    tb_principal_unref(who, "test");
}

static void the_operator_speaks_for_any_tenant_and_nobody_else_does(void **state)
{
    struct fixture *f = *state;
    static const struct tb_principal_spec spec = {
        .tenant = "acme", .key = "k1", .label = "", .scopes = TB_SCOPE_ACT | TB_SCOPE_ADMIN};
    struct tb_principal *operator;
    struct tb_principal *key;
    struct tb_principal *as;
    struct tb_principal *again;
    struct tb_err err;
    tb_auth_add(f->auth, &spec, TB_STR("secret"));
    tb_auth_find(f->auth, "a", TB_CREDENTIAL_SAME_USER, TB_STR(""), &operator);
    tb_auth_find(f->auth, "a", TB_CREDENTIAL_BEARER, TB_STR("secret"), &key);
    assert_int_equal(tb_auth_as(f->auth, operator, TB_STR("acme"), &as, &err), 0);
    assert_string_equal(as->tenant, "acme");
    assert_string_equal(as->key, operator->key);
    assert_int_equal(as->scopes, operator->scopes);
    assert_int_equal(tb_auth_as(f->auth, operator, TB_STR("acme"), &again, &err), 0);
    assert_ptr_equal(again, as); /* or its sessions of MCP would be another's */
    assert_int_equal(tb_auth_as(f->auth, operator, TB_STR("default"), &again, &err), 0);
    assert_ptr_equal(again, operator);
    assert_int_equal(tb_auth_as(f->auth, operator, TB_STR("No"), &again, &err), TB_E_PARAMS);
    assert_int_equal(tb_auth_as(f->auth, key, TB_STR("other"), &again, &err), TB_E_FORBIDDEN);
    assert_int_equal(tb_auth_as(f->auth, key, TB_STR("acme"), &again, &err), 0);
    assert_ptr_equal(again, key);
}

static void the_tenants_that_the_operator_speaks_for_are_bounded(void **state)
{
    struct fixture *f = *state;
    struct tb_principal *operator;
    struct tb_principal *as;
    struct tb_err err;
    tb_auth_find(f->auth, "a", TB_CREDENTIAL_SAME_USER, TB_STR(""), &operator);
    for (int i = 0; i < TB_AUTH_GUISES; i++) {
        char name[TB_TENANT_SIZE];
        snprintf(name, sizeof(name), "t%d", i);
        assert_int_equal(tb_auth_as(f->auth, operator, tb_str_of(name), &as, &err), 0);
    }
    assert_int_equal(tb_auth_as(f->auth, operator, TB_STR("more"), &as, &err), TB_E_LIMIT);
    assert_int_equal(tb_auth_as(f->auth, operator, TB_STR("t0"), &as, &err), 0);
}

static void on_live_revoked(struct tb_live *live)
{
    live->revoked = NULL; /* seen */
}

static void who_speaks_for_a_tenant_ends_with_the_credential_behind_it(void **state)
{
    struct fixture *f = *state;
    struct tb_principal *admin;
    struct tb_principal *as;
    struct tb_live live = {.revoked = on_live_revoked};
    struct tb_err err;
    tb_auth_find(f->auth, "a", TB_CREDENTIAL_BEARER, tb_str_of(f->token), &admin);
    assert_int_equal(tb_auth_as(f->auth, admin, TB_STR("acme"), &as, &err), 0);
    tb_principal_ref(as, "test");
    tb_principal_add_live(as, &live);
    tb_auth_revoke(f->auth, "admin");
    assert_true(as->revoked);
    tb_loop_turn(f->loop, false);
    assert_null(live.revoked);
    tb_principal_unref(as, "test");
}

static void what_is_unknown_is_no_guess_while_credentials_are_missing(void **state)
{
    struct fixture *f = *state;
    tb_auth_set_incomplete(f->auth, true);
    for (int i = 0; i < 2 * TB_AUTH_FAILURES; i++) {
        assert_int_equal(check(f, "a", TB_STR("unknown")), TB_E_STORE);
    }
    assert_int_equal(check(f, "a", tb_str_of(f->token)), 0);
    assert_int_equal(check(f, "a", TB_STR("")), TB_E_UNAUTHORIZED);
    tb_auth_set_incomplete(f->auth, false);
    assert_int_equal(check(f, "a", TB_STR("unknown")), TB_E_UNAUTHORIZED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_whole_token_is_right, setup, teardown),
        cmocka_unit_test_setup_teardown(guessing_is_slowed_down_per_peer, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_token_is_no_guess, setup, teardown),
        cmocka_unit_test_setup_teardown(each_credential_stands_for_its_principal, setup, teardown),
        cmocka_unit_test_setup_teardown(a_credential_of_no_known_sort_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(each_credential_ends_at_its_own_time, setup, teardown),
        cmocka_unit_test_setup_teardown(a_credential_ends_by_revocation_replacement_or_its_time,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_credential_is_not_valid_past_its_time_by_the_wall_clock,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            nor_does_what_it_opened_go_on_when_the_wall_clock_has_jumped, setup, teardown),
        cmocka_unit_test_setup_teardown(a_name_that_would_be_cut_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(the_table_of_offenders_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(the_operator_speaks_for_any_tenant_and_nobody_else_does,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(the_tenants_that_the_operator_speaks_for_are_bounded, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(who_speaks_for_a_tenant_ends_with_the_credential_behind_it,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_unknown_is_no_guess_while_credentials_are_missing,
                                        setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
