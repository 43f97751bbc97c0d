/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy.h"
#include "front/proxy/proxy_rig.h"

#define OPEN "{\"policy\":{\"block_domains\":[\"blocked.example\"]}}"

static struct tb_session *begin(struct proxy_rig *p, const char *args, char **ret_pass)
{
    struct tb_session *session = proxy_rig_session(p, "a", args);
    *ret_pass = proxy_rig_pass(session);
    return session;
}

static char *line_to(const struct proxy_rig *p, const char *method, const char *host)
{
    return strcmp(method, "CONNECT") == 0
               ? tb_strdupf("CONNECT %s:%u", host, p->port)
               : tb_strdupf("%s http://%s:%u/x?y=1", method, host, p->port);
}

static void expect_in(const struct tb_buf *text, const char *wanted)
{
    assert_non_null(memmem(text->data, text->len, wanted, strlen(wanted)));
}

static void without_a_pass_there_is_407_and_nothing_else(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "GET", "site.example");
    TB_AUTO(tb_free) char *twice = tb_strdupf("%s%s", pass, pass);
    TB_AUTO(tb_free)
    char *bearer = tb_strdupf("Proxy-Authorization: Bearer %s", strstr(pass, "Basic ") + 6);
    TB_AUTO(tb_free) char *shorter = tb_strdupf("%.*sAAAA\r\n", (int)strlen(pass) - 6, pass);
    const char *const wrong[] = {
        "",
        twice,
        bearer,
        shorter,
        "Proxy-Authorization: Basic\r\n",
        "Proxy-Authorization: Basic !!!\r\n",
        "Proxy-Authorization: Basic Og==\r\n",
        "Authorization: Basic Og==\r\n",
    };
    for (size_t i = 0; i < TB_COUNT(wrong); i++) {
        proxy_rig_send(p, line, wrong[i], "");
        RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
        assert_true(rig_got(&p->client, "HTTP/1.1 407 Proxy Authentication Required\r\n"));
        assert_true(rig_got(&p->client, "Proxy-Authenticate: Basic realm=\"tabard\""));
    }
    assert_int_equal(rig_events(p->rig, "credential_refused {"), TB_COUNT(wrong));
    assert_int_equal(rig_events(p->rig, "\"route\":\"proxy\",\"host\":\"site.example"),
                     TB_COUNT(wrong));
    proxy_rig_send(p, "GET http://" TB_EGRESS_PRIME_HOST "/", "", ""); /* as every browser does */
    PROXY_RIG_HEARS(p, "HTTP/1.1 407 ");
    assert_int_equal(rig_events(p->rig, "credential_refused {"), TB_COUNT(wrong));
    assert_int_equal(p->dns.asked, 0);
    assert_int_equal(p->peer_count, 0);
}

static void a_pass_that_is_nobodys_is_known_and_opens_nothing(void **state)
{
    struct proxy_rig *p = *state;
    struct tb_pass *pass = tb_pass_new(p->rig->core.egresses);
    TB_AUTO(tb_buf_fini) struct tb_buf header = TB_BUF(4096);
    char plain[256];
    snprintf(plain, sizeof(plain), "%s:%s", tb_pass_user(pass), tb_pass_secret(pass));
    tb_buf_append_cstr(&header, "Proxy-Authorization: Basic ");
    tb_base64_encode(plain, strlen(plain), &header);
    TB_AUTO(tb_free) char *text = tb_strdupf("%.*s\r\n", TB_STR_ARG(tb_buf_str(&header)));
    TB_AUTO(tb_free) char *line = line_to(p, "GET", "site.example");
    proxy_rig_send(p, line, text, "");
    PROXY_RIG_HEARS(p, "HTTP/1.1 403 ");
    assert_int_equal(rig_events(p->rig, "credential_refused {"), 1);
    assert_false(tb_pass_is_known(pass));
    proxy_rig_send(p, "GET http://" TB_EGRESS_PRIME_HOST "/", text, "");
    PROXY_RIG_HEARS(p, "HTTP/1.1 204 ");
    assert_true(tb_pass_is_known(pass));
    assert_int_equal(p->peer_count, 0);
    tb_pass_free(pass);
}

static void a_plain_request_arrives_without_what_was_for_the_proxy(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "GET", "SITE.Example.");
    proxy_rig_send(p, line, pass,
                   "Proxy-Connection: keep-alive\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-Far: 2\r\n");
    PROXY_RIG_SERVER(p, 0, "\r\n\r\n");
    TB_AUTO(tb_free)
    char *wanted =
        tb_strdupf("GET /x?y=1 HTTP/1.1\r\nHost: site.example:%u\r\nX-Far: 2\r\n\r\n", p->port);
    assert_true(tb_str_eq_cstr(tb_buf_str(&p->peers[0].got), wanted));
    assert_string_equal(p->dns.name, "site.example");
    rig_send(&p->peers[0], "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: 5\r\n\r\nhi");
    PROXY_RIG_HEARS(p, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi");
}

static void the_way_to_a_host_is_kept_for_the_next_request_to_it_alone(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    static const struct {
        const char *host;
        size_t peer;
    } steps[] = {{"a.example", 0}, {"a.example", 0}, {"b.example", 1}, {"a.example", 2}};
    proxy_rig_connect(p);
    for (size_t i = 0; i < TB_COUNT(steps); i++) {
        TB_AUTO(tb_free) char *line = line_to(p, "GET", steps[i].host);
        TB_AUTO(tb_free) char *step = tb_strdupf("X-Step: %zu\r\n", i);
        TB_AUTO(tb_free) char *text = proxy_rig_request(line, pass, step);
        TB_AUTO(tb_free)
        char *answer = tb_strdupf("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%zu", i);
        TB_AUTO(tb_free) char *heard = tb_strdupf("keep-alive\r\n\r\n%zu", i);
        rig_send(&p->client, text);
        PROXY_RIG_SERVER(p, steps[i].peer, step);
        rig_send(&p->peers[steps[i].peer], answer);
        PROXY_RIG_HEARS(p, heard);
    }
    assert_int_equal(p->peer_count, 3);
}

static void bodies_go_through_in_the_form_they_have(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "POST", "site.example");
    proxy_rig_send(p, line, pass, "Content-Length: 5\r\n");
    rig_send(&p->client, "hello");
    PROXY_RIG_SERVER(p, 0, "Content-Length: 5\r\n\r\nhello");
    rig_send(&p->peers[0], "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n");
    PROXY_RIG_HEARS(p, "HTTP/1.1 100 Continue\r\n\r\n");
    PROXY_RIG_HEARS(
        p, "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    proxy_rig_send(p, line, pass, "Transfer-Encoding: chunked\r\n");
    rig_send(&p->client, "2\r\nab\r\n0\r\n\r\n");
    PROXY_RIG_SERVER(p, 1, "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n");
    rig_send(&p->peers[1], "HTTP/1.0 200 OK\r\n\r\nto the end");
    tb_stream_finish(p->peers[1].stream);
    RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
    assert_true(rig_got(&p->client, "Connection: close\r\n\r\nto the end"));
}

/* A browser does not wait for us before it sends a body. */
static void a_body_that_came_before_the_server_was_there_is_passed_on_whole(void **state)
{
    enum {
        BODY = 200 * 1024,
    };
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    TB_AUTO(tb_free) char *body = tb_zalloc(BODY + 1);
    begin(p, OPEN, &pass);
    memset(body, 'x', BODY);
    for (int chunked = 0; chunked < 2; chunked++) {
        TB_AUTO(tb_free) char *line = line_to(p, "POST", "site.example");
        TB_AUTO(tb_free)
        char *framing = chunked ? tb_strdup("Transfer-Encoding: chunked\r\n")
                                : tb_strdupf("Content-Length: %d\r\n", BODY);
        TB_AUTO(tb_free) char *head = proxy_rig_request(line, pass, framing);
        TB_AUTO(tb_free)
        char *text = chunked ? tb_strdupf("%s%x\r\n%s\r\n0\r\n\r\n", head, BODY, body)
                             : tb_strdupf("%s%s", head, body);
        size_t at = p->peer_count;
        proxy_rig_connect(p);
        rig_send(&p->client, text);
        RIG_UNTIL(proxy_rig_loop(p), p->peer_count > at && p->peers[at].got.len >= BODY);
        if (chunked) {
            PROXY_RIG_SERVER(p, at, "x\r\n0\r\n\r\n");
        }
    }
}

static void a_tunnel_carries_bytes_and_ends_both_ways(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "CONNECT", "site.example");
    proxy_rig_send(p, line, pass, "");
    rig_send(&p->client, "early");
    PROXY_RIG_HEARS(p, "HTTP/1.1 200 Connection established\r\n\r\n");
    PROXY_RIG_SERVER(p, 0, "early");
    rig_send(&p->peers[0], "down");
    PROXY_RIG_HEARS(p, "down");
    tb_stream_finish(p->client.stream);
    RIG_UNTIL(proxy_rig_loop(p), p->peers[0].ended);
    assert_false(p->client.ended);
    rig_send(&p->peers[0], "last");
    tb_stream_finish(p->peers[0].stream);
    RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
    assert_true(rig_got(&p->client, "downlast"));
}

/* ws: comes as a tunnel too, and only its first byte tells. */
static void what_is_no_tls_in_a_tunnel_is_judged_as_http(void **state)
{
    static const struct {
        const char *args;
        const char *first;
        const char *heard; /* by the server; NULL: the tunnel ends */
    } rows[] = {
        {"{\"policy\":{\"schemes\":[\"https\"]}}", "\x16\x03", "\x16\x03"},
        {"{\"policy\":{\"schemes\":[\"https\"]}}", "GET / HTTP", NULL},
        {"{\"policy\":{\"schemes\":[\"https\",\"http\"]}}", "GET / HTTP", "GET / HTTP"},
        {"{\"policy\":{\"allow_domains\":[\"https://site.example\"]}}", "GET / HTTP", NULL},
    };
    struct proxy_rig *p = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char name[8];
        snprintf(name, sizeof(name), "s%zu", i);
        TB_AUTO(tb_free) char *pass = proxy_rig_pass(proxy_rig_session(p, name, rows[i].args));
        TB_AUTO(tb_free) char *line = line_to(p, "CONNECT", "site.example");
        proxy_rig_send(p, line, pass, "");
        PROXY_RIG_HEARS(p, "established");
        rig_send(&p->client, rows[i].first);
        if (rows[i].heard) {
            PROXY_RIG_SERVER(p, i, rows[i].heard);
        } else {
            RIG_UNTIL(proxy_rig_loop(p), p->client.ended && p->peers[i].ended);
            assert_int_equal(p->peers[i].got.len, 0);
        }
    }
    assert_int_equal(rig_events(p->rig, "request_refused {"), 2);
    TB_AUTO(tb_free)
    char *pass = proxy_rig_pass(proxy_rig_session(p, "x", "{\"policy\":{\"schemes\":[\"http\"]}}"));
    TB_AUTO(tb_free) char *line = line_to(p, "CONNECT", "site.example");
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_HEARS(p, "HTTP/1.1 403 ");
}

static void a_web_socket_leaves_http_only_if_it_asked_to(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "GET", "site.example");
    proxy_rig_send(p, line, pass, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    PROXY_RIG_SERVER(p, 0, "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    rig_send(&p->peers[0], "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                           "Upgrade: websocket\r\n\r\nframe");
    PROXY_RIG_HEARS(p, "Upgrade: websocket\r\n\r\nframe");
    rig_send(&p->client, "masked");
    PROXY_RIG_SERVER(p, 0, "masked");
    static const char *const lies[] = {
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"tabard\"\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "SSH-2.0-x\r\n\r\n"};
    for (size_t i = 0; i < TB_COUNT(lies); i++) {
        proxy_rig_send(p, line, pass, "");
        PROXY_RIG_SERVER(p, i + 1, "\r\n\r\n");
        rig_send(&p->peers[i + 1], lies[i]);
        PROXY_RIG_HEARS(p, "HTTP/1.1 502 Bad Gateway");
    }
}

/* Any other protocol would carry requests that nobody judges, and one whose body is not over yet is
 * read in two ways. */
static void only_a_whole_request_for_a_web_socket_leaves_http(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "POST", "site.example");
    proxy_rig_send(p, line, pass, "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n");
    PROXY_RIG_SERVER(p, 0, "Content-Length: 0\r\n\r\n");
    assert_false(rig_got(&p->peers[0], "Upgrade"));
    proxy_rig_send(p, line, pass,
                   "Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n");
    PROXY_RIG_SERVER(p, 1, "Upgrade: websocket\r\n\r\n");
    rig_send(&p->peers[1], "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                           "Upgrade: websocket\r\n\r\n");
    PROXY_RIG_HEARS(p, "HTTP/1.1 502 Bad Gateway");
}

static void a_connection_that_was_kept_can_become_a_tunnel(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "GET", "site.example");
    TB_AUTO(tb_free) char *tunnel = line_to(p, "CONNECT", "site.example");
    TB_AUTO(tb_free) char *blocked = line_to(p, "CONNECT", "blocked.example");
    const char *const after[] = {tunnel, blocked};
    const char *const heard[] = {"HTTP/1.1 200 Connection established", "HTTP/1.1 403 Forbidden"};
    for (size_t i = 0; i < TB_COUNT(after); i++) {
        TB_AUTO(tb_free) char *text = proxy_rig_request(after[i], pass, "");
        size_t at = p->peer_count;
        proxy_rig_send(p, line, pass, "");
        PROXY_RIG_SERVER(p, at, "\r\n\r\n");
        rig_send(&p->peers[at], "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1");
        PROXY_RIG_HEARS(p, "keep-alive\r\n\r\n1");
        rig_send(&p->client, text);
        PROXY_RIG_HEARS(p, heard[i]);
    }
    assert_int_equal(p->peer_count, 3); /* the tunnel has a way of its own */
}

/* Each header is looked for among them: a server could keep the daemon busy for long. */
static void a_head_that_names_too_many_headers_in_connection_is_refused(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "GET", "site.example");
    TB_AUTO(tb_buf_fini) struct tb_buf many = TB_BUF(1 << 20);
    tb_buf_append_cstr(&many, "Connection: a");
    for (int i = 0; i < 2000; i++) {
        tb_buf_append_cstr(&many, ",a");
    }
    tb_buf_append_str(&many, (struct tb_str){"\r\n", 3});
    const char *names = (const char *)many.data;
    proxy_rig_send(p, line, pass, names);
    PROXY_RIG_HEARS(p, "HTTP/1.1 400 Bad Request");
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_SERVER(p, 0, "\r\n\r\n");
    TB_AUTO(tb_free)
    char *answer = tb_strdupf("HTTP/1.1 200 OK\r\n%sContent-Length: 0\r\n\r\n", names);
    rig_send(&p->peers[0], answer);
    PROXY_RIG_HEARS(p, "HTTP/1.1 502 Bad Gateway");
}

/* HTTP-1 on the side of the proxy. */
static void requests_that_two_parsers_could_read_differently_go_nowhere(void **state)
{
    static const char *const headers[] = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n",
        "Transfer-Encoding : chunked\r\n",
        "X: a\r\n b\r\n",
        "X: a\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Host: y\r\n",
    };
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "POST", "site.example");
    for (size_t i = 0; i < TB_COUNT(headers); i++) {
        proxy_rig_send(p, line, pass, headers[i]);
        RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
        assert_true(rig_got(&p->client, "HTTP/1.1 400 Bad Request"));
    }
    static const char *const targets[] = {"GET /x",
                                          "GET https://site.example/",
                                          "OPTIONS *",
                                          "GET ftp://site.example/",
                                          "GET http://u:p@site.example/",
                                          "CONNECT site.example",
                                          "CONNECT site.example:0",
                                          "GET http://site.example:99999/"};
    for (size_t i = 0; i < TB_COUNT(targets); i++) {
        proxy_rig_send(p, targets[i], pass, "");
        RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
        assert_true(rig_got(&p->client, "HTTP/1.1 400 Bad Request"));
    }
    assert_int_equal(p->peer_count, 0);
}

/* NET-4: however it is spelt. */
static void a_refused_host_is_refused_in_every_spelling_and_told(void **state)
{
    static const char *const hosts[] = {
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "LOCALHOST.",
        "0.0.0.0",
        "10.0.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "[::ffff:a9fe:a9fe]",
        "metadata.google.internal",
        "100.64.0.1",
        "[fd00::1]",
        "[64:ff9b::7f00:1]",
        "x.localhost",
    };
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, "{\"policy\":{\"private_networks\":\"deny\"}}", &pass);
    for (size_t i = 0; i < TB_COUNT(hosts); i++) {
        for (int connect = 0; connect < 2; connect++) {
            TB_AUTO(tb_free) char *line = line_to(p, connect ? "CONNECT" : "GET", hosts[i]);
            proxy_rig_send(p, line, pass, "");
            RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
            if (!rig_got(&p->client, "HTTP/1.1 403 Forbidden\r\n")) {
                fail_msg("%s: %.*s", line, TB_STR_ARG(tb_buf_str(&p->client.got)));
            }
        }
    }
    assert_int_equal(p->peer_count, 0);
    assert_int_equal(rig_events(p->rig, "request_refused {"), 2 * TB_COUNT(hosts));
}

static void of_a_flood_of_refusals_the_first_hundred_are_told_then_a_count(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    struct tb_session *session = begin(p, OPEN, &pass);
    for (int i = 0; i < 130; i++) {
        proxy_rig_send(p, "GET http://blocked.example/", pass, "");
        RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
    }
    assert_int_equal(rig_events(p->rig, "request_refused {"), 100);
    rig_advance(p->rig, 60000);
    assert_int_equal(rig_events(p->rig, "request_refused {"), 101);
    assert_int_equal(rig_events(p->rig, "\"count\":30"), 1);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1 << 20);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    tb_egress_print(session, &json);
    expect_in(&text, "\"host\":\"blocked.example\",\"requests\":0,\"refused\":130,");
    expect_in(&text, "\"refusedTotal\":130");
    for (int i = 0; i < 120; i++) {
        proxy_rig_send(p, "GET http://blocked.example/", pass, "");
        RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
    }
    tb_session_end(session, TB_END_USER_STOPPED);
    assert_int_equal(rig_events(p->rig, "\"count\":20"), 1);
}

static void whom_a_session_talked_to_is_counted(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    struct tb_session *session = begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "CONNECT", "site.example");
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_HEARS(p, "established");
    rig_send(&p->client, "four");
    PROXY_RIG_SERVER(p, 0, "four");
    rig_send(&p->peers[0], "sixsix");
    PROXY_RIG_HEARS(p, "sixsix");
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1 << 20);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    tb_egress_print(session, &json);
    expect_in(
        &text,
        "{\"host\":\"site.example\",\"requests\":1,\"refused\":0,\"bytesIn\":6,\"bytesOut\":4,");
}

static void the_end_of_a_session_cuts_its_connections_at_once(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    struct tb_session *session = begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "CONNECT", "site.example");
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_HEARS(p, "established");
    tb_session_end(session, TB_END_CLOSED);
    RIG_UNTIL(proxy_rig_loop(p), p->client.ended && p->peers[0].ended);
    proxy_rig_send(p, line, pass, "");
    RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
    assert_true(rig_got(&p->client, "HTTP/1.1 407 "));
}

static void a_policy_that_changes_cuts_what_it_no_longer_allows(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    struct tb_session *session = begin(p, OPEN, &pass);
    TB_AUTO(tb_free) char *line = line_to(p, "CONNECT", "site.example");
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_HEARS(p, "established");
    tb_egresses_review(p->rig->core.egresses);
    rig_turn(p->rig);
    assert_false(p->client.ended);
    TB_AUTO(tb_json_free)
    struct cJSON *json = tb_json_parse(TB_STR("{\"block_domains\":[\"127.0.0.0/8\"]}"));
    tb_policy_unref(session->bounds.policy, "session");
    assert_int_equal(tb_policy_read(json, &session->bounds.policy, NULL), 0);
    tb_egresses_review(p->rig->core.egresses);
    RIG_UNTIL(proxy_rig_loop(p), p->client.ended && p->peers[0].ended);
}

static void a_session_has_only_so_many_connections(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    struct rig_client first;
    begin(p, OPEN, &pass);
    p->rig->config.proxy_session_connections_max = 1;
    TB_AUTO(tb_free) char *line = line_to(p, "CONNECT", "site.example");
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_HEARS(p, "established");
    first = p->client;
    p->client = (struct rig_client){0};
    tb_stream_start(first.stream, &rig_client_ops, &first);
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_HEARS(p, "HTTP/1.1 503 Service Unavailable");
    rig_client_close(&first);
    RIG_UNTIL(proxy_rig_loop(p), p->peers[0].ended);
    tb_stream_finish(p->peers[0].stream);
    rig_turn(p->rig);
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_HEARS(p, "established");
}

static void who_is_slow_is_not_waited_for(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    begin(p, OPEN, &pass);
    proxy_rig_connect(p);
    rig_send(&p->client, "GET http://site.ex");
    rig_turn(p->rig);
    rig_advance(p->rig, p->rig->config.http_header_ms);
    RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
    TB_AUTO(tb_free) char *line = line_to(p, "GET", "site.example");
    p->dns.dead = true;
    proxy_rig_send(p, line, pass, "");
    RIG_UNTIL(proxy_rig_loop(p), p->dns.asked == 1);
    rig_advance(p->rig, TB_PROXY_CONNECT_MS);
    PROXY_RIG_HEARS(p, "HTTP/1.1 504 Gateway Timeout");
    p->dns.dead = false;
    proxy_rig_send(p, line, pass, "");
    PROXY_RIG_SERVER(p, 0, "\r\n\r\n");
    rig_advance(p->rig, TB_PROXY_IDLE_MS);
    RIG_UNTIL(proxy_rig_loop(p), p->client.ended);
}

/* F-30: what nobody reads is not collected here. */
static void a_browser_that_does_not_read_holds_up_the_server(void **state)
{
    enum {
        PIECE = 64 * 1024,
        MUCH = 32 << 20,
    };
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free) char *pass = NULL;
    TB_AUTO(tb_free) char *piece = tb_zalloc(PIECE);
    begin(p, OPEN, &pass);
    for (int connect = 0; connect < 2; connect++) {
        TB_AUTO(tb_free) char *line = line_to(p, connect ? "CONNECT" : "GET", "site.example");
        size_t at = p->peer_count;
        proxy_rig_send(p, line, pass, "");
        RIG_UNTIL(proxy_rig_loop(p), p->peer_count > at);
        tb_stream_pause(p->client.stream);
        rig_send(&p->peers[at], connect ? "x" : "HTTP/1.0 200 OK\r\n\r\n");
        for (int i = 0; i < MUCH / PIECE; i++) {
            tb_stream_write(p->peers[at].stream, (struct tb_str){piece, PIECE});
        }
        rig_turns(p->rig, 2000);
        size_t waiting = tb_stream_queued(p->peers[at].stream);
        assert_true(waiting > MUCH / 4); /* the rest is in the sockets, and at most 1 MiB here */
        tb_stream_resume(p->client.stream);
        RIG_UNTIL(proxy_rig_loop(p), p->client.got.len >= MUCH);
    }
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, proxy_rig_setup, proxy_rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(without_a_pass_there_is_407_and_nothing_else),
        WITH(a_pass_that_is_nobodys_is_known_and_opens_nothing),
        WITH(a_plain_request_arrives_without_what_was_for_the_proxy),
        WITH(the_way_to_a_host_is_kept_for_the_next_request_to_it_alone),
        WITH(bodies_go_through_in_the_form_they_have),
        WITH(a_body_that_came_before_the_server_was_there_is_passed_on_whole),
        WITH(a_tunnel_carries_bytes_and_ends_both_ways),
        WITH(what_is_no_tls_in_a_tunnel_is_judged_as_http),
        WITH(a_web_socket_leaves_http_only_if_it_asked_to),
        WITH(only_a_whole_request_for_a_web_socket_leaves_http),
        WITH(a_connection_that_was_kept_can_become_a_tunnel),
        WITH(a_head_that_names_too_many_headers_in_connection_is_refused),
        WITH(requests_that_two_parsers_could_read_differently_go_nowhere),
        WITH(a_refused_host_is_refused_in_every_spelling_and_told),
        WITH(of_a_flood_of_refusals_the_first_hundred_are_told_then_a_count),
        WITH(whom_a_session_talked_to_is_counted),
        WITH(the_end_of_a_session_cuts_its_connections_at_once),
        WITH(a_policy_that_changes_cuts_what_it_no_longer_allows),
        WITH(a_session_has_only_so_many_connections),
        WITH(who_is_slow_is_not_waited_for),
        WITH(a_browser_that_does_not_read_holds_up_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
