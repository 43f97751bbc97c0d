/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "io/http_client.h"
#include "io/http_rig.h"

/* Bodies that stream through the client, both ways. The server counts what is sent to /stream and
 * answers /large and /slow piece by piece. */

enum {
    LARGE = 16 << 20, /* more than all buffers on the way hold */
    PIECE = 16 * 1024,
};

/* What a callback does besides its work. */
enum deed {
    NOTHING,
    CANCEL,
    FREE,
    RESUME_AND_REFUSE,
};

struct user {
    struct tb_http_client *client;
    struct tb_http_call *call;
    enum deed in_head, in_data, in_read;
    int heads;
    int status;
    char type[32];
    size_t pieces;
    uint64_t bytes; /* of the answer, taken */
    bool wrong;     /* one of them was not what it should be */
    bool refuse;    /* pieces */
    bool uploads;   /* and keeps the answer whole */
    bool headless;  /* does not want to see the head */
    uint64_t body;  /* bytes of the request that are left */
    bool stalls;    /* after those */
    bool no_more;   /* for the moment */
    ssize_t fails;
    int ends;
    int code;
    char text[512];
};

struct set {
    struct rig rig;
    struct tb_http_client *client;
    struct user user;
    bool holds_back; /* the head of /slow */
    uint64_t uploaded;
    int answers_early; /* with this status, as soon as some of the body is there */
    bool whole;        /* and with all of the answer */
    struct tb_http_req *slow;
    uint64_t sent;
};

static bool do_deed(struct user *user, enum deed deed)
{
    if (deed == CANCEL) {
        tb_http_call_cancel(user->call);
    } else if (deed == FREE) {
        tb_http_client_free(user->client);
        user->client = NULL;
    } else if (deed == RESUME_AND_REFUSE) {
        tb_http_call_resume(user->call);
    }
    return deed != NOTHING;
}

static void on_head(const struct tb_http1_head *head, void *data)
{
    struct user *user = data;
    struct tb_str type = tb_http1_header(head, "content-type");
    user->heads++;
    user->status = head->status;
    snprintf(user->type, sizeof(user->type), "%.*s", TB_STR_ARG(type));
    do_deed(user, user->in_head);
}

/* Byte n of an answer is n in base 251. */
static char byte_at(uint64_t at)
{
    return (char)(at % 251);
}

static bool on_data(struct tb_str piece, void *data)
{
    struct user *user = data;
    user->pieces++;
    assert_true((user->heads == 1 || user->headless) && piece.len > 0);
    if (do_deed(user, user->in_data)) {
        user->in_data = NOTHING;
        return false;
    }
    if (user->refuse) {
        return false;
    }
    for (size_t i = 0; i < piece.len; i += 61) {
        user->wrong = user->wrong || piece.ptr[i] != byte_at(user->bytes + i);
    }
    user->bytes += piece.len;
    return true;
}

static ssize_t on_read(char *buf, size_t size, void *data)
{
    struct user *user = data;
    if (do_deed(user, user->in_read)) {
        user->in_read = NOTHING;
        return -EAGAIN;
    }
    if (user->fails || user->no_more) {
        return user->fails ? user->fails : -EAGAIN;
    }
    size_t len = user->body < size ? (size_t)user->body : size;
    memset(buf, 'b', len);
    user->body -= len;
    user->no_more = user->stalls && !user->body;
    return (ssize_t)len;
}

static void on_end(int code, const struct tb_http_client_response *response,
                   const struct tb_err *err, void *data)
{
    struct user *user = data;
    user->ends++;
    user->code = code;
    assert_int_equal(response->body.len, user->uploads ? 5 : 0);
    snprintf(user->text, sizeof(user->text), "%s", code < 0 ? err->text : "");
}

/* The server's side. */

static void send_more(struct tb_http_req *req)
{
    struct set *set = tb_http_req_user(req);
    char piece[PIECE];
    while (set->sent < LARGE) {
        for (size_t i = 0; i < sizeof(piece); i++) {
            piece[i] = byte_at(set->sent + i);
        }
        if (tb_http_reply_write(req, (struct tb_str){piece, sizeof(piece)}) < 0) {
            tb_http_reply_on_drain(req, send_more);
            return;
        }
        set->sent += sizeof(piece);
    }
    tb_http_reply_end(req);
}

static void serve(struct tb_http_req *req, void *user)
{
    struct set *set = TB_CONTAINER(user, struct set, rig);
    static const struct tb_http_header type = {"Content-Type", {"text/x", 6}};
    if (rig_is(req, "/slow")) {
        set->slow = req;
        if (!set->holds_back) {
            tb_http_reply_start(req, 200, &type, 1);
        }
    } else if (rig_is(req, "/large")) {
        tb_http_req_set_user(req, set);
        tb_http_reply_start(req, 200, &type, 1);
        send_more(req);
    } else if (rig_is(req, "/wordy")) {
        static char word[90 * 1024];
        memset(word, 'w', sizeof(word));
        const struct tb_http_header headers[3] = {
            {"A", {word, sizeof(word)}}, {"B", {word, sizeof(word)}}, {"C", {word, sizeof(word)}}};
        tb_http_reply(req, 200, headers, 3, TB_STR(""));
    } else {
        tb_http_reply(req, 201, &type, 1, TB_STR(""));
    }
}

static void on_upload(struct tb_http_req *req, struct tb_str piece)
{
    struct set *set = tb_http_req_user(req);
    set->uploaded += piece.len;
    if (set->answers_early && set->whole) {
        tb_http_reply(req, set->answers_early, NULL, 0, (struct tb_str){"\0\1\2", 3});
    } else if (set->answers_early) {
        set->slow = req;
        tb_http_reply_start(req, set->answers_early, NULL, 0);
    }
}

static int set_up(void **state)
{
    static struct set set;
    memset(&set, 0, sizeof(set));
    struct tb_http_server_limits limits = rig_limits;
    limits.parser.body_max = 1 << 30;
    limits.write_ms = limits.body_grace_ms = 0;
    rig_init(&set.rig, &limits);
    set.rig.on_request = serve;
    set.rig.on_body = on_upload;
    set.rig.on_body_user = &set;
    set.client = set.user.client = tb_http_client_new(set.rig.loop);
    *state = &set;
    return 0;
}

static int tear_down(void **state)
{
    struct set *set = *state;
    tb_http_client_free(set->user.client);
    rig_fini(&set->rig);
    return 0;
}

static void start(struct set *set, const char *path)
{
    char url[128];
    struct tb_err err;
    bool uploads = set->user.uploads || strcmp(path, "/stream") == 0;
    snprintf(url, sizeof(url), "http://127.0.0.1:%u%s",
             (unsigned)tb_listener_port(set->rig.listener), path);
    struct tb_http_client_request request = {
        .method = uploads ? "POST" : "GET",
        .url = url,
        .timeout_ms = 3000,
        .head = set->user.headless ? NULL : on_head,
        .data = set->user.uploads ? NULL : on_data,
        .read = uploads ? on_read : NULL,
        .response_max = 10,
    };
    set->user.call = tb_http_client_send(set->client, &request, on_end, &set->user, &err);
    assert_non_null(set->user.call);
}

static void expect_end(struct set *set, int code, const char *words)
{
    RIG_UNTIL(set->rig.loop, set->user.ends);
    rig_turns(&set->rig, 20);
    assert_int_equal(set->user.ends, 1);
    assert_int_equal(set->user.code, code);
    if (!strstr(set->user.text, words)) {
        fail_msg("'%s' does not say '%s'", set->user.text, words);
    }
}

static void an_answer_comes_as_head_pieces_and_end(void **state)
{
    struct set *set = *state;
    start(set, "/large");
    expect_end(set, 0, "");
    assert_int_equal(set->user.heads, 1);
    assert_int_equal(set->user.status, 200);
    assert_string_equal(set->user.type, "text/x");
    assert_true(set->user.pieces > 1);
    assert_true(set->user.bytes == LARGE && !set->user.wrong);
}

static void an_answer_without_a_body_has_a_head(void **state)
{
    struct set *set = *state;
    start(set, "/none");
    expect_end(set, 0, "");
    assert_int_equal(set->user.heads, 1);
    assert_int_equal(set->user.status, 201);
    assert_int_equal(set->user.pieces, 0);
}

static void a_head_over_the_ceiling_is_refused(void **state)
{
    struct set *set = *state;
    start(set, "/wordy");
    expect_end(set, TB_E_TOO_LARGE, "the answer is larger than 262144 bytes");
    assert_int_equal(set->user.heads, 0);
}

static void the_first_piece_does_not_wait_for_the_last(void **state)
{
    struct set *set = *state;
    start(set, "/slow");
    RIG_UNTIL(set->rig.loop, set->user.heads);
    tb_http_reply_write(set->slow, (struct tb_str){"\0\1\2", 3});
    RIG_UNTIL(set->rig.loop, set->user.bytes == 3);
    assert_int_equal(set->user.ends, 0);
    tb_http_reply_end(set->slow);
    expect_end(set, 0, "");
}

static void a_piece_that_is_not_taken_holds_up_the_server_and_comes_again(void **state)
{
    struct set *set = *state;
    set->user.refuse = true;
    start(set, "/large");
    RIG_UNTIL(set->rig.loop, set->user.pieces == 1);
    rig_turns(&set->rig, 500);
    assert_int_equal(set->user.pieces, 1);
    assert_true(set->sent < LARGE);
    tb_http_call_resume(set->user.call);
    assert_int_equal(set->user.pieces, 1); /* never from inside the call */
    RIG_UNTIL(set->rig.loop, set->user.pieces == 2);
    set->user.refuse = false;
    tb_http_call_resume(set->user.call);
    expect_end(set, 0, "");
    assert_true(set->user.bytes == LARGE && !set->user.wrong);
}

static void the_end_waits_for_a_piece_that_is_not_taken(void **state)
{
    struct set *set = *state;
    set->user.refuse = true;
    start(set, "/slow");
    RIG_UNTIL(set->rig.loop, set->slow);
    tb_http_reply_finish(set->slow, (struct tb_str){"\0\1\2", 3});
    RIG_UNTIL(set->rig.loop, set->user.pieces == 1);
    rig_turns(&set->rig, 50);
    assert_int_equal(set->user.ends, 0);
    set->user.refuse = false;
    tb_http_call_resume(set->user.call);
    expect_end(set, 0, "");
    assert_int_equal(set->user.bytes, 3);
}

static void a_call_with_an_answer_not_taken_can_be_cancelled(void **state)
{
    struct set *set = *state;
    set->user.refuse = true;
    start(set, "/slow");
    RIG_UNTIL(set->rig.loop, set->slow);
    tb_http_reply_finish(set->slow, TB_STR("abc"));
    RIG_UNTIL(set->rig.loop, set->user.pieces == 1);
    rig_turns(&set->rig, 50);
    tb_http_call_cancel(set->user.call);
    assert_int_equal(set->user.ends, 0);
    expect_end(set, -ECANCELED, "cancelled");
    assert_int_equal(set->user.pieces, 1);
}

static void a_body_is_read_as_it_is_sent(void **state)
{
    struct set *set = *state;
    set->user.body = LARGE;
    start(set, "/stream");
    expect_end(set, 0, "");
    assert_int_equal(set->uploaded, LARGE);
    assert_int_equal(set->user.status, 201);
}

static void an_empty_body_is_one(void **state)
{
    struct set *set = *state;
    start(set, "/stream");
    expect_end(set, 0, "");
    assert_int_equal(set->uploaded, 0);
    assert_int_equal(set->user.status, 201);
}

static void a_body_that_is_not_there_yet_is_awaited(void **state)
{
    struct set *set = *state;
    set->user.body = 3;
    set->user.no_more = true;
    start(set, "/stream");
    RIG_UNTIL(set->rig.loop, set->rig.seen.len > 0);
    rig_turns(&set->rig, 50);
    assert_int_equal(set->uploaded, 0);
    set->user.no_more = false;
    tb_http_call_resume(set->user.call);
    expect_end(set, 0, "");
    assert_int_equal(set->uploaded, 3);
}

static void a_body_that_cannot_be_read_fails_the_call(void **state)
{
    struct set *set = *state;
    set->user.fails = -EIO;
    start(set, "/stream");
    expect_end(set, -EIO, "the request body could not be read: ");
    assert_int_equal(set->user.heads, 0);
}

static void a_call_may_be_cancelled_in_each_callback(void **state)
{
    struct set *set = *state;
    for (int i = 0; i < 3; i++) {
        set->user = (struct user){.client = set->client, .body = 10};
        enum deed *where[] = {&set->user.in_head, &set->user.in_data, &set->user.in_read};
        *where[i] = CANCEL;
        start(set, i == 2 ? "/stream" : "/large");
        expect_end(set, -ECANCELED, "cancelled");
        assert_int_equal(set->user.bytes, 0);
        set->sent = 0;
    }
}

static void free_in(struct set *set, enum deed *where, const char *path)
{
    *where = FREE;
    set->user.body = 10;
    start(set, path);
    expect_end(set, -ECANCELED, "cancelled");
    assert_null(set->user.client);
}

static void the_client_may_be_freed_in_head(void **state)
{
    struct set *set = *state;
    free_in(set, &set->user.in_head, "/large");
}

static void the_client_may_be_freed_in_data(void **state)
{
    struct set *set = *state;
    free_in(set, &set->user.in_data, "/large");
}

static void the_client_may_be_freed_in_read(void **state)
{
    struct set *set = *state;
    free_in(set, &set->user.in_read, "/stream");
}

static void a_pause_may_end_before_it_began(void **state)
{
    struct set *set = *state;
    set->user.in_data = RESUME_AND_REFUSE;
    start(set, "/large");
    expect_end(set, 0, "");
    assert_true(set->user.bytes == LARGE && !set->user.wrong);
    set->user = (struct user){.client = set->client, .body = 7, .in_read = RESUME_AND_REFUSE};
    start(set, "/stream");
    expect_end(set, 0, "");
    assert_int_equal(set->uploaded, 7);
}

static void a_stream_that_moves_has_time_and_one_that_stops_has_not(void **state)
{
    struct set *set = *state;
    start(set, "/slow");
    RIG_UNTIL(set->rig.loop, set->user.heads);
    for (size_t i = 1; i <= 5; i++) {
        char byte = byte_at(i - 1);
        rig_advance(&set->rig, 2999);
        tb_http_reply_write(set->slow, (struct tb_str){&byte, 1});
        RIG_UNTIL(set->rig.loop, set->user.bytes == i);
    }
    rig_advance(&set->rig, 2999);
    assert_int_equal(set->user.ends, 0);
    rig_advance(&set->rig, 1);
    expect_end(set, TB_E_TIMEOUT, "no progress within 3000 ms");
}

static void an_answer_that_is_kept_whole_has_time_too_behind_an_upload(void **state)
{
    struct set *set = *state;
    set->user.uploads = true;
    start(set, "/slow");
    RIG_UNTIL(set->rig.loop, set->user.heads);
    for (size_t i = 0; i < 5; i++) {
        rig_advance(&set->rig, 2999);
        tb_http_reply_write(set->slow, TB_STR("x"));
        rig_turns(&set->rig, 50);
        assert_int_equal(set->user.ends, 0);
    }
    tb_http_reply_end(set->slow);
    expect_end(set, 0, "");
}

static void the_peer_is_not_blamed_for_a_pause(void **state)
{
    struct set *set = *state;
    set->user.refuse = true;
    start(set, "/large");
    RIG_UNTIL(set->rig.loop, set->user.pieces == 1);
    rig_advance(&set->rig, 100000);
    assert_int_equal(set->user.ends, 0);
    set->user.refuse = false;
    tb_http_call_resume(set->user.call);
    expect_end(set, 0, "");
    assert_int_equal(set->user.bytes, LARGE);
}

/* Some of the body is sent, the rest is not there yet, and the server answers all the same. */
static void upload_some(struct set *set, int status)
{
    set->user.body = 10;
    set->user.stalls = true;
    set->answers_early = status;
    start(set, "/stream");
}

static void an_answer_in_full_ends_a_call_whose_body_is_paused(void **state)
{
    static const int statuses[] = {413, 200, 302};
    struct set *set = *state;
    set->whole = true;
    for (size_t i = 0; i < 2 * TB_COUNT(statuses); i++) {
        set->user = (struct user){.client = set->client, .headless = i % 2};
        upload_some(set, statuses[i / 2]);
        expect_end(set, 0, "");
        assert_int_equal(set->user.bytes, 3);
    }
}

static void so_does_one_that_comes_in_pieces(void **state)
{
    struct set *set = *state;
    upload_some(set, 413);
    RIG_UNTIL(set->rig.loop, set->user.heads);
    tb_http_reply_write(set->slow, (struct tb_str){"\0\1\2", 3});
    RIG_UNTIL(set->rig.loop, set->user.bytes == 3);
    rig_turns(&set->rig, 50);
    assert_int_equal(set->user.ends, 0);
    tb_http_reply_end(set->slow);
    expect_end(set, 0, "");
}

static void a_body_goes_on_behind_a_good_answer(void **state)
{
    struct set *set = *state;
    upload_some(set, 200);
    RIG_UNTIL(set->rig.loop, set->user.heads);
    rig_advance(&set->rig, 100000); /* whoever may still want it waits for us */
    assert_int_equal(set->user.ends, 0);
    set->user.stalls = set->user.no_more = false;
    tb_http_call_resume(set->user.call);
    tb_http_reply_end(set->slow);
    expect_end(set, 0, "");
}

static void a_server_that_refuses_a_body_has_to_say_why_in_time(void **state)
{
    struct set *set = *state;
    upload_some(set, 413);
    RIG_UNTIL(set->rig.loop, set->user.heads);
    rig_advance(&set->rig, 2999);
    assert_int_equal(set->user.ends, 0);
    rig_advance(&set->rig, 1);
    expect_end(set, TB_E_TIMEOUT, "no progress within 3000 ms");
}

static void the_time_begins_anew_behind_a_pause(void **state)
{
    struct set *set = *state;
    set->user.refuse = true;
    start(set, "/slow");
    RIG_UNTIL(set->rig.loop, set->slow);
    tb_http_reply_write(set->slow, (struct tb_str){"\0\1\2", 3});
    RIG_UNTIL(set->rig.loop, set->user.pieces == 1);
    rig_advance(&set->rig, 3000);
    rig_advance(&set->rig, 2999);
    set->user.refuse = false;
    tb_http_call_resume(set->user.call);
    rig_advance(&set->rig, 2999);
    assert_int_equal(set->user.ends, 0);
    rig_advance(&set->rig, 1);
    expect_end(set, TB_E_TIMEOUT, "no progress within 3000 ms");
}

static void a_head_is_progress(void **state)
{
    struct set *set = *state;
    set->holds_back = true;
    start(set, "/slow");
    RIG_UNTIL(set->rig.loop, set->slow);
    rig_advance(&set->rig, 2999);
    tb_http_reply_start(set->slow, 200, NULL, 0);
    RIG_UNTIL(set->rig.loop, set->user.heads);
    rig_advance(&set->rig, 2999);
    assert_int_equal(set->user.ends, 0);
    tb_http_reply_end(set->slow);
    expect_end(set, 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(an_answer_comes_as_head_pieces_and_end),
        CASE(an_answer_without_a_body_has_a_head),
        CASE(a_head_over_the_ceiling_is_refused),
        CASE(the_first_piece_does_not_wait_for_the_last),
        CASE(a_piece_that_is_not_taken_holds_up_the_server_and_comes_again),
        CASE(the_end_waits_for_a_piece_that_is_not_taken),
        CASE(a_call_with_an_answer_not_taken_can_be_cancelled),
        CASE(a_body_is_read_as_it_is_sent),
        CASE(an_empty_body_is_one),
        CASE(a_body_that_is_not_there_yet_is_awaited),
        CASE(a_body_that_cannot_be_read_fails_the_call),
        CASE(a_call_may_be_cancelled_in_each_callback),
        CASE(the_client_may_be_freed_in_head),
        CASE(the_client_may_be_freed_in_data),
        CASE(the_client_may_be_freed_in_read),
        CASE(a_pause_may_end_before_it_began),
        CASE(a_stream_that_moves_has_time_and_one_that_stops_has_not),
        CASE(an_answer_that_is_kept_whole_has_time_too_behind_an_upload),
        CASE(the_peer_is_not_blamed_for_a_pause),
        CASE(an_answer_in_full_ends_a_call_whose_body_is_paused),
        CASE(so_does_one_that_comes_in_pieces),
        CASE(a_body_goes_on_behind_a_good_answer),
        CASE(a_server_that_refuses_a_body_has_to_say_why_in_time),
        CASE(the_time_begins_anew_behind_a_pause),
        CASE(a_head_is_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
