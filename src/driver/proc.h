/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says of a process, and how much a group of processes has done. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* See proc_pid_stat(5). */
struct tb_proc {
    char state;
    pid_t group;
    uint64_t flags;
    uint64_t faults; /* that had to wait for the disk */
    uint64_t ticks;  /* of processor time */
    uint64_t start_ticks;
    uint64_t pending; /* signals */
};

/* false: there is no such process any more. */
bool tb_proc_read(pid_t pid, struct tb_proc *ret_proc);
struct tb_proc_usage {
    int64_t processes;
    int64_t bytes; /* of memory, without what they share with others */
};

/* What the groups use, each named by its leader. */
struct tb_proc_usage tb_proc_groups_usage(const pid_t *groups, size_t count);
/* A number that changes while processes of the group compute, read from the disk, come or go. */
uint64_t tb_proc_group_work(pid_t group);
