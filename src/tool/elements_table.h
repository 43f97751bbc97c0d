/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a page as a table of text: a head that names the columns, then a line each, with
 * commas between the values. Quotes stand only around what would be misread without them. */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/* `data` is that of the operation elements (docs/operations.md). */
void tb_elements_table(const struct cJSON *data, struct tb_buf *out);
