/* SPDX-License-Identifier: Apache-2.0 */
/* What carries DevTools messages: the two ends of a pipe, each message ended by NUL, or a
 * WebSocket.
 *
 * Callbacks come from the loop; the owner may free the line inside them. A message to a WebSocket
 * that is not open yet waits. */
#pragma once

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "driver/cdp/wire/framer.h"
#include "io/stream.h"

struct tb_cdp_line;

struct tb_cdp_line_ops {
    struct tb_cdp_framer_ops input; /* false from these: no more of what was read is handed on */
    /* A message has begun and is not whole; all of it so far. The line may be freed. */
    void (*on_part)(struct tb_str part, void *user);
    /* Nothing more comes. Once. The owner frees the line. */
    void (*on_end)(void *user);
};

struct tb_cdp_line *tb_cdp_line_new_pipe_take(struct tb_stream *to, struct tb_stream *from,
                                              const struct tb_cdp_line_ops *ops, void *user);
/* The stream is connected. */
struct tb_cdp_line *tb_cdp_line_new_ws_take(struct tb_stream *stream, struct tb_str host,
                                            struct tb_str target, const struct tb_cdp_line_ops *ops,
                                            void *user);
void tb_cdp_line_free(struct tb_cdp_line *line);
TB_DEFINE_AUTO(struct tb_cdp_line *, tb_cdp_line_free)

/* Sends one message; the buffer may be empty afterwards, its owner ends it in any case.
 * TB_E_TOO_LARGE when the browser does not read, TB_E_CLOSED when it is gone. */
int tb_cdp_line_write(struct tb_cdp_line *line, struct tb_buf *message);
