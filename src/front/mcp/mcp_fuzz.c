/* SPDX-License-Identifier: Apache-2.0 */
/* A POST to /mcp: the first three lines are the values of MCP-Protocol-Version, Mcp-Method and
 * Mcp-Name (an empty one is not sent), a fourth one that says "session" begins a legacy session
 * first; the rest is the body. Whatever it is, the daemon lives, and a request whose id can be read
 * gets exactly one answer that carries this id. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "front/mcp/limits.h"
#include "proto/json_iter.h"

#include "support/mcp_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                  \
    do {                                                 \
        if (!(condition)) {                              \
            fprintf(stderr, "broken: %s\n", #condition); \
            abort();                                     \
        }                                                \
    } while (0)

enum {
    VALUE_MAX = 100,
};

/* Bytes that HTTP would refuse are no business of this test. */
static void put_header(struct tb_buf *out, const char *name, struct tb_str value)
{
    if (!value.len) {
        return;
    }
    tb_buf_printf(out, "%s: ", name);
    for (size_t i = 0; i < value.len && i < VALUE_MAX; i++) {
        bool plain = value.ptr[i] > ' ' && value.ptr[i] < 0x7f;
        tb_buf_append(out, plain ? &value.ptr[i] : ".", 1);
    }
    tb_buf_append_cstr(out, "\r\n");
}

static void put_session(struct mcp_rig *rig, struct mcp_client *client, struct tb_buf *out)
{
    const char *said = mcp_client_ask(rig, client, "POST /mcp", "", INITIALIZE("2025-03-26"));
    const char *line = strstr(said, "Mcp-Session-Id: ");
    MUST(line);
    tb_buf_append(out, line, (size_t)(strstr(line, "\r\n") + 2 - line));
}

/* The body of the reply, or the data of its last event. */
static struct tb_str answer_of(struct tb_str reply, bool *ret_events)
{
    const char *split = memmem(reply.ptr, reply.len, "\r\n\r\n", 4);
    MUST(split);
    *ret_events = memmem(reply.ptr, (size_t)(split - reply.ptr), "text/event-stream", 17) != NULL;
    return tb_str_sub(reply, (size_t)(split + 4 - reply.ptr), reply.len);
}

static size_t count(struct tb_str text, struct tb_str part)
{
    size_t found = 0;
    while (text.len >= part.len && part.len) {
        const char *at = memmem(text.ptr, text.len, part.ptr, part.len);
        if (!at) {
            break;
        }
        found++;
        text = tb_str_sub(text, (size_t)(at - text.ptr) + part.len, text.len);
    }
    return found;
}

static void check_answer(struct tb_str body, struct tb_str reply)
{
    struct tb_jsonrpc asked;
    struct tb_jsonrpc answer;
    bool events;
    struct tb_str said = answer_of(reply, &events);
    int rc = tb_jsonrpc_parse(body, &tb_mcp_json_limits,
                              TB_JSONRPC_BATCHES | TB_JSONRPC_OBJECT_PARAMS, &asked, NULL);
    bool request = asked.kind == TB_JSONRPC_REQUEST || (rc < 0 && asked.kind == TB_JSONRPC_NONE);
    MUST(count(reply, TB_STR("HTTP/1.1 ")) >= 1);
    if (!request || events || !asked.id.text.len) {
        return;
    }
    const struct tb_json_limits none = {.any_escape = true};
    MUST(tb_jsonrpc_parse(said, &none, 0, &answer, NULL) == 0);
    MUST(answer.kind == TB_JSONRPC_RESULT || answer.kind == TB_JSONRPC_ERROR);
    MUST(tb_str_eq(answer.id.text, asked.id.text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcp_rig rig;
    struct mcp_client client;
    struct tb_str body = {(const char *)data, size};
    struct tb_str version = tb_str_cut(&body, '\n');
    struct tb_str method = tb_str_cut(&body, '\n');
    struct tb_str name = tb_str_cut(&body, '\n');
    struct tb_str session = tb_str_cut(&body, '\n');
    TB_AUTO(tb_buf_fini) struct tb_buf request = TB_BUF(SIZE_MAX);
    mcp_rig_init(&rig);
    mcp_rig_serve(&rig);
    mcp_client_open(&rig, &client);
    tb_buf_append_cstr(&request,
                       "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                       "Accept: application/json, text/event-stream\r\n");
    put_header(&request, "MCP-Protocol-Version", version);
    put_header(&request, "Mcp-Method", method);
    put_header(&request, "Mcp-Name", name);
    if (tb_str_eq_cstr(session, "session")) {
        put_session(&rig, &client, &request);
    }
    tb_buf_printf(&request, "Content-Length: %zu\r\n\r\n", body.len);
    tb_buf_append(&request, body.len ? body.ptr : "", body.len);
    client.got.len = 0;
    mcp_client_send(&client, tb_buf_str(&request));
    mcp_rig_turn(&rig);
    /* A call may wait for its own deadline; all of them end. */
    mcp_rig_advance(&rig, TB_CALL_TIMEOUT_MAX_MS);
    mcp_rig_advance(&rig, TB_CALL_GRACE_MS);
    check_answer(body, tb_buf_str(&client.got));
    mcp_client_close(&client);
    mcp_rig_turn(&rig);
    mcp_rig_fini(&rig);
    return 0;
}
