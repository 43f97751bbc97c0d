/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the outlines of frames that the main frame's script cannot enter below the lines of their
 * iframes, one frame after the other, as long as the time for all of them lasts. Part of the
 * snapshot: its answers pass through the operation's `step`, the outline grows in the operation's
 * result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct tb_cdp_work;

enum {
    TB_OUTLINE_FRAMES_MAX = 20,
    TB_OUTLINE_REF_SIZE = 24,
};

struct tb_cdp_outline_frames {
    int phase;
    char refs[TB_OUTLINE_FRAMES_MAX][TB_OUTLINE_REF_SIZE];
    size_t count;
    size_t at;
    unsigned home;     /* the operation's own frame */
    int64_t by_ms;     /* when frames that were not heard are left out */
    int64_t max_chars; /* of the whole outline */
};

void tb_cdp_outline_frames_init(struct tb_cdp_outline_frames *frames);
/* `refs` is a JSON array. False: there is nothing to do. */
bool tb_cdp_outline_frames_start(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                                 struct tb_str refs, int64_t max_chars);
/* An answer, empty if it was a failure. True: that was the last one. */
bool tb_cdp_outline_frames_step(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                                struct tb_str value);
/* Puts `inside` below the line that has [ref=...], one level deeper; false: no such line, or no
 * room. */
bool tb_cdp_outline_splice(struct tb_buf *outline, const char *ref, struct tb_str inside);
