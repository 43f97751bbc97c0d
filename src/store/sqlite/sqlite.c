/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite.h"

#include <sys/stat.h>

#include "base/mem.h"
#include "core/limits.h"
#include "store/read.h"
#include "store/sqlite/index.h"
#include "store/sqlite/state.h"

enum {
    /* Kept free for what is under way when no more is begun. */
    RESERVE_BYTES = 8 * TB_RECORD_LIGHT_MAX,
};

bool tb_sqlite_present(const char *state_dir)
{
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/tabard.db", state_dir);
    TB_AUTO(tb_free) char *intake = tb_strdupf("%s/tabard.intake", state_dir);
    struct stat info;
    return (stat(path, &info) == 0 && info.st_size) || (stat(intake, &info) == 0 && info.st_size);
}

static void free_store(struct tb_sqlite *store)
{
    tb_intake_free(store->intake);
    tb_buf_fini(&store->scratch);
    tb_free(store->path);
    tb_free(store);
}

/* A file that must not be touched is found now; whatever else is wrong with it, the worker sees to.
 */
static int look_at_file(struct tb_sqlite *store, struct tb_err *err)
{
    struct tb_err ignored;
    struct tb_db *db = &store->writer.mover.db;
    int rc = tb_db_open(db, store->path, TB_DB_WRITE, 0, &ignored);
    if (rc == 0) {
        rc = tb_db_check_secret(db, store->core->secret, &ignored);
    }
    if (rc != TB_E_CONFIG) {
        return 0;
    }
    *err = ignored;
    return rc;
}

static void agree_on_numbers(struct tb_sqlite *store)
{
    struct tb_db *db = &store->writer.mover.db;
    struct tb_db_head head;
    struct tb_err ignored; /* the worker will see it too */
    if (db->sql && tb_db_head(db, &head, &ignored) == 0 &&
        head.intake_id == tb_intake_id(store->intake)) {
        tb_intake_number_after(store->intake, head.intake_seq);
    }
}

static void *open_store(struct tb_core *core, struct tb_err *err)
{
    struct tb_sqlite *store = TB_NEW(struct tb_sqlite);
    TB_AUTO(tb_free) char *intake = tb_strdupf("%s/tabard.intake", core->config->state_dir);
    struct tb_err damage = {0};
    struct stat info;
    tb_index_guard();
    store->core = core;
    store->path = tb_strdupf("%s/tabard.db", core->config->state_dir);
    tb_buf_init(&store->scratch, SIZE_MAX);
    /* Whatever is in it: an intake is made before there is a database. */
    bool again = stat(store->path, &info) == 0;
    if (look_at_file(store, err) == 0) {
        store->intake =
            tb_intake_open(intake, again ? TB_INTAKE_RESTART : TB_INTAKE_START, &damage, err);
    }
    if (!store->intake) {
        tb_db_close(&store->writer.mover.db);
        free_store(store);
        return NULL;
    }
    if (damage.code) {
        tb_store_report(core, &damage);
    }
    agree_on_numbers(store);
    tb_list_init(&store->answers);
    tb_sqlite_claims_init(store);
    tb_reader_init(store);
    tb_light_init(store);
    tb_writer_init(store);
    return store;
}

static void close_store(void *state)
{
    struct tb_sqlite *store = state;
    store->closing = true;
    while (!tb_list_empty(&store->answers)) {
        struct tb_store_read *read = TB_CONTAINER(store->answers.next, struct tb_store_read, link);
        read->drop(read);
    }
    tb_sqlite_claims_fini(store);
    tb_reader_fini(store);
    tb_writer_fini(store);
    free_store(store);
}

static bool fits(const struct tb_sqlite *store, size_t max, struct tb_gate *gate)
{
    if (store->scratch.len <= max) {
        return true;
    }
    struct tb_err err;
    tb_fail(&err, TB_E_TOO_LARGE,
            "a record of %zu bytes is too large to store; the limit is %zu bytes",
            store->scratch.len, max);
    tb_gate_fail(gate, &err);
    return false;
}

static void full(const struct tb_sqlite *store, struct tb_err *err)
{
    const struct tb_err *trouble = &store->writer.trouble;
    tb_fail(err, TB_E_STORE, "nothing more can be stored: %s",
            trouble->code ? trouble->text : "the disk is too slow for the incoming data");
}

/* Neither the database nor the intake can take anything. */
static bool hopeless(const struct tb_sqlite *store)
{
    return store->writer.trouble.code && (store->writer.lost || store->light.broken);
}

static void refuse(const struct tb_sqlite *store, struct tb_gate *gate)
{
    struct tb_err err;
    full(store, &err);
    tb_gate_fail(gate, &err);
}

/* Into the intake; what has no room there waits with the heavy ones, and so do those behind it. */
static void change_light(struct tb_sqlite *store, struct tb_gate *gate)
{
    struct tb_writer *writer = &store->writer;
    if (writer->spilled <= writer->taken &&
        tb_intake_append(store->intake, tb_buf_str(&store->scratch))) {
        tb_writer_wrote(store, gate);
    } else if (writer->trouble.code) {
        refuse(store, gate);
    } else {
        writer->spilled = writer->asked + 1;
        tb_writer_queue_take(store, &store->scratch, (struct tb_str){0}, gate);
    }
}

static void change(struct tb_sqlite *store, const struct tb_change *change, bool light,
                   struct tb_gate *gate)
{
    tb_buf_clear(&store->scratch);
    tb_change_pack(change, &store->scratch);
    if (!fits(store, light ? TB_RECORD_LIGHT_MAX : TB_RECORD_MAX, gate)) {
        return;
    }
    struct tb_str record = tb_change_record(change, tb_buf_str(&store->scratch));
    if (hopeless(store)) {
        refuse(store, gate);
    } else if (change->kind == TB_CHANGE_PUT_NEW || tb_writer_queued(store, record)) {
        tb_writer_queue_take(store, &store->scratch, record, gate);
    } else if (light) {
        change_light(store, gate);
    } else {
        tb_writer_queue_take(store, &store->scratch, (struct tb_str){0}, gate);
    }
}

static void put(void *state, enum tb_space space, struct tb_str key, struct tb_str value,
                const struct tb_fence *fence, struct tb_gate *gate)
{
    if (tb_sqlite_fenced(state, fence, gate)) {
        return;
    }
    const struct tb_change put = {
        .kind = TB_CHANGE_PUT,
        .space = tb_str_of(tb_space_name(space)),
        .key = key,
        .value = value,
    };
    change(state, &put, tb_space_light(space), gate);
}

/* The database says whether there is such a record, so it waits for a batch. */
struct put_new {
    struct tb_store_read read;
    struct tb_gate gate;
};

static void drop_put_new(struct tb_store_read *read)
{
    struct put_new *mine = TB_CONTAINER(read, struct put_new, read);
    tb_gate_fini(&mine->gate);
    tb_read_fini(read);
    tb_free(mine);
}

static void on_put_new(struct tb_gate *gate)
{
    struct put_new *mine = TB_CONTAINER(gate, struct put_new, gate);
    mine->read.err = gate->err;
    tb_read_end(&mine->read);
}

static struct tb_store_read *put_new(void *state, enum tb_space space, struct tb_str key,
                                     struct tb_str value, tb_store_end_fn *end, void *user)
{
    const struct tb_change put = {
        .kind = TB_CHANGE_PUT_NEW,
        .space = tb_str_of(tb_space_name(space)),
        .key = key,
        .value = value,
    };
    struct tb_sqlite *store = state;
    struct put_new *mine = TB_NEW(struct put_new);
    tb_read_init(&mine->read, drop_put_new, end, user);
    tb_list_append(&store->answers, &mine->read.link);
    tb_gate_init(&mine->gate, on_put_new);
    change(store, &put, tb_space_light(space), &mine->gate);
    if (!tb_gate_shut(&mine->gate)) { /* it was refused */
        mine->read.err = mine->gate.err;
        tb_read_end_later(&mine->read, store->core->loop);
    }
    return &mine->read;
}

static void remove_record(void *state, enum tb_space space, struct tb_str key,
                          const struct tb_fence *fence, struct tb_gate *gate)
{
    if (tb_sqlite_fenced(state, fence, gate)) {
        return;
    }
    const struct tb_change remove = {
        .kind = TB_CHANGE_REMOVE,
        .space = tb_str_of(tb_space_name(space)),
        .key = key,
    };
    struct tb_sqlite *store = state;
    const struct tb_writer *writer = &store->writer;
    change(store, &remove, true, gate); /* small in any space */
    if (!tb_space_light(space) &&
        (!tb_list_empty(&writer->queue) || !tb_list_empty(&writer->batch))) {
        change(store, &remove, false, NULL); /* the record itself may still be under way */
    }
}

static void append(void *state, const struct tb_audit_entry *entry, struct tb_gate *gate)
{
    const struct tb_change append = {.kind = TB_CHANGE_APPEND, .entry = *entry};
    change(state, &append, true, gate);
}

static void cut(void *state, int64_t wall_ms, int64_t count, struct tb_gate *gate)
{
    const struct tb_change cut = {.kind = TB_CHANGE_CUT, .wall_ms = wall_ms, .count = count};
    change(state, &cut, true, gate);
}

static bool ready(void *state, struct tb_err *err)
{
    const struct tb_sqlite *store = state;
    if (tb_intake_room(store->intake) >= RESERVE_BYTES && !hopeless(store)) {
        return true;
    }
    full(store, err);
    return false;
}

const struct tb_store_kind tb_store_sqlite = {
    .name = "sqlite",
    .open = open_store,
    .close = close_store,
    .put = put,
    .put_new = put_new,
    .remove = remove_record,
    .append = append,
    .cut = cut,
    .claim = tb_sqlite_claim,
    .renew = tb_sqlite_renew,
    .release = tb_sqlite_release,
    .get = tb_reader_get,
    .each = tb_reader_each,
    .audit = tb_reader_audit,
    .cancel = tb_read_cancel,
    .ready = ready,
};
