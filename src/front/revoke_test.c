/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is open in the name of a credential ends with it, whichever front it came by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/sessions.h"

#include "support/mcp_http.h"

#define BEARER "Authorization: Bearer weak\r\n"
#define MODERN "MCP-Protocol-Version: 2026-07-28\r\n"
#define UPGRADE                                                                  \
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define NAVIGATE "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}"

static int set_up(void **state)
{
    static const struct tb_principal_spec spec = {
        .tenant = "default", .key = "weak", .label = "", .scopes = TB_SCOPE_OBSERVE | TB_SCOPE_ACT};
    struct mcp_http *f = mcp_http_new(false);
    f->rig.door.door = TB_DOOR_MAIN; /* where the same user is nobody in particular */
    tb_auth_add(f->rig.core.auth, &spec, TB_STR("weak"));
    *state = f;
    return 0;
}

static const char *revoke(struct mcp_http *f)
{
    f->client.got.len = 0;
    tb_auth_revoke(f->rig.core.auth, "weak");
    mcp_rig_turn(&f->rig);
    return mcp_client_heard(&f->client);
}

static void an_event_stream_ends(void **state)
{
    struct mcp_http *f = *state;
    mcp_expect(mcp_http_ask(f, "GET /api/events", BEARER, ""), "HTTP/1.1 200 ");
    assert_int_equal(f->rig.core.metrics.values[TB_METRIC_EVENT_READERS], 1);
    mcp_expect(revoke(f), "0\r\n\r\n"); /* the last chunk */
    assert_int_equal(f->rig.core.metrics.values[TB_METRIC_EVENT_READERS], 0);
    mcp_expect(mcp_http_ask(f, "GET /api/events", BEARER, ""), "HTTP/1.1 401 ");
}

static void an_event_websocket_is_closed_as_a_matter_of_policy(void **state)
{
    struct mcp_http *f = *state;
    mcp_expect(mcp_http_ask(f, "GET /api/events", BEARER UPGRADE, ""), "HTTP/1.1 101 ");
    const char *said = revoke(f);
    assert_memory_equal(said, "\x88\x1c\x03\xf0", 4); /* close, 28 bytes, 1008 */
    assert_string_equal(said + 4, "the credential was revoked");
    tb_bus_publish(
        &f->rig.core.bus,
        &(struct tb_event){.type = TB_EVENT_AUDIT_CLEARED, .tenant = "default", .session_id = ""});
    f->client.got.len = 0;
    mcp_rig_turn(&f->rig);
    assert_string_equal(mcp_client_heard(&f->client), "");
}

/* Its stream and its call with it. */
static void a_legacy_mcp_session_ends(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client stream;
    char headers[256];
    const char *said = mcp_http_ask(f, "POST /mcp", BEARER, INITIALIZE("2025-11-25"));
    const char *line = strstr(said, "Mcp-Session-Id: ");
    assert_non_null(line);
    snprintf(headers, sizeof(headers), BEARER "%.*s", (int)(strstr(line, "\r\n") + 2 - line), line);
    mcp_client_open(&f->rig, &stream);
    mcp_expect(mcp_client_ask(&f->rig, &stream, "GET /mcp", headers, ""), "HTTP/1.1 200 ");
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    mcp_http_ask(f, "POST /mcp", headers, REQUEST(9, "tools/call", NAVIGATE));
    assert_int_equal(f->rig.fake->at_work, 1);
    stream.got.len = 0;
    mcp_expect(revoke(f), "\"id\":9,\"error\":");
    mcp_expect(mcp_client_heard(&stream), "0\r\n\r\n");
    assert_int_equal(f->rig.fake->at_work, 0);
    mcp_client_close(&stream);
}

static void a_modern_call_is_answered_with_the_reason(void **state)
{
    struct mcp_http *f = *state;
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    mcp_http_ask(f, "POST /mcp",
                 BEARER MODERN "Mcp-Method: tools/call\r\nMcp-Name: browser_navigate\r\n",
                 REQUEST(9, "tools/call", NAVIGATE "," MODERN_META));
    assert_int_equal(f->rig.fake->at_work, 1);
    const char *said = revoke(f);
    mcp_expect(said, "\"code\":-10401");
    mcp_expect(said, "the credential of this request was revoked");
    assert_int_equal(f->rig.fake->at_work, 0);
}

static void another_credential_does_not_reach_an_mcp_session(void **state)
{
    struct mcp_http *f = *state;
    char headers[256];
    const char *said = mcp_http_ask(f, "POST /mcp", BEARER, INITIALIZE("2025-11-25"));
    const char *line = strstr(said, "Mcp-Session-Id: ");
    assert_non_null(line);
    snprintf(headers, sizeof(headers), "%.*s", (int)(strstr(line, "\r\n") + 2 - line), line);
    f->rig.door.door = TB_DOOR_UNIX;
    mcp_expect(mcp_http_ask(f, "POST /mcp", headers, REQUEST(10, "ping", "")), "HTTP/1.1 404 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_stream_ends, set_up, mcp_http_stop),
        cmocka_unit_test_setup_teardown(an_event_websocket_is_closed_as_a_matter_of_policy, set_up,
                                        mcp_http_stop),
        cmocka_unit_test_setup_teardown(a_legacy_mcp_session_ends, set_up, mcp_http_stop),
        cmocka_unit_test_setup_teardown(a_modern_call_is_answered_with_the_reason, set_up,
                                        mcp_http_stop),
        cmocka_unit_test_setup_teardown(another_credential_does_not_reach_an_mcp_session, set_up,
                                        mcp_http_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
