/* SPDX-License-Identifier: Apache-2.0 */
#include "support/store_model.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dirent.h>

#include "base/mem.h"

#include "support/disk_faults.h"
#include "support/manual_work.h"
#include "support/store_model_internal.h"

enum {
    SETTLE_STEP_MS = 50,
    SETTLE_MAX = 100 * 1000,
    VALUE_MAX = 1024 * 1024,
};

struct write {
    struct tb_list link;
    struct tb_gate gate;
    struct store_model *model;
    int key; /* MODEL_KEYS: an audit entry */
    uint64_t version;
    int opened;
};

/* A record that is put where there is none. */
struct fresh {
    struct tb_list link;
    struct store_model *model;
    int key;
    uint64_t version;
    bool known;  /* it was known whether there is one, */
    bool absent; /* namely not */
};

/* Writes */

static void drop_write(struct write *write)
{
    tb_gate_fini(&write->gate);
    tb_list_remove(&write->link);
    tb_free(write);
}

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
    drop_write(write);
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

static struct write *change(struct store_model *model, int key, size_t bytes,
                            const struct tb_fence *fence)
{
    char name[8];
    struct write *write = begin_write(model, key);
    struct tb_str key_name = name_of(key, name);
    if (removed(write->version)) {
        tb_store_sqlite.remove(model->state, space_of(key), key_name, fence, &write->gate);
    } else {
        int len = snprintf(model->room, 32, "%llu ", (unsigned long long)write->version);
        size_t size = key < MODEL_LIGHT_KEYS || bytes < (size_t)len ? (size_t)len : bytes;
        tb_store_sqlite.put(model->state, space_of(key), key_name,
                            (struct tb_str){model->room, size}, fence, &write->gate);
    }
    return write;
}

void store_model_change(struct store_model *model, int key, size_t bytes)
{
    change(model, key, bytes, NULL);
    end_writes(model);
}

/* The store says at once when a fence refuses a write, which then never was. */
void store_model_fenced(struct store_model *model, int key, int claim)
{
    const struct tb_fence fence = claims_model_fence(&model->claims, claim);
    enum claim_verdict verdict = claims_model_judge(&model->claims, claim);
    struct write *write = change(model, key, 0, &fence);
    bool refused = write->gate.err.code == TB_E_FENCED;
    REQUIRE(verdict != (refused ? CLAIM_HOLDS : CLAIM_OVER));
    if (refused) {
        model->records[key].begun--;
        drop_write(write);
    }
    end_writes(model);
}

static void on_fresh(const struct tb_err *err, void *user)
{
    struct fresh *fresh = user;
    struct store_model *model = fresh->model;
    struct version *version = &model->records[fresh->key];
    if (!err) {
        REQUIRE(!fresh->known || fresh->absent);
        version->stored = version->stored < fresh->version ? fresh->version : version->stored;
    } else if (err->code == TB_E_EXISTS) {
        REQUIRE(!fresh->known || !fresh->absent);
        version->begun -= version->begun == fresh->version; /* it never was */
    } else {
        REQUIRE(err->text[0]);
        model->refused++;
    }
    tb_list_remove(&fresh->link);
    tb_free(fresh);
}

/* What is known of the record is what was acknowledged, unless something is under way. */
void store_model_put_new(struct store_model *model, int key)
{
    struct version *version = &model->records[key];
    char name[8];
    char value[32];
    if (removed(version->begun + 1)) {
        store_model_change(model, key, 0);
        return;
    }
    struct fresh *fresh = TB_NEW(struct fresh);
    fresh->model = model;
    fresh->key = key;
    fresh->known = version->begun == version->stored;
    fresh->absent = removed(version->stored);
    fresh->version = ++version->begun;
    tb_list_append(&model->fresh, &fresh->link);
    snprintf(value, sizeof(value), "%llu ", (unsigned long long)fresh->version);
    tb_store_sqlite.put_new(model->state, space_of(key), name_of(key, name), tb_str_of(value),
                            on_fresh, fresh);
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

/* Time */

static bool busy(const struct store_model *model)
{
    return model->state->writer.work || model->state->light.work || model->state->reader.running;
}

static void turn(struct store_model *model)
{
    tb_loop_turn(model->core.loop, false);
    end_writes(model);
    store_model_end_reads(model);
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
    for (int i = 0; store_model_waits(model) || !tb_list_empty(&model->reads); i++) {
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
    claims_model_opened(&model->claims, model->state);
}

/* They hear nothing of a store that is closed. */
static void drop_fresh(struct store_model *model)
{
    struct tb_list *link;
    while ((link = tb_list_pop(&model->fresh))) {
        tb_free(TB_CONTAINER(link, struct fresh, link));
    }
}

/* Every write has its end by then, and no read comes after it. */
static void close_it(struct store_model *model)
{
    manual_work_hold(false);
    tb_store_sqlite.close(model->state);
    model->state = NULL;
    claims_model_opened(&model->claims, NULL);
    drop_fresh(model);
    end_writes(model);
    REQUIRE(tb_list_empty(&model->writes));
    store_model_drop_reads(model);
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
        size_t claims_before = model->claims.refused;
        store_model_append(model);
        store_model_change(model, 0, 0);
        store_model_change(model, MODEL_LIGHT_KEYS, 0);
        store_model_settle(model);
        claims_model_claim(&model->claims, 0, 1);
        store_model_put_new(model, 1);
        store_model_settle(model);
        works = model->refused == before && model->claims.refused == claims_before;
        go_on(model);
    }
    REQUIRE(works);
}

struct claims_model *store_model_claims(struct store_model *model)
{
    return &model->claims;
}

size_t store_model_refused(const struct store_model *model)
{
    return model->refused;
}

bool store_model_waits(const struct store_model *model)
{
    return !tb_list_empty(&model->writes) || !tb_list_empty(&model->fresh) ||
           !tb_list_empty(&model->claims.waiting);
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
    tb_list_init(&model->fresh);
    claims_model_init(&model->claims, &tb_store_sqlite, model->core.clock);
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
