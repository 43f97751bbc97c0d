/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/clip.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"

enum {
    HEAD_BASE64 = 4096, /* what is decoded of a picture to find its size */
};

bool tb_clip_fit(struct tb_clip *clip, int64_t max_px, double ratio)
{
    if (!(clip->width >= 1) || !(clip->height >= 1) || !(ratio > 0)) {
        return false;
    }
    double ceiling = max_px > 0 && max_px < TB_CLIP_SIDE_MAX ? (double)max_px : TB_CLIP_SIDE_MAX;
    double longer = fmax(clip->width, clip->height) * ratio;
    clip->scale = longer > ceiling && max_px > 0 ? ceiling / longer : 1;
    double most = TB_CLIP_SIDE_MAX / (ratio * clip->scale);
    clip->width = fmin(clip->width, most);
    clip->height = fmin(clip->height, most);
    return true;
}

static uint32_t big(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

static uint32_t little(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = bytes; i-- > 0;) {
        value = value << 8 | at[i];
    }
    return value;
}

static bool png_size(const uint8_t *data, size_t len, int64_t *ret_width, int64_t *ret_height)
{
    if (len < 24 || memcmp(data, "\x89PNG\r\n\x1a\n", 8) != 0) {
        return false;
    }
    *ret_width = big(data + 16, 4);
    *ret_height = big(data + 20, 4);
    return true;
}

/* The frame header of JPEG: markers C0 to CF but C4, C8 and CC, which are tables. */
static bool is_frame(uint8_t marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static bool jpeg_size(const uint8_t *data, size_t len, int64_t *ret_width, int64_t *ret_height)
{
    if (len < 4 || data[0] != 0xff || data[1] != 0xd8) {
        return false;
    }
    size_t at = 2;
    while (at + 9 <= len && data[at] == 0xff) {
        if (is_frame(data[at + 1])) {
            *ret_height = big(data + at + 5, 2);
            *ret_width = big(data + at + 7, 2);
            return true;
        }
        at += 2 + big(data + at + 2, 2);
    }
    return false;
}

static bool webp_size(const uint8_t *data, size_t len, int64_t *ret_width, int64_t *ret_height)
{
    if (len < 30 || memcmp(data, "RIFF", 4) != 0 || memcmp(data + 8, "WEBPVP8", 7) != 0) {
        return false;
    }
    if (data[15] == 'X') {
        *ret_width = little(data + 24, 3) + 1;
        *ret_height = little(data + 27, 3) + 1;
    } else if (data[15] == 'L') {
        uint32_t bits = little(data + 21, 4);
        *ret_width = (bits & 0x3fff) + 1;
        *ret_height = ((bits >> 14) & 0x3fff) + 1;
    } else {
        *ret_width = little(data + 26, 2) & 0x3fff;
        *ret_height = little(data + 28, 2) & 0x3fff;
    }
    return true;
}

bool tb_picture_size(struct tb_str base64, int64_t *ret_width, int64_t *ret_height)
{
    struct tb_str head = base64;
    if (head.len > HEAD_BASE64) {
        head.len = HEAD_BASE64;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf data = TB_BUF(HEAD_BASE64);
    if (tb_base64_decode(head, &data) < 0) {
        return false;
    }
    return png_size(data.data, data.len, ret_width, ret_height) ||
           jpeg_size(data.data, data.len, ret_width, ret_height) ||
           webp_size(data.data, data.len, ret_width, ret_height);
}
