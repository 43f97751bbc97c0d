/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are too long for who asked. They are measured as a JSON string has them, escaped,
 * since that is how most of them leave. */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/* How many bytes of `text` fit into `max` once escaped: all, or up to the end of a line or a
 * character. */
size_t tb_cut_fits(struct tb_str text, size_t max);
/* `text` if it fits. Else as much of it as does, with a mark at the end that says how much is
 * missing; that stands in `room`, which is empty and without a ceiling. */
struct tb_str tb_cut(struct tb_str text, size_t max, struct tb_buf *room);
