/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder share: waiting for something to become true, with a deadline
 * instead of a sleep, and a stream owner that writes down what it was told. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "io/loop.h"
#include "io/stream.h"
#include "io/timer.h"

enum {
    TEST_DEADLINE_MS = 60 * 1000, /* only what hangs needs so long, also on a busy machine */
    TEST_HOUR_MS = 3600 * 1000,
};

static inline void test_note_late(struct tb_timer *timer, void *user)
{
    (void)timer;
    *(bool *)user = true;
}

/* Turns the loop until the condition holds; fails the test when it takes too long. Loops on the
 * system clock only. */
#define WAIT_UNTIL(loop, condition)                              \
    do {                                                         \
        bool late = false;                                       \
        struct tb_timer deadline;                                \
        tb_timer_init(&deadline, (loop), test_note_late, &late); \
        tb_timer_start(&deadline, TEST_DEADLINE_MS);             \
        while (!(condition) && !late) {                          \
            tb_loop_turn((loop), true);                          \
        }                                                        \
        tb_timer_fini(&deadline);                                \
        assert_true(condition);                                  \
    } while (0)

/* The owner of a stream; may do something inside its own callbacks. */
struct test_owner {
    struct tb_stream *stream;
    struct tb_buf got;
    int reads;
    int drains;
    int ends;
    int status;
    bool free_in_read;
    bool free_in_drain;
    bool free_in_end;
    bool pause_in_read;
};

static inline void test_owner_drop(struct test_owner *owner)
{
    tb_stream_free(owner->stream);
    owner->stream = NULL;
}

static inline void test_owner_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct test_owner *owner = user;
    owner->reads++;
    assert_int_equal(tb_buf_append_str(&owner->got, bytes), 0);
    if (owner->pause_in_read) {
        tb_stream_pause(stream);
    }
    if (owner->free_in_read) {
        test_owner_drop(owner);
    }
}

static inline void test_owner_drain(struct tb_stream *stream, void *user)
{
    (void)stream;
    struct test_owner *owner = user;
    owner->drains++;
    if (owner->free_in_drain) {
        test_owner_drop(owner);
    }
}

static inline void test_owner_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    struct test_owner *owner = user;
    owner->ends++;
    owner->status = status;
    if (owner->free_in_end) {
        test_owner_drop(owner);
    }
}

static inline void test_owner_start(struct test_owner *owner, struct tb_stream *stream)
{
    static const struct tb_stream_ops ops = {test_owner_read, test_owner_drain, test_owner_end};
    owner->stream = stream;
    tb_buf_init(&owner->got, SIZE_MAX);
    tb_stream_start(stream, &ops, owner);
}

static inline void test_owner_fini(struct test_owner *owner)
{
    test_owner_drop(owner);
    tb_buf_fini(&owner->got);
}
