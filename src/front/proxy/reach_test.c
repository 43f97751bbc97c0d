/* SPDX-License-Identifier: Apache-2.0 */
/* Which address a request ends at, and by which way. */
#include "front/proxy/proxy_rig.h"

static void go(struct proxy_rig *p, const char *args, const char *method, const char *host)
{
    TB_AUTO(tb_free) char *name = tb_strdupf("s%zu", tb_sessions_count(p->rig->core.sessions));
    struct tb_session *session = proxy_rig_session(p, name, args);
    TB_AUTO(tb_free) char *pass = proxy_rig_pass(session);
    TB_AUTO(tb_free)
    char *line = strcmp(method, "CONNECT") == 0 ? tb_strdupf("CONNECT %s:%u", host, p->port)
                                                : tb_strdupf("GET http://%s:%u/", host, p->port);
    proxy_rig_send(p, line, pass, "");
}

static void answers(struct proxy_rig *p, const char *first, const char *second)
{
    p->dns.asked = 0;
    p->dns.answers[0] = first;
    p->dns.answers[1] = second;
}

#define PUBLIC_ONLY "{\"policy\":{\"private_networks\":\"deny\"}}"
#define NOT_TEN     "{\"policy\":{\"block_domains\":[\"127.0.0.9\"]}}"

/* NET-1, NET-4: a resolver whose second answer differs is asked once, and what it says is judged.
 */
static void a_name_is_looked_up_once_and_its_address_is_judged(void **state)
{
    struct proxy_rig *p = *state;
    static const char *const inner[] = {"127.0.0.1",        "10.1.2.3",       "::1",
                                        "::ffff:127.0.0.1", "0.0.0.0",        "169.254.169.254",
                                        "fe80::1",          "64:ff9b::7f00:1"};
    for (size_t i = 0; i < TB_COUNT(inner); i++) {
        answers(p, inner[i], "93.184.216.34");
        go(p, PUBLIC_ONLY, i % 2 ? "GET" : "CONNECT", "rebind.example");
        PROXY_RIG_HEARS(p, "HTTP/1.1 403 Forbidden");
        assert_int_equal(p->dns.asked, 1);
    }
    assert_int_equal(p->peer_count, 0);
    answers(p, "127.0.0.1", "127.0.0.9");
    go(p, NOT_TEN, "CONNECT", "rebind.example");
    PROXY_RIG_HEARS(p, "established");
    assert_int_equal(p->dns.asked, 1);
    go(p, NOT_TEN, "CONNECT", "rebind.example"); /* a new connection, a new look */
    PROXY_RIG_HEARS(p, "HTTP/1.1 403 Forbidden");
    assert_int_equal(p->peer_count, 1);
}

static void of_several_addresses_only_those_that_are_allowed_are_tried(void **state)
{
    struct proxy_rig *p = *state;
    answers(p, "127.0.0.9,127.0.0.1", NULL);
    go(p, NOT_TEN, "CONNECT", "two.example");
    PROXY_RIG_HEARS(p, "established");
    assert_int_equal(p->peer_count, 1);
}

static void a_further_address_is_tried_when_one_does_not_answer(void **state)
{
    struct proxy_rig *p = *state;
    answers(p, "127.0.0.2,127.0.0.3,127.0.0.1", NULL); /* nobody listens at the first two */
    go(p, NOT_TEN, "CONNECT", "three.example");
    PROXY_RIG_HEARS(p, "established");
    answers(p, "127.0.0.2,127.0.0.3", NULL);
    go(p, NOT_TEN, "CONNECT", "none.example");
    PROXY_RIG_HEARS(p, "HTTP/1.1 502 Bad Gateway");
    answers(p, "", NULL);
    go(p, NOT_TEN, "CONNECT", "nx.example");
    PROXY_RIG_HEARS(p, "HTTP/1.1 502 Bad Gateway");
    assert_true(rig_got(&p->client, "the name nx.example cannot be resolved"));
}

/* NET-4: even where private networks are allowed. */
static void the_ports_of_the_daemon_are_out_of_reach(void **state)
{
    struct proxy_rig *p = *state;
    tb_egresses_own_port(p->rig->core.egresses, p->port);
    static const char *const hosts[] = {"127.0.0.1",    "localhost", "[::1]",
                                        "ours.example", "0.0.0.0",   "127.8.9.1"};
    answers(p, "127.0.0.1", NULL);
    for (size_t i = 0; i < TB_COUNT(hosts); i++) {
        go(p, NOT_TEN, i % 2 ? "GET" : "CONNECT", hosts[i]);
        PROXY_RIG_HEARS(p, "HTTP/1.1 403 Forbidden");
    }
    assert_int_equal(p->peer_count, 0);
}

/* The operator's own, which pages have no business to know. */
static void where_the_operators_proxy_is_stays_out_of_answers(void **state)
{
    static const char *const rows[][2] = {
        {"", "502 Bad Gateway"},          /* no such name */
        {"127.0.0.3", "502 Bad Gateway"}, /* nobody listens */
    };
    struct proxy_rig *p = *state;
    rig_set(p->rig, "proxy.upstream", "http://corp.proxy.example:9");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        answers(p, rows[i][0], NULL);
        go(p, "{}", "CONNECT", "far.example");
        PROXY_RIG_HEARS(p, rows[i][1]);
        assert_true(rig_got(&p->client, "the upstream proxy cannot be re"));
        assert_false(rig_got(&p->client, "corp"));
    }
}

static void go_by(struct proxy_rig *p, const char *scheme, const char *more, const char *host)
{
    TB_AUTO(tb_free)
    char *args =
        tb_strdupf("{\"proxy\":{\"server\":\"%s://127.0.0.1:%u\"%s}}", scheme, p->port, more);
    go(p, args, "CONNECT", host);
}

static void an_http_proxy_behind_ours_is_asked_by_name(void **state)
{
    struct proxy_rig *p = *state;
    go_by(p, "http", ",\"username\":\"u\",\"password\":\"p\"", "far.example");
    TB_AUTO(tb_free)
    char *wanted = tb_strdupf("CONNECT far.example:%u HTTP/1.1\r\nHost: far.example:%u\r\n"
                              "Proxy-Authorization: Basic dTpw\r\n\r\n",
                              p->port, p->port);
    PROXY_RIG_SERVER(p, 0, wanted);
    assert_int_equal(p->dns.asked, 0);
    rig_send(&p->peers[0], "HTTP/1.1 200 OK\r\n\r\n");
    PROXY_RIG_HEARS(p, "established");
    rig_send(&p->client, "hello");
    PROXY_RIG_SERVER(p, 0, "hello");
    static const char *const bad[] = {"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n",
                                      "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nearly"};
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        go_by(p, "http", "", "far.example");
        PROXY_RIG_SERVER(p, i + 1, "\r\n\r\n");
        rig_send(&p->peers[i + 1], bad[i]);
        PROXY_RIG_HEARS(p, "HTTP/1.1 502 Bad Gateway");
    }
}

/* Many make tunnels to the port of https only. */
static void an_http_proxy_behind_ours_gets_plain_requests_themselves(void **state)
{
    struct proxy_rig *p = *state;
    TB_AUTO(tb_free)
    char *args = tb_strdupf("{\"proxy\":{\"server\":\"http://127.0.0.1:%u\",\"username\":\"u\","
                            "\"password\":\"p\"}}",
                            p->port);
    TB_AUTO(tb_free)
    char *wanted = tb_strdupf("GET http://far.example:%u/ HTTP/1.1\r\nHost: far.example:%u\r\n"
                              "Proxy-Authorization: Basic dTpw\r\n",
                              p->port, p->port);
    go(p, args, "GET", "far.example");
    PROXY_RIG_SERVER(p, 0, wanted);
    assert_int_equal(p->dns.asked, 0);
    rig_send(&p->peers[0], "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere");
    PROXY_RIG_HEARS(p, "there");
    go(p, args, "GET", "far.example");
    PROXY_RIG_SERVER(p, 1, wanted);
    rig_send(&p->peers[1], "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n");
    PROXY_RIG_HEARS(p, "HTTP/1.1 502 Bad Gateway");
    PROXY_RIG_HEARS(p, "the upstream proxy wants other credentials");
}

static bool server_has(const struct proxy_rig *p, size_t at, const char *bytes, size_t len)
{
    return p->peer_count > at && p->peers[at].got.len >= len &&
           memcmp(p->peers[at].got.data + p->peers[at].got.len - len, bytes, len) == 0;
}

static void say(struct proxy_rig *p, size_t at, const char *bytes, size_t len)
{
    assert_int_equal(tb_stream_write(p->peers[at].stream, (struct tb_str){bytes, len}), 0);
}

static void a_socks_proxy_behind_ours_gets_user_and_name(void **state)
{
    struct proxy_rig *p = *state;
    struct tb_loop *loop = proxy_rig_loop(p);
    const char connect[] = {5,
                            1,
                            0,
                            3,
                            11,
                            'f',
                            'a',
                            'r',
                            '.',
                            'e',
                            'x',
                            'a',
                            'm',
                            'p',
                            'l',
                            'e',
                            (char)(p->port >> 8),
                            (char)(p->port & 0xff)};
    go_by(p, "socks5", ",\"username\":\"u\",\"password\":\"pw\"", "far.example");
    RIG_UNTIL(loop, server_has(p, 0, "\5\1\2", 3));
    say(p, 0, "\5\2", 2);
    RIG_UNTIL(loop, server_has(p, 0, "\1\1u\2pw", 6));
    say(p, 0, "\1", 1); /* in pieces */
    rig_turn(p->rig);
    say(p, 0, "\0", 1);
    RIG_UNTIL(loop, server_has(p, 0, connect, sizeof(connect)));
    say(p, 0, "\5\0\0\1\1\2\3\4\0\1", 10);
    PROXY_RIG_HEARS(p, "established");
    rig_send(&p->client, "hello");
    PROXY_RIG_SERVER(p, 0, "hello");
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {{"\4\0", 2}, {"\5\xff", 2}, {"\5\0x", 3}, {"\5\2", 2}};
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        go_by(p, "socks5", "", "far.example");
        RIG_UNTIL(loop, server_has(p, i + 1, "\5\1\0", 3));
        say(p, i + 1, bad[i].bytes, bad[i].len);
        PROXY_RIG_HEARS(p, "HTTP/1.1 502 Bad Gateway");
    }
}

static void a_socks_proxy_may_want_a_password_alone(void **state)
{
    struct proxy_rig *p = *state;
    struct tb_loop *loop = proxy_rig_loop(p);
    go_by(p, "socks5", ",\"password\":\"pw\"", "far.example");
    RIG_UNTIL(loop, server_has(p, 0, "\5\1\2", 3));
    say(p, 0, "\5\2", 2);
    RIG_UNTIL(loop, server_has(p, 0, "\1\0\2pw", 5));
}

/* Else an agent could choose who sees what goes to the hosts that are allowed. */
static void a_proxy_that_a_session_names_is_judged_like_a_host(void **state)
{
    struct proxy_rig *p = *state;
    struct rig *rig = p->rig;
    TB_AUTO(tb_free)
    char *args = tb_strdupf("{\"policy\":{\"allow_domains\":[\"ok.example\"]},"
                            "\"proxy\":{\"server\":\"http://127.0.0.1:%u\"}}",
                            p->port);
    proxy_rig_session(p, "x", args);
    assert_null(rig_find(rig, "x"));
    assert_int_equal(
        rig_events(rig,
                   "session_ended {\"name\":\"x\",\"type\":\"browser\",\"reason\":\"not_started\""),
        1);
    proxy_rig_session(p, "y", "{\"proxy\":{\"server\":\"ftp://a.example\"}}");
    assert_null(rig_find(rig, "y"));
    tb_free(rig->config.proxy_upstream); /* the operator's own is not */
    rig->config.proxy_upstream = tb_strdupf("http://127.0.0.1:%u", p->port);
    go(p, "{\"policy\":{\"allow_domains\":[\"ok.example\"]}}", "CONNECT", "ok.example");
    PROXY_RIG_SERVER(p, 0, "CONNECT ok.example");
    /* Where private networks are denied, the name is looked up here first. */
    answers(p, "10.0.0.1", NULL);
    go(p, PUBLIC_ONLY, "CONNECT", "inner.example");
    PROXY_RIG_HEARS(p, "HTTP/1.1 403 Forbidden");
    answers(p, "93.184.216.34", NULL);
    go(p, PUBLIC_ONLY, "CONNECT", "outer.example");
    PROXY_RIG_SERVER(p, 1, "CONNECT outer.example");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, proxy_rig_setup, proxy_rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_name_is_looked_up_once_and_its_address_is_judged),
        WITH(of_several_addresses_only_those_that_are_allowed_are_tried),
        WITH(a_further_address_is_tried_when_one_does_not_answer),
        WITH(the_ports_of_the_daemon_are_out_of_reach),
        WITH(where_the_operators_proxy_is_stays_out_of_answers),
        WITH(an_http_proxy_behind_ours_is_asked_by_name),
        WITH(an_http_proxy_behind_ours_gets_plain_requests_themselves),
        WITH(a_socks_proxy_behind_ours_gets_user_and_name),
        WITH(a_socks_proxy_may_want_a_password_alone),
        WITH(a_proxy_that_a_session_names_is_judged_like_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
