/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config_load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "core/limits.h"
#include "daemon/dirs.h"

/* Who can write the file can start any program as the daemon; who can read it has its secrets. A
 * file of root may be readable by the daemon's group, since there is no other way to give it. */
static int check_rights(const struct tb_config *config, const char *path, struct tb_err *err)
{
    struct stat info;
    if (stat(path, &info) < 0) {
        return 0; /* it was read a moment ago */
    }
    bool own = info.st_uid == geteuid();
    if (!own && info.st_uid != 0) {
        return tb_fail(err, TB_E_CONFIG, "%s belongs to another user; run: chown %u '%s'", path,
                       (unsigned)geteuid(), path);
    }
    if (info.st_mode & S_IWOTH) {
        return tb_fail(err, TB_E_CONFIG, "other users can write to %s; run: chmod o-w '%s'", path,
                       path);
    }
    mode_t others = own ? S_IRWXG | S_IRWXO : S_IWGRP | S_IRWXO;
    if (tb_config_has_secret(config) && (info.st_mode & others)) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s contains a secret and is open to other users; run: chmod %s '%s'", path,
                       own ? "600" : "640", path);
    }
    return 0;
}

static int load_file(struct tb_config *config, const char *path, bool required, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_CONFIG_FILE_MAX);
    int rc = tb_file_read_stream(path, &text);
    if (rc == -ENOENT && !required) {
        return 0;
    }
    if (rc < 0) {
        return tb_fail(err, TB_E_CONFIG, "cannot read the configuration %s: %s", path,
                       tb_err_name(rc));
    }
    rc = tb_config_load_yaml(config, path, tb_buf_str(&text), err);
    return rc < 0 ? rc : check_rights(config, path, err);
}

static int load_env(struct tb_config *config, const char *const *env, struct tb_err *err)
{
    for (; env && *env; env++) {
        struct tb_str value = tb_str_of(*env);
        struct tb_str name = tb_str_cut(&value, '=');
        const struct tb_config_key *key = tb_config_by_env(name);
        if (key && tb_config_set(config, key, value, err) < 0) {
            tb_err_prefix(err, "environment variable %.*s: ", TB_STR_ARG(name));
            return TB_E_CONFIG;
        }
    }
    return 0;
}

static int load_flags(struct tb_config *config, const struct tb_config_sources *sources,
                      struct tb_err *err)
{
    for (size_t i = 0; i < sources->flag_count; i++) {
        const char *flag = sources->flags[2 * i];
        const struct tb_config_key *key = tb_config_by_flag(tb_str_of(flag));
        if (!key) {
            return tb_fail(err, TB_E_CONFIG, "unknown option %s", flag);
        }
        if (tb_config_set(config, key, tb_str_of(sources->flags[2 * i + 1]), err) < 0) {
            tb_err_prefix(err, "option %s: ", flag);
            return TB_E_CONFIG;
        }
    }
    return 0;
}

void tb_config_each_unknown(const struct tb_config_sources *sources, tb_config_unknown_fn *fn,
                            void *user)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (const char *const *env = sources->env; env && *env; env++) {
        struct tb_str value = tb_str_of(*env);
        struct tb_nearest nearest = {.word = tb_str_cut(&value, '=')};
        if (!tb_str_starts(nearest.word, TB_STR("TABARD_"))) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            char name[64];
            tb_config_env_name(&keys[i], name, sizeof(name));
            tb_nearest_offer(&nearest, name);
        }
        if (!nearest.best[0] || nearest.distance > 0) {
            fn(nearest.word, nearest.best, user);
        }
    }
}

char *tb_config_path(const struct tb_config_sources *sources)
{
    if (!sources->file) {
        return tb_dirs_config_file();
    }
    bool relative = sources->file[0] != '/' && sources->dir;
    return relative ? tb_dirs_join(sources->dir, sources->file) : tb_strdup(sources->file);
}

static int load_named_file(struct tb_config *config, const struct tb_config_sources *sources,
                           struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = sources->no_file ? NULL : tb_config_path(sources);
    return path ? load_file(config, path, sources->file != NULL, err) : 0;
}

int tb_config_load(const struct tb_config_sources *sources, struct tb_config *ret_config,
                   struct tb_err *err)
{
    struct tb_config config;
    tb_config_init(&config);
    int rc = load_named_file(&config, sources, err);
    if (rc == 0) {
        rc = load_env(&config, sources->env, err);
    }
    if (rc == 0) {
        rc = load_flags(&config, sources, err);
    }
    if (rc == 0 && sources->dir) {
        tb_config_anchor(&config, sources->dir);
    }
    if (rc == 0) {
        rc = tb_dirs_fill(&config, err);
    }
    if (rc < 0) {
        tb_config_fini(&config);
        return rc;
    }
    *ret_config = config;
    return 0;
}
