/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: raw clients that say what they are told and keep all that they hear. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "io/loop.h"
#include "io/stream.h"

struct rig_client {
    struct tb_stream *stream;
    struct tb_buf got;
    bool connected;
    bool ended;
};

static inline void rig_client_wait(struct tb_loop *loop, time_t limit, const char *condition)
{
    if (time(NULL) > limit) {
        fail_msg("waited in vain for %s", condition);
    }
    tb_loop_turn(loop, false);
}

/* Turns the loop until the condition holds; fails after a real minute, which only a test that hangs
 * needs, however busy the machine is. */
#define RIG_UNTIL(loop, condition)                            \
    for (time_t rig_limit = time(NULL) + 60; !(condition);) { \
        rig_client_wait((loop), rig_limit, #condition);       \
    }

static inline void rig_client_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    (void)stream;
    struct rig_client *client = user;
    assert_int_equal(tb_buf_append_str(&client->got, bytes), 0);
}

static inline void rig_client_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    (void)status;
    struct rig_client *client = user;
    client->ended = true;
}

static const struct tb_stream_ops rig_client_ops = {
    .on_read = rig_client_read,
    .on_end = rig_client_end,
};

static inline void rig_client_connected(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    struct rig_client *client = user;
    assert_int_equal(status, 0);
    client->connected = true;
}

static inline void rig_client_connect(struct tb_loop *loop, uint16_t port,
                                      struct rig_client *client)
{
    memset(client, 0, sizeof(*client));
    tb_buf_init(&client->got, 64 << 20);
    client->stream = tb_stream_connect_tcp(loop, "127.0.0.1", port, rig_client_connected, client);
    RIG_UNTIL(loop, client->connected);
    tb_stream_set_send_max(client->stream, 64 << 20);
    tb_stream_start(client->stream, &rig_client_ops, client);
}

static inline void rig_client_close(struct rig_client *client)
{
    tb_stream_free(client->stream);
    client->stream = NULL;
    tb_buf_fini(&client->got);
}

static inline void rig_send(struct rig_client *client, const char *text)
{
    assert_int_equal(tb_stream_write(client->stream, tb_str_of(text)), 0);
}

static inline bool rig_got(const struct rig_client *client, const char *text)
{
    return client->got.len && memmem(client->got.data, client->got.len, text, strlen(text));
}

/* How often a text has come. */
static inline size_t rig_count(const struct rig_client *client, const char *text)
{
    size_t count = 0;
    size_t len = strlen(text);
    for (size_t at = 0; at + len <= client->got.len; at++) {
        count += memcmp(client->got.data + at, text, len) == 0;
    }
    return count;
}
