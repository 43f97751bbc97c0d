/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to its handler. One router serves all listeners; each listener has its own HTTP
 * server whose user pointer is a struct tb_router_door. The order of the checks for every request:
 * Host; then, by the rules of the front whose path it is, Origin, path, method (a CORS preflight
 * ends here), credential, content type; then the body is read and the handler runs. */
#pragma once

#include "base/mem.h"
#include "core/front.h"
#include "io/http_server.h"

struct tb_router;

struct tb_router_door {
    struct tb_router *router;
    enum tb_door door;
};

/* `fronts` is a NULL-ended list; it and its tables outlive the router. */
struct tb_router *tb_router_new(struct tb_core *core, const struct tb_front *const *fronts);
/* Stops the fronts that were started. */
void tb_router_free(struct tb_router *router);
TB_DEFINE_AUTO(struct tb_router *, tb_router_free)
/* Starts the fronts that keep state, before the first request. Fails with the words of the front
 * that cannot start. */
int tb_router_start(struct tb_router *router, struct tb_err *err);
/* Ends what would stay open for good, such as event streams; requests under way go on. */
void tb_router_drain(struct tb_router *router);
/* What `start` of a front gave, for those who bring it something besides requests. False when the
 * front is none of the router's, or was not started. */
bool tb_router_state(const struct tb_router *router, const struct tb_front *front,
                     void **ret_state);
/* For tb_http_server_new, with a tb_router_door as user. */
const struct tb_http_server_ops *tb_router_ops(void);

/* True if the path fits the pattern; fills args. For the router and its tests. */
bool tb_route_match(const char *pattern, struct tb_str path, struct tb_str args[TB_ROUTE_ARGS]);
