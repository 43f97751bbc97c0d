/* SPDX-License-Identifier: Apache-2.0 */
/* The load generator: a number of connections, each with a fixed number of messages in flight. All
 * bytes are made before, echoes are compared as they come and refilled in one write a read, so that
 * it needs far less time for a message than any server.
 *
 *   load ws|post|get PORT CONNECTIONS IN_FLIGHT BYTES WARM_MS RUN_MS [SERVER_PID]
 *
 * CONNECTING -> WARM -> RUNNING -> DRAINING; only RUNNING counts. Prints one line, e.g.
 *   per_s=412345 p50_us=31.2 p99_us=80.1 cpu=61 server_us=2.10
 * cpu is its own share of a core in percent; near 100 means that it and not the server was the
 * limit. server_us is the processor time of the server for one echo. A wrong echo, a closed
 * connection or a reply that does not come ends it with status 1. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <uv.h>

#include "base/mem.h"
#include "base/str.h"

#include "cmdline.h"
#include "hist.h"
#include "wire.h"

enum {
    READ_BYTES = 256 * 1024,
    DIAL_AT_ONCE = 64,
    STALL_MS = 10000,
    WARM_LOOK_MS = 50,
    WARM_MAX_MS = 2000,
};

enum load_phase {
    CONNECTING,
    WARM,
    RUNNING,
    DRAINING,
};

struct load {
    uv_loop_t loop;
    uv_timer_t timer;
    struct sockaddr_in addr;
    struct bench_wire wire;
    enum load_phase phase;
    size_t conn_count;
    size_t dialled;
    size_t open;
    size_t in_flight; /* over all connections */
    size_t warm;      /* connections that have had the echoes of their first burst */
    uint64_t warm_ms;
    uint64_t run_ms;
    uint64_t began_ns;
    uint64_t elapsed_ns;
    double cpu_began;
    double cpu_used;
    const char *server_pid; /* NULL: unknown */
    double server_began;
    double server_used;
    struct bench_hist hist;
    struct load_conn *conns;
    char in[READ_BYTES];
};

struct load_conn {
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_write_t write;
    struct load *load;
    bool upgraded;
    bool writing;
    size_t send_at; /* places in the two rings, in bytes */
    size_t unsent;
    size_t echo_at;
    size_t sent; /* messages since the start */
    size_t done;
    uint64_t *sent_ns; /* by number of the message, round the ring */
    size_t body_left;
    struct bench_reply reply;
};

static void conn_dial(struct load_conn *conn);
static void conn_flush(struct load_conn *conn);
static void on_timer(uv_timer_t *timer);

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* The first figure of schedstat: nanoseconds on a processor. */
static double server_seconds(const char *pid)
{
    char path[64];
    unsigned long long busy_ns = 0;
    snprintf(path, sizeof(path), "/proc/%s/schedstat", pid ? pid : "");
    FILE *file = pid ? fopen(path, "re") : NULL;
    if (file) {
        char line[128] = "";
        if (fgets(line, sizeof(line), file)) {
            busy_ns = strtoull(line, NULL, 10);
        }
        fclose(file);
    }
    return (double)busy_ns / 1e9;
}

static void conn_advance(struct load_conn *conn, size_t bytes)
{
    size_t ring_bytes = conn->load->wire.ring * conn->load->wire.send_bytes;
    conn->send_at = (conn->send_at + bytes) % ring_bytes;
    conn->unsent -= bytes;
}

static void on_written(uv_write_t *req, int status)
{
    struct load_conn *conn = req->data;
    bench_uv(status, "write");
    conn->writing = false;
    conn_flush(conn);
}

/* The rings never change, so libuv may send from them whenever the socket has room. */
static void conn_flush(struct load_conn *conn)
{
    if (conn->writing || conn->unsent == 0) {
        return;
    }
    uv_stream_t *stream = (uv_stream_t *)&conn->tcp;
    char *ring = (char *)conn->load->wire.sending.data;
    uv_buf_t buf = uv_buf_init(ring + conn->send_at, (unsigned)conn->unsent);
    int sent = uv_try_write(stream, &buf, 1);
    if (sent > 0) {
        conn_advance(conn, (size_t)sent);
    } else if (sent != UV_EAGAIN) {
        bench_uv(sent, "write");
    }
    if (conn->unsent > 0) {
        buf = uv_buf_init(ring + conn->send_at, (unsigned)conn->unsent);
        conn->writing = true;
        conn_advance(conn, conn->unsent);
        bench_uv(uv_write(&conn->write, stream, &buf, 1, on_written), "write");
    }
}

static void conn_send(struct load_conn *conn, size_t count, uint64_t now_ns)
{
    const struct bench_wire *wire = &conn->load->wire;
    for (size_t i = 0; i < count; i++) {
        conn->sent_ns[conn->sent++ % wire->ring] = now_ns;
    }
    conn->load->in_flight += count;
    conn->unsent += count * wire->send_bytes;
    conn_flush(conn);
}

/* Compares with what must come next; gives how many echoes are complete with it. */
static size_t conn_match(struct load_conn *conn, struct tb_str bytes)
{
    const struct bench_wire *wire = &conn->load->wire;
    size_t ring_bytes = wire->ring * wire->echo_bytes;
    size_t complete = 0;
    while (bytes.len > 0) {
        size_t left = ring_bytes - conn->echo_at;
        size_t take = bytes.len < left ? bytes.len : left;
        if (memcmp(bytes.ptr, wire->echoes.data + conn->echo_at, take) != 0) {
            bench_die("wrong echo of message %zu", conn->done);
        }
        size_t end = conn->echo_at + take;
        complete += end / wire->echo_bytes - conn->echo_at / wire->echo_bytes;
        conn->echo_at = end == ring_bytes ? 0 : end;
        bytes = tb_str_sub(bytes, take, bytes.len);
    }
    return complete;
}

static size_t conn_match_replies(struct load_conn *conn, struct tb_str bytes)
{
    size_t complete = 0;
    while (bytes.len > 0) {
        if (conn->body_left == 0) {
            int status = bench_reply_head(&conn->reply, &bytes, &conn->body_left);
            if (status == 0) {
                break;
            }
            if (status != 200 || conn->body_left != conn->load->wire.echo_bytes) {
                bench_die("status %d with %zu bytes", status, conn->body_left);
            }
        }
        size_t take = bytes.len < conn->body_left ? bytes.len : conn->body_left;
        complete += conn_match(conn, tb_str_sub(bytes, 0, take));
        conn->body_left -= take;
        bytes = tb_str_sub(bytes, take, bytes.len);
    }
    return complete;
}

static void load_begin(struct load *load)
{
    uint64_t now = uv_hrtime();
    load->phase = WARM;
    load->began_ns = now;
    for (size_t i = 0; i < load->conn_count; i++) {
        conn_send(&load->conns[i], load->wire.ring, now);
    }
}

/* Called for each connection that is ready for messages; the last one starts the clock. */
static void conn_ready(struct load_conn *conn)
{
    struct load *load = conn->load;
    load->open++;
    if (load->dialled < load->conn_count) {
        conn_dial(&load->conns[load->dialled++]);
    }
    if (load->open == load->conn_count) {
        uv_timer_start(&load->timer, on_timer, load->warm_ms, 0);
        load_begin(load);
    }
}

static void conn_upgrade(struct load_conn *conn, struct tb_str bytes)
{
    size_t body_bytes = 0;
    int status = bench_reply_head(&conn->reply, &bytes, &body_bytes);
    if (status == 101 && bytes.len == 0) {
        conn->upgraded = true;
        conn_ready(conn);
    } else if (status != 0) {
        bench_die("the handshake was answered with %d", status);
    }
}

static void conn_echoes(struct load_conn *conn, struct tb_str bytes)
{
    struct load *load = conn->load;
    bool ws = load->wire.mode == BENCH_WS;
    size_t complete = ws ? conn_match(conn, bytes) : conn_match_replies(conn, bytes);
    if (complete > conn->sent - conn->done) {
        bench_die("an echo of a message that was not sent");
    }
    uint64_t now = uv_hrtime();
    for (size_t i = 0; i < complete; i++) {
        uint64_t sent_ns = conn->sent_ns[conn->done++ % load->wire.ring];
        if (load->phase == RUNNING) {
            bench_hist_add(&load->hist, now - sent_ns);
        }
    }
    load->in_flight -= complete;
    if (conn->done >= load->wire.ring && conn->done - complete < load->wire.ring) {
        load->warm++;
    }
    if (load->phase != DRAINING) {
        conn_send(conn, complete, now);
    } else if (load->in_flight == 0) {
        uv_stop(&load->loop);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    struct load_conn *conn = handle->data;
    *buf = uv_buf_init(conn->load->in, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    struct load_conn *conn = stream->data;
    bench_uv((int)nread, "read");
    struct tb_str bytes = {buf->base, (size_t)nread};
    if (conn->upgraded) {
        conn_echoes(conn, bytes);
    } else if (nread > 0) {
        conn_upgrade(conn, bytes);
    }
}

static void on_connect(uv_connect_t *req, int status)
{
    struct load_conn *conn = req->data;
    bench_uv(status, "connect");
    uv_tcp_nodelay(&conn->tcp, 1);
    uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read);
    if (conn->load->wire.mode != BENCH_WS) {
        conn->upgraded = true;
        conn_ready(conn);
        return;
    }
    struct tb_str hello = bench_wire_hello();
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)hello.ptr, (unsigned)hello.len);
    if (uv_try_write((uv_stream_t *)&conn->tcp, &buf, 1) != (int)hello.len) {
        bench_die("the handshake could not be sent");
    }
}

static void conn_dial(struct load_conn *conn)
{
    struct load *load = conn->load;
    bench_uv(uv_tcp_init(&load->loop, &conn->tcp), "socket");
    conn->tcp.data = conn;
    conn->connect.data = conn;
    conn->write.data = conn;
    const struct sockaddr *addr = (const struct sockaddr *)&load->addr;
    bench_uv(uv_tcp_connect(&conn->connect, &conn->tcp, addr, on_connect), "connect");
}

/* The first burst of many large messages can take longer than the warm-up: it is waited for, since
 * its echoes say nothing about a steady flow. */
static void load_warm_over(struct load *load)
{
    uint64_t now = uv_hrtime();
    bool late = now - load->began_ns > WARM_MAX_MS * UINT64_C(1000000);
    if (load->warm < load->conn_count && !late) {
        uv_timer_start(&load->timer, on_timer, WARM_LOOK_MS, 0);
        return;
    }
    load->phase = RUNNING;
    load->began_ns = now;
    load->cpu_began = cpu_seconds();
    load->server_began = server_seconds(load->server_pid);
    uv_timer_start(&load->timer, on_timer, load->run_ms, 0);
}

static void load_run_over(struct load *load)
{
    load->phase = DRAINING;
    load->elapsed_ns = uv_hrtime() - load->began_ns;
    load->cpu_used = cpu_seconds() - load->cpu_began;
    load->server_used = server_seconds(load->server_pid) - load->server_began;
    uv_timer_start(&load->timer, on_timer, STALL_MS, 0);
}

static void on_timer(uv_timer_t *timer)
{
    struct load *load = timer->data;
    switch (load->phase) {
    case WARM:
        load_warm_over(load);
        break;
    case RUNNING:
        load_run_over(load);
        break;
    case CONNECTING:
        bench_die("only %zu of %zu connections", load->open, load->conn_count);
    case DRAINING:
        bench_die("%zu echoes never came", load->in_flight);
    }
}

static void load_report(const struct load *load)
{
    double seconds = (double)load->elapsed_ns / 1e9;
    double count = (double)load->hist.count;
    printf("per_s=%.0f p50_us=%.1f p99_us=%.1f cpu=%.0f server_us=%.2f\n", count / seconds,
           (double)bench_hist_percentile(&load->hist, 50) / 1e3,
           (double)bench_hist_percentile(&load->hist, 99) / 1e3, load->cpu_used * 100 / seconds,
           count > 0 ? load->server_used * 1e6 / count : 0);
}

static enum bench_mode mode_of(const char *name)
{
    static const char *const names[] = {"ws", "post", "get"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return (enum bench_mode)i;
        }
    }
    bench_die("unknown mode '%s'", name);
}

static void load_run(struct load *load)
{
    bench_uv(uv_loop_init(&load->loop), "loop");
    uv_timer_init(&load->loop, &load->timer);
    load->timer.data = load;
    uv_timer_start(&load->timer, on_timer, STALL_MS, 0);
    load->conns = TB_NEW_ARRAY(struct load_conn, load->conn_count);
    for (size_t i = 0; i < load->conn_count; i++) {
        load->conns[i].load = load;
        load->conns[i].sent_ns = TB_NEW_ARRAY(uint64_t, load->wire.ring);
    }
    while (load->dialled < load->conn_count && load->dialled < DIAL_AT_ONCE) {
        conn_dial(&load->conns[load->dialled++]);
    }
    uv_run(&load->loop, UV_RUN_DEFAULT);
}

int main(int argc, char **argv)
{
    if (argc != 8 && argc != 9) {
        bench_die("ws|post|get PORT CONNECTIONS IN_FLIGHT BYTES WARM_MS RUN_MS [SERVER_PID]");
    }
    struct load *load = TB_NEW(struct load);
    bench_uv(uv_ip4_addr("127.0.0.1", (int)bench_number(argv[2], 1, 65535), &load->addr),
             "address");
    load->conn_count = bench_number(argv[3], 1, 20000);
    bench_wire_init(&load->wire, mode_of(argv[1]), bench_number(argv[4], 1, 1024),
                    bench_number(argv[5], 1, 1 << 20));
    load->warm_ms = bench_number(argv[6], 0, 60000);
    load->run_ms = bench_number(argv[7], 1, 600000);
    load->server_pid = argv[8];
    load_run(load);
    load_report(load);
    return 0;
}
