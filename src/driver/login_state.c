/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/login_state.h"

#include <errno.h>
#include <string.h>

#include <dirent.h>

#include "base/file.h"
#include "base/seal.h"
#include "core/config.h"
#include "core/core.h"
#include "driver/files.h"
#include "proto/json_scan.h"

enum {
    SEALED_MAX = 2 * TB_LOGIN_STATE_MAX,
    BOUND_MAX = 1024,
    NAME_SHOWN = 60,
    SAVED_SHOWN = 300, /* bytes of names */
};

static const char suffix[] = ".sealed";

static void bind(const char *tenant, struct tb_buf *out)
{
    tb_buf_printf(out, "login state of %s", tenant);
}

char *tb_login_state_path(const struct tb_core *core, const char *tenant, struct tb_str name,
                          struct tb_err *err)
{
    char folder[TB_FILE_NAME_SIZE];
    if (!tb_files_name_plain(name)) {
        tb_fail(
            err, TB_E_PARAMS,
            "\"%.*s\" is not a plain name: it may not begin with a dot or dash, or contain any of / \\ : * ? < > |",
            TB_STR_ARG(tb_str_sub(name, 0, 60)));
        return NULL;
    }
    if (!core->config->state_dir || !core->config->state_dir[0]) {
        tb_fail(err, TB_E_NOT_POSSIBLE, "the daemon has no state directory");
        return NULL;
    }
    tb_files_name_clean(tb_str_of(tenant), folder);
    TB_AUTO(tb_free) char *directory = tb_strdupf("%s/logins/%s", core->config->state_dir, folder);
    int rc = tb_dir_make(directory, 0700);
    if (rc < 0) {
        tb_fail(err, TB_E_STORE, "cannot create %s: %s", directory, strerror(-rc));
        return NULL;
    }
    return tb_strdupf("%s/%.*s%s", directory, TB_STR_ARG(name), suffix);
}

int tb_login_state_seal(const struct tb_core *core, const char *tenant, const struct cJSON *state,
                        struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(TB_LOGIN_STATE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf bound = TB_BUF(BOUND_MAX);
    bind(tenant, &bound);
    int rc = tb_json_print(state, &plain);
    return rc < 0 ? rc : tb_seal(core->secret, tb_buf_str(&bound), tb_buf_str(&plain), out);
}

/* The name that a file was saved under; empty for other files. */
static struct tb_str name_of(const char *file)
{
    size_t len = strlen(file);
    size_t tail = sizeof(suffix) - 1;
    bool ours = len > tail && strcmp(file + len - tail, suffix) == 0;
    return (struct tb_str){file, ours ? len - tail : 0};
}

static void put_saved(const char *directory, struct tb_buf *out)
{
    DIR *dir = opendir(directory);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        struct tb_str name = name_of(entry->d_name);
        if (name.len && tb_buf_printf(out, "%s%.*s", out->len ? ", " : "", TB_STR_ARG(name)) < 0) {
            break;
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static void say_missing(const char *path, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf saved = TB_BUF(SAVED_SHOWN);
    const char *slash = strrchr(path, '/');
    TB_AUTO(tb_free) char *directory = tb_str_dup((struct tb_str){path, (size_t)(slash - path)});
    put_saved(directory, &saved);
    tb_fail(err, TB_E_STATE_NOT_FOUND, "no state is saved as \"%.*s\"; saved are: %.*s",
            TB_STR_ARG(tb_str_sub(name_of(slash + 1), 0, NAME_SHOWN)),
            TB_STR_ARG(saved.len ? tb_buf_str(&saved) : TB_STR("none")));
}

struct cJSON *tb_login_state_read(const struct tb_core *core, const char *tenant, const char *path,
                                  struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 16,
                                                 .number_max = TB_JSON_NUMBER_TREE};
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(SEALED_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(TB_LOGIN_STATE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf bound = TB_BUF(BOUND_MAX);
    bind(tenant, &bound);
    int rc = tb_file_read(path, &sealed);
    if (rc == -ENOENT) {
        say_missing(path, err);
        return NULL;
    }
    if (rc < 0 || tb_seal_open(core->secret, tb_buf_str(&bound), tb_buf_str(&sealed), &plain) < 0 ||
        tb_json_scan(tb_buf_str(&plain), &limits, NULL, 0, NULL) < 0) {
        tb_fail(err, TB_E_STATE_NOT_FOUND, "the saved state cannot be read; save it again");
        return NULL;
    }
    return tb_json_parse(tb_buf_str(&plain));
}
