/* SPDX-License-Identifier: Apache-2.0 */
#include "core/audit_verify.h"

#include <string.h>

static bool is_zero(const struct tb_audit_cut *mark)
{
    static const struct tb_audit_cut zero;
    return mark->seq == 0 && memcmp(mark->hash, zero.hash, sizeof(zero.hash)) == 0 &&
           memcmp(mark->seal, zero.seal, sizeof(zero.seal)) == 0;
}

static bool sealed(const struct tb_audit_verify *verify, const char *what,
                   const struct tb_audit_cut *mark)
{
    uint8_t seal[TB_HASH_BYTES];
    tb_audit_seal(verify->secret, what, mark->seq, mark->hash, seal);
    return tb_hash_eq(seal, mark->seal);
}

static int missing(int64_t from, int64_t to, const char *which, struct tb_err *err)
{
    if (from == to) {
        return tb_fail(err, TB_E_INVALID, "%sentry %lld is missing", which, (long long)from);
    }
    return tb_fail(err, TB_E_INVALID, "%sentries %lld to %lld are missing", which, (long long)from,
                   (long long)to);
}

void tb_audit_verify_init(struct tb_audit_verify *verify, const uint8_t secret[TB_SECRET_BYTES])
{
    *verify = (struct tb_audit_verify){.secret = secret};
}

int tb_audit_verify_cut(struct tb_audit_verify *verify, const struct tb_audit_cut *cut,
                        struct tb_err *err)
{
    if (is_zero(cut)) {
        return 0;
    }
    if (!sealed(verify, TB_AUDIT_CUT, cut)) {
        return tb_fail(err, TB_E_INVALID,
                       "the cut at entry %lld is not sealed by this installation",
                       (long long)cut->seq);
    }
    verify->seq = cut->seq;
    memcpy(verify->hash, cut->hash, TB_HASH_BYTES);
    return 0;
}

int tb_audit_verify_entry(struct tb_audit_verify *verify, const struct tb_audit_entry *entry,
                          struct tb_err *err)
{
    uint8_t hash[TB_HASH_BYTES];
    if (entry->seq <= verify->seq) {
        return tb_fail(err, TB_E_INVALID, "entry %lld comes after entry %lld",
                       (long long)entry->seq, (long long)verify->seq);
    }
    if (entry->seq > verify->seq + 1) {
        return missing(verify->seq + 1, entry->seq - 1, "", err);
    }
    tb_audit_link(verify->secret, verify->hash, entry, hash);
    if (!tb_hash_eq(hash, entry->hash)) {
        return tb_fail(err, TB_E_INVALID, "entry %lld, or an entry before it, was changed",
                       (long long)entry->seq);
    }
    verify->first_seq = verify->first_seq ? verify->first_seq : entry->seq;
    verify->seq = entry->seq;
    memcpy(verify->hash, hash, TB_HASH_BYTES);
    return 0;
}

int tb_audit_verify_head(struct tb_audit_verify *verify, const struct tb_audit_cut *head,
                         struct tb_err *err)
{
    if (is_zero(head) && verify->seq == 0) {
        return 0;
    }
    if (!sealed(verify, TB_AUDIT_HEAD, head)) {
        return tb_fail(err, TB_E_INVALID,
                       "the end of the log is not sealed by this installation; its newest entry is "
                       "%lld",
                       (long long)verify->seq);
    }
    if (head->seq > verify->seq) {
        return missing(verify->seq + 1, head->seq, "the newest entries were removed: ", err);
    }
    if (head->seq < verify->seq || !tb_hash_eq(head->hash, verify->hash)) {
        return tb_fail(err, TB_E_INVALID, "entry %lld was added after the sealed end of the log",
                       (long long)head->seq + 1);
    }
    return 0;
}
