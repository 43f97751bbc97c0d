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
#include "store/memory/memory.h"

#include "support/mcp_http.h"

#define BEARER "Authorization: Bearer weak\r\n"
#define MODERN "MCP-Protocol-Version: 2026-07-28\r\n"
#define UPGRADE                                                                  \
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define NAVIGATE "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}"

static const struct tb_principal_spec weak = {.tenant = "default",
                                              .key = "weak",
                                              .label = "",
                                              .scopes = TB_SCOPE_OBSERVE | TB_SCOPE_ACT};

static int set_up(void **state)
{
    struct mcp_http *f = mcp_http_new(false);
    f->rig.door.door = TB_DOOR_MAIN; /* where the same user is nobody in particular */
    tb_auth_add(f->rig.core.auth, &weak, TB_STR("weak"));
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
    assert_int_equal(f->rig.fake->counts.at_work, 1);
    stream.got.len = 0;
    mcp_expect(revoke(f), "\"id\":9,\"error\":");
    mcp_expect(mcp_client_heard(&stream), "0\r\n\r\n");
    assert_int_equal(f->rig.fake->counts.at_work, 0);
    mcp_client_close(&stream);
}

static void a_modern_call_is_answered_with_the_reason(void **state)
{
    struct mcp_http *f = *state;
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    mcp_http_ask(f, "POST /mcp",
                 BEARER MODERN "Mcp-Method: tools/call\r\nMcp-Name: browser_navigate\r\n",
                 REQUEST(9, "tools/call", NAVIGATE "," MODERN_META));
    assert_int_equal(f->rig.fake->counts.at_work, 1);
    const char *said = revoke(f);
    mcp_expect(said, "\"code\":-10401");
    mcp_expect(said, "the credential of this request was revoked");
    assert_int_equal(f->rig.fake->counts.at_work, 0);
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

/* Its head comes while the credential is good, its body when it is not any more. */
static void a_request_whose_body_comes_late_is_refused(void **state)
{
    static const struct {
        const char *line, *headers, *body;
    } requests[] = {
        {"GET /api/events", "", "{}"},
        {"POST /api/sessions/browser-1/close", "", "{}"},
        {"POST /api/sessions/browser-1/renew", "", "{}"},
        {"POST /mcp", MODERN "Mcp-Method: tools/call\r\nMcp-Name: browser_navigate\r\n",
         REQUEST(9, "tools/call", NAVIGATE "," MODERN_META)},
    };
    struct mcp_http *f = *state;
    for (size_t i = 0; i < TB_COUNT(requests); i++) {
        struct mcp_client late;
        char head[512];
        tb_auth_add(f->rig.core.auth, &weak, TB_STR("weak"));
        mcp_client_open(&f->rig, &late);
        snprintf(head, sizeof(head),
                 "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" BEARER
                 "%sContent-Length: %zu\r\n\r\n",
                 requests[i].line, requests[i].headers, strlen(requests[i].body));
        mcp_client_send(&late, tb_str_of(head));
        mcp_rig_turn(&f->rig);
        revoke(f);
        mcp_client_send(&late, tb_str_of(requests[i].body));
        mcp_rig_turn(&f->rig);
        const char *said = mcp_client_heard(&late);
        mcp_expect(said, "HTTP/1.1 401 ");
        mcp_expect(said, "the credential of this request was revoked");
        mcp_client_close(&late);
    }
    assert_int_equal(f->rig.core.metrics.values[TB_METRIC_EVENT_READERS], 0);
    assert_int_equal(f->rig.fake->counts.begun, 0);
}

/* A store that does not read the sessions before it is told to. */
static struct {
    tb_store_end_fn *end;
    void *user;
} held;

static struct tb_store_read *each_later(void *state, enum tb_space space,
                                        const struct tb_range *range, tb_store_record_fn *record,
                                        tb_store_end_fn *end, void *user)
{
    static struct tb_list read;
    if (space != TB_SPACE_SESSION) {
        return tb_store_memory.each(state, space, range, record, end, user);
    }
    held.end = end;
    held.user = user;
    return (struct tb_store_read *)&read;
}

static void a_request_that_waits_for_the_stored_sessions_is_refused(void **state)
{
    static struct tb_store_kind slow;
    struct mcp_http *f = *state;
    slow = tb_store_memory;
    slow.each = each_later;
    mcp_rig_store(&f->rig);
    f->rig.core.store.kind = &slow;
    tb_sessions_load(f->rig.core.sessions, NULL, NULL);
    assert_string_equal(mcp_http_ask(f, "GET /api/sessions", BEARER, ""), "");
    assert_string_equal(revoke(f), "");
    held.end(NULL, held.user);
    mcp_rig_turn(&f->rig);
    mcp_expect(mcp_client_heard(&f->client), "HTTP/1.1 401 ");
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
        cmocka_unit_test_setup_teardown(a_request_whose_body_comes_late_is_refused, set_up,
                                        mcp_http_stop),
        cmocka_unit_test_setup_teardown(a_request_that_waits_for_the_stored_sessions_is_refused,
                                        set_up, mcp_http_stop),
        cmocka_unit_test_setup_teardown(another_credential_does_not_reach_an_mcp_session, set_up,
                                        mcp_http_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
