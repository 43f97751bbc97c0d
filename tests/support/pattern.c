/* SPDX-License-Identifier: Apache-2.0 */
#include "support/pattern.h"

#include <string.h>

enum {
    PERIOD = 251,
};

/* Both copy and compare in blocks: a gigabyte byte by byte takes too long under sanitizers. */

void pattern_fill(char *buf, size_t len, uint64_t at)
{
    for (size_t i = 0; i < len && i < PERIOD; i++) {
        buf[i] = (char)((at + i) % PERIOD);
    }
    for (size_t done = PERIOD; done < len; done *= 2) {
        memcpy(buf + done, buf, done < len - done ? done : len - done);
    }
}

bool pattern_fits(struct tb_str bytes, uint64_t at)
{
    char start[PERIOD];
    size_t len = bytes.len < PERIOD ? bytes.len : PERIOD;
    pattern_fill(start, len, at);
    return memcmp(start, bytes.ptr, len) == 0 &&
           memcmp(bytes.ptr, bytes.ptr + len, bytes.len - len) == 0;
}
