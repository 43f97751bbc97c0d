/* SPDX-License-Identifier: Apache-2.0 */
#include "support/store_model.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dirent.h>

#include "base/mem.h"
#include "core/audit_chain.h"
#include "core/config.h"
#include "core/core.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/state.h"

#include "support/disk_faults.h"
#include "support/manual_work.h"

enum {
    REMOVES = 4,
    SETTLE_STEP_MS = 50,
    SETTLE_MAX = 100 * 1000,
    VALUE_MAX = 1024 * 1024,
};

struct version {
    uint64_t begun;
    uint64_t stored; /* acknowledged */
};

struct write {
    struct tb_list link;
    struct tb_gate gate;
    struct store_model *model;
    int key; /* MODEL_KEYS: an audit entry */
    uint64_t version;
    int opened;
};

struct read {
    struct tb_list link;
    struct store_model *model;
    struct tb_store_read *read;
    int key;        /* MODEL_KEYS: the log */
    uint64_t floor; /* acknowledged when it began */
    uint64_t found; /* version, or the last entry */
    bool any;
    uint8_t hash[TB_HASH_BYTES];
    int ended;
};

struct store_model {
    struct tb_core core;
    struct tb_config config;
    struct tb_log log;
    struct tb_clock_manual clock;
    char dir[64];
    struct tb_sqlite *state;
    struct version records[MODEL_KEYS];
    struct version entries;
    struct tb_list writes;
    struct tb_list reads;
    char *room; /* for large values */
    size_t refused;
};

#define REQUIRE(holds)                                                          \
    do {                                                                        \
        if (!(holds)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
            abort();                                                            \
        }                                                                       \
    } while (0)

static enum tb_space space_of(int key)
{
    return key < MODEL_LIGHT_KEYS ? TB_SPACE_SESSION : TB_SPACE_STATE;
}

static struct tb_str name_of(int key, char ret_name[8])
{
    snprintf(ret_name, 8, "k%d", key);
    return tb_str_of(ret_name);
}

static bool removed(uint64_t version)
{
    return version % REMOVES == 0;
}

static struct version *version_of(struct store_model *model, int key)
{
    return key == MODEL_KEYS ? &model->entries : &model->records[key];
}

/* Writes */

static void end_write(struct write *write)
{
    struct store_model *model = write->model;
    struct version *version = version_of(model, write->key);
    if (write->gate.err.code) {
        REQUIRE(write->gate.err.text[0]);
        model->refused++;
    } else if (version->stored < write->version) {
        version->stored = write->version;
    }
    tb_gate_fini(&write->gate);
    tb_list_remove(&write->link);
    tb_free(write);
}

static void on_open(struct tb_gate *gate)
{
    struct write *write = TB_CONTAINER(gate, struct write, gate);
    REQUIRE(++write->opened == 1);
}

static struct write *begin_write(struct store_model *model, int key)
{
    struct write *write = TB_NEW(struct write);
    write->model = model;
    write->key = key;
    write->version = ++version_of(model, key)->begun;
    tb_gate_init(&write->gate, on_open);
    tb_list_append(&model->writes, &write->link);
    return write;
}

static void end_writes(struct store_model *model)
{
    LIST_FOREACH_SAFE(link, &model->writes) {
        struct write *write = TB_CONTAINER(link, struct write, link);
        if (!tb_gate_shut(&write->gate)) {
            end_write(write);
        }
    }
}

void store_model_change(struct store_model *model, int key, size_t bytes)
{
    char name[8];
    struct write *write = begin_write(model, key);
    struct tb_str key_name = name_of(key, name);
    if (removed(write->version)) {
        tb_store_sqlite.remove(model->state, space_of(key), key_name, NULL, &write->gate);
    } else {
        int len = snprintf(model->room, 32, "%llu ", (unsigned long long)write->version);
        size_t size = key < MODEL_LIGHT_KEYS || bytes < (size_t)len ? (size_t)len : bytes;
        tb_store_sqlite.put(model->state, space_of(key), key_name,
                            (struct tb_str){model->room, size}, NULL, &write->gate);
    }
    end_writes(model);
}

void store_model_append(struct store_model *model)
{
    struct write *write = begin_write(model, MODEL_KEYS);
    const struct tb_audit_entry entry = {
        .wall_ms = (int64_t)write->version,
        .type = TB_STR("n"),
        .details = TB_STR("{\"url\":\"http://shop.example/\",\"ms\":1}"),
    };
    tb_store_sqlite.append(model->state, &entry, &write->gate);
    end_writes(model);
}

/* Reads */

static void on_record(struct tb_str key, struct tb_str value, void *user)
{
    struct read *read = user;
    char text[32] = "";
    (void)key;
    REQUIRE(!read->ended && !read->any);
    memcpy(text, value.ptr, value.len < sizeof(text) - 1 ? value.len : sizeof(text) - 1);
    read->any = true;
    read->found = strtoull(text, NULL, 10);
}

/* Entries that were refused may be missing: what is there is in order and chained. */
static void on_entry(const struct tb_audit_entry *entry, void *user)
{
    struct read *read = user;
    uint8_t hash[TB_HASH_BYTES];
    uint64_t number = (uint64_t)entry->wall_ms;
    REQUIRE(!read->ended && number > read->found);
    tb_audit_link(read->model->core.secret, read->hash, entry, hash);
    REQUIRE(memcmp(hash, entry->hash, sizeof(hash)) == 0);
    memcpy(read->hash, hash, sizeof(hash));
    read->found = number;
}

static void judge_record(const struct read *read)
{
    const struct version *version = &read->model->records[read->key];
    uint64_t found = read->found;
    if (read->any) {
        REQUIRE(!removed(found));
    } else {
        for (found = read->floor; found < version->begun && !removed(found); found++) {
        }
        REQUIRE(removed(found));
    }
    REQUIRE(found >= read->floor && found <= version->begun);
}

static void on_end(const struct tb_err *err, void *user)
{
    struct read *read = user;
    REQUIRE(++read->ended == 1);
    bool missing = err && err->code == TB_E_NOT_FOUND && read->key < MODEL_KEYS;
    if (err && !missing) {
        REQUIRE(err->text[0]);
        return;
    }
    if (read->key < MODEL_KEYS) {
        judge_record(read);
    } else {
        REQUIRE(read->found >= read->floor && read->found <= read->model->entries.begun);
    }
}

static struct read *begin_read(struct store_model *model, int key)
{
    struct read *read = TB_NEW(struct read);
    read->model = model;
    read->key = key;
    read->floor = version_of(model, key)->stored;
    tb_list_append(&model->reads, &read->link);
    return read;
}

void store_model_get(struct store_model *model, int key)
{
    char name[8];
    struct read *read = begin_read(model, key);
    read->read = tb_store_sqlite.get(model->state, space_of(key), name_of(key, name), on_record,
                                     on_end, read);
    REQUIRE(!read->ended);
}

void store_model_audit(struct store_model *model)
{
    const struct tb_audit_query all = {0};
    struct read *read = begin_read(model, MODEL_KEYS);
    read->read = tb_store_sqlite.audit(model->state, &all, on_entry, on_end, read);
    REQUIRE(!read->ended);
}

static void drop_read(struct read *read)
{
    tb_list_remove(&read->link);
    tb_free(read);
}

static void end_reads(struct store_model *model)
{
    LIST_FOREACH_SAFE(link, &model->reads) {
        struct read *read = TB_CONTAINER(link, struct read, link);
        if (read->ended) {
            drop_read(read);
        }
    }
}

void store_model_cancel(struct store_model *model)
{
    if (!tb_list_empty(&model->reads)) {
        struct read *read = TB_CONTAINER(model->reads.next, struct read, link);
        tb_store_sqlite.cancel(read->read);
        drop_read(read);
    }
}

/* Time */

static bool busy(const struct store_model *model)
{
    return model->state->writer.work || model->state->light.work || model->state->reader.running;
}

static void turn(struct store_model *model)
{
    tb_loop_turn(model->core.loop, false);
    end_writes(model);
    end_reads(model);
}

void store_model_turn(struct store_model *model)
{
    turn(model);
}

void store_model_advance(struct store_model *model, int ms)
{
    tb_clock_manual_advance(&model->clock, ms);
    turn(model);
}

/* Waits for the workers, or else for a timer. */
static void go_on(struct store_model *model)
{
    if (busy(model)) {
        turn(model);
    } else {
        store_model_advance(model, SETTLE_STEP_MS);
    }
}

void store_model_settle(struct store_model *model)
{
    for (int i = 0; !tb_list_empty(&model->writes) || !tb_list_empty(&model->reads); i++) {
        REQUIRE(i < SETTLE_MAX);
        go_on(model);
    }
}

/* Everything */

static void look_at_everything(struct store_model *model)
{
    for (int key = 0; key < MODEL_KEYS; key++) {
        store_model_get(model, key);
    }
    store_model_audit(model);
    store_model_settle(model);
}

static void open_it(struct store_model *model)
{
    struct tb_err err = {0};
    model->state = tb_store_sqlite.open(&model->core, &err);
    if (!model->state) { /* a disk that fails may have it refuse to start, with words */
        REQUIRE(err.code < 0 && err.text[0]);
        disk_heal();
        model->state = tb_store_sqlite.open(&model->core, &err);
        REQUIRE(model->state);
    }
}

/* Every write has its end by then, and no read comes after it. */
static void close_it(struct store_model *model)
{
    manual_work_hold(false);
    tb_store_sqlite.close(model->state);
    model->state = NULL;
    end_writes(model);
    REQUIRE(tb_list_empty(&model->writes));
    while (!tb_list_empty(&model->reads)) {
        drop_read(TB_CONTAINER(model->reads.next, struct read, link));
    }
}

void store_model_reopen(struct store_model *model)
{
    close_it(model);
    disk_heal();
    open_it(model);
    look_at_everything(model);
}

void store_model_spoil_intake(struct store_model *model, bool cut)
{
    char path[96];
    store_model_settle(model);
    disk_heal();
    store_model_settle(model);
    snprintf(path, sizeof(path), "%s/tabard.intake", model->dir);
    if (cut ? truncate(path, 0) < 0 : unlink(path) < 0) {
        return; /* it is being made anew */
    }
    store_model_advance(model, 2000);
    store_model_append(model);
    store_model_settle(model);
    look_at_everything(model);
    while (model->state->light.broken) {
        go_on(model);
    }
    store_model_expect_to_work(model);
}

void store_model_expect_to_work(struct store_model *model)
{
    disk_heal();
    store_model_settle(model);
    bool works = false;
    for (int i = 0; i < 100 && !works; i++) { /* what had failed is tried again now and then */
        size_t before = model->refused;
        store_model_append(model);
        store_model_change(model, 0, 0);
        store_model_change(model, MODEL_LIGHT_KEYS, 0);
        store_model_settle(model);
        works = model->refused == before;
        go_on(model);
    }
    REQUIRE(works);
}

size_t store_model_refused(const struct store_model *model)
{
    return model->refused;
}

bool store_model_waits(const struct store_model *model)
{
    return !tb_list_empty(&model->writes);
}

/* In memory if there is such a place: a run makes and removes many files. */
static void make_dir(struct store_model *model)
{
    snprintf(model->dir, sizeof(model->dir), "/dev/shm/tabard-model-XXXXXX");
    if (!mkdtemp(model->dir)) {
        snprintf(model->dir, sizeof(model->dir), "/tmp/tabard-model-XXXXXX");
        REQUIRE(mkdtemp(model->dir));
    }
}

static void remove_dir(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *item;
    while ((item = readdir(dir))) {
        char inner[400];
        snprintf(inner, sizeof(inner), "%s/%s", path, item->d_name);
        unlink(inner);
    }
    closedir(dir);
    REQUIRE(rmdir(path) == 0);
}

struct store_model *store_model_new(bool full, unsigned pace)
{
    struct store_model *model = TB_NEW(struct store_model);
    REQUIRE(tb_id_init() == 0);
    disk_heal();
    manual_work_pace(pace);
    manual_work_hold(false);
    make_dir(model);
    tb_config_init(&model->config);
    tb_free(model->config.state_dir);
    model->config.state_dir = tb_strdup(model->dir);
    if (full) {
        tb_free(model->config.store_sync);
        model->config.store_sync = tb_strdup("full");
    }
    tb_clock_manual_init(&model->clock);
    tb_log_init(&model->log, TB_LOG_ERROR, -1, &model->clock.clock); /* nobody reads it */
    model->core.clock = &model->clock.clock;
    model->core.loop = tb_loop_new(model->core.clock);
    model->core.log = &model->log;
    model->core.config = &model->config;
    memset(model->core.secret, 7, sizeof(model->core.secret));
    model->room = tb_zalloc(VALUE_MAX);
    memset(model->room, 'x', VALUE_MAX);
    tb_list_init(&model->writes);
    tb_list_init(&model->reads);
    open_it(model);
    return model;
}

void store_model_free(struct store_model *model)
{
    store_model_reopen(model);
    store_model_expect_to_work(model);
    close_it(model);
    tb_loop_free(model->core.loop);
    tb_config_fini(&model->config);
    tb_free(model->room);
    tb_log_fini(&model->log);
    remove_dir(model->dir);
    tb_free(model);
}
