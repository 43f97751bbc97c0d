/* SPDX-License-Identifier: Apache-2.0 */
/* A child works with the store until it is killed at a random moment; the next one looks whether
 * all is there that was acknowledged, and goes on. What was begun and acknowledged stands in memory
 * that outlives the child. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/testing.h"
#include "store/sqlite/sqlite.h"

#include "suite/store_lab.h"

enum {
    ROUNDS = 300,
    OPERATIONS = 10000, /* in all, at least */
    KEYS = 16,
    KILL_MAX_US = 12000,
    REMOVES = 4, /* every so manyth version of a record is its removal */
};

/* A record's value is the number of its version. */
struct version {
    uint64_t begun;
    uint64_t stored; /* acknowledged */
};

struct ledger {
    struct version records[TB_SPACE_COUNT][KEYS];
    struct version entries; /* entry n is of type "n" */
    uint64_t checks;
    uint64_t operations;
};

struct child {
    struct store_lab *lab;
    struct ledger *ledger;
    unsigned seed;
    uint64_t next_entry; /* to be seen */
    bool ended;          /* the read */
};

/* cmocka's asserts are the parent's. */
static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "lost: %s\n", what);
        _exit(1);
    }
}

static bool removed(uint64_t version)
{
    return version % REMOVES == 0;
}

static void check_record(struct child *child, enum tb_space space, int key)
{
    struct version *version = &child->ledger->records[space][key];
    struct store_seen seen;
    char name[16];
    snprintf(name, sizeof(name), "k%d", key);
    store_get(child->lab, space, name, &seen);
    uint64_t found = version->stored;
    if (seen.rows) {
        tb_buf_append_char(&seen.text, '\0');
        found = strtoull(strchr((const char *)seen.text.data, '=') + 1, NULL, 10);
        require(!removed(found), "a removal");
    } else {
        while (found < version->begun && !removed(found)) {
            found++;
        }
        require(removed(found), "a record");
    }
    require(found >= version->stored && found <= version->begun, "a version");
    version->stored = version->begun = found;
    store_seen_fini(&seen);
}

static void on_entry(const struct tb_audit_entry *entry, void *user)
{
    struct child *child = user;
    require(tb_str_eq_cstr(entry->type, "n"), "an entry");
    require((uint64_t)entry->seq == child->next_entry, "the order of entries");
    require((uint64_t)entry->wall_ms == child->next_entry, "an entry's content");
    child->next_entry++;
}

static void on_end(const struct tb_err *err, void *user)
{
    require(!err, "the log");
    ((struct child *)user)->ended = true;
}

/* The entries after `seq`; gives the last one. */
static uint64_t read_log(struct child *child, uint64_t seq)
{
    const struct tb_audit_query query = {.after_seq = (int64_t)seq};
    child->next_entry = seq + 1;
    child->ended = false;
    child->lab->kind->audit(child->lab->state, &query, on_entry, on_end, child);
    WAIT_UNTIL(child->lab->core.loop, child->ended);
    return child->next_entry - 1;
}

static void check_log(struct child *child)
{
    struct version *entries = &child->ledger->entries;
    uint64_t found = read_log(child, entries->stored > 50 ? entries->stored - 50 : 0);
    require(found >= entries->stored, "an entry that was acknowledged");
    require(found <= entries->begun, "nothing: there is an entry too much");
    entries->stored = entries->begun = found;
}

static void do_append(struct child *child)
{
    struct version *entries = &child->ledger->entries;
    const struct tb_audit_entry entry = {
        .wall_ms = (int64_t)++entries->begun,
        .type = TB_STR("n"),
        .details = TB_STR("{\"url\":\"http://shop.example/\",\"ms\":1}"),
    };
    require(store_append(child->lab, &entry) == 0, "an append");
    entries->stored = entries->begun;
}

static void do_change(struct child *child, enum tb_space space, int key)
{
    struct version *version = &child->ledger->records[space][key];
    char name[16];
    char value[32];
    snprintf(name, sizeof(name), "k%d", key);
    snprintf(value, sizeof(value), "%llu", (unsigned long long)++version->begun);
    int rc = removed(version->begun) ? store_remove(child->lab, space, name)
                                     : store_put(child->lab, space, name, value);
    require(rc == 0, "a write");
    version->stored = version->begun;
}

static void die_at(long after_us)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    const struct itimerspec when = {.it_value = {0, after_us * 1000 + 1}};
    require(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "a timer");
    require(timer_settime(timer, 0, &when, NULL) == 0, "a timer");
}

static void work(struct store_lab *lab, struct ledger *ledger, unsigned seed)
{
    struct child child = {.lab = lab, .ledger = ledger, .seed = seed};
    long after_us = rand_r(&child.seed) % KILL_MAX_US;
    bool early = seed % 2; /* also while it is opened, and what was left is moved */
    if (early) {
        die_at(after_us);
    }
    store_lab_open(lab);
    check_log(&child);
    for (int key = 0; key < KEYS; key++) {
        check_record(&child, TB_SPACE_SESSION, key);
        check_record(&child, TB_SPACE_STATE, key);
    }
    ledger->checks++;
    if (!early) {
        die_at(after_us);
    }
    for (;;) {
        ledger->operations++;
        int what = rand_r(&child.seed) % 100;
        if (what < 50) {
            do_append(&child);
        } else {
            do_change(&child, what < 97 ? TB_SPACE_SESSION : TB_SPACE_STATE,
                      rand_r(&child.seed) % KEYS);
        }
        if (what % 16 == 0) {
            tb_loop_turn(lab->core.loop, false);
        }
    }
}

static void what_was_acknowledged_survives_a_kill_at_any_moment(void **state)
{
    struct store_lab *lab = *state;
    struct ledger *ledger =
        mmap(NULL, sizeof(*ledger), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ledger != MAP_FAILED);
    store_lab_close(lab);
    for (unsigned round = 0; round < ROUNDS || ledger->operations < OPERATIONS; round++) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            work(lab, ledger, round * 7919);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    assert_true(ledger->checks >= ROUNDS / 2); /* others were killed before they had looked */
    store_lab_open(lab);
    size_t count = store_expect_chain(lab);
    assert_true(count >= ledger->entries.stored && count <= ledger->entries.begun);
    print_message("%llu operations, %zu entries, %u kills, %llu full checks\n",
                  (unsigned long long)ledger->operations, count, (unsigned)ROUNDS,
                  (unsigned long long)ledger->checks);
    assert_string_equal(store_lab_logged(lab), "");
    munmap(ledger, sizeof(*ledger));
}

static int setup(void **state)
{
    *state = store_lab_new(&tb_store_sqlite);
    return 0;
}

static int teardown(void **state)
{
    store_lab_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_acknowledged_survives_a_kill_at_any_moment, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
