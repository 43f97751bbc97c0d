/* SPDX-License-Identifier: Apache-2.0 */
/* WebSocket after the handshake (RFC 6455), over wslay; no I/O. One object is one side of one
 * connection: bytes go in by tb_ws_feed, whole messages come out of the callbacks, and frames for
 * the peer go to `write`. Pings are answered by itself.
 *
 * A breach by the peer is answered with a close frame and reported once by on_close; so is the
 * peer's own close. After on_close nothing more is delivered. Callbacks may call anything here but
 * tb_ws_feed, tb_ws_free included. An idle connection costs about half a kilobyte, a busy one 4.2
 * KB more. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"

struct tb_ws;

enum tb_ws_role {
    TB_WS_SERVER,
    TB_WS_CLIENT,
};

enum {
    TB_WS_NORMAL = 1000,
    TB_WS_GOING_AWAY = 1001,
    TB_WS_PROTOCOL_ERROR = 1002,
    TB_WS_NO_STATUS = 1005, /* reported, never sent */
    TB_WS_ABNORMAL = 1006,  /* reported, never sent */
    TB_WS_BAD_DATA = 1007,
    TB_WS_POLICY = 1008,
    TB_WS_TOO_BIG = 1009,
    TB_WS_TRY_LATER = 1013,
};

struct tb_ws_limits {
    size_t message_max;
    unsigned fragments_max;          /* of one message; 0: no limit */
    unsigned control_frames_per_sec; /* pings and pongs; 0: no limit */
};

struct tb_ws_ops {
    /* One whole frame for the peer, borrowed. A negative result means that nothing of it was taken:
     * the call that sends returns it; a pong that cannot be written ends the connection with
     * TB_WS_ABNORMAL. */
    int (*write)(struct tb_str bytes, void *user);
    /* A whole message; `data` is borrowed for the call. */
    void (*on_message)(struct tb_ws *ws, bool text, struct tb_str data, void *user);
    void (*on_pong)(struct tb_ws *ws, struct tb_str data, void *user); /* may be NULL */
    /* The connection is over, by the peer's close or by its breach: code and reason as in the close
     * frame that was received or sent. The owner then closes the transport once all is written. */
    void (*on_close)(struct tb_ws *ws, int code, struct tb_str reason, void *user);
};

struct tb_ws *tb_ws_new(enum tb_ws_role role, const struct tb_ws_limits *limits,
                        const struct tb_ws_ops *ops, void *user);
void tb_ws_free(struct tb_ws *ws);
TB_DEFINE_AUTO(struct tb_ws *, tb_ws_free)

/* `now_ms` is the monotonic time, for the rate of control frames. 0, or TB_E_CLOSED once it is
 * over, which includes that a callback freed it. Not from inside a callback of the same object:
 * TB_E_INVALID. */
int tb_ws_feed(struct tb_ws *ws, struct tb_str bytes, int64_t now_ms);
/* One message in one frame. Text must be UTF-8 (the caller's duty). TB_E_CLOSED after a close was
 * sent. */
int tb_ws_send(struct tb_ws *ws, bool text, struct tb_str data);
/* At most 125 bytes, else TB_E_TOO_LARGE. */
int tb_ws_ping(struct tb_ws *ws, struct tb_str data);
/* Starts the closing handshake; on_close comes when the peer has answered, its messages until then
 * are thrown away. TB_WS_NO_STATUS sends an empty close frame; other codes that may not be sent are
 * TB_E_INVALID. A reason over 123 bytes is cut. Repeated calls do nothing. */
int tb_ws_close(struct tb_ws *ws, int code, struct tb_str reason);
