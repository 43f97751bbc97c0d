/* SPDX-License-Identifier: Apache-2.0 */
#include "store/memory/shelf.h"

#include "base/mem.h"

/* For each level the link behind the last record whose key is below this one. */
struct path {
    struct tb_shelf_record **links[TB_SHELF_LEVELS];
};

static struct tb_shelf_record *walk(const struct tb_shelf *shelf, struct tb_str key,
                                    struct path *ret_path)
{
    struct tb_shelf_record *const *level = shelf->first;
    for (int i = TB_SHELF_LEVELS - 1; i >= 0; i--) {
        while (level[i] && tb_str_compare(level[i]->key, key) < 0) {
            level = level[i]->next;
        }
        if (ret_path) {
            ret_path->links[i] = (struct tb_shelf_record **)(uintptr_t)&level[i];
        }
    }
    return level[0];
}

void tb_shelf_init(struct tb_shelf *shelf)
{
    *shelf = (struct tb_shelf){.dice = 1};
}

static void free_record(struct tb_shelf_record *record)
{
    tb_free((char *)(uintptr_t)record->key.ptr);
    tb_free((char *)(uintptr_t)record->value.ptr);
    tb_free(record);
}

void tb_shelf_fini(struct tb_shelf *shelf)
{
    struct tb_shelf_record *record = shelf->first[0];
    while (record) {
        struct tb_shelf_record *next = record->next[0];
        free_record(record);
        record = next;
    }
    tb_shelf_init(shelf);
}

struct tb_shelf_record *tb_shelf_seek(const struct tb_shelf *shelf, struct tb_str key)
{
    return walk(shelf, key, NULL);
}

struct tb_shelf_record *tb_shelf_get(const struct tb_shelf *shelf, struct tb_str key)
{
    struct tb_shelf_record *record = walk(shelf, key, NULL);
    return record && tb_str_eq(record->key, key) ? record : NULL;
}

static struct tb_str copy(struct tb_str text)
{
    return (struct tb_str){tb_memdup(text.ptr, text.len), text.len};
}

/* A record has one level, every fourth two, every sixteenth three, and so on. */
static int throw_levels(struct tb_shelf *shelf)
{
    int levels = 1;
    shelf->dice = shelf->dice * 1664525U + 1013904223U;
    for (uint32_t bits = shelf->dice >> 12; levels < TB_SHELF_LEVELS && bits % 4 == 3; bits /= 4) {
        levels++;
    }
    return levels;
}

void tb_shelf_put(struct tb_shelf *shelf, struct tb_str key, struct tb_str value)
{
    struct path path;
    struct tb_shelf_record *record = walk(shelf, key, &path);
    if (record && tb_str_eq(record->key, key)) {
        tb_free((char *)(uintptr_t)record->value.ptr);
        record->value = copy(value);
        return;
    }
    int levels = throw_levels(shelf);
    record = tb_zalloc(sizeof(*record) + (size_t)levels * sizeof(record->next[0]));
    record->key = copy(key);
    record->value = copy(value);
    for (int i = 0; i < levels; i++) {
        record->next[i] = *path.links[i];
        *path.links[i] = record;
    }
}

void tb_shelf_remove(struct tb_shelf *shelf, struct tb_str key)
{
    struct path path;
    struct tb_shelf_record *record = walk(shelf, key, &path);
    if (!record || !tb_str_eq(record->key, key)) {
        return;
    }
    for (int i = 0; i < TB_SHELF_LEVELS && *path.links[i] == record; i++) {
        *path.links[i] = record->next[i];
    }
    free_record(record);
}
