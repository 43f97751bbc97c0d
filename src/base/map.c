/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <errno.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"

enum {
    FIRST_CAP = 16,
};

_Static_assert(sizeof(((struct tb_map *)0)->seed) == crypto_shorthash_KEYBYTES, "SipHash key");

void tb_map_init(struct tb_map *map)
{
    *map = (struct tb_map){0};
    randombytes_buf(map->seed, sizeof(map->seed));
}

void tb_map_fini(struct tb_map *map)
{
    tb_free(map->slots);
    map->slots = NULL;
    map->cap = 0;
    map->count = 0;
}

static uint64_t hash_of(const struct tb_map *map, struct tb_str key)
{
    uint64_t hash;
    crypto_shorthash((unsigned char *)&hash, (const unsigned char *)key.ptr, key.len, map->seed);
    return hash;
}

/* The slot of the key, or the free slot where it would go. cap is not 0. */
static struct tb_map_slot *find(const struct tb_map *map, struct tb_str key, uint64_t hash)
{
    size_t at = hash & (map->cap - 1);
    while (map->slots[at].value) {
        if (map->slots[at].hash == hash && tb_str_eq(map->slots[at].key, key)) {
            break;
        }
        at = (at + 1) & (map->cap - 1);
    }
    return &map->slots[at];
}

static void grow(struct tb_map *map)
{
    struct tb_map old = *map;
    map->cap = old.cap ? old.cap * 2 : FIRST_CAP;
    map->slots = TB_NEW_ARRAY(struct tb_map_slot, map->cap);
    for (size_t i = 0; i < old.cap; i++) {
        if (old.slots[i].value) {
            *find(map, old.slots[i].key, old.slots[i].hash) = old.slots[i];
        }
    }
    tb_free(old.slots);
}

void *tb_map_get(const struct tb_map *map, struct tb_str key)
{
    return map->cap ? find(map, key, hash_of(map, key))->value : NULL;
}

int tb_map_add(struct tb_map *map, struct tb_str key, void *value)
{
    uint64_t hash = hash_of(map, key);
    if (map->cap && find(map, key, hash)->value) {
        return -EEXIST;
    }
    if (map->count + 1 > map->cap / 4 * 3) {
        grow(map);
    }
    *find(map, key, hash) = (struct tb_map_slot){key, value, hash};
    map->count++;
    return 0;
}

void *tb_map_remove(struct tb_map *map, struct tb_str key)
{
    if (!map->cap) {
        return NULL;
    }
    struct tb_map_slot *slot = find(map, key, hash_of(map, key));
    void *value = slot->value;
    if (!value) {
        return NULL;
    }
    /* Shift the rest of the run back, so that no tombstones are needed. */
    size_t mask = map->cap - 1;
    size_t hole = (size_t)(slot - map->slots);
    for (size_t at = (hole + 1) & mask; map->slots[at].value; at = (at + 1) & mask) {
        size_t home = map->slots[at].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole] = (struct tb_map_slot){0};
    map->count--;
    return value;
}

struct tb_map_slot *tb_map_next(const struct tb_map *map, struct tb_map_slot *from)
{
    for (; from && from < map->slots + map->cap; from++) {
        if (from->value) {
            return from;
        }
    }
    return NULL;
}
