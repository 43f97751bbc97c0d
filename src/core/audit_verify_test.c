/* SPDX-License-Identifier: Apache-2.0 */
#include "core/audit_verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

enum {
    ENTRIES = 300,
    CUT_AT = 40, /* the log begins behind this one */
    MUTATIONS = 10000,
    TEXTS = 7,
    TEXT_SIZE = 40,
};

struct row {
    struct tb_audit_entry entry;
    char texts[TEXTS][TEXT_SIZE];
};

struct log {
    struct row rows[ENTRIES + 1];
    size_t count;
    struct tb_audit_cut cut;
    struct tb_audit_cut head;
};

static const uint8_t secret[TB_SECRET_BYTES] = "the secret of this installation";

static struct tb_str *text_at(struct tb_audit_entry *entry, size_t at)
{
    struct tb_str *texts[TEXTS] = {&entry->type, &entry->tenant,  &entry->session, &entry->agent,
                                   &entry->tool, &entry->outcome, &entry->details};
    return texts[at];
}

/* The texts of a row point into it, so that a row may be copied. */
static void point_texts(struct row *row)
{
    for (size_t i = 0; i < TEXTS; i++) {
        text_at(&row->entry, i)->ptr = row->texts[i];
    }
}

static void fill_row(struct row *row, int64_t seq)
{
    static const char *const formats[TEXTS] = {"call_done", "t",  "browser-%lld", "agent %lld",
                                               "click",     "ok", "{\"ms\":%lld}"};
    row->entry.seq = seq;
    row->entry.wall_ms = 1700000000000 + seq;
    for (size_t i = 0; i < TEXTS; i++) {
        int len = snprintf(row->texts[i], TEXT_SIZE, formats[i], (long long)seq % 7);
        text_at(&row->entry, i)->len = (size_t)len;
    }
    point_texts(row);
}

static void mark(struct tb_audit_cut *ret_mark, const char *what, const struct row *row)
{
    ret_mark->seq = row->entry.seq;
    memcpy(ret_mark->hash, row->entry.hash, TB_HASH_BYTES);
    tb_audit_seal(secret, what, ret_mark->seq, ret_mark->hash, ret_mark->seal);
}

static void fill(struct log *log)
{
    uint8_t before[TB_HASH_BYTES] = {0};
    *log = (struct log){0};
    for (int64_t seq = 1; seq <= ENTRIES; seq++) {
        struct row *row = &log->rows[log->count];
        fill_row(row, seq);
        tb_audit_link(secret, before, &row->entry, row->entry.hash);
        memcpy(before, row->entry.hash, TB_HASH_BYTES);
        if (seq == CUT_AT) {
            mark(&log->cut, TB_AUDIT_CUT, row);
        } else if (seq > CUT_AT) {
            log->count++;
        }
        mark(&log->head, TB_AUDIT_HEAD, row);
    }
}

static int verify(struct log *log, struct tb_err *err)
{
    struct tb_audit_verify at;
    tb_audit_verify_init(&at, secret);
    int rc = tb_audit_verify_cut(&at, &log->cut, err);
    for (size_t i = 0; i < log->count && rc == 0; i++) {
        point_texts(&log->rows[i]);
        rc = tb_audit_verify_entry(&at, &log->rows[i].entry, err);
    }
    return rc == 0 ? tb_audit_verify_head(&at, &log->head, err) : rc;
}

static int setup(void **state)
{
    struct log *log = TB_NEW(struct log);
    fill(log);
    *state = log;
    return 0;
}

static int teardown(void **state)
{
    tb_free(*state);
    return 0;
}

static void expect_words(struct log *log, const char *words)
{
    struct tb_err err;
    assert_int_equal(verify(log, &err), TB_E_INVALID);
    assert_string_equal(err.text, words);
    fill(log);
}

static void drop(struct log *log, size_t at, size_t count)
{
    memmove(&log->rows[at], &log->rows[at + count],
            (log->count - at - count) * sizeof(log->rows[0]));
    log->count -= count;
}

static void an_untouched_log_is_right(void **state)
{
    struct log *log = *state;
    struct tb_err err;
    assert_int_equal(verify(log, &err), 0);
    *log = (struct log){0};
    assert_int_equal(verify(log, &err), 0);
}

static void a_log_of_which_all_was_cut_off_is_right(void **state)
{
    struct log *log = *state;
    struct tb_err err;
    const struct row last = log->rows[log->count - 1];
    mark(&log->cut, TB_AUDIT_CUT, &last);
    log->count = 0;
    assert_int_equal(verify(log, &err), 0);
    log->cut = (struct tb_audit_cut){0};
    assert_int_equal(verify(log, &err), TB_E_INVALID);
}

static void it_says_where_and_what(void **state)
{
    struct log *log = *state;
    log->rows[9].texts[5][0] = 'X';
    expect_words(log, "entry 50, or an entry before it, was changed");
    drop(log, 9, 1);
    expect_words(log, "entry 50 is missing");
    drop(log, 9, 3);
    expect_words(log, "entries 50 to 52 are missing");
    drop(log, 0, 1);
    expect_words(log, "entry 41 is missing");
    log->count -= 2;
    expect_words(log, "the newest entries were removed: entries 299 to 300 are missing");
    log->rows[10] = log->rows[9];
    expect_words(log, "entry 50 comes after entry 50");
    log->cut.seal[0] ^= 1;
    expect_words(log, "the cut at entry 40 is not sealed by this installation");
    log->cut = (struct tb_audit_cut){0};
    expect_words(log, "entries 1 to 40 are missing");
    log->head.seal[0] ^= 1;
    expect_words(log,
                 "the end of the log is not sealed by this installation; its newest entry is 300");
    mark(&log->head, TB_AUDIT_HEAD, &log->rows[log->count - 2]);
    expect_words(log, "entry 300 was added after the sealed end of the log");
}

static void a_log_of_another_installation_is_not_ours(void **state)
{
    static const uint8_t others[TB_SECRET_BYTES] = "the secret of another one";
    struct log *log = *state;
    struct tb_audit_verify at;
    struct tb_err err;
    tb_audit_verify_init(&at, others);
    assert_int_equal(tb_audit_verify_cut(&at, &log->cut, &err), TB_E_INVALID);
    tb_audit_verify_init(&at, others);
    memcpy(at.hash, log->cut.hash, TB_HASH_BYTES);
    at.seq = log->cut.seq;
    assert_int_equal(tb_audit_verify_entry(&at, &log->rows[0].entry, &err), TB_E_INVALID);
}

static void flip(void *bytes, size_t len)
{
    ((uint8_t *)bytes)[(size_t)rand() % len] ^= (uint8_t)(1 << (rand() % 8));
}

/* One random change to one random place; what it was, for the message. */
static const char *spoil(struct log *log)
{
    size_t at = (size_t)rand() % log->count;
    struct tb_audit_entry *entry = &log->rows[at].entry;
    struct row row = log->rows[at];
    size_t other = (at + 1 + (size_t)rand() % (log->count - 1)) % log->count;
    size_t text = (size_t)rand() % TEXTS;
    switch (rand() % 11) {
    case 0:
        flip(&entry->seq, sizeof(entry->seq));
        return "seq";
    case 1:
        flip(&entry->wall_ms, sizeof(entry->wall_ms));
        return "wall_ms";
    case 2:
        flip(entry->hash, sizeof(entry->hash));
        return "hash";
    case 3:
        flip(&log->cut, sizeof(log->cut));
        return "cut";
    case 4:
        flip(&log->head, sizeof(log->head));
        return "head";
    case 5:
        drop(log, at, 1);
        return "removed";
    case 6:
        log->rows[at] = log->rows[other];
        log->rows[other] = row;
        return "swapped";
    case 7:
        drop(log, at, log->count - at);
        return "end cut off";
    case 8: /* removed, and those behind it numbered anew */
        drop(log, at, 1);
        for (size_t i = at; i < log->count; i++) {
            log->rows[i].entry.seq--;
        }
        return "numbered anew";
    case 9:
        text_at(entry, text)->len--;
        return "text shortened";
    default:
        flip(log->rows[at].texts[text], text_at(entry, text)->len);
        return "text";
    }
}

/* DATA-2 */
static void every_change_is_found(void **state)
{
    struct log *clean = *state;
    TB_AUTO(tb_free) struct log *log = TB_NEW(struct log);
    struct tb_err err;
    srand(4);
    for (int i = 0; i < MUTATIONS; i++) {
        *log = *clean;
        const char *what = spoil(log);
        if (verify(log, &err) == 0) {
            fail_msg("change %d was not found: %s", i, what);
        }
    }
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(an_untouched_log_is_right), WITH(a_log_of_which_all_was_cut_off_is_right),
        WITH(it_says_where_and_what),    WITH(a_log_of_another_installation_is_not_ours),
        WITH(every_change_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
