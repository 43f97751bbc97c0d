/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "io/stream.h"
#include "io/testing.h"

enum {
    BLOCK = 64 * 1024,
    MIB = 1024 * 1024,
    CEILING = 2 * MIB,
    TOTAL = 8 * MIB,
    SOCKET_MAX = 64 * MIB, /* no socket holds that much */
};

struct fixture {
    struct tb_loop *loop;
    struct test_owner owner;
    int peer;
    struct tb_buf seen; /* what the peer has read */
    bool peer_end;
};

static int setup(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    f->loop = tb_loop_new(tb_clock_system());
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    /* Small, so that the tests fill it soon whatever the machine's default is. */
    int bytes = BLOCK;
    assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)), 0);
    f->peer = fds[1];
    tb_buf_init(&f->seen, SIZE_MAX);
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
    tb_buf_fini(&f->seen);
    tb_loop_free(f->loop);
    tb_free(f);
    return 0;
}

/* The peer reads what is there now. */
static bool peer_reads(struct fixture *f)
{
    uint8_t *room;
    ssize_t len;
    do {
        assert_int_equal(tb_buf_reserve(&f->seen, BLOCK, &room), 0);
        len = read(f->peer, room, BLOCK);
        f->seen.len += len > 0 ? (size_t)len : 0;
    } while (len > 0);
    f->peer_end = f->peer_end || len == 0 || (len < 0 && errno != EAGAIN);
    return f->peer_end;
}

static uint8_t *random_block(size_t len, unsigned *seed)
{
    uint8_t *data = malloc(len);
    assert_non_null(data);
    for (size_t i = 0; i < len; i++) {
        data[i] = (uint8_t)rand_r(seed);
    }
    return data;
}

static int write_str(struct fixture *f, const char *text)
{
    return tb_stream_write(f->owner.stream, tb_str_of(text));
}

static void writes_of_one_turn_go_out_at_its_end(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(write_str(f, "a"), 0);
    assert_int_equal(tb_stream_write_take(f->owner.stream, (uint8_t *)tb_strdup("bc"), 2), 0);
    assert_int_equal(write_str(f, "d"), 0);
    assert_int_equal(write_str(f, ""), 0);
    assert_int_equal(tb_stream_write_take(f->owner.stream, (uint8_t *)tb_strdup(""), 0), 0);
    assert_int_equal(tb_stream_queued(f->owner.stream), 4);
    assert_false(peer_reads(f));
    assert_int_equal(f->seen.len, 0);
    tb_loop_turn(f->loop, true);
    assert_int_equal(tb_stream_queued(f->owner.stream), 0);
    peer_reads(f);
    assert_true(tb_str_eq_cstr(tb_buf_str(&f->seen), "abcd"));
}

static void what_has_left_is_counted_and_what_waits_is_not(void **state)
{
    struct fixture *f = *state;
    tb_stream_set_send_max(f->owner.stream, SOCKET_MAX);
    assert_int_equal(tb_stream_write_take(f->owner.stream, tb_zalloc(TOTAL), TOTAL), 0);
    assert_int_equal(tb_stream_sent(f->owner.stream), 0);
    tb_loop_turn(f->loop, false);
    uint64_t sent = tb_stream_sent(f->owner.stream);
    assert_in_range(sent, 1, TOTAL - 1);
    assert_int_equal(sent + tb_stream_queued(f->owner.stream), TOTAL);
    /* More to send is no progress. */
    assert_int_equal(write_str(f, "more"), 0);
    tb_loop_turn(f->loop, false);
    assert_int_equal(tb_stream_sent(f->owner.stream), sent);
    WAIT_UNTIL(f->loop, (peer_reads(f), f->seen.len == TOTAL + 4));
    assert_int_equal(tb_stream_sent(f->owner.stream), TOTAL + 4);
}

struct speaker {
    struct tb_deferred job;
    struct fixture *f;
};

static void speak(struct tb_deferred *job)
{
    assert_int_equal(write_str(TB_CONTAINER(job, struct speaker, job)->f, "by a job"), 0);
}

static void what_a_job_writes_leaves_in_the_same_turn(void **state)
{
    struct speaker speaker = {.job = {.run = speak}, .f = *state};
    tb_loop_defer(speaker.f->loop, &speaker.job);
    tb_loop_turn(speaker.f->loop, false);
    peer_reads(speaker.f);
    assert_true(tb_str_eq_cstr(tb_buf_str(&speaker.f->seen), "by a job"));
}

static void megabytes_arrive_whole_and_in_order(void **state)
{
    struct fixture *f = *state;
    unsigned seed = 7;
    struct tb_buf sent;
    tb_buf_init(&sent, SIZE_MAX);
    tb_stream_set_send_max(f->owner.stream, CEILING);
    while (sent.len < TOTAL) {
        size_t len = (size_t)rand_r(&seed) % (sent.len % 3 ? 500 : 100 * 1000) + 1;
        uint8_t *block = random_block(len, &seed);
        struct tb_str bytes = {(char *)block, len};
        bool take = rand_r(&seed) % 2;
        assert_int_equal(tb_buf_append(&sent, block, len), 0);
        if (take) {
            assert_int_equal(tb_stream_write_take(f->owner.stream, block, len), 0);
        } else {
            assert_int_equal(tb_stream_write(f->owner.stream, bytes), 0);
            free(block);
        }
        if (rand_r(&seed) % 8 == 0 || tb_stream_queued(f->owner.stream) > MIB) {
            tb_loop_turn(f->loop, false);
            peer_reads(f);
        }
    }
    WAIT_UNTIL(f->loop, (peer_reads(f), f->seen.len >= sent.len));
    assert_int_equal(f->seen.len, sent.len);
    assert_memory_equal(f->seen.data, sent.data, sent.len);
    tb_buf_fini(&sent);
}

static void many_small_blocks_go_out_even_if_there_are_more_than_one_call_takes(void **state)
{
    struct fixture *f = *state;
    enum {
        BLOCKS = 1000,
        ALL = BLOCKS * 4,
    };
    for (int i = 0; i < BLOCKS; i++) {
        uint8_t *block = (uint8_t *)tb_strdupf("%04d", i);
        assert_int_equal(tb_stream_write_take(f->owner.stream, block, 4), 0);
    }
    WAIT_UNTIL(f->loop, (peer_reads(f), f->seen.len == ALL));
    for (int i = 0; i < BLOCKS; i++) {
        TB_AUTO(tb_free) char *want = tb_strdupf("%04d", i);
        assert_memory_equal(f->seen.data + (size_t)i * 4, want, 4);
    }
}

static void over_the_ceiling_nothing_is_queued(void **state)
{
    struct fixture *f = *state;
    tb_stream_set_send_max(f->owner.stream, 10);
    assert_int_equal(write_str(f, "123456"), 0);
    assert_int_equal(write_str(f, "78901"), TB_E_TOO_LARGE);
    assert_int_equal(tb_stream_write_take(f->owner.stream, (uint8_t *)tb_strdup("78901"), 5),
                     TB_E_TOO_LARGE);
    assert_int_equal(tb_stream_queued(f->owner.stream), 6);
    assert_int_equal(write_str(f, "7890"), 0);
    assert_int_equal(write_str(f, "x"), TB_E_TOO_LARGE);
    tb_loop_turn(f->loop, false);
    peer_reads(f);
    assert_true(tb_str_eq_cstr(tb_buf_str(&f->seen), "1234567890"));
    /* An empty queue takes one write of any size. */
    assert_int_equal(write_str(f, "far more than ten"), 0);
    assert_int_equal(write_str(f, "x"), TB_E_TOO_LARGE);
}

/* Fills the socket's own buffer, so that the next bytes must wait. */
static void fill_socket(struct fixture *f)
{
    size_t before = 0;
    do {
        before += BLOCK;
        uint8_t *block = tb_zalloc(BLOCK);
        assert_int_equal(tb_stream_write_take(f->owner.stream, block, BLOCK), 0);
        tb_loop_turn(f->loop, false);
        assert_true(before < SOCKET_MAX);
    } while (tb_stream_queued(f->owner.stream) == 0);
}

static void the_ceiling_counts_what_the_socket_did_not_take(void **state)
{
    struct fixture *f = *state;
    tb_stream_set_send_max(f->owner.stream, MIB);
    fill_socket(f);
    size_t queued = tb_stream_queued(f->owner.stream);
    tb_stream_set_send_max(f->owner.stream, queued);
    assert_int_equal(write_str(f, "x"), TB_E_TOO_LARGE);
    assert_int_equal(tb_stream_queued(f->owner.stream), queued);
    tb_stream_set_send_max(f->owner.stream, queued + 1);
    assert_int_equal(write_str(f, "x"), 0);
    WAIT_UNTIL(f->loop, (peer_reads(f), tb_stream_queued(f->owner.stream) == 0));
    peer_reads(f);
    assert_int_equal(f->seen.data[f->seen.len - 1], 'x');
}

static void on_drain_comes_once_after_bytes_had_to_wait(void **state)
{
    struct fixture *f = *state;
    fill_socket(f);
    assert_int_equal(write_str(f, "waits too"), 0);
    tb_loop_turn(f->loop, false);
    assert_int_equal(f->owner.drains, 0);
    WAIT_UNTIL(f->loop, (peer_reads(f), f->owner.drains == 1));
    assert_int_equal(tb_stream_queued(f->owner.stream), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write_str(f, "passes at once"), 0);
        tb_loop_turn(f->loop, false);
    }
    assert_int_equal(f->owner.drains, 1);
}

static void on_drain_comes_once_after_the_queue_stood_above_half(void **state)
{
    struct fixture *f = *state;
    tb_stream_set_send_max(f->owner.stream, 10);
    assert_int_equal(write_str(f, "12345"), 0);
    tb_loop_turn(f->loop, false);
    assert_int_equal(f->owner.drains, 0);
    assert_int_equal(write_str(f, "123456"), 0);
    tb_loop_turn(f->loop, false);
    assert_int_equal(f->owner.drains, 1);
    tb_loop_turn(f->loop, false);
    assert_int_equal(f->owner.drains, 1);
}

static void a_stream_may_be_freed_inside_on_drain(void **state)
{
    struct fixture *f = *state;
    f->owner.free_in_drain = true;
    tb_stream_set_send_max(f->owner.stream, 10);
    assert_int_equal(write_str(f, "sixsix"), 0);
    tb_loop_turn(f->loop, false);
    assert_int_equal(f->owner.drains, 1);
    assert_null(f->owner.stream);
    assert_true(peer_reads(f) || !tb_loop_turn(f->loop, false));
    assert_true(peer_reads(f));
}

static void a_stream_may_be_freed_with_bytes_in_flight(void **state)
{
    struct fixture *f = *state;
    fill_socket(f);
    assert_int_equal(write_str(f, "more"), 0);
    test_owner_drop(&f->owner);
    assert_false(tb_loop_turn(f->loop, true) && tb_loop_turn(f->loop, true));
}

/* Between the input of a turn and its end, the peer speaks and leaves, and we write. */
static void peer_leaves_while_we_write(struct tb_timer *timer, void *user)
{
    (void)timer;
    struct fixture *f = user;
    assert_int_equal(write(f->peer, "last words", 10), 10);
    close(f->peer);
    f->peer = -1;
    assert_int_equal(write_str(f, "too late"), 0);
    assert_int_equal(f->owner.ends, 0);
}

static void a_failed_write_ends_the_stream_after_the_last_input_was_read(void **state)
{
    struct fixture *f = *state;
    f->owner.free_in_end = true;
    struct tb_timer timer;
    tb_timer_init(&timer, f->loop, peer_leaves_while_we_write, f);
    tb_timer_start(&timer, 0);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_int_equal(f->owner.status, -EPIPE);
    assert_true(tb_str_eq_cstr(tb_buf_str(&f->owner.got), "last words"));
    tb_loop_turn(f->loop, false);
    assert_int_equal(f->owner.ends, 1);
}

static void a_failed_write_is_told_even_while_paused(void **state)
{
    struct fixture *f = *state;
    tb_stream_pause(f->owner.stream);
    close(f->peer);
    f->peer = -1;
    assert_int_equal(write_str(f, "too late"), 0);
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_int_equal(f->owner.status, -EPIPE);
    assert_int_equal(write_str(f, "x"), TB_E_CLOSED);
    assert_int_equal(tb_stream_queued(f->owner.stream), 0);
}

static void a_write_in_flight_that_fails_is_told(void **state)
{
    struct fixture *f = *state;
    fill_socket(f);
    close(f->peer);
    f->peer = -1;
    WAIT_UNTIL(f->loop, f->owner.ends == 1);
    assert_true(f->owner.status < 0);
}

static void finish_shuts_the_sending_half_after_the_queue_and_reading_goes_on(void **state)
{
    struct fixture *f = *state;
    fill_socket(f);
    assert_int_equal(write_str(f, "end"), 0);
    tb_stream_finish(f->owner.stream);
    assert_int_equal(write_str(f, "x"), TB_E_CLOSED);
    WAIT_UNTIL(f->loop, peer_reads(f));
    assert_memory_equal(f->seen.data + f->seen.len - 3, "end", 3);
    assert_int_equal(write(f->peer, "answer", 6), 6);
    WAIT_UNTIL(f->loop, f->owner.reads == 1);
    assert_int_equal(f->owner.ends, 0);
}

static void finish_and_free_delivers_the_last_bytes_and_throws_input_away(void **state)
{
    struct fixture *f = *state;
    fill_socket(f);
    assert_int_equal(write_str(f, "end"), 0);
    assert_int_equal(write(f->peer, "unread", 6), 6);
    tb_stream_finish_and_free(f->owner.stream, TEST_DEADLINE_MS);
    f->owner.stream = NULL;
    WAIT_UNTIL(f->loop, peer_reads(f));
    assert_memory_equal(f->seen.data + f->seen.len - 3, "end", 3);
    /* It waits for the peer's end, and then is gone. */
    assert_true(tb_loop_turn(f->loop, false));
    close(f->peer);
    f->peer = -1;
    tb_loop_run(f->loop);
    assert_int_equal(f->owner.reads + f->owner.ends + f->owner.drains, 0);
}

static void finish_and_free_gives_up_after_its_time(void **state)
{
    struct fixture *f = *state;
    fill_socket(f);
    assert_int_equal(write_str(f, "never read"), 0);
    tb_stream_finish_and_free(f->owner.stream, 5);
    f->owner.stream = NULL;
    tb_loop_run(f->loop);
    WAIT_UNTIL(f->loop, peer_reads(f));
}

static void finish_and_free_with_no_time_still_writes_what_fits(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(write_str(f, "quick"), 0);
    tb_stream_finish_and_free(f->owner.stream, 0);
    f->owner.stream = NULL;
    tb_loop_run(f->loop);
    assert_true(peer_reads(f));
    assert_true(tb_str_eq_cstr(tb_buf_str(&f->seen), "quick"));
    tb_stream_finish_and_free(NULL, 0);
}

static void the_loop_closes_lingering_streams_when_it_is_freed(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(write_str(f, "quick"), 0);
    tb_stream_finish_and_free(f->owner.stream, TEST_HOUR_MS);
    f->owner.stream = NULL;
    tb_loop_free(f->loop);
    f->loop = NULL;
    assert_true(peer_reads(f));
    assert_true(tb_str_eq_cstr(tb_buf_str(&f->seen), "quick"));
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(writes_of_one_turn_go_out_at_its_end),
        WITH_FIXTURE(what_has_left_is_counted_and_what_waits_is_not),
        WITH_FIXTURE(what_a_job_writes_leaves_in_the_same_turn),
        WITH_FIXTURE(megabytes_arrive_whole_and_in_order),
        WITH_FIXTURE(many_small_blocks_go_out_even_if_there_are_more_than_one_call_takes),
        WITH_FIXTURE(over_the_ceiling_nothing_is_queued),
        WITH_FIXTURE(the_ceiling_counts_what_the_socket_did_not_take),
        WITH_FIXTURE(on_drain_comes_once_after_bytes_had_to_wait),
        WITH_FIXTURE(on_drain_comes_once_after_the_queue_stood_above_half),
        WITH_FIXTURE(a_stream_may_be_freed_inside_on_drain),
        WITH_FIXTURE(a_stream_may_be_freed_with_bytes_in_flight),
        WITH_FIXTURE(a_failed_write_ends_the_stream_after_the_last_input_was_read),
        WITH_FIXTURE(a_failed_write_is_told_even_while_paused),
        WITH_FIXTURE(a_write_in_flight_that_fails_is_told),
        WITH_FIXTURE(finish_shuts_the_sending_half_after_the_queue_and_reading_goes_on),
        WITH_FIXTURE(finish_and_free_delivers_the_last_bytes_and_throws_input_away),
        WITH_FIXTURE(finish_and_free_gives_up_after_its_time),
        WITH_FIXTURE(finish_and_free_with_no_time_still_writes_what_fits),
        WITH_FIXTURE(the_loop_closes_lingering_streams_when_it_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
