/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_rig.h"

/* Request bodies that come in pieces, and owners who are in no hurry. */

enum {
    PUSH_BYTES = 16 << 20, /* more than all buffers on the way hold */
};

struct upload {
    struct tb_http_req *req; /* NULL before its first piece */
    size_t pieces;
    uint64_t bytes;
    bool pause;  /* after each piece */
    bool refuse; /* with the first piece */
};

struct set {
    struct rig rig;
    struct upload upload;
    struct rig_client client;
};

static void on_body(struct tb_http_req *req, struct tb_str piece)
{
    struct upload *upload = tb_http_req_user(req);
    upload->req = req;
    upload->pieces++;
    upload->bytes += piece.len;
    assert_true(piece.len > 0);
    assert_int_equal(tb_http_req_body(req).len, 0);
    if (upload->refuse) {
        tb_http_reply(req, 403, NULL, 0, TB_STR("no more of it"));
    } else if (upload->pause) {
        tb_http_req_pause(req);
    }
}

static void on_request(struct tb_http_req *req, void *user)
{
    (void)user;
    struct upload *upload = tb_http_req_user(req);
    assert_int_equal(tb_http_req_body(req).len, 0);
    char text[32];
    snprintf(text, sizeof(text), "all %llu", upload ? (unsigned long long)upload->bytes : 0ULL);
    tb_http_reply(req, 200, NULL, 0, tb_str_of(text));
}

static int set_up(void **state)
{
    static struct set set;
    memset(&set, 0, sizeof(set));
    struct tb_http_server_limits limits = rig_limits;
    limits.parser.body_max = 1 << 30;
    rig_init(&set.rig, &limits);
    set.rig.on_request = on_request;
    set.rig.on_body = on_body;
    set.rig.on_body_user = &set.upload;
    rig_client_open(&set.rig, &set.client);
    *state = &set;
    return 0;
}

static int tear_down(void **state)
{
    struct set *set = *state;
    rig_client_close(&set->client);
    rig_fini(&set->rig);
    return 0;
}

static void push(struct set *set, size_t len)
{
    char *bytes = tb_zalloc(len);
    tb_stream_write_take(set->client.stream, (uint8_t *)bytes, len);
}

/* So many turns bring all that can come. */
static void settle(struct set *set)
{
    rig_turns(&set->rig, 200);
}

#define POST(length) "POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: " length "\r\n\r\n"

static void pieces_come_as_they_arrive_and_then_the_request(void **state)
{
    struct set *set = *state;
    rig_send(&set->client, POST("10") "hello");
    RIG_UNTIL(set->rig.loop, set->upload.bytes == 5);
    rig_check_seen(&set->rig, "head:/stream ");
    rig_send(&set->client, " you!");
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "all 10"));
    assert_int_equal(set->upload.pieces, 2);
    rig_check_seen(&set->rig, "request:/stream gone:/stream:1 ");
    assert_false(set->client.ended);
}

static void chunks_are_pieces_and_what_follows_is_served(void **state)
{
    struct set *set = *state;
    rig_send(&set->client,
             "POST /stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
             "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n");
    RIG_UNTIL(set->rig.loop, rig_count(&set->client, "HTTP/1.1 200 OK") == 2);
    assert_int_equal(set->upload.pieces, 2);
    assert_int_equal(set->upload.bytes, 6);
}

static void a_request_without_a_body_has_no_pieces(void **state)
{
    struct set *set = *state;
    rig_send(&set->client, POST("0"));
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "all 0"));
    assert_int_equal(set->upload.pieces, 0);
}

static void a_paused_body_holds_up_its_peer(void **state)
{
    struct set *set = *state;
    set->upload.pause = true;
    rig_send(&set->client, POST("16777216"));
    push(set, PUSH_BYTES);
    RIG_UNTIL(set->rig.loop, set->upload.pieces == 1);
    settle(set);
    assert_int_equal(set->upload.pieces, 1);
    assert_true(tb_stream_queued(set->client.stream) > 0);
    tb_http_req_resume(set->upload.req);
    assert_int_equal(set->upload.pieces, 1); /* never from inside the call */
    RIG_UNTIL(set->rig.loop, set->upload.pieces == 2);
    settle(set);
    assert_int_equal(set->upload.pieces, 2);
    set->upload.pause = false;
    tb_http_req_resume(set->upload.req);
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "all 16777216"));
}

static void the_end_of_a_paused_body_waits_too(void **state)
{
    struct set *set = *state;
    set->upload.pause = true;
    rig_send(&set->client, POST("5") "hello" POST("3") "you");
    RIG_UNTIL(set->rig.loop, set->upload.pieces == 1);
    settle(set);
    rig_check_seen(&set->rig, "head:/stream ");
    tb_http_req_resume(set->upload.req);
    tb_http_req_pause(set->upload.req); /* the last word counts */
    settle(set);
    rig_check_seen(&set->rig, "");
    set->upload.pause = false;
    tb_http_req_resume(set->upload.req);
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "all 8"));
    assert_true(rig_got(&set->client, "all 5"));
}

static void a_request_that_is_paused_at_its_head_is_not_asked_for_its_body(void **state)
{
    struct set *set = *state;
    set->rig.paused_first = true;
    rig_send(&set->client, "POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                           "Expect: 100-continue\r\n\r\n");
    RIG_UNTIL(set->rig.loop, set->rig.seen.len > 0);
    settle(set);
    assert_int_equal(set->client.got.len, 0);
    set->rig.paused_first = false;
    tb_http_req_resume(set->rig.paused);
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "HTTP/1.1 100 Continue\r\n\r\n"));
    rig_send(&set->client, "hi");
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "all 2"));
}

static void an_early_answer_throws_the_rest_away(void **state)
{
    struct set *set = *state;
    set->upload.refuse = true;
    rig_send(&set->client, POST("16777216"));
    push(set, PUSH_BYTES);
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "no more of it"));
    RIG_UNTIL(set->rig.loop, set->client.ended);
    assert_int_equal(set->upload.pieces, 1);
    rig_check_seen(&set->rig, "head:/stream gone:/stream:1 ");
}

static void an_answer_to_a_paused_request_ends_the_pause(void **state)
{
    struct set *set = *state;
    set->upload.pause = true;
    rig_send(&set->client, POST("16777216"));
    push(set, PUSH_BYTES);
    RIG_UNTIL(set->rig.loop, set->upload.pieces == 1);
    tb_http_req_resume(set->upload.req);
    tb_http_reply_start(set->upload.req, 200, NULL, 0);
    /* The peer is heard again: all that it sends is taken, and its end is noticed. */
    RIG_UNTIL(set->rig.loop, tb_stream_queued(set->client.stream) == 0);
    assert_int_equal(set->upload.pieces, 1);
    tb_http_reply_finish(set->upload.req, TB_STR("enough"));
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "enough"));
    RIG_UNTIL(set->rig.loop, set->client.ended);
    rig_check_seen(&set->rig, "head:/stream gone:/stream:1 ");
}

static void a_peer_that_leaves_in_a_pause_is_missed_when_it_ends(void **state)
{
    struct set *set = *state;
    set->upload.pause = true;
    rig_send(&set->client, POST("100") "hello");
    RIG_UNTIL(set->rig.loop, set->upload.pieces == 1);
    rig_client_close(&set->client);
    settle(set);
    rig_check_seen(&set->rig, "head:/stream ");
    tb_http_req_resume(set->upload.req);
    RIG_UNTIL(set->rig.loop, set->rig.seen.len > 0);
    rig_check_seen(&set->rig, "gone:/stream:0 ");
}

static void the_server_may_go_while_a_request_is_about_to_resume(void **state)
{
    struct set *set = *state;
    set->upload.pause = true;
    rig_send(&set->client, POST("100") "hello");
    RIG_UNTIL(set->rig.loop, set->upload.pieces == 1);
    tb_http_req_resume(set->upload.req);
    tb_http_server_free(set->rig.server);
    set->rig.server = NULL;
    settle(set);
    rig_check_seen(&set->rig, "head:/stream gone:/stream:0 ");
}

static void a_peer_is_not_blamed_for_a_pause(void **state)
{
    struct set *set = *state;
    set->upload.pause = true;
    rig_send(&set->client, POST("10") "hello");
    RIG_UNTIL(set->rig.loop, set->upload.pieces == 1);
    rig_advance(&set->rig, 1000000);
    set->upload.pause = false;
    tb_http_req_resume(set->upload.req);
    settle(set);
    rig_advance(&set->rig, rig_limits.body_grace_ms - 1);
    assert_int_equal(set->client.got.len, 0);
    rig_advance(&set->rig, 1);
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "arrives too slowly"));
}

static void a_fast_start_buys_no_long_silence(void **state)
{
    struct set *set = *state;
    rig_send(&set->client, POST("16777217"));
    push(set, PUSH_BYTES); /* hours, at body_rate */
    RIG_UNTIL(set->rig.loop, set->upload.bytes == PUSH_BYTES);
    rig_advance(&set->rig, rig_limits.body_grace_ms);
    settle(set);
    assert_int_equal(set->client.got.len, 0);
    rig_advance(&set->rig, rig_limits.body_grace_ms);
    RIG_UNTIL(set->rig.loop, rig_got(&set->client, "arrives too slowly"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(pieces_come_as_they_arrive_and_then_the_request),
        CASE(chunks_are_pieces_and_what_follows_is_served),
        CASE(a_request_without_a_body_has_no_pieces),
        CASE(a_paused_body_holds_up_its_peer),
        CASE(the_end_of_a_paused_body_waits_too),
        CASE(a_request_that_is_paused_at_its_head_is_not_asked_for_its_body),
        CASE(an_early_answer_throws_the_rest_away),
        CASE(an_answer_to_a_paused_request_ends_the_pause),
        CASE(a_peer_that_leaves_in_a_pause_is_missed_when_it_ends),
        CASE(the_server_may_go_while_a_request_is_about_to_resume),
        CASE(a_peer_is_not_blamed_for_a_pause),
        CASE(a_fast_start_buys_no_long_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
