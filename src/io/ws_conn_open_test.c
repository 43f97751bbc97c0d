/* SPDX-License-Identifier: Apache-2.0 */
#include "base/id.h"
#include "io/ws_rig.h"

/* The opening handshake of ws_conn, from both sides. */

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

static void expect_close(struct ws_rig *set, const char *reason)
{
    RIG_UNTIL(set->rig.loop, set->client.closes == 1);
    assert_int_equal(set->client.code, TB_WS_ABNORMAL);
    if (!strstr(set->client.reason, reason)) {
        fail_msg("'%s' does not say '%s'", set->client.reason, reason);
    }
    rig_turns(&set->rig, 5);
    assert_int_equal(set->client.closes, 1);
    assert_int_equal(set->client.opens, 0);
}

static void frames_behind_the_request_are_heard_after_it(void **state)
{
    struct ws_rig *set = *state;
    rig_client_open(&set->rig, &set->raw);
    rig_send(&set->raw, WS_REQUEST "\x81\x81kkkk\x02\x81\x82kkkk\x02");
    RIG_UNTIL(set->rig.loop, set->server.messages == 1);
    rig_send(&set->raw, "\x01");
    RIG_UNTIL(set->rig.loop, set->server.messages == 2);
    ws_end_expect(&set->server, "t:i t:ij ");
}

static void an_owner_may_free_what_frames_still_wait_for(void **state)
{
    struct ws_rig *set = *state;
    set->server.free_in_message = true;
    rig_client_open(&set->rig, &set->raw);
    rig_send(&set->raw, WS_REQUEST "\x81\x81kkkk\x02\x81\x81kkkk\x02");
    RIG_UNTIL(set->rig.loop, set->server.messages == 1);
    RIG_UNTIL(set->rig.loop, set->raw.ended);
    assert_int_equal(set->server.messages, 1);
}

static void a_wrong_handshake_is_answered_as_an_error(void **state)
{
    static const struct {
        const char *request;
        const char *answer;
        const char *code;
    } cases[] = {
        {"GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
         "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
         "HTTP/1.1 426 Upgrade Required\r\n", "Sec-WebSocket-Version: 13\r\n"},
        {"GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
         "Sec-WebSocket-Version: 13\r\n\r\n",
         "HTTP/1.1 400 Bad Request\r\n", "\"code\":\"invalid_request\""},
        {"GET /ws HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n",
         "\"code\":\"invalid_request\""},
    };
    struct ws_rig *set = *state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        rig_client_open(&set->rig, &set->raw);
        rig_send(&set->raw, cases[i].request);
        RIG_UNTIL(set->rig.loop, rig_got(&set->raw, "\",\"status\":") && rig_got(&set->raw, "\"}"));
        assert_true(rig_got(&set->raw, cases[i].answer));
        assert_true(rig_got(&set->raw, cases[i].code));
        assert_true(rig_got(&set->raw, "{\"error\":{\"code\":"));
        assert_null(set->server.conn);
        rig_client_close(&set->raw);
    }
}

static void refuse(struct tb_http_req *req, void *user)
{
    (void)user;
    tb_http_reply(req, 403, NULL, 0, TB_STR("no"));
}

static void a_server_that_refuses_is_told_as_a_close(void **state)
{
    struct ws_rig *set = *state;
    set->rig.on_request = refuse;
    ws_rig_dial(set);
    expect_close(set, "403");
}

static void leave_at_once(struct tb_http_req *req, void *user)
{
    (void)req;
    struct rig *rig = user;
    tb_http_server_free(rig->server);
    rig->server = NULL;
}

static void a_server_that_leaves_is_told_as_a_close(void **state)
{
    struct ws_rig *set = *state;
    set->rig.on_request = leave_at_once;
    ws_rig_dial(set);
    expect_close(set, "the peer left");
}

static void keep_waiting(struct tb_http_req *req, void *user)
{
    struct rig *rig = user;
    rig->later[rig->later_count++] = req;
}

static void a_server_that_does_not_answer_is_told_as_a_close(void **state)
{
    struct ws_rig *set = *state;
    set->rig.on_request = keep_waiting;
    ws_rig_dial(set);
    RIG_UNTIL(set->rig.loop, set->rig.later_count == 1);
    rig_advance(&set->rig, 4999);
    assert_int_equal(set->client.closes, 0);
    rig_advance(&set->rig, 1);
    expect_close(set, "no answer");
}

static void a_client_may_close_before_it_is_open(void **state)
{
    struct ws_rig *set = *state;
    ws_rig_dial(set);
    assert_int_equal(tb_ws_conn_send(set->client.conn, true, TB_STR("x")), TB_E_CLOSED);
    tb_ws_conn_close(set->client.conn, TB_WS_NORMAL, TB_STR(""));
    assert_int_equal(set->client.closes, 0);
    expect_close(set, "closed before the handshake was done");
}

static void a_client_may_be_freed_before_it_is_open(void **state)
{
    struct ws_rig *set = *state;
    ws_rig_dial(set);
    ws_end_free(&set->client);
    rig_turns(&set->rig, 10);
    assert_int_equal(set->client.opens + set->client.closes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(frames_behind_the_request_are_heard_after_it),
        CASE(an_owner_may_free_what_frames_still_wait_for),
        CASE(a_wrong_handshake_is_answered_as_an_error),
        CASE(a_server_that_refuses_is_told_as_a_close),
        CASE(a_server_that_leaves_is_told_as_a_close),
        CASE(a_server_that_does_not_answer_is_told_as_a_close),
        CASE(a_client_may_close_before_it_is_open),
        CASE(a_client_may_be_freed_before_it_is_open),
    };
    return tb_id_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
