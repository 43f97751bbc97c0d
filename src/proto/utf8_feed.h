/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 that comes in pieces: the first byte that cannot be part of valid text is noticed at once,
 * even if its character or the whole text has not ended yet. A zeroed struct is ready for a new
 * text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct tb_utf8_feed {
    uint8_t held[4]; /* a character that is cut at the end of the last piece */
    uint8_t held_len;
};

/* False when the text so far cannot become valid; nothing may be fed after that. */
bool tb_utf8_feed(struct tb_utf8_feed *feed, struct tb_str piece);
/* True between characters: the text may end here. */
static inline bool tb_utf8_feed_whole(const struct tb_utf8_feed *feed)
{
    return feed->held_len == 0;
}
