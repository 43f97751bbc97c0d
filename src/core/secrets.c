/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/otp.h"
#include "base/quote.h"
#include "base/seal.h"
#include "base/utf8.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/secret_site.h"
#include "core/secrets_internal.h"

enum {
    PLAIN_MAX = 12 * TB_KIB,
    SEALED_MAX = 20 * TB_KIB, /* within a light record */
    RETRY_MS = 1000,
};

static bool is_of(const struct tb_secret *secret, const char *tenant)
{
    return strlen(tenant) == secret->tenant_len &&
           memcmp(secret->key, tenant, secret->tenant_len) == 0;
}

static void secret_free(struct tb_secret *secret)
{
    if (secret) {
        tb_json_free(secret->domains);
        tb_free(secret->sealed);
        tb_free(secret);
    }
}

/* Sealing. */

static int open_seal(const struct tb_secrets *secrets, const char *key, struct tb_str sealed,
                     struct tb_buf *out)
{
    char bound[TB_SECRET_KEY_SIZE + 16];
    snprintf(bound, sizeof(bound), "named secret %s", key);
    return tb_seal_open(secrets->core->secret, tb_str_of(bound), sealed, out);
}

static int seal(const struct tb_secrets *secrets, const char *key, struct tb_str plain,
                struct tb_buf *out)
{
    char bound[TB_SECRET_KEY_SIZE + 16];
    snprintf(bound, sizeof(bound), "named secret %s", key);
    return tb_seal(secrets->core->secret, tb_str_of(bound), plain, out);
}

void tb_secret_wipe(struct cJSON *plain)
{
    struct tb_str value = tb_json_text(plain, "value");
    if (value.ptr) {
        explicit_bzero((char *)(uintptr_t)value.ptr, value.len);
    }
    tb_json_free(plain);
}

struct cJSON *tb_secret_open(const struct tb_secrets *secrets, const char *key,
                             struct tb_str sealed)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf plain = TB_BUF(SEALED_MAX);
    uint8_t *room;
    if (tb_buf_reserve(&plain, sealed.len, &room) < 0 ||
        open_seal(secrets, key, sealed, &plain) < 0) {
        return NULL;
    }
    return tb_json_parse(tb_buf_str(&plain));
}

/* The table. */

static void drop(struct tb_secrets *secrets, const char *key)
{
    secret_free(tb_map_remove(&secrets->by_key, tb_str_of(key)));
}

static void add(struct tb_secrets *secrets, const char *key, size_t tenant_len,
                const struct cJSON *plain, struct tb_str sealed)
{
    struct tb_secret *secret = TB_NEW(struct tb_secret);
    snprintf(secret->key, sizeof(secret->key), "%s", key);
    secret->tenant_len = tenant_len;
    tb_json_bool(tb_json_get(plain, "totp"), &secret->totp);
    tb_json_int(tb_json_get(plain, "changed"), &secret->changed_ms);
    secret->domains = tb_json_dup(tb_json_get(plain, "domains"));
    secret->sealed = tb_str_dup(sealed);
    drop(secrets, key);
    tb_map_add(&secrets->by_key, tb_str_of(secret->key), secret);
}

static bool is_sign(char c)
{
    return c == '_' || c == '.' || c == '-';
}

static bool is_name(struct tb_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!isalnum((unsigned char)name.ptr[i]) && !is_sign(name.ptr[i])) {
            return false;
        }
    }
    return name.len > 0 && name.len < TB_SECRET_NAME_SIZE;
}

int tb_secret_key(const char *tenant, struct tb_str name, char ret_key[TB_SECRET_KEY_SIZE],
                  struct tb_err *err)
{
    if (!is_name(name)) {
        return tb_fail(err, TB_E_PARAMS,
                       "the name of a secret has 1 to 64 letters, digits, dots, dashes or "
                       "underscores");
    }
    snprintf(ret_key, TB_SECRET_KEY_SIZE, "%s/%.*s", tenant, TB_STR_ARG(name));
    return 0;
}

/* Loading. */

static void on_record(struct tb_str key, struct tb_str value, void *user)
{
    struct tb_secrets *secrets = user;
    const char *slash = memrchr(key.ptr, '/', key.len);
    char text[TB_SECRET_KEY_SIZE];
    snprintf(text, sizeof(text), "%.*s", TB_STR_ARG(tb_str_sub(key, 0, sizeof(text) - 1)));
    TB_AUTO(tb_secret_wipe) struct cJSON *plain = tb_secret_open(secrets, text, value);
    if (!slash || !plain) {
        tb_log_at(secrets->core->log, ERROR, "secret", "skipped a stored secret",
                  tb_kv_cstr("reason", "it was not sealed by this installation"));
    } else {
        add(secrets, text, (size_t)(slash - key.ptr), plain, value);
    }
}

static void on_read(const struct tb_err *err, void *user)
{
    struct tb_secrets *secrets = user;
    secrets->read = NULL;
    secrets->loaded = !err;
    if (err) {
        tb_log_at(secrets->core->log, ERROR, "secret", "cannot read the stored secrets yet",
                  tb_kv_cstr("reason", err->text));
        tb_timer_start(&secrets->timer, RETRY_MS);
    }
}

void tb_secrets_load(struct tb_secrets *secrets)
{
    const struct tb_store *store = &secrets->core->store;
    if (store->kind) {
        secrets->loaded = false;
        secrets->read =
            store->kind->each(store->state, TB_SPACE_SECRET, NULL, on_record, on_read, secrets);
    }
}

void tb_secrets_store_again(struct tb_secrets *secrets)
{
    MAP_FOREACH(slot, &secrets->by_key) {
        const struct tb_secret *secret = slot->value;
        tb_store_put(&secrets->core->store, TB_SPACE_SECRET, tb_str_of(secret->key),
                     tb_str_of(secret->sealed), NULL);
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    (void)timer;
    tb_secrets_load(user);
}

struct tb_secrets *tb_secrets_new(struct tb_core *core)
{
    struct tb_secrets *secrets = TB_NEW(struct tb_secrets);
    secrets->core = core;
    secrets->loaded = true;
    tb_map_init(&secrets->by_key);
    tb_timer_init(&secrets->timer, core->loop, on_timer, secrets);
    return secrets;
}

void tb_secrets_free(struct tb_secrets *secrets)
{
    if (!secrets) {
        return;
    }
    if (secrets->read) {
        secrets->core->store.kind->cancel(secrets->read);
    }
    tb_timer_fini(&secrets->timer);
    MAP_FOREACH(slot, &secrets->by_key) {
        secret_free(slot->value);
    }
    tb_map_fini(&secrets->by_key);
    tb_free(secrets);
}

/* Setting. */

static int check_value(struct tb_str value, bool totp, struct tb_err *err)
{
    size_t chars = 0;
    struct tb_otp otp;
    if (value.len > TB_SECRET_VALUE_MAX || !tb_utf8_valid(value)) {
        return tb_fail(err, TB_E_PARAMS, "a secret is text of at most %d bytes",
                       TB_SECRET_VALUE_MAX);
    }
    tb_utf8_end(value, SIZE_MAX, &chars);
    if (totp) {
        int rc = tb_otp_parse(value, &otp, err);
        explicit_bzero(&otp, sizeof(otp));
        return rc;
    }
    return chars >= TB_SECRET_VALUE_MIN
               ? 0
               : tb_fail(err, TB_E_PARAMS,
                         "a secret has at least %d characters: a shorter one could not be kept out "
                         "of what pages show",
                         TB_SECRET_VALUE_MIN);
}

static int put_domains(const struct cJSON *domains, struct tb_json_writer *json, struct tb_err *err)
{
    size_t count = 0;
    JSON_ARRAY_FOREACH(item, domains) {
        char domain[TB_SECRET_DOMAIN_SIZE];
        struct tb_str text = {"", 0};
        tb_json_str(item, &text);
        if (tb_secret_domain_parse(text, domain, err) < 0) {
            return err->code;
        }
        tb_json_put_cstr(json, domain);
        count++;
    }
    return count > 0 && count <= TB_SECRET_DOMAINS_MAX
               ? 0
               : tb_fail(err, TB_E_PARAMS, "a secret needs 1 to %d domains where it may be typed",
                         TB_SECRET_DOMAINS_MAX);
}

static int write_plain(const struct tb_secrets *secrets, const struct cJSON *spec,
                       struct tb_buf *out, struct tb_err *err)
{
    struct tb_str value = tb_json_text(spec, "value");
    struct tb_json_writer json;
    uint8_t *room;
    bool totp = false;
    tb_json_bool(tb_json_get(spec, "totp"), &totp);
    int rc = check_value(value, totp, err);
    if (rc < 0) {
        return rc;
    }
    tb_buf_reserve(out, PLAIN_MAX, &room); /* no copy is left behind by growing */
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "value", value);
    tb_json_member_bool(&json, "totp", totp);
    tb_json_member_int(&json, "changed", tb_clock_wall_ms(secrets->core->clock));
    tb_json_key(&json, "domains");
    tb_json_array_open(&json);
    rc = put_domains(tb_json_get(spec, "domains"), &json, err);
    tb_json_array_close(&json);
    tb_json_object_close(&json);
    return rc == 0 && json.rc < 0
               ? tb_fail(err, TB_E_TOO_LARGE, "the secret and its domains are too large")
               : rc;
}

static int check_room(const struct tb_secrets *secrets, const char *tenant, const char *key,
                      struct tb_err *err)
{
    size_t count = 0;
    MAP_FOREACH(slot, &secrets->by_key) {
        count += is_of(slot->value, tenant);
    }
    return count < TB_SECRETS_MAX || tb_map_get(&secrets->by_key, tb_str_of(key))
               ? 0
               : tb_fail(err, TB_E_LIMIT, "there are %d secrets already", TB_SECRETS_MAX);
}

bool tb_secrets_loaded(const struct tb_secrets *secrets)
{
    return !secrets->read;
}

int tb_secrets_ready(const struct tb_secrets *secrets, struct tb_err *err)
{
    return secrets->loaded ? 0
                           : tb_fail(err, TB_E_STORE, "the stored secrets have not been read yet");
}

/* Whoever uses it by one kind of placeholder would get nothing any more. */
static int check_kind(const struct tb_secrets *secrets, const char *key, const struct cJSON *spec,
                      struct tb_err *err)
{
    const struct tb_secret *old = tb_map_get(&secrets->by_key, tb_str_of(key));
    bool totp = false;
    bool replace = false;
    tb_json_bool(tb_json_get(spec, "totp"), &totp);
    tb_json_bool(tb_json_get(spec, "replace"), &replace);
    return !old || replace || old->totp == totp
               ? 0
               : tb_fail(err, TB_E_EXISTS,
                         "%s is %s, and this would replace it with %s; say so (--replace, or "
                         "\"replace\": true) if that is meant, or choose another name",
                         tb_secret_name(old),
                         old->totp ? "the seed of one-time codes" : "a password",
                         totp ? "the seed of one-time codes" : "a password");
}

static void tell(const struct tb_secrets *secrets, const struct tb_secret_change *change,
                 enum tb_event_type type, const char *kind)
{
    tb_bus_publish(&secrets->core->bus,
                   &(struct tb_event){.type = type,
                                      .tenant = change->tenant,
                                      .session_id = "",
                                      .agent = change->agent,
                                      .gate = change->gate,
                                      .fields = {tb_field_text("secret", change->name),
                                                 tb_field_cstr("kind", kind)}});
}

static const char *kind_of(const struct tb_secret *secret)
{
    return secret->totp ? "totp" : "text";
}

int tb_secrets_set(struct tb_secrets *secrets, const struct tb_secret_change *change,
                   const struct cJSON *spec, struct tb_err *err)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf text = TB_BUF(PLAIN_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(SEALED_MAX);
    char key[TB_SECRET_KEY_SIZE];
    if (tb_secrets_ready(secrets, err) < 0 ||
        tb_secret_key(change->tenant, change->name, key, err) < 0 ||
        check_room(secrets, change->tenant, key, err) < 0 ||
        check_kind(secrets, key, spec, err) < 0 || write_plain(secrets, spec, &text, err) < 0) {
        return err->code;
    }
    if (!tb_store_ready(&secrets->core->store, err)) {
        return err->code;
    }
    if (seal(secrets, key, tb_buf_str(&text), &sealed) < 0) {
        return tb_fail(err, TB_E_TOO_LARGE, "the secret is too large");
    }
    TB_AUTO(tb_secret_wipe) struct cJSON *plain = tb_json_parse(tb_buf_str(&text));
    add(secrets, key, strlen(change->tenant), plain, tb_buf_str(&sealed));
    tb_store_put(&secrets->core->store, TB_SPACE_SECRET, tb_str_of(key), tb_buf_str(&sealed),
                 change->gate);
    tell(secrets, change, TB_EVENT_SECRET_SET,
         kind_of(tb_map_get(&secrets->by_key, tb_str_of(key))));
    return 0;
}

int tb_secret_fail_unknown(struct tb_str name, struct tb_err *err)
{
    struct tb_quoted words;
    return tb_fail(err, TB_E_SECRET_NOT_FOUND, "there is no secret %s",
                   tb_quoted(&words, name, TB_SECRET_NAME_SIZE));
}

int tb_secrets_remove(struct tb_secrets *secrets, const struct tb_secret_change *change,
                      struct tb_err *err)
{
    char key[TB_SECRET_KEY_SIZE];
    if (tb_secrets_ready(secrets, err) < 0) {
        return err->code;
    }
    if (tb_secret_key(change->tenant, change->name, key, err) < 0 ||
        !tb_map_get(&secrets->by_key, tb_str_of(key))) {
        return tb_secret_fail_unknown(change->name, err);
    }
    if (!tb_store_ready(&secrets->core->store, err)) {
        return err->code;
    }
    const char *kind = kind_of(tb_map_get(&secrets->by_key, tb_str_of(key)));
    drop(secrets, key);
    tb_store_remove(&secrets->core->store, TB_SPACE_SECRET, tb_str_of(key), change->gate);
    tell(secrets, change, TB_EVENT_SECRET_REMOVED, kind);
    return 0;
}

static void put_secret(const struct tb_secret *secret, struct tb_json_writer *json)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", tb_secret_name(secret));
    tb_json_member_cstr(json, "kind", kind_of(secret));
    tb_json_member_tree(json, "domains", secret->domains);
    tb_json_member_time(json, "changed_at", secret->changed_ms);
    tb_json_object_close(json);
}

void tb_secrets_list(const struct tb_secrets *secrets, const char *tenant,
                     struct tb_json_writer *json)
{
    tb_json_array_open(json);
    MAP_FOREACH(slot, &secrets->by_key) {
        if (is_of(slot->value, tenant)) {
            put_secret(slot->value, json);
        }
    }
    tb_json_array_close(json);
}
