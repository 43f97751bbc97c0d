/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that fails on command. A program that includes support/disk_calls.h, once, has its own
 * pwrite, fsync, ftruncate, rename and so on, which SQLite in the same process gets as well.
 * Without a command they pass the call on. Calls may come from workers too. */
#pragma once

enum disk_call {
    DISK_PWRITE,
    DISK_SYNC, /* fsync and fdatasync */
    DISK_TRUNCATE,
    DISK_RENAME, /* link too */
    DISK_UNLINK,
    DISK_RESERVE, /* fallocate */
    DISK_CALLS,
};

/* After `pass` more calls of this kind, `count` of them fail with this error and change nothing. */
void disk_fail(enum disk_call call, long pass, long count, int error);
/* After `pass` more calls of any kind nothing reaches the disk any more, as if the process had been
 * killed there: all fail. */
void disk_freeze(long pass);
/* Everything works again. */
void disk_heal(void);
/* Calls of this kind so far. */
long disk_count(enum disk_call call);
/* For the calls themselves: 0, or the error that this one is to give. */
int disk_judge(enum disk_call call);
