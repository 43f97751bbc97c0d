/* SPDX-License-Identifier: Apache-2.0 */
/* What has changed between two outlines of a page, line by line: "+ " before lines that came, "- "
 * before lines that went, and before each change the line that it is inside of, marked by two
 * blanks. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Gives the number of lines that came or went; 0: the outlines are equal and nothing was appended.
 * TB_E_TOO_LARGE at the buffer's ceiling. */
int tb_outline_diff(struct tb_str before, struct tb_str after, struct tb_buf *out);
