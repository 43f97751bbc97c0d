/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Length of the valid character at p, 0 if there is none within len. */
static size_t char_len(const uint8_t *p, size_t len)
{
    if (p[0] < 0x80) {
        return 1;
    }
    size_t need;
    uint8_t low = 0x80; /* bounds of the second byte hold off overlong forms and surrogates */
    uint8_t high = 0xbf;
    if (p[0] >= 0xc2 && p[0] <= 0xdf) {
        need = 2;
    } else if ((p[0] & 0xf0) == 0xe0) {
        need = 3;
        low = p[0] == 0xe0 ? 0xa0 : low;
        high = p[0] == 0xed ? 0x9f : high;
    } else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
        need = 4;
        low = p[0] == 0xf0 ? 0x90 : low;
        high = p[0] == 0xf4 ? 0x8f : high;
    } else {
        return 0;
    }
    if (need > len || p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < need; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return need;
}

size_t tb_utf8_prefix(struct tb_str text)
{
    const uint8_t *data = (const uint8_t *)text.ptr;
    size_t at = 0;
    while (at < text.len) {
        uint64_t word;
        if (data[at] < 0x80 && text.len - at >= sizeof(word)) {
            memcpy(&word, data + at, sizeof(word));
            if (!(word & 0x8080808080808080)) {
                at += sizeof(word);
                continue;
            }
        }
        size_t step = char_len(data + at, text.len - at);
        if (!step) {
            break;
        }
        at += step;
    }
    return at;
}

size_t tb_utf8_char(struct tb_str text)
{
    return text.len ? char_len((const uint8_t *)text.ptr, text.len) : 0;
}

bool tb_utf8_valid(struct tb_str text)
{
    return tb_utf8_prefix(text) == text.len;
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t tb_utf8_end(struct tb_str text, size_t count, size_t *ret_chars)
{
    size_t end = text.len;
    size_t chars = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (begins_character(text.ptr[i])) {
            if (chars == count) {
                end = i;
            }
            chars++;
        }
    }
    *ret_chars = chars;
    return end;
}
