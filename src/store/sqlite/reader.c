/* SPDX-License-Identifier: Apache-2.0 */
/* Reads take turns, a portion each, so that a search through the whole log does not hold up the
 * wake of a session. */
#include <errno.h>

#include "base/mem.h"
#include "store/read.h"
#include "store/sqlite/index.h"
#include "store/sqlite/state.h"

enum {
    BUSY_MS = 2000,
};

enum read_kind {
    READ_GET,
    READ_EACH,
    READ_RANGE,
    READ_AUDIT,
};

struct file_read {
    struct tb_store_read read;
    struct tb_sqlite *store;
    enum read_kind kind;
    const char *space;
    struct tb_buf key;
    int64_t place; /* of each */
    struct tb_range_copy range;
    struct tb_query_copy query;
    bool bounded;   /* the query's ends are known */
    uint64_t after; /* writes that it has to see */
    int64_t since_ms;
    int status; /* of the last portion, as the worker found it; 1: there is more */
};

static void start_next(struct tb_sqlite *store);

static struct file_read *of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct file_read, read.link);
}

static void drop_read(struct tb_store_read *read)
{
    struct file_read *mine = TB_CONTAINER(read, struct file_read, read);
    tb_read_fini(read);
    tb_buf_fini(&mine->key);
    tb_query_copy_fini(&mine->query);
    tb_range_copy_fini(&mine->range);
    tb_free(mine);
}

static int read_entries(struct tb_db *db, struct file_read *mine)
{
    struct tb_store_read *read = &mine->read;
    if (!mine->bounded) {
        int rc = tb_db_bound(db, &mine->query.query, &read->err);
        if (rc < 0) {
            return rc;
        }
        mine->bounded = true;
    }
    return tb_db_entries(db, &mine->query.query, &read->rows, &read->err);
}

static int read_rows(struct tb_db *db, struct file_read *mine)
{
    struct tb_store_read *read = &mine->read;
    switch (mine->kind) {
    case READ_GET:
        return tb_db_get(db, mine->space, tb_buf_str(&mine->key), &read->rows, &read->err);
    case READ_EACH:
        return tb_db_each(db, mine->space, &mine->place, &read->rows, &read->err);
    case READ_RANGE:
        return tb_db_range(db, mine->space, &mine->range, &read->rows, &read->err);
    case READ_AUDIT:
        return read_entries(db, mine);
    }
    return 0;
}

static int run_portion(void *user)
{
    struct file_read *mine = user;
    struct tb_sqlite *store = mine->store;
    struct tb_db *db = &store->reader.db;
    struct tb_err *err = &mine->read.err;
    mine->status = db->sql ? 0 : tb_db_open(db, store->path, TB_DB_READ, BUSY_MS, err);
    if (mine->status == 0) {
        mine->status = read_rows(db, mine);
    }
    if (tb_index_faulted()) {
        mine->status = tb_fail(err, -EBADMSG, "the index of %s was cut", store->path);
    }
    return 0;
}

static void on_portion(int status, void *user)
{
    struct file_read *mine = user;
    struct tb_store_read *read = &mine->read;
    struct tb_sqlite *store = mine->store;
    (void)status;
    if (mine->status == -EBADMSG) {
        store->writer.suspect = true;
        read->err.code = TB_E_STORE;
    } else if (mine->status == -ENOSPC) {
        read->err.code = TB_E_STORE;
    }
    tb_read_hand_out(read);
    store->reader.running = NULL;
    if (mine->status > 0 && !read->cancelled) {
        read->busy = false;
        tb_list_append(&store->reader.waiting, &read->link);
    } else {
        tb_read_end(read);
    }
    if (store->writer.suspect) {
        tb_writer_hurry(store);
    }
    start_next(store);
    if (!store->reader.running && !store->closing) {
        tb_writer_look(store);
    }
}

static bool may_start(const struct tb_sqlite *store, const struct file_read *mine)
{
    return store->writer.opened && mine->after <= store->writer.moved;
}

static void start_next(struct tb_sqlite *store)
{
    struct tb_reader *reader = &store->reader;
    if (reader->running || store->closing || store->writer.anew) {
        return;
    }
    if (reader->stale) {
        reader->stale = false;
        tb_db_close(&reader->db);
    }
    LIST_FOREACH(link, &reader->waiting) {
        struct file_read *mine = of(link);
        if (may_start(store, mine)) {
            tb_list_remove(link);
            mine->read.busy = true;
            reader->running = &mine->read;
            tb_work_submit(store->core->loop, run_portion, on_portion, mine);
            return;
        }
    }
}

bool tb_reader_waits(const struct tb_sqlite *store)
{
    LIST_FOREACH(link, &store->reader.waiting) {
        if (!may_start(store, of(link))) {
            return true;
        }
    }
    return false;
}

bool tb_reader_leave(struct tb_sqlite *store)
{
    if (store->reader.running) {
        return false;
    }
    tb_db_abandon(&store->reader.db);
    return true;
}

void tb_reader_go(struct tb_sqlite *store)
{
    start_next(store);
}

void tb_reader_give_up(struct tb_sqlite *store, const struct tb_err *err)
{
    struct tb_list late;
    tb_list_init(&late);
    LIST_FOREACH_SAFE(link, &store->reader.waiting) {
        const struct file_read *mine = of(link);
        if (tb_writer_tried_enough(store, mine->since_ms) && !may_start(store, mine)) {
            tb_list_remove(link);
            tb_list_append(&late, link);
        }
    }
    while (!tb_list_empty(&late)) {
        struct tb_store_read *read = &of(late.next)->read;
        read->err = *err;
        tb_read_end(read);
    }
}

static struct file_read *new_read(struct tb_sqlite *store, enum read_kind kind,
                                  tb_store_end_fn *end, void *user)
{
    struct file_read *mine = TB_NEW(struct file_read);
    tb_read_init(&mine->read, drop_read, end, user);
    mine->store = store;
    mine->kind = kind;
    tb_buf_init(&mine->key, SIZE_MAX);
    return mine;
}

/* Waits for the writes before it, and for the loop in any case. */
static struct tb_store_read *begin_take(struct file_read *mine)
{
    struct tb_sqlite *store = mine->store;
    mine->after = store->writer.asked;
    mine->since_ms = tb_loop_now_ms(store->core->loop);
    tb_list_append(&store->reader.waiting, &mine->read.link);
    if (may_start(store, mine)) {
        start_next(store);
    } else {
        tb_writer_hurry(store);
    }
    return &mine->read;
}

struct tb_store_read *tb_reader_get(void *state, enum tb_space space, struct tb_str key,
                                    tb_store_record_fn *record, tb_store_end_fn *end, void *user)
{
    struct file_read *mine = new_read(state, READ_GET, end, user);
    mine->space = tb_space_name(space);
    mine->read.record = record;
    tb_buf_append_str(&mine->key, key);
    return begin_take(mine);
}

struct tb_store_read *tb_reader_each(void *state, enum tb_space space, const struct tb_range *range,
                                     tb_store_record_fn *record, tb_store_end_fn *end, void *user)
{
    struct file_read *mine = new_read(state, range ? READ_RANGE : READ_EACH, end, user);
    mine->space = tb_space_name(space);
    mine->read.record = record;
    if (range) {
        tb_range_copy_init(&mine->range, range);
    }
    return begin_take(mine);
}

struct tb_store_read *tb_reader_audit(void *state, const struct tb_audit_query *query,
                                      tb_store_entry_fn *entry, tb_store_end_fn *end, void *user)
{
    struct file_read *mine = new_read(state, READ_AUDIT, end, user);
    mine->read.entry = entry;
    tb_query_copy_init(&mine->query, query);
    return begin_take(mine);
}

void tb_reader_init(struct tb_sqlite *store)
{
    tb_list_init(&store->reader.waiting);
}

void tb_reader_fini(struct tb_sqlite *store)
{
    struct tb_reader *reader = &store->reader;
    if (reader->running) {
        reader->running->cancelled = true;
    }
    while (!tb_list_empty(&reader->waiting)) {
        drop_read(&of(reader->waiting.next)->read);
    }
    while (reader->running) {
        tb_loop_turn(store->core->loop, true);
    }
    tb_db_close(&reader->db);
}
