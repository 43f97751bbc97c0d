/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <unistd.h>

#include "store/read.h"
#include "store/sqlite/index.h"
#include "store/sqlite/mover.h"
#include "store/sqlite/sqlite.h"

enum {
    BUSY_MS = 5000,
};

struct tb_sqlite_log {
    struct tb_db db;
};

static int broken_is_trouble(int rc, struct tb_err *err)
{
    if (tb_index_faulted()) {
        return tb_fail(err, TB_E_STORE,
                       "the index of the database's log (tabard.db-shm) was cut while it was read: "
                       "run the command again");
    }
    bool trouble = rc == -EBADMSG || rc == -ENOSPC;
    if (trouble && err) {
        err->code = TB_E_STORE;
    }
    return trouble ? TB_E_STORE : rc;
}

/* Two batches at the most: a killed daemon may leave both halves of the intake behind. One at the
 * least, in which the database is compared with what the intake knows of it. */
static int move_all(struct tb_mover *mover, struct tb_err *err)
{
    struct tb_list none;
    tb_list_init(&none);
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++) {
        tb_intake_freeze(mover->intake);
        if (i > 0 && !tb_intake_frozen(mover->intake)) {
            return 0;
        }
        rc = tb_mover_run(mover, &none, err);
        if (rc == 0) {
            tb_intake_release(mover->intake);
        }
        if (rc == 0 && mover->note.code) {
            *err = mover->note;
            rc = err->code;
        }
    }
    return rc;
}

static int catch_up(const char *intake_path, const char *path, const uint8_t *secret,
                    struct tb_err *err)
{
    struct tb_err damage;
    if (access(intake_path, F_OK) < 0) {
        return 0;
    }
    struct tb_mover mover = {.path = path, .secret = secret, .keep = true};
    mover.intake = tb_intake_open(intake_path, TB_INTAKE_LOOK, &damage, err);
    if (!mover.intake) {
        return err->code;
    }
    int rc = move_all(&mover, err);
    tb_mover_fini(&mover);
    tb_intake_free(mover.intake);
    if (rc == 0 && damage.code) {
        *err = damage;
        rc = damage.code;
    }
    return rc;
}

int tb_sqlite_log_open(const char *state_dir, const uint8_t secret[TB_SECRET_BYTES], bool alone,
                       struct tb_sqlite_log **ret_log, struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/tabard.db", state_dir);
    TB_AUTO(tb_free) char *intake = tb_strdupf("%s/tabard.intake", state_dir);
    struct tb_sqlite_log *log = TB_NEW(struct tb_sqlite_log);
    struct tb_err why;
    tb_index_guard();
    int rc = alone ? catch_up(intake, path, secret, &why) : 0;
    if (rc == 0) {
        rc = tb_db_open(&log->db, path, TB_DB_READ, BUSY_MS, &why);
    }
    if (rc == 0) {
        rc = tb_db_check_secret(&log->db, secret, &why);
    }
    if (rc < 0) {
        tb_sqlite_log_free(log);
        rc = broken_is_trouble(rc, &why);
        return tb_fail(err, rc, "%s", why.text);
    }
    *ret_log = log;
    return 0;
}

void tb_sqlite_log_free(struct tb_sqlite_log *log)
{
    if (log) {
        tb_db_close(&log->db);
        tb_free(log);
    }
}

int tb_sqlite_log_query(struct tb_sqlite_log *log, const struct tb_audit_query *query,
                        tb_store_entry_fn *entry, void *user, struct tb_err *err)
{
    struct tb_audit_query rest = *query;
    struct tb_store_read read = {.entry = entry, .user = user, .rows = TB_BUF(SIZE_MAX)};
    int more = tb_db_bound(&log->db, &rest, err);
    for (more = more < 0 ? more : 1; more > 0;) {
        more = tb_db_entries(&log->db, &rest, &read.rows, err);
        tb_read_hand_out(&read);
    }
    tb_buf_fini(&read.rows);
    return broken_is_trouble(more, err);
}

int tb_sqlite_log_ends(struct tb_sqlite_log *log, struct tb_audit_cut *ret_cut,
                       struct tb_audit_cut *ret_head, struct tb_err *err)
{
    struct tb_db_head head;
    int rc = tb_db_head(&log->db, &head, err);
    if (rc == 0) {
        *ret_cut = head.cut;
        *ret_head = head.last;
    }
    return broken_is_trouble(rc, err);
}

int tb_sqlite_log_stray(struct tb_sqlite_log *log, int64_t *ret_seq, struct tb_err *err)
{
    return broken_is_trouble(tb_db_stray(&log->db, ret_seq, err), err);
}
