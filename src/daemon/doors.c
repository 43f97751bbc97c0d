/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/doors.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <pwd.h>

#include "base/log.h"
#include "core/limits.h"
#include "daemon/dirs.h"
#include "daemon/port_owner.h"
#include "io/listener.h"
#include "io/tls.h"
#include "proto/authority.h"

enum {
    MAIN_DOOR,
    AGENT_DOOR,
    UNIX_DOOR,
    DOOR_COUNT,
};

struct door {
    struct tb_router_door route;
    struct tb_http_server *server;
    struct tb_listener *listener;
    struct tb_doors *doors;
};

struct tb_doors {
    struct tb_core *core;
    struct tb_tls *tls; /* NULL: plain */
    struct door doors[DOOR_COUNT];
    char address[96];
    size_t draining; /* servers that have not ended yet */
    void (*on_drained)(void *user);
    void *drained_user;
};

/* What a listener needs, whether there is a daemon or not. */
struct place {
    struct tb_loop *loop;
    const struct tb_config *config;
    struct tb_tls *tls;
};

static void on_connection(struct tb_stream *stream, void *user)
{
    struct door *door = user;
    tb_http_server_add_take(door->server, stream);
}

static struct tb_http_server_limits server_limits(const struct tb_config *config)
{
    return (struct tb_http_server_limits){
        .parser = {.line_max = TB_HTTP_LINE_MAX,
                   .head_max = TB_HTTP_HEAD_MAX,
                   .header_count = TB_HTTP_HEADER_COUNT,
                   .body_max = (uint64_t)config->http_body_max_bytes,
                   .chunk_ext_max = TB_HTTP_CHUNK_EXT_MAX},
        .connections_max = (size_t)config->http_connections_max,
        .header_ms = config->http_header_ms,
        .body_grace_ms = TB_HTTP_BODY_GRACE_MS,
        .body_rate = TB_HTTP_BODY_RATE,
        .idle_ms = config->http_idle_ms,
        .write_ms = TB_HTTP_WRITE_MS,
        .peer_ms = TB_PEER_MS,
        .send_max = TB_SEND_QUEUE_MAX,
    };
}

static struct door *add_server(struct tb_doors *doors, size_t index, struct tb_router *router,
                               enum tb_door kind)
{
    struct door *door = &doors->doors[index];
    const struct tb_http_server_limits limits = server_limits(doors->core->config);
    door->doors = doors;
    door->route = (struct tb_router_door){router, kind};
    door->server = tb_http_server_new(doors->core->loop, &limits, tb_router_ops(), &door->route);
    return door;
}

/* Whoever is on the way reads tokens and pages. */
static int check_reach(const struct tb_config *config, bool has_tls, const char *text,
                       const struct tb_authority *where, struct tb_err *err)
{
    bool loopback =
        tb_str_starts(where->host, TB_STR("127.")) || tb_str_eq_cstr(where->host, "::1");
    if (loopback || has_tls || !config->tls_required) {
        return 0;
    }
    return tb_fail(
        err, TB_E_CONFIG,
        "%s can be reached from other machines, and without TLS tokens travel in the clear; "
        "set tls.cert and tls.key, or tls.required: false behind a proxy that speaks TLS",
        text);
}

/* On a shared machine it is often the daemon of somebody else. */
static int fail_in_use(const char *text, uint16_t port, const char *flag, struct tb_err *err)
{
    uid_t uid;
    if (!tb_port_owner(port, &uid) || uid == geteuid()) {
        return tb_fail(err, -EADDRINUSE,
                       "%s is in use by another program; stop it or choose another with %s", text,
                       flag);
    }
    const struct passwd *user = getpwuid(uid);
    return tb_fail(
        err, -EADDRINUSE,
        "%s is in use by a program of user %s (%u); choose another with %s (port 0 picks a "
        "free one)",
        text, user ? user->pw_name : "unknown", (unsigned)uid, flag);
}

static bool is_ip(const struct tb_authority *where)
{
    struct in_addr ignored;
    TB_AUTO(tb_free) char *host = tb_str_dup(where->host);
    return where->ipv6 || inet_pton(AF_INET, host, &ignored) == 1;
}

/* "127.0.0.1:8765" or "[::1]:8765": an IP literal, or localhost, and a port. */
static struct tb_listener *listen_on(const struct place *place, const char *text, const char *flag,
                                     struct door *door, struct tb_err *err)
{
    struct tb_authority where;
    if (!tb_authority_parse_listen(tb_str_of(text), &where) || !is_ip(&where)) {
        tb_fail(err, TB_E_CONFIG,
                "'%s' is not an address to listen on; write it like 127.0.0.1:8765", text);
        return NULL;
    }
    if (check_reach(place->config, place->tls != NULL, text, &where, err) < 0) {
        return NULL;
    }
    TB_AUTO(tb_free) char *host = tb_str_dup(where.host);
    struct tb_listener *listener =
        tb_listener_new_tcp(place->loop, host, where.port, place->tls, on_connection, door, err);
    if (!listener && err->code == -EADDRINUSE) {
        fail_in_use(text, where.port, flag, err);
    }
    return listener;
}

static int open_tcp(struct tb_doors *doors, struct door *door, const char *text, const char *flag,
                    struct tb_err *err)
{
    const struct place place = {doors->core->loop, doors->core->config, doors->tls};
    door->listener = listen_on(&place, text, flag, door, err);
    return door->listener ? 0 : err->code;
}

static int open_unix(struct tb_doors *doors, struct door *door, struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_dirs_socket(doors->core->config);
    door->listener = tb_listener_new_unix(doors->core->loop, path, on_connection, door, err);
    return door->listener ? 0 : err->code;
}

static int open_tls(const struct tb_config *config, struct tb_tls **ret_tls, struct tb_err *err)
{
    if (!config->tls_cert[0] && !config->tls_key[0]) {
        return 0;
    }
    if (!config->tls_cert[0] || !config->tls_key[0]) {
        return tb_fail(err, TB_E_CONFIG,
                       "tls.cert and tls.key go together; one of them is missing");
    }
    *ret_tls = tb_tls_new(config->tls_cert, config->tls_key, err);
    return *ret_tls ? 0 : err->code;
}

static void note_address(struct tb_doors *doors, const struct door *main_door)
{
    struct tb_authority where;
    tb_authority_parse_listen(tb_str_of(doors->core->config->listen), &where);
    snprintf(doors->address, sizeof(doors->address), "%s://%s%.*s%s:%u",
             doors->tls ? "https" : "http", where.ipv6 ? "[" : "", TB_STR_ARG(where.host),
             where.ipv6 ? "]" : "", tb_listener_port(main_door->listener));
}

/* Pages of other sites could reach the daemon under names of theirs, so it answers only to those
 * that it was given. */
static void warn_nameless(const struct tb_core *core)
{
    struct tb_authority where;
    tb_authority_parse_listen(tb_str_of(core->config->listen), &where);
    if (tb_authority_is_any(&where) && core->config->http_allowed_hosts.count == 0) {
        tb_log_at(core->log, WARN, "daemon",
                  "other machines get 421: add this machine's names and addresses, as they appear "
                  "in requests, to http.allowed_hosts");
    }
}

bool tb_doors_agent_wanted(const struct tb_config *config)
{
    return !tb_str_eq_cstr(TB_STR("off"), config->agent_listen);
}

int tb_doors_try(const struct tb_config *config, struct tb_err *err)
{
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct place place = {loop, config, NULL};
    int rc = open_tls(config, &place.tls, err);
    struct tb_listener *main_door =
        rc < 0 ? NULL : listen_on(&place, config->listen, "--listen", NULL, err);
    struct tb_listener *agent_door =
        main_door && tb_doors_agent_wanted(config)
            ? listen_on(&place, config->agent_listen, "--agent-listen", NULL, err)
            : NULL;
    bool good = main_door && (agent_door || !tb_doors_agent_wanted(config));
    tb_listener_free(agent_door);
    tb_listener_free(main_door);
    tb_tls_free(place.tls);
    return good ? 0 : err->code;
}

static int open_all(struct tb_doors *doors, struct tb_router *router, struct tb_err *err)
{
    const struct tb_config *config = doors->core->config;
    int rc = open_tls(config, &doors->tls, err);
    if (rc < 0) {
        return rc;
    }
    struct door *main_door = add_server(doors, MAIN_DOOR, router, TB_DOOR_MAIN);
    rc = open_tcp(doors, main_door, config->listen, "--listen", err);
    if (rc < 0) {
        return rc;
    }
    note_address(doors, main_door);
    warn_nameless(doors->core);
    if (tb_doors_agent_wanted(config)) {
        rc = open_tcp(doors, add_server(doors, AGENT_DOOR, router, TB_DOOR_AGENT),
                      config->agent_listen, "--agent-listen", err);
        if (rc < 0) {
            return rc;
        }
    }
    return open_unix(doors, add_server(doors, UNIX_DOOR, router, TB_DOOR_UNIX), err);
}

struct tb_doors *tb_doors_new(struct tb_core *core, struct tb_router *router, struct tb_err *err)
{
    struct tb_doors *doors = TB_NEW(struct tb_doors);
    doors->core = core;
    if (open_all(doors, router, err) < 0) {
        tb_doors_free(doors);
        return NULL;
    }
    return doors;
}

void tb_doors_free(struct tb_doors *doors)
{
    if (!doors) {
        return;
    }
    for (size_t i = 0; i < DOOR_COUNT; i++) {
        tb_listener_free(doors->doors[i].listener);
        tb_http_server_free(doors->doors[i].server);
    }
    tb_tls_free(doors->tls);
    tb_free(doors);
}

const char *tb_doors_address(const struct tb_doors *doors)
{
    return doors->address;
}

size_t tb_doors_connections(const struct tb_doors *doors)
{
    size_t count = 0;
    for (size_t i = 0; i < DOOR_COUNT; i++) {
        if (doors->doors[i].server) {
            count += tb_http_server_connections(doors->doors[i].server);
        }
    }
    return count;
}

int tb_doors_reload(struct tb_doors *doors, const struct tb_config *config, struct tb_err *err)
{
    bool wanted = config->tls_cert[0] || config->tls_key[0];
    if (wanted != (doors->tls != NULL)) {
        return tb_fail(err, TB_E_CONFIG, "tls.cert: to turn TLS %s, restart the daemon",
                       wanted ? "on" : "off");
    }
    return wanted ? tb_tls_reload(doors->tls, config->tls_cert, config->tls_key, err) : 0;
}

int tb_doors_renew_socket(struct tb_doors *doors, struct tb_err *err)
{
    struct door *door = &doors->doors[UNIX_DOOR];
    struct tb_listener *old = door->listener;
    if (!old) {
        return 0; /* no door is opened any more */
    }
    int rc = tb_dirs_remake_runtime(doors->core->config, err);
    rc = rc < 0 ? rc : open_unix(doors, door, err);
    if (rc < 0) {
        door->listener = old;
        return rc;
    }
    tb_listener_free(old);
    return 1;
}

static void on_server_drained(void *user)
{
    struct tb_doors *doors = user;
    if (--doors->draining == 0) {
        doors->on_drained(doors->drained_user);
    }
}

void tb_doors_drain(struct tb_doors *doors, void (*fn)(void *user), void *user)
{
    doors->on_drained = fn;
    doors->drained_user = user;
    for (size_t i = 0; i < DOOR_COUNT; i++) {
        tb_listener_free(doors->doors[i].listener);
        doors->doors[i].listener = NULL;
        doors->draining += doors->doors[i].server != NULL;
    }
    for (size_t i = 0; i < DOOR_COUNT; i++) {
        if (doors->doors[i].server) {
            tb_http_server_drain(doors->doors[i].server, on_server_drained, doors);
        }
    }
}
