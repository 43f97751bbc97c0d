/* SPDX-License-Identifier: Apache-2.0 */
/* A WebSocket client for benches: text messages over a connection of its own. What a read brought
 * in is handed on message by message; a message that came in one piece is not copied.
 *
 * The masks that it sends are zero, so that the load generator pays nothing for them; a server
 * takes them off as any other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "base/buf.h"
#include "base/str.h"

struct bench_line;

struct bench_line_ops {
    void (*open)(struct bench_line *line);
    void (*message)(struct bench_line *line, struct tb_str text);
};

/* What all lines of a program share. */
struct bench_lines {
    uv_loop_t *loop;
    const struct bench_line_ops *ops;
    char *in; /* of the read that is being handled */
};

struct bench_line {
    uv_tcp_t tcp;
    uv_connect_t connect;
    struct bench_lines *lines;
    bool upgraded;
    struct tb_buf rest; /* the beginning of a message that has not all come */
    struct tb_buf target;
};

void bench_lines_init(struct bench_lines *lines, uv_loop_t *loop, const struct bench_line_ops *ops);
/* `open` is told when the handshake is done. A line that fails or is closed ends the program. */
void bench_line_dial(struct bench_line *line, struct bench_lines *lines, unsigned port,
                     const char *target);
/* head and tail together are the text of a message. */
void bench_line_send(struct bench_line *line, struct tb_str head, struct tb_str tail);
