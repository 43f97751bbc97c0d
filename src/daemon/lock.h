/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon a state directory. The lock is the kernel's (flock), so it ends with the process
 * however that ends; the file's text only tells people who holds it. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* A descriptor that holds the lock until it is closed, or TB_E_LOCKED with words that name the
 * holder. */
int tb_lock_take(const char *state_dir, struct tb_err *err);
/* Writes what others are told: process id and address. */
void tb_lock_describe(int lock_fd, struct tb_str address);
/* What the holder wrote ("process 123, http://..."), empty if nobody holds it. For `tabard doctor`.
 */
void tb_lock_holder(const char *state_dir, char *ret_text, size_t size);
