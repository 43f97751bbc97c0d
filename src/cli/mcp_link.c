/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/daemon_call.h"
#include "cli/mcp_start.h"
#include "daemon/dirs.h"
#include "daemon/lock.h"

enum {
    HEAD_MAX = 4096,
    REQUEST_MAX = 32 * 1024,
    VALUE_MAX = 256,
    WORDS_MAX = 4096,
    ANSWER_MS = 5000, /* for the daemon to answer on an open socket */
    START_MS = 20000, /* for a fresh daemon to be ready, after the one before it has stopped */
    RETRY_MS = 10,    /* between tries, at first; each pause is twice the one before it */
    RETRY_MAX_MS = 250,
};

static int64_t now_ms(void)
{
    return tb_clock_mono_ms(tb_clock_system());
}

/* Where the daemon is found is no setting of it. */
static bool finds_daemon(const struct tb_config_key *key)
{
    return strcmp(key->path, "state_dir") == 0 || strcmp(key->path, "runtime_dir") == 0;
}

/* The value that an option or, without one, a variable gives to a setting; its name is `ret_name`.
 * NULL: none does. */
static const char *given(const struct tb_config_sources *sources, const struct tb_config_key *key,
                         char *ret_name, size_t size)
{
    const char *found = NULL;
    tb_config_env_name(key, ret_name, size);
    for (const char *const *env = sources->env; env && *env; env++) {
        struct tb_str value = tb_str_of(*env);
        if (tb_str_eq_cstr(tb_str_cut(&value, '='), ret_name)) {
            found = value.ptr;
        }
    }
    for (size_t i = 0; key->flag && i < sources->flag_count; i++) {
        if (strcmp(sources->flags[2 * i], key->flag) == 0) {
            snprintf(ret_name, size, "%s", key->flag);
            found = sources->flags[2 * i + 1];
        }
    }
    return found;
}

bool tb_mcp_link_ignored(const struct tb_mcp_link *link, char *ret_names, size_t size)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(size - 1);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        if (!finds_daemon(&keys[i]) && given(link->way->sources, &keys[i], name, sizeof(name)) &&
            !tb_str_list_has(tb_str_of(link->same), tb_str_of(keys[i].path))) {
            tb_buf_printf(&names, "%s%s", names.len ? ", " : "", name);
        }
    }
    snprintf(ret_names, size, "%.*s", TB_STR_ARG(tb_buf_str(&names)));
    return names.len > 0;
}

/* One line of a head; a longer value, or one with anything but plain text in it, is not compared.
 */
static bool is_plain(const char *value)
{
    const char *c = value;
    while (*c >= ' ' && *c <= '~') {
        c++;
    }
    return *c == '\0' && c - value <= VALUE_MAX;
}

static void put_settings(const struct tb_config_sources *sources, struct tb_buf *out)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        const char *value = given(sources, &keys[i], name, sizeof(name));
        if (value && is_plain(value) && !finds_daemon(&keys[i])) {
            tb_buf_printf(out, "Tabard-Setting: %s=%s\r\n", keys[i].path, value);
        }
    }
}

void tb_mcp_link_init(struct tb_mcp_link *link, const struct tb_mcp_way *way)
{
    *link = (struct tb_mcp_link){.way = way, .fd = -1};
    tb_buf_init(&link->head, HEAD_MAX);
}

void tb_mcp_link_close(struct tb_mcp_link *link)
{
    if (link->fd >= 0) {
        close(link->fd);
    }
    link->fd = -1;
    link->state = TB_MCP_LINK_NONE;
    tb_buf_fini(&link->head);
}

/* Moves on, and lets go of the descriptor of the state before. */
static void enter(struct tb_mcp_link *link, enum tb_mcp_link_state state, int fd, int64_t wait_ms)
{
    tb_mcp_link_close(link);
    link->state = state;
    link->fd = fd;
    link->due_ms = now_ms() + wait_ms;
}

static int connect_once(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -errno;
    }
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0) {
        return fd;
    }
    int rc = -errno;
    close(fd);
    return rc;
}

static void put_request(const struct tb_mcp_way *way, struct tb_buf *out)
{
    tb_buf_printf(out, "GET /mcp/stdio?toolset=%s&groups=%s", way->toolset, way->groups);
    if (way->session) {
        tb_buf_append_cstr(out, "&session=");
        tb_daemon_call_escape(way->session, out);
    }
    tb_buf_printf(out,
                  " HTTP/1.1\r\n"
                  "Host: localhost\r\n"
                  "X-Conversation-Id: %s\r\n",
                  way->conversation);
    if (way->tenant) {
        tb_buf_printf(out, "X-Tabard-Tenant: %s\r\n", way->tenant);
    }
    if (way->key) {
        tb_buf_printf(out, "Authorization: Bearer %s\r\n", way->key);
    }
    put_settings(way->sources, out);
}

/* A fresh socket has room for it. */
static int greet(struct tb_mcp_link *link, int fd, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf request = TB_BUF(REQUEST_MAX);
    put_request(link->way, &request);
    tb_buf_append_cstr(&request, "Connection: Upgrade\r\n"
                                 "Upgrade: tabard-mcp\r\n\r\n");
    enter(link, TB_MCP_LINK_GREETING, fd, ANSWER_MS);
    return send(fd, request.data, request.len, MSG_NOSIGNAL) == (ssize_t)request.len
               ? 0
               : tb_fail(err, TB_E_CLOSED, "the daemon closed the connection at once");
}

static int start(struct tb_mcp_link *link, struct tb_err *err)
{
    int fd = tb_mcp_start(link->way->config, link->way->sources, err);
    if (fd < 0) {
        return fd;
    }
    enter(link, TB_MCP_LINK_STARTING, fd, link->give_up_ms - now_ms());
    return 0;
}

static int retry(struct tb_mcp_link *link)
{
    enter(link, TB_MCP_LINK_RETRYING, -1, link->retry_ms);
    link->retry_ms = link->retry_ms < RETRY_MAX_MS / 2 ? link->retry_ms * 2 : RETRY_MAX_MS;
    return 0;
}

static int connect_or_start(struct tb_mcp_link *link, struct tb_err *err)
{
    const struct tb_mcp_way *way = link->way;
    TB_AUTO(tb_free) char *path = tb_dirs_socket(way->config);
    int fd = connect_once(path);
    if (fd >= 0) {
        return greet(link, fd, err);
    }
    bool none = fd == -ENOENT || fd == -ECONNREFUSED;
    if (none && !way->may_start) {
        return tb_fail(err, fd, "no daemon is running at %s; start one with 'tabard serve'", path);
    }
    if (none && link->started) {
        return tb_fail(err, fd, "the daemon exited at once; see %s/daemon.log",
                       way->config->state_dir);
    }
    if (none) {
        return start(link, err);
    }
    if (fd == -EAGAIN && now_ms() < link->give_up_ms) { /* more connections wait than it takes */
        return retry(link);
    }
    return tb_fail(err, fd, "cannot connect to %s: %s", path, tb_err_name(fd));
}

/* It has had its time to open the socket, to stop, or to make a socket again that was removed. */
static int fail_locked(const struct tb_mcp_link *link, struct tb_err *err)
{
    const struct tb_config *config = link->way->config;
    TB_AUTO(tb_free) char *path = tb_dirs_socket(config);
    char holder[TB_LOCK_HOLDER_SIZE];
    tb_lock_holder(config->state_dir, holder, sizeof(holder));
    return tb_fail(err, TB_E_LOCKED,
                   "a daemon runs on %s (%s), but it has no socket at %s; restart it, or give the "
                   "--runtime-dir that it has",
                   config->state_dir, holder, path);
}

static int step_starting(struct tb_mcp_link *link, bool readable, struct tb_err *err)
{
    if (!readable) {
        return tb_fail(
            err, TB_E_TIMEOUT,
            "the daemon did not start in time; see %s/daemon.log, or run 'tabard doctor'",
            link->way->config->state_dir);
    }
    int rc = tb_mcp_start_result(link->way->config, link->fd, err);
    if (rc == TB_E_LOCKED) {
        bool late = now_ms() + link->retry_ms >= link->give_up_ms;
        return late ? fail_locked(link, err) : retry(link);
    }
    link->started = rc == 0;
    return rc < 0 ? rc : connect_or_start(link, err);
}

/* Takes what belongs to the head off the socket, and no byte of the lines behind it. True when the
 * head is whole. */
static int read_head(struct tb_mcp_link *link, struct tb_err *err)
{
    char step[HEAD_MAX];
    ssize_t got = recv(link->fd, step, HEAD_MAX - link->head.len, MSG_PEEK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return 0;
    }
    if (got <= 0) {
        return tb_fail(err, TB_E_CLOSED, "the daemon closed the connection without answering");
    }
    size_t before = link->head.len;
    tb_buf_append(&link->head, step, (size_t)got);
    const uint8_t *end = memmem(link->head.data, link->head.len, "\r\n\r\n", 4);
    if (end) {
        link->head.len = (size_t)(end - link->head.data) + 4;
    }
    return recv(link->fd, step, link->head.len - before, 0) > 0 && end != NULL;
}

/* The settings that the daemon has as they were given to us. */
static void note_same(struct tb_mcp_link *link, struct tb_str head)
{
    const struct tb_str name = TB_STR("Tabard-Same: ");
    link->same[0] = '\0';
    while (head.ptr) {
        struct tb_str rest = tb_str_cut(&head, '\n');
        struct tb_str line = tb_str_cut(&rest, '\r');
        if (tb_str_starts(line, name)) {
            snprintf(link->same, sizeof(link->same), "%.*s",
                     TB_STR_ARG(tb_str_sub(line, name.len, line.len)));
        }
    }
}

/* In the daemon's own words, which come with the head. */
static int say_refused(const struct tb_mcp_link *link, struct tb_str line, struct tb_err *err)
{
    char body[WORDS_MAX];
    struct tb_err said;
    ssize_t got = recv(link->fd, body, sizeof(body), MSG_DONTWAIT);
    if (got > 0 &&
        tb_daemon_call_refused(0, (struct tb_str){body, (size_t)got}, &said) != TB_E_PROTOCOL) {
        return tb_fail(err, TB_E_INVALID, "the daemon refused the connection: %s", said.text);
    }
    return tb_fail(err, TB_E_INVALID, "the daemon refused the connection (%.*s)", TB_STR_ARG(line));
}

static int step_greeting(struct tb_mcp_link *link, bool readable, struct tb_err *err)
{
    int rc = readable ? read_head(link, err)
                      : tb_fail(err, TB_E_TIMEOUT,
                                "the daemon accepted the connection but does not answer");
    if (rc <= 0) {
        return rc;
    }
    struct tb_str rest = tb_buf_str(&link->head);
    if (tb_str_starts(rest, TB_STR("HTTP/1.1 101 "))) {
        link->state = TB_MCP_LINK_OPEN;
        note_same(link, rest);
        tb_buf_fini(&link->head);
        return 0;
    }
    return say_refused(link, tb_str_cut(&rest, '\r'), err);
}

static int step(struct tb_mcp_link *link, bool readable, struct tb_err *err)
{
    switch (link->state) {
    case TB_MCP_LINK_STARTING:
        return step_starting(link, readable, err);
    case TB_MCP_LINK_RETRYING:
        return connect_or_start(link, err);
    case TB_MCP_LINK_GREETING:
        return step_greeting(link, readable, err);
    default:
        return 0;
    }
}

int tb_mcp_link_step(struct tb_mcp_link *link, bool readable, struct tb_err *err)
{
    if (!readable && now_ms() < link->due_ms) {
        return 0;
    }
    int rc = step(link, readable, err);
    if (rc < 0) {
        tb_mcp_link_close(link);
    }
    return rc;
}

int tb_mcp_link_begin(struct tb_mcp_link *link, struct tb_err *err)
{
    link->started = false;
    link->retry_ms = RETRY_MS;
    link->give_up_ms = now_ms() + START_MS;
    int rc = connect_or_start(link, err);
    if (rc < 0) {
        tb_mcp_link_close(link);
    }
    return rc;
}
