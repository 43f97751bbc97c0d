/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/ws.h"

#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"
#include "proto/utf8_feed.h"
#include "proto/ws_frame.h"

enum {
    CODE_BYTES = 2,
    REASON_MAX = TB_WS_CONTROL_MAX - CODE_BYTES,
    SMALL_PAYLOAD = 4096, /* up to here a frame is built on the stack */
    RATE_WINDOW_MS = 1000,
};

/* OPEN -> CLOSING (our close frame is out) -> OVER (on_close was called, or it was freed). */
enum state {
    OPEN,
    CLOSING,
    OVER,
};

struct tb_ws {
    enum tb_ws_role role;
    enum state state;
    struct tb_ws_limits limits;
    struct tb_ws_ops ops;
    void *user;
    struct tb_ws_frames frames;

    /* Calls on the stack that still need the object; tb_ws_free waits for them. */
    unsigned busy;
    bool freed;
    bool feeding;
    bool quiet; /* a pong came: the connection has nothing else to do */

    /* The message that is coming in. Control frames may stand between its fragments. */
    bool in_message;
    bool text;
    unsigned fragments;
    uint64_t message_bytes; /* as the headers so far declare */
    struct tb_buf message;
    struct tb_utf8_feed utf8; /* whole between messages, else it would be over */

    uint8_t control[TB_WS_CONTROL_MAX];
    uint8_t control_len;
    unsigned control_count; /* within the window */
    int64_t window_ms;
    int64_t now_ms;
};

/* What the peer did wrong; code 0 is nothing. */
struct breach {
    int code;
    const char *words;
};

struct tb_ws *tb_ws_new(enum tb_ws_role role, const struct tb_ws_limits *limits,
                        const struct tb_ws_ops *ops, void *user)
{
    struct tb_ws *ws = TB_NEW(struct tb_ws);
    ws->role = role;
    ws->limits = *limits;
    ws->ops = *ops;
    ws->user = user;
    tb_buf_init(&ws->message, limits->message_max);
    return ws;
}

static void destroy(struct tb_ws *ws)
{
    tb_ws_frames_fini(&ws->frames);
    tb_buf_fini(&ws->message);
    tb_free(ws);
}

void tb_ws_free(struct tb_ws *ws)
{
    if (!ws) {
        return;
    }
    ws->state = OVER;
    ws->freed = true;
    if (ws->busy == 0) {
        destroy(ws);
    }
}

static void enter(struct tb_ws *ws)
{
    ws->busy++;
}

/* The object may be gone after this. */
static void leave(struct tb_ws *ws)
{
    ws->busy--;
    if (ws->busy == 0 && ws->freed) {
        destroy(ws);
    }
}

/* One call of `write` for a whole frame, so that an owner with a full queue can refuse all of it.
 */
static int send_frame(struct tb_ws *ws, enum tb_ws_opcode opcode, struct tb_str data)
{
    uint8_t small[TB_WS_HEAD_MAX + SMALL_PAYLOAD];
    TB_AUTO(tb_free) uint8_t *large = NULL;
    uint8_t *frame = small;
    if (data.len > SMALL_PAYLOAD) {
        large = tb_realloc(NULL, TB_WS_HEAD_MAX + data.len);
        frame = large;
    }
    size_t size = tb_ws_frames_build(&ws->frames, opcode, ws->role == TB_WS_CLIENT, data, frame);
    return ws->ops.write((struct tb_str){(const char *)frame, size}, ws->user);
}

static int send_close(struct tb_ws *ws, int code, struct tb_str reason)
{
    uint8_t payload[TB_WS_CONTROL_MAX];
    size_t len = 0;
    if (code != TB_WS_NO_STATUS) {
        payload[0] = (uint8_t)(code >> 8);
        payload[1] = (uint8_t)code;
        size_t reason_len = tb_utf8_prefix(tb_str_sub(reason, 0, REASON_MAX));
        if (reason.ptr) {
            memcpy(payload + CODE_BYTES, reason.ptr, reason_len);
        }
        len = CODE_BYTES + reason_len;
    }
    ws->state = CLOSING;
    return send_frame(ws, TB_WS_OP_CLOSE, (struct tb_str){(const char *)payload, len});
}

static void finish(struct tb_ws *ws, int code, struct tb_str reason)
{
    if (ws->state == OVER) {
        return;
    }
    ws->state = OVER;
    ws->ops.on_close(ws, code, reason, ws->user);
}

static void fail(struct tb_ws *ws, struct breach breach)
{
    struct tb_str words = tb_str_of(breach.words);
    if (ws->state == OPEN) {
        /* The connection ends anyway, whether the peer can be told or not. */
        (void)send_close(ws, breach.code, words);
    }
    finish(ws, breach.code, words);
}

/* RFC 6455 section 7.4 and the IANA registry: which codes may stand in a close frame. */
static bool code_may_be_sent(int code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

static struct breach judge_data(const struct tb_ws *ws, const struct tb_ws_frame *frame)
{
    if (frame->opcode == TB_WS_OP_CONTINUATION && !ws->in_message) {
        return (struct breach){TB_WS_PROTOCOL_ERROR, "continuation without a start"};
    }
    if (frame->opcode != TB_WS_OP_CONTINUATION && ws->in_message) {
        return (struct breach){TB_WS_PROTOCOL_ERROR, "new message inside a fragmented one"};
    }
    uint64_t have = ws->in_message ? ws->message_bytes : 0;
    if (frame->length > ws->limits.message_max || have > ws->limits.message_max - frame->length) {
        return (struct breach){TB_WS_TOO_BIG, "message too big"};
    }
    unsigned fragments = ws->in_message ? ws->fragments : 0;
    if (ws->limits.fragments_max && fragments >= ws->limits.fragments_max) {
        return (struct breach){TB_WS_POLICY, "too many fragments"};
    }
    return (struct breach){0, NULL};
}

static struct breach judge_control(struct tb_ws *ws)
{
    if (ws->now_ms - ws->window_ms >= RATE_WINDOW_MS) {
        ws->window_ms = ws->now_ms;
        ws->control_count = 0;
    }
    ws->control_count++;
    if (ws->limits.control_frames_per_sec &&
        ws->control_count > ws->limits.control_frames_per_sec) {
        return (struct breach){TB_WS_POLICY, "too many control frames"};
    }
    return (struct breach){0, NULL};
}

static struct breach judge_head(struct tb_ws *ws, const struct tb_ws_frame *frame)
{
    if (frame->rsv) {
        return (struct breach){TB_WS_PROTOCOL_ERROR, "reserved bits"};
    }
    if (frame->masked != (ws->role == TB_WS_SERVER)) {
        return (struct breach){TB_WS_PROTOCOL_ERROR,
                               frame->masked ? "masked frame" : "frame without a mask"};
    }
    switch (frame->opcode) {
    case TB_WS_OP_CONTINUATION:
    case TB_WS_OP_TEXT:
    case TB_WS_OP_BINARY:
        return judge_data(ws, frame);
    case TB_WS_OP_PING:
    case TB_WS_OP_PONG:
        return judge_control(ws);
    case TB_WS_OP_CLOSE:
        return (struct breach){0, NULL};
    default:
        return (struct breach){TB_WS_PROTOCOL_ERROR, "reserved opcode"};
    }
}

static bool is_control(const struct tb_ws_frame *frame)
{
    return frame->opcode >= TB_WS_OP_CLOSE;
}

static void take_head(struct tb_ws *ws, const struct tb_ws_frame *frame)
{
    struct breach breach = judge_head(ws, frame);
    if (breach.code) {
        fail(ws, breach);
        return;
    }
    if (is_control(frame)) {
        ws->control_len = 0;
        return;
    }
    if (!ws->in_message) {
        ws->in_message = true;
        ws->text = frame->opcode == TB_WS_OP_TEXT;
        ws->fragments = 0;
        ws->message_bytes = 0;
    }
    ws->fragments++;
    ws->message_bytes += frame->length;
}

static void take_data(struct tb_ws *ws, struct tb_str data, bool ends)
{
    ws->in_message = !ends;
    if (ws->state == CLOSING) {
        return;
    }
    if (ws->text && (!tb_utf8_feed(&ws->utf8, data) || (ends && !tb_utf8_feed_whole(&ws->utf8)))) {
        fail(ws, (struct breach){TB_WS_BAD_DATA, "text is not UTF-8"});
        return;
    }
    /* A message in one piece goes up from where it lies. */
    if (ws->message.len > 0 || !ends) {
        if (tb_buf_append_str(&ws->message, data) < 0) {
            fail(ws, (struct breach){TB_WS_TOO_BIG, "message too big"});
            return;
        }
        data = tb_buf_str(&ws->message);
    }
    if (ends) {
        ws->ops.on_message(ws, ws->text, data, ws->user);
        tb_buf_fini(&ws->message);
    }
}

static void take_close(struct tb_ws *ws, struct tb_str payload)
{
    int code = TB_WS_NO_STATUS;
    struct tb_str reason = tb_str_sub(payload, CODE_BYTES, payload.len);
    if (payload.len > 0) {
        code = payload.len == 1 ? 0 : ws->control[0] << 8 | ws->control[1];
        if (!code_may_be_sent(code)) {
            fail(ws, (struct breach){TB_WS_PROTOCOL_ERROR, "close code"});
            return;
        }
        if (!tb_utf8_valid(reason)) {
            fail(ws, (struct breach){TB_WS_BAD_DATA, "close reason is not UTF-8"});
            return;
        }
    }
    if (ws->state == OPEN) {
        (void)send_close(ws, code, (struct tb_str){NULL, 0});
    }
    finish(ws, code, reason);
}

static void take_control(struct tb_ws *ws, uint8_t opcode, struct tb_str piece, bool ends)
{
    memcpy(ws->control + ws->control_len, piece.ptr, piece.len);
    ws->control_len = (uint8_t)(ws->control_len + piece.len);
    if (!ends) {
        return;
    }
    struct tb_str payload = {(const char *)ws->control, ws->control_len};
    if (opcode == TB_WS_OP_CLOSE) {
        take_close(ws, payload);
    } else if (opcode == TB_WS_OP_PONG) {
        ws->quiet = true;
        if (ws->ops.on_pong) {
            ws->ops.on_pong(ws, payload, ws->user);
        }
    } else if (ws->state == OPEN && send_frame(ws, TB_WS_OP_PONG, payload) < 0) {
        finish(ws, TB_WS_ABNORMAL, (struct tb_str){"", 0});
    }
}

static void take_part(struct tb_ws *ws, int part, struct tb_str data)
{
    const struct tb_ws_frame *frame = &ws->frames.frame;
    if (part < 0) {
        fail(ws, (struct breach){TB_WS_PROTOCOL_ERROR, "frame header"});
    } else if (part == TB_WS_PART_HEAD) {
        take_head(ws, frame);
    } else if (is_control(frame)) {
        take_control(ws, frame->opcode, data, part == TB_WS_PART_LAST);
    } else {
        take_data(ws, data, part == TB_WS_PART_LAST && frame->fin);
    }
}

int tb_ws_feed(struct tb_ws *ws, struct tb_str bytes, int64_t now_ms)
{
    if (ws->state == OVER) {
        return TB_E_CLOSED;
    }
    if (ws->feeding) {
        return TB_E_INVALID;
    }
    enter(ws);
    ws->feeding = true;
    ws->now_ms = now_ms;
    while (ws->state != OVER) {
        struct tb_str data = {"", 0};
        int part = tb_ws_frames_next(&ws->frames, &bytes, &data);
        if (part == TB_WS_PART_MORE) {
            break;
        }
        take_part(ws, part, data);
    }
    ws->feeding = false;
    if (ws->quiet || ws->state == OVER) {
        ws->quiet = false;
        tb_ws_frames_rest(&ws->frames);
    }
    int rc = ws->state == OVER ? TB_E_CLOSED : 0;
    leave(ws);
    return rc;
}

static int send_open(struct tb_ws *ws, enum tb_ws_opcode opcode, struct tb_str data)
{
    if (ws->state != OPEN) {
        return TB_E_CLOSED;
    }
    enter(ws);
    int rc = send_frame(ws, opcode, data);
    leave(ws);
    return rc < 0 ? rc : 0;
}

int tb_ws_send(struct tb_ws *ws, bool text, struct tb_str data)
{
    return send_open(ws, text ? TB_WS_OP_TEXT : TB_WS_OP_BINARY, data);
}

int tb_ws_ping(struct tb_ws *ws, struct tb_str data)
{
    return data.len > TB_WS_CONTROL_MAX ? TB_E_TOO_LARGE : send_open(ws, TB_WS_OP_PING, data);
}

int tb_ws_close(struct tb_ws *ws, int code, struct tb_str reason)
{
    if (ws->state != OPEN) {
        return 0;
    }
    if (code != TB_WS_NO_STATUS && !code_may_be_sent(code)) {
        return TB_E_INVALID;
    }
    enter(ws);
    int rc = send_close(ws, code, reason);
    if (rc < 0 && ws->state == CLOSING) {
        ws->state = OPEN;
    }
    leave(ws);
    return rc < 0 ? rc : 0;
}
