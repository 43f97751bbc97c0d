/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/framer.h"

#include <string.h>

enum {
    HEAD_KEPT = 64,
};

void tb_cdp_framer_init(struct tb_cdp_framer *framer, size_t message_max)
{
    *framer = (struct tb_cdp_framer){.discarding = false};
    tb_buf_init(&framer->held, message_max);
}

void tb_cdp_framer_fini(struct tb_cdp_framer *framer)
{
    tb_buf_fini(&framer->held);
}

/* Over the ceiling: keep the head and give the rest of the memory back at once. */
static void begin_discarding(struct tb_cdp_framer *framer, struct tb_str piece)
{
    struct tb_buf head;
    tb_buf_init(&head, framer->held.max);
    struct tb_str kept = tb_str_sub(tb_buf_str(&framer->held), 0, HEAD_KEPT);
    tb_buf_append_str(&head, kept);
    tb_buf_append_str(&head, tb_str_sub(piece, 0, HEAD_KEPT - kept.len));
    tb_buf_fini(&framer->held);
    framer->held = head;
    framer->discarding = true;
}

static void hold(struct tb_cdp_framer *framer, struct tb_str piece)
{
    if (!framer->discarding && tb_buf_append_str(&framer->held, piece) < 0) {
        begin_discarding(framer, piece);
    }
}

/* The message is complete. It leaves the framer before it is handed on, since a callback may end
 * the framer. */
static bool hand_on(struct tb_cdp_framer *framer, const struct tb_cdp_framer_ops *ops, void *user)
{
    struct tb_buf message = framer->held;
    bool discarded = framer->discarding;
    tb_cdp_framer_init(framer, message.max);
    bool more = discarded ? ops->on_too_large(tb_buf_str(&message), user)
                          : ops->on_message(tb_buf_str(&message), user);
    tb_buf_fini(&message);
    return more;
}

bool tb_cdp_framer_feed(struct tb_cdp_framer *framer, struct tb_str bytes,
                        const struct tb_cdp_framer_ops *ops, void *user)
{
    while (bytes.len) {
        const char *end = memchr(bytes.ptr, '\0', bytes.len);
        size_t len = end ? (size_t)(end - bytes.ptr) : bytes.len;
        struct tb_str piece = {bytes.ptr, len};
        bool more = true;
        if (end && !framer->held.len && len <= framer->held.max) {
            more = ops->on_message(piece, user);
        } else {
            hold(framer, piece);
            more = !end || hand_on(framer, ops, user);
        }
        if (!more) {
            return false;
        }
        bytes = tb_str_sub(bytes, len + (end ? 1 : 0), bytes.len);
    }
    return true;
}
