/* SPDX-License-Identifier: Apache-2.0 */
/* What carries DevTools messages, as its connection sees it. Each kind is a file (line_pipe.c,
 * line_ws.c) that has this as the first part of its own record.
 *
 * Whoever makes a line gives it to a connection in the same turn. Callbacks come from the loop; the
 * line may be freed inside them. */
#pragma once

#include "base/buf.h"
#include "base/str.h"
#include "driver/cdp/wire/framer.h"

struct tb_cdp_line;

/* What a kind does. */
struct tb_cdp_line_kind {
    /* Sends one message; the buffer may be empty afterwards, its owner ends it in any case. What
     * cannot be sent yet waits. TB_E_TOO_LARGE when the browser does not read, TB_E_CLOSED when it
     * is gone. */
    int (*write)(struct tb_cdp_line *line, struct tb_buf *message);
    void (*free)(struct tb_cdp_line *line);
};

/* What it tells. */
struct tb_cdp_line_ops {
    struct tb_cdp_framer_ops input; /* false from these: no more of what was read is handed on */
    /* A message has begun and is not whole; all of it so far. The line may be freed. */
    void (*on_part)(struct tb_str part, void *user);
    /* Nothing more comes. Once. The owner frees the line. */
    void (*on_end)(void *user);
};

struct tb_cdp_line {
    const struct tb_cdp_line_kind *kind;
    const struct tb_cdp_line_ops *ops; /* these two are its connection's */
    void *user;
};
