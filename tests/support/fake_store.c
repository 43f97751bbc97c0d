/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fake_store.h"

#include <string.h>

#include "base/mem.h"

struct record {
    struct tb_list link;
    enum tb_space space;
    char *key;
    char *value;
    size_t len;
};

struct tb_store_read {
    struct tb_list link;
    struct tb_deferred job;
    struct fake_store *store;
    enum tb_space space;
    char *key; /* NULL: all */
    tb_store_record_fn *record;
    tb_store_end_fn *end;
    void *user;
};

struct held {
    struct tb_list link;
    struct tb_hold hold;
};

struct fake_store *fake_store_of(struct rig *rig)
{
    return rig->core.store.state;
}

/* Records. */

static struct record *find(struct fake_store *store, enum tb_space space, struct tb_str key)
{
    LIST_FOREACH(link, &store->records) {
        struct record *record = TB_CONTAINER(link, struct record, link);
        if (record->space == space && tb_str_eq_cstr(key, record->key)) {
            return record;
        }
    }
    return NULL;
}

static void record_free(struct record *record)
{
    if (record) {
        tb_list_remove(&record->link);
        tb_free(record->key);
        tb_free(record->value);
        tb_free(record);
    }
}

struct tb_str fake_store_get(struct fake_store *store, enum tb_space space, const char *key)
{
    const struct record *record = find(store, space, tb_str_of(key));
    return record ? (struct tb_str){record->value, record->len} : TB_STR("");
}

void fake_store_set(struct fake_store *store, enum tb_space space, const char *key,
                    struct tb_str value)
{
    struct record *record = TB_NEW(struct record);
    record_free(find(store, space, tb_str_of(key)));
    record->space = space;
    record->key = tb_strdup(key);
    record->value = tb_str_dup(value);
    record->len = value.len;
    tb_list_append(&store->records, &record->link);
}

size_t fake_store_count(struct fake_store *store, enum tb_space space)
{
    size_t count = 0;
    LIST_FOREACH(link, &store->records) {
        count += TB_CONTAINER(link, struct record, link)->space == space;
    }
    return count;
}

/* Writes. */

static bool refused(const struct fake_store *store, struct tb_gate *gate)
{
    struct tb_err err;
    if (store->full || store->broken) {
        tb_fail(&err, TB_E_STORE, "the disk is full");
        tb_gate_fail(gate, &err);
    }
    return store->full || store->broken || store->dead;
}

static void put(void *state, enum tb_space space, struct tb_str key, struct tb_str value,
                const struct tb_fence *fence, struct tb_gate *gate)
{
    assert_null(fence);
    struct fake_store *store = state;
    if (refused(store, gate)) {
        return;
    }
    TB_AUTO(tb_free) char *name = tb_str_dup(key);
    store->puts[space]++;
    fake_store_set(store, space, name, value);
    if (store->slow && !tb_space_light(space)) {
        struct held *held = TB_NEW(struct held);
        tb_gate_hold(gate, &held->hold);
        tb_list_append(&store->holds, &held->link);
    }
}

static void remove_record(void *state, enum tb_space space, struct tb_str key,
                          const struct tb_fence *fence, struct tb_gate *gate)
{
    assert_null(fence);
    struct fake_store *store = state;
    if (!refused(store, gate)) {
        record_free(find(store, space, key));
    }
}

static void append(void *state, const struct tb_audit_entry *entry, struct tb_gate *gate)
{
    (void)entry;
    refused(state, gate);
}

static bool ready(void *state, struct tb_err *err)
{
    const struct fake_store *store = state;
    if (store->full) {
        tb_fail(err, TB_E_STORE, "the disk is full");
    }
    return !store->full;
}

/* Reads. */

static void read_free(struct tb_store_read *read)
{
    tb_deferred_cancel(&read->job);
    tb_list_remove(&read->link);
    tb_free(read->key);
    tb_free(read);
}

static void on_read(struct tb_deferred *job)
{
    struct tb_store_read *read = TB_CONTAINER(job, struct tb_store_read, job);
    struct fake_store *store = read->store;
    bool any = !read->key;
    struct tb_err err;
    LIST_FOREACH_SAFE(link, &store->records) {
        const struct record *record = TB_CONTAINER(link, struct record, link);
        if (record->space == read->space && (!read->key || !strcmp(record->key, read->key))) {
            any = true;
            read->record(tb_str_of(record->key), (struct tb_str){record->value, record->len},
                         read->user);
        }
        if (store->broken) {
            break; /* half-way */
        }
    }
    if (store->broken) {
        tb_fail(&err, TB_E_STORE, "the disk cannot be read");
    } else {
        tb_fail(&err, TB_E_NOT_FOUND, "there is no such record");
    }
    read->end(any && !store->broken ? NULL : &err, read->user);
    read_free(read);
}

static struct tb_store_read *start_read(struct fake_store *store, enum tb_space space, char *key,
                                        tb_store_record_fn *record, tb_store_end_fn *end,
                                        void *user)
{
    struct tb_store_read *read = TB_NEW(struct tb_store_read);
    *read = (struct tb_store_read){.job.run = on_read,
                                   .store = store,
                                   .space = space,
                                   .key = key,
                                   .record = record,
                                   .end = end,
                                   .user = user};
    tb_list_append(&store->reads, &read->link);
    if (!store->reads_late) {
        tb_loop_defer(store->rig->core.loop, &read->job);
    }
    return read;
}

static struct tb_store_read *get(void *state, enum tb_space space, struct tb_str key,
                                 tb_store_record_fn *record, tb_store_end_fn *end, void *user)
{
    return start_read(state, space, tb_str_dup(key), record, end, user);
}

static struct tb_store_read *each(void *state, enum tb_space space, const struct tb_range *range,
                                  tb_store_record_fn *record, tb_store_end_fn *end, void *user)
{
    assert_null(range);
    return start_read(state, space, NULL, record, end, user);
}

const struct tb_store_kind fake_store_kind = {
    .name = "fake",
    .put = put,
    .remove = remove_record,
    .append = append,
    .get = get,
    .each = each,
    .cancel = read_free,
    .ready = ready,
};

void fake_store_catch_up(struct fake_store *store)
{
    struct tb_list *link;
    store->slow = false;
    store->reads_late = false;
    while ((link = tb_list_pop(&store->holds))) {
        struct held *held = TB_CONTAINER(link, struct held, link);
        tb_hold_release(&held->hold, NULL);
        tb_free(held);
    }
    LIST_FOREACH(read, &store->reads) {
        tb_loop_defer(store->rig->core.loop, &TB_CONTAINER(read, struct tb_store_read, link)->job);
    }
}

static void drop_records(struct fake_store *store)
{
    while (!tb_list_empty(&store->records)) {
        record_free(TB_CONTAINER(store->records.next, struct record, link));
    }
}

void fake_store_replace(struct fake_store *store)
{
    drop_records(store);
    tb_store_replaced(&store->rig->core);
}

/* The rig. */

int rig_setup_stored(void **state)
{
    struct fake_store *store = TB_NEW(struct fake_store);
    rig_setup(state);
    store->rig = *state;
    tb_list_init(&store->records);
    tb_list_init(&store->reads);
    tb_list_init(&store->holds);
    store->rig->core.store = (struct tb_store){&fake_store_kind, store};
    return 0;
}

int rig_teardown_stored(void **state)
{
    struct fake_store *store = fake_store_of(*state);
    struct tb_list *link;
    rig_teardown(state);
    assert_true(tb_list_empty(&store->reads));
    while ((link = tb_list_pop(&store->holds))) {
        tb_free(TB_CONTAINER(link, struct held, link));
    }
    drop_records(store);
    tb_free(store);
    return 0;
}

static void start_again(struct rig *rig, int64_t down_ms)
{
    rig->clock.wall_ms += down_ms;
    rig->fake = tb_driver_fake.start(&rig->core);
    rig->core.drivers[0].state = rig->fake;
    rig->core.sessions = tb_sessions_new(&rig->core);
    tb_sessions_load(rig->core.sessions, NULL, NULL);
    rig_turn(rig);
}

void rig_kill(struct rig *rig, int64_t down_ms)
{
    struct fake_store *store = fake_store_of(rig);
    store->dead = true;
    tb_bus_unsubscribe(&rig->listener);
    rig_stop(rig);
    tb_bus_subscribe(&rig->core.bus, &rig->listener);
    store->dead = false;
    start_again(rig, down_ms);
}

static void on_drained(void *user)
{
    *(bool *)user = true;
}

void rig_restart(struct rig *rig, int64_t down_ms)
{
    bool drained = false;
    tb_sessions_drain(rig->core.sessions, on_drained, &drained);
    tb_sessions_hurry(rig->core.sessions);
    rig_turn(rig);
    assert_true(drained);
    rig_stop(rig);
    start_again(rig, down_ms);
}
