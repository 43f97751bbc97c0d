/* SPDX-License-Identifier: Apache-2.0 */
/* The pipe of a browser that we have launched: each message is ended by NUL. */
#pragma once

#include "driver/cdp/wire/line.h"
#include "io/stream.h"

/* Takes both ends: `to` is written (the child's descriptor 3), `from` is read (4). */
struct tb_cdp_line *tb_cdp_line_pipe_new_take(struct tb_stream *to, struct tb_stream *from);
