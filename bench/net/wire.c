/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include <stdio.h>
#include <string.h>

enum {
    WIRE_MAX = 1 << 30,
    MASK_BYTES = 4,
};

static const char pong[] = "pong\n";

static void payload_make(char *payload, size_t number, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        payload[i] = (char)('a' + (i + number * 7) % 26);
    }
}

/* The head of a text frame in one piece. RFC 6455 section 5.2. */
static void frame_head(struct tb_buf *out, size_t size, bool masked)
{
    char mask_bit = masked ? (char)0x80 : 0;
    tb_buf_append_char(out, (char)0x81);
    if (size < 126) {
        tb_buf_append_char(out, (char)(mask_bit | (char)size));
        return;
    }
    unsigned width = size <= UINT16_MAX ? 2 : 8;
    tb_buf_append_char(out, (char)(mask_bit | (width == 2 ? 126 : 127)));
    for (unsigned i = 0; i < width; i++) {
        tb_buf_append_char(out, (char)(size >> (8 * (width - 1 - i))));
    }
}

static void frame_masked(struct tb_buf *out, const char *payload, size_t size)
{
    static const uint8_t mask[MASK_BYTES] = {0x5a, 0x13, 0xc7, 0x2e};
    frame_head(out, size, true);
    tb_buf_append(out, mask, sizeof(mask));
    for (size_t i = 0; i < size; i++) {
        tb_buf_append_char(out, (char)((uint8_t)payload[i] ^ mask[i % MASK_BYTES]));
    }
}

static void message_make(struct bench_wire *wire, const char *payload, size_t size)
{
    struct tb_str body = {payload, size};
    switch (wire->mode) {
    case BENCH_WS:
        frame_masked(&wire->sending, payload, size);
        frame_head(&wire->echoes, size, false);
        tb_buf_append_str(&wire->echoes, body);
        break;
    case BENCH_POST:
        tb_buf_printf(&wire->sending,
                      "POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n"
                      "Content-Length: %zu\r\n\r\n",
                      size);
        tb_buf_append_str(&wire->sending, body);
        tb_buf_append_str(&wire->echoes, body);
        break;
    case BENCH_GET:
        tb_buf_append_cstr(&wire->sending, "GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        tb_buf_append_cstr(&wire->echoes, pong);
        break;
    }
}

void bench_wire_init(struct bench_wire *wire, enum bench_mode mode, size_t ring, size_t size)
{
    *wire = (struct bench_wire){.mode = mode, .ring = ring};
    tb_buf_init(&wire->sending, WIRE_MAX);
    tb_buf_init(&wire->echoes, WIRE_MAX);
    TB_AUTO(tb_free) char *payload = tb_zalloc(size + 1);
    for (size_t i = 0; i < ring; i++) {
        payload_make(payload, i, size);
        message_make(wire, payload, size);
    }
    wire->send_bytes = wire->sending.len / ring;
    wire->echo_bytes = wire->echoes.len / ring;

    size_t once = wire->sending.len;
    uint8_t *room;
    if (tb_buf_reserve(&wire->sending, once, &room) == 0) {
        memcpy(room, wire->sending.data, once);
        wire->sending.len += once;
    }
}

void bench_wire_fini(struct bench_wire *wire)
{
    tb_buf_fini(&wire->sending);
    tb_buf_fini(&wire->echoes);
}

struct tb_str bench_wire_hello(void)
{
    return TB_STR("GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                  "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                  "Sec-WebSocket-Version: 13\r\n\r\n");
}

/* Status line and Content-Length of a whole head; -1 when there is no status. */
static int head_read(struct tb_str head, size_t *ret_body_bytes)
{
    struct tb_str rest = head;
    struct tb_str line = tb_str_cut(&rest, '\n');
    uint64_t status;
    if (!tb_str_starts(line, TB_STR("HTTP/1.1 ")) ||
        !tb_str_to_u64(tb_str_sub(line, 9, 12), &status)) {
        return -1;
    }
    uint64_t length = 0;
    while (rest.len > 0) {
        struct tb_str value = tb_str_cut(&rest, '\n');
        struct tb_str name = tb_str_cut(&value, ':');
        if (tb_str_eq_nocase(name, TB_STR("content-length"))) {
            if (value.len > 0 && value.ptr[value.len - 1] == '\r') {
                value.len--;
            }
            if (!tb_str_to_u64(tb_str_trim(value), &length)) {
                return -1;
            }
        }
    }
    *ret_body_bytes = (size_t)length;
    return (int)status;
}

/* A head that came in one piece, which is nearly always so, is read where it lies. */
int bench_reply_head(struct bench_reply *reply, struct tb_str *input, size_t *ret_body_bytes)
{
    static const char gap[] = "\r\n\r\n";
    struct tb_str head = *input;
    size_t kept = reply->len;
    if (kept > 0) {
        size_t room = BENCH_HEAD_MAX - kept;
        size_t add = input->len < room ? input->len : room;
        memcpy(reply->head + kept, input->ptr, add);
        head = (struct tb_str){reply->head, kept + add};
    }
    const char *end = memmem(head.ptr, head.len, gap, 4);
    if (!end) {
        if (head.len >= BENCH_HEAD_MAX) {
            return -1;
        }
        if (kept == 0) {
            memcpy(reply->head, head.ptr, head.len);
        }
        reply->len = head.len;
        *input = tb_str_sub(*input, input->len, input->len);
        return 0;
    }
    head.len = (size_t)(end - head.ptr) + 4;
    *input = tb_str_sub(*input, head.len - kept, input->len);
    reply->len = 0;
    return head_read(head, ret_body_bytes);
}
