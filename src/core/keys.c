/* SPDX-License-Identifier: Apache-2.0 */
#include "core/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/quote.h"
#include "core/core.h"
#include "core/key_record.h"
#include "core/limits.h"
#include "core/policies.h"
#include "io/timer.h"

enum {
    ID_CHARS = 12,
    SCOPES_SIZE = 32,
    USE_MS = 60 * 1000, /* between two notes of when a key was used last */
    RETRY_MS = 1000,
    RECORD_MAX = 4 * TB_KIB + TB_POLICY_KEY_MAX,
};

struct tb_keys {
    struct tb_core *core;
    struct tb_map by_id;
    struct tb_list all; /* oldest first */
    struct tb_store_read *read;
    bool complete; /* all that are stored are here */
    struct tb_timer retry;
    struct tb_timer use;
};

enum state {
    MAKING,
    ACTIVE,
    EXPIRED,
    REVOKED,
};

static const char *const state_names[] =
    {[MAKING] = "active", [ACTIVE] = "active", [EXPIRED] = "expired", [REVOKED] = "revoked"};

struct key {
    struct tb_list link;
    struct tb_keys *keys;
    struct tb_key_record record;
    enum state state;
    bool writing;        /* the store has not answered to what was asked last */
    struct tb_gate gate; /* that answer */
    struct tb_hold hold; /* of the reply that waits for it */
};

static struct key *key_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct key, link);
}

/* Takes over what the record refers to. */
static struct key *key_new(struct tb_keys *keys, const struct tb_key_record *record,
                           enum state state)
{
    struct key *key = TB_NEW(struct key);
    key->keys = keys;
    key->record = *record;
    key->state = state;
    tb_gate_init(&key->gate, NULL);
    tb_gate_hold(NULL, &key->hold);
    tb_list_append(&keys->all, &key->link);
    tb_map_add(&keys->by_id, tb_str_of(key->record.id), key);
    if (!tb_timer_armed(&keys->use)) {
        tb_timer_start(&keys->use, USE_MS);
    }
    return key;
}

static void key_free(struct key *key)
{
    tb_map_remove(&key->keys->by_id, tb_str_of(key->record.id));
    tb_list_remove(&key->link);
    tb_gate_fini(&key->gate);
    tb_key_record_fini(&key->record);
    tb_free(key);
}

/* What happened to a key, for the bus. */
static void tell(const struct key *key, enum tb_event_type type, const char *agent,
                 struct tb_gate *gate)
{
    char scopes[SCOPES_SIZE];
    tb_key_record_scopes(&key->record, scopes, sizeof(scopes));
    tb_bus_publish(
        &key->keys->core->bus,
        &(struct tb_event){.type = type,
                           .tenant = key->record.tenant,
                           .session_id = "",
                           .agent = agent,
                           .gate = gate,
                           .fields = {tb_field_cstr("key", key->record.id),
                                      tb_field_cstr("label", key->record.label),
                                      type == TB_EVENT_KEY_CREATED ? tb_field_cstr("scopes", scopes)
                                                                   : (struct tb_field){0}}});
}

static void put(const struct key *key, struct tb_gate *gate)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(RECORD_MAX);
    tb_key_record_print(&key->record, &text);
    tb_store_put(&key->keys->core->store, TB_SPACE_KEY, tb_str_of(key->record.id),
                 tb_buf_str(&text), gate);
}

static void let_in(const struct key *key)
{
    const struct tb_key_record *record = &key->record;
    tb_policies_note_tenant(key->keys->core->policies, record->tenant);
    tb_auth_add_hash(key->keys->core->auth,
                     &(struct tb_principal_spec){.tenant = record->tenant,
                                                 .key = record->id,
                                                 .label = record->label,
                                                 .scopes = record->scopes,
                                                 .expires_ms = record->expires_ms,
                                                 .quota = record->quota,
                                                 .policy = record->policy},
                     record->hash);
}

/* The store has answered, now or later; whoever waits is told last. */
static void on_stored(struct tb_gate *gate)
{
    struct key *key = TB_CONTAINER(gate, struct key, gate);
    struct tb_hold hold;
    struct tb_err err = gate->err;
    key->writing = false;
    tb_gate_hold(key->hold.gate, &hold);
    tb_hold_release(&key->hold, NULL); /* the other one holds on */
    if (err.code < 0 && key->state == REVOKED) {
        tb_timer_start(&key->keys->retry, RETRY_MS);
    } else if (err.code < 0 || key->state == REVOKED) {
        key_free(key);
    } else {
        key->state = ACTIVE;
        let_in(key);
        tell(key, TB_EVENT_KEY_CREATED, key->record.by, hold.gate);
    }
    tb_hold_release(&hold, err.code < 0 ? &err : NULL);
}

/* Asks the store for what the key's state needs. A reply whose gate is given waits for it. */
static void write_state(struct key *key, struct tb_gate *gate)
{
    tb_gate_fini(&key->gate);
    tb_gate_init(&key->gate, on_stored);
    key->writing = true;
    tb_hold_release(&key->hold, NULL);
    tb_gate_hold(gate, &key->hold);
    if (key->state == REVOKED) {
        tb_store_remove(&key->keys->core->store, TB_SPACE_KEY, tb_str_of(key->record.id),
                        &key->gate);
    } else {
        put(key, &key->gate);
    }
    if (!tb_gate_shut(&key->gate)) {
        on_stored(&key->gate);
    }
}

/* Making. */

struct tb_str tb_key_id_of(struct tb_str text)
{
    static const char id_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    const size_t len = TB_KEY_ID_SIZE - 1;
    if (!tb_str_starts(text, TB_STR(TB_KEY_PREFIX)) || text.len <= len || text.ptr[len] != '_') {
        return TB_STR("");
    }
    for (size_t i = strlen(TB_KEY_PREFIX); i < len; i++) {
        if (!memchr(id_chars, text.ptr[i], sizeof(id_chars) - 1)) {
            return TB_STR("");
        }
    }
    return tb_str_sub(text, 0, len);
}

static bool manages(const struct tb_principal *by, const char *tenant)
{
    return tb_principal_may(by, TB_SCOPE_OPERATE) ||
           (tb_principal_may(by, TB_SCOPE_ADMIN) && strcmp(by->tenant, tenant) == 0);
}

/* A key must not get around its own end and limits by another one, nor by many. */
static int check_bounds(const struct tb_principal *by, const struct tb_key_spec *spec,
                        struct tb_err *err)
{
    if (by->quota.calls_per_minute || by->quota.sessions_max) {
        return tb_fail(err, TB_E_FORBIDDEN,
                       "a key with limits of its own cannot make other keys, because each would "
                       "have the same limits again; ask the operator");
    }
    if (by->policy) {
        return tb_fail(err, TB_E_FORBIDDEN,
                       "a key with a policy of its own cannot make others, which would not be "
                       "bound by it; ask the operator");
    }
    if (by->expires_ms && (!spec->expires_ms || spec->expires_ms > by->expires_ms)) {
        return tb_fail(
            err, TB_E_FORBIDDEN,
            "a key cannot make one that outlives it; choose an earlier expiry than its own");
    }
    return 0;
}

static size_t count_of(const struct tb_keys *keys, const char *tenant)
{
    size_t count = 0;
    LIST_FOREACH(link, &keys->all) {
        count += strcmp(key_of(link)->record.tenant, tenant) == 0;
    }
    return count;
}

/* There is room for one more, and all that there are are known. */
static int check_room(const struct tb_keys *keys, const struct tb_principal *by, struct tb_err *err)
{
    size_t count = count_of(keys, by->tenant);
    if (!tb_principal_may(by, TB_SCOPE_OPERATE) && count >= TB_KEYS_PER_TENANT) {
        return tb_fail(err, TB_E_LIMIT,
                       "this tenant has %zu keys, and from %d on only the operator makes more; "
                       "revoke some",
                       count, TB_KEYS_PER_TENANT);
    }
    if (keys->by_id.count >= TB_KEYS_MAX) {
        return tb_fail(err, TB_E_LIMIT,
                       "there are already %d keys, the most that there may be; revoke one first",
                       TB_KEYS_MAX);
    }
    if (!keys->complete) {
        return tb_fail(err, TB_E_STORE, "the stored keys cannot be read yet");
    }
    return tb_store_ready(&keys->core->store, err) ? 0 : TB_E_STORE;
}

static int check_policy(const struct tb_policy *policy, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_POLICY_KEY_MAX);
    if (policy && tb_json_print(tb_policy_json(policy), &text) < 0) {
        return tb_fail(err, TB_E_PARAMS,
                       "a key's policy has at most %d bytes; longer lists belong into the tenant's",
                       TB_POLICY_KEY_MAX);
    }
    return 0;
}

static int check_spec(const struct tb_keys *keys, const struct tb_principal *by,
                      const struct tb_key_spec *spec, struct tb_err *err)
{
    if (!tb_tenant_name_valid(spec->tenant)) {
        return tb_fail(err, TB_E_PARAMS,
                       "a tenant's name has 1 to %d characters, each a lower-case letter, a digit, "
                       "'_' or '-', and does not begin with '-'",
                       TB_TENANT_SIZE - 1);
    }
    if (spec->label.len >= TB_LABEL_SIZE) {
        return tb_fail(err, TB_E_PARAMS, "a label has at most %d bytes", TB_LABEL_SIZE - 1);
    }
    if (!spec->scopes || (spec->scopes & ~(unsigned)TB_KEY_SCOPES)) {
        return tb_fail(err, TB_E_PARAMS, "a key's scopes are observe, act and admin");
    }
    if (!tb_principal_may(by, TB_SCOPE_OPERATE) && !tb_str_eq_cstr(spec->tenant, by->tenant)) {
        return tb_fail(err, TB_E_FORBIDDEN, "only the operator makes keys for other tenants");
    }
    if (!tb_principal_may(by, TB_SCOPE_OPERATE) && !tb_principal_may(by, spec->scopes)) {
        return tb_fail(err, TB_E_SCOPE, "a key cannot give the scope '%s', which it does not have",
                       tb_scope_name(spec->scopes & ~by->scopes));
    }
    int rc = check_bounds(by, spec, err);
    rc = rc < 0 ? rc : check_policy(spec->policy, err);
    return rc < 0 ? rc : check_room(keys, by, err);
}

/* The text of a new key; its record has the id and the hash. */
static void draw(const struct tb_keys *keys, struct tb_key_record *record,
                 char ret_text[TB_KEY_TEXT_SIZE])
{
    char random[ID_CHARS + 1];
    char token[TB_TOKEN_SIZE];
    do {
        tb_random_text(random, ID_CHARS);
        snprintf(record->id, sizeof(record->id), TB_KEY_PREFIX "%s", random);
    } while (tb_map_get(&keys->by_id, tb_str_of(record->id)));
    tb_token_make(token);
    snprintf(ret_text, TB_KEY_TEXT_SIZE, "%s_%s", record->id, token);
    tb_token_hash(tb_str_of(ret_text), record->hash);
    explicit_bzero(token, sizeof(token));
}

int tb_keys_create(struct tb_keys *keys, const struct tb_principal *by,
                   const struct tb_key_spec *spec, struct tb_gate *gate,
                   struct tb_json_writer *json, struct tb_err *err)
{
    int rc = check_spec(keys, by, spec, err);
    if (rc < 0) {
        return rc;
    }
    struct tb_key_record record = {.scopes = spec->scopes,
                                   .created_ms = tb_clock_wall_ms(keys->core->clock),
                                   .expires_ms = spec->expires_ms,
                                   .quota = spec->quota,
                                   .policy = tb_policy_ref(spec->policy, "key")};
    char text[TB_KEY_TEXT_SIZE];
    snprintf(record.tenant, sizeof(record.tenant), "%.*s", TB_STR_ARG(spec->tenant));
    snprintf(record.label, sizeof(record.label), "%.*s", TB_STR_ARG(spec->label));
    snprintf(record.by, sizeof(record.by), "%s", tb_principal_name(by));
    draw(keys, &record, text);
    tb_json_object_open(json);
    tb_key_record_describe(&record, state_names[MAKING], json);
    tb_json_member_cstr(json, "key", text);
    tb_json_object_close(json);
    explicit_bzero(text, sizeof(text));
    write_state(key_new(keys, &record, MAKING), gate);
    return 0;
}

/* Revoking. */

int tb_keys_revoke(struct tb_keys *keys, const struct tb_principal *by, struct tb_str id,
                   struct tb_gate *gate, struct tb_err *err)
{
    struct key *key = tb_map_get(&keys->by_id, id);
    if (!key || key->state == MAKING || !manages(by, key->record.tenant)) {
        struct tb_quoted shown;
        return tb_fail(err, TB_E_NOT_FOUND, "there is no key %s", tb_quoted(&shown, id, 0));
    }
    if (key->state != REVOKED) {
        key->state = REVOKED;
        tb_auth_revoke(keys->core->auth, key->record.id);
        tell(key, TB_EVENT_KEY_REVOKED, tb_principal_name(by), gate);
    }
    if (key->writing) { /* it is under way; to ask again is no harm, and is answered after that */
        tb_store_remove(&keys->core->store, TB_SPACE_KEY, id, gate);
    } else {
        write_state(key, gate);
    }
    return 0;
}

/* Expiry and use. */

static void on_expired(const char *id, void *user)
{
    const struct tb_keys *keys = user;
    struct key *key = tb_map_get(&keys->by_id, tb_str_of(id));
    if (key && key->state == ACTIVE) {
        key->state = EXPIRED;
        key->record.told = true;
        tell(key, TB_EVENT_KEY_EXPIRED, NULL, NULL);
        put(key, NULL);
    }
}

/* When a key was used last is worth a write a minute, and no reply waits for it. */
static void note_use(struct key *key)
{
    const struct tb_principal *who = tb_auth_of_key(key->keys->core->auth, key->record.id);
    if (key->state == ACTIVE && who && who->used_ms > key->record.used_ms) {
        key->record.used_ms = who->used_ms;
        put(key, NULL);
    }
}

static void on_use(struct tb_timer *timer, void *user)
{
    struct tb_keys *keys = user;
    LIST_FOREACH(link, &keys->all) {
        note_use(key_of(link));
    }
    if (!tb_list_empty(&keys->all)) {
        tb_timer_start(timer, USE_MS);
    }
}

/* Listing. */

static void describe(const struct key *key, struct tb_json_writer *json)
{
    const struct tb_principal *who = tb_auth_of_key(key->keys->core->auth, key->record.id);
    struct tb_key_record record = key->record;
    record.used_ms = who && who->used_ms > record.used_ms ? who->used_ms : record.used_ms;
    tb_json_object_open(json);
    tb_key_record_describe(&record, state_names[key->state], json);
    tb_json_object_close(json);
}

void tb_keys_list(const struct tb_keys *keys, const struct tb_principal *by,
                  struct tb_json_writer *json)
{
    tb_json_object_open(json);
    tb_json_key(json, "keys");
    tb_json_array_open(json);
    LIST_FOREACH(link, &keys->all) {
        const struct key *key = key_of(link);
        if (key->state != MAKING && manages(by, key->record.tenant)) {
            describe(key, json);
        }
    }
    tb_json_array_close(json);
    tb_json_object_close(json);
}

/* Loading. */

static void on_record(struct tb_str id, struct tb_str value, void *user)
{
    struct tb_keys *keys = user;
    struct tb_key_record record = {0};
    struct tb_err err;
    if (tb_map_get(&keys->by_id, id)) {
        return; /* from an attempt that failed half-way */
    }
    if (tb_key_record_parse(value, &record, &err) < 0 || !tb_str_eq_cstr(id, record.id)) {
        tb_log_at(keys->core->log, ERROR, "keys", "skipped a stored key", tb_kv("id", id));
        tb_key_record_fini(&record);
        return;
    }
    struct key *key = key_new(keys, &record, ACTIVE);
    if (!record.expires_ms || record.expires_ms > tb_clock_wall_ms(keys->core->clock)) {
        let_in(key);
    } else if (record.told) {
        key->state = EXPIRED;
    } else {
        on_expired(record.id, keys);
    }
}

static int by_age(const void *a, const void *b)
{
    const struct key *one = *(struct key *const *)a;
    const struct key *other = *(struct key *const *)b;
    return (one->record.created_ms > other->record.created_ms) -
           (one->record.created_ms < other->record.created_ms);
}

/* The store has them in no order that means anything. */
static void sort(struct tb_keys *keys)
{
    size_t count = 0;
    TB_AUTO(tb_free) struct key **all = TB_NEW_ARRAY(struct key *, keys->by_id.count + 1);
    struct tb_list *link;
    while ((link = tb_list_pop(&keys->all))) {
        all[count++] = key_of(link);
    }
    qsort(all, count, sizeof(struct key *), by_age);
    for (size_t i = 0; i < count; i++) {
        tb_list_append(&keys->all, &all[i]->link);
    }
}

static void on_read(const struct tb_err *err, void *user)
{
    struct tb_keys *keys = user;
    keys->read = NULL;
    if (err) {
        tb_log_at(keys->core->log, ERROR, "keys", "cannot read the stored keys yet",
                  tb_kv_cstr("reason", err->text));
        tb_timer_start(&keys->retry, RETRY_MS);
        return;
    }
    sort(keys);
    keys->complete = true;
    tb_auth_set_incomplete(keys->core->auth, false);
}

void tb_keys_load(struct tb_keys *keys)
{
    const struct tb_store *store = &keys->core->store;
    if (store->kind) {
        keys->complete = false;
        tb_auth_set_incomplete(keys->core->auth, true);
        keys->read = store->kind->each(store->state, TB_SPACE_KEY, NULL, on_record, on_read, keys);
    }
}

bool tb_keys_loaded(const struct tb_keys *keys)
{
    return !keys->read;
}

/* What the store did not do: a read of all, or the removal of a key that was revoked. */
static void on_retry(struct tb_timer *timer, void *user)
{
    struct tb_keys *keys = user;
    (void)timer;
    if (!keys->complete) {
        tb_keys_load(keys);
        return;
    }
    LIST_FOREACH_SAFE(link, &keys->all) {
        struct key *key = key_of(link);
        if (key->state == REVOKED && !key->writing) {
            write_state(key, NULL);
        }
    }
}

void tb_keys_store_again(struct tb_keys *keys)
{
    LIST_FOREACH(link, &keys->all) {
        const struct key *key = key_of(link);
        if (key->state == ACTIVE || key->state == EXPIRED) {
            put(key, NULL);
        }
    }
}

struct tb_keys *tb_keys_new(struct tb_core *core)
{
    struct tb_keys *keys = TB_NEW(struct tb_keys);
    keys->core = core;
    keys->complete = true; /* until it is known that there are others */
    tb_map_init(&keys->by_id);
    tb_list_init(&keys->all);
    tb_timer_init(&keys->retry, core->loop, on_retry, keys);
    tb_timer_init(&keys->use, core->loop, on_use, keys);
    tb_auth_on_expired(core->auth, on_expired, keys);
    return keys;
}

void tb_keys_free(struct tb_keys *keys)
{
    struct tb_err err;
    if (!keys) {
        return;
    }
    tb_auth_on_expired(keys->core->auth, NULL, NULL);
    if (keys->read) {
        keys->core->store.kind->cancel(keys->read);
    }
    tb_fail(&err, TB_E_SHUTDOWN, "the daemon is stopping");
    LIST_FOREACH_SAFE(link, &keys->all) {
        struct key *key = key_of(link);
        note_use(key);
        tb_hold_release(&key->hold, &err);
        key_free(key);
    }
    tb_timer_fini(&keys->retry);
    tb_timer_fini(&keys->use);
    tb_map_fini(&keys->by_id);
    tb_free(keys);
}
