/* SPDX-License-Identifier: Apache-2.0 */
/* The way from `tabard mcp` to the daemon: its Unix socket, upgraded to lines of JSON. Starts the
 * daemon when none runs. Nothing here blocks:
 *
 *   none --begin--> [starting --> ] greeting --> open
 *                    |    ^                       |
 *                    +----+ another holds the     +-- close --> none
 *                      lock: tried again
 *
 * Until it is open the owner calls tb_mcp_link_step when `fd` is readable or `due_ms` has come. Any
 * failure leads to none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "core/config.h"
#include "daemon/config_load.h"

/* What every connection of one bridge has in common. */
struct tb_mcp_way {
    const struct tb_err *refusal; /* the bridge itself cannot work, and says this; NULL: it can */
    const struct tb_config *config;
    const struct tb_config_sources *sources; /* handed on to a daemon that is started */
    const char *toolset;                     /* empty: the default one */
    const char *groups;                      /* empty: none */
    const char *tenant;                      /* NULL: the usual one */
    const char *session;                     /* that calls mean; NULL: none */
    const char *key;                         /* by whose right; NULL: the user's own */
    bool may_start;
    char conversation[TB_TOKEN_SIZE]; /* known to this process alone, and to its daemons */
};

enum tb_mcp_link_state {
    TB_MCP_LINK_NONE,
    TB_MCP_LINK_STARTING,
    TB_MCP_LINK_RETRYING,
    TB_MCP_LINK_GREETING,
    TB_MCP_LINK_OPEN,
};

struct tb_mcp_link {
    const struct tb_mcp_way *way;
    enum tb_mcp_link_state state;
    int fd;         /* -1: none */
    int64_t due_ms; /* monotonic */
    int64_t give_up_ms;
    int64_t retry_ms; /* the next pause */
    bool started;     /* a daemon, since the link was begun */
    struct tb_buf head;
    char same[2048]; /* paths of settings that the daemon has as they were given, between commas */
};

void tb_mcp_link_init(struct tb_mcp_link *link, const struct tb_mcp_way *way);
int tb_mcp_link_begin(struct tb_mcp_link *link, struct tb_err *err);
int tb_mcp_link_step(struct tb_mcp_link *link, bool readable, struct tb_err *err);
void tb_mcp_link_close(struct tb_mcp_link *link);
/* Names the options and variables that a running daemon does not heed, as far as it has not the
 * same; false when there are none. */
bool tb_mcp_link_ignored(const struct tb_mcp_link *link, char *ret_names, size_t size);
