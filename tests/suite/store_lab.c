/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/store_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dirent.h>

#include "base/mem.h"
#include "core/audit_chain.h"
#include "io/testing.h"

struct store_lab *store_lab_new(const struct tb_store_kind *kind)
{
    struct store_lab *lab = TB_NEW(struct store_lab);
    tb_id_init();
    tb_config_init(&lab->config);
    tb_buf_init(&lab->text, SIZE_MAX);
    snprintf(lab->dir, sizeof(lab->dir), "/tmp/tabard-store-XXXXXX");
    assert_non_null(mkdtemp(lab->dir));
    tb_free(lab->config.state_dir);
    lab->config.state_dir = tb_strdup(lab->dir);
    FILE *log = tmpfile();
    assert_non_null(log);
    lab->log_fd = dup(fileno(log));
    fclose(log);
    tb_log_init(&lab->log, TB_LOG_INFO, lab->log_fd, tb_clock_system());
    lab->core.clock = tb_clock_system();
    lab->core.loop = tb_loop_new(lab->core.clock);
    lab->core.log = &lab->log;
    lab->core.config = &lab->config;
    memset(lab->core.secret, 7, sizeof(lab->core.secret));
    lab->kind = kind;
    store_lab_open(lab);
    return lab;
}

void store_lab_clear(struct store_lab *lab)
{
    DIR *dir = opendir(lab->dir);
    assert_non_null(dir);
    struct dirent *item;
    while ((item = readdir(dir))) {
        char inner[512];
        snprintf(inner, sizeof(inner), "%s/%s", lab->dir, item->d_name);
        unlink(inner);
    }
    closedir(dir);
    assert_int_equal(ftruncate(lab->log_fd, 0), 0);
    assert_int_equal(lseek(lab->log_fd, 0, SEEK_SET), 0);
}

void store_lab_free(struct store_lab *lab)
{
    store_lab_close(lab);
    tb_loop_free(lab->core.loop);
    tb_config_fini(&lab->config);
    tb_buf_fini(&lab->text);
    store_lab_clear(lab);
    assert_int_equal(rmdir(lab->dir), 0);
    tb_log_fini(&lab->log);
    close(lab->log_fd);
    tb_free(lab);
}

void store_lab_open(struct store_lab *lab)
{
    struct tb_err err = {0};
    lab->state = lab->kind->open(&lab->core, &err);
    if (!lab->state) {
        fail_msg("%s", err.text);
    }
}

void store_lab_close(struct store_lab *lab)
{
    if (lab->state) {
        lab->kind->close(lab->state);
        lab->state = NULL;
    }
}

void store_lab_reopen(struct store_lab *lab)
{
    store_lab_close(lab);
    store_lab_open(lab);
}

void store_lab_stop_clock(struct store_lab *lab)
{
    tb_clock_manual_init(&lab->clock);
    lab->clock.mono_ms = tb_clock_mono_ms(lab->core.clock);
    lab->clock.wall_ms = tb_clock_wall_ms(lab->core.clock);
    lab->core.clock = &lab->clock.clock;
}

struct store_lab *store_lab_join(struct store_lab *first,
                                 void *(*join)(void *state, struct tb_core *core))
{
    struct store_lab *lab = TB_NEW(struct store_lab);
    lab->core = first->core;
    lab->kind = first->kind;
    lab->state = join(first->state, &lab->core);
    return lab;
}

void store_lab_leave(struct store_lab *lab)
{
    store_lab_close(lab);
    tb_free(lab);
}

const char *store_lab_logged(struct store_lab *lab)
{
    uint8_t *room;
    tb_buf_clear(&lab->text);
    off_t size = lseek(lab->log_fd, 0, SEEK_END);
    assert_int_equal(tb_buf_reserve(&lab->text, (size_t)size + 1, &room), 0);
    ssize_t got = pread(lab->log_fd, room, (size_t)size, 0);
    assert_int_equal(got, size);
    room[size] = '\0';
    return (const char *)room;
}

const char *store_lab_path(struct store_lab *lab, const char *name)
{
    tb_buf_clear(&lab->text);
    tb_buf_printf(&lab->text, "%s/%s", lab->dir, name);
    tb_buf_append_char(&lab->text, '\0');
    return (const char *)lab->text.data;
}

static void on_open(struct tb_gate *gate)
{
    (void)gate;
}

/* Waits at the gate; its code. */
static int pass(struct store_lab *lab, struct tb_gate *gate)
{
    WAIT_UNTIL(lab->core.loop, !tb_gate_shut(gate));
    int code = gate->err.code;
    snprintf(lab->words, sizeof(lab->words), "%s", gate->err.text);
    tb_gate_fini(gate);
    return code;
}

int store_put_bytes(struct store_lab *lab, enum tb_space space, const char *key,
                    struct tb_str value)
{
    struct tb_gate gate;
    tb_gate_init(&gate, on_open);
    lab->kind->put(lab->state, space, tb_str_of(key), value, NULL, &gate);
    return pass(lab, &gate);
}

int store_put(struct store_lab *lab, enum tb_space space, const char *key, const char *value)
{
    return store_put_bytes(lab, space, key, tb_str_of(value));
}

int store_remove(struct store_lab *lab, enum tb_space space, const char *key)
{
    struct tb_gate gate;
    tb_gate_init(&gate, on_open);
    lab->kind->remove(lab->state, space, tb_str_of(key), NULL, &gate);
    return pass(lab, &gate);
}

int store_put_fenced(struct store_lab *lab, enum tb_space space, const char *key, const char *value,
                     const struct tb_fence *fence)
{
    struct tb_gate gate;
    tb_gate_init(&gate, on_open);
    lab->kind->put(lab->state, space, tb_str_of(key), tb_str_of(value), fence, &gate);
    return pass(lab, &gate);
}

int store_remove_fenced(struct store_lab *lab, enum tb_space space, const char *key,
                        const struct tb_fence *fence)
{
    struct tb_gate gate;
    tb_gate_init(&gate, on_open);
    lab->kind->remove(lab->state, space, tb_str_of(key), fence, &gate);
    return pass(lab, &gate);
}

int store_append(struct store_lab *lab, const struct tb_audit_entry *entry)
{
    struct tb_gate gate;
    tb_gate_init(&gate, on_open);
    lab->kind->append(lab->state, entry, &gate);
    return pass(lab, &gate);
}

int store_append_type(struct store_lab *lab, const char *type)
{
    const struct tb_audit_entry entry = {
        .wall_ms = tb_clock_wall_ms(lab->core.clock),
        .type = tb_str_of(type),
    };
    return store_append(lab, &entry);
}

int store_cut(struct store_lab *lab, int64_t wall_ms, int64_t count)
{
    struct tb_gate gate;
    tb_gate_init(&gate, on_open);
    lab->kind->cut(lab->state, wall_ms, count, &gate);
    return pass(lab, &gate);
}

static void note_row(struct store_seen *seen)
{
    assert_int_equal(seen->ends, 0);
    seen->rows++;
    if (seen->rows == seen->cancel_at) {
        seen->lab->kind->cancel(seen->read);
        seen->ends = -1; /* nothing may come after this */
    }
}

static void on_record(struct tb_str key, struct tb_str value, void *user)
{
    struct store_seen *seen = user;
    tb_buf_append_str(&seen->text, key);
    tb_buf_append_char(&seen->text, '=');
    tb_buf_append_str(&seen->text, value);
    tb_buf_append_char(&seen->text, '\n');
    note_row(seen);
}

static void on_entry(const struct tb_audit_entry *entry, void *user)
{
    struct store_seen *seen = user;
    tb_buf_printf(&seen->text, "%lld %.*s\n", (long long)entry->seq, TB_STR_ARG(entry->type));
    if (seen->chain) {
        uint8_t hash[TB_HASH_BYTES];
        tb_audit_link(seen->lab->core.secret, seen->hash, entry, hash);
        assert_memory_equal(hash, entry->hash, TB_HASH_BYTES);
        assert_true(seen->last_seq == 0 || entry->seq == seen->last_seq + 1);
        memcpy(seen->hash, hash, TB_HASH_BYTES);
    }
    seen->last_seq = entry->seq;
    note_row(seen);
}

static void on_end(const struct tb_err *err, void *user)
{
    struct store_seen *seen = user;
    assert_int_equal(seen->ends, 0);
    seen->ends = 1;
    seen->code = err ? err->code : 0;
    snprintf(seen->words, sizeof(seen->words), "%s", err ? err->text : "");
}

void store_seen_init(struct store_lab *lab, struct store_seen *seen)
{
    *seen = (struct store_seen){.lab = lab};
    tb_buf_init(&seen->text, SIZE_MAX);
}

void store_put_new_start(struct store_lab *lab, enum tb_space space, const char *key,
                         const char *value, struct store_seen *seen)
{
    seen->read =
        lab->kind->put_new(lab->state, space, tb_str_of(key), tb_str_of(value), on_end, seen);
    assert_int_equal(seen->ends, 0);
}

int store_put_new(struct store_lab *lab, enum tb_space space, const char *key, const char *value)
{
    struct store_seen seen;
    store_seen_init(lab, &seen);
    store_put_new_start(lab, space, key, value, &seen);
    WAIT_UNTIL(lab->core.loop, seen.ends);
    snprintf(lab->words, sizeof(lab->words), "%s", seen.words);
    store_seen_fini(&seen);
    return seen.code;
}

struct claimed {
    int64_t epoch;
    int code;
    int ends;
    char *words;
};

static void on_claimed(const struct tb_err *err, int64_t epoch, void *user)
{
    struct claimed *claimed = user;
    assert_int_equal(epoch > 0, !err);
    claimed->epoch = epoch;
    claimed->code = err ? err->code : 0;
    claimed->ends++;
    snprintf(claimed->words, sizeof(((struct store_lab *)0)->words), "%s", err ? err->text : "");
}

int store_claim(struct store_lab *lab, const char *key, const char *node, int64_t ttl_ms,
                struct tb_fence *ret_fence)
{
    struct claimed claimed = {.words = lab->words};
    lab->kind->claim(lab->state, tb_str_of(key), tb_str_of(node), ttl_ms, on_claimed, &claimed);
    assert_int_equal(claimed.ends, 0);
    WAIT_UNTIL(lab->core.loop, claimed.ends);
    if (claimed.code == 0) {
        *ret_fence = (struct tb_fence){tb_str_of(key), claimed.epoch};
    }
    return claimed.code;
}

int store_renew(struct store_lab *lab, const struct tb_fence *fence, int64_t ttl_ms)
{
    struct store_seen seen;
    store_seen_init(lab, &seen);
    lab->kind->renew(lab->state, fence, ttl_ms, on_end, &seen);
    assert_int_equal(seen.ends, 0);
    WAIT_UNTIL(lab->core.loop, seen.ends);
    store_seen_fini(&seen);
    return seen.code;
}

void store_get_start(struct store_lab *lab, enum tb_space space, const char *key,
                     struct store_seen *seen)
{
    seen->read = lab->kind->get(lab->state, space, tb_str_of(key), on_record, on_end, seen);
    assert_int_equal(seen->rows + (size_t)seen->ends, 0); /* always later */
}

void store_each_start(struct store_lab *lab, enum tb_space space, const struct tb_range *range,
                      struct store_seen *seen)
{
    seen->read = lab->kind->each(lab->state, space, range, on_record, on_end, seen);
    assert_int_equal(seen->rows + (size_t)seen->ends, 0);
}

void store_audit_start(struct store_lab *lab, const struct tb_audit_query *query,
                       struct store_seen *seen)
{
    seen->read = lab->kind->audit(lab->state, query, on_entry, on_end, seen);
    assert_int_equal(seen->rows + (size_t)seen->ends, 0);
}

void store_get(struct store_lab *lab, enum tb_space space, const char *key,
               struct store_seen *ret_seen)
{
    store_seen_init(lab, ret_seen);
    store_get_start(lab, space, key, ret_seen);
    WAIT_UNTIL(lab->core.loop, ret_seen->ends);
}

void store_each(struct store_lab *lab, enum tb_space space, const struct tb_range *range,
                struct store_seen *ret_seen)
{
    store_seen_init(lab, ret_seen);
    store_each_start(lab, space, range, ret_seen);
    WAIT_UNTIL(lab->core.loop, ret_seen->ends);
}

void store_audit(struct store_lab *lab, const struct tb_audit_query *query,
                 struct store_seen *ret_seen)
{
    store_seen_init(lab, ret_seen);
    store_audit_start(lab, query, ret_seen);
    WAIT_UNTIL(lab->core.loop, ret_seen->ends);
}

void store_seen_fini(struct store_seen *seen)
{
    tb_buf_fini(&seen->text);
}

void store_expect(struct store_lab *lab, enum tb_space space, const char *key, const char *value)
{
    struct store_seen seen;
    char wanted[256] = "";
    store_get(lab, space, key, &seen);
    if (value) {
        snprintf(wanted, sizeof(wanted), "%s=%s\n", key, value);
    }
    tb_buf_append_char(&seen.text, '\0');
    assert_string_equal((const char *)seen.text.data, wanted);
    assert_int_equal(seen.code, value ? 0 : TB_E_NOT_FOUND);
    store_seen_fini(&seen);
}

size_t store_expect_chain(struct store_lab *lab)
{
    const struct tb_audit_query all = {0};
    struct store_seen seen;
    store_seen_init(lab, &seen);
    seen.chain = true;
    store_audit_start(lab, &all, &seen);
    WAIT_UNTIL(lab->core.loop, seen.ends);
    assert_int_equal(seen.code, 0);
    store_seen_fini(&seen);
    return seen.rows;
}
