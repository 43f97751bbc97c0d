/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from bytes to pointers. Hashes are SipHash with a key drawn per map, so a peer that
 * chooses its keys cannot make them collide.
 *
 * Keys and values are borrowed: a key usually lies inside its value, and both must outlive the
 * entry. Removing entries while iterating is not allowed; collect them first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct tb_map_slot {
    struct tb_str key;
    void *value; /* NULL marks a free slot */
    uint64_t hash;
};

struct tb_map {
    struct tb_map_slot *slots;
    size_t cap; /* 0 or a power of two */
    size_t count;
    uint8_t seed[16];
};

void tb_map_init(struct tb_map *map);
/* Frees the table, not the values. */
void tb_map_fini(struct tb_map *map);
/* The value, or NULL. */
void *tb_map_get(const struct tb_map *map, struct tb_str key);
/* Adds an entry; -EEXIST when the key is there already (nothing changes). Value is not NULL. */
int tb_map_add(struct tb_map *map, struct tb_str key, void *value);
/* Removes and returns the value; NULL when there was none. */
void *tb_map_remove(struct tb_map *map, struct tb_str key);
/* The first used slot at or after `from`; NULL at the end. */
struct tb_map_slot *tb_map_next(const struct tb_map *map, struct tb_map_slot *from);

#define MAP_FOREACH(slot, map)                                              \
    for (struct tb_map_slot *slot = tb_map_next((map), (map)->slots); slot; \
         slot = tb_map_next((map), slot + 1))
