/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/store_cases.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "io/testing.h"

#include "suite/store_lab.h"

static int setup(void **state)
{
    *state = store_lab_new(*state);
    return 0;
}

static int teardown(void **state)
{
    store_lab_free(*state);
    return 0;
}

static void on_open(struct tb_gate *gate)
{
    (void)gate;
}

static void what_was_put_is_got(void **state)
{
    struct store_lab *lab = *state;
    assert_int_equal(store_put(lab, TB_SPACE_SESSION, "a", "one"), 0);
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "a", "two"), 0);
    store_expect(lab, TB_SPACE_SESSION, "a", "one");
    store_expect(lab, TB_SPACE_STATE, "a", "two");
    store_expect(lab, TB_SPACE_SESSION, "b", NULL);
}

static void the_last_write_of_a_key_wins(void **state)
{
    struct store_lab *lab = *state;
    for (int space = 0; space < TB_SPACE_COUNT; space++) {
        assert_int_equal(store_put(lab, (enum tb_space)space, "k", "old"), 0);
        assert_int_equal(store_put(lab, (enum tb_space)space, "k", "new"), 0);
        store_expect(lab, (enum tb_space)space, "k", "new");
    }
}

/* Nothing is waited for between the writes, so all are under way together. */
static void writes_take_effect_in_their_order(void **state)
{
    struct store_lab *lab = *state;
    for (int i = 0; i < 100; i++) {
        char value[16];
        int len = snprintf(value, sizeof(value), "%d", i);
        enum tb_space space = i % 2 ? TB_SPACE_SESSION : TB_SPACE_STATE;
        struct tb_str key = TB_STR("k");
        lab->kind->put(lab->state, space, key, (struct tb_str){value, (size_t)len}, NULL, NULL);
        if (i % 10 == 9) {
            lab->kind->remove(lab->state, space, key, NULL, NULL);
        }
    }
    store_expect(lab, TB_SPACE_SESSION, "k", NULL); /* 99 was odd */
    store_expect(lab, TB_SPACE_STATE, "k", "98");
}

/* More than a store may have room for at once. */
static void a_flood_of_writes_is_kept_in_its_order(void **state)
{
    struct store_lab *lab = *state;
    enum {
        COUNT = 20000,
        KEYS = 10,
    };
    static const char filler[400] = "x";
    const struct tb_audit_entry entry = {.details = {filler, sizeof(filler)}};
    struct tb_gate gate;
    tb_gate_init(&gate, on_open);
    for (int i = 0; i < COUNT; i++) {
        char value[16];
        int len = snprintf(value, sizeof(value), "%d", i);
        struct tb_str key = {value + len - 1, 1};
        lab->kind->put(lab->state, TB_SPACE_SESSION, key, (struct tb_str){value, (size_t)len}, NULL,
                       &gate);
        lab->kind->append(lab->state, &entry, &gate);
        if (i % 2) {
            lab->kind->remove(lab->state, TB_SPACE_SESSION, key, NULL, &gate);
        }
    }
    WAIT_UNTIL(lab->core.loop, !tb_gate_shut(&gate));
    assert_int_equal(gate.err.code, 0);
    for (int i = 0; i < KEYS; i++) {
        char value[16];
        snprintf(value, sizeof(value), "%d", COUNT - KEYS + i);
        store_expect(lab, TB_SPACE_SESSION, value + strlen(value) - 1, i % 2 ? NULL : value);
    }
    assert_int_equal(store_expect_chain(lab), COUNT);
}

static void a_removal_takes_what_is_still_under_way(void **state)
{
    struct store_lab *lab = *state;
    struct tb_str key = TB_STR("k");
    lab->kind->put(lab->state, TB_SPACE_STATE, key, TB_STR("1"), NULL, NULL);
    lab->kind->remove(lab->state, TB_SPACE_STATE, key, NULL, NULL);
    store_expect(lab, TB_SPACE_STATE, "k", NULL);
    lab->kind->put(lab->state, TB_SPACE_STATE, key, TB_STR("2"), NULL, NULL);
    lab->kind->remove(lab->state, TB_SPACE_STATE, key, NULL, NULL);
    lab->kind->put(lab->state, TB_SPACE_STATE, key, TB_STR("3"), NULL, NULL);
    store_expect(lab, TB_SPACE_STATE, "k", "3");
}

struct relay {
    struct tb_gate gate;
    struct store_lab *lab;
    int left;
};

static void pass_on(struct relay *relay)
{
    while (relay->left && !tb_gate_shut(&relay->gate)) {
        char key[16];
        int len = snprintf(key, sizeof(key), "%d", --relay->left);
        relay->lab->kind->put(relay->lab->state, TB_SPACE_STATE, (struct tb_str){key, (size_t)len},
                              TB_STR("v"), NULL, &relay->gate);
    }
}

static void on_relay(struct tb_gate *gate)
{
    pass_on(TB_CONTAINER(gate, struct relay, gate));
}

static void whoever_hears_of_a_write_may_write(void **state)
{
    struct relay relay = {.lab = *state, .left = 50};
    struct store_seen seen;
    tb_gate_init(&relay.gate, on_relay);
    pass_on(&relay);
    WAIT_UNTIL(relay.lab->core.loop, !relay.left && !tb_gate_shut(&relay.gate));
    assert_int_equal(relay.gate.err.code, 0);
    store_each(relay.lab, TB_SPACE_STATE, NULL, &seen);
    assert_int_equal(seen.rows, 50);
    store_seen_fini(&seen);
}

static void what_was_removed_is_gone(void **state)
{
    struct store_lab *lab = *state;
    for (int space = 0; space < TB_SPACE_COUNT; space++) {
        assert_int_equal(store_put(lab, (enum tb_space)space, "k", "v"), 0);
        assert_int_equal(store_put(lab, (enum tb_space)space, "other", "v"), 0);
        assert_int_equal(store_remove(lab, (enum tb_space)space, "k"), 0);
        assert_int_equal(store_remove(lab, (enum tb_space)space, "never there"), 0);
        store_expect(lab, (enum tb_space)space, "k", NULL);
        store_expect(lab, (enum tb_space)space, "other", "v");
    }
}

static void an_empty_value_is_a_value(void **state)
{
    struct store_lab *lab = *state;
    for (int space = 0; space < TB_SPACE_COUNT; space++) {
        assert_int_equal(store_put(lab, (enum tb_space)space, "k", ""), 0);
        store_expect(lab, (enum tb_space)space, "k", "");
    }
}

static void a_value_may_be_any_bytes_and_as_large_as_the_limit(void **state)
{
    struct store_lab *lab = *state;
    const size_t sizes[] = {1, 4096, TB_MIB, TB_SAVED_MAX, TB_RECORD_MAX - 256};
    char *value = tb_zalloc(TB_RECORD_MAX);
    for (size_t i = 0; i < TB_RECORD_MAX; i++) {
        value[i] = (char)(i * 31 + i / 251);
    }
    for (size_t i = 0; i < TB_COUNT(sizes); i++) {
        struct store_seen seen;
        assert_int_equal(
            store_put_bytes(lab, TB_SPACE_STATE, "k", (struct tb_str){value, sizes[i]}), 0);
        store_get(lab, TB_SPACE_STATE, "k", &seen);
        assert_int_equal(seen.text.len, 2 + sizes[i] + 1);
        assert_memory_equal(seen.text.data + 2, value, sizes[i]);
        store_seen_fini(&seen);
    }
    tb_free(value);
}

static void a_value_over_the_limit_is_refused(void **state)
{
    struct store_lab *lab = *state;
    char *value = tb_zalloc(TB_RECORD_MAX + 1);
    for (int space = 0; space < TB_SPACE_COUNT; space++) {
        bool light = tb_space_light((enum tb_space)space);
        struct tb_str large = {value, (light ? TB_RECORD_LIGHT_MAX : TB_RECORD_MAX) + 1};
        assert_int_equal(store_put(lab, (enum tb_space)space, "k", "v"), 0);
        assert_int_equal(store_put_bytes(lab, (enum tb_space)space, "k", large), TB_E_TOO_LARGE);
        store_expect(lab, (enum tb_space)space, "k", "v");
    }
    const struct tb_audit_entry entry = {.details = {value, TB_RECORD_LIGHT_MAX + 1}};
    assert_int_equal(store_append(lab, &entry), TB_E_TOO_LARGE);
    assert_int_equal(store_expect_chain(lab), 0);
    tb_free(value);
}

static void each_gives_every_record_of_its_space_once(void **state)
{
    struct store_lab *lab = *state;
    enum {
        COUNT = 9000 /* more than one portion */
    };
    for (int i = 0; i < COUNT; i++) {
        char key[16];
        int len = snprintf(key, sizeof(key), "k%05d", i);
        lab->kind->put(lab->state, TB_SPACE_SESSION, (struct tb_str){key, (size_t)len}, TB_STR("v"),
                       NULL, NULL);
    }
    assert_int_equal(store_put(lab, TB_SPACE_STATE, "elsewhere", "v"), 0);
    struct store_seen seen;
    store_each(lab, TB_SPACE_SESSION, NULL, &seen);
    assert_int_equal(seen.rows, COUNT);
    tb_buf_append_char(&seen.text, '\0');
    for (int i = 0; i < COUNT; i += 97) {
        char line[24];
        snprintf(line, sizeof(line), "k%05d=v\n", i);
        assert_non_null(strstr((const char *)seen.text.data, line));
    }
    store_seen_fini(&seen);
    store_each(lab, TB_SPACE_STATE, NULL, &seen);
    assert_int_equal(seen.rows, 1);
    store_seen_fini(&seen);
}

/* "key=value" lines without the values. */
static void expect_range(struct store_lab *lab, const struct tb_range *range, const char *keys)
{
    struct store_seen seen;
    store_each(lab, TB_SPACE_SESSION, range, &seen);
    tb_buf_append_char(&seen.text, '\0');
    assert_string_equal((const char *)seen.text.data, keys);
    assert_int_equal(seen.code, 0);
    store_seen_fini(&seen);
}

static void a_range_is_in_the_order_of_its_keys(void **state)
{
    static const char *const keys[] = {"b",         "a/2", "\xff", "a", "a/10",
                                       "\xff\xff!", "a0",  "a/1",  "B"};
    static const struct {
        struct tb_range range;
        const char *found;
    } cases[] = {
        {{.limit = 0}, "B=\na=\na/1=\na/10=\na/2=\na0=\nb=\n\xff=\n\xff\xff!=\n"},
        {{.prefix = {"a/", 2}}, "a/1=\na/10=\na/2=\n"},
        {{.prefix = {"a", 1}}, "a=\na/1=\na/10=\na/2=\na0=\n"},
        {{.prefix = {"\xff", 1}}, "\xff=\n\xff\xff!=\n"},
        {{.prefix = {"c", 1}}, ""},
        {{.after = {"a0", 2}}, "b=\n\xff=\n\xff\xff!=\n"},
        {{.after = {"a1", 2}}, "b=\n\xff=\n\xff\xff!=\n"}, /* which is not there */
        {{.after = {"\xff\xff!", 3}}, ""},
        {{.prefix = {"a/", 2}, .after = {"a/1", 3}}, "a/10=\na/2=\n"},
        {{.prefix = {"a/", 2}, .after = {"A", 1}}, "a/1=\na/10=\na/2=\n"},
        {{.prefix = {"a/", 2}, .after = {"b", 1}}, ""},
        {{.prefix = {"a", 1}, .after = {"a", 1}, .limit = 2}, "a/1=\na/10=\n"},
        {{.limit = 1}, "B=\n"},
        {{.prefix = {"a/", 2}, .limit = 9}, "a/1=\na/10=\na/2=\n"},
    };
    struct store_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        assert_int_equal(store_put(lab, TB_SPACE_SESSION, keys[i], ""), 0);
    }
    assert_int_equal(store_put(lab, TB_SPACE_END, "a/3", ""), 0); /* of another space */
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        expect_range(lab, &cases[i].range, cases[i].found);
    }
    assert_int_equal(store_remove(lab, TB_SPACE_SESSION, "a/10"), 0);
    expect_range(lab, &cases[1].range, "a/1=\na/2=\n");
}

static void note_order(struct tb_str key, struct tb_str value, void *user)
{
    struct store_seen *seen = user;
    (void)value;
    assert_true(tb_str_compare(tb_buf_str(&seen->text), key) < 0);
    tb_buf_clear(&seen->text);
    tb_buf_append_str(&seen->text, key);
    seen->rows++;
}

static void note_end(const struct tb_err *err, void *user)
{
    struct store_seen *seen = user;
    assert_null(err);
    seen->ends++;
}

/* More than a portion; and the texts of the range go at once. */
static void a_long_range_is_given_whole(void **state)
{
    struct store_lab *lab = *state;
    char value[1000] = "";
    char prefix[] = "k1";
    char after[] = "k1000";
    for (int i = 0; i < 3000; i++) {
        char key[16];
        int len = snprintf(key, sizeof(key), "k%04d", i * 7 % 3000);
        lab->kind->put(lab->state, TB_SPACE_SESSION, (struct tb_str){key, (size_t)len},
                       (struct tb_str){value, sizeof(value)}, NULL, NULL);
    }
    struct tb_range range = {tb_str_of(prefix), tb_str_of(after), 900};
    struct store_seen seen;
    store_seen_init(lab, &seen);
    lab->kind->each(lab->state, TB_SPACE_SESSION, &range, note_order, note_end, &seen);
    memset(prefix, 'x', 2);
    memset(after, 'x', 5);
    memset(&range, 0, sizeof(range));
    WAIT_UNTIL(lab->core.loop, seen.ends);
    assert_int_equal(seen.rows, 900);
    assert_true(tb_str_eq(tb_buf_str(&seen.text), TB_STR("k1900")));
    store_seen_fini(&seen);
}

static void each_of_an_empty_space_just_ends(void **state)
{
    struct store_seen seen;
    store_each(*state, TB_SPACE_SESSION, NULL, &seen);
    assert_int_equal(seen.rows, 0);
    assert_int_equal(seen.code, 0);
    store_seen_fini(&seen);
}

static void a_read_sees_the_writes_before_it(void **state)
{
    struct store_lab *lab = *state;
    struct store_seen first;
    struct store_seen second;
    store_seen_init(lab, &first);
    store_seen_init(lab, &second);
    lab->kind->put(lab->state, TB_SPACE_SESSION, TB_STR("k"), TB_STR("1"), NULL, NULL);
    store_get_start(lab, TB_SPACE_SESSION, "k", &first);
    lab->kind->put(lab->state, TB_SPACE_SESSION, TB_STR("k2"), TB_STR("2"), NULL, NULL);
    store_get_start(lab, TB_SPACE_SESSION, "k2", &second);
    WAIT_UNTIL(lab->core.loop, first.ends && second.ends);
    assert_true(tb_str_eq(tb_buf_str(&first.text), TB_STR("k=1\n")));
    assert_true(tb_str_eq(tb_buf_str(&second.text), TB_STR("k2=2\n")));
    store_seen_fini(&first);
    store_seen_fini(&second);
}

static const struct tb_audit_entry entries[] = {
    {.wall_ms = 100, .type = {"started", 7}, .tenant = {"t1", 2}, .session = {"s1", 2}},
    {.wall_ms = 200,
     .type = {"called", 6},
     .tenant = {"t1", 2},
     .session = {"s1", 2},
     .agent = {"claude", 6},
     .tool = {"click", 5},
     .outcome = {"ok", 2},
     .details = {"{\"url\":\"http://Shop.example/\"}", 30}},
    {.wall_ms = 300,
     .type = {"called", 6},
     .tenant = {"t2", 2},
     .session = {"s1", 2},
     .tool = {"fill", 4},
     .outcome = {"timeout", 7}},
    {.wall_ms = 400,
     .type = {"called", 6},
     .tenant = {"t1", 2},
     .session = {"s2", 2},
     .tool = {"click", 5},
     .outcome = {"ok", 2}},
    {.wall_ms = 500,
     .type = {"ended", 5},
     .tenant = {"t1", 2},
     .session = {"s1", 2},
     .outcome = {"closed", 6}},
};

static void append_all(struct store_lab *lab)
{
    for (size_t i = 0; i < TB_COUNT(entries); i++) {
        assert_int_equal(store_append(lab, &entries[i]), 0);
    }
}

static void entries_are_found_by_every_field(void **state)
{
    struct store_lab *lab = *state;
    static const struct {
        struct tb_audit_query query;
        const char *found;
    } cases[] = {
        {{0}, "1 started\n2 called\n3 called\n4 called\n5 ended\n"},
        {{.newest_first = true}, "5 ended\n4 called\n3 called\n2 called\n1 started\n"},
        {{.after_seq = 3}, "4 called\n5 ended\n"},
        {{.before_seq = 3}, "1 started\n2 called\n"},
        {{.after_seq = 1, .before_seq = 3}, "2 called\n"},
        {{.after_seq = 9}, ""},
        {{.before_seq = 99}, "1 started\n2 called\n3 called\n4 called\n5 ended\n"},
        {{.since_wall_ms = 400}, "4 called\n5 ended\n"},
        {{.until_wall_ms = 200}, "1 started\n2 called\n"},
        {{.tenant = {"t2", 2}}, "3 called\n"},
        {{.session = {"s2", 2}}, "4 called\n"},
        {{.type = {"called", 6}}, "2 called\n3 called\n4 called\n"},
        {{.tool = {"click", 5}}, "2 called\n4 called\n"},
        {{.text = {"sHOP.EXAMPLE", 12}}, "2 called\n"},
        {{.text = {"timeout", 7}}, "3 called\n"},
        {{.text = {"claude", 6}}, "2 called\n"},
        {{.text = {"nowhere", 7}}, ""},
        {{.tenant = {"t1", 2}, .tool = {"click", 5}, .newest_first = true, .limit = 1},
         "4 called\n"},
        {{.limit = 2}, "1 started\n2 called\n"},
        {{.limit = 9, .after_seq = 4}, "5 ended\n"},
    };
    append_all(lab);
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct store_seen seen;
        store_audit(lab, &cases[i].query, &seen);
        tb_buf_append_char(&seen.text, '\0');
        assert_string_equal((const char *)seen.text.data, cases[i].found);
        assert_int_equal(seen.code, 0);
        store_seen_fini(&seen);
    }
}

static void the_texts_of_a_query_may_go_at_once(void **state)
{
    struct store_lab *lab = *state;
    struct store_seen seen;
    char tenant[] = "t2";
    struct tb_audit_query query = {.tenant = tb_str_of(tenant)};
    append_all(lab);
    store_seen_init(lab, &seen);
    store_audit_start(lab, &query, &seen);
    memset(tenant, 'x', 2);
    memset(&query, 0, sizeof(query));
    WAIT_UNTIL(lab->core.loop, seen.ends);
    assert_int_equal(seen.rows, 1);
    store_seen_fini(&seen);
}

static void entries_are_numbered_and_chained(void **state)
{
    struct store_lab *lab = *state;
    append_all(lab);
    assert_int_equal(store_expect_chain(lab), TB_COUNT(entries));
}

static void a_long_log_is_read_in_order_from_both_ends(void **state)
{
    struct store_lab *lab = *state;
    enum {
        COUNT = 25000
    };
    for (int i = 0; i < COUNT; i++) {
        lab->kind->append(lab->state, &entries[(size_t)i % TB_COUNT(entries)], NULL);
        if (i % 5000 == 0) {
            store_expect(lab, TB_SPACE_SESSION, "nothing", NULL); /* let it be moved */
        }
    }
    assert_int_equal(store_expect_chain(lab), COUNT);
    struct tb_audit_query query = {.newest_first = true, .tenant = {"t2", 2}};
    struct store_seen seen;
    store_audit(lab, &query, &seen);
    assert_int_equal(seen.rows, COUNT / 5);
    assert_int_equal(seen.last_seq, 3);
    store_seen_fini(&seen);
    query = (struct tb_audit_query){.newest_first = true, .tenant = {"t2", 2}, .limit = 4999};
    store_audit(lab, &query, &seen);
    assert_int_equal(seen.rows, 4999);
    assert_int_equal(seen.last_seq, 8);
    store_seen_fini(&seen);
}

static void a_cut_takes_the_old_end_and_nothing_else(void **state)
{
    struct store_lab *lab = *state;
    static const struct {
        int64_t wall_ms;
        int64_t count;
        const char *left;
    } cuts[] = {
        {0, 0, "1 started\n2 called\n3 called\n4 called\n5 ended\n"},
        {0, 5, "1 started\n2 called\n3 called\n4 called\n5 ended\n"},
        {200, 0, "2 called\n3 called\n4 called\n5 ended\n"},
        {100, 9, "2 called\n3 called\n4 called\n5 ended\n"},
        {250, 2, "4 called\n5 ended\n"},
        {0, 4, "4 called\n5 ended\n"},
        {INT64_MAX, 0, ""},
    };
    append_all(lab);
    for (size_t i = 0; i < TB_COUNT(cuts); i++) {
        const struct tb_audit_query all = {0};
        struct store_seen seen;
        assert_int_equal(store_cut(lab, cuts[i].wall_ms, cuts[i].count), 0);
        store_audit(lab, &all, &seen);
        tb_buf_append_char(&seen.text, '\0');
        assert_string_equal((const char *)seen.text.data, cuts[i].left);
        store_seen_fini(&seen);
    }
    /* The numbers go on. */
    assert_int_equal(store_append_type(lab, "later"), 0);
    const struct tb_audit_query all = {0};
    struct store_seen seen;
    store_audit(lab, &all, &seen);
    assert_int_equal(seen.last_seq, 6);
    store_seen_fini(&seen);
}

/* Whatever else is under way at that moment. */
static void a_cut_spares_what_comes_after_it(void **state)
{
    struct store_lab *lab = *state;
    const struct tb_audit_entry later = {.wall_ms = 600, .type = {"cleared", 7}};
    const struct tb_audit_query all = {0};
    struct store_seen seen;
    append_all(lab);
    lab->kind->put(lab->state, TB_SPACE_STATE, TB_STR("k"), TB_STR("v"), NULL, NULL);
    lab->kind->cut(lab->state, 9999, 0, NULL);
    lab->kind->append(lab->state, &later, NULL);
    store_audit(lab, &all, &seen);
    assert_true(tb_str_eq(tb_buf_str(&seen.text), TB_STR("6 cleared\n")));
    store_seen_fini(&seen);
}

static void a_cancelled_read_is_silent(void **state)
{
    struct store_lab *lab = *state;
    const struct tb_audit_query all = {0};
    struct store_seen seen[4];
    append_all(lab);
    for (size_t i = 0; i < TB_COUNT(seen); i++) {
        store_seen_init(lab, &seen[i]);
    }
    store_audit_start(lab, &all, &seen[0]);
    lab->kind->cancel(seen[0].read); /* before anything */
    seen[1].cancel_at = 2;           /* in the middle */
    store_audit_start(lab, &all, &seen[1]);
    seen[2].cancel_at = TB_COUNT(entries); /* at the last row */
    store_audit_start(lab, &all, &seen[2]);
    store_audit_start(lab, &all, &seen[3]);
    WAIT_UNTIL(lab->core.loop, seen[3].ends == 1);
    assert_int_equal(seen[0].rows, 0);
    assert_int_equal(seen[0].ends, 0);
    assert_int_equal(seen[1].rows, 2);
    assert_int_equal(seen[1].ends, -1);
    assert_int_equal(seen[2].rows, TB_COUNT(entries));
    assert_int_equal(seen[2].ends, -1);
    for (size_t i = 0; i < TB_COUNT(seen); i++) {
        store_seen_fini(&seen[i]);
    }
}

/* A gate must be open, and no read may say a word any more. */
static void closing_ends_what_is_under_way(void **state)
{
    struct store_lab *lab = *state;
    struct store_seen seen;
    struct tb_gate gate;
    store_seen_init(lab, &seen);
    tb_gate_init(&gate, on_open);
    lab->kind->put(lab->state, TB_SPACE_STATE, TB_STR("k"), TB_STR("v"), NULL, &gate);
    lab->kind->put(lab->state, TB_SPACE_SESSION, TB_STR("k"), TB_STR("v"), NULL, &gate);
    store_each_start(lab, TB_SPACE_SESSION, NULL, &seen);
    store_lab_close(lab);
    assert_int_equal(seen.ends, 0);
    assert_int_equal(seen.rows, 0);
    assert_false(tb_gate_shut(&gate));
    assert_int_equal(gate.err.code, 0);
    store_seen_fini(&seen);
}

static void a_store_is_ready(void **state)
{
    struct store_lab *lab = *state;
    struct tb_err err;
    assert_true(lab->kind->ready(lab->state, &err));
}

int store_cases(const struct tb_store_kind *kind, store_join_fn *join)
{
#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, setup, teardown, initial)
    void *initial = (void *)(uintptr_t)kind;
    const struct CMUnitTest tests[] = {
        CASE(what_was_put_is_got),
        CASE(the_last_write_of_a_key_wins),
        CASE(writes_take_effect_in_their_order),
        CASE(a_flood_of_writes_is_kept_in_its_order),
        CASE(a_removal_takes_what_is_still_under_way),
        CASE(whoever_hears_of_a_write_may_write),
        CASE(what_was_removed_is_gone),
        CASE(an_empty_value_is_a_value),
        CASE(a_value_may_be_any_bytes_and_as_large_as_the_limit),
        CASE(a_value_over_the_limit_is_refused),
        CASE(each_gives_every_record_of_its_space_once),
        CASE(a_range_is_in_the_order_of_its_keys),
        CASE(a_long_range_is_given_whole),
        CASE(each_of_an_empty_space_just_ends),
        CASE(a_read_sees_the_writes_before_it),
        CASE(entries_are_found_by_every_field),
        CASE(the_texts_of_a_query_may_go_at_once),
        CASE(entries_are_numbered_and_chained),
        CASE(a_long_log_is_read_in_order_from_both_ends),
        CASE(a_cut_takes_the_old_end_and_nothing_else),
        CASE(a_cut_spares_what_comes_after_it),
        CASE(a_cancelled_read_is_silent),
        CASE(closing_ends_what_is_under_way),
        CASE(a_store_is_ready),
    };
#undef CASE
    return cmocka_run_group_tests_name(kind->name, tests, NULL, NULL) + store_answer_cases(kind) +
           store_node_cases(kind, join) + store_topic_cases(kind, join);
}
