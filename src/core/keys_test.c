/* SPDX-License-Identifier: Apache-2.0 */
#include "core/keys.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/key_record.h"
#include "core/limits.h"
#include "core/policy.h"

#include "support/fake_store.h"
#include "support/principals.h"

enum {
    MINUTE_MS = 60 * 1000,
};

/* A rig with a store and keys, which are loaded. */
static void begin(struct rig *rig)
{
    rig->core.auth = tb_auth_new(rig->core.loop);
    rig->core.keys = tb_keys_new(&rig->core);
    tb_keys_load(rig->core.keys);
    rig_turn(rig);
}

static void end(struct rig *rig)
{
    tb_keys_free(rig->core.keys);
    rig->core.keys = NULL;
    tb_auth_free(rig->core.auth);
    rig->core.auth = NULL;
}

static int setup(void **state)
{
    rig_setup_stored(state);
    begin(*state);
    return 0;
}

static int teardown(void **state)
{
    end(*state);
    return rig_teardown_stored(state);
}

/* What a caller gets of a key. */
struct made {
    struct tb_buf answer;
    struct tb_gate gate;
    struct tb_err err;
    int rc;
    char id[TB_KEY_ID_SIZE];
    char text[TB_KEY_TEXT_SIZE];
};

static void on_open(struct tb_gate *gate)
{
    (void)gate;
}

static void copy(const struct cJSON *json, const char *key, char *ret_text, size_t size)
{
    snprintf(ret_text, size, "%.*s", TB_STR_ARG(tb_json_text(json, key)));
}

static struct made make(struct rig *rig, struct tb_principal *by, const struct tb_key_spec *spec)
{
    struct made made = {.answer = TB_BUF(SIZE_MAX)};
    struct tb_json_writer json;
    tb_json_writer_init(&json, &made.answer);
    tb_gate_init(&made.gate, on_open);
    made.rc = tb_keys_create(rig->core.keys, by, spec, &made.gate, &json, &made.err);
    if (made.rc == 0) {
        made.err = made.gate.err;
        TB_AUTO(tb_json_free) struct cJSON *answer = tb_json_parse(tb_buf_str(&made.answer));
        copy(answer, "id", made.id, sizeof(made.id));
        copy(answer, "key", made.text, sizeof(made.text));
    }
    tb_gate_fini(&made.gate);
    tb_buf_fini(&made.answer);
    return made;
}

static struct made make_for(struct rig *rig, const char *tenant)
{
    return make(rig, principal_of("default"),
                &(struct tb_key_spec){.tenant = tb_str_of(tenant),
                                      .label = TB_STR("robot"),
                                      .scopes = TB_SCOPE_ACT | TB_SCOPE_OBSERVE});
}

static int enter(struct rig *rig, const char *text, struct tb_principal **ret_who)
{
    return tb_auth_find(rig->core.auth, "a", TB_CREDENTIAL_BEARER, tb_str_of(text), ret_who);
}

static int revoke(struct rig *rig, const char *id, struct tb_err *err)
{
    struct tb_gate gate;
    tb_gate_init(&gate, on_open);
    int rc = tb_keys_revoke(rig->core.keys, principal_of("default"), tb_str_of(id), &gate, err);
    if (rc == 0 && gate.err.code < 0) {
        *err = gate.err;
        rc = gate.err.code;
    }
    tb_gate_fini(&gate);
    return rc;
}

/* Of the tenant's administrator, or of the operator. */
static char *list(struct rig *rig, const char *tenant, unsigned scopes)
{
    struct tb_principal *by = tb_principal_new(
        &(struct tb_principal_spec){.tenant = tenant, .key = "k", .label = "", .scopes = scopes});
    struct tb_buf text = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    size_t len;
    tb_json_writer_init(&json, &text);
    tb_keys_list(rig->core.keys, by, &json);
    tb_buf_append_char(&text, '\0');
    tb_principal_unref(by, "test");
    return (char *)tb_buf_take(&text, &len);
}

static void a_new_key_lets_its_holder_in_as_what_it_says(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *who = NULL;
    struct made made = make_for(rig, "acme");
    assert_int_equal(made.rc, 0);
    assert_memory_equal(made.text, made.id, strlen(made.id));
    assert_int_equal(strlen(made.text), strlen(made.id) + 1 + TB_TOKEN_SIZE - 1);
    assert_true(tb_str_eq_cstr(tb_key_id_of(tb_str_of(made.text)), made.id));
    assert_int_equal(tb_key_id_of(tb_str_of(made.id)).len, 0);
    assert_int_equal(enter(rig, made.text, &who), 0);
    assert_string_equal(who->tenant, "acme");
    assert_string_equal(who->key, made.id);
    assert_string_equal(who->label, "robot");
    assert_int_equal(who->scopes, TB_SCOPE_ACT | TB_SCOPE_OBSERVE);
    assert_int_equal(enter(rig, made.id, &who), TB_E_UNAUTHORIZED);
    assert_int_equal(rig_events(rig, "key_created {\"key\":\"tbk_"), 1);
    assert_int_equal(rig_events(rig, made.text), 0);
}

static void only_the_hash_of_a_key_is_stored(void **state)
{
    struct rig *rig = *state;
    struct made made = make_for(rig, "acme");
    struct tb_str value = fake_store_get(fake_store_of(rig), TB_SPACE_KEY, made.id);
    TB_AUTO(tb_free) char *text = tb_str_dup(value);
    assert_non_null(strstr(text, "\"hash\":\""));
    assert_null(strstr(text, made.text + strlen(made.id) + 1));
    TB_AUTO(tb_free) char *listed = list(rig, "default", TB_SCOPES_ALL);
    assert_non_null(strstr(listed, made.id));
    assert_null(strstr(listed, made.text));
    assert_null(strstr(listed, "hash"));
}

static void keys_survive_a_restart_and_revoked_ones_do_not(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *who;
    struct tb_err err;
    struct made stays = make_for(rig, "acme");
    struct made goes = make_for(rig, "acme");
    assert_int_equal(revoke(rig, goes.id, &err), 0);
    end(rig);
    begin(rig);
    assert_int_equal(enter(rig, stays.text, &who), 0);
    assert_int_equal(enter(rig, goes.text, &who), TB_E_UNAUTHORIZED);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_KEY), 1);
}

static void a_key_that_could_not_be_stored_is_none(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *who;
    fake_store_of(rig)->broken = true;
    struct made made = make_for(rig, "acme");
    assert_true(made.err.code < 0);
    assert_int_equal(enter(rig, made.text, &who), TB_E_UNAUTHORIZED);
    assert_int_equal(rig_events(rig, "key_created"), 0);
    TB_AUTO(tb_free) char *listed = list(rig, "default", TB_SCOPES_ALL);
    assert_string_equal(listed, "{\"keys\":[]}");
    fake_store_of(rig)->broken = false;
}

static void a_revoked_key_is_out_at_once_and_removed_as_soon_as_the_store_can(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_principal *who;
    struct tb_err err;
    struct made made = make_for(rig, "acme");
    store->broken = true;
    assert_true(revoke(rig, made.id, &err) < 0);
    assert_int_equal(enter(rig, made.text, &who), TB_E_UNAUTHORIZED);
    assert_int_equal(fake_store_count(store, TB_SPACE_KEY), 1);
    store->broken = false;
    rig_advance(rig, 1000);
    assert_int_equal(fake_store_count(store, TB_SPACE_KEY), 0);
    assert_int_equal(rig_events(rig, "key_revoked"), 1);
    assert_int_equal(revoke(rig, made.id, &err), TB_E_NOT_FOUND);
}

static void an_expired_key_is_out_and_that_is_told_once(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *who;
    struct made made =
        make(rig, principal_of("default"),
             &(struct tb_key_spec){.tenant = TB_STR("acme"),
                                   .scopes = TB_SCOPE_OBSERVE,
                                   .expires_ms = tb_clock_wall_ms(rig->core.clock) + 5000});
    rig_advance(rig, 4999);
    assert_int_equal(enter(rig, made.text, &who), 0);
    rig_advance(rig, 1);
    assert_int_equal(enter(rig, made.text, &who), TB_E_UNAUTHORIZED);
    assert_int_equal(rig_events(rig, "key_expired"), 1);
    end(rig);
    begin(rig);
    assert_int_equal(enter(rig, made.text, &who), TB_E_UNAUTHORIZED);
    assert_int_equal(rig_events(rig, "key_expired"), 1);
    TB_AUTO(tb_free) char *listed = list(rig, "acme", TB_SCOPE_ADMIN);
    assert_non_null(strstr(listed, "\"state\":\"expired\""));
}

static void the_last_use_is_written_once_a_minute_at_most(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_principal *who;
    struct made made = make_for(rig, "acme");
    size_t before = store->puts[TB_SPACE_KEY];
    for (int i = 0; i < 100; i++) {
        assert_int_equal(enter(rig, made.text, &who), 0);
    }
    assert_int_equal(store->puts[TB_SPACE_KEY], before);
    rig_advance(rig, MINUTE_MS);
    assert_int_equal(store->puts[TB_SPACE_KEY], before + 1);
    rig_advance(rig, MINUTE_MS);
    assert_int_equal(store->puts[TB_SPACE_KEY], before + 1);
}

static void who_administers_one_tenant_has_nothing_of_another(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    struct tb_principal *admin = tb_principal_new(&(struct tb_principal_spec){
        .tenant = "acme", .key = "k", .label = "", .scopes = TB_SCOPE_OBSERVE | TB_SCOPE_ADMIN});
    struct made theirs = make_for(rig, "other");
    struct tb_key_spec spec = {.tenant = TB_STR("other"), .scopes = TB_SCOPE_OBSERVE};
    assert_int_equal(make(rig, admin, &spec).rc, TB_E_FORBIDDEN);
    spec = (struct tb_key_spec){.tenant = TB_STR("acme"), .scopes = TB_SCOPE_ACT};
    assert_int_equal(make(rig, admin, &spec).rc, TB_E_SCOPE);
    spec.scopes = TB_SCOPE_OBSERVE;
    struct made ours = make(rig, admin, &spec);
    assert_int_equal(ours.rc, 0);
    assert_int_equal(tb_keys_revoke(rig->core.keys, admin, tb_str_of(theirs.id), NULL, &err),
                     TB_E_NOT_FOUND);
    TB_AUTO(tb_free) char *listed = list(rig, "acme", TB_SCOPE_ADMIN);
    assert_null(strstr(listed, theirs.id));
    assert_non_null(strstr(listed, ours.id));
    TB_AUTO(tb_free) char *seen = list(rig, "acme", TB_SCOPE_OBSERVE | TB_SCOPE_ACT);
    assert_string_equal(seen, "{\"keys\":[]}");
    tb_principal_unref(admin, "test");
}

static void the_admins_of_a_tenant_leave_keys_for_others(void **state)
{
    struct rig *rig = *state;
    const struct tb_key_spec spec = {.tenant = TB_STR("acme"), .scopes = TB_SCOPE_OBSERVE};
    struct tb_principal *admin = tb_principal_new(&(struct tb_principal_spec){
        .tenant = "acme", .key = "k", .label = "", .scopes = TB_SCOPE_OBSERVE | TB_SCOPE_ADMIN});
    for (int i = 0; i < TB_KEYS_PER_TENANT; i++) {
        assert_int_equal(make(rig, admin, &spec).rc, 0);
    }
    assert_int_equal(make(rig, admin, &spec).rc, TB_E_LIMIT);
    assert_int_equal(make_for(rig, "other").rc, 0);
    assert_int_equal(make_for(rig, "acme").rc, 0); /* the operator */
    struct made more = make(rig, admin, &spec);
    assert_int_equal(more.rc, TB_E_LIMIT);
    assert_non_null(strstr(more.err.text, "this tenant has 1001 keys, and from 1000 on"));
    tb_principal_unref(admin, "test");
}

static void nobody_makes_a_key_that_operates(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    unsigned scopes = 0;
    struct tb_key_spec spec = {.tenant = TB_STR("acme"), .scopes = TB_SCOPES_ALL};
    assert_int_equal(make(rig, principal_of("default"), &spec).rc, TB_E_PARAMS);
    assert_int_equal(tb_key_scopes(TB_STR("operate"), &scopes, &err), TB_E_PARAMS);
    assert_int_equal(tb_key_scopes(TB_STR(""), &scopes, &err), TB_E_PARAMS);
    assert_int_equal(tb_key_scopes(TB_STR("act"), &scopes, &err), 0);
    assert_int_equal(scopes, TB_SCOPE_ACT | TB_SCOPE_OBSERVE);
}

static void a_tenant_has_a_plain_name(void **state)
{
    static const char *const bad[] = {"", "-a", "A", "a b", "a/b", "ä", "a.b"};
    struct rig *rig = *state;
    char longest[TB_TENANT_SIZE + 1];
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        assert_int_equal(make_for(rig, bad[i]).rc, TB_E_PARAMS);
    }
    snprintf(longest, sizeof(longest), "%0*d", TB_TENANT_SIZE, 0);
    assert_int_equal(make_for(rig, longest).rc, TB_E_PARAMS);
    assert_int_equal(make_for(rig, longest + 1).rc, 0);
}

static void an_unknown_key_is_no_wrong_one_until_all_are_read(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_principal *who;
    struct made made = make_for(rig, "acme");
    end(rig);
    store->reads_late = true;
    begin(rig);
    assert_false(tb_keys_loaded(rig->core.keys));
    assert_int_equal(enter(rig, made.text, &who), TB_E_STORE);
    assert_int_equal(make_for(rig, "acme").rc, TB_E_STORE);
    store->reads_late = false;
    fake_store_catch_up(store);
    rig_turn(rig);
    assert_true(tb_keys_loaded(rig->core.keys));
    assert_int_equal(enter(rig, made.text, &who), 0);
    assert_int_equal(enter(rig, "tbk_guess", &who), TB_E_UNAUTHORIZED);
}

static void a_record_that_is_none_is_passed_over(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_principal *who;
    struct made made = make_for(rig, "acme");
    TB_AUTO(tb_free) char *good = tb_str_dup(fake_store_get(store, TB_SPACE_KEY, made.id));
    end(rig);
    fake_store_set(store, TB_SPACE_KEY, "tbk_aaaaaaaaaaaa", TB_STR("{}"));
    fake_store_set(store, TB_SPACE_KEY, "tbk_bbbbbbbbbbbb", tb_str_of(good)); /* another's */
    begin(rig);
    assert_int_equal(enter(rig, made.text, &who), 0);
    TB_AUTO(tb_free) char *listed = list(rig, "default", TB_SCOPES_ALL);
    assert_null(strstr(listed, "tbk_aaaa"));
    assert_null(strstr(listed, "tbk_bbbb"));
}

static void a_store_that_begins_anew_gets_the_keys_again(void **state)
{
    struct rig *rig = *state;
    make_for(rig, "acme");
    fake_store_replace(fake_store_of(rig));
    rig_turn(rig);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_KEY), 1);
}

static struct tb_policy *policy_of(const char *text)
{
    struct tb_policy *policy = NULL;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(text));
    assert_int_equal(tb_policy_read(json, &policy, NULL), 0);
    return policy;
}

static struct made make_narrow(struct rig *rig, struct tb_principal *by, const char *text)
{
    struct tb_policy *policy = policy_of(text);
    struct made made =
        make(rig, by,
             &(struct tb_key_spec){
                 .tenant = TB_STR("acme"), .scopes = TB_SCOPE_OBSERVE, .policy = policy});
    tb_policy_unref(policy, "test");
    return made;
}

static void a_key_has_the_policy_that_it_was_made_with_over_a_restart(void **state)
{
    static const char text[] = "{\"tools\":{\"deny\":[\"x\"]},\"allow_domains\":[\"a.test\"]}";
    struct rig *rig = *state;
    struct tb_principal *who = NULL;
    struct made made = make_narrow(rig, principal_of("default"), text);
    struct made plain = make_for(rig, "acme");
    TB_AUTO(tb_free) char *listed = list(rig, "acme", TB_SCOPE_ADMIN);
    assert_non_null(strstr(listed, text));
    for (int i = 0; i < 2; i++) {
        struct tb_policy *policy = policy_of(text);
        assert_int_equal(enter(rig, made.text, &who), 0);
        assert_true(tb_policy_is_same(who->policy, policy));
        assert_int_equal(enter(rig, plain.text, &who), 0);
        assert_null(who->policy);
        tb_policy_unref(policy, "test");
        end(rig);
        begin(rig);
    }
}

static void a_policy_that_cannot_be_read_allows_nothing(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_principal *who = NULL;
    struct made made = make_narrow(rig, principal_of("default"), "{\"read_only\":true}");
    TB_AUTO(tb_free) char *record = tb_str_dup(fake_store_get(store, TB_SPACE_KEY, made.id));
    strstr(record, "read_only")[0] = 'x'; /* of a newer daemon */
    end(rig);
    fake_store_set(store, TB_SPACE_KEY, made.id, tb_str_of(record));
    begin(rig);
    assert_int_equal(enter(rig, made.text, &who), 0);
    struct tb_policy_set set = {.parts = {[TB_POLICY_KEY] = who->policy}};
    assert_int_equal(tb_policy_judge_tool(&set, "click", NULL, 0, NULL), TB_E_DENIED);
    assert_int_equal(tb_policy_judge_url(&set, TB_STR("https://a.test"), NULL),
                     TB_E_DOMAIN_BLOCKED);
}

static void a_key_with_a_policy_makes_none_without_it(void **state)
{
    struct rig *rig = *state;
    struct tb_policy *policy = policy_of("{\"read_only\":true}");
    struct tb_principal *admin =
        tb_principal_new(&(struct tb_principal_spec){.tenant = "acme",
                                                     .key = "k",
                                                     .label = "",
                                                     .scopes = TB_SCOPE_OBSERVE | TB_SCOPE_ADMIN,
                                                     .policy = policy});
    tb_policy_unref(policy, "test"); /* the principal has its own reference */
    assert_int_equal(make_narrow(rig, admin, "{\"read_only\":true}").rc, TB_E_FORBIDDEN);
    tb_principal_unref(admin, "test");
}

static void a_key_s_policy_is_short(void **state)
{
    struct rig *rig = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    tb_buf_printf(&text, "{\"block_domains\":[\"a.test\"");
    for (int i = 0; text.len < TB_POLICY_KEY_MAX; i++) {
        tb_buf_printf(&text, ",\"a%d.test\"", i);
    }
    tb_buf_printf(&text, "]}");
    tb_buf_append_char(&text, '\0');
    struct made made = make_narrow(rig, principal_of("default"), (const char *)text.data);
    assert_int_equal(made.rc, TB_E_PARAMS);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_KEY), 0);
}

int main(void)
{
#define KEYS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        KEYS_TEST(a_new_key_lets_its_holder_in_as_what_it_says),
        KEYS_TEST(only_the_hash_of_a_key_is_stored),
        KEYS_TEST(keys_survive_a_restart_and_revoked_ones_do_not),
        KEYS_TEST(a_key_that_could_not_be_stored_is_none),
        KEYS_TEST(a_revoked_key_is_out_at_once_and_removed_as_soon_as_the_store_can),
        KEYS_TEST(an_expired_key_is_out_and_that_is_told_once),
        KEYS_TEST(the_last_use_is_written_once_a_minute_at_most),
        KEYS_TEST(who_administers_one_tenant_has_nothing_of_another),
        KEYS_TEST(the_admins_of_a_tenant_leave_keys_for_others),
        KEYS_TEST(nobody_makes_a_key_that_operates),
        KEYS_TEST(a_tenant_has_a_plain_name),
        KEYS_TEST(an_unknown_key_is_no_wrong_one_until_all_are_read),
        KEYS_TEST(a_record_that_is_none_is_passed_over),
        KEYS_TEST(a_store_that_begins_anew_gets_the_keys_again),
        KEYS_TEST(a_key_has_the_policy_that_it_was_made_with_over_a_restart),
        KEYS_TEST(a_policy_that_cannot_be_read_allows_nothing),
        KEYS_TEST(a_key_with_a_policy_makes_none_without_it),
        KEYS_TEST(a_key_s_policy_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
