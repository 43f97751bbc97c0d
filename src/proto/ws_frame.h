/* SPDX-License-Identifier: Apache-2.0 */
/* WebSocket frames over wslay, taken apart and put together. Which frame may come when is the
 * business of proto/ws; here is only their form.
 *
 *   HEAD -> DATA* -> LAST for each frame; LAST brings the final piece, which may be empty.
 *
 * wslay shows a header only together with the first byte of its payload, and takes a mask off byte
 * by byte. So headers are collected here and shown as soon as they are whole, and the mask goes off
 * while payload is copied into wslay's buffer; wslay sees a frame without a mask. Its context holds
 * that buffer of 4 KB: it is made when first needed and given back by tb_ws_frames_rest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct wslay_frame_context;

enum tb_ws_opcode {
    TB_WS_OP_CONTINUATION = 0x0,
    TB_WS_OP_TEXT = 0x1,
    TB_WS_OP_BINARY = 0x2,
    TB_WS_OP_CLOSE = 0x8,
    TB_WS_OP_PING = 0x9,
    TB_WS_OP_PONG = 0xa,
};

enum {
    TB_WS_HEAD_MAX = 14,     /* two bytes, a length of eight, a mask key of four */
    TB_WS_CONTROL_MAX = 125, /* payload of a control frame */
    TB_WS_KEY_POOL = 64,     /* sixteen mask keys for one call to the kernel */
};

enum tb_ws_part {
    TB_WS_PART_MORE, /* the input is used up */
    TB_WS_PART_HEAD,
    TB_WS_PART_DATA,
    TB_WS_PART_LAST,
};

struct tb_ws_frame {
    bool fin;
    bool masked;
    uint8_t rsv;
    uint8_t opcode;
    uint64_t length;
};

/* Zeroed it is ready; tb_ws_frames_fini frees what it holds. It must not move. */
struct tb_ws_frames {
    struct wslay_frame_context *wslay;
    struct tb_ws_frame frame; /* the current one, from HEAD on */
    struct tb_str input;
    uint64_t left;      /* payload of the current frame that has not come yet */
    uint8_t *build_end; /* where a frame that is being built goes on */
    uint8_t head[TB_WS_HEAD_MAX];
    uint8_t head_len;
    uint8_t head_due; /* bytes of the header that wslay still has to get */
    bool in_payload;
    uint8_t mask[4]; /* turned so that the first byte is for the next byte of payload */
    uint8_t keys[TB_WS_KEY_POOL];
    uint8_t keys_left;
};

void tb_ws_frames_fini(struct tb_ws_frames *frames);
/* Takes from the front of *input. *ret_data is borrowed until the next call. TB_E_PROTOCOL when
 * wslay finds a header badly formed: a control frame that is long or in fragments, a length not in
 * its shortest form or with the highest bit set. */
int tb_ws_frames_next(struct tb_ws_frames *frames, struct tb_str *input, struct tb_str *ret_data);
/* Writes a whole frame to `out`, which has room for TB_WS_HEAD_MAX more than the data. Gives its
 * size. */
size_t tb_ws_frames_build(struct tb_ws_frames *frames, enum tb_ws_opcode opcode, bool masked,
                          struct tb_str data, uint8_t *out);
/* Gives wslay's buffer back, unless a frame is half read. Data from tb_ws_frames_next is gone then.
 */
void tb_ws_frames_rest(struct tb_ws_frames *frames);
