/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <dirent.h>
#include <linux/openat2.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "driver/profile.h"

enum {
    TRIES = 1000, /* names with a number */
};

static const char name_start[] = "tabard-files-";

static int open_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static bool is_directory(int fd, const struct tb_files_id *id)
{
    struct stat info;
    return fstat(fd, &info) == 0 && info.st_dev == id->device && info.st_ino == id->inode;
}

/* Which directory it is, is asked of what was opened: a name may lead elsewhere a moment later. */
static int open_folder(const struct tb_files_folder *folder)
{
    int dir = open_directory(folder->path);
    if (dir < 0 || is_directory(dir, &folder->id)) {
        return dir;
    }
    close(dir);
    return -ESTALE;
}

/* The one way to a file in there. Whatever the browser puts in its place meanwhile, a link or
 * another directory: what is opened lies below `dir`, or nothing is opened. */
static int open_beneath(int dir, const char *name, int flags)
{
    const int all = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const mode_t mode = flags & O_CREAT ? 0600 : 0;
    const struct open_how how = {
        .flags = (unsigned)all,
        .mode = mode,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, dir, name, &how, sizeof(how));
    /* Linux before 5.6 does not know it, and some containers forbid what they do not know. Without
     * a slash only a link leads out, and O_NOFOLLOW refuses that. */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
        bool leads_out = strchr(name, '/') || strcmp(name, "..") == 0;
        errno = EXDEV;
        fd = leads_out ? -1 : openat(dir, name, all, mode);
    }
    return fd < 0 ? -errno : (int)fd;
}

/* A plain file to read. Others would have us wait, or never end. */
static int open_plain(int dir, const char *name, struct stat *ret_info)
{
    int fd = open_beneath(dir, name, O_RDONLY);
    if (fd >= 0 && (fstat(fd, ret_info) < 0 || !S_ISREG(ret_info->st_mode))) {
        close(fd);
        return -EINVAL;
    }
    return fd;
}

static char *path_of(const char *root, const char *session_id)
{
    return tb_strdupf("%s/%s%s", root, name_start, session_id);
}

/* The owner of the profile gets it. Whoever else made one of that name wants our files. */
static int give_away(const char *profile, int dir, struct tb_files_id *ret_id)
{
    struct stat owner;
    struct stat info;
    if (lstat(profile, &owner) < 0 || fstat(dir, &info) < 0) {
        return -errno;
    }
    if ((info.st_uid != owner.st_uid && info.st_uid != geteuid()) || (info.st_mode & 077)) {
        return -EPERM;
    }
    if (geteuid() == 0 && fchown(dir, owner.st_uid, owner.st_gid) < 0) {
        return -errno;
    }
    *ret_id = (struct tb_files_id){info.st_dev, info.st_ino};
    return 0;
}

/* A directory of the browser's user; it may be there from an earlier browser. */
static int make(const char *profile, const char *path, struct tb_files_id *ret_id)
{
    if (mkdir(path, 0700) < 0 && errno != EEXIST) {
        return -errno;
    }
    int dir = open_directory(path);
    if (dir < 0) {
        return dir;
    }
    int rc = give_away(profile, dir, ret_id);
    close(dir);
    return rc;
}

int tb_files_make(const char *root, const char *session_id, const char *profile,
                  struct tb_files_folder *ret_folder, struct tb_err *err)
{
    struct tb_files_folder folder = {.path = path_of(root, session_id)};
    int rc = make(profile, folder.path, &folder.id);
    if (rc < 0) {
        rc = tb_fail(err, TB_E_STORE, "cannot create the session's directory %s: %s", folder.path,
                     strerror(-rc));
        tb_free(folder.path);
        return rc;
    }
    *ret_folder = folder;
    return 0;
}

bool tb_files_same(const struct tb_files_folder *folder)
{
    int dir = open_folder(folder);
    if (dir >= 0) {
        close(dir);
    }
    return dir >= 0;
}

int64_t tb_files_room(const struct tb_files_folder *folder)
{
    struct statvfs room;
    int dir = open_folder(folder);
    int rc = dir < 0 ? dir : fstatvfs(dir, &room);
    if (dir >= 0) {
        close(dir);
    }
    if (rc < 0) {
        return 0;
    }
    uint64_t bytes = (uint64_t)room.f_bavail * room.f_frsize;
    return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

void tb_files_remove(const char *root, const char *session_id)
{
    TB_AUTO(tb_free) char *path = path_of(root, session_id);
    tb_profile_remove(path);
}

void tb_files_sweep(const char *root, bool (*is_kept)(struct tb_str session_id, void *user),
                    void *user)
{
    struct dirent *entry;
    DIR *dir = opendir(root);
    while (dir && (entry = readdir(dir))) {
        struct tb_str name = tb_str_of(entry->d_name);
        struct tb_str id = tb_str_sub(name, sizeof(name_start) - 1, name.len);
        if (tb_str_starts(name, TB_STR(name_start)) && !is_kept(id, user)) {
            tb_files_remove(root, id.ptr);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

/* How many bytes the first character has if no name may have it, or 0: separators, control
 * characters, and those that turn the order of what is shown. */
static size_t bad_len(struct tb_str text)
{
    static const struct {
        const char *from; /* as UTF-8, of one length */
        const char *to;
    } ranges[] = {
        {"\xc2\x80", "\xc2\x9f"},         /* C1 */
        {"\xe2\x80\x8e", "\xe2\x80\x8f"}, /* marks of direction */
        {"\xe2\x80\xa8", "\xe2\x80\xae"}, /* line ends, embeddings, overrides */
        {"\xe2\x81\xa6", "\xe2\x81\xa9"}, /* isolates */
    };
    if ((unsigned char)text.ptr[0] < 0x20 || text.ptr[0] == 0x7f ||
        strchr("/\\:*?\"<>|", text.ptr[0])) {
        return 1;
    }
    for (size_t i = 0; i < TB_COUNT(ranges); i++) {
        size_t len = strlen(ranges[i].from);
        if (text.len >= len && memcmp(text.ptr, ranges[i].from, len) >= 0 &&
            memcmp(text.ptr, ranges[i].to, len) <= 0) {
            return len;
        }
    }
    return 0;
}

/* Hidden, or an option for whoever names it to a program. */
static bool is_bad_start(char c)
{
    return c == '.' || c == '-';
}

bool tb_files_name_plain(struct tb_str name)
{
    if (!name.len || name.len >= TB_FILE_NAME_SIZE || is_bad_start(name.ptr[0])) {
        return false;
    }
    for (; name.len; name = tb_str_sub(name, 1, name.len)) {
        if (bad_len(name)) {
            return false;
        }
    }
    return true;
}

void tb_files_name_clean(struct tb_str given, char ret_name[TB_FILE_NAME_SIZE])
{
    struct tb_str name = tb_str_trim(given);
    while (name.len && is_bad_start(name.ptr[0])) {
        name = tb_str_sub(name, 1, name.len);
    }
    name = tb_str_sub(name, 0, TB_FILE_NAME_SIZE - 1);
    name.len = tb_utf8_prefix(name);
    size_t len = 0;
    while (name.len) {
        size_t bad = bad_len(name);
        const char *kept = bad ? "_" : name.ptr;
        ret_name[len++] = kept[0];
        name = tb_str_sub(name, bad ? bad : 1, name.len);
    }
    ret_name[len] = '\0';
    if (!len) {
        snprintf(ret_name, TB_FILE_NAME_SIZE, "download");
    }
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

/* The browser is to read it, so it belongs to whom the directory belongs to. */
static int hand_over(int dir, int fd)
{
    struct stat owner;
    if (fstat(dir, &owner) < 0 || (geteuid() == 0 && fchown(fd, owner.st_uid, owner.st_gid) < 0)) {
        return -errno;
    }
    return 0;
}

int tb_files_write(const struct tb_files_folder *folder, const char *name, struct tb_str content,
                   struct tb_err *err)
{
    int dir = open_folder(folder);
    int rc = dir < 0 ? dir : 0;
    int fd = -1;
    if (rc == 0) {
        unlinkat(dir, name, 0);
        fd = open_beneath(dir, name, O_WRONLY | O_CREAT | O_EXCL);
        rc = fd < 0 ? fd : hand_over(dir, fd);
        rc = rc < 0 ? rc : write_all(fd, content);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (dir >= 0) {
        close(dir);
    }
    return rc < 0 ? tb_fail(err, TB_E_STORE, "cannot write %s to disk: %s", name, strerror(-rc))
                  : 0;
}

int tb_files_replace(const struct tb_files_folder *folder, const char *name, struct tb_str content)
{
    TB_AUTO(tb_free) char *fresh = tb_strdupf("%s.new", name);
    int rc = tb_files_write(folder, fresh, content, NULL);
    int dir = rc < 0 ? rc : open_folder(folder);
    if (dir < 0) {
        return dir;
    }
    rc = renameat(dir, fresh, dir, name) < 0 ? -errno : 0;
    close(dir);
    return rc;
}

static int read_all(int fd, struct tb_buf *out)
{
    char step[4096];
    ssize_t got;
    while ((got = read(fd, step, sizeof(step))) > 0) {
        int rc = tb_buf_append(out, step, (size_t)got);
        if (rc < 0) {
            return rc;
        }
    }
    return got < 0 ? -errno : 0;
}

int tb_files_read(const struct tb_files_folder *folder, const char *name, struct tb_buf *out)
{
    struct stat info;
    int dir = open_folder(folder);
    if (dir < 0) {
        return dir;
    }
    int fd = open_plain(dir, name, &info);
    int rc = fd < 0 ? fd : read_all(fd, out);
    if (fd >= 0) {
        close(fd);
    }
    close(dir);
    return rc;
}

int64_t tb_files_size(const struct tb_files_folder *folder, const char *name)
{
    struct stat info;
    int dir = open_folder(folder);
    int fd = dir < 0 ? dir : open_plain(dir, name, &info);
    if (fd >= 0) {
        close(fd);
    }
    if (dir >= 0) {
        close(dir);
    }
    return fd >= 0 ? (int64_t)info.st_size : -1;
}

bool tb_files_has(const struct tb_files_folder *folder, const char *name)
{
    return tb_files_size(folder, name) >= 0;
}

void tb_files_delete(const struct tb_files_folder *folder, const char *name)
{
    int dir = open_folder(folder);
    if (dir >= 0) {
        unlinkat(dir, name, 0);
        close(dir);
    }
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

int tb_files_rename(const struct tb_files_folder *folder, const char *from,
                    char name[TB_FILE_NAME_SIZE])
{
    int dir = open_folder(folder);
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
