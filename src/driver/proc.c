/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/proc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <dirent.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"

/* Fields of /proc/pid/stat, which counts them from 1. */
enum {
    STATE = 3,
    GROUP = 5,
    FLAGS = 9,
    MAJOR_FAULTS = 12,
    USER_TICKS = 14,
    SYSTEM_TICKS = 15,
    START_TICKS = 22,
    PENDING = 31,
    TEXT_MAX = 4096,
};

bool tb_proc_read(pid_t pid, struct tb_proc *ret_proc)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TEXT_MAX);
    char path[32];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    tb_file_read(path, &text);
    /* The name in parentheses may hold anything, so fields are counted behind its end. */
    const char *end = text.len ? memrchr(text.data, ')', text.len) : NULL;
    size_t left = end ? text.len - (size_t)(end - (const char *)text.data) : 0;
    if (left < 3) {
        return false;
    }
    struct tb_str rest = {end + 2, left - 2};
    uint64_t numbers[PENDING + 1] = {0};
    for (int i = STATE; i <= PENDING && rest.len; i++) {
        tb_str_to_u64(tb_str_cut(&rest, ' '), &numbers[i]);
    }
    *ret_proc = (struct tb_proc){
        .state = end[2],
        .group = (pid_t)numbers[GROUP],
        .flags = numbers[FLAGS],
        .faults = numbers[MAJOR_FAULTS],
        .ticks = numbers[USER_TICKS] + numbers[SYSTEM_TICKS],
        .start_ticks = numbers[START_TICKS],
        .pending = numbers[PENDING],
    };
    return true;
}

typedef void each_fn(pid_t pid, const struct tb_proc *proc, void *user);

static void each(each_fn *fn, void *user)
{
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        uint64_t pid;
        struct tb_proc proc;
        if (tb_str_to_u64(tb_str_of(entry->d_name), &pid) && tb_proc_read((pid_t)pid, &proc)) {
            fn((pid_t)pid, &proc, user);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

struct work {
    pid_t group;
    uint64_t done;
};

static void add_work(pid_t pid, const struct tb_proc *proc, void *user)
{
    struct work *work = user;
    (void)pid;
    work->done += proc->group == work->group ? proc->ticks + proc->faults : 0;
}

uint64_t tb_proc_group_work(pid_t group)
{
    struct work work = {.group = group};
    each(add_work, &work);
    return work.done;
}

/* See proc_pid_statm(5): the second field is what it has in memory, the third what others may have
 * there, too. */
static int64_t own_bytes(pid_t pid)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TEXT_MAX);
    char path[32];
    uint64_t pages[3] = {0};
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    tb_file_read(path, &text);
    struct tb_str rest = tb_buf_str(&text);
    for (size_t i = 0; i < TB_COUNT(pages); i++) {
        tb_str_to_u64(tb_str_cut(&rest, ' '), &pages[i]);
    }
    return pages[1] > pages[2] ? (int64_t)(pages[1] - pages[2]) * sysconf(_SC_PAGESIZE) : 0;
}

struct sum {
    const pid_t *groups;
    size_t count;
    struct tb_proc_usage usage;
};

static void add_usage(pid_t pid, const struct tb_proc *proc, void *user)
{
    struct sum *sum = user;
    for (size_t i = 0; i < sum->count; i++) {
        if (sum->groups[i] == proc->group) {
            sum->usage.processes++;
            sum->usage.bytes += own_bytes(pid);
            return;
        }
    }
}

struct tb_proc_usage tb_proc_groups_usage(const pid_t *groups, size_t count)
{
    struct sum sum = {.groups = groups, .count = count};
    if (count) {
        each(add_usage, &sum);
    }
    return sum.usage;
}
