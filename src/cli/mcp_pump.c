/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_pump.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sink.h"
#include "cli/mcp_pending.h"
#include "core/limits.h"
#include "proto/jsonrpc.h"

enum {
    STEP_BYTES = 64 * TB_KIB,
    END_MS = 800, /* after the end of input, for somebody to read or the daemon to hang up */
};

/* Bytes on their way out. */
struct outbox {
    struct tb_buf bytes;
    size_t sent; /* of them */
};

struct pump {
    struct tb_mcp_link link;
    struct tb_mcp_pending pending;
    struct tb_buf from_agent; /* the start of a line */
    struct tb_buf from_daemon;
    struct tb_sink out; /* the agent's stdout */
    struct outbox to_agent;
    struct outbox to_daemon;
    struct tb_buf initialize; /* the request, to be said again */
    struct tb_buf said_again; /* its id while its second answer is awaited */
    bool skipping;            /* the rest of a line that was too long */
    bool served;              /* the daemon was reached once */
    bool hung_up;    /* the agent writes no more, but there may be something left to read */
    bool input_over; /* all of it is read */
    bool end_told;   /* to the daemon */
    bool agent_gone;
    int64_t moved_ms;      /* when something last went to the agent, or came for it */
    struct tb_err refusal; /* why there is no first daemon; code 0: not so */
};

static int64_t now_ms(void)
{
    return tb_clock_mono_ms(tb_clock_system());
}

static size_t unsent(const struct outbox *box)
{
    return box->bytes.len - box->sent;
}

static bool has_room(const struct outbox *box)
{
    return unsent(box) < TB_STDIO_PAUSE_BYTES;
}

/* The bytes move up only when half of them are gone, so that each moves twice at the most. */
static void mark_sent(struct outbox *box, size_t len)
{
    box->sent += len;
    if (box->sent >= box->bytes.len / 2) {
        tb_buf_consume(&box->bytes, box->sent);
        box->sent = 0;
    }
}

static void empty(struct outbox *box)
{
    tb_buf_fini(&box->bytes);
    box->sent = 0;
}

/* Under its id, if that stands near the front. */
static void refuse_long(struct pump *pump, struct tb_str begin)
{
    struct tb_buf *out = &pump->to_agent.bytes;
    struct tb_jsonrpc message;
    const struct tb_json_limits limits = {0};
    tb_jsonrpc_parse(begin, &limits, 0, &message, NULL);
    tb_jsonrpc_write_error(message.id.text, tb_err_info(TB_E_TOO_LARGE)->rpc_code,
                           TB_STR("the line is longer than 16 MiB and was skipped"), TB_STR(""),
                           out);
    tb_buf_append_char(out, '\n');
}

/* The daemon. */

static void lose_daemon(struct pump *pump, const char *why)
{
    tb_mcp_link_close(&pump->link);
    tb_buf_fini(&pump->from_daemon);
    tb_buf_fini(&pump->said_again);
    empty(&pump->to_daemon);
    tb_mcp_pending_fail(&pump->pending, TB_E_CLOSED, why, &pump->to_agent.bytes);
    pump->moved_ms = now_ms();
}

/* Without a daemon at the start there is nothing to serve, unless what was wrong is over when the
 * first request comes; else that is told so: many agents show nobody what is written to stderr.
 * Later the next line tries again. */
static void link_failed(struct pump *pump, const struct tb_err *err)
{
    bool heard = tb_mcp_pending_count(&pump->pending) > 0;
    lose_daemon(pump, err->text);
    if (pump->served) {
        return;
    }
    if (pump->refusal.code == 0) {
        tb_sink_tell(STDERR_FILENO, "tabard mcp: %s\n", err->text);
        pump->refusal = *err;
    }
    pump->input_over = pump->input_over || heard || isatty(STDIN_FILENO);
}

/* A new connection starts from nothing: a legacy client has introduced itself already and will not
 * do it again. */
static void introduce_again(struct pump *pump)
{
    struct tb_jsonrpc message;
    const struct tb_json_limits limits = {0};
    struct tb_str line = tb_buf_str(&pump->initialize);
    if (line.len && tb_jsonrpc_parse(line, &limits, 0, &message, NULL) == 0) {
        tb_buf_append_str(&pump->said_again, message.id.text);
        tb_buf_append_str(&pump->to_daemon.bytes, line);
        tb_buf_append_cstr(&pump->to_daemon.bytes,
                           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    }
}

static void open_link(struct pump *pump)
{
    struct tb_err err;
    introduce_again(pump);
    if (tb_mcp_link_begin(&pump->link, &err) < 0) {
        link_failed(pump, &err);
    }
}

static void warn_ignored(const struct tb_mcp_link *link)
{
    char names[512];
    if (!link->started && tb_mcp_link_ignored(link, names, sizeof(names))) {
        tb_sink_tell(STDERR_FILENO,
                     "tabard mcp: a daemon is already running and keeps its settings; no effect on "
                     "it: %s\n",
                     names);
    }
}

static void step_link(struct pump *pump, bool readable)
{
    struct tb_err err;
    if (tb_mcp_link_step(&pump->link, readable, &err) < 0) {
        link_failed(pump, &err);
    }
    if (!pump->served && pump->link.state == TB_MCP_LINK_OPEN) {
        pump->served = true;
        pump->refusal.code = 0;
        warn_ignored(&pump->link);
    }
}

/* What could not be sent any more is told when the end of its answers has come. */
static void flush_daemon(struct pump *pump)
{
    struct outbox *box = &pump->to_daemon;
    if (pump->link.state != TB_MCP_LINK_OPEN) {
        return;
    }
    while (unsent(box)) {
        ssize_t put = send(pump->link.fd, box->bytes.data + box->sent, unsent(box), MSG_NOSIGNAL);
        if (put < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        mark_sent(box, put < 0 ? unsent(box) : (size_t)put);
    }
    if (pump->input_over && !pump->end_told) {
        pump->end_told = true;
        shutdown(pump->link.fd, SHUT_WR);
    }
}

/* The agent. */

static void flush_agent(struct pump *pump)
{
    struct outbox *box = &pump->to_agent;
    while (unsent(box)) {
        ssize_t put = tb_sink_write(&pump->out, box->bytes.data + box->sent, unsent(box));
        if (put < 0) {
            pump->agent_gone = put != -EAGAIN;
            return;
        }
        mark_sent(box, (size_t)put);
        pump->moved_ms = now_ms();
    }
}

/* Lines. */

static void on_agent_line(struct pump *pump, struct tb_str line)
{
    bool introduces = tb_mcp_pending_asked(&pump->pending, line);
    if (pump->link.way->refusal) {
        link_failed(pump, &pump->refusal);
        return;
    }
    if (pump->link.state == TB_MCP_LINK_NONE) {
        open_link(pump);
    }
    if (introduces) {
        tb_buf_clear(&pump->initialize);
        tb_buf_append_str(&pump->initialize, line);
    }
    if (pump->link.state != TB_MCP_LINK_NONE) {
        tb_buf_append_str(&pump->to_daemon.bytes, line);
    }
}

static bool is_said_again(const struct pump *pump, struct tb_str line)
{
    struct tb_jsonrpc message;
    const struct tb_json_limits limits = {.any_escape = true};
    return pump->said_again.len && tb_jsonrpc_parse(line, &limits, 0, &message, NULL) == 0 &&
           (message.kind == TB_JSONRPC_RESULT || message.kind == TB_JSONRPC_ERROR) &&
           tb_str_eq(message.id.text, tb_buf_str(&pump->said_again));
}

static void on_daemon_line(struct pump *pump, struct tb_str line)
{
    if (is_said_again(pump, line)) {
        tb_buf_fini(&pump->said_again);
        return;
    }
    tb_mcp_pending_answered(&pump->pending, line);
    tb_buf_append_str(&pump->to_agent.bytes, line);
}

/* Hands over every whole line in the buffer, its newline included. */
static void take_lines(struct pump *pump, struct tb_buf *buf, size_t searched,
                       void (*take)(struct pump *pump, struct tb_str line))
{
    struct tb_str all = tb_buf_str(buf);
    size_t used = 0;
    const char *newline;
    while (searched < all.len && (newline = memchr(all.ptr + searched, '\n', all.len - searched))) {
        searched = (size_t)(newline - all.ptr) + 1;
        take(pump, tb_str_sub(all, used, searched));
        used = searched;
    }
    tb_buf_consume(buf, used);
}

static void skip_line(struct pump *pump, struct tb_str *bytes)
{
    tb_str_cut(bytes, '\n');
    pump->skipping = bytes->ptr == NULL;
}

static void on_agent_bytes(struct pump *pump, struct tb_str bytes)
{
    if (pump->skipping) {
        skip_line(pump, &bytes);
    }
    size_t searched = pump->from_agent.len;
    if (tb_buf_append_str(&pump->from_agent, bytes) < 0) {
        refuse_long(pump, tb_buf_str(&pump->from_agent));
        tb_buf_fini(&pump->from_agent);
        skip_line(pump, &bytes);
        searched = 0;
        tb_buf_append_str(&pump->from_agent, bytes);
    }
    take_lines(pump, &pump->from_agent, searched, on_agent_line);
}

static void read_agent(struct pump *pump)
{
    char step[STEP_BYTES];
    ssize_t got = read(STDIN_FILENO, step, sizeof(step));
    if (got > 0) {
        on_agent_bytes(pump, (struct tb_str){step, (size_t)got});
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        if (pump->from_agent.len) {
            on_agent_bytes(pump, TB_STR("\n")); /* the last line may lack it */
        }
        pump->input_over = true;
        pump->moved_ms = now_ms();
    }
}

static void read_daemon(struct pump *pump)
{
    char step[STEP_BYTES];
    ssize_t got = recv(pump->link.fd, step, sizeof(step), 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    size_t searched = pump->from_daemon.len;
    if (got <= 0 || tb_buf_append(&pump->from_daemon, step, (size_t)got) < 0) {
        lose_daemon(
            pump,
            "the daemon ended before it answered, so the call may or may not have been done; look "
            "at the page before you go on");
        return;
    }
    if (!unsent(&pump->to_agent)) {
        pump->moved_ms = now_ms();
    }
    take_lines(pump, &pump->from_daemon, searched, on_daemon_line);
}

/* The loop. */

enum {
    AGENT_IN,
    AGENT_OUT,
    DAEMON,
    END_COUNT,
};

/* An agent may write much before it reads: what waits for it holds back the daemon, and only what
 * then waits for the daemon holds back the agent. Without a daemon each line becomes an answer at
 * once. */
static bool may_read_agent(const struct pump *pump)
{
    return unsent(&pump->to_daemon) < TB_STDIO_AHEAD_BYTES &&
           (pump->link.state != TB_MCP_LINK_NONE || has_room(&pump->to_agent));
}

/* An end that nothing is wanted of is left out: poll() would tell again and again that it hung up.
 * The agent's stdout is always in, since that is how its death shows. */
static void choose(const struct pump *pump, struct pollfd ends[END_COUNT])
{
    const struct tb_mcp_link *link = &pump->link;
    bool read_now = may_read_agent(pump);
    bool watch = !pump->input_over && (read_now || !pump->hung_up);
    bool open = link->state == TB_MCP_LINK_OPEN;
    short of_daemon = (short)((!open || has_room(&pump->to_agent) ? POLLIN : 0) |
                              (open && unsent(&pump->to_daemon) ? POLLOUT : 0));
    ends[AGENT_IN] = (struct pollfd){watch ? STDIN_FILENO : -1, read_now ? POLLIN : POLLRDHUP, 0};
    ends[AGENT_OUT] =
        (struct pollfd){STDOUT_FILENO, (short)(unsent(&pump->to_agent) ? POLLOUT : 0), 0};
    ends[DAEMON] = (struct pollfd){of_daemon ? link->fd : -1, of_daemon, 0};
}

/* After the end of input what counts is whether anything still moves, except that a call that is
 * under way and the first daemon may take their time. */
static bool may_be_stuck(const struct pump *pump)
{
    bool finished = pump->served && tb_mcp_pending_count(&pump->pending) == 0;
    return (pump->input_over || pump->hung_up) && (finished || unsent(&pump->to_agent));
}

static int wait_ms(const struct pump *pump)
{
    enum tb_mcp_link_state state = pump->link.state;
    int64_t due_ms = INT64_MAX;
    if (state != TB_MCP_LINK_NONE && state != TB_MCP_LINK_OPEN) {
        due_ms = pump->link.due_ms;
    }
    if (may_be_stuck(pump) && pump->moved_ms + END_MS < due_ms) {
        due_ms = pump->moved_ms + END_MS;
    }
    int64_t left_ms = due_ms - now_ms();
    return due_ms == INT64_MAX ? -1 : left_ms > 0 ? (int)left_ms : 0;
}

static void turn(struct pump *pump)
{
    struct pollfd ends[END_COUNT];
    choose(pump, ends);
    if (poll(ends, END_COUNT, wait_ms(pump)) < 0) {
        pump->agent_gone = errno != EINTR;
        return;
    }
    if (pump->link.state == TB_MCP_LINK_OPEN) {
        if (ends[DAEMON].revents & ~POLLOUT) {
            read_daemon(pump);
        }
    } else {
        step_link(pump, ends[DAEMON].revents != 0);
    }
    if (ends[AGENT_IN].revents && ends[AGENT_IN].events == POLLIN) {
        read_agent(pump);
    } else if (ends[AGENT_IN].revents) {
        pump->hung_up = true;
        pump->moved_ms = now_ms();
    }
    flush_daemon(pump);
    flush_agent(pump);
    if (ends[AGENT_OUT].revents & (POLLERR | POLLHUP | POLLNVAL)) {
        pump->agent_gone = true;
    }
}

static bool is_done(const struct pump *pump)
{
    if (pump->agent_gone) {
        return true;
    }
    bool idle = pump->link.state == TB_MCP_LINK_NONE && !unsent(&pump->to_agent);
    return (pump->input_over && idle) ||
           (may_be_stuck(pump) && now_ms() >= pump->moved_ms + END_MS);
}

int tb_mcp_pump(const struct tb_mcp_way *way)
{
    struct pump pump = {.moved_ms = now_ms()};
    tb_sink_init(&pump.out, STDOUT_FILENO);
    tb_mcp_link_init(&pump.link, way);
    tb_mcp_pending_init(&pump.pending);
    tb_buf_init(&pump.from_agent, TB_STDIO_LINE_MAX);
    tb_buf_init(&pump.from_daemon, TB_STDIO_REPLY_MAX);
    /* Bounded by what is read, see choose(): one line beyond the mark at the most. */
    tb_buf_init(&pump.to_agent.bytes, SIZE_MAX);
    tb_buf_init(&pump.to_daemon.bytes, SIZE_MAX);
    tb_buf_init(&pump.initialize, TB_STDIO_LINE_MAX);
    tb_buf_init(&pump.said_again, TB_JSONRPC_ID_MAX);
    if (way->refusal) {
        link_failed(&pump, way->refusal);
    } else {
        open_link(&pump);
    }
    while (!is_done(&pump)) {
        turn(&pump);
    }
    tb_sink_fini(&pump.out);
    tb_mcp_link_close(&pump.link);
    tb_mcp_pending_fini(&pump.pending);
    tb_buf_fini(&pump.from_agent);
    tb_buf_fini(&pump.from_daemon);
    tb_buf_fini(&pump.initialize);
    tb_buf_fini(&pump.said_again);
    empty(&pump.to_agent);
    empty(&pump.to_daemon);
    return pump.refusal.code ? 1 : 0;
}
