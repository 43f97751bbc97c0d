/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the MCP front: made when the daemon starts, reached from every request and peer.
 *
 *   transports (http.c, http_sse.c, ws.c, stdio.c) -> peer.c -> methods.c -> one file a topic ->
 * result.c -> the transport
 *
 * What can be listed and called comes from providers: the product's own tables (product.c), and in
 * tabard-fixtures those of the conformance suite. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/map.h"
#include "core/bus.h"
#include "core/core.h"
#include "front/mcp/catalog.h"
#include "front/mcp/provider.h"
#include "front/mcp/state.h"

struct tb_mcp_sessions;

struct tb_mcp {
    struct tb_core *core;
    const struct tb_mcp_provider *const *providers; /* NULL-ended */
    struct tb_mcp_catalog catalog;
    struct tb_mcp_sessions *sessions; /* of legacy clients over HTTP */
    struct tb_list peers;             /* that can be told something unasked: sessions and stdio */
    struct tb_list stdio;             /* connections */
    struct tb_list sockets;           /* the same, of WebSockets */
    struct tb_list streams;           /* the same, of HTTP+SSE */
    struct tb_map streams_by_id;
    struct tb_list listens; /* subscriptions/listen */
    size_t listen_count;
    struct tb_list questions; /* calls that their clients left to ask a user */
    size_t question_count;
    struct tb_subscriber bus;
    struct tb_deferred meant; /* looks who means another session than before */
    struct tb_mcp_states states;
    bool list_changes; /* the lists can change while the daemon runs */
    bool brings;       /* the same of tools, since sessions of some driver bring their own */
};

/* The life of a front of this kind. `providers` is NULL-ended and stays. */
struct tb_mcp *tb_mcp_new(struct tb_core *core, const struct tb_mcp_provider *const *providers);
void tb_mcp_drain(void *state);
void tb_mcp_free(void *state);
