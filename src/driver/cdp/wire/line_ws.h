/* SPDX-License-Identifier: Apache-2.0 */
/* A WebSocket to a browser at an endpoint. Until it is open, messages wait. */
#pragma once

#include "base/str.h"
#include "driver/cdp/wire/line.h"
#include "io/stream.h"

/* Takes a stream that is connected and opens a WebSocket on it. */
struct tb_cdp_line *tb_cdp_line_ws_new_take(struct tb_stream *stream, struct tb_str host,
                                            struct tb_str target);
