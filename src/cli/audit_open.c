/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/audit_open.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemon/lock.h"
#include "daemon/secret.h"

enum {
    TRIES = 5,
};

int tb_audit_open(const char *state_dir, struct tb_audit_log *ret_log, struct tb_err *err)
{
    struct tb_audit_log log;
    struct tb_err why = {0};
    int rc = access(state_dir, X_OK) < 0 ? -errno : tb_secret_load(state_dir, log.secret, err);
    if (rc == -ENOENT || rc == 1) {
        return tb_fail(err, TB_E_NOT_FOUND, "no daemon has ever run with the state directory %s",
                       state_dir);
    }
    if (rc < 0) {
        return rc == TB_E_CONFIG
                   ? rc
                   : tb_fail(err, rc, "cannot read %s: %s", state_dir, tb_err_name(rc));
    }
    struct tb_lock lock;
    int locked = tb_lock_take(state_dir, &lock, &why);
    if (locked < 0 && locked != TB_E_LOCKED) {
        return tb_fail(err, locked, "%s", why.text);
    }
    rc = tb_sqlite_log_open(state_dir, log.secret, locked == 0, &log.log, err);
    tb_lock_release(&lock); /* reading needs none, and a daemon may want to start */
    if (rc == TB_E_NOT_FOUND) {
        return tb_fail(err, rc, "there is no audit log in %s", state_dir);
    }
    if (rc == 0) {
        *ret_log = log;
    }
    return rc;
}

void tb_audit_close(struct tb_audit_log *log)
{
    tb_sqlite_log_free(log->log);
    explicit_bzero(log, sizeof(*log));
}

struct checking {
    struct tb_audit_verify verify;
    struct tb_err err;
    int rc;
};

static void check_entry(const struct tb_audit_entry *entry, void *user)
{
    struct checking *checking = user;
    if (checking->rc == 0) {
        checking->rc = tb_audit_verify_entry(&checking->verify, entry, &checking->err);
    }
}

static int check(struct tb_audit_log *log, const struct tb_audit_cut *cut,
                 const struct tb_audit_cut *head, struct checking *checking)
{
    const struct tb_audit_query all = {.after_seq = cut->seq, .before_seq = head->seq + 1};
    tb_audit_verify_init(&checking->verify, log->secret);
    checking->rc = tb_audit_verify_cut(&checking->verify, cut, &checking->err);
    if (checking->rc == 0) {
        struct tb_err err;
        int rc = tb_sqlite_log_query(log->log, &all, check_entry, checking, &err);
        if (rc < 0 && checking->rc == 0) {
            checking->err = err;
            checking->rc = rc;
        }
    }
    if (checking->rc == 0) {
        checking->rc = tb_audit_verify_head(&checking->verify, head, &checking->err);
    }
    return checking->rc;
}

static int check_strays(struct tb_audit_log *log, struct tb_err *err)
{
    int64_t seq = 0;
    int rc = tb_sqlite_log_stray(log->log, &seq, err);
    return rc == 1
               ? tb_fail(err, TB_E_INVALID, "entry %lld is outside the sealed log", (long long)seq)
               : rc;
}

int tb_audit_check(struct tb_audit_log *log, struct tb_audit_verify *ret_verify, struct tb_err *err)
{
    struct checking checking = {0};
    struct tb_audit_cut cut;
    struct tb_audit_cut head;
    struct tb_audit_cut now;
    int rc = tb_sqlite_log_ends(log->log, &cut, &head, err);
    /* A running daemon may cut off entries that were not looked at yet: then once more. */
    for (int i = 0; i < TRIES && rc == 0; i++) {
        if (check(log, &cut, &head, &checking) == 0) {
            *ret_verify = checking.verify;
            return check_strays(log, err);
        }
        rc = tb_sqlite_log_ends(log->log, &now, &head, err);
        if (rc < 0 || now.seq == cut.seq) {
            break;
        }
        cut = now;
    }
    return rc < 0 ? rc : tb_fail(err, checking.rc, "%s", checking.err.text);
}
