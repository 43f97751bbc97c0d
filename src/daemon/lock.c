/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/dirs.h"

static void read_holder(int fd, char *ret_text, size_t size)
{
    ssize_t len = pread(fd, ret_text, size - 1, 0);
    ret_text[len > 0 ? len : 0] = '\0';
}

int tb_lock_take(const char *state_dir, struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return tb_fail(err, -errno, "cannot open %s: %s", path, tb_err_name(-errno));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return fd;
    }
    char holder[128];
    read_holder(fd, holder, sizeof(holder));
    close(fd);
    return tb_fail(err, TB_E_LOCKED,
                   "the state directory %s is in use by %s; stop that one or choose another with "
                   "--state-dir",
                   state_dir, holder[0] ? holder : "another tabard");
}

void tb_lock_describe(int lock_fd, struct tb_str address)
{
    char text[128];
    int len = snprintf(text, sizeof(text), "process %d, %.*s", (int)getpid(), TB_STR_ARG(address));
    if (ftruncate(lock_fd, 0) == 0 && len > 0) {
        /* The text helps people; the lock works without it. */
        ssize_t ignored = pwrite(lock_fd, text, (size_t)len, 0);
        (void)ignored;
    }
}

void tb_lock_holder(const char *state_dir, char *ret_text, size_t size)
{
    TB_AUTO(tb_free) char *path = tb_dirs_join(state_dir, "lock");
    ret_text[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (flock(fd, LOCK_SH | LOCK_NB) < 0) {
        read_holder(fd, ret_text, size);
    }
    close(fd);
}
