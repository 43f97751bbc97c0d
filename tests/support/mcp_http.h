/* SPDX-License-Identifier: Apache-2.0 */
/* The rig of MCP behind the real router, with one client: the state of a test. */
#pragma once

#include <stdbool.h>

#include "support/mcp_expect.h"
#include "support/mcp_rig.h"

struct mcp_http {
    struct mcp_rig rig;
    struct mcp_client client;
    char session[128]; /* the header line that names it; "": none was begun */
};

/* With the tools of tabard-fixtures, too, if `fixtures` says so. */
struct mcp_http *mcp_http_new(bool fixtures);
/* For cmocka; the state is a struct mcp_http. */
int mcp_http_start(void **state);
int mcp_http_stop(void **state);

/* As mcp_client_ask. */
const char *mcp_http_ask(struct mcp_http *http, const char *line, const char *headers,
                         const char *body);
/* Begins a legacy session and keeps the line that names it. */
void mcp_http_begin(struct mcp_http *http, const char *version);
