/* SPDX-License-Identifier: Apache-2.0 */
/* The MCP front on a core with the fake driver and a clock that is moved by hand: as a peer that
 * hands over messages in memory, or, with the fronts for events and REST, behind the real router
 * and HTTP server with raw clients on socket pairs. Without cmocka, so that fuzz targets can use it
 * too; what goes wrong in the rig itself ends the program. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "core/core.h"
#include "driver/fake/fake.h"
#include "front/mcp/peer.h"
#include "front/mcp/server.h"
#include "front/router.h"

#define MODERN_META                                                          \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define REQUEST(id, method, params) \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define INITIALIZE(version)                  \
    REQUEST(1, "initialize",                 \
            "\"protocolVersion\":\"" version \
            "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}")

struct mcp_rig {
    struct tb_clock_manual clock;
    struct tb_log log;
    struct tb_config config;
    struct tb_core core;
    struct tb_fake *fake;
    bool fixtures; /* the front of tabard-fixtures; to be set before it starts */
    const struct tb_front *const *fronts; /* served in place of the usual; the same; may be NULL */
    /* In memory. */
    struct tb_mcp *mcp;
    struct tb_mcp_peer peer;
    struct tb_mcp_out out;
    struct tb_buf sent; /* all messages, a line each */
    size_t answers;
    size_t drops;
    int status; /* of the last answer */
    /* Over HTTP. */
    struct tb_router *router;
    struct tb_router_door door;
    struct tb_http_server *server;
    struct tb_listener *listener;
    char dir[32];
    char socket[64];
};

/* The core. Settings may be changed before the next step. */
void mcp_rig_init(struct mcp_rig *rig);
/* With a store, so that sessions can sleep. */
void mcp_rig_store(struct mcp_rig *rig);
/* A front with one peer of the toolset ("": the default one). */
void mcp_rig_memory(struct mcp_rig *rig, const char *toolset, const char *groups);
/* The fronts behind the router and an HTTP server, at the Unix door. */
void mcp_rig_serve(struct mcp_rig *rig);
void mcp_rig_fini(struct mcp_rig *rig);
/* For a test that has a rig with a peer in memory as its state. */
int mcp_rig_start(void **state);
int mcp_rig_stop(void **state);

/* Runs the loop until nothing is left to do at this time; the second moves the clock before. */
void mcp_rig_turn(struct mcp_rig *rig);
void mcp_rig_advance(struct mcp_rig *rig, int64_t ms);

/* Hands a message to the peer, as stdio would, runs the loop, and gives what was sent since:
 * borrowed until the next call. */
const char *mcp_rig_say(struct mcp_rig *rig, const char *message);
/* The same without running the loop. */
const char *mcp_rig_say_only(struct mcp_rig *rig, const char *text);
/* What was sent since. */
const char *mcp_rig_heard(struct mcp_rig *rig);

struct mcp_client {
    struct tb_stream *stream;
    struct tb_buf got;
    bool ended;
};

void mcp_client_open(struct mcp_rig *rig, struct mcp_client *client);
void mcp_client_close(struct mcp_client *client);
void mcp_client_send(struct mcp_client *client, struct tb_str bytes);
/* One request; `headers` are whole lines with CR LF. Runs the loop and gives all that came back
 * since, as text. */
const char *mcp_client_ask(struct mcp_rig *rig, struct mcp_client *client, const char *line,
                           const char *headers, const char *body);
/* All that came since the last look. */
const char *mcp_client_heard(struct mcp_client *client);
