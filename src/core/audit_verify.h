/* SPDX-License-Identifier: Apache-2.0 */
/* Is the audit log as it was written? Fed with its cut, then all its entries, oldest first, then
 * the head, it says at the first place that does not fit what is wrong there. It needs no memory
 * for the entries, so a log may have millions.
 *
 * What nobody can see without a copy elsewhere: that the whole log was put back to how it was at an
 * earlier time, cut and head included. */
#pragma once

#include "core/audit_chain.h"

struct tb_audit_verify {
    const uint8_t *secret; /* borrowed, TB_SECRET_BYTES */
    int64_t first_seq;     /* of the entries seen; 0: none yet */
    int64_t seq;           /* the last one, seen or cut off */
    uint8_t hash[TB_HASH_BYTES];
};

void tb_audit_verify_init(struct tb_audit_verify *verify, const uint8_t secret[TB_SECRET_BYTES]);
/* Each is 0, or TB_E_INVALID with words; then that was all there is to know. */
int tb_audit_verify_cut(struct tb_audit_verify *verify, const struct tb_audit_cut *cut,
                        struct tb_err *err);
int tb_audit_verify_entry(struct tb_audit_verify *verify, const struct tb_audit_entry *entry,
                          struct tb_err *err);
/* The newest entry and its seal, in the form of a cut; all zero: nothing was ever written. */
int tb_audit_verify_head(struct tb_audit_verify *verify, const struct tb_audit_cut *head,
                         struct tb_err *err);
