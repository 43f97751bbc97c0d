/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "driver/cdp/memory.h"
#include "driver/cdp/profile.h"
#include "driver/cdp/session_internal.h"

enum {
    TRIES = 1000, /* names with a number */
    PARAMS_MAX = 2048,
};

/* A directory of the browser's user inside its profile. */
static int make(const char *profile, const char *name)
{
    struct stat owner;
    int dir = open(profile, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0) {
        return -errno;
    }
    int rc = fstat(dir, &owner) < 0 || mkdirat(dir, name, 0700) < 0 ? -errno : 0;
    if (rc == 0 && geteuid() == 0 &&
        fchownat(dir, name, owner.st_uid, owner.st_gid, AT_SYMLINK_NOFOLLOW) < 0) {
        rc = -errno;
    }
    close(dir);
    return rc;
}

const char *tb_files_directory(struct tb_driver_session *session, struct tb_err *err)
{
    struct tb_memory *memory = tb_memory_of(session);
    if (memory->directory) {
        return memory->directory;
    }
    const struct tb_browser *browser = session->browser;
    if (!browser || !browser->launch) {
        tb_fail(err, TB_E_NOT_POSSIBLE, "the browser of this session keeps no files for us");
        return NULL;
    }
    const char *profile = tb_launch_profile(browser->launch);
    TB_AUTO(tb_free) char *name = tb_strdupf("files-%s", tb_session_context_id(session));
    int rc = make(profile, name);
    if (rc < 0) {
        tb_fail(err, TB_E_INTERNAL, "the session's directory cannot be made: %s", strerror(-rc));
        return NULL;
    }
    char *path = tb_strdupf("%s/%s", profile, name);
    memory->directory = path;
    return path;
}

bool tb_files_keep_downloads(struct tb_driver_session *session, struct tb_err *err)
{
    struct tb_download_log *log = &tb_memory_of(session)->downloads;
    const char *directory = tb_files_directory(session, err);
    if (!directory) {
        return false;
    }
    if (log->allowed) {
        return true;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "behavior");
    tb_json_put_cstr(&json, "allowAndName");
    tb_json_key(&json, "browserContextId");
    tb_json_put_cstr(&json, tb_session_context_id(session));
    tb_json_key(&json, "downloadPath");
    tb_json_put_cstr(&json, directory);
    tb_json_object_close(&json);
    /* No need to wait: whatever is asked for later, the browser does later. */
    tb_cdp_post(session->browser->conn, NULL, "Browser.setDownloadBehavior", tb_buf_str(&params));
    log->allowed = true;
    return true;
}

void tb_files_remove(const char *directory)
{
    if (directory) {
        tb_profile_remove(directory);
    }
}

static bool is_bad(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f || strchr("/\\:*?\"<>|", c);
}

bool tb_file_name_plain(struct tb_str name)
{
    if (!name.len || name.len >= TB_FILE_NAME_SIZE || name.ptr[0] == '.') {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (is_bad(name.ptr[i])) {
            return false;
        }
    }
    return true;
}

void tb_file_name_clean(struct tb_str given, char ret_name[TB_FILE_NAME_SIZE])
{
    struct tb_str name = tb_str_trim(given);
    while (name.len && name.ptr[0] == '.') {
        name = tb_str_sub(name, 1, name.len);
    }
    name = tb_str_sub(name, 0, TB_FILE_NAME_SIZE - 1);
    name.len = tb_utf8_prefix(name);
    size_t len = 0;
    for (; len < name.len; len++) {
        ret_name[len] = name.ptr[len];
        if (is_bad(ret_name[len])) {
            ret_name[len] = '_';
        }
    }
    ret_name[len] = '\0';
    if (!len) {
        snprintf(ret_name, TB_FILE_NAME_SIZE, "download");
    }
}

static int open_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int write_all(int fd, struct tb_str content)
{
    while (content.len) {
        ssize_t wrote = write(fd, content.ptr, content.len);
        if (wrote < 0) {
            return -errno;
        }
        content = tb_str_sub(content, (size_t)wrote, content.len);
    }
    return 0;
}

int tb_files_write(const char *directory, const char *name, struct tb_str content,
                   struct tb_err *err)
{
    int dir = open_directory(directory);
    int rc = dir < 0 ? dir : 0;
    int fd = -1;
    if (rc == 0) {
        unlinkat(dir, name, 0);
        fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        rc = fd < 0 ? -errno : write_all(fd, content);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (dir >= 0) {
        close(dir);
    }
    return rc < 0 ? tb_fail(err, TB_E_INTERNAL, "%s cannot be written: %s", name, strerror(-rc))
                  : 0;
}

bool tb_files_has(const char *directory, const char *name)
{
    int dir = open_directory(directory);
    struct stat info;
    bool has =
        dir >= 0 && fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
    if (dir >= 0) {
        close(dir);
    }
    return has;
}

/* "a.tar" and 2: "a (2).tar". */
static void number_name(const char *name, int number, char ret_name[TB_FILE_NAME_SIZE])
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    size_t room = TB_FILE_NAME_SIZE - 16 - strlen(name + stem);
    stem = tb_utf8_prefix((struct tb_str){name, stem < room ? stem : room});
    snprintf(ret_name, TB_FILE_NAME_SIZE, "%.*s (%d)%s", (int)stem, name, number, name + stem);
}

int tb_files_rename(const char *directory, const char *from, char name[TB_FILE_NAME_SIZE])
{
    int dir = open_directory(directory);
    if (dir < 0) {
        return dir;
    }
    char wanted[TB_FILE_NAME_SIZE];
    memcpy(wanted, name, sizeof(wanted));
    int rc = -EEXIST;
    for (int i = 1; rc == -EEXIST && i < TRIES; i++) {
        if (i > 1) {
            number_name(wanted, i, name);
        }
        rc = renameat2(dir, from, dir, name, RENAME_NOREPLACE) < 0 ? -errno : 0;
    }
    close(dir);
    return rc;
}
