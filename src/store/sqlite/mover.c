/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/mover.h"

#include <errno.h>

#include "base/mem.h"
#include "store/sqlite/aside.h"
#include "store/sqlite/index.h"

enum {
    BUSY_MS = 2000,      /* for another program's lock to go away */
    INDEX_BYTES = 32768, /* the index has a number of such parts */
};

/* Sessions wait for the first run, so it leaves all that may be long for the next. */
static int check(struct tb_mover *mover, struct tb_err *err)
{
    bool all = mover->looked || mover->index_anew;
    int rc = tb_db_check(&mover->db, all, err);
    if (rc == 0) {
        mover->checked = all;
        mover->looked = true;
    }
    return rc;
}

/* The file that has this name now; its number is 0 if there is none. */
static void look_at_file(const char *path, struct stat *ret_info)
{
    if (stat(path, ret_info) < 0) {
        *ret_info = (struct stat){0};
    }
}

static void look_beside(const struct tb_mover *mover, const char *suffix, struct stat *ret_info)
{
    TB_AUTO(tb_free) char *path = tb_strdupf("%s%s", mover->path, suffix);
    look_at_file(path, ret_info);
}

static bool moved_away(const struct stat *before, const struct stat *now)
{
    return before->st_ino && (now->st_ino != before->st_ino || now->st_dev != before->st_dev);
}

/* What is written to a file that somebody removed is gone with the process, and SQLite does not
 * notice. */
static int still_there(struct tb_mover *mover, struct tb_err *err)
{
    struct stat file;
    struct stat log;
    look_at_file(mover->path, &file);
    look_beside(mover, "-wal", &log);
    bool log_alone = !moved_away(&mover->file, &file);
    if (log_alone && !moved_away(&mover->log, &log)) {
        if (log.st_size < mover->log.st_size) {
            mover->checked = false; /* another program has emptied it, or somebody has cut it */
        }
        return 0;
    }
    mover->lost = true;
    return tb_fail(
        err, TB_E_STORE,
        "%s%s was %s while the daemon was running: put it back, or restart the daemon, which then "
        "starts with what it finds",
        mover->path, log_alone ? "-wal" : "",
        (log_alone ? log : file).st_ino ? "replaced" : "removed");
}

/* With an index that is not the one it was SQLite would miss changes in the log, and might drop
 * them. */
static int index_there(struct tb_mover *mover, struct tb_err *err)
{
    struct stat index;
    look_beside(mover, "-shm", &index);
    bool whole = !mover->db.sql || (index.st_size && index.st_size % INDEX_BYTES == 0);
    if (whole && !moved_away(&mover->index, &index) && index.st_size >= mover->index.st_size &&
        !tb_index_faulted()) {
        return 0;
    }
    mover->index_bad = true;
    return tb_fail(err, TB_E_STORE,
                   "%s-shm was cut or removed while the daemon was running: opening the database "
                   "anew",
                   mover->path);
}

/* It only grows. */
static void remember_index(struct tb_mover *mover)
{
    struct stat index;
    look_beside(mover, "-shm", &index);
    if (!moved_away(&mover->index, &index) && index.st_size > mover->index.st_size) {
        mover->index = index;
    }
}

static int open_db(struct tb_mover *mover, struct tb_err *err)
{
    int rc = still_there(mover, err);
    if (rc == 0) {
        rc = index_there(mover, err);
    }
    if (rc == 0 && !mover->db.sql) {
        mover->looked = false;
        rc = tb_db_open(&mover->db, mover->path, TB_DB_CREATE, BUSY_MS, err);
    }
    if (rc == 0 && !mover->looked) {
        look_at_file(mover->path, &mover->file);
        rc = tb_db_sync(&mover->db, mover->sync, err);
    }
    if (rc == 0 && !mover->looked) {
        mover->checked = false;
        tb_db_patience(&mover->db, BUSY_MS);
        rc = tb_db_check_secret(&mover->db, mover->secret, err);
        rc = rc < 0 ? rc : tb_db_migrate(&mover->db, err);
        remember_index(mover);
    }
    if (rc < 0 || mover->checked || mover->keep) {
        return rc;
    }
    return check(mover, err);
}

/* Does the database have all that was released from the intake? Its log may have been cut short by
 * damage, or an older file put in its place; SQLite would not notice. */
static int compare(struct tb_mover *mover, struct tb_db_head *head, struct tb_err *err)
{
    uint64_t id = tb_intake_id(mover->intake);
    uint64_t released = tb_intake_released(mover->intake);
    uint64_t known = head->intake_id == id ? head->intake_seq : 0;
    if (known < released && !mover->replaced) {
        tb_fail(&mover->note, TB_E_STORE,
                "%s lacks the last changes that were stored in it: it is damaged or an older copy",
                mover->path);
        if (mover->keep) {
            return tb_fail(err, TB_E_STORE, "%s", mover->note.text);
        }
    }
    head->intake_id = id;
    head->intake_seq = known < released ? released : known;
    return 0;
}

static int move_light(struct tb_mover *mover, struct tb_db_head *head, struct tb_err *err)
{
    size_t pos = 0;
    uint64_t seq;
    struct tb_str bytes;
    uint64_t known = head->intake_id == tb_intake_id(mover->intake) ? head->intake_seq : 0;
    int rc = compare(mover, head, err);
    if (rc < 0) {
        return rc;
    }
    while ((rc = tb_intake_next(mover->intake, &pos, &seq, &bytes)) > 0) {
        struct tb_change change;
        if (seq <= known) {
            continue; /* moved, but the process ended before it was released */
        }
        rc = tb_change_unpack(bytes, &change);
        if (rc < 0) {
            break;
        }
        rc = tb_db_change(&mover->db, head, &change, mover->secret, err);
        if (rc < 0) {
            return rc;
        }
        head->intake_seq = seq;
    }
    if (rc < 0) {
        tb_fail(&mover->note, TB_E_STORE, "a part of the intake is damaged; its changes are lost");
    }
    return 0;
}

static int move_heavy(struct tb_mover *mover, const struct tb_list *heavy, struct tb_db_head *head,
                      struct tb_err *err)
{
    LIST_FOREACH(link, heavy) {
        struct tb_heavy *item = TB_CONTAINER(link, struct tb_heavy, link);
        struct tb_change change;
        int rc = tb_change_unpack(tb_buf_str(&item->bytes), &change);
        if (rc == 0) {
            rc = tb_db_change(&mover->db, head, &change, mover->secret, err);
        }
        if (rc < 0) {
            return rc;
        }
        item->exists = rc > 0;
    }
    return 0;
}

static int move(struct tb_mover *mover, const struct tb_list *heavy, struct tb_err *err)
{
    struct tb_db_head head;
    int rc = open_db(mover, err);
    if (rc < 0) {
        return rc;
    }
    rc = tb_db_begin(&mover->db, &head, err);
    if (rc == 0) {
        rc = move_light(mover, &head, err);
    }
    if (rc == 0) {
        rc = move_heavy(mover, heavy, &head, err);
    }
    if (rc == 0) {
        rc = index_there(mover, err); /* what was read so far may be wrong */
    }
    if (rc == 0) {
        tb_db_secret_check(mover->secret, head.secret_check);
        rc = tb_db_commit(&mover->db, &head, err);
    }
    if (rc < 0) {
        tb_db_rollback(&mover->db);
    }
    look_beside(mover, "-wal", &mover->log);
    remember_index(mover);
    return rc;
}

static int replace(struct tb_mover *mover, struct tb_err *err)
{
    TB_AUTO(tb_free) char *aside = tb_aside_name(mover->path);
    struct tb_err why = *err;
    tb_db_close(&mover->db);
    mover->file.st_ino = mover->log.st_ino = 0;
    mover->index = (struct stat){0};
    int rc = tb_db_set_aside(mover->path, aside, err);
    if (rc < 0) {
        return rc;
    }
    mover->replaced = true;
    tb_fail(&mover->note, TB_E_STORE, "%.200s; it was set aside as %s and a new one was started",
            why.text, aside);
    return 0;
}

/* Only an entry behind the end of the log can be in the way of the next one. The rest of the file
 * is as good as it was. */
static int clear_the_way(struct tb_mover *mover)
{
    int count = 0;
    struct tb_err ignored;
    int rc = tb_db_drop_strays(&mover->db, &count, &ignored);
    if (rc < 0 || count == 0) {
        return TB_E_STORE;
    }
    tb_fail(&mover->note, TB_E_STORE,
            "removed %d entries that tabard did not write from the end of the audit log in %s",
            count, mover->path);
    return 0;
}

/* The changes are in the database, whatever becomes of the intake's file. */
static void clear_intake(struct tb_mover *mover)
{
    int rc = tb_intake_clear(mover->intake, mover->sync, &mover->intake_err);
    if (rc == 0) {
        tb_intake_check(mover->intake, &mover->intake_err);
    }
}

int tb_mover_run(struct tb_mover *mover, const struct tb_list *heavy, struct tb_err *err)
{
    struct tb_err why;
    mover->intake_err.code = 0;
    mover->renewed = false;
    mover->lost = false;
    mover->index_bad = false;
    if (mover->index_anew) {
        tb_db_abandon(&mover->db);
        mover->index = (struct stat){0};
        tb_index_spoil(mover->path);
    }
    bool fresh = !mover->index.st_ino;
    if (mover->renew && still_there(mover, err) == 0) {
        mover->renewed = tb_intake_renew(mover->intake, mover->sync, &mover->intake_err) == 0;
    }
    int rc = move(mover, heavy, err);
    if (rc < 0 && !mover->lost && index_there(mover, &why) < 0) {
        *err = why; /* whatever else it looked like */
        rc = why.code;
        mover->note.code = 0;
    }
    if ((rc == -EBADMSG || rc == -EEXIST) && !fresh) {
        mover->index_bad = true; /* it may be the index alone: the next run has a new one */
        rc = err->code = TB_E_STORE;
    }
    if (rc == -EBADMSG && !mover->keep) {
        rc = replace(mover, err);
        if (rc == 0) {
            rc = move(mover, heavy, err);
        }
    }
    if (rc == -EEXIST && !mover->keep && clear_the_way(mover) == 0) {
        rc = move(mover, heavy, err);
    }
    mover->full = rc == -ENOSPC;
    if (rc == -EBADMSG || rc == -EEXIST || rc == -ENOSPC) {
        rc = err->code = TB_E_STORE;
    }
    if (rc == 0 && !mover->intake_err.code) {
        clear_intake(mover);
    }
    return rc;
}

int tb_mover_watch(struct tb_mover *mover)
{
    struct tb_err ignored;
    int rc = still_there(mover, &ignored);
    rc = rc < 0 ? rc : index_there(mover, &ignored);
    return rc < 0 ? rc : tb_intake_check(mover->intake, &ignored);
}

void tb_mover_fini(struct tb_mover *mover)
{
    struct tb_err ignored;
    if (index_there(mover, &ignored) < 0) {
        tb_db_abandon(&mover->db);
    }
    tb_db_close(&mover->db);
}
