/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as people write it. Chromium escapes every character beyond ASCII, which triples the size of
 * most of the world's texts and is hard to read; here such escapes become the characters again. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Appends JSON that was found to be valid; its meaning stays the same. TB_E_TOO_LARGE at the
 * buffer's ceiling: the buffer is as it was. */
int tb_json_plain(struct tb_str json, struct tb_buf *out);
