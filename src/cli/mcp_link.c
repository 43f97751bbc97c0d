/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/options.h"
#include "cli/title.h"
#include "daemon/daemon.h"
#include "daemon/dirs.h"

enum {
    HEAD_MAX = 4096,
    TITLE_MAX = 4096,
    ANSWER_MS = 5000, /* for the daemon to answer on an open socket */
    START_MS = 10000, /* for a fresh daemon to be ready */
    RETRY_MS = 20,    /* between tries while another process holds the lock */
};

static int connect_once(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -errno;
    }
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0) {
        return fd;
    }
    int rc = -errno;
    close(fd);
    return rc;
}

/* One byte, since what follows the head belongs to the lines. */
static int read_byte(int fd, char *ret_byte)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int ready;
    do {
        ready = poll(&wait, 1, ANSWER_MS);
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) {
        return ready == 0 ? TB_E_TIMEOUT : -errno;
    }
    ssize_t got = read(fd, ret_byte, 1);
    return got == 1 ? 0 : TB_E_CLOSED;
}

static int read_head(int fd, struct tb_buf *head)
{
    const struct tb_str end = TB_STR("\r\n\r\n");
    for (;;) {
        char byte = 0;
        int rc = read_byte(fd, &byte);
        if (rc == 0) {
            rc = tb_buf_append_char(head, byte);
        }
        if (rc < 0) {
            return rc;
        }
        struct tb_str text = tb_buf_str(head);
        if (text.len >= end.len && tb_str_eq(tb_str_sub(text, text.len - end.len, text.len), end)) {
            return 0;
        }
    }
}

static int upgrade(const struct tb_mcp_link *link, int fd, struct tb_err *err)
{
    TB_AUTO(tb_free)
    char *request = tb_strdupf("GET /mcp/stdio?toolset=%s&groups=%s HTTP/1.1\r\n"
                               "Host: localhost\r\n"
                               "X-Conversation-Id: %s\r\n"
                               "Connection: Upgrade\r\n"
                               "Upgrade: tabard-mcp\r\n\r\n",
                               link->toolset, link->groups, link->conversation);
    TB_AUTO(tb_buf_fini) struct tb_buf head = TB_BUF(HEAD_MAX);
    size_t len = strlen(request);
    int rc = write(fd, request, len) == (ssize_t)len ? read_head(fd, &head) : -errno;
    if (rc < 0) {
        return tb_fail(err, rc, "the daemon does not answer: %s", tb_err_name(rc));
    }
    if (tb_str_starts(tb_buf_str(&head), TB_STR("HTTP/1.1 101 "))) {
        return 0;
    }
    struct tb_str rest = tb_buf_str(&head);
    struct tb_str line = tb_str_cut(&rest, '\r');
    return tb_fail(err, TB_E_INVALID,
                   "the daemon refused the connection (%.*s); check --toolset and --groups",
                   TB_STR_ARG(line));
}

/* Nothing of ours may stay open in the daemon. */
static void set_descriptors(const struct tb_mcp_link *link, int ready_fd)
{
    TB_AUTO(tb_free) char *log = tb_dirs_join(link->config->state_dir, "daemon.log");
    int null_fd = open("/dev/null", O_RDONLY);
    int log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(null_fd, STDIN_FILENO);
    dup2(ready_fd, STDOUT_FILENO);
    dup2(log_fd >= 0 ? log_fd : null_fd, STDERR_FILENO);
    closefrom(STDERR_FILENO + 1);
}

/* In the child. Without exec, since to link the program once more takes longer than all the rest.
 * The bridge has neither threads nor a loop that the daemon would share. */
static _Noreturn void become_daemon(const struct tb_mcp_link *link, int ready_fd)
{
    struct tb_options options = {.sources = *link->sources};
    struct tb_buf title;
    struct tb_err err = {0};
    tb_buf_init(&title, TITLE_MAX);
    tb_buf_append_cstr(&title, "tabard serve");
    if (link->sources->file) {
        options.sources.file = tb_strdup(link->sources->file);
        tb_buf_printf(&title, " --config %s", options.sources.file);
    }
    for (size_t i = 0; i < 2 * link->sources->flag_count; i++) {
        options.flags[i] = tb_strdup(link->sources->flags[i]);
        tb_buf_printf(&title, " %s", options.flags[i]);
    }
    options.sources.flags = options.flags;
    setsid();
    set_descriptors(link, ready_fd);
    tb_title_set(tb_buf_str(&title));
    tb_buf_fini(&title);
    if (tb_daemon_run(&options.sources, STDOUT_FILENO, &err) == 0) {
        exit(0);
    }
    fprintf(stderr, "tabard serve: %s\n", err.text);
    exit(write(STDOUT_FILENO, &err, sizeof(err)) < 0 ? 2 : 1);
}

/* The daemon says that it is open, or what is wrong, as the whole of a struct tb_err. */
static int wait_open(const struct tb_mcp_link *link, int fd, struct tb_err *err)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    struct tb_err said;
    ssize_t got = poll(&wait, 1, START_MS) == 1 ? read(fd, &said, sizeof(said)) : 0;
    if (got == sizeof(said)) {
        return tb_fail(err, said.code, "%s", said.text);
    }
    return got > 0 ? 0
                   : tb_fail(err, TB_E_CLOSED,
                             "the daemon did not start; see %s/daemon.log, or run 'tabard doctor'",
                             link->config->state_dir);
}

static int start_daemon(const struct tb_mcp_link *link, struct tb_err *err)
{
    int ready[2];
    int rc = tb_dirs_make(link->config, err);
    if (rc < 0) {
        return rc;
    }
    if (pipe2(ready, O_CLOEXEC) < 0) {
        return tb_fail(err, -errno, "cannot start the daemon: %s", tb_err_name(-errno));
    }
    pid_t child = fork();
    if (child == 0) {
        /* A second fork, so that the daemon is nobody's child and leaves no zombie. */
        if (fork() == 0) {
            become_daemon(link, ready[1]);
        }
        _exit(0);
    }
    close(ready[1]);
    waitpid(child, NULL, 0);
    rc = wait_open(link, ready[0], err);
    close(ready[0]);
    return rc;
}

/* Who holds the lock is about to open the socket, or was killed and is not quite gone. */
static int open_started(const struct tb_mcp_link *link, const char *path, struct tb_err *err)
{
    const struct tb_clock *clock = tb_clock_system();
    int64_t give_up_ms = tb_clock_mono_ms(clock) + START_MS;
    for (;;) {
        int rc = start_daemon(link, err);
        if (rc < 0 && rc != TB_E_LOCKED) {
            return rc;
        }
        int fd = connect_once(path);
        if (fd >= 0) {
            return fd;
        }
        if (rc == 0) {
            return tb_fail(err, fd, "the daemon ended at once; see %s/daemon.log",
                           link->config->state_dir);
        }
        if (tb_clock_mono_ms(clock) > give_up_ms) {
            return rc;
        }
        poll(NULL, 0, RETRY_MS);
    }
}

int tb_mcp_link_open(const struct tb_mcp_link *link, struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_socket(link->config);
    int fd = connect_once(path);
    if (fd == -ENOENT || fd == -ECONNREFUSED) {
        if (!link->may_start) {
            return tb_fail(err, fd, "no daemon runs at %s; start one with 'tabard serve'", path);
        }
        fd = open_started(link, path, err);
    } else if (fd < 0) {
        tb_fail(err, fd, "cannot connect to %s: %s", path, tb_err_name(fd));
    }
    if (fd < 0) {
        return fd;
    }
    int rc = upgrade(link, fd, err);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    return fd;
}
