/* SPDX-License-Identifier: Apache-2.0 */
#include "support/mcp_http.h"

#include <stdio.h>

#include "base/mem.h"

struct mcp_http *mcp_http_new(bool fixtures)
{
    struct mcp_http *http = TB_NEW(struct mcp_http);
    mcp_rig_init(&http->rig);
    http->rig.fixtures = fixtures;
    mcp_rig_serve(&http->rig);
    mcp_client_open(&http->rig, &http->client);
    return http;
}

int mcp_http_start(void **state)
{
    *state = mcp_http_new(false);
    return 0;
}

int mcp_http_stop(void **state)
{
    struct mcp_http *http = *state;
    if (http->client.stream) {
        mcp_client_close(&http->client);
    }
    mcp_rig_turn(&http->rig);
    mcp_rig_fini(&http->rig);
    tb_free(http);
    return 0;
}

const char *mcp_http_ask(struct mcp_http *http, const char *line, const char *headers,
                         const char *body)
{
    return mcp_client_ask(&http->rig, &http->client, line, headers, body);
}

void mcp_http_begin(struct mcp_http *http, const char *version)
{
    char message[256];
    snprintf(message, sizeof(message), INITIALIZE("%s"), version);
    const char *said = mcp_http_ask(http, "POST /mcp", "", message);
    const char *line = strstr(said, "Mcp-Session-Id: ");
    assert_non_null(line);
    snprintf(http->session, sizeof(http->session), "%.*s", (int)(strstr(line, "\r\n") + 2 - line),
             line);
}
