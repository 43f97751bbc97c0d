/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of every operation, for a browser that does what it likes; see hostile_peer.h. */
#pragma once

#include <stdint.h>

#include "core/driver.h"

enum {
    HOSTILE_CALLS = 4, /* of each operation, at the most */
};

struct hostile_call {
    const char *args; /* JSON */
    int code;         /* how it ends when the browser does as it is told */
};

/* Where there are fewer, the first again. */
const struct hostile_call *hostile_call(enum tb_op_kind kind, uint8_t which);
