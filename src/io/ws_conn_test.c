/* SPDX-License-Identifier: Apache-2.0 */
#include "io/ws_conn.h"

#include "base/err.h"
#include "base/id.h"
#include "io/ws_rig.h"

static int set_up(void **state)
{
    static struct ws_rig set;
    ws_rig_init(&set);
    *state = &set;
    return 0;
}

static int tear_down(void **state)
{
    ws_rig_fini(*state);
    return 0;
}

static void expect_close(struct ws_rig *set, struct ws_end *end, int code, const char *reason)
{
    RIG_UNTIL(set->rig.loop, end->closes == 1);
    assert_int_equal(end->code, code);
    assert_string_equal(end->reason, reason);
    rig_turns(&set->rig, 5);
    assert_int_equal(end->closes, 1);
}

static void messages_go_both_ways(void **state)
{
    struct ws_rig *set = *state;
    set->server.echo = true;
    ws_rig_open(set);
    assert_int_equal(tb_ws_conn_send(set->client.conn, true, TB_STR("hello")), 0);
    assert_int_equal(tb_ws_conn_send(set->client.conn, false, TB_STR("bytes")), 0);
    assert_int_equal(tb_ws_conn_send(set->client.conn, true, TB_STR("")), 0);
    RIG_UNTIL(set->rig.loop, set->client.messages == 3);
    ws_end_expect(&set->server, "t:hello b:bytes t: ");
    ws_end_expect(&set->client, "t:hello b:bytes t: ");
    assert_int_equal(tb_http_server_connections(set->rig.server), 0);
    rig_check_seen(&set->rig, "head:/ws request:/ws gone:/ws:1 ");
}

static void a_big_message_goes_both_ways(void **state)
{
    enum {
        SIZE = 8 << 20,
    };
    struct ws_rig *set = *state;
    TB_AUTO(tb_free) char *data = tb_zalloc(SIZE);
    set->server.echo = true;
    set->server.quiet = true;
    set->client.quiet = true;
    ws_rig_open(set);
    /* Over the queue's ceiling: an empty queue takes one message of any size, and no second one. */
    assert_int_equal(tb_ws_conn_send(set->client.conn, false, (struct tb_str){data, SIZE}), 0);
    assert_int_equal(tb_ws_conn_send(set->client.conn, true, TB_STR("x")), TB_E_TOO_LARGE);
    RIG_UNTIL(set->rig.loop, set->client.messages == 1);
    assert_int_equal(set->client.bytes, SIZE);
    assert_int_equal(set->client.drains, 1);
    assert_int_equal(set->server.drains, 0);
}

static void a_message_over_the_ceiling_ends_the_connection(void **state)
{
    enum {
        SIZE = (8 << 20) + 1,
    };
    struct ws_rig *set = *state;
    TB_AUTO(tb_free) char *data = tb_zalloc(SIZE);
    ws_rig_open(set);
    tb_ws_conn_send(set->client.conn, false, (struct tb_str){data, SIZE});
    expect_close(set, &set->server, TB_WS_TOO_BIG, "message too big");
    expect_close(set, &set->client, TB_WS_TOO_BIG, "message too big");
    assert_int_equal(set->server.messages, 0);
}

static void either_side_may_close(void **state)
{
    struct ws_rig *set = *state;
    for (int server = 0; server < 2; server++) {
        ws_rig_open(set);
        struct ws_end *first = server ? &set->server : &set->client;
        struct ws_end *second = server ? &set->client : &set->server;
        assert_int_equal(tb_ws_conn_send(first->conn, true, TB_STR("last")), 0);
        tb_ws_conn_close(first->conn, TB_WS_NORMAL, TB_STR("bye"));
        tb_ws_conn_close(first->conn, TB_WS_GOING_AWAY, TB_STR("again"));
        assert_int_equal(first->closes, 0);
        assert_int_equal(tb_ws_conn_send(first->conn, true, TB_STR("x")), TB_E_CLOSED);
        expect_close(set, second, TB_WS_NORMAL, "bye");
        expect_close(set, first, TB_WS_NORMAL, "");
        ws_end_expect(second, "t:last ");
        ws_rig_fini(set);
        ws_rig_init(set);
    }
}

static void a_peer_that_does_not_answer_a_close_is_dropped(void **state)
{
    struct ws_rig *set = *state;
    ws_rig_open_raw(set);
    tb_ws_conn_close(set->server.conn, TB_WS_GOING_AWAY, TB_STR(""));
    RIG_UNTIL(set->rig.loop, rig_got(&set->raw, "\x88\x02\x03\xe9"));
    rig_advance(&set->rig, 1999);
    assert_int_equal(set->server.closes, 0);
    rig_advance(&set->rig, 1);
    expect_close(set, &set->server, TB_WS_ABNORMAL, "the peer did not answer the close");
    RIG_UNTIL(set->rig.loop, set->raw.ended);
}

static void a_silent_peer_is_pinged_and_then_dropped(void **state)
{
    struct ws_rig *set = *state;
    ws_rig_open_raw(set);
    rig_advance(&set->rig, 9999);
    assert_int_equal(set->raw.got.len, 0);
    rig_advance(&set->rig, 1);
    RIG_UNTIL(set->rig.loop, set->raw.got.len == 2);
    assert_memory_equal(set->raw.got.data, "\x89\x00", 2);
    rig_advance(&set->rig, 2999);
    assert_int_equal(set->server.closes, 0);
    rig_advance(&set->rig, 1);
    expect_close(set, &set->server, TB_WS_ABNORMAL, "the peer did not answer a ping");
    RIG_UNTIL(set->rig.loop, set->raw.ended);
    /* Whoever only keeps its pongs to itself is told why: 1008 and words. */
    static const char told[] = "\x88\x15\x03\xf0no answer to a ping";
    assert_int_equal(set->raw.got.len, 2 + sizeof(told) - 1);
    assert_memory_equal(set->raw.got.data + 2, told, sizeof(told) - 1);
}

static void any_input_counts_as_a_sign_of_life(void **state)
{
    struct ws_rig *set = *state;
    ws_rig_open_raw(set);
    for (int i = 0; i < 5; i++) {
        rig_advance(&set->rig, 9000);
        rig_send(&set->raw, "\x81\x81kkkk\x02"); /* the text "i" */
        RIG_UNTIL(set->rig.loop, set->server.messages == i + 1);
    }
    assert_int_equal(set->raw.got.len, 0);
    rig_advance(&set->rig, 10000);
    RIG_UNTIL(set->rig.loop, set->raw.got.len == 2);
    rig_send(&set->raw, "\x81"); /* the start of a frame is enough */
    rig_turns(&set->rig, 5);
    rig_advance(&set->rig, 3000);
    assert_int_equal(set->server.closes, 0);
}

static void two_ends_that_have_nothing_to_say_stay_connected(void **state)
{
    struct ws_rig *set = *state;
    ws_rig_open(set);
    for (int i = 0; i < 200; i++) {
        rig_advance(&set->rig, 1000);
        rig_turns(&set->rig, 5);
    }
    assert_int_equal(set->server.closes + set->client.closes, 0);
    assert_int_equal(tb_ws_conn_send(set->client.conn, true, TB_STR("still here")), 0);
    RIG_UNTIL(set->rig.loop, set->server.messages == 1);
}

static void a_line_that_breaks_is_told(void **state)
{
    struct ws_rig *set = *state;
    ws_rig_open_raw(set);
    rig_client_close(&set->raw);
    expect_close(set, &set->server, TB_WS_ABNORMAL, "the peer left without a close");
}

static void a_breach_is_told_to_both(void **state)
{
    struct ws_rig *set = *state;
    ws_rig_open_raw(set);
    rig_send(&set->raw, "\x81\x01x");
    expect_close(set, &set->server, TB_WS_PROTOCOL_ERROR, "frame without a mask");
    RIG_UNTIL(set->rig.loop, set->raw.ended);
    assert_true(rig_got(&set->raw, "\x03\xea"
                                   "frame without a mask"));
}

static void an_owner_may_free_inside_on_message(void **state)
{
    struct ws_rig *set = *state;
    set->server.free_in_message = true;
    ws_rig_open(set);
    tb_ws_conn_send(set->client.conn, true, TB_STR("one"));
    tb_ws_conn_send(set->client.conn, true, TB_STR("two"));
    RIG_UNTIL(set->rig.loop, set->client.closes == 1);
    assert_int_equal(set->client.code, TB_WS_ABNORMAL);
    ws_end_expect(&set->server, "t:one ");
    assert_int_equal(set->server.closes, 0);
}

static void an_owner_may_free_inside_on_open(void **state)
{
    struct ws_rig *set = *state;
    set->client.free_in_open = true;
    ws_rig_dial(set);
    RIG_UNTIL(set->rig.loop, set->client.opens == 1);
    expect_close(set, &set->server, TB_WS_ABNORMAL, "the peer left without a close");
    assert_int_equal(set->client.closes, 0);
}

static void an_owner_may_free_inside_on_close(void **state)
{
    struct ws_rig *set = *state;
    set->client.free_in_close = true;
    set->server.free_in_close = true;
    ws_rig_open(set);
    tb_ws_conn_close(set->client.conn, TB_WS_NORMAL, TB_STR(""));
    expect_close(set, &set->server, TB_WS_NORMAL, "");
    expect_close(set, &set->client, TB_WS_NORMAL, "");
}

static void a_peer_that_does_not_read_meets_the_ceiling(void **state)
{
    static const char block[16 * 1024] = {0};
    struct ws_rig *set = *state;
    ws_rig_open_raw(set);
    tb_stream_pause(set->raw.stream);
    int rc = 0;
    size_t sent = 0;
    for (int i = 0; i < 10000 && rc == 0; i++) {
        rc = tb_ws_conn_send(set->server.conn, false, (struct tb_str){block, sizeof(block)});
        sent += rc == 0;
        rig_turns(&set->rig, 1);
    }
    assert_int_equal(rc, TB_E_TOO_LARGE);
    assert_int_equal(set->server.drains, 0);
    tb_stream_resume(set->raw.stream);
    RIG_UNTIL(set->rig.loop, set->server.drains == 1);
    assert_int_equal(tb_ws_conn_send(set->server.conn, true, TB_STR("end")), 0);
    RIG_UNTIL(set->rig.loop, rig_got(&set->raw, "end"));
    assert_int_equal(set->raw.got.len, sent * (sizeof(block) + 4) + 5);
    assert_int_equal(set->server.drains, 1);
}

static void a_send_refused_for_its_size_is_asked_for_again(void **state)
{
    struct ws_rig *set = *state;
    TB_AUTO(tb_free) char *data = tb_zalloc(set->opts.send_max);
    struct tb_str large = {data, set->opts.send_max};
    ws_rig_open(set);
    assert_int_equal(tb_ws_conn_send(set->client.conn, true, TB_STR("small")), 0);
    assert_int_equal(tb_ws_conn_send(set->client.conn, false, large), TB_E_TOO_LARGE);
    assert_int_equal(set->client.drains, 0);
    RIG_UNTIL(set->rig.loop, set->client.drains == 1);
    assert_int_equal(tb_ws_conn_send(set->client.conn, false, large), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(messages_go_both_ways),
        CASE(a_big_message_goes_both_ways),
        CASE(a_message_over_the_ceiling_ends_the_connection),
        CASE(either_side_may_close),
        CASE(a_peer_that_does_not_answer_a_close_is_dropped),
        CASE(a_silent_peer_is_pinged_and_then_dropped),
        CASE(any_input_counts_as_a_sign_of_life),
        CASE(two_ends_that_have_nothing_to_say_stay_connected),
        CASE(a_line_that_breaks_is_told),
        CASE(a_breach_is_told_to_both),
        CASE(an_owner_may_free_inside_on_message),
        CASE(an_owner_may_free_inside_on_open),
        CASE(an_owner_may_free_inside_on_close),
        CASE(a_peer_that_does_not_read_meets_the_ceiling),
        CASE(a_send_refused_for_its_size_is_asked_for_again),
    };
    return tb_id_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
