/* SPDX-License-Identifier: Apache-2.0 */
/* A front is a face of the daemon: MCP, REST, metrics ... It is a table of routes;
 * daemon/registry.c lists the fronts, front/router.c finds the route of a request and lets it in or
 * not before the handler sees it.
 *
 * To add a route, add a row to its front's table. A path is made of literal parts and of {name}
 * parts, which take one whole segment each and come as args[0], args[1] ... in their order, not
 * decoded. */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "core/auth.h"
#include "core/core.h"
#include "io/http_server.h"

/* By which listener a request came. */
enum tb_door {
    TB_DOOR_MAIN = 1,
    TB_DOOR_AGENT = 2,
    TB_DOOR_UNIX = 4,
};

enum {
    TB_ROUTE_ARGS = 4,
    TB_DOORS_USUAL = TB_DOOR_MAIN | TB_DOOR_UNIX,
    TB_DOORS_ALL = TB_DOOR_MAIN | TB_DOOR_AGENT | TB_DOOR_UNIX,
};

/* A request on its way through a front; it lives exactly as long as its tb_http_req. */
struct tb_front_req {
    struct tb_core *core;
    struct tb_http_req *http;
    struct tb_principal *who; /* of the credential; NULL before the route is known */
    const struct tb_route *route;
    void *state; /* of the front, from its start */
    void *user;  /* the handler's own, NULL at first */
    enum tb_door door;
    struct tb_str args[TB_ROUTE_ARGS];
    int64_t began_ms;
    int status; /* of the answer, 0 before */
    struct tb_http_header cors[3];
};

struct tb_route {
    const char *method;
    const char *path;
    unsigned scope; /* that a caller needs; 0: anybody who passes the Host and Origin checks */
    unsigned credentials; /* by which it may show that it has it: bits of enum tb_credential */
    unsigned doors;
    /* The whole body is in, it is JSON (application/json) unless the method has none. Answers now
     * or later. */
    void (*handle)(struct tb_front_req *req);
    /* The request ended, answered or not. May be NULL. */
    void (*gone)(struct tb_front_req *req);
};

struct tb_front {
    const char *name;
    const struct tb_route *routes;
    size_t route_count;
    /* For a front that keeps state; all three may be NULL. `start` fails with words for the
     * operator. `drain` ends what would otherwise stay open (event streams, connections of its own
     * doors), `stop` comes when no request is left. */
    int (*start)(struct tb_core *core, void **ret_state, struct tb_err *err);
    void (*drain)(void *state);
    void (*stop)(void *state);
    /* For a front with a door of its own (daemon/doors.c), which speaks another protocol than HTTP
     * there, or HTTP in its own way: takes a fresh connection. */
    void (*accept)(void *state, struct tb_stream *stream);
};
