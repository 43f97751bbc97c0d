/* SPDX-License-Identifier: Apache-2.0 */
/* The installation's secret, 32 bytes in <state-dir>/secret, mode 0600. It keys the checksums of
 * ids, seals what sessions had and chains the audit log, so nothing that is stored can be used with
 * another one. Made on the first start, never beside a database that was written with one. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/id.h"

/* 0: read. 1: there was none and a new one is made, which is still to be saved. TB_E_CONFIG
 * when others can read the file, and when it is gone or empty beside a database that needs it. */
int tb_secret_load(const char *state_dir, uint8_t ret_secret[TB_SECRET_BYTES], struct tb_err *err);
/* With `sync` it outlives a power loss, which takes time; without, the process. */
int tb_secret_save(const char *state_dir, const uint8_t secret[TB_SECRET_BYTES], bool sync,
                   struct tb_err *err);
/* For a daemon that runs on it. 1: the file was gone or empty and is there again. Negative when it
 * cannot be, or holds something else, which stays. */
int tb_secret_keep(const char *state_dir, const uint8_t secret[TB_SECRET_BYTES],
                   struct tb_err *err);
