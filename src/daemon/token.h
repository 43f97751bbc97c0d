/* SPDX-License-Identifier: Apache-2.0 */
/* The operator's token, kept in <state-dir>/admin.token, mode 0600. Made on the first start; to
 * change it, delete the file and start again. */
#pragma once

#include "base/err.h"
#include "base/id.h"

/* 0: read. 1: there was none and a new one is made, which is still to be saved. Refuses a file that
 * others can read. */
int tb_token_load(const char *state_dir, char ret_token[TB_TOKEN_SIZE], struct tb_err *err);
int tb_token_save(const char *state_dir, const char token[TB_TOKEN_SIZE], struct tb_err *err);
