/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/dirs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <pwd.h>

#include "base/file.h"
#include "base/mem.h"

/* An XDG variable counts only if it is an absolute path (the specification says so). */
static const char *absolute_env(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] == '/' ? value : NULL;
}

static const char *home(void)
{
    const char *dir = absolute_env("HOME");
    if (!dir) {
        const struct passwd *user = getpwuid(geteuid());
        dir = user && user->pw_dir[0] == '/' ? user->pw_dir : NULL;
    }
    return dir;
}

/* "$variable/tabard" or "~/<usual>/tabard"; NULL when neither is known. */
static char *xdg_dir(const char *variable, const char *usual)
{
    const char *base = absolute_env(variable);
    if (base) {
        return tb_strdupf("%s/tabard", base);
    }
    return home() ? tb_strdupf("%s/%s/tabard", home(), usual) : NULL;
}

char *tb_dirs_config_file(const char *name)
{
    TB_AUTO(tb_free) char *dir = xdg_dir("XDG_CONFIG_HOME", ".config");
    return dir ? tb_dirs_join(dir, name) : NULL;
}

int tb_dirs_fill(struct tb_config *config, struct tb_err *err)
{
    if (!config->state_dir[0]) {
        tb_free(config->state_dir);
        config->state_dir = xdg_dir("XDG_STATE_HOME", ".local/state");
        if (!config->state_dir) {
            config->state_dir = tb_strdup("");
            return tb_fail(
                err, TB_E_CONFIG,
                "there is no home directory to keep state in; choose a directory with --state-dir");
        }
    }
    if (!config->runtime_dir[0]) {
        tb_free(config->runtime_dir);
        const char *base = absolute_env("XDG_RUNTIME_DIR");
        config->runtime_dir =
            base ? tb_strdupf("%s/tabard", base) : tb_dirs_join(config->state_dir, "run");
    }
    TB_AUTO(tb_free) char *socket_path = tb_dirs_socket(config);
    struct sockaddr_un address;
    if (tb_str_of(socket_path).len >= sizeof(address.sun_path)) {
        return tb_fail(err, TB_E_CONFIG,
                       "the path %s is too long for a Unix socket; choose a shorter --runtime-dir",
                       socket_path);
    }
    return 0;
}

static int make_private(const char *path, const char *flag, struct tb_err *err)
{
    struct stat info = {0};
    int rc = tb_dir_make(path, 0700);
    if (rc == 0 && stat(path, &info) < 0) {
        rc = -errno;
    }
    if (rc == 0 && access(path, W_OK | X_OK) < 0) {
        rc = -errno;
    }
    if (rc < 0) {
        return tb_fail(err, TB_E_CONFIG, "cannot use %s: %s; choose another with %s", path,
                       tb_err_name(rc), flag);
    }
    if (info.st_uid != geteuid()) {
        return tb_fail(
            err, TB_E_CONFIG,
            "%s belongs to another user (%u); choose another with %s, or run: chown %u '%s'", path,
            (unsigned)info.st_uid, flag, (unsigned)geteuid(), path);
    }
    if (info.st_mode & (S_IWGRP | S_IWOTH)) {
        return tb_fail(err, TB_E_CONFIG, "other users can write to %s; run: chmod 700 '%s'", path,
                       path);
    }
    return 0;
}

static void to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    *(slash ? slash : path) = '\0';
}

int tb_dirs_try(const char *path, const char *flag, struct tb_err *err)
{
    TB_AUTO(tb_free) char *there = tb_strdup(path);
    TB_AUTO(tb_free) char *made = tb_strdup(path);
    while (there[0] && access(there, F_OK) < 0) {
        to_parent(there);
    }
    int rc = make_private(path, flag, err);
    while (strlen(made) > strlen(there)) {
        rmdir(made);
        to_parent(made);
    }
    return rc;
}

int tb_dirs_make(const struct tb_config *config, struct tb_err *err)
{
    int rc = make_private(config->state_dir, "--state-dir", err);
    return rc < 0 ? rc : make_private(config->runtime_dir, "--runtime-dir", err);
}

int tb_dirs_remake_runtime(const struct tb_config *config, struct tb_err *err)
{
    const char *path = config->runtime_dir;
    if (mkdir(path, 0700) < 0 && errno != EEXIST) {
        return tb_fail(err, -errno, "cannot create %s: %s", path, tb_err_name(-errno));
    }
    return make_private(path, "--runtime-dir", err);
}

char *tb_dirs_join(const char *dir, const char *name)
{
    return tb_strdupf("%s/%s", dir, name);
}

char *tb_dirs_socket(const struct tb_config *config)
{
    return tb_dirs_join(config->runtime_dir, "tabard.sock");
}
