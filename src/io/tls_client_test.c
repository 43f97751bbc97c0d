/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "io/listener.h"
#include "io/testing.h"
#include "io/tls.h"

#include "support/cert.h"

/* A client and a server of ours on loopback, and what each was told. */
struct fixture {
    struct test_cert files;
    struct tb_loop *loop;
    struct tb_listener *listener;
    struct tb_tls *tls;
    struct tb_stream *accepted;
    struct tb_stream *stream;
    int calls;
    int status;
    bool free_when_told;
};

static void on_accept(struct tb_stream *stream, void *user)
{
    struct fixture *f = user;
    f->accepted = stream;
}

static void listen_with(struct fixture *f, struct tb_tls *tls)
{
    tb_listener_free(f->listener);
    f->listener = tb_listener_new_tcp(f->loop, "127.0.0.1", 0, tls, on_accept, f, NULL);
    assert_non_null(f->listener);
}

static int setup(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    test_cert_make(&f->files);
    f->loop = tb_loop_new(tb_clock_system());
    f->tls = tb_tls_new(f->files.cert, f->files.key, NULL);
    assert_non_null(f->tls);
    listen_with(f, f->tls);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    tb_stream_free(f->stream);
    tb_stream_free(f->accepted);
    tb_listener_free(f->listener);
    tb_tls_free(f->tls);
    tb_loop_free(f->loop);
    test_cert_remove(&f->files);
    tb_free(f);
    return 0;
}

static void on_connected(struct tb_stream *stream, int status, void *user)
{
    struct fixture *f = user;
    f->calls++;
    f->status = status;
    if (f->free_when_told) {
        tb_stream_free(stream);
        f->stream = NULL;
    }
}

static void dial(struct fixture *f, const char *ca_path, const char *host)
{
    struct tb_tls *tls = tb_tls_new_client(ca_path, NULL);
    assert_non_null(tls);
    f->stream = tb_stream_connect_tls(f->loop, "127.0.0.1", tb_listener_port(f->listener), tls,
                                      host, on_connected, f);
    tb_tls_free(tls); /* the connection has what it needs */
    assert_int_equal(f->calls, 0);
}

/* Waits for the connection at the listener. */
static void meet(struct fixture *f, struct test_owner *server)
{
    WAIT_UNTIL(f->loop, f->accepted);
    test_owner_start(server, f->accepted);
    f->accepted = NULL;
}

static void bytes_go_both_ways_after_the_handshake(void **state)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1"};
    struct fixture *f = *state;
    for (size_t i = 0; i < TB_COUNT(hosts); i++) {
        struct test_owner client = {0};
        struct test_owner server = {0};
        f->calls = 0;
        dial(f, f->files.cert, hosts[i]);
        meet(f, &server);
        /* Behind the handshake, before the client has an owner. */
        assert_int_equal(tb_stream_write(server.stream, TB_STR("early")), 0);
        WAIT_UNTIL(f->loop, f->calls == 1);
        assert_int_equal(f->status, 0);
        assert_null(tb_stream_tls_reason(f->stream));
        assert_string_equal(tb_stream_peer(f->stream)->host, "127.0.0.1");
        test_owner_start(&client, f->stream);
        f->stream = NULL;
        assert_int_equal(tb_stream_write(client.stream, TB_STR("hello")), 0);
        WAIT_UNTIL(f->loop, client.got.len == 5 && server.got.len == 5);
        assert_memory_equal(client.got.data, "early", 5);
        assert_memory_equal(server.got.data, "hello", 5);
        tb_stream_finish(server.stream);
        WAIT_UNTIL(f->loop, client.ends == 1);
        assert_int_equal(client.status, 0);
        test_owner_fini(&client);
        test_owner_fini(&server);
    }
}

static void a_certificate_that_does_not_hold_is_refused_with_the_reason(void **state)
{
    struct fixture *f = *state;
    const struct {
        const char *ca_path;
        const char *host;
        const char *words;
    } rows[] = {
        {"", "localhost", "self-signed certificate"},
        {f->files.cert, "other.test", "hostname mismatch"},
        {f->files.cert, "127.0.0.2", "IP address mismatch"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct test_owner server = {0};
        f->calls = 0;
        dial(f, rows[i].ca_path, rows[i].host);
        meet(f, &server);
        WAIT_UNTIL(f->loop, f->calls == 1 && server.ends == 1);
        assert_int_equal(f->status, TB_E_PROTOCOL);
        assert_string_equal(tb_stream_tls_reason(f->stream), rows[i].words);
        assert_int_equal(server.status, TB_E_PROTOCOL); /* by our alert */
        assert_int_equal(tb_stream_write(f->stream, TB_STR("x")), TB_E_CLOSED);
        tb_stream_free(f->stream);
        f->stream = NULL;
        test_owner_fini(&server);
    }
}

static void a_stream_may_be_freed_when_it_is_told_of_the_handshake(void **state)
{
    struct fixture *f = *state;
    const char *const cas[] = {f->files.cert, ""};
    f->free_when_told = true;
    for (size_t i = 0; i < TB_COUNT(cas); i++) {
        struct test_owner server = {0};
        f->calls = 0;
        dial(f, cas[i], "localhost");
        meet(f, &server);
        WAIT_UNTIL(f->loop, f->calls == 1 && server.ends == 1);
        assert_int_equal(f->status < 0, i);
        test_owner_fini(&server);
    }
}

static void a_peer_that_leaves_is_an_error(void **state)
{
    struct fixture *f = *state;
    listen_with(f, NULL);
    dial(f, "", "localhost");
    WAIT_UNTIL(f->loop, f->accepted);
    tb_stream_free(f->accepted);
    f->accepted = NULL;
    WAIT_UNTIL(f->loop, f->calls == 1);
    assert_int_equal(f->status, -ECONNRESET);
}

static void a_peer_that_speaks_no_tls_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct test_owner server = {0};
    listen_with(f, NULL);
    dial(f, "", "localhost");
    meet(f, &server);
    assert_int_equal(tb_stream_write(server.stream, TB_STR("HTTP/1.1 400 Bad Request\r\n\r\n")), 0);
    WAIT_UNTIL(f->loop, f->calls == 1);
    assert_int_equal(f->status, TB_E_PROTOCOL);
    assert_string_equal(tb_stream_tls_reason(f->stream), "wrong version number");
    test_owner_fini(&server);
}

static void a_handshake_that_is_not_answered_is_given_up_by_freeing(void **state)
{
    struct fixture *f = *state;
    listen_with(f, NULL);
    dial(f, "", "localhost");
    struct test_owner server = {0};
    meet(f, &server);
    WAIT_UNTIL(f->loop, server.got.len > 5);                                  /* our hello */
    assert_non_null(memmem(server.got.data, server.got.len, "localhost", 9)); /* RFC 6066, 3 */
    assert_int_equal(f->calls, 0);
    tb_stream_free(f->stream);
    f->stream = NULL;
    WAIT_UNTIL(f->loop, server.ends == 1);
    assert_int_equal(f->calls, 0);
    test_owner_fini(&server);
}

static void where_nobody_listens_there_is_no_handshake(void **state)
{
    struct fixture *f = *state;
    struct tb_tls *tls = tb_tls_new_client("", NULL);
    f->stream = tb_stream_connect_tls(f->loop, "127.0.0.1", 1, tls, "localhost", on_connected, f);
    tb_tls_free(tls);
    WAIT_UNTIL(f->loop, f->calls == 1);
    assert_int_equal(f->status, -ECONNREFUSED);
    assert_null(tb_stream_tls_reason(f->stream));
}

static void a_file_without_authorities_is_named(void **state)
{
    struct fixture *f = *state;
    const char *const paths[] = {"/nonexistent/ca.pem", f->files.key};
    for (size_t i = 0; i < TB_COUNT(paths); i++) {
        struct tb_err err = {0};
        assert_null(tb_tls_new_client(paths[i], &err));
        assert_int_equal(err.code, TB_E_CONFIG);
        assert_non_null(strstr(err.text, paths[i]));
    }
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(bytes_go_both_ways_after_the_handshake),
        WITH_FIXTURE(a_certificate_that_does_not_hold_is_refused_with_the_reason),
        WITH_FIXTURE(a_stream_may_be_freed_when_it_is_told_of_the_handshake),
        WITH_FIXTURE(a_peer_that_leaves_is_an_error),
        WITH_FIXTURE(a_peer_that_speaks_no_tls_is_an_error),
        WITH_FIXTURE(a_handshake_that_is_not_answered_is_given_up_by_freeing),
        WITH_FIXTURE(where_nobody_listens_there_is_no_handshake),
        WITH_FIXTURE(a_file_without_authorities_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
