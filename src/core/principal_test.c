/* SPDX-License-Identifier: Apache-2.0 */
/* Calls end with the credential in whose name they run. */
#include "core/principal.h"

#include <stdio.h>

#include "base/mem.h"
#include "core/auth.h"

#include "support/core_rig.h"
#include "support/principals.h"

struct lasting {
    struct tb_call *call;
    int code;
    char message[1024];
};

static void on_done(struct tb_call *call, void *user)
{
    struct lasting *lasting = user;
    lasting->call = NULL;
    lasting->code = tb_call_result(call)->code;
    snprintf(lasting->message, sizeof(lasting->message), "%s", tb_call_result(call)->message);
}

static void start(struct rig *rig, struct lasting *lasting, struct tb_principal *who)
{
    *lasting = (struct lasting){.code = 1};
    lasting->call = tb_call_start(&rig->core, &(struct tb_call_request){
                                                  .entry = {.tool = &rig_click},
                                                  .args.json = TB_STR("{\"sessionId\":\"a\"}"),
                                                  .caller = {.who = who, .conversation = ""},
                                                  .done = on_done,
                                                  .user = lasting,
                                              });
}

static struct tb_principal *add(struct tb_auth *auth)
{
    static const struct tb_principal_spec spec = {
        .tenant = "t", .key = "k", .label = "", .scopes = TB_SCOPE_ACT};
    struct tb_principal *who = NULL;
    tb_auth_add(auth, &spec, TB_STR("secret"));
    tb_auth_find(auth, "", TB_CREDENTIAL_BEARER, TB_STR("secret"), &who);
    return tb_principal_ref(who, "test");
}

static void revoking_ends_the_call_that_runs_and_those_that_wait(void **state)
{
    struct rig *rig = *state;
    TB_AUTO(tb_auth_free) struct tb_auth *auth = tb_auth_new(rig->core.loop);
    struct tb_principal *who = add(auth);
    struct lasting calls[3];
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    for (size_t i = 0; i < TB_COUNT(calls); i++) {
        start(rig, &calls[i], i == 1 ? &principal_t : who);
    }
    rig_turn(rig);
    tb_auth_revoke(auth, "k");
    assert_int_equal(calls[0].code, 1); /* later, whoever revokes may be in it */
    rig_turn(rig);
    assert_int_equal(calls[0].code, TB_E_UNAUTHORIZED);
    assert_int_equal(calls[2].code, TB_E_UNAUTHORIZED);
    assert_string_equal(calls[2].message, "the credential of this call was revoked");
    assert_int_equal(rig->fake->counts.cancelled, 1);
    assert_int_equal(calls[1].code, 1); /* of another credential: it runs now */
    assert_int_equal(rig->fake->counts.begun, 2);
    assert_true(tb_fake_release(rig->fake, tb_session_info(rig_find(rig, "a")).id));
    rig_turn(rig);
    assert_int_equal(calls[1].code, 0);
    start(rig, &calls[0], who);
    rig_turn(rig);
    assert_int_equal(calls[0].code, TB_E_UNAUTHORIZED);
    assert_int_equal(rig->fake->counts.begun, 2);
    assert_int_equal(who->refs, 1); /* nobody else holds it any more */
    tb_principal_unref(who, "test");
}

static void nothing_begins_once_a_credential_is_revoked(void **state)
{
    struct rig *rig = *state;
    TB_AUTO(tb_auth_free) struct tb_auth *auth = tb_auth_new(rig->core.loop);
    struct tb_principal *who = add(auth);
    struct lasting call;
    rig_create(rig, "a");
    rig_turn(rig);
    tb_auth_revoke(auth, "k");
    start(rig, &call, who); /* before the job */
    assert_int_equal(rig->fake->counts.begun, 0);
    assert_false(tb_principal_may(who, TB_SCOPE_ACT));
    rig_turn(rig);
    assert_int_equal(call.code, TB_E_UNAUTHORIZED);
    tb_principal_unref(who, "test");
}

/* The session's job comes before the one that ends what is live. */
static void nor_does_what_waited_for_its_turn(void **state)
{
    struct rig *rig = *state;
    TB_AUTO(tb_auth_free) struct tb_auth *auth = tb_auth_new(rig->core.loop);
    struct tb_principal *who = add(auth);
    struct lasting calls[2];
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    start(rig, &calls[0], &principal_t);
    start(rig, &calls[1], who);
    rig_turn(rig);
    assert_true(tb_fake_release(rig->fake, tb_session_info(rig_find(rig, "a")).id));
    tb_auth_revoke(auth, "k");
    rig_turn(rig);
    assert_int_equal(calls[0].code, 0);
    assert_int_equal(calls[1].code, TB_E_UNAUTHORIZED);
    assert_int_equal(rig->fake->counts.begun, 1);
    tb_principal_unref(who, "test");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(revoking_ends_the_call_that_runs_and_those_that_wait,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(nothing_begins_once_a_credential_is_revoked, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(nor_does_what_waited_for_its_turn, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
