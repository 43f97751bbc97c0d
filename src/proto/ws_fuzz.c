/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/id.h"
#include "proto/ws.h"

/* The first byte chooses the role, whether our side closes half-way, and the sizes of the pieces.
 * However the bytes are cut, the same must come of them; and every frame that goes out is well
 * formed. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    ROLE_BIT = 1,
    CLOSE_BIT = 2,
    ECHO_BIT = 4,
    STEP_SHIFT = 3,
    MESSAGE_MAX = 4096,
    LOG_MAX = 64 << 20,
};

struct trace {
    enum tb_ws_role role;
    bool echo;
    bool over;
    bool close_sent;
    struct tb_buf log;
};

static void note(struct trace *trace, char kind, int code, struct tb_str data)
{
    if (tb_buf_printf(&trace->log, "%c%d,%zu:", kind, code, data.len) < 0 ||
        tb_buf_append_str(&trace->log, data) < 0) {
        abort();
    }
}

static void check(bool good)
{
    if (!good) {
        abort();
    }
}

static int on_write(struct tb_str bytes, void *user)
{
    struct trace *trace = user;
    const uint8_t *frame = (const uint8_t *)bytes.ptr;
    bool masked = trace->role == TB_WS_CLIENT;
    check(bytes.len >= 2 && (frame[0] & 0x70) == 0 && frame[0] >> 7 == 1);
    check(frame[1] >> 7 == masked && !trace->close_sent && !trace->over);
    size_t len = frame[1] & 0x7f;
    size_t head = 2;
    if (len == 126) {
        check(bytes.len >= 4);
        len = (size_t)frame[2] << 8 | frame[3];
        head = 4;
        check(len >= 126);
    }
    const uint8_t *key = frame + head;
    head += masked ? 4 : 0;
    check(len <= MESSAGE_MAX && bytes.len == head + len);
    char payload[MESSAGE_MAX];
    for (size_t i = 0; i < len; i++) {
        payload[i] = (char)(frame[head + i] ^ (masked ? key[i % 4] : 0));
    }
    trace->close_sent = (frame[0] & 0xf) == 8;
    note(trace, 'w', frame[0] & 0xf, (struct tb_str){payload, len});
    return 0;
}

static void on_message(struct tb_ws *ws, bool text, struct tb_str data, void *user)
{
    struct trace *trace = user;
    check(!trace->over && data.len <= MESSAGE_MAX);
    note(trace, text ? 't' : 'b', 0, data);
    if (trace->echo) {
        check(tb_ws_send(ws, text, data) == 0);
    }
}

static void on_pong(struct tb_ws *ws, struct tb_str data, void *user)
{
    struct trace *trace = user;
    (void)ws;
    check(!trace->over && data.len <= 125);
    note(trace, 'p', 0, data);
}

static void on_close(struct tb_ws *ws, int code, struct tb_str reason, void *user)
{
    struct trace *trace = user;
    (void)ws;
    check(!trace->over && trace->close_sent);
    note(trace, 'c', code, reason);
    trace->over = true;
}

static void feed(struct tb_ws *ws, const struct trace *trace, struct tb_str bytes, uint8_t step)
{
    size_t at = 0;
    uint32_t mix = step;
    while (at < bytes.len) {
        mix = mix * 1103515245 + 12345;
        size_t len = step == 0 ? bytes.len : step == 1 ? 1 : (mix >> 16) % step + 1;
        len = len < bytes.len - at ? len : bytes.len - at;
        int rc = tb_ws_feed(ws, tb_str_sub(bytes, at, at + len), 0);
        check((rc < 0) == trace->over);
        at += len;
    }
}

static void run(struct trace *trace, uint8_t flags, struct tb_str bytes, uint8_t step)
{
    static const struct tb_ws_ops ops = {on_write, on_message, on_pong, on_close};
    static const struct tb_ws_limits limits = {
        .message_max = MESSAGE_MAX, .fragments_max = 8, .control_frames_per_sec = 20};
    *trace = (struct trace){
        .role = flags & ROLE_BIT ? TB_WS_CLIENT : TB_WS_SERVER,
        .echo = (flags & ECHO_BIT) != 0,
    };
    tb_buf_init(&trace->log, LOG_MAX);
    struct tb_ws *ws = tb_ws_new(trace->role, &limits, &ops, trace);
    size_t half = flags & CLOSE_BIT ? bytes.len / 2 : 0;
    feed(ws, trace, tb_str_sub(bytes, 0, half), step);
    if (flags & CLOSE_BIT) {
        check(tb_ws_close(ws, TB_WS_GOING_AWAY, TB_STR("enough")) == 0);
    }
    feed(ws, trace, tb_str_sub(bytes, half, bytes.len), step);
    tb_ws_free(ws);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || tb_id_init() < 0) {
        return 0;
    }
    struct tb_str bytes = {(const char *)data + 1, size - 1};
    /* Echo would fail after our own close, so the two exclude each other. */
    uint8_t flags = data[0] & CLOSE_BIT ? data[0] & (uint8_t)~ECHO_BIT : data[0];
    const uint8_t steps[] = {1, data[0] >> STEP_SHIFT};
    struct trace whole;
    run(&whole, flags, bytes, 0);
    for (size_t i = 0; i < TB_COUNT(steps); i++) {
        struct trace cut;
        run(&cut, flags, bytes, steps[i]);
        check(tb_str_eq(tb_buf_str(&cut.log), tb_buf_str(&whole.log)));
        tb_buf_fini(&cut.log);
    }
    tb_buf_fini(&whole.log);
    return 0;
}
