/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of the audit log: each entry's hash covers the entry and the hash before it, keyed with
 * the installation's secret. Whoever changes, inserts or removes an entry without the key breaks
 * the chain; with old entries cut off, it begins at a sealed cut. Pure functions, for every store
 * and for `tabard audit verify`. */
#pragma once

#include "core/store.h"

/* What is sealed: where the log begins, and the last entry that there is. */
#define TB_AUDIT_CUT  "cut"
#define TB_AUDIT_HEAD "head"

/* The hash of `entry` (its own hash is not read) after `before`, all zero for the first. */
void tb_audit_link(const uint8_t secret[TB_SECRET_BYTES], const uint8_t before[TB_HASH_BYTES],
                   const struct tb_audit_entry *entry, uint8_t ret_hash[TB_HASH_BYTES]);
/* The seal of a cut or a head. */
void tb_audit_seal(const uint8_t secret[TB_SECRET_BYTES], const char *what, int64_t seq,
                   const uint8_t hash[TB_HASH_BYTES], uint8_t ret_seal[TB_HASH_BYTES]);
