/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/secret.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/dirs.h"
#include "store/sqlite/sqlite.h"

int tb_secret_save(const char *state_dir, const uint8_t secret[TB_SECRET_BYTES], bool sync,
                   struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "secret");
    const struct tb_str bytes = {(const char *)secret, TB_SECRET_BYTES};
    int rc = sync ? tb_file_write(path, bytes, 0600) : tb_file_place(path, bytes, 0600);
    return rc < 0 ? tb_fail(err, rc, "cannot write %s: %s", path, tb_err_name(rc)) : 0;
}

/* Another secret would make what is stored unreadable, and the audit log wrong for good. */
static int no_secret(const char *state_dir, const char *path, const char *what, struct tb_err *err)
{
    if (tb_sqlite_present(state_dir)) {
        return tb_fail(
            err, TB_E_CONFIG,
            "%s %s, but the data in %s was written with it: restore it from a backup, or move "
            "tabard.db and tabard.intake away to start afresh",
            path, what, state_dir);
    }
    return tb_fail(err, TB_E_CONFIG, "%s %s; delete it, and the next start creates a new one", path,
                   what);
}

int tb_secret_load(const char *state_dir, uint8_t ret_secret[TB_SECRET_BYTES], struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "secret");
    TB_AUTO(tb_buf_wipe) struct tb_buf bytes = TB_BUF(TB_SECRET_BYTES + 1);
    struct stat info;
    int rc = tb_file_read(path, &bytes);
    if (rc == -ENOENT) {
        if (tb_sqlite_present(state_dir)) {
            return no_secret(state_dir, path, "is missing", err);
        }
        tb_random_bytes(ret_secret, TB_SECRET_BYTES);
        return 1;
    }
    if (rc == -EINVAL) {
        return no_secret(state_dir, path, "is not a plain file", err);
    }
    if (rc < 0 && rc != TB_E_TOO_LARGE) {
        return tb_fail(err, rc, "cannot read %s: %s", path, tb_err_name(rc));
    }
    if (stat(path, &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO))) {
        return tb_fail(err, TB_E_CONFIG, "other users can read %s; run: chmod 600 '%s'", path,
                       path);
    }
    if (bytes.len != TB_SECRET_BYTES) {
        return no_secret(state_dir, path, "contains no secret", err);
    }
    memcpy(ret_secret, bytes.data, TB_SECRET_BYTES);
    return 0;
}

int tb_secret_keep(const char *state_dir, const uint8_t secret[TB_SECRET_BYTES], struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "secret");
    TB_AUTO(tb_buf_wipe) struct tb_buf bytes = TB_BUF(TB_SECRET_BYTES);
    int rc = tb_file_read(path, &bytes);
    if (rc == -ENOENT || (rc == 0 && bytes.len == 0)) {
        rc = tb_secret_save(state_dir, secret, true, err);
        return rc < 0 ? rc : 1;
    }
    if (rc < 0 && rc != TB_E_TOO_LARGE) {
        return tb_fail(err, rc, "cannot read %s: %s", path, tb_err_name(rc));
    }
    if (bytes.len != TB_SECRET_BYTES || memcmp(bytes.data, secret, TB_SECRET_BYTES) != 0) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s now contains something else; restore it, or nothing that is stored in "
                       "%s can be read after the next start",
                       path, state_dir);
    }
    return 0;
}
