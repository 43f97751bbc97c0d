/* SPDX-License-Identifier: Apache-2.0 */
/* The list of WebSocket cases in tests/data/ws/cases.txt, whose first lines explain the notation:
 * read, and turned into bytes for either role. Used by the unit test and by the test over sockets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "proto/ws.h"

enum tb_ws_step_kind {
    TB_WS_STEP_FRAME,
    TB_WS_STEP_WAIT,  /* value: milliseconds */
    TB_WS_STEP_CLOSE, /* our side starts to close; value: code */
    TB_WS_STEP_PING,  /* our side sends a ping with the payload */
};

struct tb_ws_step {
    enum tb_ws_step_kind kind;
    unsigned repeat;
    uint64_t value;
    struct tb_buf payload;
    uint8_t opcode;
    uint8_t rsv;
    bool fin;
    bool wrong_mask;
    unsigned length_bits; /* 0: the shortest form; else 16 or 64 */
    bool has_declared;
    uint64_t declared;
};

enum tb_ws_outcome_kind {
    TB_WS_GOT_TEXT,
    TB_WS_GOT_BINARY,
    TB_WS_GOT_PONG,
    TB_WS_SENT_PING,
    TB_WS_SENT_PONG,
    TB_WS_SENT_CLOSE, /* code */
    TB_WS_OVER,       /* code, and the payload as the reason if has_reason */
};

struct tb_ws_outcome {
    enum tb_ws_outcome_kind kind;
    unsigned repeat;
    int code;
    bool has_reason;
    struct tb_buf payload;
};

enum {
    TB_WS_CASE_PARTS = 16,
};

struct tb_ws_case {
    char *name;
    struct tb_ws_limits limits;
    struct tb_ws_step steps[TB_WS_CASE_PARTS];
    size_t step_count;
    struct tb_ws_outcome outcomes[TB_WS_CASE_PARTS];
    size_t outcome_count;
};

struct tb_ws_cases {
    struct tb_ws_case *cases;
    size_t count;
};

/* Reads the list below `root`. The error names the line. */
int tb_ws_cases_load(const char *root, struct tb_ws_cases *ret_cases, struct tb_err *err);
void tb_ws_cases_fini(struct tb_ws_cases *cases);

/* Appends one frame as the peer of `role` sends it. */
void tb_ws_step_wire(const struct tb_ws_step *step, enum tb_ws_role role, struct tb_buf *out);
