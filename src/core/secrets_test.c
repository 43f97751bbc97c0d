/* SPDX-License-Identifier: Apache-2.0 */
#include "core/secrets.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/mask.h"

#include "support/fake_store.h"

#define SITE TB_STR("https://example.com")

struct lab {
    struct rig *rig;
    struct tb_secrets *secrets;
    struct tb_mask *mask;
    struct tb_gate gate;
    struct tb_err err;
    char out[1024];
};

static int setup(void **state)
{
    struct lab *lab = TB_NEW(struct lab);
    void *rig = NULL;
    rig_setup_stored(&rig);
    lab->rig = rig;
    lab->secrets = tb_secrets_new(&lab->rig->core);
    lab->mask = tb_mask_new(&lab->rig->core.vault);
    tb_gate_init(&lab->gate, NULL);
    tb_secrets_load(lab->secrets);
    rig_turn(lab->rig);
    *state = lab;
    return 0;
}

static int teardown(void **state)
{
    struct lab *lab = *state;
    void *rig = lab->rig;
    tb_secrets_free(lab->secrets);
    tb_mask_unref(lab->mask, "test");
    tb_gate_fini(&lab->gate);
    rig_teardown_stored(&rig);
    tb_free(lab);
    return 0;
}

static int set(struct lab *lab, const char *tenant, const char *name, const char *spec)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(spec));
    struct tb_secret_change change = {tenant, tb_str_of(name), "operator", &lab->gate};
    return tb_secrets_set(lab->secrets, &change, json, &lab->err);
}

static int remove_login(struct lab *lab)
{
    struct tb_secret_change change = {"t", TB_STR("login"), "operator", &lab->gate};
    return tb_secrets_remove(lab->secrets, &change, &lab->err);
}

static int fill_at(struct lab *lab, const char *text, const struct tb_str *origins, size_t count)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf out = TB_BUF(sizeof(lab->out) - 1);
    struct tb_secret_use use = {.tenant = "t",
                                .origins = origins,
                                .origin_count = count,
                                .mask = lab->mask,
                                .session_id = ""};
    int rc = tb_secrets_fill_in(lab->secrets, &use, tb_str_of(text), &out, &lab->err);
    memset(lab->out, 0, sizeof(lab->out));
    memcpy(lab->out, out.data ? (const char *)out.data : "", out.len);
    return rc;
}

static int fill(struct lab *lab, const char *text)
{
    struct tb_str origin = SITE;
    return fill_at(lab, text, &origin, 1);
}

#define LOGIN "{\"value\":\"hunter2!\",\"domains\":[\"example.com\"]}"

static void a_secret_is_filled_in_by_its_name(void **state)
{
    struct lab *lab = *state;
    assert_int_equal(set(lab, "t", "login.1-a_b", LOGIN), 0);
    assert_int_equal(fill(lab, "{{secret:login.1-a_b}}"), 0);
    assert_string_equal(lab->out, "hunter2!");
    assert_int_equal(fill(lab, "a{{secret:login.1-a_b}}b{{secret:login.1-a_b}} {{x}}"), 0);
    assert_string_equal(lab->out, "ahunter2!bhunter2! {{x}}");
    assert_int_equal(fill(lab, "{{{secret:login.1-a_b}}} {{totp {{"), 0);
    assert_string_equal(lab->out, "{hunter2!} {{totp {{");
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(64);
    assert_true(tb_mask_text(lab->mask, TB_STR("hunter2!"), &masked));
    assert_true(tb_str_eq_cstr(tb_buf_str(&masked), "{{secret:login.1-a_b}}"));
}

static void a_text_without_placeholders_wants_none(void **state)
{
    (void)state;
    assert_false(tb_secrets_wanted(TB_STR("")));
    assert_false(tb_secrets_wanted(TB_STR("{{secret}} {secret:x} {{ secret:x}}")));
    assert_true(tb_secrets_wanted(TB_STR("x{{secret:")));
    assert_true(tb_secrets_wanted(TB_STR("{{totp:x}}")));
}

static void one_time_codes_follow_the_clock(void **state)
{
    struct lab *lab = *state;
    lab->rig->clock.wall_ms = 59000;
    assert_int_equal(set(lab, "t", "otp",
                         "{\"value\":\"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\",\"totp\":true,"
                         "\"domains\":[\"example.com\"]}"),
                     0);
    assert_int_equal(fill(lab, "{{totp:otp}}"), 0);
    assert_string_equal(lab->out, "287082");
    lab->rig->clock.wall_ms = 1111111109000;
    assert_int_equal(fill(lab, "{{totp:otp}}"), 0);
    assert_string_equal(lab->out, "081804");
    assert_int_equal(fill(lab, "{{secret:otp}}"), TB_E_SECRET_NOT_FOUND);
    assert_string_equal(lab->out, "");
}

static void every_document_around_the_field_has_to_fit(void **state)
{
    struct lab *lab = *state;
    const struct tb_str good[] = {SITE, TB_STR("https://www.example.com")};
    const struct tb_str around[] = {SITE, TB_STR("https://evil.net")};
    const struct tb_str inside[] = {TB_STR("https://evil.net"), SITE};
    const struct tb_str opaque[] = {{NULL, 0}, SITE};
    assert_int_equal(set(lab, "t", "login", LOGIN), 0);
    assert_int_equal(fill_at(lab, "{{secret:login}}", good, 2), 0);
    assert_int_equal(fill_at(lab, "{{secret:login}}", around, 2), TB_E_SECRET_SITE);
    assert_non_null(strstr(lab->err.text, "https://evil.net"));
    assert_int_equal(fill_at(lab, "{{secret:login}}", inside, 2), TB_E_SECRET_SITE);
    assert_int_equal(fill_at(lab, "{{secret:login}}", opaque, 2), TB_E_SECRET_SITE);
    assert_int_equal(fill_at(lab, "{{secret:login}}", good, 0), TB_E_SECRET_SITE);
    assert_string_equal(lab->out, "");
    assert_null(strstr(lab->err.text, "hunter2"));
}

static void another_tenant_has_no_such_secret(void **state)
{
    struct lab *lab = *state;
    assert_int_equal(set(lab, "other", "login", LOGIN), 0);
    assert_int_equal(fill(lab, "{{secret:login}}"), TB_E_SECRET_NOT_FOUND);
    assert_string_equal(lab->err.text, "there is no secret \"login\"");
    assert_int_equal(remove_login(lab), TB_E_SECRET_NOT_FOUND);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1024);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &out);
    tb_secrets_list(lab->secrets, "t", &json);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), "[]"));
}

static void what_is_no_secret_is_refused(void **state)
{
    struct lab *lab = *state;
    static const char *const bad[] = {
        "{\"value\":\"abc\",\"domains\":[\"example.com\"]}",
        "{\"value\":\"\xc3\xb6\xc3\xb6\xc3\xb6\",\"domains\":[\"example.com\"]}",
        "{\"domains\":[\"example.com\"]}",
        "{\"value\":\"hunter2!\"}",
        "{\"value\":\"hunter2!\",\"domains\":[]}",
        "{\"value\":\"hunter2!\",\"domains\":[1]}",
        "{\"value\":\"hunter2!\",\"domains\":[\"com\"]}",
        "{\"value\":\"hunter2!\",\"domains\":[\"example.com\"],\"totp\":true}",
    };
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        assert_int_equal(set(lab, "t", "x", bad[i]), TB_E_PARAMS);
        assert_null(strstr(lab->err.text, "hunter2"));
    }
    static const char *const names[] = {"", "a b", "a/b", "\xc3\xb6", "a}}"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        assert_int_equal(set(lab, "t", names[i], LOGIN), TB_E_PARAMS);
    }
    char longest[TB_SECRET_NAME_SIZE + 1];
    memset(longest, 'a', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(set(lab, "t", longest, LOGIN), TB_E_PARAMS);
    assert_int_equal(fake_store_count(fake_store_of(lab->rig), TB_SPACE_SECRET), 0);
}

static void the_store_has_it_sealed_and_bound_to_its_name(void **state)
{
    struct lab *lab = *state;
    struct fake_store *store = fake_store_of(lab->rig);
    assert_int_equal(set(lab, "t", "login", LOGIN), 0);
    struct tb_str sealed = fake_store_get(store, TB_SPACE_SECRET, "t/login");
    assert_true(sealed.len > 0);
    assert_null(memmem(sealed.ptr, sealed.len, "hunter2", 7));
    assert_null(memmem(sealed.ptr, sealed.len, "example", 7));
    TB_AUTO(tb_free) char *copy = tb_str_dup(sealed);
    fake_store_set(store, TB_SPACE_SECRET, "t/forged", tb_str_of(copy));
    tb_secrets_free(lab->secrets);
    lab->secrets = tb_secrets_new(&lab->rig->core);
    tb_secrets_load(lab->secrets);
    assert_int_equal(fill(lab, "{{secret:login}}"), TB_E_STORE); /* not loaded yet */
    rig_turn(lab->rig);
    assert_int_equal(fill(lab, "{{secret:login}}"), 0);
    assert_string_equal(lab->out, "hunter2!");
    assert_int_equal(fill(lab, "{{secret:forged}}"), TB_E_SECRET_NOT_FOUND);
}

static void a_removed_one_is_gone(void **state)
{
    struct lab *lab = *state;
    assert_int_equal(set(lab, "t", "login", LOGIN), 0);
    assert_int_equal(set(lab, "t", "login", "{\"value\":\"another!\",\"domains\":[\"a.example\"]}"),
                     0);
    assert_int_equal(fill(lab, "{{secret:login}}"), TB_E_SECRET_SITE);
    assert_int_equal(remove_login(lab), 0);
    assert_int_equal(fill(lab, "{{secret:login}}"), TB_E_SECRET_NOT_FOUND);
    assert_int_equal(fake_store_count(fake_store_of(lab->rig), TB_SPACE_SECRET), 0);
    assert_int_equal(lab->gate.err.code, 0);
}

static void a_full_disk_is_told_before_anything_changes(void **state)
{
    struct lab *lab = *state;
    fake_store_of(lab->rig)->full = true;
    assert_true(set(lab, "t", "login", LOGIN) < 0);
    assert_int_equal(fill(lab, "{{secret:login}}"), TB_E_SECRET_NOT_FOUND);
    fake_store_of(lab->rig)->full = false;
}

static void a_tenant_has_a_thousand_at_most(void **state)
{
    struct lab *lab = *state;
    char name[16];
    for (int i = 0; i < TB_SECRETS_MAX; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        assert_int_equal(set(lab, "t", name, LOGIN), 0);
    }
    assert_int_equal(set(lab, "t", "more", LOGIN), TB_E_LIMIT);
    assert_int_equal(set(lab, "t", "s1", LOGIN), 0);
    assert_int_equal(set(lab, "u", "more", LOGIN), 0);
}

static void a_mask_gets_back_what_it_misses(void **state)
{
    struct lab *lab = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(256);
    assert_int_equal(set(lab, "t", "login", LOGIN), 0);
    tb_mask_expect(lab->mask, "{{secret:login}}");
    tb_mask_expect(lab->mask, "{{secret:removed}}");
    tb_mask_expect(lab->mask, "no placeholder");
    assert_int_equal(tb_secrets_recall(lab->secrets, "t", lab->mask, &lab->err), 0);
    assert_null(tb_mask_missing(lab->mask));
    assert_true(tb_mask_text(lab->mask, TB_STR("is hunter2!"), &out));
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), "is {{secret:login}}"));
}

static void nothing_is_recalled_before_all_are_loaded(void **state)
{
    struct lab *lab = *state;
    assert_int_equal(set(lab, "t", "login", LOGIN), 0);
    tb_secrets_free(lab->secrets);
    lab->secrets = tb_secrets_new(&lab->rig->core);
    tb_secrets_load(lab->secrets);
    tb_mask_expect(lab->mask, "{{secret:login}}");
    assert_int_equal(tb_secrets_recall(lab->secrets, "t", lab->mask, &lab->err), TB_E_STORE);
    assert_non_null(tb_mask_missing(lab->mask));
    rig_turn(lab->rig);
    assert_int_equal(tb_secrets_recall(lab->secrets, "t", lab->mask, &lab->err), 0);
}

/* What is replaced or removed could not be told from what is new. */
static void nothing_changes_before_all_are_loaded(void **state)
{
    struct lab *lab = *state;
    static const char seed[] =
        "{\"value\":\"GEZDGNBVGY3TQOJQ\",\"totp\":true,\"domains\":[\"a.example\"]}";
    assert_int_equal(set(lab, "t", "login", LOGIN), 0);
    tb_secrets_free(lab->secrets);
    lab->secrets = tb_secrets_new(&lab->rig->core);
    tb_secrets_load(lab->secrets);
    assert_false(tb_secrets_loaded(lab->secrets));
    assert_int_equal(set(lab, "t", "login", seed), TB_E_STORE);
    assert_int_equal(remove_login(lab), TB_E_STORE);
    rig_turn(lab->rig);
    assert_true(tb_secrets_loaded(lab->secrets));
    assert_int_equal(set(lab, "t", "login", seed), TB_E_EXISTS);
    assert_int_equal(fill(lab, "{{secret:login}}"), 0);
    assert_int_equal(remove_login(lab), 0);
}

static void a_seed_takes_the_place_of_a_text_only_if_that_is_said(void **state)
{
    struct lab *lab = *state;
    assert_int_equal(set(lab, "t", "x", "{\"value\":\"hunter2!\",\"domains\":[\"a.example\"]}"), 0);
    assert_int_equal(set(lab, "t", "x", "{\"value\":\"hunter3!\",\"domains\":[\"a.example\"]}"), 0);
    assert_int_equal(set(lab, "t", "x",
                         "{\"value\":\"GEZDGNBVGY3TQOJQ\",\"totp\":true,"
                         "\"domains\":[\"a.example\"]}"),
                     TB_E_EXISTS);
    assert_null(strstr(lab->err.text, "GEZDG"));
    assert_int_equal(set(lab, "t", "x",
                         "{\"value\":\"GEZDGNBVGY3TQOJQ\",\"totp\":true,\"replace\":true,"
                         "\"domains\":[\"a.example\"]}"),
                     0);
    assert_int_equal(set(lab, "t", "x", "{\"value\":\"hunter2!\",\"domains\":[\"a.example\"]}"),
                     TB_E_EXISTS);
}

static void hear_one(const struct tb_event *event, void *user)
{
    int *count = user;
    *count += event->type == TB_EVENT_SECRET_USED;
}

/* Each is an entry of the audit log, from which old ones make room for new ones. */
static void a_text_uses_so_many_secrets_at_most(void **state)
{
    struct lab *lab = *state;
    int count = 0;
    struct tb_subscriber subscriber = {.fn = hear_one, .user = &count};
    char text[32 * (TB_SECRET_USES_MAX + 1)];
    size_t len = 0;
    assert_int_equal(set(lab, "t", "a", LOGIN), 0);
    tb_bus_subscribe(&lab->rig->core.bus, &subscriber);
    for (int i = 0; i < TB_SECRET_USES_MAX; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "{{secret:a}}");
    }
    assert_int_equal(fill(lab, text), 0);
    assert_int_equal(strlen(lab->out), TB_SECRET_USES_MAX * strlen("hunter2!"));
    assert_int_equal(count, TB_SECRET_USES_MAX);
    snprintf(text + len, sizeof(text) - len, "{{secret:a}}");
    assert_int_equal(fill(lab, text), TB_E_LIMIT);
    assert_int_equal(count, TB_SECRET_USES_MAX);
    tb_bus_unsubscribe(&subscriber);
}

struct heard {
    struct tb_subscriber subscriber;
    char text[512];
};

static struct tb_str field_of(const struct tb_event *event, const char *name)
{
    const struct tb_field *field = tb_event_field(event, name);
    return field ? field->text : TB_STR("-");
}

static void hear(const struct tb_event *event, void *user)
{
    struct heard *heard = user;
    size_t len = strlen(heard->text);
    struct tb_str json = tb_event_json(event);
    assert_null(memmem(json.ptr, json.len, "hunter2!", 8));
    snprintf(heard->text + len, sizeof(heard->text) - len, "%s %s %s %.*s %.*s %.*s\n",
             tb_event_name(event->type), event->tenant, event->agent ? event->agent : "-",
             TB_STR_ARG(field_of(event, "secret")), TB_STR_ARG(field_of(event, "kind")),
             TB_STR_ARG(field_of(event, "site")));
}

static void changes_and_uses_are_told_without_the_value(void **state)
{
    struct lab *lab = *state;
    struct heard heard = {.subscriber = {.fn = hear, .user = &heard}};
    tb_bus_subscribe(&lab->rig->core.bus, &heard.subscriber);
    assert_int_equal(set(lab, "t", "login", LOGIN), 0);
    assert_int_equal(fill(lab, "a{{secret:login}}b"), 0);
    assert_true(fill(lab, "{{secret:login}}{{secret:unknown}}") < 0); /* nothing of it is typed */
    assert_true(set(lab, "t", "login", "{\"value\":\"x\"}") < 0);
    assert_int_equal(remove_login(lab), 0);
    assert_true(remove_login(lab) < 0);
    tb_bus_unsubscribe(&heard.subscriber);
    assert_string_equal(heard.text, "secret_set t operator login text -\n"
                                    "secret_used t - login - https://example.com\n"
                                    "secret_removed t operator login text -\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_secret_is_filled_in_by_its_name),
        TEST(a_text_without_placeholders_wants_none),
        TEST(one_time_codes_follow_the_clock),
        TEST(every_document_around_the_field_has_to_fit),
        TEST(another_tenant_has_no_such_secret),
        TEST(what_is_no_secret_is_refused),
        TEST(the_store_has_it_sealed_and_bound_to_its_name),
        TEST(a_removed_one_is_gone),
        TEST(a_full_disk_is_told_before_anything_changes),
        TEST(a_mask_gets_back_what_it_misses),
        TEST(nothing_is_recalled_before_all_are_loaded),
        TEST(nothing_changes_before_all_are_loaded),
        TEST(a_seed_takes_the_place_of_a_text_only_if_that_is_said),
        TEST(a_text_uses_so_many_secrets_at_most),
        TEST(changes_and_uses_are_told_without_the_value),
        TEST(a_tenant_has_a_thousand_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
