/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the bytes of a DevTools pipe into messages, each of which ends in NUL.
 *
 * A message that lies whole in one read is handed on where it is; only one that spans reads is
 * gathered. Nothing is held between messages. One that passes the ceiling is thrown away while it
 * is read, so the pipe stays drained; what is kept is its beginning, where the browser writes the
 * id. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

struct tb_cdp_framer_ops {
    /* One message, borrowed for the call. False ends the cutting: the owner is gone or has had
     * enough. */
    bool (*on_message)(struct tb_str message, void *user);
    /* A message was too large; `head` is how it began. */
    bool (*on_too_large)(struct tb_str head, void *user);
};

struct tb_cdp_framer {
    struct tb_buf held;
    bool discarding; /* `held` is the head of what is thrown away */
};

void tb_cdp_framer_init(struct tb_cdp_framer *framer, size_t message_max);
void tb_cdp_framer_fini(struct tb_cdp_framer *framer);
/* False when a callback said so; the framer is then not touched any more and may be gone. */
bool tb_cdp_framer_feed(struct tb_cdp_framer *framer, struct tb_str bytes,
                        const struct tb_cdp_framer_ops *ops, void *user);
