/* SPDX-License-Identifier: Apache-2.0 */
#include "core/config.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "core/event.h"
#include "core/limits.h"

enum {
    KNOWN_SIZE = 200, /* for all words of a row */
};

static const struct tb_config_key keys[] = {
#define TB_CONFIG(field, path, TYPE, fallback, min, max, words, flag, when, help) \
    {path,     TB_CONFIG_##TYPE,                                                  \
     fallback, min,                                                               \
     max,      words,                                                             \
     flag,     TB_CONFIG_##when,                                                  \
     help,     offsetof(struct tb_config, field)},
#include "core/config.def"
#undef TB_CONFIG
};

const struct tb_config_key *tb_config_keys(size_t *ret_count)
{
    *ret_count = TB_COUNT(keys);
    return keys;
}

const struct tb_config_key *tb_config_by_flag(struct tb_str flag)
{
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        if (keys[i].flag && tb_str_eq_cstr(flag, keys[i].flag)) {
            return &keys[i];
        }
    }
    return NULL;
}

void tb_config_env_name(const struct tb_config_key *key, char *ret_name, size_t size)
{
    snprintf(ret_name, size, "TABARD_%s", key->path);
    for (char *c = ret_name; *c; c++) {
        if (*c == '.') {
            *c = '_';
        } else if (*c >= 'a' && *c <= 'z') {
            *c = (char)(*c - 'a' + 'A');
        }
    }
}

const struct tb_config_key *tb_config_by_env(struct tb_str name)
{
    if (!tb_str_starts(name, TB_STR("TABARD_"))) {
        return NULL; /* most are not ours, and this is part of every start */
    }
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        char own[64];
        tb_config_env_name(&keys[i], own, sizeof(own));
        if (tb_str_eq_cstr(name, own)) {
            return &keys[i];
        }
    }
    return NULL;
}

static void *place(const struct tb_config *config, const struct tb_config_key *key)
{
    return (char *)(uintptr_t)config + key->offset;
}

static void list_clear(struct tb_config_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        tb_free(list->items[i]);
    }
    tb_free(list->items);
    *list = (struct tb_config_list){0};
}

static void hooks_clear(struct tb_config_hooks *hooks)
{
    for (size_t i = 0; i < hooks->count; i++) {
        tb_free(hooks->items[i].url);
        explicit_bzero(hooks->items[i].secret, strlen(hooks->items[i].secret));
        tb_free(hooks->items[i].secret);
    }
    tb_free(hooks->items);
    *hooks = (struct tb_config_hooks){0};
}

static void list_push(struct tb_config_list *list, struct tb_str item)
{
    list->items = tb_realloc(list->items, (list->count + 1) * sizeof(*list->items));
    list->items[list->count++] = tb_str_dup(item);
}

static int parse_int(const struct tb_config_key *key, struct tb_str text, int64_t *ret_value,
                     struct tb_err *err)
{
    uint64_t value;
    if (!tb_str_to_u64(text, &value) || value < (uint64_t)key->min || value > (uint64_t)key->max) {
        return tb_fail(err, TB_E_CONFIG, "%s must be a whole number from %lld to %lld, not '%.*s'",
                       key->path, (long long)key->min, (long long)key->max, TB_STR_ARG(text));
    }
    *ret_value = (int64_t)value;
    return 0;
}

static int parse_flag(const struct tb_config_key *key, struct tb_str text, bool *ret_value,
                      struct tb_err *err)
{
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < TB_COUNT(yes); i++) {
        if (tb_str_eq_nocase(text, tb_str_of(yes[i])) || tb_str_eq_nocase(text, tb_str_of(no[i]))) {
            *ret_value = tb_str_eq_nocase(text, tb_str_of(yes[i]));
            return 0;
        }
    }
    return tb_fail(err, TB_E_CONFIG, "%s must be true or false, not '%.*s'", key->path,
                   TB_STR_ARG(text));
}

/* "one, two or three" */
static void join_words(const char *words, char *ret_text, size_t size)
{
    struct tb_str rest = tb_str_of(words);
    struct tb_str word = tb_str_cut(&rest, '|');
    size_t used = (size_t)snprintf(ret_text, size, "%.*s", TB_STR_ARG(word));
    while (rest.ptr && used < size) {
        word = tb_str_cut(&rest, '|');
        used += (size_t)snprintf(ret_text + used, size - used, "%s%.*s", rest.ptr ? ", " : " or ",
                                 TB_STR_ARG(word));
    }
}

static int check_word(const struct tb_config_key *key, struct tb_str text, struct tb_err *err)
{
    struct tb_nearest nearest = {.word = text};
    char known[KNOWN_SIZE];
    if (!key->words) {
        return 0;
    }
    for (struct tb_str rest = tb_str_of(key->words); rest.ptr;) {
        struct tb_str word = tb_str_cut(&rest, '|');
        if (tb_str_eq(word, text)) {
            return 0;
        }
        snprintf(known, sizeof(known), "%.*s", TB_STR_ARG(word));
        tb_nearest_offer(&nearest, known);
    }
    join_words(key->words, known, sizeof(known));
    return tb_fail(err, TB_E_CONFIG, "%s%s must be %s, not '%.*s'%s",
                   key->type == TB_CONFIG_LIST ? "each item of " : "", key->path, known,
                   TB_STR_ARG(text), tb_nearest_words(&nearest));
}

static int set_text(const struct tb_config_key *key, struct tb_str text, char **at,
                    struct tb_err *err)
{
    int rc = check_word(key, text, err);
    if (rc == 0) {
        tb_free(*at);
        *at = tb_str_dup(text);
    }
    return rc;
}

static int set_list(const struct tb_config_key *key, struct tb_str text, struct tb_config_list *at,
                    struct tb_err *err)
{
    struct tb_config_list fresh = {0};
    int rc = 0;
    while (rc == 0 && text.len) {
        struct tb_str item = tb_str_trim(tb_str_cut(&text, ','));
        rc = item.len ? check_word(key, item, err) : 0;
        if (rc == 0 && item.len) {
            list_push(&fresh, item);
        }
    }
    list_clear(rc == 0 ? at : &fresh);
    if (rc == 0) {
        *at = fresh;
    }
    return rc;
}

int tb_config_set(struct tb_config *config, const struct tb_config_key *key, struct tb_str text,
                  struct tb_err *err)
{
    void *at = place(config, key);
    switch (key->type) {
    case TB_CONFIG_TEXT:
    case TB_CONFIG_PATH:
        return set_text(key, text, at, err);
    case TB_CONFIG_INT:
        return parse_int(key, text, at, err);
    case TB_CONFIG_FLAG:
        return parse_flag(key, text, at, err);
    case TB_CONFIG_LIST:
        return set_list(key, text, at, err);
    case TB_CONFIG_HOOKS:
        if (text.len) {
            return tb_fail(err, TB_E_CONFIG, "%s can be set only in the configuration file",
                           key->path);
        }
        hooks_clear(at);
        return 0;
    }
    return TB_E_INTERNAL;
}

static int check_hook(const struct tb_config_hooks *hooks, struct tb_str url, struct tb_str secret,
                      struct tb_err *err)
{
    if (hooks->count == TB_HOOKS) {
        return tb_fail(err, TB_E_CONFIG, "there are more than %d", TB_HOOKS);
    }
    if (!tb_str_starts(url, TB_STR("http://")) && !tb_str_starts(url, TB_STR("https://"))) {
        return tb_fail(err, TB_E_CONFIG, "url must begin with http:// or https://");
    }
    if (secret.len < TB_HOOK_SECRET_MIN) {
        return tb_fail(err, TB_E_CONFIG, "secret must have at least %d characters",
                       TB_HOOK_SECRET_MIN);
    }
    return 0;
}

int tb_config_hook_add(struct tb_config *config, const struct tb_config_key *key, struct tb_str url,
                       struct tb_str secret, const struct tb_config_list *types, struct tb_err *err)
{
    struct tb_config_hooks *hooks = place(config, key);
    uint64_t mask = 0;
    int rc = check_hook(hooks, url, secret, err);
    for (size_t i = 0; rc == 0 && i < types->count; i++) {
        rc = tb_event_mask(tb_str_of(types->items[i]), &mask, err);
    }
    if (rc < 0) {
        tb_err_prefix(err, "%s.%zu: ", key->path, hooks->count + 1); /* as libcyaml counts */
        return TB_E_CONFIG;
    }
    hooks->items = tb_realloc(hooks->items, (hooks->count + 1) * sizeof(*hooks->items));
    hooks->items[hooks->count++] =
        (struct tb_config_hook){tb_str_dup(url), tb_str_dup(secret), mask};
    return 0;
}

void tb_config_anchor(struct tb_config *config, const char *dir)
{
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        char **path = place(config, &keys[i]);
        if (keys[i].type == TB_CONFIG_PATH && (*path)[0] && (*path)[0] != '/') {
            char *whole = tb_strdupf("%s/%s", dir, *path);
            tb_free(*path);
            *path = whole;
        }
    }
}

int tb_config_list_add(struct tb_config *config, const struct tb_config_key *key,
                       struct tb_str item, struct tb_err *err)
{
    int rc = check_word(key, item, err);
    if (rc == 0) {
        list_push(place(config, key), item);
    }
    return rc;
}

void tb_config_init(struct tb_config *config)
{
    *config = (struct tb_config){0};
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        tb_config_set(config, &keys[i], tb_str_of(keys[i].fallback), NULL);
    }
}

void tb_config_fini(struct tb_config *config)
{
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        void *at = place(config, &keys[i]);
        if (keys[i].type == TB_CONFIG_TEXT || keys[i].type == TB_CONFIG_PATH) {
            tb_free(*(char **)at);
            *(char **)at = NULL;
        } else if (keys[i].type == TB_CONFIG_LIST) {
            list_clear(at);
        } else if (keys[i].type == TB_CONFIG_HOOKS) {
            hooks_clear(at);
        }
    }
}

static size_t size_of(enum tb_config_type type)
{
    static const size_t sizes[] = {
        [TB_CONFIG_TEXT] = sizeof(TB_CONFIG_C_TEXT), [TB_CONFIG_PATH] = sizeof(TB_CONFIG_C_PATH),
        [TB_CONFIG_INT] = sizeof(TB_CONFIG_C_INT),   [TB_CONFIG_FLAG] = sizeof(TB_CONFIG_C_FLAG),
        [TB_CONFIG_LIST] = sizeof(TB_CONFIG_C_LIST), [TB_CONFIG_HOOKS] = sizeof(TB_CONFIG_C_HOOKS),
    };
    return sizes[type];
}

bool tb_config_has_secret(const struct tb_config *config)
{
    /* Each webhook has one to sign with. */
    return config->webhooks.count > 0 || strchr(config->proxy_upstream, '@');
}

void tb_config_swap(struct tb_config *a, struct tb_config *b, const struct tb_config_key *key)
{
    char spare[sizeof(struct tb_config_list)];
    size_t size = size_of(key->type);
    memcpy(spare, place(a, key), size);
    memcpy(place(a, key), place(b, key), size);
    memcpy(place(b, key), spare, size);
}

static bool lists_differ(const struct tb_config_list *a, const struct tb_config_list *b)
{
    if (a->count != b->count) {
        return true;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->items[i], b->items[i]) != 0) {
            return true;
        }
    }
    return false;
}

static bool hooks_differ(const struct tb_config_hooks *a, const struct tb_config_hooks *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = strcmp(a->items[i].url, b->items[i].url) == 0 &&
               strcmp(a->items[i].secret, b->items[i].secret) == 0 &&
               a->items[i].types == b->items[i].types;
    }
    return !same;
}

bool tb_config_differs(const struct tb_config *a, const struct tb_config *b,
                       const struct tb_config_key *key)
{
    const void *left = place(a, key);
    const void *right = place(b, key);
    switch (key->type) {
    case TB_CONFIG_TEXT:
    case TB_CONFIG_PATH:
        return strcmp(*(char *const *)left, *(char *const *)right) != 0;
    case TB_CONFIG_INT:
        return *(const int64_t *)left != *(const int64_t *)right;
    case TB_CONFIG_FLAG:
        return *(const bool *)left != *(const bool *)right;
    case TB_CONFIG_LIST:
        return lists_differ(left, right);
    case TB_CONFIG_HOOKS:
        return hooks_differ(left, right);
    }
    return false;
}
