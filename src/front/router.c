/* SPDX-License-Identifier: Apache-2.0 */
#include "front/router.h"

#include <assert.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/quote.h"
#include "core/limits.h"
#include "front/guard.h"
#include "front/reply.h"

enum {
    FRONTS_MAX = 16,
};

struct tb_router {
    struct tb_core *core;
    const struct tb_front *const *fronts;
    void *states[FRONTS_MAX]; /* of the fronts, in their order */
    size_t started;           /* how many fronts were started */
};

struct tb_router *tb_router_new(struct tb_core *core, const struct tb_front *const *fronts)
{
    struct tb_router *router = TB_NEW(struct tb_router);
    router->core = core;
    router->fronts = fronts;
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

void *tb_router_state(const struct tb_router *router, const struct tb_front *front)
{
    for (size_t i = 0; i < router->started; i++) {
        if (router->fronts[i] == front) {
            return router->states[i];
        }
    }
    assert(0 && "a front that was not started");
    return NULL;
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
    tb_free(router);
}

bool tb_route_match(const char *pattern, struct tb_str path, struct tb_str args[TB_ROUTE_ARGS])
{
    struct tb_str want = tb_str_of(pattern);
    size_t arg_count = 0;
    while (want.ptr && path.ptr) {
        struct tb_str part = tb_str_cut(&want, '/');
        struct tb_str segment = tb_str_cut(&path, '/');
        bool wild = part.len && part.ptr[0] == '{';
        if (wild && (segment.len == 0 || arg_count == TB_ROUTE_ARGS)) {
            return false;
        }
        if (wild) {
            args[arg_count++] = segment;
        } else if (!tb_str_eq(part, segment)) {
            return false;
        }
    }
    return !want.ptr && !path.ptr;
}

/* What the look-up of a path gives: the route, or which methods the path has. */
struct found {
    const struct tb_route *route;
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

static struct found find(const struct tb_router *router, struct tb_front_req *req)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    struct found found = {0};
    for (size_t f = 0; router->fronts[f]; f++) {
        const struct tb_front *front = router->fronts[f];
        for (size_t i = 0; i < front->route_count; i++) {
            const struct tb_route *route = &front->routes[i];
            struct tb_str args[TB_ROUTE_ARGS] = {{0}};
            if (!(route->doors & req->door) || !tb_route_match(route->path, head->path, args)) {
                continue;
            }
            add_allowed(&found, route->method);
            if (!found.route && method_fits(route, head->method)) {
                found.route = route;
                req->state = router->states[f];
                for (size_t a = 0; a < TB_ROUTE_ARGS; a++) {
                    req->args[a] = args[a];
                }
            }
        }
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
        {"Access-Control-Allow-Headers",
         TB_STR("Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, "
                "Mcp-Name, Mcp-Session-Id, X-Conversation-Id")},
        {"Access-Control-Max-Age", TB_STR("600")},
    };
    req->status = 204;
    tb_http_reply(req->http, req->status, headers, TB_COUNT(headers), TB_STR(""));
}

/* The checks before the body. Answers and returns false when the request ends here. */
static bool admit(const struct tb_router *router, struct tb_front_req *req)
{
    struct tb_err err;
    int rc = tb_guard_check_host(req, &err);
    if (rc == 0) {
        rc = tb_guard_check_origin(req, &err);
    }
    if (rc < 0) {
        req->core->metrics.values[TB_METRIC_REFUSED_HOSTS]++;
        tb_reply_error(req, rc, err.text);
        return false;
    }
    tb_guard_allow_origin(req);
    struct found found = find(router, req);
    if (found.allow_len && is_preflight(req)) {
        reply_preflight(req, &found);
        return false;
    }
    if (!found.route && found.allow_len) {
        tb_reply_not_allowed(req, (struct tb_str){found.allow, found.allow_len});
        return false;
    }
    if (!found.route) {
        struct tb_quoted path;
        tb_fail(&err, TB_E_NOT_FOUND, "nothing is served at %s; 'tabard routes' lists what is",
                tb_quoted(&path, tb_http_req_head(req->http)->path, 0));
        tb_reply_error(req, err.code, err.text);
        return false;
    }
    req->route = found.route;
    rc = tb_guard_identify(req, &err);
    if (rc == 0) {
        rc = tb_guard_check_body_type(req, &err);
    }
    if (rc < 0) {
        tb_reply_error(req, rc, err.text);
        return false;
    }
    return true;
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
        tb_http_req_set_body_max(http, (uint64_t)req->core->config->http_body_max_bytes);
    }
}

static void on_request(struct tb_http_req *http, void *user)
{
    struct tb_front_req *req = tb_http_req_user(http);
    (void)user;
    req->route->handle(req);
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
    tb_principal_unref(req->who, "request");
    tb_free(req);
}

const struct tb_http_server_ops *tb_router_ops(void)
{
    static const struct tb_http_server_ops ops = {on_head, on_request, on_gone};
    return &ops;
}
