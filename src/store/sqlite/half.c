/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/half.h"

#include <string.h>

#include "base/hash.h"

enum {
    ALIGN = 8,
};

struct record {
    uint64_t check; /* of what stands behind it, and the bytes */
    uint64_t seq;
    uint64_t len;
};

_Static_assert(sizeof(struct record) % ALIGN == 0, "align");

static size_t padded(size_t len)
{
    return (len + ALIGN - 1) / ALIGN * ALIGN;
}

static uint64_t check_of(const uint8_t *at, size_t len)
{
    size_t skip = offsetof(struct record, seq);
    return tb_checksum(at + skip, sizeof(struct record) - skip + len);
}

bool tb_half_put(uint8_t *half, size_t size, size_t *used, uint64_t seq, struct tb_str bytes)
{
    size_t needed = sizeof(struct record) + padded(bytes.len);
    if (bytes.len > size || needed > size - *used) {
        return false;
    }
    uint8_t *at = half + *used;
    struct record record = {.seq = seq, .len = bytes.len};
    memcpy(at, &record, sizeof(record));
    memcpy(at + sizeof(record), bytes.ptr, bytes.len);
    record.check = check_of(at, bytes.len);
    memcpy(at, &record.check, sizeof(record.check));
    *used += needed;
    return true;
}

int tb_half_next(const uint8_t *half, size_t used, size_t *pos, uint64_t *ret_seq,
                 struct tb_str *ret_bytes)
{
    if (*pos == used) {
        return 0;
    }
    struct record record;
    size_t left = used - *pos;
    if (left < sizeof(record)) {
        return TB_E_INVALID;
    }
    const uint8_t *at = half + *pos;
    memcpy(&record, at, sizeof(record));
    if (record.len > left - sizeof(record) || padded(record.len) > left - sizeof(record) ||
        check_of(at, record.len) != record.check) {
        return TB_E_INVALID;
    }
    *pos += sizeof(record) + padded(record.len);
    *ret_seq = record.seq;
    *ret_bytes = (struct tb_str){(const char *)at + sizeof(record), record.len};
    return 1;
}

static bool follows(uint64_t seq, uint64_t last)
{
    return seq > last && seq < UINT64_MAX / 2;
}

struct tb_half_extent tb_half_scan(const uint8_t *half, size_t used, uint64_t after)
{
    struct tb_half_extent extent = {.last = after};
    uint64_t seq;
    struct tb_str bytes;
    int rc;
    for (size_t pos = 0; (rc = tb_half_next(half, used, &pos, &seq, &bytes)) > 0;
         extent.used = pos) {
        if (!follows(seq, extent.last)) {
            rc = TB_E_INVALID;
            break;
        }
        extent.first = extent.first ? extent.first : seq;
        extent.last = seq;
    }
    extent.damaged = rc < 0;
    return extent;
}
