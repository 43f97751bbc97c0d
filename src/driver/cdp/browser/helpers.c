/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/helpers.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "io/poll.h"

enum {
    WATCHED_MAX = 8, /* two services and two zygotes, and some to spare */
    CMDLINE_MAX = 64 * 1024,
};

struct watched {
    struct tb_cdp_helpers *helpers;
    const char *words;
    int64_t pid; /* 0: free */
    int fd;
    struct tb_poll *poll;
};

struct tb_cdp_helpers {
    struct tb_loop *loop;
    tb_cdp_helpers_fn *fn;
    void *user;
    struct watched watched[WATCHED_MAX];
};

/* What the browser calls them, and how their command lines show that it is right. */
static const struct kind {
    const char *type;
    const char *mark;
    const char *words;
} kinds[] = {
    {"network.mojom.NetworkService", "--utility-sub-type=network.mojom.NetworkService",
     "the browser's network service, which keeps the cookies, ended unexpectedly"},
    {"storage.mojom.StorageService", "--utility-sub-type=storage.mojom.StorageService",
     "the browser's storage service ended unexpectedly"},
    {"zygote", "--type=zygote", "the browser process that starts pages ended unexpectedly"},
};

struct tb_cdp_helpers *tb_cdp_helpers_new(struct tb_loop *loop, tb_cdp_helpers_fn *fn, void *user)
{
    struct tb_cdp_helpers *helpers = TB_NEW(struct tb_cdp_helpers);
    helpers->loop = loop;
    helpers->fn = fn;
    helpers->user = user;
    return helpers;
}

static void unwatch(struct watched *watched)
{
    if (watched->pid) {
        tb_poll_free(watched->poll);
        close(watched->fd);
        watched->pid = 0;
    }
}

void tb_cdp_helpers_free(struct tb_cdp_helpers *helpers)
{
    if (!helpers) {
        return;
    }
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        unwatch(&helpers->watched[i]);
    }
    tb_free(helpers);
}

static void on_end(struct tb_poll *poll, int events, void *user)
{
    struct watched *watched = user;
    struct tb_cdp_helpers *helpers = watched->helpers;
    (void)events;
    tb_poll_watch(poll, 0);
    helpers->fn(watched->words, helpers->user);
}

/* Arguments are ended by NUL; those of a zygote by spaces once it has set its title. */
static bool has_mark(int64_t pid, const char *mark)
{
    char path[64];
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(CMDLINE_MAX);
    snprintf(path, sizeof(path), "/proc/%lld/cmdline", (long long)pid);
    return tb_file_read(path, &line) == 0 && line.len &&
           memmem(line.data, line.len, mark, strlen(mark));
}

static struct watched *place_for(struct tb_cdp_helpers *helpers, int64_t pid)
{
    struct watched *free_place = NULL;
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        struct watched *watched = &helpers->watched[i];
        if (watched->pid == pid) {
            return NULL;
        }
        free_place = watched->pid ? free_place : watched;
    }
    return free_place;
}

static void watch(struct tb_cdp_helpers *helpers, const struct kind *kind, int64_t pid)
{
    struct watched *watched = pid > 1 ? place_for(helpers, pid) : NULL;
    int fd = watched ? pidfd_open((pid_t)pid, 0) : -1;
    if (fd < 0) {
        return;
    }
    /* The number may have gone to another process before it was opened. */
    struct tb_poll *poll =
        has_mark(pid, kind->mark) ? tb_poll_new(helpers->loop, fd, on_end, watched) : NULL;
    if (!poll) {
        close(fd);
        return;
    }
    *watched = (struct watched){helpers, kind->words, pid, fd, poll};
    tb_poll_watch(poll, TB_POLL_READ);
}

/* The browser's first thread starts nothing but zygotes. */
static void watch_zygotes(struct tb_cdp_helpers *helpers, int64_t browser_pid)
{
    const struct kind *kind = &kinds[TB_COUNT(kinds) - 1];
    char path[96];
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(CMDLINE_MAX);
    snprintf(path, sizeof(path), "/proc/%lld/task/%lld/children", (long long)browser_pid,
             (long long)browser_pid);
    if (tb_file_read(path, &text) < 0) {
        return;
    }
    struct tb_str rest = tb_buf_str(&text);
    while (rest.len) {
        uint64_t pid;
        if (tb_str_to_u64(tb_str_cut(&rest, ' '), &pid) && has_mark((int64_t)pid, kind->mark)) {
            watch(helpers, kind, (int64_t)pid);
        }
    }
}

void tb_cdp_helpers_take(struct tb_cdp_helpers *helpers, struct tb_str process_info)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(process_info);
    JSON_ARRAY_FOREACH(process, tb_json_get(json, "processInfo")) {
        struct tb_str type = TB_STR("");
        int64_t pid = 0;
        tb_json_str(tb_json_get(process, "type"), &type);
        tb_json_int(tb_json_get(process, "id"), &pid);
        if (tb_str_eq_cstr(type, "browser")) {
            watch_zygotes(helpers, pid);
        }
        for (size_t i = 0; i < TB_COUNT(kinds); i++) {
            if (tb_str_eq_cstr(type, kinds[i].type)) {
                watch(helpers, &kinds[i], pid);
            }
        }
    }
}

bool tb_cdp_helpers_whole(const struct tb_cdp_helpers *helpers)
{
    struct pollfd fds[WATCHED_MAX];
    nfds_t count = 0;
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        if (helpers->watched[i].pid) {
            fds[count++] = (struct pollfd){.fd = helpers->watched[i].fd, .events = POLLIN};
        }
    }
    return poll(fds, count, 0) == 0;
}
