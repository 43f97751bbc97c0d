/* SPDX-License-Identifier: Apache-2.0 */
/* A request of MCP, chosen by the bytes of a fuzz target's input: one of a table, or a call of any
 * tool with all arguments that it requires and some of the others, of the right types as a rule.
 * Without cmocka. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct any_bytes {
    const uint8_t *data;
    size_t left;
};

/* The next byte; 0 when there is none left. */
uint8_t any_next(struct any_bytes *bytes);

struct any_message {
    const char *method;
    const char *name; /* for Mcp-Name; NULL: none */
};

/* Appends the request and says which it is. */
struct any_message any_message_put(struct any_bytes *bytes, int id, bool modern,
                                   struct tb_buf *out);
