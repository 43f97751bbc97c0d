/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/browser_version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    WAIT_MS = 10000,
    LOOK_MS = 5,
};

static _Noreturn void become(const char *path, int out_fd)
{
    int null_fd = open("/dev/null", O_RDWR);
    dup2(null_fd, STDIN_FILENO);
    dup2(out_fd, STDOUT_FILENO);
    dup2(null_fd, STDERR_FILENO);
    closefrom(STDERR_FILENO + 1);
    setpgid(0, 0); /* a wrapper script has children */
    execl(path, path, "--version", (char *)NULL);
    _exit(127);
}

/* Reads to the end of the output or of the time; how much there is, or negative. */
static ssize_t read_all(int fd, int64_t end_ms, char *text, size_t size)
{
    size_t len = 0;
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int64_t left_ms = end_ms - tb_clock_mono_ms(tb_clock_system());
        if (left_ms <= 0) {
            return -ETIMEDOUT;
        }
        if (poll(&ready, 1, (int)left_ms) <= 0) {
            continue;
        }
        char step[512];
        ssize_t got = read(fd, step, sizeof(step));
        if (got == 0) {
            return (ssize_t)len;
        }
        if (got < 0 && errno != EINTR) {
            return -errno;
        }
        for (ssize_t i = 0; i < got && len + 1 < size; i++) {
            text[len++] = step[i];
        }
    }
}

/* How it ended; killed, with all that it started, if it has not by then. */
static int wait_for(pid_t child, int64_t end_ms)
{
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (tb_clock_mono_ms(tb_clock_system()) >= end_ms) {
            kill(-child, SIGKILL);
            kill(child, SIGKILL); /* it may not lead its group yet */
            waitpid(child, &status, 0);
            break;
        }
        poll(NULL, 0, LOOK_MS);
    }
    return status;
}

int tb_browser_version(const char *path, char *ret_text, size_t size)
{
    int pipe_fds[2];
    int status = 0;
    int64_t end_ms = tb_clock_mono_ms(tb_clock_system()) + WAIT_MS;
    ret_text[0] = '\0';
    if (pipe2(pipe_fds, O_CLOEXEC) < 0) {
        return -errno;
    }
    pid_t child = fork();
    if (child == 0) {
        become(path, pipe_fds[1]);
    }
    close(pipe_fds[1]);
    ssize_t len = child < 0 ? -errno : read_all(pipe_fds[0], end_ms, ret_text, size);
    close(pipe_fds[0]);
    if (child > 0) {
        status = wait_for(child, len < 0 ? 0 : end_ms);
    }
    ret_text[len > 0 ? len : 0] = '\0';
    ret_text[strcspn(ret_text, "\r\n")] = '\0';
    bool fine = len > 0 && status == 0 && ret_text[0];
    if (!fine) {
        ret_text[0] = '\0';
    }
    return fine ? 0 : len < 0 ? (int)len : -ENOEXEC;
}
