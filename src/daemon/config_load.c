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
#include "daemon/config_btcp.h"
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

/* By whose names the file has the settings. */
typedef int read_fn(struct tb_config *config, const char *name, struct tb_str text,
                    struct tb_err *err);

static int load_file(struct tb_config *config, const char *path, read_fn *read, bool required,
                     struct tb_err *err)
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
    rc = read(config, path, tb_buf_str(&text), err);
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

static int load_flag(struct tb_config *config, const char *flag, struct tb_str value,
                     struct tb_err *err)
{
    const struct tb_config_key *key = tb_config_by_flag(tb_str_of(flag));
    if (!key && tb_config_btcp_has_flag(flag)) {
        return tb_config_btcp_load_flag(config, flag, value, err);
    }
    if (!key) {
        return tb_fail(err, TB_E_CONFIG, "unknown option %s", flag);
    }
    if (tb_config_set(config, key, value, err) < 0) {
        tb_err_prefix(err, "option %s: ", flag);
        return TB_E_CONFIG;
    }
    return 0;
}

static int load_flags(struct tb_config *config, const struct tb_config_sources *sources,
                      struct tb_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sources->flag_count; i++) {
        rc = load_flag(config, sources->flags[2 * i], tb_str_of(sources->flags[2 * i + 1]), err);
    }
    return rc;
}

static bool is_btcp(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, TB_CONFIG_BTCP_FILE) == 0;
}

static char *named_path(const struct tb_config_sources *sources)
{
    bool relative = sources->file[0] != '/' && sources->dir;
    return relative ? tb_dirs_join(sources->dir, sources->file) : tb_strdup(sources->file);
}

char *tb_config_path(const struct tb_config_sources *sources)
{
    bool named = sources->file && !is_btcp(sources->file);
    return named ? named_path(sources) : tb_dirs_config_file("tabard.yaml");
}

/* The same of the file with BTCP's names, which does not count where ours is named. */
static char *btcp_path(const struct tb_config_sources *sources)
{
    if (!sources->file) {
        return tb_dirs_config_file(TB_CONFIG_BTCP_FILE);
    }
    return is_btcp(sources->file) ? named_path(sources) : NULL;
}

static int load_files(struct tb_config *config, const struct tb_config_sources *sources,
                      struct tb_err *err)
{
    TB_AUTO(tb_free) char *theirs = sources->no_file ? NULL : btcp_path(sources);
    TB_AUTO(tb_free) char *ours = sources->no_file ? NULL : tb_config_path(sources);
    bool named = sources->file != NULL;
    int rc = theirs ? load_file(config, theirs, tb_config_btcp_load_yaml, named, err) : 0;
    rc = rc < 0 ? rc : tb_config_btcp_load_env(config, sources->env, err);
    return rc < 0 || !ours ? rc
                           : load_file(config, ours, tb_config_load_yaml, named && !theirs, err);
}

static void each_unknown_of_ours(const char *const *env, tb_config_unknown_fn *fn, void *user)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (; env && *env; env++) {
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

void tb_config_each_unknown(const struct tb_config_sources *sources, tb_config_unknown_fn *fn,
                            void *user)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_CONFIG_FILE_MAX);
    TB_AUTO(tb_free) char *path = sources->no_file ? NULL : btcp_path(sources);
    if (path) {
        tb_file_read_stream(path, &text);
    }
    each_unknown_of_ours(sources->env, fn, user);
    tb_config_btcp_each_useless(tb_buf_str(&text), sources->env, fn, user);
}

int tb_config_load(const struct tb_config_sources *sources, struct tb_config *ret_config,
                   struct tb_err *err)
{
    struct tb_config config;
    tb_config_init(&config);
    int rc = load_files(&config, sources, err);
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
