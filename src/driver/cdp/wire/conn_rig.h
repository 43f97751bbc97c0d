/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of a line: they are the browser at its other end. Time is moved by hand. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "core/limits.h"
#include "driver/cdp/wire/conn.h"
#include "driver/cdp/wire/line_pipe.h"
#include "io/timer.h"

struct question {
    struct tb_cdp_command command;
    struct rig *rig;
};

/* A connection whose other end is the test: what it writes is read, what it should hear is said. */
struct rig {
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    struct tb_cdp_conn *conn;
    int to;              /* the browser's descriptor 3 */
    int from;            /* its 4 */
    struct tb_buf heard; /* one word an event or answer */
    int ends;
    bool free_in_reply;
    bool free_in_event;
    bool free_in_end;
    bool send_in_reply;
    bool at_work;
    tb_cdp_done_fn *on_answer;
    struct question questions[80];
    size_t asked;
};

static inline void drop(struct rig *rig)
{
    tb_cdp_conn_free(rig->conn);
    rig->conn = NULL;
}

static inline struct tb_cdp_command *ask_for(struct rig *rig, const char *session_id,
                                             const char *method, struct tb_str params,
                                             int64_t deadline_ms)
{
    assert_true(rig->asked < TB_COUNT(rig->questions));
    struct question *question = &rig->questions[rig->asked++];
    *question = (struct question){{.deadline_ms = deadline_ms, .done = rig->on_answer}, rig};
    tb_cdp_command_send(rig->conn, &question->command, session_id, method, params);
    return &question->command;
}

static inline void on_reply(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct rig *rig = user;
    assert_int_equal(code, err ? err->code : 0);
    if (code < 0) {
        tb_buf_printf(&rig->heard, "%s ", tb_err_name(code));
    } else {
        tb_buf_printf(&rig->heard, "=%.*s ", (int)(result.len > 60 ? 60 : result.len), result.ptr);
    }
    if (rig->send_in_reply) {
        rig->send_in_reply = false;
        ask_for(rig, NULL, "A.again", TB_STR(""), rig->clock.mono_ms + 1000);
    }
    if (rig->free_in_reply) {
        drop(rig);
    }
}

static inline void on_answer(struct tb_cdp_command *command, int code, struct tb_str result,
                             const struct tb_err *err)
{
    on_reply(code, result, err, TB_CONTAINER(command, struct question, command)->rig);
}

static inline void on_event(struct tb_cdp_conn *conn, struct tb_str method, struct tb_str params,
                            void *user)
{
    struct rig *rig = user;
    assert_ptr_equal(conn, rig->conn);
    tb_buf_printf(&rig->heard, ":%.*s:%.*s ", TB_STR_ARG(method), TB_STR_ARG(params));
    if (rig->free_in_event) {
        drop(rig);
    }
}

static inline void on_end(struct tb_cdp_conn *conn, void *user)
{
    struct rig *rig = user;
    assert_ptr_equal(conn, rig->conn);
    rig->ends++;
    tb_buf_append_cstr(&rig->heard, "END ");
    if (rig->free_in_end) {
        drop(rig);
    }
}

static inline bool at_work(void *user)
{
    return ((struct rig *)user)->at_work;
}

static const struct tb_cdp_ops ops = {.on_event = on_event, .on_end = on_end, .at_work = at_work};

static inline void rig_init(struct rig *rig)
{
    int to[2];
    int from[2];
    memset(rig, 0, sizeof(*rig));
    rig->on_answer = on_answer;
    tb_clock_manual_init(&rig->clock);
    rig->loop = tb_loop_new(&rig->clock.clock);
    tb_buf_init(&rig->heard, 1 << 20);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, to), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, from), 0);
    rig->to = to[1];
    rig->from = from[1];
    rig->conn =
        tb_cdp_conn_new_take(rig->loop,
                             tb_cdp_line_pipe_new_take(tb_stream_open_fd_take(rig->loop, to[0]),
                                                       tb_stream_open_fd_take(rig->loop, from[0])),
                             &ops, rig);
}

static inline void rig_fini(struct rig *rig)
{
    drop(rig);
    close(rig->to);
    if (rig->from >= 0) {
        close(rig->from);
    }
    tb_loop_free(rig->loop);
    tb_buf_fini(&rig->heard);
}

static inline void turns(struct rig *rig)
{
    for (int i = 0; i < 5; i++) {
        tb_loop_turn(rig->loop, false);
    }
}

static inline void advance(struct rig *rig, int64_t ms)
{
    tb_clock_manual_advance(&rig->clock, ms);
    turns(rig);
}

/* The browser says something; a bar stands for the NUL at the end of a message. */
static inline void say(struct rig *rig, const char *text)
{
    size_t len = strlen(text);
    TB_AUTO(tb_free) char *bytes = tb_memdup(text, len);
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '|') {
            bytes[i] = '\0';
        }
    }
    assert_int_equal(write(rig->from, bytes, len), (ssize_t)len);
    turns(rig);
}

static inline void expect(struct rig *rig, const char *heard)
{
    tb_buf_append_char(&rig->heard, '\0');
    assert_string_equal((const char *)rig->heard.data, heard);
    tb_buf_clear(&rig->heard);
}

/* What the browser was told, with bars for NULs. */
static inline void expect_told(struct rig *rig, const char *wanted)
{
    char text[2000];
    turns(rig);
    ssize_t len = read(rig->to, text, sizeof(text) - 1);
    len = len < 0 ? 0 : len;
    for (ssize_t i = 0; i < len; i++) {
        if (!text[i]) {
            text[i] = '|';
        }
    }
    text[len] = '\0';
    assert_string_equal(text, wanted);
}

static inline struct tb_cdp_command *ask(struct rig *rig, int64_t within_ms)
{
    return ask_for(rig, NULL, "A.b", TB_STR(""), rig->clock.mono_ms + within_ms);
}
