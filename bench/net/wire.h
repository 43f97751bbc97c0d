/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that the load generator sends and those that must come back, made once before the clock
 * runs.
 *
 * Messages are numbered round a ring as long as the number in flight and differ from each other, so
 * that an echo which is cut, changed or out of order does not match. Requests stand twice in a row:
 * whatever is due is one piece of memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum bench_mode {
    BENCH_WS,   /* text messages to /ws */
    BENCH_POST, /* POST /echo */
    BENCH_GET,  /* GET /ping, answered with "pong\n" */
};

struct bench_wire {
    enum bench_mode mode;
    size_t ring;           /* messages */
    size_t send_bytes;     /* of one message */
    size_t echo_bytes;     /* of one echo: a frame, or the body of a reply */
    struct tb_buf sending; /* the ring, twice */
    struct tb_buf echoes;  /* the ring, once */
};

void bench_wire_init(struct bench_wire *wire, enum bench_mode mode, size_t ring, size_t size);
void bench_wire_fini(struct bench_wire *wire);
/* The opening handshake of a WebSocket client. */
struct tb_str bench_wire_hello(void);

enum {
    BENCH_HEAD_MAX = 1024,
};

/* Reads heads of HTTP replies. Zeroed memory is a fresh reader. */
struct bench_reply {
    size_t len;
    char head[BENCH_HEAD_MAX];
};

/* Takes from the front of *input. The status when the head is complete, with the length of the body
 * that follows; 0 when more input is needed; -1 when this is no reply of a kind that we know. */
int bench_reply_head(struct bench_reply *reply, struct tb_str *input, size_t *ret_body_bytes);
