/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/utf8_feed.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

/* Whether some bytes behind `held` make it a valid character. The second byte is the only one with
 * narrower bounds, and for every first byte either 0x80 or 0xbf lies within them. */
static bool may_become_valid(const uint8_t *held, size_t len)
{
    static const uint8_t fills[] = {0x80, 0xbf};
    for (size_t i = 0; i < TB_COUNT(fills); i++) {
        uint8_t probe[4];
        memset(probe, fills[i], sizeof(probe));
        memcpy(probe, held, len);
        if (tb_utf8_prefix((struct tb_str){(const char *)probe, sizeof(probe)}) > 0) {
            return true;
        }
    }
    return false;
}

bool tb_utf8_feed(struct tb_utf8_feed *feed, struct tb_str piece)
{
    while (feed->held_len > 0 && piece.len > 0) {
        feed->held[feed->held_len++] = (uint8_t)piece.ptr[0];
        piece = tb_str_sub(piece, 1, piece.len);
        struct tb_str held = {(const char *)feed->held, feed->held_len};
        if (tb_utf8_valid(held)) {
            feed->held_len = 0;
        } else if (!may_become_valid(feed->held, feed->held_len)) {
            return false;
        }
    }
    struct tb_str tail = tb_str_sub(piece, tb_utf8_prefix(piece), piece.len);
    if (tail.len == 0) {
        return true;
    }
    if (tail.len >= sizeof(feed->held) || !may_become_valid((const uint8_t *)tail.ptr, tail.len)) {
        return false;
    }
    memcpy(feed->held, tail.ptr, tail.len);
    feed->held_len = (uint8_t)tail.len;
    return true;
}
