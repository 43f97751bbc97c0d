/* SPDX-License-Identifier: Apache-2.0 */
#include "io/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/ssl.h>
#include <spawn.h>

#include "io/testing.h"

/* Certificates for all tests, made once: a pair, a second pair, a key with a passphrase. */
struct files {
    char dir[32];
    char cert[64];
    char key[64];
    char cert2[64];
    char key2[64];
    char locked[64];
};

/* A server stream and an OpenSSL client at the two ends of a socket pair. */
struct fixture {
    const struct files *files;
    struct tb_loop *loop;
    struct tb_tls *tls;
    struct test_owner owner;
    SSL_CTX *ctx;
    SSL *client;
    int fd;
    size_t piece; /* the client's ciphertext goes out in pieces of this size */
    struct tb_buf seen;
    int client_end; /* SSL_get_error of the read that ended its input */
};

static void run_openssl(const char *const argv[])
{
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    assert_int_equal(posix_spawnp(&pid, "openssl", &actions, NULL, (char *const *)argv, environ),
                     0);
    posix_spawn_file_actions_destroy(&actions);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void make_pair(const char *cert, const char *key)
{
    const char *const argv[] = {
        "openssl", "req",   "-x509",         "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes",  "-subj", "/CN=localhost", "-keyout", key,  "-out",     cert,
        NULL};
    run_openssl(argv);
}

static int setup_files(void **state)
{
    struct files *files = TB_NEW(struct files);
    snprintf(files->dir, sizeof(files->dir), "/tmp/tb-tls-XXXXXX");
    assert_non_null(mkdtemp(files->dir));
    snprintf(files->cert, sizeof(files->cert), "%s/cert.pem", files->dir);
    snprintf(files->key, sizeof(files->key), "%s/key.pem", files->dir);
    snprintf(files->cert2, sizeof(files->cert2), "%s/cert2.pem", files->dir);
    snprintf(files->key2, sizeof(files->key2), "%s/key2.pem", files->dir);
    snprintf(files->locked, sizeof(files->locked), "%s/locked.pem", files->dir);
    make_pair(files->cert, files->key);
    make_pair(files->cert2, files->key2);
    const char *const argv[] = {"openssl",  "ec",          "-in",  files->key,    "-aes256",
                                "-passout", "pass:secret", "-out", files->locked, NULL};
    run_openssl(argv);
    *state = files;
    return 0;
}

static int teardown_files(void **state)
{
    struct files *files = *state;
    unlink(files->cert);
    unlink(files->key);
    unlink(files->cert2);
    unlink(files->key2);
    unlink(files->locked);
    assert_int_equal(rmdir(files->dir), 0);
    tb_free(files);
    return 0;
}

static void connect_pair(struct fixture *f)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    f->fd = fds[1];
    struct tb_stream *stream = tb_stream_open_fd_take(f->loop, fds[0]);
    assert_int_equal(tb_stream_start_tls(stream, f->tls), 0);
    test_owner_start(&f->owner, stream);
    f->client = SSL_new(f->ctx);
    SSL_set_bio(f->client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(f->client);
    f->client_end = 0;
    f->seen.len = 0;
}

static void disconnect_pair(struct fixture *f)
{
    SSL_free(f->client);
    if (f->fd >= 0) {
        close(f->fd);
    }
    test_owner_fini(&f->owner);
    f->owner = (struct test_owner){0};
}

static int setup(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    f->files = *state;
    f->loop = tb_loop_new(tb_clock_system());
    f->tls = tb_tls_new(f->files->cert, f->files->key, NULL);
    assert_non_null(f->tls);
    f->ctx = SSL_CTX_new(TLS_client_method());
    f->piece = SIZE_MAX;
    tb_buf_init(&f->seen, SIZE_MAX);
    connect_pair(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    disconnect_pair(f);
    SSL_CTX_free(f->ctx);
    tb_tls_free(f->tls);
    tb_loop_free(f->loop);
    tb_buf_fini(&f->seen);
    tb_free(f);
    return 0;
}

/* Ciphertext from the client's engine to the socket, as far as it goes. */
static void client_sends(struct fixture *f)
{
    BIO *out = SSL_get_wbio(f->client);
    char *data;
    size_t len = (size_t)BIO_get_mem_data(out, &data);
    size_t sent = 0;
    while (sent < len) {
        size_t piece = len - sent < f->piece ? len - sent : f->piece;
        ssize_t n = write(f->fd, data + sent, piece);
        if (n < 0) {
            break;
        }
        sent += (size_t)n;
        if (sent < len && f->piece < len) {
            tb_loop_turn(f->loop, false);
        }
    }
    char dropped[256];
    while (sent > 0) {
        int n = BIO_read(out, dropped, sent < sizeof(dropped) ? (int)sent : (int)sizeof(dropped));
        sent -= (size_t)n;
    }
}

/* Moves the client on: handshake, its output, its input. */
static void client_step(struct fixture *f)
{
    char room[16 * 1024];
    ssize_t n;
    while ((n = read(f->fd, room, sizeof(room))) > 0) {
        BIO_write(SSL_get_rbio(f->client), room, (int)n);
    }
    if (n == 0) {
        BIO_set_mem_eof_return(SSL_get_rbio(f->client), 0);
    }
    size_t len;
    int rc;
    while ((rc = SSL_read_ex(f->client, room, sizeof(room), &len)) == 1) {
        assert_int_equal(tb_buf_append(&f->seen, room, len), 0);
    }
    int kind = SSL_get_error(f->client, rc);
    if (kind != SSL_ERROR_WANT_READ && !f->client_end) {
        f->client_end = kind;
    }
    client_sends(f);
}

static void client_says(struct fixture *f, const void *data, size_t len)
{
    WAIT_UNTIL(f->loop, (client_step(f), SSL_is_init_finished(f->client)));
    size_t written;
    assert_int_equal(SSL_write_ex(f->client, data, len, &written), 1);
    assert_int_equal(written, len);
    client_sends(f);
}

static bool saw(const struct fixture *f, const char *text)
{
    return tb_str_eq_cstr(tb_buf_str(&f->seen), text);
}

static bool heard(const struct fixture *f, const char *text)
{
    return tb_str_eq_cstr(tb_buf_str(&f->owner.got), text);
}

static void bytes_go_both_ways_and_finish_closes_in_order(void **state)
{
    struct fixture *f = *state;
    client_says(f, "hello", 5);
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    assert_true(heard(f, "hello"));
    assert_true(SSL_version(f->client) >= TLS1_2_VERSION);
    assert_int_equal(tb_stream_write(f->owner.stream, TB_STR("wel")), 0);
    assert_int_equal(tb_stream_write(f->owner.stream, TB_STR("come")), 0);
    assert_int_equal(tb_stream_queued(f->owner.stream), 7);
    tb_stream_finish(f->owner.stream);
    WAIT_UNTIL(f->loop, (client_step(f), f->client_end != 0));
    assert_true(saw(f, "welcome"));
    assert_int_equal(f->client_end, SSL_ERROR_ZERO_RETURN);
    assert_int_equal(f->owner.ends, 0);
}

static void the_peers_close_notify_is_an_orderly_end(void **state)
{
    struct fixture *f = *state;
    client_says(f, "bye", 3);
    assert_int_equal(SSL_shutdown(f->client), 0);
    client_sends(f);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_int_equal(f->owner.status, 0);
    assert_true(heard(f, "bye"));
    assert_int_equal(tb_stream_write(f->owner.stream, TB_STR("still here")), 0);
    WAIT_UNTIL(f->loop, (client_step(f), saw(f, "still here")));
}

static void an_end_without_close_notify_is_an_error(void **state)
{
    struct fixture *f = *state;
    client_says(f, "cut", 3);
    shutdown(f->fd, SHUT_WR);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_int_equal(f->owner.status, -ECONNRESET);
    assert_true(heard(f, "cut"));
}

static void records_may_come_byte_by_byte(void **state)
{
    struct fixture *f = *state;
    f->piece = 1;
    client_says(f, "slow", 4);
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    assert_true(heard(f, "slow"));
}

static void megabytes_go_both_ways_whole_and_in_order(void **state)
{
    struct fixture *f = *state;
    enum {
        TOTAL = 4 * 1024 * 1024,
    };
    uint8_t *data = tb_zalloc(TOTAL);
    unsigned seed = 3;
    for (size_t i = 0; i < TOTAL; i++) {
        data[i] = (uint8_t)rand_r(&seed);
    }
    client_says(f, data, TOTAL);
    uint8_t *block = (uint8_t *)tb_memdup(data, TOTAL / 2);
    tb_stream_set_send_max(f->owner.stream, TOTAL);
    assert_int_equal(tb_stream_write_take(f->owner.stream, block, TOTAL / 2), 0);
    struct tb_str rest = {(char *)data + TOTAL / 2, TOTAL / 2};
    assert_int_equal(tb_stream_write(f->owner.stream, rest), 0);
    WAIT_UNTIL(f->loop, (client_step(f), f->seen.len == TOTAL && f->owner.got.len == TOTAL));
    assert_memory_equal(f->seen.data, data, TOTAL);
    assert_memory_equal(f->owner.got.data, data, TOTAL);
    WAIT_UNTIL(f->loop, f->owner.drains == 1);
    assert_int_equal(tb_stream_queued(f->owner.stream), 0);
    tb_free(data);
}

static void what_is_written_before_the_handshake_arrives_even_when_freed(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(tb_stream_write(f->owner.stream, TB_STR("no room")), 0);
    tb_stream_finish_and_free(f->owner.stream, TEST_DEADLINE_MS);
    f->owner.stream = NULL;
    WAIT_UNTIL(f->loop, (client_step(f), f->client_end != 0));
    assert_true(saw(f, "no room"));
    assert_int_equal(f->client_end, SSL_ERROR_ZERO_RETURN);
}

static void a_pause_holds_back_records_that_were_read_already(void **state)
{
    struct fixture *f = *state;
    f->owner.pause_in_read = true;
    WAIT_UNTIL(f->loop, (client_step(f), SSL_is_init_finished(f->client)));
    static const char *const words[] = {"one", "two", "three"};
    for (size_t i = 0; i < TB_COUNT(words); i++) {
        size_t written;
        assert_int_equal(SSL_write_ex(f->client, words[i], strlen(words[i]), &written), 1);
    }
    SSL_shutdown(f->client);
    client_sends(f); /* all records in one write */
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    for (int i = 0; i < 3; i++) {
        tb_loop_turn(f->loop, false);
    }
    assert_true(heard(f, "one"));
    tb_stream_resume(f->owner.stream);
    assert_true(heard(f, "one")); /* not inside the call */
    WAIT_UNTIL(f->loop, f->owner.reads == 2);
    assert_int_equal(f->owner.ends, 0);
    f->owner.pause_in_read = false;
    tb_stream_resume(f->owner.stream);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_true(heard(f, "onetwothree"));
    assert_int_equal(f->owner.status, 0);
}

static void a_stream_may_be_freed_between_two_records(void **state)
{
    struct fixture *f = *state;
    f->owner.free_in_read = true;
    WAIT_UNTIL(f->loop, (client_step(f), SSL_is_init_finished(f->client)));
    size_t written;
    assert_int_equal(SSL_write_ex(f->client, "one", 3, &written), 1);
    assert_int_equal(SSL_write_ex(f->client, "two", 3, &written), 1);
    client_sends(f);
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    tb_loop_turn(f->loop, false);
    assert_true(heard(f, "one"));
}

/* As many as fit into the socket, asking for an answer each. */
static void client_updates_keys(struct fixture *f, int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(SSL_key_update(f->client, SSL_KEY_UPDATE_REQUESTED), 1);
        assert_int_equal(SSL_do_handshake(f->client), 1);
    }
    client_sends(f);
}

static void a_peer_may_renew_its_keys_as_often_as_it_reads(void **state)
{
    struct fixture *f = *state;
    client_says(f, "hello", 5);
    for (int i = 0; i < 100; i++) {
        client_updates_keys(f, 100);
        tb_loop_turn(f->loop, false);
        client_step(f);
    }
    client_says(f, "!", 1);
    WAIT_UNTIL(f->loop, heard(f, "hello!"));
    assert_int_equal(f->owner.ends, 0);
}

static void a_peer_that_asks_for_keys_and_does_not_read_is_cut_off(void **state)
{
    struct fixture *f = *state;
    size_t most = 0;
    client_says(f, "hello", 5);
    for (int i = 0; i < 1000 && !f->owner.ends; i++) {
        client_updates_keys(f, 100);
        tb_loop_turn(f->loop, false);
        size_t queued = tb_stream_queued(f->owner.stream);
        most = queued > most ? queued : most;
    }
    assert_int_equal(f->owner.ends, 1);
    assert_int_equal(f->owner.status, TB_E_PROTOCOL);
    assert_true(most < (size_t)256 * 1024);
}

static void a_peer_that_sends_junk_gets_an_alert_and_the_owner_an_error(void **state)
{
    struct fixture *f = *state;
    f->owner.free_in_end = true;
    static const uint8_t junk[] = {22, 3, 1, 0, 4, 'j', 'u', 'n', 'k'};
    assert_int_equal(write(f->fd, junk, sizeof(junk)), sizeof(junk));
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_int_equal(f->owner.status, TB_E_PROTOCOL);
    uint8_t alert[64];
    assert_true(read(f->fd, alert, sizeof(alert)) >= 7);
    assert_int_equal(alert[0], 21); /* RFC 8446, 5.1: content type alert */
}

static void a_peer_that_speaks_plain_http_is_an_error(void **state)
{
    struct fixture *f = *state;
    static const char plain[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_int_equal(write(f->fd, plain, strlen(plain)), (ssize_t)strlen(plain));
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_int_equal(f->owner.status, TB_E_PROTOCOL);
    assert_int_equal(tb_stream_write(f->owner.stream, TB_STR("x")), TB_E_CLOSED);
}

static void versions_before_tls_1_2_are_refused(void **state)
{
    struct fixture *f = *state;
    /* OpenSSL itself speaks 1.1 only at security level 0. */
    SSL_set_security_level(f->client, 0);
    SSL_set_min_proto_version(f->client, TLS1_VERSION);
    SSL_set_max_proto_version(f->client, TLS1_1_VERSION);
    WAIT_UNTIL(f->loop, (client_step(f), f->owner.ends == 1));
    assert_int_equal(f->owner.status, TB_E_PROTOCOL);
    WAIT_UNTIL(f->loop, (client_step(f), f->client_end != 0));
    assert_int_equal(f->client_end, SSL_ERROR_SSL);
}

static X509 *served_certificate(struct fixture *f)
{
    WAIT_UNTIL(f->loop, (client_step(f), SSL_is_init_finished(f->client)));
    return SSL_get1_peer_certificate(f->client);
}

static void a_reload_serves_new_connections_and_a_failed_one_changes_nothing(void **state)
{
    struct fixture *f = *state;
    const struct files *files = f->files;
    X509 *first = served_certificate(f);
    disconnect_pair(f);

    struct tb_err err = {0};
    assert_int_equal(tb_tls_reload(f->tls, files->cert2, files->key, &err), TB_E_CONFIG);
    connect_pair(f);
    X509 *same = served_certificate(f);
    assert_int_equal(X509_cmp(first, same), 0);

    /* The connection that is open outlives both the reload and the owner of the certificate. */
    assert_int_equal(tb_tls_reload(f->tls, files->cert2, files->key2, &err), 0);
    client_says(f, "open", 4);
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    disconnect_pair(f);
    connect_pair(f);
    tb_tls_free(f->tls);
    f->tls = NULL;
    X509 *second = served_certificate(f);
    assert_int_not_equal(X509_cmp(first, second), 0);
    X509_free(first);
    X509_free(same);
    X509_free(second);
}

static void errors_name_the_file_and_what_is_wrong_with_it(void **state)
{
    struct fixture *f = *state;
    const struct files *files = f->files;
    const struct {
        const char *cert;
        const char *key;
        int code;
        const char *words;
    } rows[] = {
        {"/nonexistent/cert.pem", files->key, -ENOENT,
         "cannot read the certificate /nonexistent/cert.pem: No such file or directory"},
        {files->cert, "/nonexistent/key.pem", -ENOENT, "cannot read the key /nonexistent/key.pem"},
        {files->key, files->key, TB_E_CONFIG, "key.pem contains no certificate in PEM form"},
        {files->cert, files->cert, TB_E_CONFIG, "cert.pem contains no key in PEM form"},
        {files->cert, files->locked, TB_E_CONFIG, "locked.pem contains no key in PEM form without"},
        {files->cert, files->key2, TB_E_CONFIG, "key2.pem does not belong to the certificate"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_err err = {0};
        assert_null(tb_tls_new(rows[i].cert, rows[i].key, &err));
        assert_int_equal(err.code, rows[i].code);
        if (!strstr(err.text, rows[i].words)) {
            assert_string_equal(err.text, rows[i].words);
        }
    }
    tb_tls_free(NULL);
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(bytes_go_both_ways_and_finish_closes_in_order),
        WITH_FIXTURE(the_peers_close_notify_is_an_orderly_end),
        WITH_FIXTURE(an_end_without_close_notify_is_an_error),
        WITH_FIXTURE(records_may_come_byte_by_byte),
        WITH_FIXTURE(megabytes_go_both_ways_whole_and_in_order),
        WITH_FIXTURE(what_is_written_before_the_handshake_arrives_even_when_freed),
        WITH_FIXTURE(a_pause_holds_back_records_that_were_read_already),
        WITH_FIXTURE(a_stream_may_be_freed_between_two_records),
        WITH_FIXTURE(a_peer_that_sends_junk_gets_an_alert_and_the_owner_an_error),
        WITH_FIXTURE(a_peer_that_speaks_plain_http_is_an_error),
        WITH_FIXTURE(a_peer_may_renew_its_keys_as_often_as_it_reads),
        WITH_FIXTURE(a_peer_that_asks_for_keys_and_does_not_read_is_cut_off),
        WITH_FIXTURE(versions_before_tls_1_2_are_refused),
        WITH_FIXTURE(a_reload_serves_new_connections_and_a_failed_one_changes_nothing),
        WITH_FIXTURE(errors_name_the_file_and_what_is_wrong_with_it),
    };
    return cmocka_run_group_tests(tests, setup_files, teardown_files);
}
