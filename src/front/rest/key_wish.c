/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/key_wish.h"

#include "base/mem.h"
#include "base/quote.h"
#include "core/policy.h"
#include "proto/json_iter.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

enum {
    SCOPES_MAX = 128,
    QUOTA_MAX = 1000000,
    TOKENS_MAX = 2000, /* more than a policy of a key has */
};

void tb_key_wish_init(struct tb_key_wish *wish, const char *tenant, int64_t now_ms)
{
    *wish = (struct tb_key_wish){.spec.tenant = tb_str_of(tenant), .now_ms = now_ms};
    tb_buf_init(&wish->tenant, TB_KEY_WISH_TEXT_MAX);
    tb_buf_init(&wish->label, TB_KEY_WISH_TEXT_MAX);
}

static int read_text(const struct tb_json_value *value, const char *name, struct tb_buf *out,
                     struct tb_err *err)
{
    if (value->type != TB_JSON_STRING || tb_json_string_decode(value->text, out) < 0) {
        return tb_fail(err, TB_E_PARAMS, "%s must be a string of at most %d bytes", name,
                       TB_KEY_WISH_TEXT_MAX);
    }
    return 0;
}

static int read_tenant(struct tb_key_wish *wish, const struct tb_json_value *value,
                       struct tb_err *err)
{
    int rc = read_text(value, "tenant", &wish->tenant, err);
    wish->spec.tenant = tb_buf_str(&wish->tenant);
    return rc;
}

static int read_label(struct tb_key_wish *wish, const struct tb_json_value *value,
                      struct tb_err *err)
{
    int rc = read_text(value, "label", &wish->label, err);
    wish->spec.label = tb_buf_str(&wish->label);
    return rc;
}

static int add_scopes(struct tb_key_wish *wish, struct tb_str raw, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(SCOPES_MAX);
    if (tb_json_string_decode(raw, &list) < 0) {
        return tb_fail(err, TB_E_PARAMS, "scopes must be a list such as [\"act\"], or \"act\"");
    }
    return tb_key_scopes(tb_buf_str(&list), &wish->spec.scopes, err);
}

/* A list, or one text with commas. */
static int read_scopes(struct tb_key_wish *wish, const struct tb_json_value *value,
                       struct tb_err *err)
{
    struct tb_json_iter iter = tb_json_iter_of(value->text);
    struct tb_json_item item;
    int rc = 0;
    if (value->type != TB_JSON_ARRAY) {
        return add_scopes(wish, value->text, err);
    }
    while (rc == 0 && tb_json_iter_next(&iter, &item)) {
        rc = add_scopes(wish, item.value.text, err);
    }
    return rc;
}

/* "90s", "15m", "24h", "30d". */
static bool read_span(struct tb_str text, uint64_t *ret_ms)
{
    static const struct {
        char unit;
        uint64_t ms;
    } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
    uint64_t count;
    if (text.len < 2 || !tb_str_to_u64(tb_str_sub(text, 0, text.len - 1), &count) ||
        count > QUOTA_MAX) {
        return false;
    }
    for (size_t i = 0; i < TB_COUNT(units); i++) {
        if (text.ptr[text.len - 1] == units[i].unit) {
            *ret_ms = count * units[i].ms;
            return true;
        }
    }
    return false;
}

static int read_expires(struct tb_key_wish *wish, const struct tb_json_value *value,
                        struct tb_err *err)
{
    const uint64_t most_ms = (uint64_t)QUOTA_MAX * 86400000;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_KEY_WISH_TEXT_MAX);
    uint64_t ms = 0;
    bool good = value->type == TB_JSON_STRING ? tb_json_string_decode(value->text, &text) == 0 &&
                                                    read_span(tb_buf_str(&text), &ms)
                                              : tb_str_to_u64(value->text, &ms);
    if (!good || !ms || ms > most_ms) {
        return tb_fail(err, TB_E_PARAMS,
                       "expires must say how long the key is valid: \"90m\", \"24h\", \"30d\", "
                       "or milliseconds");
    }
    wish->spec.expires_ms = wish->now_ms + (int64_t)ms;
    return 0;
}

static int read_count(const struct tb_json_value *value, const char *name, int64_t *ret_count,
                      struct tb_err *err)
{
    uint64_t count;
    if (!tb_str_to_u64(value->text, &count) || count > QUOTA_MAX) {
        return tb_fail(err, TB_E_PARAMS, "%s must be a whole number from 0 to %d; 0: no own limit",
                       name, QUOTA_MAX);
    }
    *ret_count = (int64_t)count;
    return 0;
}

static int read_sessions(struct tb_key_wish *wish, const struct tb_json_value *value,
                         struct tb_err *err)
{
    return read_count(value, "sessions_max", &wish->spec.quota.sessions_max, err);
}

static int read_calls(struct tb_key_wish *wish, const struct tb_json_value *value,
                      struct tb_err *err)
{
    return read_count(value, "calls_per_minute", &wish->spec.quota.calls_per_minute, err);
}

static int read_policy(struct tb_key_wish *wish, const struct tb_json_value *value,
                       struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value->text);
    int rc = tb_policy_read(json, &wish->spec.policy, err);
    if (rc < 0) {
        tb_err_prefix(err, "policy: ");
    }
    return rc;
}

static const struct {
    const char *name;
    int (*read)(struct tb_key_wish *wish, const struct tb_json_value *value, struct tb_err *err);
} members[] = {
    {"tenant", read_tenant},   {"scopes", read_scopes},         {"label", read_label},
    {"expires", read_expires}, {"sessions_max", read_sessions}, {"calls_per_minute", read_calls},
    {"policy", read_policy},
};

/* A misspelt member would be passed over, and the caller believe that it counts. */
static int check_members(struct tb_str body, struct tb_err *err)
{
    struct tb_json_iter iter = tb_json_iter_of(body);
    struct tb_json_item item;
    while (tb_json_iter_next(&iter, &item)) {
        size_t i = 0;
        while (i < TB_COUNT(members) && !tb_json_string_eq(item.key, tb_str_of(members[i].name))) {
            i++;
        }
        if (i == TB_COUNT(members)) {
            struct tb_quoted name;
            return tb_fail(err, TB_E_PARAMS,
                           "unknown member %s; the body takes tenant, scopes, label, expires, "
                           "sessions_max, calls_per_minute and policy",
                           tb_quoted(&name, tb_str_sub(item.key, 1, item.key.len - 1), 0));
        }
    }
    return 0;
}

int tb_key_wish_read(struct tb_key_wish *wish, struct tb_str body, struct tb_err *err)
{
    static const struct tb_json_limits limits = {
        .depth_max = 4, .token_max = TOKENS_MAX, .number_max = TB_JSON_NUMBER_TREE};
    struct tb_json_want wants[TB_COUNT(members)] = {{0}};
    for (size_t i = 0; i < TB_COUNT(members); i++) {
        wants[i].key = members[i].name;
    }
    int rc = tb_json_scan(body, &limits, wants, TB_COUNT(wants), err);
    if (rc < 0) {
        return rc;
    }
    rc = rc == TB_JSON_OBJECT ? check_members(body, err)
                              : tb_fail(err, TB_E_PARAMS, "the body must be an object");
    for (size_t i = 0; rc == 0 && i < TB_COUNT(members); i++) {
        if (wants[i].value.type != TB_JSON_ABSENT) {
            rc = members[i].read(wish, &wants[i].value, err);
        }
    }
    return rc;
}

void tb_key_wish_fini(struct tb_key_wish *wish)
{
    tb_buf_fini(&wish->tenant);
    tb_buf_fini(&wish->label);
    tb_policy_unref(wish->spec.policy, "wish");
}
