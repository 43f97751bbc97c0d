/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of support/disk_faults.h. They take the place of the C library's, so they stand in a
 * header for the one source of a program that wants that. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/disk_faults.h"

static inline long refuse(int error)
{
    errno = error;
    return -1;
}

/* A disk that is full takes what fits. */
static inline size_t first_half(size_t len, int error)
{
    return error == ENOSPC ? len / 2 : 0;
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
    int error = disk_judge(DISK_PWRITE);
    size_t part = first_half(len, error);
    if (error && part == 0) {
        return refuse(error);
    }
    return syscall(SYS_pwrite64, fd, data, error ? part : len, at);
}

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t at)
{
    return pwrite(fd, data, len, at);
}

int fsync(int fd)
{
    int error = disk_judge(DISK_SYNC);
    return (int)(error ? refuse(error) : syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    int error = disk_judge(DISK_SYNC);
    return (int)(error ? refuse(error) : syscall(SYS_fdatasync, fd));
}

int ftruncate(int fd, off_t len)
{
    int error = disk_judge(DISK_TRUNCATE);
    return (int)(error ? refuse(error) : syscall(SYS_ftruncate, fd, len));
}

int ftruncate64(int fd, off64_t len)
{
    return ftruncate(fd, len);
}

int rename(const char *from, const char *to)
{
    int error = disk_judge(DISK_RENAME);
    return (int)(error ? refuse(error) : syscall(SYS_rename, from, to));
}

int link(const char *from, const char *to)
{
    int error = disk_judge(DISK_RENAME);
    return (int)(error ? refuse(error) : syscall(SYS_link, from, to));
}

int unlink(const char *path)
{
    int error = disk_judge(DISK_UNLINK);
    return (int)(error ? refuse(error) : syscall(SYS_unlink, path));
}

/* The size alone: the space of thousands of files would take its time. */
int posix_fallocate(int fd, off_t at, off_t len)
{
    int error = disk_judge(DISK_RESERVE);
    off_t size = lseek(fd, 0, SEEK_END);
    if (error || size >= at + len) {
        return error;
    }
    return syscall(SYS_ftruncate, fd, at + len) < 0 ? errno : 0;
}
