/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of screenshots: which part of the page to draw at which scale, and how large the picture
 * that came back is, read from its first bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
    TB_CLIP_SIDE_MAX = 16384, /* what the browser can draw */
};

/* A part of the page in CSS pixels; scale is what the browser multiplies them with. */
struct tb_clip {
    double x;
    double y;
    double width;
    double height;
    double scale;
};

/* Sets the scale so that the longer side has at most `max_px` pixels (0: no ceiling but the
 * browser's own) on a screen with `ratio` pixels a CSS pixel, and cuts off what the browser could
 * not draw. False when there is nothing to draw. */
bool tb_clip_fit(struct tb_clip *clip, int64_t max_px, double ratio);

/* Width and height of a PNG, JPEG or WebP, given as base64. False if they are not found. */
bool tb_picture_size(struct tb_str base64, int64_t *ret_width, int64_t *ret_height);
