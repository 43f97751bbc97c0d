/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include <string.h>

#include "base/mem.h"

#include "../net/cmdline.h"

enum {
    READ_BYTES = 1024 * 1024,
    REST_MAX = 4 * 1024 * 1024,
    TARGET_MAX = 1024,
    HEAD_MAX = 14, /* of a frame */
    MASK_BYTES = 4,
    TEXT = 0x81,
    PING = 0x89,
    PONG = 0x8a,
    LINES_AT_ONCE = 4, /* parts of one write */
};

struct pending_write {
    uv_write_t req;
    char bytes[];
};

static void on_written(uv_write_t *req, int status)
{
    bench_uv(status, "write");
    tb_free(TB_CONTAINER(req, struct pending_write, req));
}

/* What the socket does not take at once is copied and left to libuv. */
static void write_all(struct bench_line *line, uv_buf_t *parts, unsigned count)
{
    uv_stream_t *stream = (uv_stream_t *)&line->tcp;
    int sent = uv_try_write(stream, parts, count);
    size_t done = sent > 0 ? (size_t)sent : 0;
    size_t total = 0;
    if (sent != UV_EAGAIN) {
        bench_uv(sent, "write");
    }
    for (unsigned i = 0; i < count; i++) {
        total += parts[i].len;
    }
    if (done == total) {
        return;
    }
    struct pending_write *write = tb_zalloc(sizeof(*write) + total);
    size_t at = 0;
    for (unsigned i = 0; i < count; i++) {
        memcpy(write->bytes + at, parts[i].base, parts[i].len);
        at += parts[i].len;
    }
    uv_buf_t left = uv_buf_init(write->bytes + done, (unsigned)(total - done));
    bench_uv(uv_write(&write->req, stream, &left, 1, on_written), "write");
}

static uv_buf_t part(struct tb_str text)
{
    return uv_buf_init((char *)(uintptr_t)text.ptr, (unsigned)text.len);
}

/* RFC 6455 section 5.2. */
static size_t frame_head(uint8_t *out, uint8_t kind, size_t size)
{
    unsigned width = size < 126 ? 0 : size <= UINT16_MAX ? 2 : 8;
    out[0] = kind;
    out[1] = (uint8_t)(0x80 | (width == 0 ? size : width == 2 ? 126 : 127));
    for (unsigned i = 0; i < width; i++) {
        out[2 + i] = (uint8_t)(size >> (8 * (width - 1 - i)));
    }
    memset(out + 2 + width, 0, MASK_BYTES);
    return 2 + width + MASK_BYTES;
}

static void send_frame(struct bench_line *line, uint8_t kind, struct tb_str head,
                       struct tb_str tail)
{
    uint8_t frame[HEAD_MAX];
    struct tb_str start = {(const char *)frame, frame_head(frame, kind, head.len + tail.len)};
    uv_buf_t parts[LINES_AT_ONCE] = {part(start), part(head), part(tail)};
    write_all(line, parts, 3);
}

void bench_line_send(struct bench_line *line, struct tb_str head, struct tb_str tail)
{
    send_frame(line, TEXT, head, tail);
}

/* The payload of the frame at the front, which is taken from *input; false: it has not all come. */
static bool next_frame(struct tb_str *input, uint8_t *ret_kind, struct tb_str *ret_payload)
{
    const uint8_t *bytes = (const uint8_t *)input->ptr;
    if (input->len < 2) {
        return false;
    }
    unsigned width = bytes[1] < 126 ? 0 : bytes[1] == 126 ? 2 : 8;
    size_t size = width ? 0 : bytes[1];
    if (input->len < 2 + width) {
        return false;
    }
    for (unsigned i = 0; i < width; i++) {
        size = size << 8 | bytes[2 + i];
    }
    if (input->len - 2 - width < size) {
        return false;
    }
    *ret_kind = bytes[0];
    *ret_payload = tb_str_sub(*input, 2 + width, 2 + width + size);
    *input = tb_str_sub(*input, 2 + width + size, input->len);
    return true;
}

static struct tb_str take_frames(struct bench_line *line, struct tb_str input)
{
    uint8_t kind;
    struct tb_str payload;
    while (next_frame(&input, &kind, &payload)) {
        if (kind == PING) {
            send_frame(line, PONG, payload, TB_STR(""));
        } else if (kind == TEXT) {
            line->lines->ops->message(line, payload);
        } else if (kind != PONG) {
            bench_die("a frame of kind %02x: %.*s", kind, TB_STR_ARG(payload));
        }
    }
    return input;
}

/* What follows the head of a reply that was good; the same input if not all of it has come. */
static struct tb_str take_head(struct bench_line *line, struct tb_str input)
{
    const char *end = memmem(input.ptr, input.len, "\r\n\r\n", 4);
    if (!end) {
        return input;
    }
    if (!tb_str_starts(input, TB_STR("HTTP/1.1 101"))) {
        bench_die("%.*s was answered with: %.*s", TB_STR_ARG(tb_buf_str(&line->target)),
                  TB_STR_ARG(input));
    }
    line->upgraded = true;
    tb_buf_fini(&line->target);
    line->lines->ops->open(line);
    return tb_str_sub(input, (size_t)(end - input.ptr) + 4, input.len);
}

static struct tb_str take(struct bench_line *line, struct tb_str input)
{
    if (!line->upgraded) {
        input = take_head(line, input);
    }
    return line->upgraded ? take_frames(line, input) : input;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    const struct bench_line *line = handle->data;
    (void)suggested;
    *buf = uv_buf_init(line->lines->in, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    struct bench_line *line = stream->data;
    bench_uv((int)nread, "read");
    struct tb_str input = {buf->base, (size_t)nread};
    if (!line->rest.len) {
        tb_buf_append_str(&line->rest, take(line, input));
        return;
    }
    tb_buf_append_str(&line->rest, input);
    struct tb_str left = take(line, tb_buf_str(&line->rest));
    tb_buf_consume(&line->rest, line->rest.len - left.len);
}

static void on_connect(uv_connect_t *req, int status)
{
    struct bench_line *line = req->data;
    bench_uv(status, "connect");
    uv_tcp_nodelay(&line->tcp, 1);
    bench_uv(uv_read_start((uv_stream_t *)&line->tcp, on_alloc, on_read), "read");
    uv_buf_t parts[LINES_AT_ONCE] = {
        part(TB_STR("GET ")), part(tb_buf_str(&line->target)),
        part(TB_STR(" HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    "Sec-WebSocket-Version: 13\r\n\r\n"))};
    write_all(line, parts, 3);
}

void bench_lines_init(struct bench_lines *lines, uv_loop_t *loop, const struct bench_line_ops *ops)
{
    *lines = (struct bench_lines){.loop = loop, .ops = ops, .in = tb_zalloc(READ_BYTES)};
}

void bench_line_dial(struct bench_line *line, struct bench_lines *lines, unsigned port,
                     const char *target)
{
    struct sockaddr_in addr;
    line->lines = lines;
    tb_buf_init(&line->rest, REST_MAX);
    tb_buf_init(&line->target, TARGET_MAX);
    tb_buf_append_cstr(&line->target, target);
    bench_uv(uv_ip4_addr("127.0.0.1", (int)port, &addr), "address");
    bench_uv(uv_tcp_init(lines->loop, &line->tcp), "socket");
    line->tcp.data = line;
    line->connect.data = line;
    bench_uv(uv_tcp_connect(&line->connect, &line->tcp, (const struct sockaddr *)&addr, on_connect),
             "connect");
}
