/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <sqlite3.h>

#include "base/mem.h"
#include "core/audit_chain.h"
#include "store/sqlite/db.h"

enum {
    VERSION_WITH_CHECK = 2,
};

enum verdict {
    UNKNOWN, /* nothing was written with any secret yet */
    FITS,
    DIFFERS,
};

void tb_db_secret_check(const uint8_t secret[TB_SECRET_BYTES], uint8_t ret_check[TB_HASH_BYTES])
{
    const struct tb_str parts[] = {TB_STR("secret check")};
    tb_hash_keyed(secret, parts, TB_COUNT(parts), ret_check);
}

static int compare_check(struct tb_db *db, const uint8_t *secret, enum verdict *ret_verdict,
                         struct tb_err *err)
{
    sqlite3_stmt *statement;
    uint8_t check[TB_HASH_BYTES];
    *ret_verdict = UNKNOWN;
    if (db->version < VERSION_WITH_CHECK) {
        return 0;
    }
    int rc = tb_db_use(db, TB_DB_GET_SECRET_CHECK, &statement, err);
    if (rc == 0) {
        rc = tb_db_step(db, statement, err);
    }
    if (rc <= 0) {
        return rc;
    }
    int len = sqlite3_column_bytes(statement, 0);
    if (len) {
        const void *found = sqlite3_column_blob(statement, 0);
        tb_db_secret_check(secret, check);
        *ret_verdict =
            len == TB_HASH_BYTES && memcmp(found, check, TB_HASH_BYTES) == 0 ? FITS : DIFFERS;
    }
    sqlite3_reset(statement);
    return 0;
}

static enum verdict compare_seal(const struct tb_audit_cut *last, const uint8_t *secret)
{
    uint8_t seal[TB_HASH_BYTES];
    if (!last->seq) {
        return UNKNOWN;
    }
    tb_audit_seal(secret, TB_AUDIT_HEAD, last->seq, last->hash, seal);
    return tb_hash_eq(seal, last->seal) ? FITS : DIFFERS;
}

/* A few flipped bytes spoil the check or the seal of the log, not both: one that fits is enough. */
int tb_db_check_secret(struct tb_db *db, const uint8_t secret[TB_SECRET_BYTES], struct tb_err *err)
{
    struct tb_db_head head = {0};
    enum verdict check = UNKNOWN;
    int rc = db->version ? tb_db_head(db, &head, err) : 0;
    if (rc == 0) {
        rc = compare_check(db, secret, &check, err);
    }
    if (rc < 0 || !db->version) {
        return rc;
    }
    enum verdict seal = compare_seal(&head.last, secret);
    if (check == FITS || seal == FITS || (check == UNKNOWN && seal == UNKNOWN)) {
        return 0;
    }
    const char *path = sqlite3_db_filename(db->sql, NULL);
    return tb_fail(
        err, TB_E_CONFIG,
        "%s was written with a different secret from the one in the file \"secret\" beside it: "
        "restore that file, or move tabard.db and tabard.intake away to start afresh",
        path);
}
