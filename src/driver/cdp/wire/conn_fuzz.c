/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from the browser: whatever they are and however they are split, the same messages come out,
 * no command is answered twice, and a broken line is told of once, as the last thing. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "driver/cdp/wire/conn.h"
#include "driver/cdp/wire/framer.h"
#include "driver/cdp/wire/line_pipe.h"
#include "driver/cdp/wire/message.h"
#include "proto/json_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    CEILING = 200,
    COMMANDS = 3,
    SOCKET_MAX = 32 * 1024, /* what one write passes whole */
};

struct sink {
    struct tb_buf seen;
};

static bool on_message(struct tb_str text, void *user)
{
    struct sink *sink = user;
    struct tb_cdp_message message;
    bool good = tb_cdp_message_parse(text, &message, NULL) == 0;
    tb_buf_printf(&sink->seen, "%d:%zu ", good, text.len);
    if (good) {
        /* Its parts are whole values that a strict reader takes. */
        const struct tb_str parts[] = {message.params, message.result, message.error};
        for (size_t i = 0; i < TB_COUNT(parts); i++) {
            static const struct tb_json_limits strict = {.depth_max = TB_JSON_DEPTH_MAX};
            struct tb_json_want none;
            assert(!parts[i].len || tb_json_scan(parts[i], &strict, &none, 0, NULL) >= 0);
        }
        tb_cdp_message_fini(&message);
    }
    return true;
}

static bool on_too_large(struct tb_str head, void *user)
{
    struct sink *sink = user;
    uint64_t id = 0;
    bool found = tb_cdp_message_head_id(head, &id);
    tb_buf_printf(&sink->seen, "large:%d:%llu ", found, (unsigned long long)id);
    return true;
}

static void cut(const uint8_t *data, size_t size, size_t piece, struct tb_buf *out)
{
    static const struct tb_cdp_framer_ops ops = {on_message, on_too_large};
    struct sink sink;
    struct tb_cdp_framer framer;
    tb_buf_init(&sink.seen, SIZE_MAX);
    tb_cdp_framer_init(&framer, CEILING);
    struct tb_str all = {(const char *)data, size};
    for (size_t at = 0; at < size; at += piece) {
        assert(tb_cdp_framer_feed(&framer, tb_str_sub(all, at, at + piece), &ops, &sink));
        assert(framer.held.len <= CEILING);
    }
    tb_cdp_framer_fini(&framer);
    *out = sink.seen;
}

static void check_splits(const uint8_t *data, size_t size)
{
    struct tb_buf whole;
    cut(data, size, size ? size : 1, &whole);
    for (size_t piece = 1; piece < 8; piece++) {
        struct tb_buf parts;
        cut(data, size, piece, &parts);
        assert(parts.len == whole.len &&
               (!whole.len || !memcmp(parts.data, whole.data, whole.len)));
        tb_buf_fini(&parts);
    }
    tb_buf_fini(&whole);
}

struct question {
    struct tb_cdp_command command;
    int answers;
};

struct peer {
    struct question questions[COMMANDS];
    int ends;
};

static void on_answer(struct tb_cdp_command *command, int code, struct tb_str result,
                      const struct tb_err *err)
{
    struct question *question = TB_CONTAINER(command, struct question, command);
    assert((code < 0) == (err != NULL));
    assert(code == 0 || !result.len);
    assert(++question->answers == 1);
}

static void on_event(struct tb_cdp_conn *conn, struct tb_str method, struct tb_str params,
                     void *user)
{
    const struct peer *peer = user;
    (void)conn;
    (void)params;
    assert(method.len && !peer->ends);
}

static void on_end(struct tb_cdp_conn *conn, void *user)
{
    struct peer *peer = user;
    (void)conn;
    assert(++peer->ends == 1);
    for (int i = 0; i < COMMANDS; i++) {
        assert(peer->questions[i].answers == 1);
    }
}

static void check_connection(const uint8_t *data, size_t size)
{
    static const struct tb_cdp_ops ops = {.on_event = on_event, .on_end = on_end};
    struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct peer peer = {.ends = 0};
    int to[2];
    int from[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, to) == 0);
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, from) == 0);
    struct tb_cdp_line *line = tb_cdp_line_pipe_new_take(tb_stream_open_fd_take(loop, to[0]),
                                                         tb_stream_open_fd_take(loop, from[0]));
    struct tb_cdp_conn *conn = tb_cdp_conn_new_take(loop, line, &ops, &peer);
    for (int i = 0; i < COMMANDS; i++) {
        struct tb_cdp_command *command = &peer.questions[i].command;
        *command = (struct tb_cdp_command){.deadline_ms = INT64_MAX, .done = on_answer};
        tb_cdp_command_send(conn, command, NULL, "A.b", TB_STR(""));
    }
    size = size < SOCKET_MAX ? size : SOCKET_MAX;
    assert(write(from[1], data, size) == (ssize_t)size);
    close(from[1]);
    for (int i = 0; i < 1000 && !peer.ends; i++) {
        tb_loop_turn(loop, false);
    }
    assert(peer.ends == 1);
    tb_cdp_conn_free(conn);
    close(to[1]);
    tb_loop_free(loop);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_splits(data, size);
    check_connection(data, size);
    return 0;
}
