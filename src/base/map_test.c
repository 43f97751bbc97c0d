/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

enum {
    KEYS = 600,
    STEPS = 20000,
    RUN = 6,
};

struct entry {
    char key[16];
    bool present;
    bool seen;
};

static struct tb_str key_of(const struct entry *entry)
{
    return tb_str_of(entry->key);
}

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    struct tb_map map;
    tb_map_init(&map);
    assert_null(tb_map_get(&map, TB_STR("a")));
    assert_null(tb_map_remove(&map, TB_STR("a")));
    assert_null(tb_map_next(&map, map.slots));
    MAP_FOREACH(slot, &map) {
        fail();
    }
    tb_map_fini(&map);
}

static void a_key_given_twice_is_refused(void **state)
{
    (void)state;
    struct tb_map map;
    int first = 1;
    int second = 2;
    tb_map_init(&map);
    assert_int_equal(tb_map_add(&map, TB_STR("k"), &first), 0);
    assert_int_equal(tb_map_add(&map, TB_STR("k"), &second), -EEXIST);
    assert_ptr_equal(tb_map_get(&map, TB_STR("k")), &first);
    assert_int_equal(map.count, 1);
    assert_ptr_equal(tb_map_remove(&map, TB_STR("k")), &first);
    assert_null(tb_map_remove(&map, TB_STR("k")));
    assert_int_equal(tb_map_add(&map, TB_STR("k"), &second), 0);
    assert_ptr_equal(tb_map_get(&map, TB_STR("k")), &second);
    tb_map_fini(&map);
}

static void a_refused_key_does_not_make_the_map_grow(void **state)
{
    (void)state;
    struct tb_map map;
    static const char keys[] = "abcdefghijkl";
    int value = 0;
    tb_map_init(&map);
    for (size_t i = 0; i < sizeof(keys) - 1; i++) {
        assert_int_equal(tb_map_add(&map, (struct tb_str){keys + i, 1}, &value), 0);
    }
    size_t cap = map.cap;
    assert_int_equal(map.count, cap / 4 * 3);
    assert_int_equal(tb_map_add(&map, TB_STR("a"), &value), -EEXIST);
    assert_int_equal(map.cap, cap);
    tb_map_fini(&map);
}

static void keys_are_bytes_and_may_be_empty(void **state)
{
    (void)state;
    struct tb_map map;
    int a = 0;
    int b = 0;
    int c = 0;
    tb_map_init(&map);
    assert_int_equal(tb_map_add(&map, TB_STR("x\0y"), &a), 0);
    assert_int_equal(tb_map_add(&map, TB_STR("x\0z"), &b), 0);
    assert_int_equal(tb_map_add(&map, TB_STR(""), &c), 0);
    assert_ptr_equal(tb_map_get(&map, TB_STR("x\0y")), &a);
    assert_ptr_equal(tb_map_get(&map, TB_STR("x\0z")), &b);
    assert_ptr_equal(tb_map_get(&map, (struct tb_str){NULL, 0}), &c);
    assert_null(tb_map_get(&map, TB_STR("x")));
    tb_map_fini(&map);
}

/* Finds keys whose slot of choice in a table of 16 is `home`, with the seed of `map`. */
static void find_colliding(const struct tb_map *map, size_t home, struct entry *entries)
{
    size_t found = 0;
    for (unsigned n = 0; found < RUN; n++) {
        struct tb_map probe;
        tb_map_init(&probe);
        memcpy(probe.seed, map->seed, sizeof(probe.seed));
        struct entry entry = {0};
        snprintf(entry.key, sizeof(entry.key), "%zu-%u", home, n);
        assert_int_equal(tb_map_add(&probe, key_of(&entry), &probe), 0);
        if ((tb_map_next(&probe, probe.slots)->hash & 15) == home) {
            entries[found++] = entry;
        }
        tb_map_fini(&probe);
    }
}

static void assert_all_found_but(struct tb_map *map, struct entry *entries, size_t count,
                                 size_t but)
{
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(tb_map_get(map, key_of(&entries[i])), i == but ? NULL : &entries[i]);
    }
}

/* The run starts at slot 15 and goes on at slot 0, whose own keys are pushed along: removal has to
 * shift over the end of the table and must not shift a key before its home. */
static void a_run_of_collisions_survives_any_removal(void **state)
{
    (void)state;
    for (size_t gone = 0; gone < (size_t)2 * RUN; gone++) {
        struct tb_map map;
        struct entry entries[2 * RUN];
        tb_map_init(&map);
        find_colliding(&map, 15, entries);
        find_colliding(&map, 0, entries + RUN);
        for (size_t i = 0; i < TB_COUNT(entries); i++) {
            assert_int_equal(tb_map_add(&map, key_of(&entries[i]), &entries[i]), 0);
        }
        assert_int_equal(map.cap, 16);
        assert_ptr_equal(tb_map_remove(&map, key_of(&entries[gone])), &entries[gone]);
        assert_all_found_but(&map, entries, TB_COUNT(entries), gone);
        tb_map_fini(&map);
    }
}

static void growth_keeps_every_entry(void **state)
{
    (void)state;
    struct tb_map map;
    TB_AUTO(tb_free) struct entry *entries = TB_NEW_ARRAY(struct entry, 5000);
    tb_map_init(&map);
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(entries[i].key, sizeof(entries[i].key), "key %u", i);
        assert_int_equal(tb_map_add(&map, key_of(&entries[i]), &entries[i]), 0);
    }
    assert_int_equal(map.count, 5000);
    assert_true(map.cap / 4 * 3 >= 5000);
    assert_int_equal(map.cap & (map.cap - 1), 0);
    assert_all_found_but(&map, entries, 5000, SIZE_MAX);
    tb_map_fini(&map);
    assert_int_equal(map.count, 0);
    assert_null(tb_map_get(&map, TB_STR("key 1")));
}

static void assert_walk_sees_each_once(const struct tb_map *map, struct entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < KEYS; i++) {
        entries[i].seen = false;
    }
    MAP_FOREACH(slot, map) {
        struct entry *entry = slot->value;
        assert_true(entry->present);
        assert_false(entry->seen);
        assert_true(tb_str_eq(slot->key, key_of(entry)));
        entry->seen = true;
        count++;
    }
    assert_int_equal(count, map->count);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* One step on the map and on the model, which is the flag `present`. */
static void step(struct tb_map *map, struct entry *entry, uint32_t what, size_t *count)
{
    if (what % 2) {
        assert_int_equal(tb_map_add(map, key_of(entry), entry), entry->present ? -EEXIST : 0);
        *count += entry->present ? 0 : 1;
        entry->present = true;
    } else {
        assert_ptr_equal(tb_map_remove(map, key_of(entry)), entry->present ? entry : NULL);
        *count -= entry->present ? 1 : 0;
        entry->present = false;
    }
    assert_int_equal(map->count, *count);
}

static void random_steps_agree_with_a_model(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 3; seed++) {
        struct tb_map map;
        struct entry entries[KEYS] = {0};
        uint32_t random = seed * 2654435769U;
        size_t count = 0;
        tb_map_init(&map);
        /* A fixed key: a failure can be run again. */
        memset(map.seed, (int)seed, sizeof(map.seed));
        for (unsigned i = 0; i < KEYS; i++) {
            snprintf(entries[i].key, sizeof(entries[i].key), "%u", i);
        }
        for (unsigned i = 0; i < STEPS; i++) {
            step(&map, &entries[next_random(&random) % KEYS], next_random(&random) >> 8, &count);
            const struct entry *other = &entries[next_random(&random) % KEYS];
            assert_ptr_equal(tb_map_get(&map, key_of(other)), other->present ? other : NULL);
            if (i % 500 == 0) {
                assert_walk_sees_each_once(&map, entries);
            }
        }
        assert_walk_sees_each_once(&map, entries);
        tb_map_fini(&map);
    }
}

static void two_maps_hash_differently(void **state)
{
    (void)state;
    struct tb_map a;
    struct tb_map b;
    tb_map_init(&a);
    tb_map_init(&b);
    assert_memory_not_equal(a.seed, b.seed, sizeof(a.seed));
    assert_int_equal(tb_map_add(&a, TB_STR("k"), &a), 0);
    assert_int_equal(tb_map_add(&b, TB_STR("k"), &b), 0);
    assert_true(tb_map_next(&a, a.slots)->hash != tb_map_next(&b, b.slots)->hash);
    tb_map_fini(&a);
    tb_map_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(a_key_given_twice_is_refused),
        cmocka_unit_test(a_refused_key_does_not_make_the_map_grow),
        cmocka_unit_test(keys_are_bytes_and_may_be_empty),
        cmocka_unit_test(a_run_of_collisions_survives_any_removal),
        cmocka_unit_test(growth_keeps_every_entry),
        cmocka_unit_test(random_steps_agree_with_a_model),
        cmocka_unit_test(two_maps_hash_differently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
