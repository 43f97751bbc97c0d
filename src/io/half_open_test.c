/* SPDX-License-Identifier: Apache-2.0 */
/* A peer whose network vanishes without a word. The test has a network namespace of its own, in
 * which it can take the loopback device down; where the system gives it none, it is skipped. */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sched.h>

#include "base/err.h"
#include "io/listener.h"
#include "io/stream.h"
#include "io/testing.h"

enum {
    PEER_MS = 2000,
};

struct fixture {
    struct tb_loop *loop;
    struct tb_listener *listener;
    struct test_owner owners[2]; /* of the accepted streams */
    size_t accepted;
    struct tb_stream *clients[2];
    size_t connected;
};

static bool own_network(void)
{
    return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
}

static void set_loopback(bool up)
{
    struct ifreq request = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &request), 0);
    int flags = request.ifr_flags;
    request.ifr_flags = (short)(up ? flags | IFF_UP : flags & ~IFF_UP);
    assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &request), 0);
    close(fd);
}

static void on_accept(struct tb_stream *stream, void *user)
{
    struct fixture *f = user;
    tb_stream_set_peer_timeout(stream, PEER_MS);
    test_owner_start(&f->owners[f->accepted++], stream);
}

static void on_connect(struct tb_stream *stream, int status, void *user)
{
    struct fixture *f = user;
    (void)stream;
    assert_int_equal(status, 0);
    f->connected++;
}

static void a_peer_that_vanished_is_noticed(void **state)
{
    struct fixture f = {.accepted = 0};
    struct tb_err err;
    (void)state;
    if (!own_network()) {
        print_message("skipped: a network namespace needs root or user namespaces\n");
        skip();
    }
    set_loopback(true);
    f.loop = tb_loop_new(tb_clock_system());
    f.listener = tb_listener_new_tcp(f.loop, "127.0.0.1", 0, NULL, on_accept, &f, &err);
    assert_non_null(f.listener);
    for (size_t i = 0; i < TB_COUNT(f.clients); i++) {
        f.clients[i] = tb_stream_connect_tcp(f.loop, "127.0.0.1", tb_listener_port(f.listener),
                                             on_connect, &f);
    }
    WAIT_UNTIL(f.loop, f.accepted == 2 && f.connected == 2);
    set_loopback(false);
    /* One line stays silent, on the other bytes wait for an acknowledgement. */
    assert_int_equal(tb_stream_write(f.owners[1].stream, TB_STR("anybody?")), 0);
    int64_t since_ms = tb_loop_now_ms(f.loop);
    WAIT_UNTIL(f.loop, f.owners[0].ends == 1 && f.owners[1].ends == 1);
    assert_true(f.owners[0].status < 0 && f.owners[1].status < 0);
    assert_true(tb_loop_now_ms(f.loop) - since_ms >= PEER_MS / 2);
    for (size_t i = 0; i < TB_COUNT(f.clients); i++) {
        test_owner_fini(&f.owners[i]);
        tb_stream_free(f.clients[i]);
    }
    tb_listener_free(f.listener);
    tb_loop_free(f.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_peer_that_vanished_is_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
