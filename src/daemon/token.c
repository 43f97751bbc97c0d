/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/dirs.h"

int tb_token_save(const char *state_dir, const char token[TB_TOKEN_SIZE], struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "admin.token");
    char line[TB_TOKEN_SIZE + 1];
    snprintf(line, sizeof(line), "%s\n", token);
    int rc = tb_file_write(path, tb_str_of(line), 0600);
    explicit_bzero(line, sizeof(line));
    return rc < 0 ? tb_fail(err, rc, "cannot write %s: %s", path, tb_err_name(rc)) : 0;
}

int tb_token_load(const char *state_dir, char ret_token[TB_TOKEN_SIZE], struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "admin.token");
    TB_AUTO(tb_buf_wipe) struct tb_buf text = TB_BUF(256);
    struct stat info;
    int rc = tb_file_read(path, &text);
    if (rc == -ENOENT) {
        tb_token_make(ret_token);
        return 1;
    }
    if (rc == -EINVAL) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s is not a plain file; delete it, and the next start creates a new one",
                       path);
    }
    if (rc < 0) {
        return tb_fail(err, rc, "cannot read %s: %s", path, tb_err_name(rc));
    }
    if (stat(path, &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO))) {
        return tb_fail(err, TB_E_CONFIG, "other users can read %s; run: chmod 600 '%s'", path,
                       path);
    }
    struct tb_str rest = tb_buf_str(&text);
    struct tb_str token = tb_str_trim(tb_str_cut(&rest, '\n'));
    if (token.len != TB_TOKEN_SIZE - 1) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s contains no token; delete it, and the next start creates a new one",
                       path);
    }
    memcpy(ret_token, token.ptr, token.len);
    ret_token[token.len] = '\0';
    return 0;
}
