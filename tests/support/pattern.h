/* SPDX-License-Identifier: Apache-2.0 */
/* Endless bytes for tests that move more than they can keep: byte n is always the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Writes those from `at` on. */
void pattern_fill(char *buf, size_t len, uint64_t at);
/* Whether these are they. */
bool pattern_fits(struct tb_str bytes, uint64_t at);
