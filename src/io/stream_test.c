/* SPDX-License-Identifier: Apache-2.0 */
#include "io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "io/testing.h"

/* One end of a socket pair is a stream, the other a plain descriptor. */
struct fixture {
    struct tb_loop *loop;
    struct test_owner owner;
    int peer;
};

static int setup(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    f->loop = tb_loop_new(tb_clock_system());
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    f->peer = fds[1];
    test_owner_start(&f->owner, tb_stream_open_fd_take(f->loop, fds[0]));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    test_owner_fini(&f->owner);
    if (f->peer >= 0) {
        close(f->peer);
    }
    tb_loop_free(f->loop);
    tb_free(f);
    return 0;
}

static void peer_says(struct fixture *f, const char *text)
{
    assert_int_equal(write(f->peer, text, strlen(text)), (ssize_t)strlen(text));
}

static void peer_leaves(struct fixture *f)
{
    close(f->peer);
    f->peer = -1;
}

static void assert_got(const struct test_owner *owner, const char *text)
{
    assert_true(tb_str_eq_cstr(tb_buf_str(&owner->got), text));
}

static void bytes_arrive_and_an_orderly_end_has_status_zero(void **state)
{
    struct fixture *f = *state;
    peer_says(f, "hello");
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    assert_got(&f->owner, "hello");
    shutdown(f->peer, SHUT_WR);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_int_equal(f->owner.status, 0);
    /* The peer still listens. */
    assert_int_equal(tb_stream_write(f->owner.stream, TB_STR("bye")), 0);
    tb_loop_turn(f->loop, false);
    char room[8] = "";
    assert_int_equal(read(f->peer, room, sizeof(room)), 3);
    assert_string_equal(room, "bye");
    assert_int_equal(f->owner.ends, 1);
}

static void a_peer_that_only_stopped_sending_has_not_hung_up(void **state)
{
    struct fixture *f = *state;
    assert_false(tb_stream_hung_up(f->owner.stream));
    shutdown(f->peer, SHUT_WR);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_false(tb_stream_hung_up(f->owner.stream));
    peer_leaves(f);
    assert_true(tb_stream_hung_up(f->owner.stream));
}

static void a_stream_may_be_freed_inside_on_read(void **state)
{
    struct fixture *f = *state;
    f->owner.free_in_read = true;
    peer_says(f, "one");
    peer_leaves(f);
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    assert_null(f->owner.stream);
    assert_false(tb_loop_turn(f->loop, true));
    assert_int_equal(f->owner.ends, 0);
}

static void a_stream_may_be_freed_inside_on_end(void **state)
{
    struct fixture *f = *state;
    f->owner.free_in_end = true;
    peer_leaves(f);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_null(f->owner.stream);
    assert_false(tb_loop_turn(f->loop, true));
}

static void while_paused_nothing_is_read_and_the_end_is_not_noticed(void **state)
{
    struct fixture *f = *state;
    tb_stream_pause(f->owner.stream);
    peer_says(f, "later");
    peer_leaves(f);
    for (int i = 0; i < 3; i++) {
        tb_loop_turn(f->loop, false);
    }
    assert_int_equal(f->owner.reads, 0);
    assert_int_equal(f->owner.ends, 0);
    tb_stream_resume(f->owner.stream);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_got(&f->owner, "later");
}

static void a_pause_inside_on_read_holds_back_the_rest(void **state)
{
    struct fixture *f = *state;
    enum {
        TOTAL = 150 * 1024,
        ONE_READ = 64 * 1024,
    };
    static const char bytes[TOTAL];
    f->owner.pause_in_read = true;
    assert_int_equal(fcntl(f->peer, F_SETFL, O_NONBLOCK), 0);
    ssize_t sent = write(f->peer, bytes, sizeof(bytes));
    assert_true(sent > ONE_READ);
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    tb_loop_turn(f->loop, false);
    assert_int_equal(f->owner.reads, 1);
    for (int resumed = 2; f->owner.got.len < (size_t)sent; resumed++) {
        tb_stream_resume(f->owner.stream);
        WAIT_UNTIL(f->loop, f->owner.reads == resumed);
    }
    assert_int_equal(f->owner.got.len, sent);
}

struct handover {
    struct test_owner *next;
    int reads;
};

static void hand_over(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    (void)bytes;
    struct handover *handover = user;
    handover->reads++;
    test_owner_start(handover->next, stream);
}

static void unexpected_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    (void)status;
    (void)user;
    fail();
}

static void a_stream_may_change_hands_inside_on_read(void **state)
{
    struct fixture *f = *state;
    static const struct tb_stream_ops ops = {hand_over, NULL, unexpected_end};
    struct handover handover = {.next = &f->owner};
    tb_stream_start(f->owner.stream, &ops, &handover);
    peer_says(f, "upgrade");
    WAIT_UNTIL(f->loop, handover.reads == 1);
    peer_says(f, "frames");
    peer_leaves(f);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_int_equal(handover.reads, 1);
    assert_got(&f->owner, "frames");
}

static void an_owner_that_comes_after_the_end_is_told_of_it_later(void **state)
{
    struct fixture *f = *state;
    peer_leaves(f);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    struct test_owner second = {0};
    test_owner_start(&second, f->owner.stream);
    f->owner.stream = NULL;
    assert_int_equal(second.ends, 0);
    WAIT_UNTIL(f->loop, second.ends == 1);
    assert_int_equal(second.status, 0);
    test_owner_fini(&second);
}

static void a_descriptor_that_is_no_stream_is_refused_and_closed(void **state)
{
    struct fixture *f = *state;
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_null(tb_stream_open_fd_take(f->loop, fd));
    assert_int_equal(errno, EINVAL);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_null(tb_stream_open_fd_take(f->loop, -1));
    assert_int_equal(errno, EBADF);
    assert_string_equal(tb_stream_peer(f->owner.stream)->text, "pipe");
    assert_ptr_equal(tb_stream_loop(f->owner.stream), f->loop);
}

static void one_way_pipes_can_be_streams(void **state)
{
    struct fixture *f = *state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    struct test_owner in = {0};
    struct test_owner out = {0};
    test_owner_start(&in, tb_stream_open_fd_take(f->loop, fds[0]));
    test_owner_start(&out, tb_stream_open_fd_take(f->loop, fds[1]));
    assert_int_equal(tb_stream_write(out.stream, TB_STR("through")), 0);
    WAIT_UNTIL(f->loop, in.reads == 1);
    tb_stream_finish_and_free(out.stream, 0);
    out.stream = NULL;
    WAIT_UNTIL(f->loop, in.ends == 1);
    assert_got(&in, "through");
    test_owner_fini(&in);
    test_owner_fini(&out);
}

/* A listening socket on a free port of 127.0.0.1. */
static int listen_any(uint16_t *ret_port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(addr);
    assert_int_equal(bind(fd, (struct sockaddr *)&addr, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
    *ret_port = ntohs(addr.sin_port);
    return fd;
}

struct connector {
    struct tb_stream *stream;
    bool free_it;
    bool called;
    int status;
};

static void note_connect(struct tb_stream *stream, int status, void *user)
{
    struct connector *connector = user;
    assert_ptr_equal(stream, connector->stream);
    assert_false(connector->called);
    connector->called = true;
    connector->status = status;
    if (connector->free_it) {
        tb_stream_free(stream);
        connector->stream = NULL;
    }
}

static void connecting_tells_the_result_once_and_the_peer_is_known(void **state)
{
    struct fixture *f = *state;
    uint16_t port;
    int fd = listen_any(&port);
    assert_int_equal(listen(fd, 1), 0);
    struct connector connector = {0};
    connector.stream = tb_stream_connect_tcp(f->loop, "127.0.0.1", port, note_connect, &connector);
    /* What is written before waits for the connection. */
    assert_int_equal(tb_stream_write(connector.stream, TB_STR("early")), 0);
    assert_false(connector.called);
    WAIT_UNTIL(f->loop, connector.called);
    assert_int_equal(connector.status, 0);
    const struct tb_peer *peer = tb_stream_peer(connector.stream);
    TB_AUTO(tb_free) char *text = tb_strdupf("127.0.0.1:%u", port);
    assert_string_equal(peer->text, text);
    assert_string_equal(peer->host, "127.0.0.1");
    assert_true(peer->local);
    assert_false(peer->has_uid);
    WAIT_UNTIL(f->loop, tb_stream_queued(connector.stream) == 0);
    int conn = accept(fd, NULL, NULL);
    char room[8] = "";
    assert_int_equal(read(conn, room, sizeof(room)), 5);
    assert_string_equal(room, "early");
    tb_stream_free(connector.stream);
    close(conn);
    close(fd);
}

static void a_reset_ends_the_stream_with_an_error(void **state)
{
    struct fixture *f = *state;
    uint16_t port;
    int fd = listen_any(&port);
    assert_int_equal(listen(fd, 1), 0);
    struct connector connector = {0};
    connector.stream = tb_stream_connect_tcp(f->loop, "127.0.0.1", port, note_connect, &connector);
    struct test_owner owner = {0};
    test_owner_start(&owner, connector.stream);
    WAIT_UNTIL(f->loop, connector.called);
    int conn = accept(fd, NULL, NULL);
    struct linger hard = {.l_onoff = 1};
    setsockopt(conn, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    close(conn);
    WAIT_UNTIL(f->loop, owner.ends == 1);
    assert_int_equal(owner.status, -ECONNRESET);
    assert_int_equal(tb_stream_write(owner.stream, TB_STR("x")), TB_E_CLOSED);
    test_owner_fini(&owner);
    close(fd);
}

static void every_failure_to_connect_comes_later_and_from_the_loop(void **state)
{
    struct fixture *f = *state;
    uint16_t port;
    int fd = listen_any(&port); /* bound, but nobody listens */
    char long_path[300];
    memset(long_path, 'x', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    const struct {
        const char *address;
        const char *path;
        int status;
    } rows[] = {
        {"127.0.0.1", NULL, -ECONNREFUSED},
        {"no address", NULL, -EINVAL},
        {NULL, "/nonexistent/socket", -ENOENT},
        {NULL, long_path, -ENAMETOOLONG},
    };
    for (size_t i = 0; i < TB_COUNT(rows) * 2; i++) {
        size_t row = i / 2;
        struct connector connector = {.free_it = i % 2};
        connector.stream =
            rows[row].address
                ? tb_stream_connect_tcp(f->loop, rows[row].address, port, note_connect, &connector)
                : tb_stream_connect_unix(f->loop, rows[row].path, note_connect, &connector);
        assert_non_null(connector.stream);
        assert_false(connector.called);
        WAIT_UNTIL(f->loop, connector.called);
        assert_int_equal(connector.status, rows[row].status);
        if (connector.stream) {
            assert_int_equal(tb_stream_write(connector.stream, TB_STR("x")), TB_E_CLOSED);
        }
        tb_stream_free(connector.stream);
    }
    close(fd);
}

static void a_stream_freed_while_it_connects_calls_nobody(void **state)
{
    struct fixture *f = *state;
    uint16_t port;
    int fd = listen_any(&port);
    assert_int_equal(listen(fd, 1), 0);
    const char *const addresses[] = {"127.0.0.1", "no address"};
    for (size_t i = 0; i < TB_COUNT(addresses); i++) {
        struct connector connector = {0};
        connector.stream =
            tb_stream_connect_tcp(f->loop, addresses[i], port, note_connect, &connector);
        tb_stream_free(connector.stream);
        for (int turn = 0; turn < 3; turn++) {
            tb_loop_turn(f->loop, false);
        }
        assert_false(connector.called);
    }
    close(fd);
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(bytes_arrive_and_an_orderly_end_has_status_zero),
        WITH_FIXTURE(a_peer_that_only_stopped_sending_has_not_hung_up),
        WITH_FIXTURE(a_stream_may_be_freed_inside_on_read),
        WITH_FIXTURE(a_stream_may_be_freed_inside_on_end),
        WITH_FIXTURE(while_paused_nothing_is_read_and_the_end_is_not_noticed),
        WITH_FIXTURE(a_pause_inside_on_read_holds_back_the_rest),
        WITH_FIXTURE(a_stream_may_change_hands_inside_on_read),
        WITH_FIXTURE(an_owner_that_comes_after_the_end_is_told_of_it_later),
        WITH_FIXTURE(a_descriptor_that_is_no_stream_is_refused_and_closed),
        WITH_FIXTURE(one_way_pipes_can_be_streams),
        WITH_FIXTURE(connecting_tells_the_result_once_and_the_peer_is_known),
        WITH_FIXTURE(a_reset_ends_the_stream_with_an_error),
        WITH_FIXTURE(every_failure_to_connect_comes_later_and_from_the_loop),
        WITH_FIXTURE(a_stream_freed_while_it_connects_calls_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
