/* SPDX-License-Identifier: Apache-2.0 */
#include "front/router.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/quote.h"
#include "core/limits.h"
#include "front/guard.h"
#include "front/once.h"
#include "front/refused.h"
#include "front/reply.h"
#include "proto/ws_handshake.h"

enum {
    FRONTS_MAX = 16,
};

struct tb_router {
    struct tb_core *core;
    const struct tb_front *const *fronts;
    void *states[FRONTS_MAX]; /* of the fronts, in their order */
    size_t started;           /* how many fronts were started */
    struct tb_refused refused_places;
    struct tb_refused refused_credentials;
};

struct tb_router *tb_router_new(struct tb_core *core, const struct tb_front *const *fronts)
{
    struct tb_router *router = TB_NEW(struct tb_router);
    router->core = core;
    router->fronts = fronts;
    tb_refused_init(&router->refused_places, core, TB_EVENT_CALLER_REFUSED);
    tb_refused_init(&router->refused_credentials, core, TB_EVENT_CREDENTIAL_REFUSED);
    return router;
}

int tb_router_start(struct tb_router *router, struct tb_err *err)
{
    for (; router->fronts[router->started]; router->started++) {
        const struct tb_front *front = router->fronts[router->started];
        assert(router->started < FRONTS_MAX);
        int rc =
            front->start ? front->start(router->core, &router->states[router->started], err) : 0;
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

void tb_router_drain(struct tb_router *router)
{
    for (size_t i = 0; i < router->started; i++) {
        if (router->fronts[i]->drain) {
            router->fronts[i]->drain(router->states[i]);
        }
    }
}

bool tb_router_state(const struct tb_router *router, const struct tb_front *front, void **ret_state)
{
    for (size_t i = 0; i < router->started; i++) {
        if (router->fronts[i] == front) {
            *ret_state = router->states[i];
            return true;
        }
    }
    return false;
}

void tb_router_free(struct tb_router *router)
{
    if (!router) {
        return;
    }
    for (size_t i = 0; i < router->started; i++) {
        if (router->fronts[i]->stop) {
            router->fronts[i]->stop(router->states[i]);
        }
    }
    tb_refused_fini(&router->refused_places);
    tb_refused_fini(&router->refused_credentials);
    tb_free(router);
}

/* The parts of a pattern, the more particular the higher. */
enum part {
    REST,
    NAME,
    LITERAL,
};

static enum part part_kind(struct tb_str part)
{
    const struct tb_str rest = TB_STR("...}");
    if (!tb_str_starts(part, TB_STR("{"))) {
        return LITERAL;
    }
    return part.len > rest.len && tb_str_eq(tb_str_sub(part, part.len - rest.len, part.len), rest)
               ? REST
               : NAME;
}

/* Most rows of all fronts differ within their first bytes. */
static bool begins_alike(const char *pattern, struct tb_str path)
{
    size_t at = 0;
    while (pattern[at] && pattern[at] != '{') {
        if (at == path.len || path.ptr[at] != pattern[at]) {
            return false;
        }
        at++;
    }
    return true;
}

bool tb_route_match(const char *pattern, struct tb_str path, struct tb_str args[TB_ROUTE_ARGS])
{
    if (!begins_alike(pattern, path)) {
        return false;
    }
    struct tb_str want = tb_str_of(pattern);
    size_t arg_count = 0;
    while (want.ptr && path.ptr) {
        struct tb_str left = path;
        struct tb_str part = tb_str_cut(&want, '/');
        struct tb_str segment = tb_str_cut(&path, '/');
        enum part kind = part_kind(part);
        if (kind == LITERAL ? !tb_str_eq(part, segment) : arg_count == TB_ROUTE_ARGS) {
            return false;
        }
        if (kind == REST) {
            args[arg_count] = left;
            return true;
        }
        if (kind == NAME && segment.len == 0) {
            return false;
        }
        if (kind == NAME) {
            args[arg_count++] = segment;
        }
    }
    return !want.ptr && !path.ptr;
}

/* Of two routes for the same path: whether the first is the more particular one. */
static bool beats(const struct tb_route *route, const struct tb_route *other)
{
    struct tb_str mine = tb_str_of(route->path);
    struct tb_str theirs = tb_str_of(other->path);
    while (mine.ptr && theirs.ptr) {
        enum part kind = part_kind(tb_str_cut(&mine, '/'));
        enum part against = part_kind(tb_str_cut(&theirs, '/'));
        if (kind != against) {
            return kind > against;
        }
    }
    return (route->flags & TB_ROUTE_UPGRADE) > (other->flags & TB_ROUTE_UPGRADE);
}

/* What the look-up of a path gives: the route, or which methods the path has. */
struct found {
    bool owned;                   /* there is a front: of the route, the path, or its beginning */
    size_t front;                 /* which of the router's, if so */
    const struct tb_route *route; /* that fits */
    const struct tb_route *path;  /* the most particular one with this path, whatever its method */
    bool sockets_only;            /* all that it has is for a WebSocket, which is not asked for */
    char allow[64];
    size_t allow_len;
};

static void add_allowed(struct found *found, const char *method)
{
    struct tb_str name = tb_str_of(method);
    size_t need = name.len + (found->allow_len ? 2 : 0);
    if (found->allow_len + need > sizeof(found->allow) ||
        tb_str_list_has((struct tb_str){found->allow, found->allow_len}, name)) {
        return;
    }
    for (const char *c = found->allow_len ? ", " : ""; *c; c++) {
        found->allow[found->allow_len++] = *c;
    }
    for (size_t i = 0; i < name.len; i++) {
        found->allow[found->allow_len++] = name.ptr[i];
    }
}

/* A route for GET answers HEAD too; the server leaves the body out. */
static bool method_fits(const struct tb_route *route, struct tb_str method)
{
    return tb_str_eq_cstr(method, route->method) ||
           (tb_str_eq_cstr(method, "HEAD") && tb_str_eq_cstr(TB_STR("GET"), route->method));
}

/* A route that has the path of the request. */
static void consider(struct found *found, size_t front, const struct tb_route *route,
                     struct tb_front_req *req, const struct tb_str args[TB_ROUTE_ARGS])
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    bool served = !(route->flags & TB_ROUTE_UPGRADE) || tb_ws_is_upgrade(head);
    found->sockets_only = !served && !found->allow_len;
    if (!found->route && (!found->path || beats(route, found->path))) {
        found->path = route;
        found->front = front;
        found->owned = true;
    }
    if (!served) {
        return;
    }
    add_allowed(found, route->method);
    if (method_fits(route, head->method) && (!found->route || beats(route, found->route))) {
        found->route = route;
        found->front = front;
        for (size_t a = 0; a < TB_ROUTE_ARGS; a++) {
            req->args[a] = args[a];
        }
    }
}

/* True if the path is the prefix or lies below it. */
static bool has_prefix(struct tb_str path, const char *prefix)
{
    struct tb_str start = tb_str_of(prefix);
    return tb_str_starts(path, start) &&
           (path.len == start.len || path.ptr[start.len] == '/' || start.ptr[start.len - 1] == '/');
}

/* The front whose prefix says the most about a path that no route has. */
static void find_owner(const struct tb_router *router, struct tb_str path, struct found *found)
{
    size_t longest = 0;
    for (size_t f = 0; router->fronts[f]; f++) {
        const char *prefix = router->fronts[f]->prefix;
        if (prefix && has_prefix(path, prefix) && strlen(prefix) > longest) {
            longest = strlen(prefix);
            found->front = f;
            found->owned = true;
        }
    }
}

static struct found find(const struct tb_router *router, struct tb_front_req *req)
{
    struct tb_str path = tb_http_req_head(req->http)->path;
    struct found found = {0};
    for (size_t f = 0; router->fronts[f]; f++) {
        const struct tb_front *front = router->fronts[f];
        for (size_t i = 0; i < front->route_count; i++) {
            const struct tb_route *route = &front->routes[i];
            struct tb_str args[TB_ROUTE_ARGS] = {{0}};
            if (route->doors & req->door && tb_route_match(route->path, path, args)) {
                consider(&found, f, route, req, args);
            }
        }
    }
    if (!found.owned) {
        find_owner(router, path, &found);
    }
    return found;
}

/* A browser asks before it sends what a page of another origin wants to send, and never with a
 * credential. */
static bool is_preflight(const struct tb_front_req *req)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    return tb_str_eq_cstr(head->method, "OPTIONS") && tb_http1_header(head, "Origin").ptr &&
           tb_http1_header(head, "Access-Control-Request-Method").ptr;
}

static void reply_preflight(struct tb_front_req *req, const struct found *found)
{
    const struct tb_http_header headers[] = {
        {"Access-Control-Allow-Methods", {found->allow, found->allow_len}},
        {"Access-Control-Allow-Headers", tb_str_of(tb_guard_cors_of(req)->send)},
        {"Access-Control-Max-Age", TB_STR("600")},
    };
    req->status = 204;
    tb_http_reply(req->http, req->status, headers, TB_COUNT(headers), TB_STR(""));
}

/* There is no route for it: says why. */
static void refuse(struct tb_front_req *req, const struct found *found)
{
    if (found->allow_len) {
        tb_reply_not_allowed(req, (struct tb_str){found->allow, found->allow_len});
    } else if (found->sockets_only) {
        tb_reply_fail(req, TB_E_INVALID, "this address takes only WebSocket connections");
    } else {
        struct tb_err err;
        struct tb_quoted path;
        tb_fail(&err, TB_E_NOT_FOUND, "nothing is served at %s; 'tabard routes' lists what is",
                tb_quoted(&path, tb_http_req_head(req->http)->path, 0));
        tb_reply_fail(req, err.code, err.text);
    }
}

/* Host and Origin: whether who asks may know anything at all. Gives what it asks for. */
static bool check_place(struct tb_router *router, struct tb_front_req *req, struct found *ret_found)
{
    struct tb_err err;
    int rc = tb_guard_check_host(req, &err);
    if (rc == 0) {
        *ret_found = find(router, req);
        req->front = ret_found->owned ? router->fronts[ret_found->front] : NULL;
        req->state = ret_found->owned ? router->states[ret_found->front] : NULL;
        rc = tb_guard_check_origin(req, &err);
    }
    if (rc < 0) {
        req->core->metrics.values[TB_METRIC_REFUSED_HOSTS]++;
        tb_refused_note(&router->refused_places, req, rc);
        tb_reply_fail(req, rc, err.text);
        return false;
    }
    tb_guard_allow_origin(req);
    return true;
}

/* A credential that is none, or that may not do this; and not that nobody could tell. */
static bool is_refusal(int code)
{
    return code == TB_E_UNAUTHORIZED || code == TB_E_RATE || code == TB_E_FORBIDDEN ||
           code == TB_E_SCOPE;
}

/* The checks before the body. Answers and returns false when the request ends here. */
static bool admit(struct tb_router *router, struct tb_front_req *req)
{
    struct tb_err err;
    struct found found = {0};
    if (!check_place(router, req, &found)) {
        return false;
    }
    if (found.allow_len && is_preflight(req)) {
        reply_preflight(req, &found);
        return false;
    }
    if (!found.route) {
        refuse(req, &found);
        return false;
    }
    req->route = found.route;
    int rc = tb_guard_identify(req, &err);
    if (is_refusal(rc)) {
        tb_refused_note(&router->refused_credentials, req, rc);
    }
    if (rc == 0) {
        rc = tb_guard_check_body_type(req, &err);
    }
    if (rc < 0) {
        tb_reply_fail(req, rc, err.text);
        return false;
    }
    return true;
}

/* The body may come long after the head, by which the caller was let in. Answers when its
 * credential was revoked meanwhile. */
static bool still_may(struct tb_front_req *req)
{
    if (req->who->revoked) {
        tb_reply_fail(req, TB_E_UNAUTHORIZED, "the credential of this request was revoked");
        return false;
    }
    return true;
}

static void on_body(struct tb_http_req *http, struct tb_str piece)
{
    struct tb_front_req *req = tb_http_req_user(http);
    if (still_may(req)) {
        req->route->body(req, piece);
    }
}

static void await_body(struct tb_front_req *req)
{
    if (req->route->flags & TB_ROUTE_STREAM) {
        assert(req->route->body);
        tb_http_req_set_body_max(req->http, UINT64_MAX);
        tb_http_req_stream(req->http, on_body);
    } else {
        tb_http_req_set_body_max(req->http, (uint64_t)req->core->config->http_body_max_bytes);
    }
}

static void on_head(struct tb_http_req *http, void *user)
{
    const struct tb_router_door *door = user;
    struct tb_front_req *req = TB_NEW(struct tb_front_req);
    req->core = door->router->core;
    req->http = http;
    req->door = door->door;
    req->began_ms = tb_loop_now_ms(req->core->loop);
    tb_http_req_set_user(http, req);
    if (admit(door->router, req)) {
        await_body(req);
    }
}

static void on_request(struct tb_http_req *http, void *user)
{
    struct tb_front_req *req = tb_http_req_user(http);
    (void)user;
    if (still_may(req) && (!req->front->before || req->front->before(req))) {
        req->route->handle(req);
    }
}

/* Routes appear by their pattern: a path may carry an id, and ids are secrets. */
static void log_request(const struct tb_front_req *req, bool complete)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    tb_log_at(req->core->log, DEBUG, "http", complete ? "request" : "request abandoned",
              tb_kv("method", head->method),
              tb_kv_cstr("route", req->route ? req->route->path : "-"),
              tb_kv_int("status", req->status),
              tb_kv_int("ms", tb_loop_now_ms(req->core->loop) - req->began_ms),
              tb_kv_cstr("peer", tb_http_req_peer(req->http)->text));
}

static void on_gone(struct tb_http_req *http, bool complete, void *user)
{
    struct tb_front_req *req = tb_http_req_user(http);
    (void)user;
    int64_t *metrics = req->core->metrics.values;
    metrics[TB_METRIC_HTTP_REQUESTS] += req->status != 0;
    metrics[TB_METRIC_HTTP_CLIENT_ERRORS] += req->status >= 400 && req->status < 500;
    metrics[TB_METRIC_HTTP_SERVER_ERRORS] += req->status >= 500;
    log_request(req, complete);
    if (req->route && req->route->gone) {
        req->route->gone(req);
    }
    tb_once_gone(req);
    tb_principal_unref(req->who, "request");
    tb_free(req);
}

const struct tb_http_server_ops *tb_router_ops(void)
{
    static const struct tb_http_server_ops ops = {on_head, on_request, on_gone};
    return &ops;
}
