/* SPDX-License-Identifier: Apache-2.0 */
/* A front is a face of the daemon: MCP, REST, metrics ... It is a table of routes;
 * daemon/registry.c lists the fronts, front/router.c finds the route of a request and lets it in or
 * not before the handler sees it.
 *
 * To add a route, add a row to its front's table. A path is made of literal parts and of {name}
 * parts, which take one whole segment each; {name...} at the end takes all that is left, also
 * nothing. They come as args[0], args[1] ... in their order, not decoded. Where several rows fit,
 * the order of the rows does not matter: a literal beats {name}, and that beats {name...}.
 * docs/adding-a-front.md has an example. */
#pragma once

#include <stdbool.h>
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

/* Of a route. */
enum tb_route_flag {
    /* Only for requests that ask for a WebSocket; the others go to a row of the same path without
     * it. Where no row of a path has it, the one without it gets both. */
    TB_ROUTE_UPGRADE = 1,
    /* The body goes to `body` piece by piece and is not kept; it has no ceiling but the front's. */
    TB_ROUTE_STREAM = 2,
};

enum {
    TB_ROUTE_ARGS = 4,
    TB_FRONT_HEADERS = 6,
    TB_DOORS_USUAL = TB_DOOR_MAIN | TB_DOOR_UNIX,
    TB_DOORS_ALL = TB_DOOR_MAIN | TB_DOOR_AGENT | TB_DOOR_UNIX,
};

struct tb_front_req;
struct tb_once;
struct tb_param;

/* Which web pages may call a front. Scripts send no Origin, and are not asked. */
struct tb_cors {
    /* Judges the Origin of a request that has one: 0, or the code and words to refuse it with. */
    int (*check)(const struct tb_front_req *req, struct tb_err *err);
    const char *send; /* headers that a page may send: "Authorization, Content-Type" */
    const char *read; /* headers of the answer that it may read besides the usual; may be NULL */
};

/* A request on its way through a front; it lives exactly as long as its tb_http_req. */
struct tb_front_req {
    struct tb_core *core;
    struct tb_http_req *http;
    const struct tb_front *front; /* whose path it is; NULL: nobody's */
    struct tb_principal *who;     /* of the credential; NULL before the route is known */
    const struct tb_route *route;
    void *state; /* of the front, from its start */
    void *user;  /* the handler's own, NULL at first */
    enum tb_door door;
    struct tb_str args[TB_ROUTE_ARGS];
    int64_t began_ms;
    int status;      /* of the answer, 0 before */
    int64_t retry_s; /* of an error: try again after so many seconds; 0: as its code says */
    char retry_text[24];
    struct tb_once *once; /* it has an Idempotency-Key; NULL: it has none */
    struct tb_http_header headers[TB_FRONT_HEADERS]; /* of the answer, besides its own */
    size_t header_count;
};

/* What a route does, for its documentation (GET /api/openapi.json) and for whoever reads its
 * parameters by these tables. */
struct tb_route_doc {
    const char *name; /* of the operation: "listSessions" */
    const char *summary;
    const struct tb_param *query; /* ended by a NULL name; NULL: it takes none */
    const struct tb_param *body;  /* the same, of a JSON object; NULL: it takes none ... */
    const char *takes;            /* ... or what the body is, where it is no such table: a schema */
    const char *gives;            /* the schema of a good answer */
    const char *type;             /* of that; NULL: application/json */
    int status;                   /* of it; 0: 200 */
};

struct tb_route {
    const char *method;
    const char *path;
    unsigned scope; /* that a caller needs; 0: anybody who passes the Host and Origin checks */
    unsigned credentials; /* by which it may show that it has it: bits of enum tb_credential */
    unsigned doors;
    /* The whole body is in, and of a type that the row accepts, unless there is none. Answers now
     * or later. */
    void (*handle)(struct tb_front_req *req);
    /* The request ended, answered or not. May be NULL. */
    void (*gone)(struct tb_front_req *req);
    /* TB_ROUTE_STREAM: a piece of the body, before `handle`. tb_http_req_pause(req->http) makes the
     * peer wait; an answer ends the request here, without `handle`. */
    void (*body)(struct tb_front_req *req, struct tb_str piece);
    unsigned flags;                 /* of enum tb_route_flag */
    const struct tb_route_doc *doc; /* NULL: it is not for programs that read about it */
    const char *accepts; /* types of the body: "text/plain, image/png"; all of them, and none, are
                            "*"; NULL: application/json */
};

struct tb_front {
    const char *name;
    const struct tb_route *routes;
    size_t route_count;
    const char *prefix;         /* the paths below it that no route has are its own; may be NULL */
    const struct tb_cors *cors; /* NULL: no page at all */
    /* Answers an error of the router or the guard in the front's own form, at once. Headers that
     * the status needs are there already. NULL: the form of front/reply.h. */
    void (*fail)(struct tb_front_req *req, int code, const char *text);
    /* Before the handler of a route, with the whole body there. False: it has answered, or runs the
     * handler itself, later. NULL: nothing comes before. */
    bool (*before)(struct tb_front_req *req);
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
