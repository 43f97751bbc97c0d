/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "core/audit_chain.h"

#include "support/store_model_internal.h"

struct read {
    struct tb_list link;
    struct store_model *model;
    struct tb_store_read *read;
    int key;        /* MODEL_KEYS: the log; of a range the one before it */
    uint64_t floor; /* acknowledged when it began */
    uint64_t found; /* version, or the last entry */
    bool any;
    uint8_t hash[TB_HASH_BYTES];
    int ended;
    /* Of a range */
    uint64_t floors[MODEL_KEYS];
    bool seen[MODEL_KEYS];
    int last; /* the last key that was seen, or the one before it */
    int64_t limit;
    int64_t rows;
};

static uint64_t number_in(struct tb_str value)
{
    char text[32] = "";
    memcpy(text, value.ptr, value.len < sizeof(text) - 1 ? value.len : sizeof(text) - 1);
    return strtoull(text, NULL, 10);
}

static void on_record(struct tb_str key, struct tb_str value, void *user)
{
    struct read *read = user;
    (void)key;
    REQUIRE(!read->ended && !read->any);
    read->any = true;
    read->found = number_in(value);
}

/* In order, of this space, behind the beginning, as new as it must be. */
static void on_row(struct tb_str key, struct tb_str value, void *user)
{
    struct read *read = user;
    REQUIRE(!read->ended && key.len == 2 && key.ptr[0] == 'k');
    int number = key.ptr[1] - '0';
    REQUIRE(number > read->last && space_of(number) == space_of(read->key));
    uint64_t found = number_in(value);
    REQUIRE(!removed(found) && found >= read->floors[number] &&
            found <= read->model->records[number].begun);
    read->last = number;
    read->seen[number] = true;
    read->rows++;
    REQUIRE(read->limit == 0 || read->rows <= read->limit);
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

static bool may_be_missing(const struct version *version, uint64_t floor)
{
    uint64_t found = floor;
    while (found < version->begun && !removed(found)) {
        found++;
    }
    return removed(found) && found <= version->begun;
}

static void judge_record(const struct read *read)
{
    const struct version *version = &read->model->records[read->key];
    if (read->any) {
        REQUIRE(!removed(read->found));
        REQUIRE(read->found >= read->floor && read->found <= version->begun);
    } else {
        REQUIRE(may_be_missing(version, read->floor));
    }
}

static void judge_range(const struct read *read)
{
    bool cut = read->limit && read->rows == read->limit;
    int last = cut ? read->last : MODEL_KEYS - 1;
    for (int key = read->key + 1; key <= last; key++) {
        if (space_of(key) == space_of(read->key) && !read->seen[key]) {
            REQUIRE(may_be_missing(&read->model->records[key], read->floors[key]));
        }
    }
}

static void on_range_end(const struct tb_err *err, void *user)
{
    struct read *read = user;
    REQUIRE(++read->ended == 1);
    if (err) {
        REQUIRE(err->text[0]);
    } else {
        judge_range(read);
    }
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

void store_model_each(struct store_model *model, int after, int64_t limit)
{
    char name[8];
    struct read *read = begin_read(model, after);
    for (int key = 0; key < MODEL_KEYS; key++) {
        read->floors[key] = model->records[key].stored;
    }
    const struct tb_range range = {TB_STR("k"), name_of(after, name), limit};
    read->last = after;
    read->limit = limit;
    read->read =
        tb_store_sqlite.each(model->state, space_of(after), &range, on_row, on_range_end, read);
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

void store_model_end_reads(struct store_model *model)
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

void store_model_drop_reads(struct store_model *model)
{
    while (!tb_list_empty(&model->reads)) {
        drop_read(TB_CONTAINER(model->reads.next, struct read, link));
    }
}
