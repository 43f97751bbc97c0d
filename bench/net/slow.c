/* SPDX-License-Identifier: Apache-2.0 */
/* Senders that hold connections by never finishing a request head ("slow loris"). Each sends one
 * byte every PERIOD_MS, spread evenly over that time; one that the server closes is opened again at
 * once.
 *
 *   slow PORT CONNECTIONS PERIOD_MS     prints "ready N" when all are open
 *
 * On SIGTERM it prints "open N reopened M" and ends. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include <uv.h>

#include "base/mem.h"
#include "base/str.h"

#include "cmdline.h"

enum {
    READ_BYTES = 4096,
    DIAL_AT_ONCE = 64,
    TICK_MS = 10,
    /* More source addresses, since closed connections keep their ports busy for a minute. */
    SOURCES = 32,
};

struct slow {
    uv_loop_t loop;
    uv_timer_t tick;
    uv_signal_t stop;
    struct sockaddr_in addr;
    size_t conn_count;
    size_t dialled;
    size_t open;
    size_t reopened;
    bool ready;
    uint64_t period_ms;
    uint64_t began_ms;
    uint64_t steps; /* bytes that were due so far, over all connections */
    struct slow_conn *conns;
    char in[READ_BYTES];
};

struct slow_conn {
    uv_tcp_t tcp;
    uv_connect_t connect;
    struct slow *slow;
    bool connected;
    size_t sent;
};

static void conn_dial(struct slow_conn *conn);

static void on_closed(uv_handle_t *handle)
{
    struct slow_conn *conn = handle->data;
    conn->slow->reopened++;
    conn_dial(conn);
}

static void conn_reopen(struct slow_conn *conn)
{
    if (uv_is_closing((uv_handle_t *)&conn->tcp)) {
        return;
    }
    conn->slow->open -= conn->connected ? 1 : 0;
    conn->connected = false;
    uv_close((uv_handle_t *)&conn->tcp, on_closed);
}

static void conn_step(struct slow_conn *conn)
{
    static const char head[] = "GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: aaaaaaaaaaaaaaaa";
    size_t at = conn->sent < sizeof(head) - 2 ? conn->sent : sizeof(head) - 2;
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)head + at, 1);
    if (!conn->connected) {
        return;
    }
    if (uv_try_write((uv_stream_t *)&conn->tcp, &buf, 1) == 1) {
        conn->sent++;
    } else {
        conn_reopen(conn);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    struct slow_conn *conn = handle->data;
    *buf = uv_buf_init(conn->slow->in, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    (void)buf;
    if (nread < 0) {
        conn_reopen(stream->data);
    }
}

static void on_connect(uv_connect_t *req, int status)
{
    struct slow_conn *conn = req->data;
    struct slow *slow = conn->slow;
    if (status < 0) {
        conn_reopen(conn);
        return;
    }
    conn->connected = true;
    slow->open++;
    uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read);
    if (slow->ready) {
        conn_step(conn);
    } else if (slow->dialled < slow->conn_count) {
        conn_dial(&slow->conns[slow->dialled++]);
    } else if (slow->open == slow->conn_count) {
        slow->ready = true;
        slow->began_ms = uv_now(&slow->loop);
        printf("ready %zu\n", slow->open);
        fflush(stdout);
    }
}

static void conn_dial(struct slow_conn *conn)
{
    struct slow *slow = conn->slow;
    size_t index = (size_t)(conn - slow->conns);
    struct sockaddr_in source = {.sin_family = AF_INET};
    source.sin_addr.s_addr = htonl(0x7f000101U + (uint32_t)(index % SOURCES));
    bench_uv(uv_tcp_init(&slow->loop, &conn->tcp), "socket");
    conn->tcp.data = conn;
    conn->connect.data = conn;
    conn->sent = 0;
    bench_uv(uv_tcp_bind(&conn->tcp, (const struct sockaddr *)&source, 0), "bind");
    const struct sockaddr *addr = (const struct sockaddr *)&slow->addr;
    bench_uv(uv_tcp_connect(&conn->connect, &conn->tcp, addr, on_connect), "connect");
}

static void on_tick(uv_timer_t *timer)
{
    struct slow *slow = timer->data;
    if (!slow->ready) {
        return;
    }
    uint64_t elapsed_ms = uv_now(&slow->loop) - slow->began_ms;
    uint64_t due = elapsed_ms * slow->conn_count / slow->period_ms;
    for (; slow->steps < due; slow->steps++) {
        conn_step(&slow->conns[slow->steps % slow->conn_count]);
    }
}

static void on_stop(uv_signal_t *watch, int signum)
{
    (void)signum;
    struct slow *slow = watch->data;
    printf("open %zu reopened %zu\n", slow->open, slow->reopened);
    fflush(stdout);
    uv_stop(&slow->loop);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        bench_die("PORT CONNECTIONS PERIOD_MS");
    }
    struct slow *slow = TB_NEW(struct slow);
    bench_uv(uv_ip4_addr("127.0.0.1", (int)bench_number(argv[1], 1, 65535), &slow->addr),
             "address");
    slow->conn_count = bench_number(argv[2], 1, 100000);
    slow->period_ms = bench_number(argv[3], 1, 600000);
    slow->conns = TB_NEW_ARRAY(struct slow_conn, slow->conn_count);
    bench_uv(uv_loop_init(&slow->loop), "loop");
    slow->tick.data = slow;
    slow->stop.data = slow;
    uv_timer_init(&slow->loop, &slow->tick);
    uv_timer_start(&slow->tick, on_tick, TICK_MS, TICK_MS);
    uv_signal_init(&slow->loop, &slow->stop);
    uv_signal_start(&slow->stop, on_stop, SIGTERM);
    for (size_t i = 0; i < slow->conn_count; i++) {
        slow->conns[i].slow = slow;
    }
    while (slow->dialled < slow->conn_count && slow->dialled < DIAL_AT_ONCE) {
        conn_dial(&slow->conns[slow->dialled++]);
    }
    uv_run(&slow->loop, UV_RUN_DEFAULT);
    return 0;
}
