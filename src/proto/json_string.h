/* SPDX-License-Identifier: Apache-2.0 */
/* What a JSON string stands for. `raw` is the string as written, with its quotes, as
 * proto/json_scan gives it: already found to be valid. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Appends the decoded text in UTF-8; a lone surrogate becomes U+FFFD. TB_E_TOO_LARGE at the
 * buffer's ceiling, TB_E_PARSE when `raw` is no string after all; the buffer is then as it was. */
int tb_json_string_decode(struct tb_str raw, struct tb_buf *out);
/* True if the string decodes to `plain`. False when `raw` is no string. */
bool tb_json_string_eq(struct tb_str raw, struct tb_str plain);
