/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/ws_frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <wslay/wslay.h>

#include "base/err.h"
#include "base/id.h"

enum {
    FIN_BIT = 0x80,
    MASK_BIT = 0x80,
    LENGTH_16 = 126,
    LENGTH_64 = 127,
    KEY_BYTES = 4,
};

/* Copies and takes the mask off, a word at a time; leaves the mask turned for what follows. */
static void copy_unmasked(uint8_t *to, const uint8_t *from, size_t len, uint8_t mask[KEY_BYTES])
{
    uint8_t twice[2 * KEY_BYTES];
    memcpy(twice, mask, KEY_BYTES);
    memcpy(twice + KEY_BYTES, mask, KEY_BYTES);
    uint64_t key;
    memcpy(&key, twice, sizeof(key));
    size_t at = 0;
    for (; at + sizeof(key) <= len; at += sizeof(key)) {
        uint64_t word;
        memcpy(&word, from + at, sizeof(word));
        word ^= key;
        memcpy(to + at, &word, sizeof(word));
    }
    for (; at < len; at++) {
        to[at] = from[at] ^ mask[at % KEY_BYTES];
    }
    memcpy(mask, twice + len % KEY_BYTES, KEY_BYTES);
}

/* wslay asks for bytes: first the header, then this frame's payload and nothing of the next frame.
 */
static ssize_t on_recv(uint8_t *buf, size_t len, int flags, void *user)
{
    (void)flags;
    struct tb_ws_frames *frames = user;
    if (frames->head_due > 0) {
        size_t size = frames->head_due;
        assert(len >= size);
        memcpy(buf, frames->head, size);
        frames->head_due = 0;
        return (ssize_t)size;
    }
    len = len < frames->input.len ? len : frames->input.len;
    len = len < frames->left ? len : (size_t)frames->left;
    if (len == 0) {
        return -1;
    }
    if (frames->frame.masked) {
        copy_unmasked(buf, (const uint8_t *)frames->input.ptr, len, frames->mask);
    } else {
        memcpy(buf, frames->input.ptr, len);
    }
    frames->input = tb_str_sub(frames->input, len, frames->input.len);
    frames->left -= len;
    return (ssize_t)len;
}

static ssize_t on_send(const uint8_t *data, size_t len, int flags, void *user)
{
    (void)flags;
    struct tb_ws_frames *frames = user;
    memcpy(frames->build_end, data, len);
    frames->build_end += len;
    return (ssize_t)len;
}

static int on_genmask(uint8_t *buf, size_t len, void *user)
{
    struct tb_ws_frames *frames = user;
    if (frames->keys_left < len) {
        tb_random_bytes(frames->keys, sizeof(frames->keys));
        frames->keys_left = sizeof(frames->keys);
    }
    frames->keys_left = (uint8_t)(frames->keys_left - len);
    memcpy(buf, frames->keys + frames->keys_left, len);
    return 0;
}

static struct wslay_frame_context *context(struct tb_ws_frames *frames)
{
    static const struct wslay_frame_callbacks callbacks = {on_send, on_recv, on_genmask};
    if (!frames->wslay && wslay_frame_context_init(&frames->wslay, &callbacks, frames) != 0) {
        abort(); /* a size that we choose, as in base/mem.h */
    }
    return frames->wslay;
}

void tb_ws_frames_fini(struct tb_ws_frames *frames)
{
    wslay_frame_context_free(frames->wslay);
    frames->wslay = NULL;
}

void tb_ws_frames_rest(struct tb_ws_frames *frames)
{
    if (frames->head_len == 0 && !frames->in_payload) {
        tb_ws_frames_fini(frames);
    }
}

/* The header's size without the mask key, as far as the bytes so far tell. */
static size_t bare_size(const struct tb_ws_frames *frames)
{
    if (frames->head_len < 2) {
        return 2;
    }
    switch (frames->head[1] & ~MASK_BIT) {
    case LENGTH_16:
        return 2 + sizeof(uint16_t);
    case LENGTH_64:
        return 2 + sizeof(uint64_t);
    default:
        return 2;
    }
}

static size_t head_size(const struct tb_ws_frames *frames)
{
    bool masked = frames->head_len >= 2 && (frames->head[1] & MASK_BIT);
    return bare_size(frames) + (masked ? KEY_BYTES : 0);
}

/* False when the input ended before the header did. */
static bool collect_head(struct tb_ws_frames *frames, struct tb_str *input)
{
    size_t size;
    while (frames->head_len < (size = head_size(frames))) {
        if (input->len == 0) {
            return false;
        }
        size_t take = size - frames->head_len;
        take = take < input->len ? take : input->len;
        memcpy(frames->head + frames->head_len, input->ptr, take);
        frames->head_len = (uint8_t)(frames->head_len + take);
        *input = tb_str_sub(*input, take, input->len);
    }
    return true;
}

static int open_frame(struct tb_ws_frames *frames)
{
    size_t bare = bare_size(frames);
    uint8_t *head = frames->head;
    struct tb_ws_frame frame = {
        .fin = (head[0] & FIN_BIT) != 0,
        .masked = (head[1] & MASK_BIT) != 0,
        .rsv = (head[0] >> 4) & 7,
        .opcode = head[0] & 0xf,
        .length = head[1] & ~MASK_BIT & 0xff,
    };
    if (bare > 2) {
        frame.length = 0;
        for (size_t i = 2; i < bare; i++) {
            frame.length = frame.length << 8 | head[i];
        }
    }
    if (frame.masked) {
        memcpy(frames->mask, head + bare, KEY_BYTES);
        head[1] &= (uint8_t)~MASK_BIT;
    }
    frames->frame = frame;
    frames->left = frame.length;
    frames->in_payload = true;
    frames->head_due = (uint8_t)bare;
    frames->head_len = 0;
    /* Without payload to take, wslay does no more than judge the header. */
    struct wslay_frame_iocb unused;
    frames->input = (struct tb_str){NULL, 0};
    return wslay_frame_recv(context(frames), &unused) == WSLAY_ERR_PROTO ? TB_E_PROTOCOL
                                                                         : TB_WS_PART_HEAD;
}

int tb_ws_frames_next(struct tb_ws_frames *frames, struct tb_str *input, struct tb_str *ret_data)
{
    if (!frames->in_payload) {
        return collect_head(frames, input) ? open_frame(frames) : TB_WS_PART_MORE;
    }
    *ret_data = (struct tb_str){"", 0};
    if (frames->left > 0) {
        if (input->len == 0) {
            return TB_WS_PART_MORE;
        }
        struct wslay_frame_iocb piece;
        frames->input = *input;
        if (wslay_frame_recv(context(frames), &piece) < 0) {
            return TB_E_INTERNAL;
        }
        *input = frames->input;
        *ret_data = (struct tb_str){(const char *)piece.data, piece.data_length};
    }
    frames->in_payload = frames->left > 0;
    return frames->in_payload ? TB_WS_PART_DATA : TB_WS_PART_LAST;
}

size_t tb_ws_frames_build(struct tb_ws_frames *frames, enum tb_ws_opcode opcode, bool masked,
                          struct tb_str data, uint8_t *out)
{
    struct wslay_frame_iocb frame = {
        .fin = 1,
        .opcode = (uint8_t)opcode,
        .payload_length = data.len,
        .mask = masked,
        .data = (const uint8_t *)data.ptr,
        .data_length = data.len,
    };
    frames->build_end = out;
    ssize_t sent = wslay_frame_send(context(frames), &frame);
    assert(sent == (ssize_t)data.len);
    (void)sent;
    return (size_t)(frames->build_end - out);
}
