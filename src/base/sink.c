/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

void tb_sink_init(struct tb_sink *sink, int fd)
{
    struct stat info;
    *sink = (struct tb_sink){.fd = fd, .own_fd = -1};
    if (fstat(fd, &info) < 0) {
        return;
    }
    sink->socket = S_ISSOCK(info.st_mode);
    if (S_ISFIFO(info.st_mode)) {
        char path[64];
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        sink->own_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    }
}

void tb_sink_fini(struct tb_sink *sink)
{
    if (sink->own_fd >= 0) {
        close(sink->own_fd);
    }
    sink->own_fd = -1;
}

static ssize_t write_when_ready(int fd, const void *bytes, size_t len)
{
    struct pollfd ready = {fd, POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(fd, bytes, len < PIPE_BUF ? len : PIPE_BUF);
}

ssize_t tb_sink_write(const struct tb_sink *sink, const void *bytes, size_t len)
{
    ssize_t put;
    do {
        if (sink->socket) {
            put = send(sink->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        } else if (sink->own_fd >= 0) {
            put = write(sink->own_fd, bytes, len);
        } else {
            put = write_when_ready(sink->fd, bytes, len);
        }
    } while (put < 0 && errno == EINTR);
    return put < 0 ? -errno : put;
}

void tb_sink_tell(int fd, const char *format, ...)
{
    struct tb_sink sink;
    TB_AUTO(tb_free) char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0) {
        abort();
    }
    tb_sink_init(&sink, fd);
    ssize_t put = 1;
    for (ssize_t at = 0; at < len && put > 0; at += put) {
        put = tb_sink_write(&sink, text + at, (size_t)(len - at));
    }
    tb_sink_fini(&sink);
}
