/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config_btcp.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "daemon/config_yaml.h"
#include "proto/authority.h"

enum {
    PORT_MAX = 65535,
    ADDRESS_MAX = 300,
    NUMBER_MAX = 24,
};

/* How a value of theirs becomes one of ours: see config_btcp.def. */
enum how {
    SAME,
    SECONDS,
    OPPOSITE,
    MODE,
    HOST,
    PORT,
    USELESS,
    CLIENTS,
};

static const struct row {
    const char *key;  /* of the file; NULL: only a variable */
    const char *env;  /* NULL: there is none */
    const char *flag; /* the same */
    const char *path; /* of our setting */
    enum how how;
} rows[] = {
#define TB_BTCP_NAME(key, env, flag, path, HOW) {key, env, flag, path, HOW},
#include "daemon/config_btcp.def"
#undef TB_BTCP_NAME
};

/* NULL: a build without it. */
static const struct tb_config_key *key_of(const char *path)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; path && i < count; i++) {
        if (strcmp(keys[i].path, path) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

static const struct row *row_of_key(const char *path)
{
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        if (rows[i].key && strcmp(rows[i].key, path) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static const struct row *row_of_flag(const char *flag)
{
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        if (rows[i].flag && strcmp(rows[i].flag, flag) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static const struct row *row_of_env(struct tb_str name)
{
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        if (rows[i].env && tb_str_eq_cstr(name, rows[i].env)) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool is_useless(const struct row *row)
{
    return row->how == USELESS || (row->how != CLIENTS && !key_of(row->path));
}

bool tb_config_btcp_has_flag(const char *flag)
{
    return row_of_flag(flag) != NULL;
}

bool tb_config_btcp_is_env(struct tb_str name)
{
    const struct row *row = row_of_env(name);
    return row && row->how != CLIENTS;
}

/* Values. */

static int set_seconds(struct tb_config *config, const struct tb_config_key *key,
                       struct tb_str text, struct tb_err *err)
{
    uint64_t seconds;
    char ms[NUMBER_MAX];
    if (!tb_str_to_u64(text, &seconds) || seconds > INT64_MAX / 1000) {
        return tb_fail(err, TB_E_CONFIG, "must be a whole number of seconds, not '%.*s'",
                       TB_STR_ARG(text));
    }
    snprintf(ms, sizeof(ms), "%lld", (long long)seconds * 1000);
    return tb_config_set(config, key, tb_str_of(ms), err);
}

static int set_opposite(struct tb_config *config, const struct tb_config_key *key,
                        struct tb_str text, struct tb_err *err)
{
    bool *flag = (bool *)(void *)((char *)config + key->offset);
    int rc = tb_config_set(config, key, text, NULL);
    if (rc < 0) {
        return tb_fail(err, rc, "must be true or false, not '%.*s'", TB_STR_ARG(text));
    }
    *flag = !*flag;
    return 0;
}

static int set_mode(struct tb_config *config, const struct tb_config_key *key, struct tb_str text,
                    struct tb_err *err)
{
    char mode[NUMBER_MAX];
    bool short_form = text.len == 3;
    snprintf(mode, sizeof(mode), "%s%.*s", short_form ? "0" : "", TB_STR_ARG(text));
    return tb_config_set(config, key, tb_str_of(mode), err);
}

static const char *address_of(const struct tb_config *config, const char *path)
{
    const struct tb_config_key *key = key_of(path);
    return *(char *const *)(const void *)((const char *)config + key->offset);
}

/* In the address, which "off" is none; the usual one has what the other is then. */
static struct tb_authority where(const struct tb_config *config, const char *path)
{
    struct tb_authority authority = {.host = TB_STR("127.0.0.1")};
    if (!tb_authority_parse_listen(tb_str_of(address_of(config, path)), &authority)) {
        tb_authority_parse_listen(tb_str_of(config->listen), &authority);
    }
    return authority;
}

static int set_address(struct tb_config *config, const char *path, struct tb_str host,
                       unsigned port, struct tb_err *err)
{
    char address[ADDRESS_MAX];
    bool is_ipv6 = host.len && memchr(host.ptr, ':', host.len);
    int len = snprintf(address, sizeof(address), "%s%.*s%s:%u", is_ipv6 ? "[" : "",
                       TB_STR_ARG(host), is_ipv6 ? "]" : "", port);
    if (len >= (int)sizeof(address)) {
        return tb_fail(err, TB_E_CONFIG, "is longer than any address");
    }
    return tb_config_set(config, key_of(path), tb_str_of(address), err);
}

static int set_host(struct tb_config *config, struct tb_str host, struct tb_err *err)
{
    static const char *const paths[] = {"listen", "agent_listen"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < TB_COUNT(paths); i++) {
        if (strcmp(address_of(config, paths[i]), "off") != 0) {
            rc = set_address(config, paths[i], host, where(config, paths[i]).port, err);
        }
    }
    return rc;
}

static int set_port(struct tb_config *config, const char *path, struct tb_str text,
                    struct tb_err *err)
{
    uint64_t port;
    if (!tb_str_to_u64(text, &port) || port > PORT_MAX) {
        return tb_fail(err, TB_E_CONFIG, "must be a port, a number up to %d, not '%.*s'", PORT_MAX,
                       TB_STR_ARG(text));
    }
    return set_address(config, path, where(config, path).host, (unsigned)port, err);
}

static int set(struct tb_config *config, const struct row *row, struct tb_str text,
               struct tb_err *err)
{
    const struct tb_config_key *key = key_of(row->path);
    if (row->how == CLIENTS || is_useless(row)) {
        return 0;
    }
    switch (row->how) {
    case SECONDS:
        return set_seconds(config, key, text, err);
    case OPPOSITE:
        return set_opposite(config, key, text, err);
    case MODE:
        return set_mode(config, key, text, err);
    case HOST:
        return set_host(config, text, err);
    case PORT:
        return set_port(config, row->path, text, err);
    default:
        return tb_config_set(config, key, text, err);
    }
}

/* The file. */

static int set_key(struct tb_config *config, const struct tb_config_key *key, struct tb_str text,
                   struct tb_err *err)
{
    int rc = set(config, row_of_key(key->path), text, err);
    if (rc < 0) {
        tb_err_prefix(err, "%s: ", key->path);
    }
    return rc;
}

static int add_item(struct tb_config *config, const struct tb_config_key *key, struct tb_str item,
                    struct tb_err *err)
{
    return tb_config_list_add(config, key_of(row_of_key(key->path)->path), item, err);
}

/* Their keys, and how many. */
static size_t list_keys(struct tb_config_key keys[TB_COUNT(rows)])
{
    size_t count = 0;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const struct tb_config_key *own = key_of(rows[i].path);
        if (rows[i].key) {
            keys[count++] = (struct tb_config_key){
                .path = rows[i].key,
                .type = own && own->type == TB_CONFIG_LIST ? TB_CONFIG_LIST : TB_CONFIG_TEXT};
        }
    }
    return count;
}

int tb_config_btcp_load_yaml(struct tb_config *config, const char *name, struct tb_str text,
                             struct tb_err *err)
{
    struct tb_config_key keys[TB_COUNT(rows)];
    const struct tb_config_file file = {
        .keys = keys, .count = list_keys(keys), .set = set_key, .add = add_item};
    return tb_config_file_load(&file, config, name, text, err);
}

/* Variables and options. */

static bool find_env(const char *const *env, const char *name, struct tb_str *ret_value)
{
    for (; env && *env; env++) {
        *ret_value = tb_str_of(*env);
        if (tb_str_eq_cstr(tb_str_cut(ret_value, '='), name)) {
            return true;
        }
    }
    return false;
}

int tb_config_btcp_load_env(struct tb_config *config, const char *const *env, struct tb_err *err)
{
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_str value;
        if (rows[i].env && find_env(env, rows[i].env, &value) &&
            set(config, &rows[i], value, err) < 0) {
            tb_err_prefix(err, "environment variable %s: ", rows[i].env);
            return TB_E_CONFIG;
        }
    }
    return 0;
}

int tb_config_btcp_load_flag(struct tb_config *config, const char *flag, struct tb_str value,
                             struct tb_err *err)
{
    int rc = set(config, row_of_flag(flag), value, err);
    if (rc < 0) {
        tb_err_prefix(err, "option %s: ", flag);
        return TB_E_CONFIG;
    }
    return 0;
}

/* What has no use. */

struct noting {
    struct tb_config config; /* that nobody reads */
    tb_config_btcp_useless_fn *fn;
    void *user;
};

static int note_key(struct tb_config *config, const struct tb_config_key *key, struct tb_str text,
                    struct tb_err *err)
{
    struct noting *noting = TB_CONTAINER(config, struct noting, config);
    (void)text;
    (void)err;
    if (is_useless(row_of_key(key->path))) {
        noting->fn(tb_str_of(key->path), "", noting->user);
    }
    return 0;
}

static int pass_item(struct tb_config *config, const struct tb_config_key *key, struct tb_str item,
                     struct tb_err *err)
{
    (void)config;
    (void)key;
    (void)item;
    (void)err;
    return 0;
}

static void tell_env(struct tb_str name, tb_config_btcp_useless_fn *fn, void *user)
{
    const struct row *row = row_of_env(name);
    struct tb_nearest nearest = {.word = name};
    if (row && !is_useless(row)) {
        return;
    }
    for (size_t i = 0; !row && i < TB_COUNT(rows); i++) {
        tb_nearest_offer(&nearest, rows[i].env ? rows[i].env : "");
    }
    fn(name, nearest.best, user);
}

void tb_config_btcp_each_useless(struct tb_str text, const char *const *env,
                                 tb_config_btcp_useless_fn *fn, void *user)
{
    struct tb_config_key keys[TB_COUNT(rows)];
    const struct tb_config_file file = {
        .keys = keys, .count = list_keys(keys), .set = note_key, .add = pass_item};
    struct noting noting = {.fn = fn, .user = user};
    tb_config_file_load(&file, &noting.config, "", text, NULL);
    for (; env && *env; env++) {
        struct tb_str value = tb_str_of(*env);
        struct tb_str name = tb_str_cut(&value, '=');
        if (tb_str_starts(name, TB_STR("BTCP_"))) {
            tell_env(name, fn, user);
        }
    }
}
