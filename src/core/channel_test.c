/* SPDX-License-Identifier: Apache-2.0 */
#include "core/channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/loop.h"

#include "support/peer.h"

/* The driver's end, which writes down what it hears. */
struct driver {
    struct tb_channel *channel; /* NULL: closed */
    char heard[64];
    struct peer *hangs_up; /* the peer goes inside a message to the driver */
    bool leaves;           /* the driver does */
    bool busy;
};

struct table {
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    struct peer peer;
    struct driver driver;
};

static void leave(struct driver *driver)
{
    tb_channel_close(driver->channel, TB_CHANNEL_DRIVER);
    driver->channel = NULL;
}

static void hear(struct driver *driver, const char *word)
{
    size_t len = strlen(driver->heard);
    snprintf(driver->heard + len, sizeof(driver->heard) - len, "%s", word);
}

static int on_message(void *user, const struct tb_jsonrpc *message, struct tb_str tail)
{
    struct driver *driver = user;
    (void)tail;
    if (driver->busy) {
        return TB_E_BUSY;
    }
    hear(driver, "message ");
    if (driver->hangs_up) {
        peer_close(driver->hangs_up);
    }
    if (driver->leaves) {
        leave(driver);
    }
    assert_true(tb_str_eq_cstr(message->result.text, "{\"n\":1}"));
    return 0;
}

static void on_ready(void *user)
{
    hear(user, "ready ");
}

static void on_closed(void *user)
{
    hear(user, "closed ");
}

static const struct tb_channel_events events = {on_message, on_ready, on_closed};

static int join(struct table *table)
{
    struct tb_channel *channel = table->peer.channel;
    int rc = tb_channel_join(channel, &events, &table->driver);
    table->driver.channel = rc == 0 ? channel : NULL;
    return rc;
}

static int set_up(void **state)
{
    struct table *table = TB_NEW(struct table);
    tb_clock_manual_init(&table->clock);
    table->loop = tb_loop_new(&table->clock.clock);
    peer_open(&table->peer, table->loop);
    *state = table;
    return 0;
}

static int tear_down(void **state)
{
    struct table *table = *state;
    peer_fini(&table->peer);
    if (table->driver.channel) {
        leave(&table->driver);
    }
    tb_loop_free(table->loop);
    tb_free(table);
    return 0;
}

static void turn(struct table *table)
{
    for (int i = 0; i < 4; i++) {
        tb_loop_turn(table->loop, false);
    }
}

static int ask(struct driver *driver, const char *args)
{
    const struct tb_jsonrpc request = {
        .kind = TB_JSONRPC_REQUEST,
        .id = {TB_JSON_NUMBER, TB_STR("7")},
        .method = {TB_JSON_STRING, TB_STR("\"tools/call\"")},
        .name = {TB_JSON_STRING, TB_STR("\"add\"")},
        .arguments = {TB_JSON_OBJECT, tb_str_of(args)},
    };
    return tb_channel_send(driver->channel, TB_CHANNEL_DRIVER, &request, TB_STR("\"meta\":1"));
}

static int answer(struct table *table)
{
    return peer_answer(&table->peer, "7", "{\"n\":1}");
}

static void a_message_is_spliced_from_the_bytes_of_who_sends_it(void **state)
{
    struct table *table = *state;
    const char *args = "{\"a\" : 1.50}";
    assert_int_equal(join(table), 0);
    assert_int_equal(ask(&table->driver, args), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&table->peer.frames),
                               "{\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"add\","
                               "\"arguments\":{\"a\" : 1.50},\"meta\":1}}\n"));
    assert_ptr_equal(table->peer.payload, args);
    assert_int_equal(answer(table), 0);
    assert_string_equal(table->driver.heard, "message ");
}

static void who_closes_hears_nothing_and_the_other_once_and_later(void **state)
{
    struct table *table = *state;
    join(table);
    peer_close(&table->peer);
    assert_string_equal(table->driver.heard, "");
    assert_int_equal(ask(&table->driver, "{}"), TB_E_CLOSED);
    turn(table);
    turn(table);
    assert_string_equal(table->driver.heard, "closed ");
    assert_int_equal(table->peer.closes, 0);
    leave(&table->driver);
    turn(table);
    assert_int_equal(table->peer.closes, 0);
}

static void either_end_may_be_the_first_to_close(void **state)
{
    struct table *table = *state;
    join(table);
    leave(&table->driver);
    assert_int_equal(table->peer.closes, 0);
    assert_int_equal(answer(table), TB_E_CLOSED);
    turn(table);
    assert_int_equal(table->peer.closes, 1);
    assert_string_equal(table->driver.heard, "");
}

static void both_may_close_in_one_turn_and_neither_hears_of_it(void **state)
{
    struct table *table = *state;
    join(table);
    leave(&table->driver);
    peer_close(&table->peer);
    turn(table);
    assert_int_equal(table->peer.closes, 0);
    assert_string_equal(table->driver.heard, "");
}

static void both_may_close_inside_a_message(void **state)
{
    struct table *table = *state;
    join(table);
    table->driver.hangs_up = &table->peer;
    table->driver.leaves = true;
    assert_int_equal(answer(table), 0);
    turn(table);
    assert_string_equal(table->driver.heard, "message ");
    assert_int_equal(table->peer.closes, 0);
}

static void a_peer_that_is_busy_is_tried_again_when_it_is_ready(void **state)
{
    struct table *table = *state;
    join(table);
    peer_resume(&table->peer); /* nobody waits for it */
    turn(table);
    table->peer.busy = true;
    assert_int_equal(ask(&table->driver, "{\"n\":1}"), TB_E_BUSY);
    table->peer.busy = false;
    /* What comes later must not overtake what was refused. */
    assert_int_equal(ask(&table->driver, "{\"n\":2}"), TB_E_BUSY);
    assert_int_equal(table->peer.frames.len, 0);
    turn(table);
    assert_string_equal(table->driver.heard, "");
    peer_resume(&table->peer);
    assert_string_equal(table->driver.heard, "");
    turn(table);
    turn(table);
    assert_string_equal(table->driver.heard, "ready ");
    assert_int_equal(ask(&table->driver, "{\"n\":1}"), 0);
}

static void a_driver_that_is_busy_or_has_not_joined_yet_is_tried_again_too(void **state)
{
    struct table *table = *state;
    assert_int_equal(answer(table), TB_E_BUSY);
    table->driver.busy = true;
    join(table);
    turn(table);
    assert_int_equal(table->peer.readies, 1);
    assert_int_equal(answer(table), TB_E_BUSY);
    turn(table);
    assert_int_equal(table->peer.readies, 1);
    table->driver.busy = false;
    tb_channel_ready(table->driver.channel, TB_CHANNEL_DRIVER);
    turn(table);
    assert_int_equal(table->peer.readies, 2);
    assert_int_equal(answer(table), 0);
}

static void a_channel_is_joined_once_and_not_after_its_peer_has_gone(void **state)
{
    struct table *table = *state;
    struct driver second = {0};
    struct tb_channel *channel = tb_channel_ref(table->peer.channel, "test");
    join(table);
    assert_int_equal(tb_channel_join(channel, &events, &second), TB_E_EXISTS);
    leave(&table->driver);
    assert_int_equal(tb_channel_join(channel, &events, &second), TB_E_EXISTS);
    peer_close(&table->peer);
    assert_int_equal(tb_channel_join(channel, &events, &second), TB_E_CLOSED);
    tb_channel_unref(channel, "test");
    tb_channel_unref(NULL, "test");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_message_is_spliced_from_the_bytes_of_who_sends_it),
        CASE(who_closes_hears_nothing_and_the_other_once_and_later),
        CASE(either_end_may_be_the_first_to_close),
        CASE(both_may_close_in_one_turn_and_neither_hears_of_it),
        CASE(both_may_close_inside_a_message),
        CASE(a_peer_that_is_busy_is_tried_again_when_it_is_ready),
        CASE(a_driver_that_is_busy_or_has_not_joined_yet_is_tried_again_too),
        CASE(a_channel_is_joined_once_and_not_after_its_peer_has_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
