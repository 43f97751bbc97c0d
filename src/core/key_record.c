/* SPDX-License-Identifier: Apache-2.0 */
#include "core/key_record.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "core/limits.h"
#include "core/policy.h"
#include "proto/json_scan.h"

enum {
    HASH_SIZE = 2 * TB_HASH_BYTES + 1,
    SCOPES_SIZE = 32,
};

static const struct {
    const char *name;
    unsigned bit;
} scope_rows[] = {
    {"observe", TB_SCOPE_OBSERVE},
    {"act", TB_SCOPE_ACT},
    {"admin", TB_SCOPE_ADMIN},
};

static unsigned bit_of(struct tb_str name)
{
    for (size_t i = 0; i < TB_COUNT(scope_rows); i++) {
        if (tb_str_eq_cstr(name, scope_rows[i].name)) {
            return scope_rows[i].bit;
        }
    }
    return 0;
}

int tb_key_scopes(struct tb_str list, unsigned *scopes, struct tb_err *err)
{
    while (list.ptr) {
        struct tb_str name = tb_str_trim(tb_str_cut(&list, ','));
        unsigned bit = bit_of(name);
        if (!bit) {
            return tb_fail(err, TB_E_PARAMS, "a key's scopes are observe, act and admin%s",
                           tb_str_eq_cstr(name, "operate") ? "; only the operator's own token and "
                                                             "the daemon's user have operate"
                                                           : "");
        }
        *scopes |= bit | TB_SCOPE_OBSERVE;
    }
    return 0;
}

void tb_key_record_scopes(const struct tb_key_record *record, char *ret_text, size_t size)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(size - 1);
    for (size_t i = 0; i < TB_COUNT(scope_rows); i++) {
        if (record->scopes & scope_rows[i].bit) {
            tb_buf_printf(&text, "%s%s", text.len ? "," : "", scope_rows[i].name);
        }
    }
    snprintf(ret_text, size, "%.*s", TB_STR_ARG(tb_buf_str(&text)));
}

void tb_key_record_fini(struct tb_key_record *record)
{
    tb_policy_unref(record->policy, "key");
    record->policy = NULL;
}

void tb_key_record_print(const struct tb_key_record *record, struct tb_buf *out)
{
    struct tb_json_writer json;
    char hash[HASH_SIZE];
    char scopes[SCOPES_SIZE];
    tb_hex(record->hash, sizeof(record->hash), hash);
    tb_key_record_scopes(record, scopes, sizeof(scopes));
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "id", record->id);
    tb_json_member_cstr(&json, "tenant", record->tenant);
    tb_json_member_cstr(&json, "label", record->label);
    tb_json_member_cstr(&json, "by", record->by);
    tb_json_member_cstr(&json, "scopes", scopes);
    tb_json_member_int(&json, "created", record->created_ms);
    tb_json_member_int(&json, "expires", record->expires_ms);
    tb_json_member_int(&json, "used", record->used_ms);
    tb_json_member_int(&json, "calls_per_minute", record->quota.calls_per_minute);
    tb_json_member_int(&json, "sessions_max", record->quota.sessions_max);
    tb_json_member_bool(&json, "told", record->told);
    if (record->policy) {
        tb_json_member_tree(&json, "policy", tb_policy_json(record->policy));
    }
    tb_json_member_cstr(&json, "hash", hash);
    tb_json_object_close(&json);
}

/* Reading. */

enum {
    ID,
    TENANT,
    LABEL,
    BY,
    SCOPES,
    CREATED,
    EXPIRES,
    USED,
    CALLS,
    SESSIONS,
    TOLD,
    POLICY,
    HASH,
    FIELD_COUNT,
};

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool get_hash(const struct tb_json_want *want, uint8_t ret_hash[TB_HASH_BYTES])
{
    char text[HASH_SIZE];
    if (!tb_json_value_cstr(&want->value, text, sizeof(text)) || strlen(text) != HASH_SIZE - 1) {
        return false;
    }
    for (size_t i = 0; i < TB_HASH_BYTES; i++) {
        int high = digit_of(text[2 * i]);
        int low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        ret_hash[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Without one that says something this daemon does not know, the key would have more than it was
 * given; with nothing it has nothing. */
static struct tb_policy *get_policy(const struct tb_json_want *want)
{
    struct tb_policy *policy = NULL;
    if (want->value.type == TB_JSON_ABSENT) {
        return NULL;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(want->value.text);
    return tb_policy_read(json, &policy, NULL) < 0 ? tb_policy_new_nothing() : policy;
}

/* The bits are taken as they are: a key that only acts stays one. */
static bool get_scopes(const struct tb_json_want *want, unsigned *ret_scopes)
{
    char text[SCOPES_SIZE];
    if (!tb_json_value_cstr(&want->value, text, sizeof(text))) {
        return false;
    }
    *ret_scopes = 0;
    for (size_t i = 0; i < TB_COUNT(scope_rows); i++) {
        if (tb_str_list_has(tb_str_of(text), tb_str_of(scope_rows[i].name))) {
            *ret_scopes |= scope_rows[i].bit;
        }
    }
    return true;
}

int tb_key_record_parse(struct tb_str text, struct tb_key_record *ret_record, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 4, .number_max = TB_JSON_NUMBER_TREE};
    struct tb_json_want wants[FIELD_COUNT] = {
        [ID] = {.key = "id"},
        [TENANT] = {.key = "tenant"},
        [LABEL] = {.key = "label"},
        [BY] = {.key = "by"},
        [SCOPES] = {.key = "scopes"},
        [CREATED] = {.key = "created"},
        [EXPIRES] = {.key = "expires"},
        [USED] = {.key = "used"},
        [CALLS] = {.key = "calls_per_minute"},
        [SESSIONS] = {.key = "sessions_max"},
        [TOLD] = {.key = "told"},
        [POLICY] = {.key = "policy"},
        [HASH] = {.key = "hash"},
    };
    struct tb_key_record record = {0};
    if (tb_json_scan(text, &limits, wants, FIELD_COUNT, NULL) != TB_JSON_OBJECT ||
        !tb_json_value_cstr(&wants[ID].value, record.id, sizeof(record.id)) ||
        !tb_json_value_cstr(&wants[TENANT].value, record.tenant, sizeof(record.tenant)) ||
        !tb_json_value_cstr(&wants[LABEL].value, record.label, sizeof(record.label)) ||
        !tb_json_value_cstr(&wants[BY].value, record.by, sizeof(record.by)) ||
        !get_scopes(&wants[SCOPES], &record.scopes) ||
        !tb_json_value_int(&wants[CREATED].value, &record.created_ms) ||
        !tb_json_value_int(&wants[EXPIRES].value, &record.expires_ms) ||
        !tb_json_value_int(&wants[USED].value, &record.used_ms) ||
        !tb_json_value_int(&wants[CALLS].value, &record.quota.calls_per_minute) ||
        !tb_json_value_int(&wants[SESSIONS].value, &record.quota.sessions_max) ||
        !get_hash(&wants[HASH], record.hash) || !tb_tenant_name_valid(tb_str_of(record.tenant))) {
        return tb_fail(err, TB_E_INVALID, "it is not a valid record of a key");
    }
    record.policy = get_policy(&wants[POLICY]);
    record.told = tb_str_eq_cstr(wants[TOLD].value.text, "true");
    *ret_record = record;
    return 0;
}

/* Showing. */

static void put_limit(struct tb_json_writer *json, const char *key, int64_t value)
{
    if (value) {
        tb_json_member_int(json, key, value);
    }
}

void tb_key_record_describe(const struct tb_key_record *record, const char *state,
                            struct tb_json_writer *json)
{
    tb_json_member_cstr(json, "id", record->id);
    tb_json_member_cstr(json, "tenant", record->tenant);
    tb_json_member_cstr(json, "label", record->label);
    tb_json_key(json, "scopes");
    tb_json_array_open(json);
    for (size_t i = 0; i < TB_COUNT(scope_rows); i++) {
        if (record->scopes & scope_rows[i].bit) {
            tb_json_put_cstr(json, scope_rows[i].name);
        }
    }
    tb_json_array_close(json);
    tb_json_member_cstr(json, "state", state);
    tb_json_member_time(json, "createdAt", record->created_ms);
    tb_json_member_cstr(json, "createdBy", record->by);
    tb_json_member_time(json, "expiresAt", record->expires_ms);
    tb_json_member_time(json, "lastUsedAt", record->used_ms);
    put_limit(json, "calls_per_minute", record->quota.calls_per_minute);
    put_limit(json, "sessions_max", record->quota.sessions_max);
    if (record->policy) {
        tb_json_member_tree(json, "policy", tb_policy_json(record->policy));
    }
}
