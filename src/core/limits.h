/* SPDX-License-Identifier: Apache-2.0 */
/* Every ceiling for what a peer may send, hold or cost. Those that an operator may want to change
 * are rows of core/config.def as well; these are then their defaults. */
#pragma once

enum {
    TB_KIB = 1024,
    TB_MIB = 1024 * 1024,

    /* HTTP */
    TB_HTTP_LINE_MAX = 8 * TB_KIB,
    TB_HTTP_HEAD_MAX = 32 * TB_KIB,
    TB_HTTP_HEADER_COUNT = 100,
    TB_HTTP_BODY_MAX = 8 * TB_MIB,
    TB_HTTP_CHUNK_EXT_MAX = 256,
    TB_HTTP_HEADER_MS = 10 * 1000,
    TB_HTTP_BODY_GRACE_MS = 10 * 1000,
    TB_HTTP_BODY_RATE = TB_KIB, /* bytes a second after the grace */
    TB_HTTP_IDLE_MS = 75 * 1000,
    TB_HTTP_WRITE_MS = 30 * 1000,
    TB_HTTP_CONNECTIONS = 10000,
    TB_SEND_QUEUE_MAX = TB_MIB,

    /* Credentials that did not fit, per peer */
    TB_AUTH_FAILURES = 10,
    TB_AUTH_WINDOW_MS = 60 * 1000,
    TB_AUTH_PEERS = 10000,

    /* Stopping */
    TB_DRAIN_MS = 10 * 1000,

    /* MCP on stdio */
    TB_STDIO_LINE_MAX = 16 * TB_MIB,
    TB_STDIO_REPLY_MAX = 128 * TB_MIB,

    /* The configuration file */
    TB_CONFIG_FILE_MAX = TB_MIB,
};
