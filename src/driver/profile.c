/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>

#include "base/id.h"
#include "base/str.h"
#include "driver/proc.h"

static const char name_start[] = "tabard-browser-";

enum {
    DEPTH_MAX = 64, /* deeper than any browser writes; each level holds a descriptor */
};

/* When a process began, in ticks since the machine's start; 0 if there is none of that number. */
static uint64_t start_time(uint64_t pid)
{
    struct tb_proc proc;
    return tb_proc_read((pid_t)pid, &proc) ? proc.start_ticks : 0;
}

int tb_profile_make(const char *root, uid_t uid, gid_t gid, char ret_path[TB_PROFILE_PATH_SIZE],
                    struct tb_err *err)
{
    uint32_t number;
    tb_random_bytes(&number, sizeof(number));
    uint64_t pid = (uint64_t)getpid();
    int len = snprintf(ret_path, TB_PROFILE_PATH_SIZE, "%s/%s%llu-%llu-%08x", root, name_start,
                       (unsigned long long)pid, (unsigned long long)start_time(pid), number);
    if (len < 0 || len >= TB_PROFILE_PATH_SIZE) {
        return tb_fail(err, -ENAMETOOLONG, "the path of the runtime directory is too long");
    }
    if (mkdir(ret_path, 0700) < 0) {
        return tb_fail(err, -errno, "cannot create %s: %s", ret_path, strerror(errno));
    }
    if (geteuid() == 0 && lchown(ret_path, uid, gid) < 0) {
        int rc = tb_fail(err, -errno, "cannot give %s to the browser's user: %s", ret_path,
                         strerror(errno));
        rmdir(ret_path);
        return rc;
    }
    return 0;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int open_dir(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes the first plain entries of a folder until only folders are left. The first folder among
 * them is opened: that is where to go on. -1 when none is left. */
static DIR *clear_folder(DIR *dir, char ret_name[NAME_MAX + 1])
{
    rewinddir(dir);
    DIR *child = NULL;
    struct dirent *entry = NULL;
    while (!child && (entry = readdir(dir))) {
        if (is_dots(entry->d_name) || unlinkat(dirfd(dir), entry->d_name, 0) == 0) {
            continue;
        }
        if (unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR) == 0) {
            continue;
        }
        int fd = open_dir(dirfd(dir), entry->d_name);
        child = fd < 0 ? NULL : fdopendir(fd);
        if (child) {
            snprintf(ret_name, NAME_MAX + 1, "%s", entry->d_name);
        }
    }
    return child;
}

/* Walks down with a stack of open folders and removes each on the way up. A folder that is filled
 * again meanwhile is left to the caller's next try. */
static void clear_tree(int fd)
{
    struct {
        DIR *dir;
        char name[NAME_MAX + 1];
    } stack[DEPTH_MAX];
    size_t depth = 0;
    stack[0].dir = fdopendir(fd);
    if (!stack[0].dir) {
        close(fd);
        return;
    }
    for (bool failed = false;;) {
        char name[NAME_MAX + 1];
        DIR *child = failed || depth + 1 == DEPTH_MAX ? NULL : clear_folder(stack[depth].dir, name);
        if (child) {
            depth++;
            stack[depth].dir = child;
            memcpy(stack[depth].name, name, sizeof(name));
            continue;
        }
        closedir(stack[depth].dir);
        if (depth == 0) {
            return;
        }
        depth--;
        failed =
            failed || unlinkat(dirfd(stack[depth].dir), stack[depth + 1].name, AT_REMOVEDIR) < 0;
    }
}

int tb_profile_remove(const char *path)
{
    int fd = open_dir(AT_FDCWD, path);
    if (fd >= 0) {
        clear_tree(fd);
    }
    return rmdir(path) == 0 || errno == ENOENT ? 0 : -errno;
}

/* "tabard-browser-PID-START-RANDOM" of a daemon that is gone. */
static bool is_stale(struct tb_str name)
{
    uint64_t pid;
    uint64_t started;
    if (!tb_str_starts(name, TB_STR(name_start))) {
        return false;
    }
    struct tb_str rest = tb_str_sub(name, sizeof(name_start) - 1, name.len);
    return tb_str_to_u64(tb_str_cut(&rest, '-'), &pid) &&
           tb_str_to_u64(tb_str_cut(&rest, '-'), &started) && start_time(pid) != started;
}

size_t tb_profile_sweep(const char *root, uid_t uid)
{
    size_t count = 0;
    struct dirent *entry;
    DIR *dir = opendir(root);
    while (dir && (entry = readdir(dir))) {
        char path[TB_PROFILE_PATH_SIZE];
        struct stat info;
        int len = snprintf(path, sizeof(path), "%s/%s", root, entry->d_name);
        bool ours = len > 0 && (size_t)len < sizeof(path) && is_stale(tb_str_of(entry->d_name)) &&
                    lstat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
                    (info.st_uid == uid || info.st_uid == geteuid());
        count += ours && tb_profile_remove(path) == 0;
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}
