/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/dirs.h"

static void read_holder(int fd, char *ret_text, size_t size)
{
    ssize_t len = pread(fd, ret_text, size - 1, 0);
    ret_text[len > 0 ? len : 0] = '\0';
    if (len <= 0) {
        snprintf(ret_text, size,
                 "another tabard"); /* it has not written it yet, or it was removed */
    }
}

/* Can this kind of file not be locked in its file system? NFS wants one that is open for writing,
 * which a directory never is (EBADF). */
static bool unlockable(int code)
{
    return code == EBADF || code == EINVAL || code == ENOLCK || code == ENOSYS || code == ENOTSUP;
}

/* TB_E_LOCKED when another process holds it. Where one of the two cannot be locked, the other has
 * to do. */
static int hold(int fd, int how)
{
    int rc;
    do {
        rc = flock(fd, how | LOCK_NB) < 0 ? -errno : 0;
    } while (rc == -EINTR);
    return rc == -EWOULDBLOCK ? TB_E_LOCKED : unlockable(-rc) ? 0 : rc;
}

static int open_both(const char *state_dir, struct tb_lock *ret_lock, struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "lock");
    struct tb_lock lock = {.dir_fd = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    lock.file_fd = lock.dir_fd < 0 ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock.file_fd < 0) {
        int rc = -errno;
        tb_fail(err, rc, "cannot open %s: %s", lock.dir_fd < 0 ? state_dir : path, tb_err_name(rc));
        tb_lock_release(&lock);
        return rc;
    }
    *ret_lock = lock;
    return 0;
}

int tb_lock_take(const char *state_dir, struct tb_lock *ret_lock, struct tb_err *err)
{
    *ret_lock = TB_LOCK_NONE;
    int rc = open_both(state_dir, ret_lock, err);
    if (rc < 0) {
        return rc;
    }
    rc = hold(ret_lock->dir_fd, LOCK_EX);
    rc = rc < 0 ? rc : hold(ret_lock->file_fd, LOCK_EX);
    if (rc == 0) {
        return 0;
    }
    if (rc != TB_E_LOCKED) {
        tb_lock_release(ret_lock);
        return tb_fail(err, rc, "cannot lock the state directory %s: %s", state_dir,
                       tb_err_name(rc));
    }
    char holder[TB_LOCK_HOLDER_SIZE];
    read_holder(ret_lock->file_fd, holder, sizeof(holder));
    tb_lock_release(ret_lock);
    struct tb_str rest = tb_str_of(holder);
    char how[TB_LOCK_HOLDER_SIZE] = "stop that one";
    if (tb_str_starts(rest, TB_STR("process "))) {
        rest = tb_str_sub(rest, strlen("process "), rest.len);
        struct tb_str pid = tb_str_cut(&rest, ',');
        snprintf(how, sizeof(how), "run: kill %.*s", TB_STR_ARG(pid));
    }
    return tb_fail(err, TB_E_LOCKED,
                   "the state directory %s is in use by %s; %s (agents that are connected start a "
                   "new one with their next call), or choose another with --state-dir",
                   state_dir, holder, how);
}

void tb_lock_release(struct tb_lock *lock)
{
    if (lock->file_fd >= 0) {
        close(lock->file_fd);
    }
    if (lock->dir_fd >= 0) {
        close(lock->dir_fd);
    }
    *lock = TB_LOCK_NONE;
}

void tb_lock_describe(const struct tb_lock *lock, struct tb_str address)
{
    char text[TB_LOCK_HOLDER_SIZE];
    int len = snprintf(text, sizeof(text), "process %d, %.*s", (int)getpid(), TB_STR_ARG(address));
    if (ftruncate(lock->file_fd, 0) == 0 && len > 0) {
        /* The text helps people; the lock works without it. */
        ssize_t ignored = pwrite(lock->file_fd, text, (size_t)len, 0);
        (void)ignored;
    }
}

static bool is_held(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool held = hold(fd, LOCK_SH) == TB_E_LOCKED;
    close(fd);
    return held;
}

void tb_lock_holder(const char *state_dir, char *ret_text, size_t size)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "lock");
    ret_text[0] = '\0';
    if (is_held(state_dir) || is_held(path)) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        read_holder(fd, ret_text, size);
        if (fd >= 0) {
            close(fd);
        }
    }
}
