/* SPDX-License-Identifier: Apache-2.0 */
/* Reads take turns, a portion each, so that a search through the whole log does not hold up the
 * wake of a session. */
#include <errno.h>

#include "base/mem.h"
#include "store/pack.h"
#include "store/sqlite/index.h"
#include "store/sqlite/state.h"

enum {
    BUSY_MS = 2000,
};

enum read_kind {
    READ_GET,
    READ_EACH,
    READ_AUDIT,
};

struct tb_store_read {
    struct tb_list link;
    struct tb_sqlite *store;
    enum read_kind kind;
    const char *space;
    struct tb_buf key;
    int64_t place; /* of each */
    struct tb_query_copy query;
    bool bounded; /* the query's ends are known */
    tb_store_record_fn *record;
    tb_store_entry_fn *entry;
    tb_store_end_fn *end;
    void *user;
    uint64_t after; /* writes that it has to see */
    int64_t since_ms;
    bool cancelled;
    /* The worker's: a portion */
    struct tb_buf rows;
    int status; /* 1: there is more */
    struct tb_err err;
};

static void start_next(struct tb_sqlite *store);

static void free_read(struct tb_store_read *read)
{
    tb_list_remove(&read->link);
    tb_buf_fini(&read->key);
    tb_buf_fini(&read->rows);
    tb_query_copy_fini(&read->query);
    tb_free(read);
}

static int read_entries(struct tb_db *db, struct tb_store_read *read)
{
    if (!read->bounded) {
        int rc = tb_db_bound(db, &read->query.query, &read->err);
        if (rc < 0) {
            return rc;
        }
        read->bounded = true;
    }
    return tb_db_entries(db, &read->query.query, &read->rows, &read->err);
}

static int run_portion(void *user)
{
    struct tb_store_read *read = user;
    struct tb_sqlite *store = read->store;
    struct tb_db *db = &store->reader.db;
    if (!db->sql) {
        read->status = tb_db_open(db, store->path, TB_DB_READ, BUSY_MS, &read->err);
        if (read->status < 0) {
            return 0;
        }
    }
    switch (read->kind) {
    case READ_GET:
        read->status = tb_db_get(db, read->space, tb_buf_str(&read->key), &read->rows, &read->err);
        break;
    case READ_EACH:
        read->status = tb_db_each(db, read->space, &read->place, &read->rows, &read->err);
        break;
    case READ_AUDIT:
        read->status = read_entries(db, read);
        break;
    }
    if (tb_index_faulted()) {
        read->status = tb_fail(&read->err, -EBADMSG, "the index of %s was cut", store->path);
    }
    return 0;
}

static void deliver(struct tb_store_read *read)
{
    struct tb_unpack unpack = {.rest = tb_buf_str(&read->rows)};
    while (unpack.rest.len && !read->cancelled) {
        if (read->kind == READ_AUDIT) {
            struct tb_audit_entry entry;
            tb_unpack_entry(&unpack, &entry);
            read->entry(&entry, read->user);
        } else {
            struct tb_str key = tb_unpack_str(&unpack);
            struct tb_str value = tb_unpack_str(&unpack);
            read->record(key, value, read->user);
        }
    }
}

static void end_read(struct tb_store_read *read, const struct tb_err *err)
{
    if (!read->cancelled) {
        read->cancelled = true; /* by now there is nothing to cancel */
        read->end(err, read->user);
    }
    free_read(read);
}

static void on_portion(int status, void *user)
{
    struct tb_store_read *read = user;
    struct tb_sqlite *store = read->store;
    (void)status;
    if (read->status == -EBADMSG) {
        store->writer.suspect = true;
        read->err.code = TB_E_STORE;
    } else if (read->status == -ENOSPC) {
        read->err.code = TB_E_STORE;
    }
    deliver(read);
    store->reader.running = NULL;
    if (read->status > 0 && !read->cancelled) {
        tb_buf_clear(&read->rows);
        tb_list_append(&store->reader.waiting, &read->link);
    } else {
        end_read(read, read->status < 0 ? &read->err : NULL);
    }
    if (store->writer.suspect) {
        tb_writer_hurry(store);
    }
    start_next(store);
    if (!store->reader.running && !store->closing) {
        tb_writer_look(store);
    }
}

static bool may_start(const struct tb_sqlite *store, const struct tb_store_read *read)
{
    return store->writer.opened && read->after <= store->writer.moved;
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
        struct tb_store_read *read = TB_CONTAINER(link, struct tb_store_read, link);
        if (may_start(store, read)) {
            tb_list_remove(&read->link);
            reader->running = read;
            tb_work_submit(store->core->loop, run_portion, on_portion, read);
            return;
        }
    }
}

bool tb_reader_waits(const struct tb_sqlite *store)
{
    LIST_FOREACH(link, &store->reader.waiting) {
        if (!may_start(store, TB_CONTAINER(link, struct tb_store_read, link))) {
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
        struct tb_store_read *read = TB_CONTAINER(link, struct tb_store_read, link);
        if (tb_writer_tried_enough(store, read->since_ms) && !may_start(store, read)) {
            tb_list_remove(link);
            tb_list_append(&late, link);
        }
    }
    while (!tb_list_empty(&late)) {
        end_read(TB_CONTAINER(late.next, struct tb_store_read, link), err);
    }
}

/* Waits for the writes before it, and for the loop in any case. */
static struct tb_store_read *begin_take(struct tb_sqlite *store, struct tb_store_read *read)
{
    read->store = store;
    read->after = store->writer.asked;
    read->since_ms = tb_loop_now_ms(store->core->loop);
    tb_buf_init(&read->rows, SIZE_MAX);
    tb_list_append(&store->reader.waiting, &read->link);
    if (may_start(store, read)) {
        start_next(store);
    } else {
        tb_writer_hurry(store);
    }
    return read;
}

struct tb_store_read *tb_reader_get(void *state, enum tb_space space, struct tb_str key,
                                    tb_store_record_fn *record, tb_store_end_fn *end, void *user)
{
    struct tb_store_read *read = TB_NEW(struct tb_store_read);
    read->kind = READ_GET;
    read->space = tb_space_name(space);
    tb_buf_init(&read->key, SIZE_MAX);
    tb_buf_append_str(&read->key, key);
    read->record = record;
    read->end = end;
    read->user = user;
    return begin_take(state, read);
}

struct tb_store_read *tb_reader_each(void *state, enum tb_space space, tb_store_record_fn *record,
                                     tb_store_end_fn *end, void *user)
{
    struct tb_store_read *read = TB_NEW(struct tb_store_read);
    read->kind = READ_EACH;
    read->space = tb_space_name(space);
    read->record = record;
    read->end = end;
    read->user = user;
    return begin_take(state, read);
}

struct tb_store_read *tb_reader_audit(void *state, const struct tb_audit_query *query,
                                      tb_store_entry_fn *entry, tb_store_end_fn *end, void *user)
{
    struct tb_store_read *read = TB_NEW(struct tb_store_read);
    read->kind = READ_AUDIT;
    tb_query_copy_init(&read->query, query);
    read->entry = entry;
    read->end = end;
    read->user = user;
    return begin_take(state, read);
}

void tb_reader_cancel(struct tb_store_read *read)
{
    if (!read) {
        return;
    }
    bool waits = read->store->reader.running != read && !read->cancelled;
    read->cancelled = true;
    if (waits) {
        free_read(read);
    }
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
        free_read(TB_CONTAINER(reader->waiting.next, struct tb_store_read, link));
    }
    while (reader->running) {
        tb_loop_turn(store->core->loop, true);
    }
    tb_db_close(&reader->db);
}
