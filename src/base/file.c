/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

enum {
    READ_STEP = 16384,
};

static int read_all(int fd, struct tb_buf *out)
{
    for (;;) {
        char step[READ_STEP];
        ssize_t got = read(fd, step, sizeof(step));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? -errno : 0;
        }
        int rc = tb_buf_append(out, step, (size_t)got);
        explicit_bzero(step, (size_t)got); /* it may have been a key */
        if (rc < 0) {
            return rc;
        }
    }
}

static int read_whole(const char *path, int flags, struct tb_buf *out)
{
    size_t before = out->len;
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0) {
        return -errno;
    }
    bool plain = fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
    int rc = plain || !(flags & O_NONBLOCK) ? read_all(fd, out) : -EINVAL;
    close(fd);
    if (rc < 0) {
        out->len = before;
    }
    return rc;
}

int tb_file_read(const char *path, struct tb_buf *out)
{
    return read_whole(path, O_NONBLOCK, out);
}

int tb_file_read_stream(const char *path, struct tb_buf *out)
{
    return read_whole(path, 0, out);
}

static int write_all(int fd, struct tb_str content)
{
    while (content.len) {
        ssize_t put = write(fd, content.ptr, content.len);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return -errno;
        }
        content = tb_str_sub(content, (size_t)put, content.len);
    }
    return 0;
}

static int replace(const char *path, struct tb_str content, mode_t mode, bool sync)
{
    TB_AUTO(tb_free) char *fresh = tb_strdupf("%s.new", path);
    unlink(fresh);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0) {
        return -errno;
    }
    int rc = write_all(fd, content);
    if (rc == 0 && sync && fsync(fd) < 0) {
        rc = -errno;
    }
    close(fd);
    if (rc == 0 && rename(fresh, path) < 0) {
        rc = -errno;
    }
    if (rc < 0) {
        unlink(fresh);
    }
    return rc;
}

int tb_file_write(const char *path, struct tb_str content, mode_t mode)
{
    return replace(path, content, mode, true);
}

int tb_file_place(const char *path, struct tb_str content, mode_t mode)
{
    return replace(path, content, mode, false);
}

static int make_one(const char *path, mode_t mode)
{
    struct stat info;
    if (mkdir(path, mode) == 0) {
        return 0;
    }
    if (errno != EEXIST) {
        return -errno;
    }
    if (stat(path, &info) < 0) {
        return -errno;
    }
    return S_ISDIR(info.st_mode) ? 0 : -ENOTDIR;
}

int tb_dir_make(const char *path, mode_t mode)
{
    TB_AUTO(tb_free) char *part = tb_strdup(path);
    size_t len = strlen(part);
    while (len > 1 && part[len - 1] == '/') {
        part[--len] = '\0'; /* or the last folder would pass for one on the way */
    }
    for (size_t i = 1; i < len; i++) {
        if (part[i] == '/') {
            part[i] = '\0';
            int rc = make_one(part, 0755);
            part[i] = '/';
            if (rc < 0) {
                return rc;
            }
        }
    }
    return make_one(part, mode);
}
