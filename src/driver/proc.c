/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/proc.h"

#include <stdio.h>
#include <string.h>

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

uint64_t tb_proc_group_work(pid_t group)
{
    uint64_t work = 0;
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        uint64_t pid;
        struct tb_proc proc;
        if (tb_str_to_u64(tb_str_of(entry->d_name), &pid) && tb_proc_read((pid_t)pid, &proc) &&
            proc.group == group) {
            work += proc.ticks + proc.faults;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return work;
}
