/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/ws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"

/* What the peer does is in ws_suite_test; here is what the owner does, mostly inside callbacks. */

enum reaction {
    DO_NOTHING,
    DO_FREE,
    DO_SEND,
    DO_CLOSE,
    DO_FEED,
};

struct owner {
    struct tb_ws *ws;
    struct tb_buf sent;
    unsigned writes;
    unsigned messages;
    unsigned pongs;
    unsigned closes;
    int code;
    int write_rc;
    int react_rc;
    bool freed;
    enum reaction on_write;
    enum reaction on_message;
    enum reaction on_pong;
    enum reaction on_close;
    struct tb_buf got;
};

static void react(struct owner *owner, enum reaction *reaction)
{
    enum reaction what = *reaction;
    *reaction = DO_NOTHING; /* once */
    switch (what) {
    case DO_FREE:
        tb_ws_free(owner->ws);
        owner->freed = true;
        break;
    case DO_SEND:
        owner->react_rc = tb_ws_send(owner->ws, true, TB_STR("from a callback"));
        break;
    case DO_CLOSE:
        owner->react_rc = tb_ws_close(owner->ws, TB_WS_GOING_AWAY, TB_STR("enough"));
        break;
    case DO_FEED:
        owner->react_rc = tb_ws_feed(owner->ws, TB_STR("\x89\x80 key"), 0);
        break;
    default:
        break;
    }
}

static int on_write(struct tb_str bytes, void *user)
{
    struct owner *owner = user;
    owner->writes++;
    react(owner, &owner->on_write);
    if (owner->write_rc < 0) {
        return owner->write_rc;
    }
    return tb_buf_append_str(&owner->sent, bytes);
}

static void on_message(struct tb_ws *ws, bool text, struct tb_str data, void *user)
{
    struct owner *owner = user;
    (void)text;
    assert_ptr_equal(ws, owner->ws);
    owner->messages++;
    react(owner, &owner->on_message);
    /* Borrowed for the whole call, whatever was done in it. */
    tb_buf_clear(&owner->got);
    assert_int_equal(tb_buf_append_str(&owner->got, data), 0);
}

static void on_pong(struct tb_ws *ws, struct tb_str data, void *user)
{
    struct owner *owner = user;
    (void)ws;
    owner->pongs++;
    react(owner, &owner->on_pong);
    tb_buf_clear(&owner->got);
    assert_int_equal(tb_buf_append_str(&owner->got, data), 0);
}

static void on_close(struct tb_ws *ws, int code, struct tb_str reason, void *user)
{
    struct owner *owner = user;
    (void)ws;
    owner->closes++;
    owner->code = code;
    react(owner, &owner->on_close);
    tb_buf_clear(&owner->got);
    assert_int_equal(tb_buf_append_str(&owner->got, reason), 0);
}

static const struct tb_ws_ops ops = {on_write, on_message, on_pong, on_close};
static const struct tb_ws_limits limits = {.message_max = 1 << 20, .fragments_max = 10};

static void open_as(struct owner *owner, enum tb_ws_role role)
{
    memset(owner, 0, sizeof(*owner));
    tb_buf_init(&owner->sent, 4 << 20);
    tb_buf_init(&owner->got, 4 << 20);
    owner->ws = tb_ws_new(role, &limits, &ops, owner);
}

static void shut(struct owner *owner)
{
    if (!owner->freed) {
        tb_ws_free(owner->ws);
    }
    tb_buf_fini(&owner->sent);
    tb_buf_fini(&owner->got);
}

/* Feeds a copy that is freed at once, so that nothing can be kept. */
static int feed(struct owner *owner, struct tb_str bytes)
{
    char *copy = tb_memdup(bytes.ptr, bytes.len);
    int rc = tb_ws_feed(owner->ws, (struct tb_str){copy, bytes.len}, 0);
    tb_free(copy);
    return rc;
}

/* Frames for a client, so without masks. */
#define TWO_MESSAGES "\x81\x03one\x82\x03two"
#define FRAGMENTS        \
    "\x01\x02on\x80\x01" \
    "e"
#define PING "\x89\x01p"
#define PONG "\x8a\x01q"
#define CLOSE          \
    "\x88\x05\x03\xe8" \
    "bye"

static void a_free_inside_any_callback_ends_everything_at_once(void **state)
{
    (void)state;
    static const struct tb_str inputs[] = {
        {TWO_MESSAGES, sizeof(TWO_MESSAGES) - 1}, {FRAGMENTS FRAGMENTS, 2 * sizeof(FRAGMENTS) - 2},
        {PING PING, 2 * sizeof(PING) - 2},        {PONG PONG, 2 * sizeof(PONG) - 2},
        {CLOSE CLOSE, 2 * sizeof(CLOSE) - 2},     {"\xf1\x01x\x81\x01x", 6},
    };
    for (size_t i = 0; i < TB_COUNT(inputs); i++) {
        struct owner owner;
        open_as(&owner, TB_WS_CLIENT);
        owner.on_message = owner.on_pong = owner.on_close = owner.on_write = DO_FREE;
        assert_int_equal(feed(&owner, inputs[i]), TB_E_CLOSED);
        assert_true(owner.freed);
        assert_int_equal(owner.messages + owner.pongs + owner.closes + owner.writes, 1);
        shut(&owner);
    }
}

static void a_free_inside_on_close_keeps_the_reason_for_the_call(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_CLIENT);
    owner.on_close = DO_FREE;
    assert_int_equal(feed(&owner, TB_STR(CLOSE)), TB_E_CLOSED);
    assert_int_equal(owner.code, TB_WS_NORMAL);
    assert_true(tb_str_eq_cstr(tb_buf_str(&owner.got), "bye"));
    shut(&owner);
}

static void a_free_inside_write_is_safe_in_every_call_that_writes(void **state)
{
    (void)state;
    for (int call = 0; call < 4; call++) {
        struct owner owner;
        open_as(&owner, TB_WS_SERVER);
        owner.on_write = DO_FREE;
        char *large = tb_zalloc(100000);
        if (call == 0) {
            assert_int_equal(tb_ws_send(owner.ws, true, TB_STR("x")), 0);
        } else if (call == 1) {
            assert_int_equal(tb_ws_send(owner.ws, false, (struct tb_str){large, 100000}), 0);
        } else if (call == 2) {
            assert_int_equal(tb_ws_ping(owner.ws, TB_STR("x")), 0);
        } else {
            assert_int_equal(tb_ws_close(owner.ws, TB_WS_NORMAL, TB_STR("x")), 0);
        }
        assert_true(owner.freed);
        assert_int_equal(owner.closes, 0);
        tb_free(large);
        shut(&owner);
    }
}

static void a_free_inside_a_write_inside_a_callback_is_safe(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_CLIENT);
    owner.on_message = DO_SEND;
    owner.on_write = DO_FREE;
    assert_int_equal(feed(&owner, TB_STR(TWO_MESSAGES)), TB_E_CLOSED);
    assert_true(owner.freed);
    assert_int_equal(owner.messages, 1);
    assert_true(tb_str_eq_cstr(tb_buf_str(&owner.got), "one"));
    shut(&owner);
}

static void messages_can_be_sent_from_inside_every_callback(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_SERVER);
    owner.on_message = owner.on_pong = DO_SEND;
    /* Two masked frames: the message's data must survive the send. */
    assert_int_equal(feed(&owner, TB_STR("\x81\x83"
                                         "\0\0\0\0one\x8a\x81\0\0\0\0q")),
                     0);
    assert_int_equal(owner.messages, 1);
    assert_int_equal(owner.pongs, 1);
    assert_int_equal(owner.react_rc, 0);
    assert_true(tb_str_eq(tb_buf_str(&owner.sent), TB_STR("\x81\x0f"
                                                          "from a callback\x81\x0f"
                                                          "from a callback")));
    shut(&owner);
}

static void nothing_can_be_sent_once_it_is_closing(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_CLIENT);
    owner.on_message = DO_CLOSE;
    owner.on_close = DO_SEND;
    assert_int_equal(feed(&owner, TB_STR(TWO_MESSAGES)), 0);
    assert_int_equal(owner.messages, 1);
    assert_int_equal(tb_ws_send(owner.ws, true, TB_STR("x")), TB_E_CLOSED);
    assert_int_equal(tb_ws_ping(owner.ws, TB_STR("x")), TB_E_CLOSED);
    assert_int_equal(feed(&owner, TB_STR(CLOSE)), TB_E_CLOSED);
    assert_int_equal(owner.react_rc, TB_E_CLOSED);
    assert_int_equal(owner.closes, 1);
    assert_int_equal(tb_ws_close(owner.ws, TB_WS_NORMAL, TB_STR("")), 0);
    assert_int_equal(feed(&owner, TB_STR(CLOSE)), TB_E_CLOSED);
    assert_int_equal(owner.writes, 1);
    shut(&owner);
}

static void feeding_from_inside_a_callback_is_refused(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_CLIENT);
    owner.on_message = DO_FEED;
    assert_int_equal(feed(&owner, TB_STR(TWO_MESSAGES)), 0);
    assert_int_equal(owner.react_rc, TB_E_INVALID);
    assert_int_equal(owner.messages, 2);
    shut(&owner);
}

static void a_refused_frame_leaves_the_connection_as_it_was(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_SERVER);
    owner.write_rc = TB_E_TOO_LARGE;
    assert_int_equal(tb_ws_send(owner.ws, true, TB_STR("no room")), TB_E_TOO_LARGE);
    assert_int_equal(tb_ws_ping(owner.ws, TB_STR("no room")), TB_E_TOO_LARGE);
    assert_int_equal(tb_ws_close(owner.ws, TB_WS_NORMAL, TB_STR("")), TB_E_TOO_LARGE);
    owner.write_rc = 0;
    assert_int_equal(tb_ws_send(owner.ws, true, TB_STR("room")), 0);
    assert_true(tb_str_eq(tb_buf_str(&owner.sent), TB_STR("\x81\x04room")));
    assert_int_equal(owner.writes, 4);
    shut(&owner);
}

static void a_pong_that_cannot_be_written_ends_the_connection(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_CLIENT);
    owner.write_rc = TB_E_TOO_LARGE;
    assert_int_equal(feed(&owner, TB_STR(PING TWO_MESSAGES)), TB_E_CLOSED);
    assert_int_equal(owner.closes, 1);
    assert_int_equal(owner.code, TB_WS_ABNORMAL);
    assert_int_equal(owner.messages, 0);
    shut(&owner);
}

static void a_close_that_cannot_be_written_is_still_reported(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_CLIENT);
    owner.write_rc = TB_E_CLOSED;
    assert_int_equal(feed(&owner, TB_STR(CLOSE)), TB_E_CLOSED);
    assert_int_equal(owner.closes, 1);
    assert_int_equal(owner.code, TB_WS_NORMAL);
    shut(&owner);
}

static void codes_that_may_not_be_sent_are_refused(void **state)
{
    (void)state;
    static const int codes[] = {0, -1, 999, 1004, 1006, 1015, 1016, 2999, 5000, 66536};
    struct owner owner;
    open_as(&owner, TB_WS_SERVER);
    for (size_t i = 0; i < TB_COUNT(codes); i++) {
        assert_int_equal(tb_ws_close(owner.ws, codes[i], TB_STR("")), TB_E_INVALID);
    }
    assert_int_equal(owner.writes, 0);
    assert_int_equal(tb_ws_close(owner.ws, TB_WS_NO_STATUS, TB_STR("not sent")), 0);
    assert_true(tb_str_eq(tb_buf_str(&owner.sent), (struct tb_str){"\x88\0", 2}));
    shut(&owner);
}

static void a_long_reason_is_cut_between_characters(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_SERVER);
    char reason[200];
    for (size_t i = 0; i < sizeof(reason); i += 2) {
        reason[i] = '\xc3';
        reason[i + 1] = '\xa9';
    }
    assert_int_equal(tb_ws_close(owner.ws, TB_WS_NORMAL, (struct tb_str){reason, 200}), 0);
    assert_int_equal(owner.sent.len, 2 + 2 + 122);
    assert_int_equal(owner.sent.data[1], 124);
    shut(&owner);
}

static void a_ping_of_ours_has_at_most_125_bytes(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_SERVER);
    char data[126] = {0};
    assert_int_equal(tb_ws_ping(owner.ws, (struct tb_str){data, 126}), TB_E_TOO_LARGE);
    assert_int_equal(owner.writes, 0);
    assert_int_equal(tb_ws_ping(owner.ws, (struct tb_str){data, 125}), 0);
    assert_int_equal(owner.sent.len, 127);
    shut(&owner);
}

/* Whatever one side sends, the other gets, in one write a frame. */
static void check_round_trip(enum tb_ws_role from, size_t len)
{
    struct owner sender;
    struct owner receiver;
    open_as(&sender, from);
    open_as(&receiver, from == TB_WS_SERVER ? TB_WS_CLIENT : TB_WS_SERVER);
    char *data = tb_zalloc(len + 1);
    for (size_t i = 0; i < len; i++) {
        data[i] = (char)(i * 7 % 251);
    }
    assert_int_equal(tb_ws_send(sender.ws, false, (struct tb_str){data, len}), 0);
    assert_int_equal(sender.writes, 1);
    assert_int_equal(feed(&receiver, tb_buf_str(&sender.sent)), 0);
    assert_int_equal(receiver.messages, 1);
    assert_true(tb_str_eq(tb_buf_str(&receiver.got), (struct tb_str){data, len}));
    tb_free(data);
    shut(&sender);
    shut(&receiver);
}

static void both_sides_understand_each_other_at_all_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,    1,    125,  126,  127,   4081,  4095,  4096,
                                   4097, 4110, 8191, 8192, 65535, 65536, 65537, 1 << 20};
    for (size_t i = 0; i < TB_COUNT(sizes); i++) {
        check_round_trip(TB_WS_SERVER, sizes[i]);
        check_round_trip(TB_WS_CLIENT, sizes[i]);
    }
}

static void a_client_takes_a_new_mask_key_for_every_frame(void **state)
{
    (void)state;
    enum {
        FRAMES = 200,
        FRAME_BYTES = 7
    };
    struct owner owner;
    open_as(&owner, TB_WS_CLIENT);
    for (int i = 0; i < FRAMES; i++) {
        assert_int_equal(tb_ws_send(owner.ws, true, TB_STR("x")), 0);
    }
    assert_int_equal(owner.sent.len, FRAMES * FRAME_BYTES);
    unsigned same = 0;
    for (size_t i = 0; i < FRAMES; i++) {
        const uint8_t *frame = owner.sent.data + i * FRAME_BYTES;
        assert_int_equal(frame[1], 0x81);
        for (size_t j = 0; j < i; j++) {
            same += memcmp(frame + 2, owner.sent.data + j * FRAME_BYTES + 2, 4) == 0;
        }
    }
    /* 19,900 pairs: chance makes two equal once in 200,000 runs. */
    assert_true(same <= 1);
    shut(&owner);
}

static void traffic_goes_on_after_a_rest(void **state)
{
    (void)state;
    struct owner owner;
    open_as(&owner, TB_WS_CLIENT);
    /* A pong gives the buffer back, unless a frame is half read. */
    assert_int_equal(feed(&owner, TB_STR(PONG)), 0);
    assert_int_equal(feed(&owner, TB_STR("\x01\x03one" PONG "\x80\x05tw")), 0);
    assert_int_equal(feed(&owner, TB_STR("o!!" PONG "\x81")), 0);
    assert_int_equal(feed(&owner, TB_STR("\x03"
                                         "end")),
                     0);
    assert_int_equal(owner.pongs, 3);
    assert_int_equal(owner.messages, 2);
    assert_true(tb_str_eq_cstr(tb_buf_str(&owner.got), "end"));
    assert_int_equal(tb_ws_send(owner.ws, true, TB_STR("x")), 0);
    shut(&owner);
}

static void freeing_nothing_is_allowed(void **state)
{
    (void)state;
    tb_ws_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_inside_any_callback_ends_everything_at_once),
        cmocka_unit_test(a_free_inside_on_close_keeps_the_reason_for_the_call),
        cmocka_unit_test(a_free_inside_write_is_safe_in_every_call_that_writes),
        cmocka_unit_test(a_free_inside_a_write_inside_a_callback_is_safe),
        cmocka_unit_test(messages_can_be_sent_from_inside_every_callback),
        cmocka_unit_test(nothing_can_be_sent_once_it_is_closing),
        cmocka_unit_test(feeding_from_inside_a_callback_is_refused),
        cmocka_unit_test(a_refused_frame_leaves_the_connection_as_it_was),
        cmocka_unit_test(a_pong_that_cannot_be_written_ends_the_connection),
        cmocka_unit_test(a_close_that_cannot_be_written_is_still_reported),
        cmocka_unit_test(codes_that_may_not_be_sent_are_refused),
        cmocka_unit_test(a_long_reason_is_cut_between_characters),
        cmocka_unit_test(a_ping_of_ours_has_at_most_125_bytes),
        cmocka_unit_test(both_sides_understand_each_other_at_all_sizes),
        cmocka_unit_test(a_client_takes_a_new_mask_key_for_every_frame),
        cmocka_unit_test(traffic_goes_on_after_a_rest),
        cmocka_unit_test(freeing_nothing_is_allowed),
    };
    if (tb_id_init() < 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
