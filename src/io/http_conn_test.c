/* SPDX-License-Identifier: Apache-2.0 */
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "io/http_rig.h"

/* Bad input, time limits, peers that leave. */

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

static int set_up(void **state)
{
    static struct rig rig;
    rig_init(&rig, &rig_limits);
    *state = &rig;
    return 0;
}

static int tear_down(void **state)
{
    rig_fini(*state);
    return 0;
}

/* The body of an error is whole when its two braces are there. */
static void expect_refused(struct rig *rig, struct rig_client *client, int status, const char *code)
{
    char line[64];
    snprintf(line, sizeof(line), "HTTP/1.1 %d ", status);
    RIG_UNTIL(rig->loop, client->ended);
    assert_true(rig_got(client, line));
    assert_true(rig_got(client, "Connection: close\r\n"));
    assert_true(rig_got(client, code));
    assert_true(rig_got(client, "\"}"));
    assert_int_equal(tb_http_server_connections(rig->server), 0);
}

static void a_parser_error_is_answered_with_its_status_and_closed(void **state)
{
    static const struct {
        int status;
        const char *code;
        const char *start;
        size_t filler;
    } cases[] = {
        {400, "protocol_error", "GET / HTTP/1.1\nHost: a\n\n", 0},
        {414, "uri_too_long", "GET /", 2000},
        {431, "headers_too_large", "GET / HTTP/1.1\r\nHost: a\r\nX: ", 5000},
        {413, "too_large", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n", 0},
        {413, "too_large", "POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", 0},
    };
    struct rig *rig = *state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct rig_client client;
        rig_client_open(rig, &client);
        rig_send(&client, cases[i].start);
        for (size_t n = 0; n < cases[i].filler; n++) {
            rig_send(&client, "a");
        }
        rig_send(&client, GET("/behind"));
        expect_refused(rig, &client, cases[i].status, cases[i].code);
        assert_false(rig_got(&client, "/behind"));
        rig_client_close(&client);
    }
    rig_check_seen(rig, "head:/ gone:/:0 head:/small gone:/small:0 ");
}

static void an_error_in_a_chunk_ends_the_request_that_on_head_announced(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "2\r\nab\r\nzz\r\n");
    expect_refused(rig, &client, 400, "protocol_error");
    rig_check_seen(rig, "head:/a gone:/a:0 ");
    rig_client_close(&client);
}

static void an_error_behind_a_request_comes_after_its_reply(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later") "nonsense\r\n\r\n");
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    rig_turns(rig, 10);
    assert_int_equal(client.got.len, 0);
    tb_http_reply(rig->later[0], 200, NULL, 0, TB_STR("fine"));
    expect_refused(rig, &client, 400, "protocol_error");
    assert_true(rig_got(&client, "\r\n\r\nfineHTTP/1.1 400"));
    rig_client_close(&client);
}

static int hex(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* As the first lines of the file say. Returns what follows the escape. */
static const char *unescape(const char *at, char *ret_byte)
{
    static const char names[] = "rnt\\";
    static const char bytes[] = "\r\n\t\\";
    if (at[0] != '\\') {
        *ret_byte = at[0];
        return at + 1;
    }
    const char *name = strchr(names, at[1]);
    if (name) {
        *ret_byte = bytes[name - names];
        return at + 2;
    }
    *ret_byte = (char)(hex(at[2]) << 4 | hex(at[3]));
    return at + 4;
}

static void check_bad_line(struct rig *rig, const char *line)
{
    int status = (int)strtol(line, NULL, 10);
    const char *bytes = strchr(strchr(line, '\t') + 1, '\t') + 1;
    struct rig_client client;
    struct tb_buf request;
    tb_buf_init(&request, 1 << 20);
    for (const char *at = bytes; *at && *at != '\n';) {
        char byte;
        at = unescape(at, &byte);
        tb_buf_append_char(&request, byte);
    }
    tb_buf_append_cstr(&request, GET("/behind"));
    rig_client_open(rig, &client);
    assert_int_equal(tb_stream_write(client.stream, tb_buf_str(&request)), 0);
    expect_refused(rig, &client, status, "\"hint\"");
    bool run = rig->seen.len && memmem(rig->seen.data, rig->seen.len, "request:", 8);
    if (run || rig_count(&client, "HTTP/1.1 ") != 1) {
        fail_msg("executed: %s", line);
    }
    rig_client_close(&client);
    tb_buf_fini(&request);
    tb_buf_fini(&rig->seen);
}

static void every_bad_request_of_the_list_is_refused_and_closed(void **state)
{
    struct rig *rig = *state;
    const char *root = getenv("TABARD_ROOT");
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/tests/data/http/bad.txt", root ? root : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[8192];
    size_t count = 0;
    while (fgets(line, sizeof(line), file)) {
        if (line[0] != '#' && line[0] != '\n') {
            check_bad_line(rig, line);
            count++;
        }
    }
    fclose(file);
    assert_true(count > 200);
}

static void an_idle_connection_is_closed_without_a_word(void **state)
{
    struct rig *rig = *state;
    struct rig_client fresh;
    struct rig_client used;
    rig_client_open(rig, &fresh);
    rig_client_open(rig, &used);
    rig_advance(rig, 4000);
    rig_send(&used, GET("/a"));
    RIG_UNTIL(rig->loop, rig_got(&used, "\r\n\r\n/a"));
    rig_advance(rig, 999);
    assert_int_equal(tb_http_server_connections(rig->server), 2);
    rig_advance(rig, 1);
    RIG_UNTIL(rig->loop, fresh.ended);
    assert_int_equal(fresh.got.len, 0);
    size_t len = used.got.len;
    rig_advance(rig, 3998);
    assert_false(used.ended);
    rig_advance(rig, 2);
    RIG_UNTIL(rig->loop, used.ended);
    assert_int_equal(used.got.len, len);
    rig_client_close(&fresh);
    rig_client_close(&used);
}

static void a_head_that_drips_in_is_ended_after_its_time(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_advance(rig, 4000); /* the time runs from the first byte */
    rig_send(&client, "GET / HTTP/1.1\r\n");
    rig_turns(rig, 5);
    for (int i = 0; i < 9; i++) {
        rig_advance(rig, 100);
        rig_send(&client, "X: y\r\n");
        rig_turns(rig, 5);
        assert_false(client.ended);
    }
    rig_advance(rig, 100);
    expect_refused(rig, &client, 408, "timeout");
    rig_check_seen(rig, "");
    rig_client_close(&client);
}

static void a_body_must_keep_its_rate_once_the_grace_is_over(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    char block[1001];
    memset(block, 'b', sizeof(block) - 1);
    block[1000] = '\0';
    rig_client_open(rig, &client);
    rig_send(&client, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    rig_turns(rig, 5);
    /* 1000 bytes a second are enough for as long as they come. */
    for (int i = 0; i < 10; i++) {
        rig_send(&client, block);
        rig_turns(rig, 5);
        rig_advance(rig, 1000);
        assert_false(client.ended);
    }
    rig_advance(rig, 1999);
    rig_turns(rig, 5);
    assert_false(client.ended);
    rig_advance(rig, 1);
    expect_refused(rig, &client, 408, "timeout");
    rig_check_seen(rig, "head:/a gone:/a:0 ");
    rig_client_close(&client);
}

static void an_owner_may_take_its_time(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    rig_advance(rig, 1000000);
    tb_http_reply(rig->later[0], 200, NULL, 0, TB_STR("done"));
    RIG_UNTIL(rig->loop, rig_got(&client, "\r\n\r\ndone"));
    rig_client_close(&client);
}

static void a_peer_that_does_not_take_its_reply_is_given_up(void **state)
{
    enum {
        BODY = 24 << 20,
        STEP = 4 << 20, /* as much as the system buffers, else it sees no progress */
    };
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    tb_stream_pause(client.stream);
    char *body = tb_zalloc(BODY);
    tb_http_reply(rig->later[0], 200, NULL, 0, (struct tb_str){body, BODY});
    tb_free(body);
    rig_turns(rig, 5);
    /* As long as it takes some, it may be slow. */
    for (int i = 0; i < 3; i++) {
        rig_advance(rig, 1000);
        rig_advance(rig, 1000);
        size_t len = client.got.len;
        tb_stream_resume(client.stream);
        RIG_UNTIL(rig->loop, client.got.len > len + STEP);
        tb_stream_pause(client.stream);
        rig_turns(rig, 3);
    }
    rig_check_seen(rig, "head:/later request:/later ");
    for (int i = 0; i < 6; i++) {
        rig_advance(rig, 1000);
    }
    rig_check_seen(rig, "gone:/later:0 ");
    assert_int_equal(tb_http_server_connections(rig->server), 0);
    rig_client_close(&client);
}

static void a_peer_that_leaves_ends_its_request_at_once(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    rig_client_close(&client);
    RIG_UNTIL(rig->loop, tb_http_server_connections(rig->server) == 0);
    rig_check_seen(rig, "head:/later request:/later gone:/later:0 ");
}

static void a_peer_that_leaves_in_the_middle_of_a_body_ends_its_request(void **state)
{
    struct rig *rig = *state;
    struct rig_client client;
    rig_client_open(rig, &client);
    rig_send(&client, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
    RIG_UNTIL(rig->loop, rig->seen.len > 0);
    rig_client_close(&client);
    RIG_UNTIL(rig->loop, tb_http_server_connections(rig->server) == 0);
    rig_check_seen(rig, "head:/a gone:/a:0 ");
}

static void a_peer_that_only_stops_sending_gets_what_is_answered_at_once(void **state)
{
    static const struct {
        const char *requests;
        const char *seen;
    } cases[] = {
        {GET("/1"), "head:/1 request:/1 gone:/1:1 "},
        {GET("/1") GET("/2") GET("/later"),
         "head:/1 request:/1 gone:/1:1 head:/2 request:/2 gone:/2:1 "
         "head:/later request:/later gone:/later:0 "},
        {GET("/1") "GET /half", "head:/1 request:/1 gone:/1:1 "},
        {GET("/1") "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nhalf",
         "head:/1 request:/1 gone:/1:1 head:/echo gone:/echo:0 "},
    };
    struct rig *rig = *state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct rig_client client;
        rig_client_open(rig, &client);
        rig_send(&client, cases[i].requests);
        tb_stream_finish(client.stream);
        RIG_UNTIL(rig->loop, client.ended);
        assert_true(rig_got(&client, "\r\n\r\n/1"));
        assert_int_equal(rig_got(&client, "\r\n\r\n/2"), i == 1);
        rig_check_seen(rig, cases[i].seen);
        rig_client_close(&client);
    }
}

/* Connects with a plain socket, which can end with a reset. */
static int connect_plain(struct rig *rig)
{
    struct sockaddr_in addr = {
        .sin_family = AF_INET,
        .sin_port = htons(tb_listener_port(rig->listener)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
    return fd;
}

/* So much is kept that nothing is read, and only the write shows that the peer is gone. */
static void a_reply_that_finds_nobody_is_not_complete(void **state)
{
    static const char junk[40 * 1024] = {0};
    struct rig *rig = *state;
    int fd = connect_plain(rig);
    assert_true(write(fd, GET("/later"), strlen(GET("/later"))) > 0);
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(write(fd, junk, sizeof(junk)), sizeof(junk));
        rig_turns(rig, 3);
    }
    close(fd);
    rig_turns(rig, 5);
    rig_check_seen(rig, "head:/later request:/later ");
    tb_http_reply(rig->later[0], 200, NULL, 0, TB_STR("hello?"));
    RIG_UNTIL(rig->loop, tb_http_server_connections(rig->server) == 0);
    rig_check_seen(rig, "gone:/later:0 ");
}

/* More than the sockets buffer waits behind one request: it is not all read, and all is answered.
 */
static void input_behind_a_request_that_waits_is_bounded(void **state)
{
    enum {
        REQUESTS = 800,
        BODY = 16 * 1024,
    };
    struct rig *rig = *state;
    struct rig_client client;
    TB_AUTO(tb_free) char *body = tb_zalloc(BODY + 1);
    memset(body, 'b', BODY);
    rig_client_open(rig, &client);
    rig_send(&client, GET("/later"));
    RIG_UNTIL(rig->loop, rig->later_count == 1);
    for (size_t i = 0; i < REQUESTS; i++) {
        rig_send(&client, "POST /no HTTP/1.1\r\nHost: a\r\nContent-Length: 16384\r\n\r\n");
        rig_send(&client, body);
    }
    rig_turns(rig, 200);
    assert_true(tb_stream_queued(client.stream) > 0);
    rig_send(&client, "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    tb_http_reply(rig->later[0], 200, NULL, 0, TB_STR("go"));
    RIG_UNTIL(rig->loop, client.ended);
    assert_true(rig_got(&client, "\r\n\r\n/last"));
    assert_int_equal(rig_count(&client, "\r\n\r\n/no"), REQUESTS);
    rig_client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(a_parser_error_is_answered_with_its_status_and_closed),
        CASE(an_error_in_a_chunk_ends_the_request_that_on_head_announced),
        CASE(an_error_behind_a_request_comes_after_its_reply),
        CASE(every_bad_request_of_the_list_is_refused_and_closed),
        CASE(an_idle_connection_is_closed_without_a_word),
        CASE(a_head_that_drips_in_is_ended_after_its_time),
        CASE(a_body_must_keep_its_rate_once_the_grace_is_over),
        CASE(an_owner_may_take_its_time),
        CASE(a_peer_that_does_not_take_its_reply_is_given_up),
        CASE(a_peer_that_leaves_ends_its_request_at_once),
        CASE(a_peer_that_leaves_in_the_middle_of_a_body_ends_its_request),
        CASE(a_peer_that_only_stops_sending_gets_what_is_answered_at_once),
        CASE(a_reply_that_finds_nobody_is_not_complete),
        CASE(input_behind_a_request_that_waits_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
