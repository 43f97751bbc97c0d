/* SPDX-License-Identifier: Apache-2.0 */
/* Writing to a descriptor without ever waiting, for stdout and stderr: they may be others' too, so
 * they are not made non-blocking. A socket takes a flag with each write, a pipe is opened a second
 * time for ourselves. Of anything else, what poll() calls writable takes a small write at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tb_sink {
    int fd;     /* borrowed */
    int own_fd; /* the same pipe, non-blocking; -1: none */
    bool socket;
};

void tb_sink_init(struct tb_sink *sink, int fd);
void tb_sink_fini(struct tb_sink *sink);
/* How much of it was taken; -EAGAIN when nothing can be at the moment, or another negative code. A
 * pipe takes up to PIPE_BUF bytes whole or not at all. */
ssize_t tb_sink_write(const struct tb_sink *sink, const void *bytes, size_t len);
/* For a few words on a descriptor that is used for nothing else: what is not taken at once is lost.
 */
void tb_sink_tell(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
