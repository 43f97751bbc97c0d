/* SPDX-License-Identifier: Apache-2.0 */
#include "io/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/stream_internal.h"
#include "io/testing.h"

struct fixture {
    struct tb_loop *loop;
    struct tb_listener *listener;
    struct tb_stream *stream; /* the last that came */
    int count;
    bool free_listener;
    char dir[32];
    char path[64];
};

static int setup(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    f->loop = tb_loop_new(tb_clock_system());
    snprintf(f->dir, sizeof(f->dir), "/tmp/tb-listener-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->path, sizeof(f->path), "%s/socket", f->dir);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    tb_stream_free(f->stream);
    tb_listener_free(f->listener);
    tb_loop_free(f->loop);
    unlink(f->path);
    assert_int_equal(rmdir(f->dir), 0);
    tb_free(f);
    return 0;
}

static void keep_stream(struct tb_stream *stream, void *user)
{
    struct fixture *f = user;
    tb_stream_free(f->stream);
    f->stream = stream;
    f->count++;
    if (f->free_listener) {
        tb_listener_free(f->listener);
        f->listener = NULL;
    }
}

static int try_connect_tcp(int family, uint16_t port)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in v4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int rc = family == AF_INET ? connect(fd, (struct sockaddr *)&v4, sizeof(v4))
                               : connect(fd, (struct sockaddr *)&v6, sizeof(v6));
    if (rc < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int connect_unix(const char *path)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
    assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    return fd;
}

static struct tb_listener *listen_on(struct fixture *f, const char *address, uint16_t port,
                                     struct tb_err *err)
{
    return tb_listener_new_tcp(f->loop, address, port, NULL, keep_stream, f, err);
}

static void a_connection_becomes_a_stream_with_a_known_peer(void **state)
{
    struct fixture *f = *state;
    f->listener = listen_on(f, "127.0.0.1", 0, NULL);
    assert_non_null(f->listener);
    assert_true(tb_listener_port(f->listener) > 0);
    int fd = try_connect_tcp(AF_INET, tb_listener_port(f->listener));
    WAIT_UNTIL(f->loop, f->count == 1);
    const struct tb_peer *peer = tb_stream_peer(f->stream);
    assert_string_equal(peer->host, "127.0.0.1");
    assert_true(peer->local);
    struct sockaddr_in own = {0};
    socklen_t len = sizeof(own);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &len), 0);
    TB_AUTO(tb_free) char *text = tb_strdupf("127.0.0.1:%u", ntohs(own.sin_port));
    assert_string_equal(peer->text, text);

    int nodelay = 0;
    len = sizeof(nodelay);
    uv_os_fd_t ours;
    assert_int_equal(uv_fileno(&f->stream->uv.handle, &ours), 0);
    assert_int_equal(getsockopt(ours, IPPROTO_TCP, TCP_NODELAY, &nodelay, &len), 0);
    assert_int_equal(nodelay, 1);
    close(fd);
}

static void ipv6_peers_are_shown_in_brackets_and_mapped_ones_as_ipv4(void **state)
{
    struct fixture *f = *state;
    f->listener = listen_on(f, "::", 0, NULL);
    if (!f->listener) {
        skip(); /* a machine without IPv6 */
    }
    int v4 = try_connect_tcp(AF_INET, tb_listener_port(f->listener));
    WAIT_UNTIL(f->loop, f->count == 1);
    assert_string_equal(tb_stream_peer(f->stream)->host, "127.0.0.1");
    assert_true(tb_stream_peer(f->stream)->local);
    int v6 = try_connect_tcp(AF_INET6, tb_listener_port(f->listener));
    WAIT_UNTIL(f->loop, f->count == 2);
    assert_string_equal(tb_stream_peer(f->stream)->host, "::1");
    assert_memory_equal(tb_stream_peer(f->stream)->text, "[::1]:", 6);
    assert_true(tb_stream_peer(f->stream)->local);
    close(v4);
    close(v6);
}

static void foreign_addresses_are_not_local(void **state)
{
    (void)state;
    struct sockaddr_storage addr = {0};
    struct tb_peer peer;
    assert_int_equal(uv_ip4_addr("192.0.2.1", 80, (struct sockaddr_in *)&addr), 0);
    tb_peer_set_address(&peer, &addr);
    assert_string_equal(peer.text, "192.0.2.1:80");
    assert_false(peer.local);
    assert_int_equal(uv_ip6_addr("2001:db8::1", 80, (struct sockaddr_in6 *)&addr), 0);
    tb_peer_set_address(&peer, &addr);
    assert_string_equal(peer.text, "[2001:db8::1]:80");
    assert_string_equal(peer.host, "2001:db8::");
    assert_false(peer.local);
    assert_int_equal(uv_ip6_addr("::ffff:192.0.2.1", 80, (struct sockaddr_in6 *)&addr), 0);
    tb_peer_set_address(&peer, &addr);
    assert_string_equal(peer.host, "192.0.2.1");
    assert_false(peer.local);
}

static void errors_name_the_address_and_the_reason(void **state)
{
    struct fixture *f = *state;
    f->listener = listen_on(f, "127.0.0.1", 0, NULL);
    uint16_t port = tb_listener_port(f->listener);
    struct tb_err err = {0};
    assert_null(listen_on(f, "127.0.0.1", port, &err));
    TB_AUTO(tb_free)
    char *in_use = tb_strdupf("127.0.0.1:%u is in use by another program; stop it or choose "
                              "another with --listen",
                              port);
    assert_string_equal(err.text, in_use);
    assert_int_equal(err.code, -EADDRINUSE);

    assert_null(listen_on(f, "192.0.2.1", 80, &err));
    assert_int_equal(err.code, -EADDRNOTAVAIL);
    assert_non_null(strstr(err.text, "192.0.2.1:80"));

    assert_null(listen_on(f, "localhost", 80, &err));
    assert_int_equal(err.code, -EINVAL);
    assert_non_null(strstr(err.text, "'localhost' is not an IP address"));
}

static void a_listener_may_be_freed_inside_its_callback(void **state)
{
    struct fixture *f = *state;
    f->listener = listen_on(f, "127.0.0.1", 0, NULL);
    f->free_listener = true;
    uint16_t port = tb_listener_port(f->listener);
    int first = try_connect_tcp(AF_INET, port);
    int second = try_connect_tcp(AF_INET, port);
    WAIT_UNTIL(f->loop, f->count == 1);
    tb_loop_turn(f->loop, false);
    assert_int_equal(f->count, 1);
    assert_int_equal(try_connect_tcp(AF_INET, port), -1);
    close(first);
    close(second);
}

static void a_unix_socket_is_private_and_knows_the_uid(void **state)
{
    struct fixture *f = *state;
    mode_t old = umask(0);
    f->listener = tb_listener_new_unix(f->loop, f->path, keep_stream, f, NULL);
    umask(old);
    assert_non_null(f->listener);
    assert_int_equal(tb_listener_port(f->listener), 0);
    struct stat st;
    assert_int_equal(stat(f->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    int fd = connect_unix(f->path);
    WAIT_UNTIL(f->loop, f->count == 1);
    const struct tb_peer *peer = tb_stream_peer(f->stream);
    assert_true(peer->has_uid);
    assert_int_equal(peer->uid, getuid());
    assert_true(peer->local);
    TB_AUTO(tb_free) char *text = tb_strdupf("unix:uid=%u", getuid());
    assert_string_equal(peer->text, text);
    close(fd);
    tb_listener_free(f->listener);
    f->listener = NULL;
    assert_int_equal(stat(f->path, &st), -1);
}

static void a_stale_unix_socket_is_replaced_and_a_live_one_refused(void **state)
{
    struct fixture *f = *state;
    int stale = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", f->path);
    assert_int_equal(bind(stale, (struct sockaddr *)&addr, sizeof(addr)), 0);
    close(stale);
    struct tb_err err = {0};
    f->listener = tb_listener_new_unix(f->loop, f->path, keep_stream, f, &err);
    assert_non_null(f->listener);

    assert_null(tb_listener_new_unix(f->loop, f->path, keep_stream, f, &err));
    assert_int_equal(err.code, -EADDRINUSE);
    assert_non_null(strstr(err.text, f->path));
    /* The question itself must not have hurt the one that listens. */
    int fd = connect_unix(f->path);
    WAIT_UNTIL(f->loop, f->count >= 1 && f->stream);
    close(fd);
}

static void a_file_that_is_no_socket_is_left_alone(void **state)
{
    struct fixture *f = *state;
    close(open(f->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    struct tb_err err = {0};
    assert_null(tb_listener_new_unix(f->loop, f->path, keep_stream, f, &err));
    assert_int_equal(err.code, -EEXIST);
    assert_int_equal(access(f->path, F_OK), 0);
    char long_path[200];
    memset(long_path, 'x', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    assert_null(tb_listener_new_unix(f->loop, long_path, keep_stream, f, &err));
    assert_int_equal(err.code, -ENAMETOOLONG);
}

static void a_socket_file_of_somebody_else_outlives_the_listener(void **state)
{
    struct fixture *f = *state;
    f->listener = tb_listener_new_unix(f->loop, f->path, keep_stream, f, NULL);
    assert_int_equal(unlink(f->path), 0);
    close(open(f->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    tb_listener_free(f->listener);
    f->listener = NULL;
    assert_int_equal(access(f->path, F_OK), 0);
}

static bool closed_by_peer(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    char byte;
    return poll(&poll_fd, 1, 0) == 1 && recv(fd, &byte, 1, MSG_DONTWAIT) <= 0;
}

static struct rlimit limit_descriptors(rlim_t count)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit limit = {.rlim_cur = count, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    return before;
}

static void without_descriptors_waiting_peers_are_closed_at_once(void **state)
{
    struct fixture *f = *state;
    enum {
        LIMIT = 64,
    };
    f->listener = listen_on(f, "127.0.0.1", 0, NULL);
    uint16_t port = tb_listener_port(f->listener);
    int peers[] = {try_connect_tcp(AF_INET, port), try_connect_tcp(AF_INET, port)};
    struct rlimit before = limit_descriptors(LIMIT);
    int used[LIMIT];
    int count = 0;
    int fd;
    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
        used[count++] = fd;
    }
    int turns = 0;
    WAIT_UNTIL(f->loop, (turns++, closed_by_peer(peers[0]) && closed_by_peer(peers[1])));
    assert_true(turns <= 3);
    assert_int_equal(f->count, 0);
    while (count > 0) {
        close(used[--count]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    close(peers[0]);
    close(peers[1]);

    int peer = try_connect_tcp(AF_INET, port);
    WAIT_UNTIL(f->loop, f->count == 1);
    close(peer);
}

static void when_even_the_spare_descriptor_is_lost_the_loop_rests_until_there_are_some(void **state)
{
    struct fixture *f = *state;
    f->listener = listen_on(f, "127.0.0.1", 0, NULL);
    int peer = try_connect_tcp(AF_INET, tb_listener_port(f->listener));
    struct rlimit before = limit_descriptors(3);
    int64_t start_ms = tb_loop_now_ms(f->loop);
    int turns = 0;
    WAIT_UNTIL(f->loop, (turns++, tb_loop_now_ms(f->loop) > start_ms + 250));
    /* Two or three rounds of accepting, one turn each and one for the alarm. */
    assert_true(turns < 20);
    assert_int_equal(f->count, 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    WAIT_UNTIL(f->loop, f->count == 1);
    close(peer);
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(a_connection_becomes_a_stream_with_a_known_peer),
        WITH_FIXTURE(ipv6_peers_are_shown_in_brackets_and_mapped_ones_as_ipv4),
        WITH_FIXTURE(foreign_addresses_are_not_local),
        WITH_FIXTURE(errors_name_the_address_and_the_reason),
        WITH_FIXTURE(a_listener_may_be_freed_inside_its_callback),
        WITH_FIXTURE(a_unix_socket_is_private_and_knows_the_uid),
        WITH_FIXTURE(a_stale_unix_socket_is_replaced_and_a_live_one_refused),
        WITH_FIXTURE(a_file_that_is_no_socket_is_left_alone),
        WITH_FIXTURE(a_socket_file_of_somebody_else_outlives_the_listener),
        WITH_FIXTURE(without_descriptors_waiting_peers_are_closed_at_once),
        WITH_FIXTURE(when_even_the_spare_descriptor_is_lost_the_loop_rests_until_there_are_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
