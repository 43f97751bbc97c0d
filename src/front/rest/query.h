/* SPDX-License-Identifier: Apache-2.0 */
/* The query of an address as an object of texts, so that a table of arguments (core/args.h) checks
 * it, and is its documentation. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Appends {"name":"value",...}. TB_E_INVALID for bad escapes, TB_E_PARAMS for a name that stands
 * twice or is none that a parameter can have. */
int tb_rest_query_json(struct tb_str query, struct tb_buf *out, struct tb_err *err);
