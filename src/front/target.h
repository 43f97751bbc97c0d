/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a request's address in plain text. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "core/front.h"

/* Appends the decoded value of a parameter of the query; nothing when it is not there. TB_E_INVALID
 * for bad escapes and NUL. */
int tb_target_query(struct tb_str query, const char *name, struct tb_buf *out);
/* The parameter is there, if only empty. */
bool tb_target_query_has(struct tb_str query, const char *name);
/* The same for one segment of the path, where a plus is a plus. */
int tb_target_segment(struct tb_str segment, struct tb_buf *out);
/* Refuses a query with a parameter that is not among those `known`, which NULL ends: who misspells
 * one would believe that it counts. */
int tb_target_check_query(struct tb_str query, const char *const known[], struct tb_err *err);
