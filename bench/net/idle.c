/* SPDX-License-Identifier: Apache-2.0 */
/* Opens WebSocket connections and leaves them idle. Pings are answered, nothing else is sent.
 *
 *   idle PORT CONNECTIONS      prints "ready N" when all are open and stays until it is killed
 *
 * A connection that the server closes ends it with status 1. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#include "cmdline.h"
#include "wire.h"

enum {
    READ_BYTES = 4096,
    DIAL_AT_ONCE = 64,
    PING = 0x89,
    PONG = 0x8a,
    PING_MAX = 125,
};

struct idle {
    uv_loop_t loop;
    struct sockaddr_in addr;
    size_t conn_count;
    size_t dialled;
    size_t open;
    struct idle_conn *conns;
    char in[READ_BYTES];
};

struct idle_conn {
    uv_tcp_t tcp;
    uv_connect_t connect;
    struct idle *idle;
    bool upgraded;
};

static void conn_dial(struct idle_conn *conn);

static void conn_write(struct idle_conn *conn, struct tb_str bytes)
{
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes.ptr, (unsigned)bytes.len);
    if (uv_try_write((uv_stream_t *)&conn->tcp, &buf, 1) != (int)bytes.len) {
        bench_die("a short message did not fit the socket");
    }
}

static void conn_upgrade(struct idle_conn *conn, struct tb_str bytes)
{
    struct idle *idle = conn->idle;
    struct bench_reply reply = {0};
    size_t body_bytes = 0;
    int status = bench_reply_head(&reply, &bytes, &body_bytes);
    if (status != 101) {
        bench_die("the handshake was answered with %d", status);
    }
    conn->upgraded = true;
    if (idle->dialled < idle->conn_count) {
        conn_dial(&idle->conns[idle->dialled++]);
    }
    if (++idle->open == idle->conn_count) {
        printf("ready %zu\n", idle->open);
        fflush(stdout);
    }
}

/* Short control frames arrive whole on the loopback device. The key of the mask is zero, so the
 * payload goes back as it came. */
static void conn_pong(struct idle_conn *conn, struct tb_str bytes)
{
    while (bytes.len >= 2) {
        const uint8_t *frame = (const uint8_t *)bytes.ptr;
        size_t size = frame[1];
        if (frame[0] != PING || size > PING_MAX || bytes.len < 2 + size) {
            bench_die("a frame that is no ping");
        }
        char pong[6 + PING_MAX] = {(char)PONG, (char)(0x80 | size)};
        memcpy(pong + 6, frame + 2, size);
        conn_write(conn, (struct tb_str){pong, 6 + size});
        bytes = tb_str_sub(bytes, 2 + size, bytes.len);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    struct idle_conn *conn = handle->data;
    *buf = uv_buf_init(conn->idle->in, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    struct idle_conn *conn = stream->data;
    bench_uv((int)nread, "read");
    struct tb_str bytes = {buf->base, (size_t)nread};
    if (conn->upgraded) {
        conn_pong(conn, bytes);
    } else if (nread > 0) {
        conn_upgrade(conn, bytes);
    }
}

static void on_connect(uv_connect_t *req, int status)
{
    struct idle_conn *conn = req->data;
    bench_uv(status, "connect");
    uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read);
    conn_write(conn, bench_wire_hello());
}

static void conn_dial(struct idle_conn *conn)
{
    struct idle *idle = conn->idle;
    bench_uv(uv_tcp_init(&idle->loop, &conn->tcp), "socket");
    conn->tcp.data = conn;
    conn->connect.data = conn;
    const struct sockaddr *addr = (const struct sockaddr *)&idle->addr;
    bench_uv(uv_tcp_connect(&conn->connect, &conn->tcp, addr, on_connect), "connect");
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        bench_die("PORT CONNECTIONS");
    }
    struct idle *idle = TB_NEW(struct idle);
    bench_uv(uv_ip4_addr("127.0.0.1", (int)bench_number(argv[1], 1, 65535), &idle->addr),
             "address");
    idle->conn_count = bench_number(argv[2], 1, 100000);
    idle->conns = TB_NEW_ARRAY(struct idle_conn, idle->conn_count);
    bench_uv(uv_loop_init(&idle->loop), "loop");
    for (size_t i = 0; i < idle->conn_count; i++) {
        idle->conns[i].idle = idle;
    }
    while (idle->dialled < idle->conn_count && idle->dialled < DIAL_AT_ONCE) {
        conn_dial(&idle->conns[idle->dialled++]);
    }
    uv_run(&idle->loop, UV_RUN_DEFAULT);
    return 0;
}
