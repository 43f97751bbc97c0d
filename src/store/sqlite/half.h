/* SPDX-License-Identifier: Apache-2.0 */
/* One half of the intake as bytes: records one after the other, each with its number and a check of
 * itself. What of it counts, and how it gets into the file, is the intake's business. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* What is whole at the front of a half, and the numbers of its first and last record. */
struct tb_half_extent {
    size_t used;
    uint64_t first;
    uint64_t last;
    bool damaged;
};

/* Puts a record behind the *used bytes of a half that has room for `size`; false when it does not
 * fit. */
bool tb_half_put(uint8_t *half, size_t size, size_t *used, uint64_t seq, struct tb_str bytes);
/* The record at *pos of a half that has `used` bytes: 1, 0 at the end, TB_E_INVALID when the rest
 * is damaged. */
int tb_half_next(const uint8_t *half, size_t used, size_t *pos, uint64_t *ret_seq,
                 struct tb_str *ret_bytes);
/* Reads records as long as they are whole and their numbers go up from `after`. */
struct tb_half_extent tb_half_scan(const uint8_t *half, size_t used, uint64_t after);
