/* SPDX-License-Identifier: Apache-2.0 */
/* The limit that we measure ourselves against: a WebSocket echo on libuv and wslay with nothing in
 * between, or a relay: what comes by /page/N goes out by /agent/N, and the reverse. It has no time
 * limits, no ceilings and no closing handshake. One read buffer and one write buffer serve all
 * connections; what one read brought in goes out in one system call.
 *
 *   bare_ws [PAIRS]    prints "port N" and runs until it is killed; a relay with PAIRS */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>
#include <wslay/wslay.h>

#include "base/buf.h"
#include "base/hash.h"

#include "cmdline.h"

enum {
    READ_BYTES = 256 * 1024,
    WRITE_MAX = 64 * 1024 * 1024,
    HEAD_MAX = 2048,
    BACKLOG = 4096,
    PAIRS_MAX = 100000,
};

struct bare {
    uv_loop_t loop;
    uv_tcp_t listener;
    size_t pair_count;
    struct bare_conn **pages; /* of a relay, by number; the same of agents */
    struct bare_conn **agents;
    struct tb_buf out; /* what the read that is being handled has led to */
    char in[READ_BYTES];
};

struct bare_conn {
    uv_tcp_t tcp;
    struct bare *bare;
    wslay_event_context_ptr ws; /* NULL until the handshake is done */
    struct bare_conn **other;   /* where what comes goes out */
    struct bare_conn *self;     /* what `other` is in an echo */
    const char *in;
    size_t in_len;
    struct tb_buf head;
};

struct pending_write {
    uv_write_t req;
    char bytes[];
};

static void on_closed(uv_handle_t *handle)
{
    struct bare_conn *conn = handle->data;
    if (conn->ws) {
        wslay_event_context_free(conn->ws);
    }
    tb_buf_fini(&conn->head);
    tb_free(conn);
}

static void conn_close(struct bare_conn *conn)
{
    if (!uv_is_closing((uv_handle_t *)&conn->tcp)) {
        uv_close((uv_handle_t *)&conn->tcp, on_closed);
    }
}

static void on_written(uv_write_t *req, int status)
{
    struct bare_conn *conn = req->handle->data;
    tb_free(TB_CONTAINER(req, struct pending_write, req));
    if (status < 0) {
        conn_close(conn);
    }
}

/* Sends what the last read has produced. What the socket does not take at once is copied and left
 * to libuv. */
static void conn_flush(struct bare_conn *conn)
{
    struct tb_buf *out = &conn->bare->out;
    uv_stream_t *stream = (uv_stream_t *)&conn->tcp;
    uv_buf_t buf = uv_buf_init((char *)out->data, (unsigned)out->len);
    int sent = out->len ? uv_try_write(stream, &buf, 1) : 0;
    if (sent < 0 && sent != UV_EAGAIN) {
        conn_close(conn);
    } else if (sent < (int)out->len) {
        size_t done = sent > 0 ? (size_t)sent : 0;
        size_t rest = out->len - done;
        struct pending_write *write = tb_zalloc(sizeof(*write) + rest);
        memcpy(write->bytes, out->data + done, rest);
        uv_buf_t left = uv_buf_init(write->bytes, (unsigned)rest);
        uv_write(&write->req, stream, &left, 1, on_written);
    }
    tb_buf_clear(out);
}

static ssize_t ws_recv(wslay_event_context_ptr ws, uint8_t *buf, size_t len, int flags, void *user)
{
    (void)flags;
    struct bare_conn *conn = user;
    size_t take = len < conn->in_len ? len : conn->in_len;
    if (take == 0) {
        wslay_event_set_error(ws, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(buf, conn->in, take);
    conn->in += take;
    conn->in_len -= take;
    return (ssize_t)take;
}

static ssize_t ws_send(wslay_event_context_ptr ws, const uint8_t *data, size_t len, int flags,
                       void *user)
{
    (void)flags;
    struct bare_conn *conn = user;
    if (tb_buf_append(&conn->bare->out, data, len) < 0) {
        wslay_event_set_error(ws, WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    return (ssize_t)len;
}

static void ws_message(wslay_event_context_ptr ws, const struct wslay_event_on_msg_recv_arg *arg,
                       void *user)
{
    const struct bare_conn *conn = user;
    (void)ws;
    if (wslay_is_ctrl_frame(arg->opcode)) {
        return;
    }
    struct wslay_event_msg same = {arg->opcode, arg->msg, arg->msg_length};
    wslay_event_queue_msg((*conn->other)->ws, &same);
}

static const struct wslay_event_callbacks ws_callbacks = {
    .recv_callback = ws_recv,
    .send_callback = ws_send,
    .on_msg_recv_callback = ws_message,
};

static void conn_feed(struct bare_conn *conn, const char *bytes, size_t len)
{
    struct bare_conn *other = *conn->other;
    conn->in = bytes;
    conn->in_len = len;
    if (wslay_event_recv(conn->ws) < 0 || (other && wslay_event_send(other->ws) < 0) ||
        wslay_event_get_close_received(conn->ws)) {
        conn_close(conn);
        return;
    }
    if (other) {
        conn_flush(other);
    }
}

/* Of a relay: which one of a pair it is, by its path. */
static void conn_find_other(struct bare_conn *conn, struct tb_str head)
{
    struct bare *bare = conn->bare;
    bool is_page = tb_str_starts(head, TB_STR("GET /page/"));
    struct tb_str number = tb_str_sub(head, is_page ? 10 : 11, head.len);
    uint64_t at;
    if (!bare->pair_count) {
        conn->self = conn;
        conn->other = &conn->self;
    } else if (tb_str_to_u64(tb_str_cut(&number, ' '), &at) && at < bare->pair_count) {
        conn->other = is_page ? &bare->agents[at] : &bare->pages[at];
        *(is_page ? &bare->pages[at] : &bare->agents[at]) = conn;
    } else {
        bench_die("nobody is to come by %.*s", TB_STR_ARG(head));
    }
}

/* Only what our own load generator sends: the key's header in this very spelling. */
static void conn_handshake(struct bare_conn *conn, const char *bytes, size_t len)
{
    static const char name[] = "Sec-WebSocket-Key: ";
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    if (tb_buf_append(&conn->head, bytes, len) < 0) {
        conn_close(conn);
        return;
    }
    struct tb_str head = tb_buf_str(&conn->head);
    const char *end = memmem(head.ptr, head.len, "\r\n\r\n", 4);
    if (!end) {
        return;
    }
    const char *key = memmem(head.ptr, head.len, name, sizeof(name) - 1);
    char text[24 + sizeof(guid)];
    if (!key || end - key < (ptrdiff_t)sizeof(name) + 23) {
        conn_close(conn);
        return;
    }
    memcpy(text, key + sizeof(name) - 1, 24);
    memcpy(text + 24, guid, sizeof(guid));
    uint8_t digest[TB_SHA1_BYTES];
    tb_sha1(text, 24 + sizeof(guid) - 1, digest);

    struct tb_buf *out = &conn->bare->out;
    tb_buf_append_cstr(out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Accept: ");
    tb_base64_encode(digest, sizeof(digest), out);
    tb_buf_append_cstr(out, "\r\n\r\n");
    conn_flush(conn);
    conn_find_other(conn, head);
    tb_buf_fini(&conn->head);
    wslay_event_context_server_init(&conn->ws, &ws_callbacks, conn);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    struct bare_conn *conn = handle->data;
    *buf = uv_buf_init(conn->bare->in, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    struct bare_conn *conn = stream->data;
    if (nread < 0) {
        conn_close(conn);
    } else if (nread > 0 && conn->ws) {
        conn_feed(conn, buf->base, (size_t)nread);
    } else if (nread > 0) {
        conn_handshake(conn, buf->base, (size_t)nread);
    }
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct bare *bare = listener->data;
    bench_uv(status, "accept");
    struct bare_conn *conn = TB_NEW(struct bare_conn);
    conn->bare = bare;
    conn->tcp.data = conn;
    tb_buf_init(&conn->head, HEAD_MAX);
    bench_uv(uv_tcp_init(&bare->loop, &conn->tcp), "socket");
    bench_uv(uv_accept(listener, (uv_stream_t *)&conn->tcp), "accept");
    uv_tcp_nodelay(&conn->tcp, 1);
    uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read);
}

int main(int argc, char **argv)
{
    struct bare *bare = TB_NEW(struct bare);
    tb_buf_init(&bare->out, WRITE_MAX);
    bare->pair_count = argc > 1 ? bench_number(argv[1], 1, PAIRS_MAX) : 0;
    bare->pages = TB_NEW_ARRAY(struct bare_conn *, bare->pair_count + 1);
    bare->agents = TB_NEW_ARRAY(struct bare_conn *, bare->pair_count + 1);
    bench_uv(uv_loop_init(&bare->loop), "loop");
    bench_uv(uv_tcp_init(&bare->loop, &bare->listener), "socket");
    bare->listener.data = bare;

    struct sockaddr_in addr;
    bench_uv(uv_ip4_addr("127.0.0.1", 0, &addr), "address");
    bench_uv(uv_tcp_bind(&bare->listener, (const struct sockaddr *)&addr, 0), "bind");
    bench_uv(uv_listen((uv_stream_t *)&bare->listener, BACKLOG, on_connection), "listen");
    int len = sizeof(addr);
    bench_uv(uv_tcp_getsockname(&bare->listener, (struct sockaddr *)&addr, &len), "port");
    printf("port %u\n", (unsigned)ntohs(addr.sin_port));
    fflush(stdout);
    uv_run(&bare->loop, UV_RUN_DEFAULT);
    return 0;
}
