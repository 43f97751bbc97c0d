/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/doors.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pwd.h>

#include "base/log.h"
#include "core/egress.h"
#include "core/limits.h"
#include "daemon/dirs.h"
#include "daemon/port_owner.h"
#include "front/proxy/proxy.h"
#include "io/listener.h"
#include "io/tls.h"
#include "proto/authority.h"
#include "proto/ip.h"

enum {
    DOORS_MAX = 8,
    ADDRESS_SIZE = 80,
};

static const struct tb_door_row all[] = {
    {"main", TB_DOOR_MAIN, "listen", NULL, false},
    {"agent", TB_DOOR_AGENT, "agent_listen", NULL, false},
    {"unix", TB_DOOR_UNIX, "runtime_dir", NULL, false},
    {"proxy", 0, "proxy.listen", &tb_front_proxy, true},
    {NULL, 0, NULL, NULL, false},
};

struct door {
    const struct tb_door_row *row;
    struct tb_router_door route;
    void *state;                   /* of the row's owner */
    struct tb_http_server *server; /* NULL: not opened, or its owner's */
    struct tb_listener *listener;
};

struct tb_doors {
    struct tb_core *core;
    struct tb_tls *tls; /* NULL: plain */
    struct door doors[DOORS_MAX];
    size_t count;
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

const struct tb_door_row *tb_doors_rows(void)
{
    return all;
}

static const struct tb_config_key *key_of(const struct tb_door_row *row)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].path, row->setting) == 0) {
            return &keys[i];
        }
    }
    assert(0 && "a door names a setting that there is not");
    return NULL;
}

static bool is_unix(const struct tb_door_row *row)
{
    return key_of(row)->type == TB_CONFIG_PATH;
}

/* Where a door that is no Unix socket is; NULL: it is off. */
static const char *address_of(const struct tb_config *config, const struct tb_door_row *row)
{
    const void *value = (const char *)config + key_of(row)->offset;
    const char *text = *(char *const *)value;
    return row->bit != TB_DOOR_MAIN && strcmp(text, "off") == 0 ? NULL : text;
}

static void on_connection(struct tb_stream *stream, void *user)
{
    struct door *door = user;
    const struct tb_front *owner = door->row->owner;
    if (owner) {
        owner->accept(door->state, stream);
    } else {
        tb_http_server_add_take(door->server, stream);
    }
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

/* Whoever is on the way reads tokens and pages. */
static int check_reach(const struct place *place, const struct tb_door_row *row, const char *text,
                       const struct tb_authority *where, struct tb_err *err)
{
    struct tb_ip ip;
    bool loopback =
        tb_ip_parse(where->host, &ip) && tb_ip_is_loopback(&ip) && !tb_authority_is_any(where);
    if (row->inner && !loopback) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s: only browsers of this daemon use it, so it must be on loopback, like "
                       "127.0.0.1:0",
                       row->setting);
    }
    if (loopback || place->tls || !place->config->tls_required) {
        return 0;
    }
    return tb_fail(
        err, TB_E_CONFIG,
        "%s can be reached from other machines, and without TLS tokens travel in the clear; "
        "set tls.cert and tls.key, or tls.required: false behind a proxy that speaks TLS",
        text);
}

/* On a shared machine it is often the daemon of somebody else, which the reader cannot stop. One of
 * their own with our state directory would hold that, and we would not have come here. */
static int fail_in_use(const char *text, const char *ip, uint16_t port,
                       const struct tb_config_key *key, struct tb_err *err)
{
    const char *flag = key->flag ? key->flag : key->path;
    bool tabard = tb_port_is_tabard(ip, port);
    uid_t uid;
    if (!tb_port_owner(port, &uid) || uid == geteuid()) {
        return tb_fail(err, -EADDRINUSE,
                       "%s is in use by another %s; stop it or choose another address with %s",
                       text, tabard ? "tabard daemon, with another state directory" : "program",
                       flag);
    }
    const struct passwd *user = getpwuid(uid);
    return tb_fail(err, -EADDRINUSE,
                   "%s is in use by %s of user %s (%u); choose another address with %s (port 0 "
                   "picks a free one)",
                   text, tabard ? "the tabard daemon" : "a program",
                   user ? user->pw_name : "unknown", (unsigned)uid, flag);
}

static bool is_ip(const struct tb_authority *where)
{
    struct tb_ip ignored;
    return tb_ip_parse(where->host, &ignored);
}

/* "127.0.0.1:8765" or "[::1]:8765": an IP literal, or localhost, and a port. `door` is NULL for a
 * listener that nobody will use. */
static struct tb_listener *listen_on(const struct place *place, const struct tb_door_row *row,
                                     struct door *door, struct tb_err *err)
{
    const char *text = address_of(place->config, row);
    struct tb_authority where;
    if (!tb_authority_parse_listen(tb_str_of(text), &where) || !is_ip(&where)) {
        tb_fail(err, TB_E_CONFIG,
                "'%s' is not an address to listen on; write it like 127.0.0.1:8765", text);
        return NULL;
    }
    if (check_reach(place, row, text, &where, err) < 0) {
        return NULL;
    }
    TB_AUTO(tb_free) char *host = tb_str_dup(where.host);
    struct tb_listener *listener = tb_listener_new_tcp(
        place->loop, host, where.port, row->inner ? NULL : place->tls, on_connection, door, err);
    if (!listener && err->code == -EADDRINUSE) {
        fail_in_use(text, host, where.port, key_of(row), err);
    }
    return listener;
}

static int open_tcp(struct tb_doors *doors, struct door *door, struct tb_err *err)
{
    const struct place place = {doors->core->loop, doors->core->config, doors->tls};
    door->listener = listen_on(&place, door->row, door, err);
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

/* "127.0.0.1:8765", with the port that is really in use. */
static void print_address(const struct tb_doors *doors, const struct door *door,
                          char ret_text[ADDRESS_SIZE])
{
    struct tb_authority where;
    tb_authority_parse_listen(tb_str_of(address_of(doors->core->config, door->row)), &where);
    snprintf(ret_text, ADDRESS_SIZE, "%s%.*s%s:%u", where.ipv6 ? "[" : "", TB_STR_ARG(where.host),
             where.ipv6 ? "]" : "", tb_listener_port(door->listener));
}

static void note_address(struct tb_doors *doors, const struct door *door)
{
    char address[ADDRESS_SIZE];
    print_address(doors, door, address);
    snprintf(doors->address, sizeof(doors->address), "%s://%s", doors->tls ? "https" : "http",
             address);
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

/* "a", "a and b", "a, b and c". */
static size_t list_addresses(const struct tb_config *config, struct tb_buf *out)
{
    const char *wanted[DOORS_MAX];
    size_t count = 0;
    for (const struct tb_door_row *row = all; row->name; row++) {
        if (!is_unix(row) && !row->inner && address_of(config, row)) {
            wanted[count++] = address_of(config, row);
        }
    }
    for (size_t i = 0; i < count; i++) {
        tb_buf_append_cstr(out, i == 0 ? "" : i + 1 < count ? ", " : " and ");
        tb_buf_append_cstr(out, wanted[i]);
    }
    return count;
}

int tb_doors_try(const struct tb_config *config, struct tb_buf *ret_addresses, struct tb_err *err)
{
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct place place = {loop, config, NULL};
    struct tb_listener *listeners[DOORS_MAX] = {NULL};
    int rc = open_tls(config, &place.tls, err);
    for (size_t i = 0; rc == 0 && all[i].name; i++) {
        if (!is_unix(&all[i]) && address_of(config, &all[i])) {
            listeners[i] = listen_on(&place, &all[i], NULL, err);
            rc = listeners[i] ? 0 : err->code;
        }
    }
    for (size_t i = 0; i < DOORS_MAX; i++) {
        tb_listener_free(listeners[i]);
    }
    tb_tls_free(place.tls);
    return rc < 0 ? rc : (int)list_addresses(config, ret_addresses);
}

static int open_door(struct tb_doors *doors, struct door *door, struct tb_err *err)
{
    const struct tb_config *config = doors->core->config;
    const struct tb_door_row *row = door->row;
    if (!is_unix(row) && !address_of(config, row)) {
        return 0;
    }
    if (row->owner && !tb_router_state(door->route.router, row->owner, &door->state)) {
        return tb_fail(err, TB_E_INTERNAL,
                       "the door '%s' is for the front '%s', which is not served", row->name,
                       row->owner->name);
    }
    if (!row->owner) {
        const struct tb_http_server_limits limits = server_limits(config);
        door->server =
            tb_http_server_new(doors->core->loop, &limits, tb_router_ops(), &door->route);
    }
    int rc = is_unix(row) ? open_unix(doors, door, err) : open_tcp(doors, door, err);
    if (rc == 0 && row->bit == TB_DOOR_MAIN) {
        note_address(doors, door);
        warn_nameless(doors->core);
    }
    return rc;
}

static int open_all(struct tb_doors *doors, struct tb_router *router,
                    const struct tb_door_row *rows, struct tb_err *err)
{
    int rc = open_tls(doors->core->config, &doors->tls, err);
    for (const struct tb_door_row *row = rows; rc == 0 && row->name; row++) {
        assert(doors->count < DOORS_MAX);
        struct door *door = &doors->doors[doors->count++];
        door->row = row;
        door->route = (struct tb_router_door){router, (enum tb_door)row->bit};
        rc = open_door(doors, door, err);
    }
    return rc;
}

struct tb_doors *tb_doors_new(struct tb_core *core, struct tb_router *router,
                              const struct tb_door_row *rows, struct tb_err *err)
{
    struct tb_doors *doors = TB_NEW(struct tb_doors);
    doors->core = core;
    if (open_all(doors, router, rows, err) < 0) {
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
    for (size_t i = 0; i < doors->count; i++) {
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

uint16_t tb_doors_port(const struct tb_doors *doors, const char *name)
{
    for (size_t i = 0; i < doors->count; i++) {
        const struct door *door = &doors->doors[i];
        if (door->listener && strcmp(door->row->name, name) == 0) {
            return tb_listener_port(door->listener);
        }
    }
    return 0;
}

void tb_doors_tell_egresses(const struct tb_doors *doors)
{
    struct tb_egresses *egresses = doors->core->egresses;
    for (size_t i = 0; i < doors->count; i++) {
        const struct door *door = &doors->doors[i];
        if (door->listener) {
            tb_egresses_own_port(egresses, tb_listener_port(door->listener));
        }
        if (door->listener && door->row->owner == &tb_front_proxy) {
            char address[ADDRESS_SIZE];
            print_address(doors, door, address);
            tb_egresses_set_proxy(egresses, address);
        }
    }
}

size_t tb_doors_connections(const struct tb_doors *doors)
{
    size_t count = 0;
    for (size_t i = 0; i < doors->count; i++) {
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

static int renew_socket(struct tb_doors *doors, struct door *door, struct tb_err *err)
{
    struct tb_listener *old = door->listener;
    int rc = tb_dirs_remake_runtime(doors->core->config, err);
    rc = rc < 0 ? rc : open_unix(doors, door, err);
    if (rc < 0) {
        door->listener = old;
        return rc;
    }
    tb_listener_free(old);
    return 1;
}

int tb_doors_renew_socket(struct tb_doors *doors, struct tb_err *err)
{
    int rc = 0; /* what it stays when no door is opened any more */
    for (size_t i = 0; rc == 0 && i < doors->count; i++) {
        struct door *door = &doors->doors[i];
        if (door->listener && is_unix(door->row)) {
            rc = renew_socket(doors, door, err);
        }
    }
    return rc;
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
    for (size_t i = 0; i < doors->count; i++) {
        if (!doors->doors[i].row->inner) {
            tb_listener_free(doors->doors[i].listener);
            doors->doors[i].listener = NULL;
        }
        doors->draining += doors->doors[i].server != NULL;
    }
    for (size_t i = 0; i < doors->count; i++) {
        if (doors->doors[i].server) {
            tb_http_server_drain(doors->doors[i].server, on_server_drained, doors);
        }
    }
    assert(doors->draining > 0); /* the main door has one */
}
