/* SPDX-License-Identifier: Apache-2.0 */
/* Why sessions end; the reasons are rows of core/reasons.def. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

enum tb_end_reason {
#define TB_REASON(NAME, wire, expired, words, after) TB_END_##NAME,
#include "core/reasons.def"
#undef TB_REASON
    TB_END_COUNT,
};

const char *tb_end_reason_name(enum tb_end_reason reason);
/* As in "the session was closed". */
const char *tb_end_reason_words(enum tb_end_reason reason);
/* The error that a later call to such a session gets. */
int tb_end_reason_code(enum tb_end_reason reason);
/* The error of a call that fails because the session was lost for this reason. */
int tb_end_reason_loss_code(enum tb_end_reason reason);
/* What follows the time that the words end before; NULL: they are all there is. */
const char *tb_end_reason_after(enum tb_end_reason reason);
/* By its name; false when there is none. */
bool tb_end_reason_find(struct tb_str name, enum tb_end_reason *ret_reason);
/* It ran out by itself. */
bool tb_end_reason_expired(enum tb_end_reason reason);
