/* SPDX-License-Identifier: Apache-2.0 */
/* The settings, one row each in config.def. Text becomes a value here and nowhere else, whether it
 * came from the YAML file, the environment or a flag, so all three have the same checks and the
 * same words for errors. daemon/config_load.h reads the sources. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct tb_config_list {
    char **items;
    size_t count;
};

/* One entry of `webhooks`, which only the file can have. */
struct tb_config_hook {
    char *url;
    char *secret;
    uint64_t types; /* a mask as of tb_event_mask; 0: all */
};

struct tb_config_hooks {
    struct tb_config_hook *items;
    size_t count;
};

#define TB_CONFIG_C_TEXT  char *
#define TB_CONFIG_C_PATH  char *
#define TB_CONFIG_C_INT   int64_t
#define TB_CONFIG_C_FLAG  bool
#define TB_CONFIG_C_LIST  struct tb_config_list
#define TB_CONFIG_C_HOOKS struct tb_config_hooks

struct tb_config {
#define TB_CONFIG(field, path, TYPE, fallback, min, max, words, flag, when, help) \
    TB_CONFIG_C_##TYPE field;
#include "core/config.def"
#undef TB_CONFIG
};

enum tb_config_type {
    TB_CONFIG_TEXT,
    TB_CONFIG_PATH,
    TB_CONFIG_INT,
    TB_CONFIG_FLAG,
    TB_CONFIG_LIST,
    TB_CONFIG_HOOKS,
};

enum tb_config_when {
    TB_CONFIG_START,
    TB_CONFIG_RELOAD,
};

struct tb_config_key {
    const char *path;
    enum tb_config_type type;
    const char *fallback;
    int64_t min;
    int64_t max;
    const char *words; /* "one|two": nothing else is allowed; NULL: anything is */
    const char *flag;
    enum tb_config_when when;
    const char *help;
    size_t offset;
};

/* All rows. */
const struct tb_config_key *tb_config_keys(size_t *ret_count);
/* The row of a flag such as "--listen"; NULL if there is none. */
const struct tb_config_key *tb_config_by_flag(struct tb_str flag);
/* The row of a variable such as "TABARD_LISTEN"; NULL if there is none. */
const struct tb_config_key *tb_config_by_env(struct tb_str name);
/* "TABARD_HTTP_IDLE_MS" for "http.idle_ms". */
void tb_config_env_name(const struct tb_config_key *key, char *ret_name, size_t size);

/* All defaults. */
void tb_config_init(struct tb_config *config);
void tb_config_fini(struct tb_config *config);
/* Sets one value from text; items of a list stand between commas. On failure the old value stays.
 */
int tb_config_set(struct tb_config *config, const struct tb_config_key *key, struct tb_str text,
                  struct tb_err *err);
/* Makes every path that is not absolute one below `dir`, so that the daemon may leave it. */
void tb_config_anchor(struct tb_config *config, const char *dir);
/* One more item of a list. */
int tb_config_list_add(struct tb_config *config, const struct tb_config_key *key,
                       struct tb_str item, struct tb_err *err);
/* One more webhook; `types` has the wire names of events, or is empty for all. The words for what
 * is wrong never have the secret in them, nor the URL. */
int tb_config_hook_add(struct tb_config *config, const struct tb_config_key *key, struct tb_str url,
                       struct tb_str secret, const struct tb_config_list *types,
                       struct tb_err *err);
/* True if there is a secret among the values. */
bool tb_config_has_secret(const struct tb_config *config);
/* Exchanges the values of one key. */
void tb_config_swap(struct tb_config *a, struct tb_config *b, const struct tb_config_key *key);
/* True if the two differ in this key. */
bool tb_config_differs(const struct tb_config *a, const struct tb_config *b,
                       const struct tb_config_key *key);
