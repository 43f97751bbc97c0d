/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_pump.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "core/limits.h"
#include "proto/jsonrpc.h"

enum {
    STEP_BYTES = 64 * TB_KIB,
    ERROR_BYTES = 4 * TB_KIB,
    WAITING_MAX = 4096,
};

/* A request that has no answer yet. */
struct waiting {
    struct tb_list link;
    struct tb_str id; /* as written; in the same block of memory */
};

struct pump {
    const struct tb_mcp_link *link;
    int daemon_fd; /* -1: none at the moment */
    struct tb_buf from_agent;
    struct tb_buf from_daemon;
    bool skipping; /* the rest of a line that was too long */
    struct tb_map by_id;
    struct tb_list waiting;
    struct tb_buf initialize; /* the request, to be said again */
    struct tb_buf said_again; /* its id while its second answer is awaited */
    bool agent_gone;
};

static int write_all(int fd, struct tb_str bytes)
{
    while (bytes.len) {
        ssize_t put = write(fd, bytes.ptr, bytes.len);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return -errno;
        }
        bytes = tb_str_sub(bytes, (size_t)put, bytes.len);
    }
    return 0;
}

static void tell_agent(struct pump *pump, struct tb_str bytes)
{
    if (write_all(STDOUT_FILENO, bytes) < 0) {
        pump->agent_gone = true;
    }
}

static void tell_error(struct pump *pump, struct tb_str id, int code, const char *message)
{
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(ERROR_BYTES);
    tb_jsonrpc_write_error(id, tb_err_info(code)->rpc_code, tb_str_of(message), TB_STR(""), &line);
    tb_buf_append_char(&line, '\n');
    tell_agent(pump, tb_buf_str(&line));
}

static void note_waiting(struct pump *pump, struct tb_str id)
{
    if (pump->by_id.count >= WAITING_MAX || tb_map_get(&pump->by_id, id)) {
        return;
    }
    struct waiting *waiting = tb_zalloc(sizeof(*waiting) + id.len);
    char *copy = (char *)(waiting + 1);
    for (size_t i = 0; i < id.len; i++) {
        copy[i] = id.ptr[i];
    }
    waiting->id = (struct tb_str){copy, id.len};
    tb_list_append(&pump->waiting, &waiting->link);
    tb_map_add(&pump->by_id, waiting->id, waiting);
}

static void forget_waiting(struct pump *pump, struct tb_str id)
{
    struct waiting *waiting = tb_map_remove(&pump->by_id, id);
    if (waiting) {
        tb_list_remove(&waiting->link);
        tb_free(waiting);
    }
}

static void lose_daemon(struct pump *pump)
{
    close(pump->daemon_fd);
    pump->daemon_fd = -1;
    tb_buf_fini(&pump->from_daemon);
    tb_buf_fini(&pump->said_again);
    while (!tb_list_empty(&pump->waiting)) {
        struct waiting *waiting = TB_CONTAINER(pump->waiting.next, struct waiting, link);
        tell_error(
            pump, waiting->id, TB_E_CLOSED,
            "the daemon ended before it answered; what the call did is not known: look at the page, then go on");
        forget_waiting(pump, waiting->id);
    }
}

static int send_daemon(struct pump *pump, struct tb_str line)
{
    int rc = write_all(pump->daemon_fd, line);
    if (rc < 0) {
        lose_daemon(pump);
    }
    return rc;
}

/* A new connection starts from nothing: a legacy client has introduced itself already and will not
 * do it again. */
static void introduce_again(struct pump *pump)
{
    struct tb_jsonrpc message;
    const struct tb_json_limits limits = {0};
    if (!pump->initialize.len ||
        tb_jsonrpc_parse(tb_buf_str(&pump->initialize), &limits, 0, &message, NULL) < 0) {
        return;
    }
    tb_buf_clear(&pump->said_again);
    tb_buf_append_str(&pump->said_again, message.id.text);
    if (send_daemon(pump, tb_buf_str(&pump->initialize)) == 0) {
        send_daemon(pump,
                    TB_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"));
    }
}

static int have_daemon(struct pump *pump, struct tb_err *err)
{
    if (pump->daemon_fd >= 0) {
        return 0;
    }
    int fd = tb_mcp_link_open(pump->link, err);
    if (fd < 0) {
        return fd;
    }
    pump->daemon_fd = fd;
    introduce_again(pump);
    return pump->daemon_fd >= 0 ? 0 : tb_fail(err, TB_E_CLOSED, "the daemon ended at once");
}

static void on_agent_line(struct pump *pump, struct tb_str line)
{
    struct tb_jsonrpc message = {0};
    struct tb_err err;
    const struct tb_json_limits limits = {0};
    bool readable = tb_jsonrpc_parse(line, &limits, TB_JSONRPC_BATCHES, &message, NULL) == 0;
    bool request = readable && message.kind == TB_JSONRPC_REQUEST;
    if (have_daemon(pump, &err) < 0) {
        if (request) {
            tell_error(pump, message.id.text, TB_E_CLOSED, err.text);
        }
        return;
    }
    if (request) {
        note_waiting(pump, message.id.text);
        if (tb_jsonrpc_is(&message, "initialize")) {
            tb_buf_clear(&pump->initialize);
            tb_buf_append_str(&pump->initialize, line);
        }
    }
    send_daemon(pump, line);
}

static void on_daemon_line(struct pump *pump, struct tb_str line)
{
    struct tb_jsonrpc message = {0};
    const struct tb_json_limits limits = {.any_escape = true};
    bool answer = tb_jsonrpc_parse(line, &limits, TB_JSONRPC_BATCHES, &message, NULL) == 0 &&
                  (message.kind == TB_JSONRPC_RESULT || message.kind == TB_JSONRPC_ERROR);
    if (answer && pump->said_again.len &&
        tb_str_eq(message.id.text, tb_buf_str(&pump->said_again))) {
        tb_buf_fini(&pump->said_again);
        return;
    }
    if (answer) {
        forget_waiting(pump, message.id.text);
    }
    tell_agent(pump, line);
}

/* Hands over every whole line in the buffer, its newline included. */
static void take_lines(struct pump *pump, struct tb_buf *buf, size_t searched,
                       void (*take)(struct pump *pump, struct tb_str line))
{
    struct tb_str rest = tb_buf_str(buf);
    size_t used = 0;
    for (size_t at = searched; at < rest.len; at++) {
        if (rest.ptr[at] == '\n') {
            take(pump, tb_str_sub(rest, used, at + 1));
            used = at + 1;
        }
    }
    /* What was taken may have ended the connection and with it this buffer. */
    if (buf->len) {
        tb_buf_consume(buf, used);
    }
}

static void on_agent_bytes(struct pump *pump, struct tb_str bytes)
{
    if (pump->skipping) {
        struct tb_str rest = bytes;
        tb_str_cut(&rest, '\n');
        if (!rest.ptr) {
            return;
        }
        pump->skipping = false;
        bytes = rest;
    }
    size_t searched = pump->from_agent.len;
    if (tb_buf_append_str(&pump->from_agent, bytes) < 0) {
        tb_buf_fini(&pump->from_agent);
        tell_error(pump, TB_STR(""), TB_E_TOO_LARGE,
                   "the line is longer than 16 MiB and was skipped");
        struct tb_str rest = bytes;
        tb_str_cut(&rest, '\n');
        pump->skipping = rest.ptr == NULL;
        if (rest.len) {
            on_agent_bytes(pump, rest);
        }
        return;
    }
    take_lines(pump, &pump->from_agent, searched, on_agent_line);
}

static void read_agent(struct pump *pump)
{
    char step[STEP_BYTES];
    ssize_t got = read(STDIN_FILENO, step, sizeof(step));
    if (got > 0) {
        on_agent_bytes(pump, (struct tb_str){step, (size_t)got});
    } else if (got == 0 || errno != EINTR) {
        pump->agent_gone = true;
    }
}

static void read_daemon(struct pump *pump)
{
    char step[STEP_BYTES];
    ssize_t got = read(pump->daemon_fd, step, sizeof(step));
    if (got > 0) {
        size_t searched = pump->from_daemon.len;
        if (tb_buf_append(&pump->from_daemon, step, (size_t)got) < 0) {
            lose_daemon(pump);
            return;
        }
        take_lines(pump, &pump->from_daemon, searched, on_daemon_line);
    } else if (got == 0 || errno != EINTR) {
        lose_daemon(pump);
    }
}

/* Answers that are under way are still delivered after the agent has closed its end. */
static void finish(struct pump *pump)
{
    if (pump->daemon_fd < 0) {
        return;
    }
    shutdown(pump->daemon_fd, SHUT_WR);
    while (pump->daemon_fd >= 0 && !tb_list_empty(&pump->waiting)) {
        read_daemon(pump);
    }
}

int tb_mcp_pump(const struct tb_mcp_link *link, int daemon_fd)
{
    struct pump pump = {.link = link, .daemon_fd = daemon_fd};
    tb_buf_init(&pump.from_agent, TB_STDIO_LINE_MAX);
    tb_buf_init(&pump.from_daemon, TB_STDIO_REPLY_MAX);
    tb_buf_init(&pump.initialize, TB_STDIO_LINE_MAX);
    tb_buf_init(&pump.said_again, TB_JSONRPC_ID_MAX);
    tb_map_init(&pump.by_id);
    tb_list_init(&pump.waiting);

    while (!pump.agent_gone) {
        struct pollfd ends[2] = {
            {.fd = STDIN_FILENO, .events = POLLIN},
            {.fd = pump.daemon_fd, .events = POLLIN},
        };
        if (poll(ends, 2, -1) < 0 && errno != EINTR) {
            break;
        }
        if (ends[1].revents) {
            read_daemon(&pump);
        }
        if (ends[0].revents) {
            read_agent(&pump);
        }
    }
    finish(&pump);
    if (pump.daemon_fd >= 0) {
        lose_daemon(&pump);
    }
    tb_map_fini(&pump.by_id);
    tb_buf_fini(&pump.from_agent);
    tb_buf_fini(&pump.initialize);
    return 0;
}
