/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/sessions.h"

#include "support/mcp_http.h"

#define POST    "POST /mcp"
#define VERSION "MCP-Protocol-Version: 2026-07-28\r\n"
#define PING    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}"
#define NAVIGATE \
    REQUEST(9, "tools/call", "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}")
#define NAVIGATE_MODERN      \
    REQUEST(9, "tools/call", \
            "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}," MODERN_META)
#define NAVIGATE_HEADERS VERSION "Mcp-Method: tools/call\r\nMcp-Name: browser_navigate\r\n"

static void a_session_begins_works_and_ends(void **state)
{
    struct mcp_http *f = *state;
    mcp_http_begin(f, "2025-11-25");
    const char *said = mcp_http_ask(f, POST, f->session, PING);
    mcp_expect(said, "HTTP/1.1 200 ");
    mcp_expect(said, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
    mcp_expect(mcp_http_ask(f, POST, f->session,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
               "HTTP/1.1 202 ");
    mcp_expect(mcp_http_ask(f, "DELETE /mcp", f->session, ""), "HTTP/1.1 200 ");
    said = mcp_http_ask(f, POST, f->session, PING);
    mcp_expect(said, "HTTP/1.1 404 ");
    mcp_expect(said, "\"id\":5,\"error\"");
    mcp_expect(mcp_http_ask(f, "DELETE /mcp", f->session, ""), "HTTP/1.1 404 ");
}

static void a_session_has_to_be_named_and_begins_once(void **state)
{
    struct mcp_http *f = *state;
    const char *said = mcp_http_ask(f, POST, "", PING);
    mcp_expect(said, "HTTP/1.1 400 ");
    mcp_expect(said, "send the header MCP-Protocol-Version: 2026-07-28");
    mcp_expect(mcp_http_ask(f, "GET /mcp", "", ""), "HTTP/1.1 400 ");
    said = mcp_http_ask(f, POST, "Mcp-Session-Id: nope\r\n", PING);
    mcp_expect(said, "HTTP/1.1 404 ");
    mcp_expect(said, "with initialize. Browser sessions from start_session still exist\"");
    said = mcp_http_ask(f, POST "/octopus", "Mcp-Session-Id: nope\r\n", PING);
    mcp_expect(said, "HTTP/1.1 404 ");
    mcp_expect(said, "start a new one with initialize\"");
    mcp_http_begin(f, "2025-06-18");
    mcp_expect(mcp_http_ask(f, POST, f->session, INITIALIZE("2025-06-18")), "HTTP/1.1 400 ");
    /* A stale id does not keep a client from beginning anew. */
    mcp_expect(mcp_http_ask(f, POST, "Mcp-Session-Id: nope\r\n", INITIALIZE("2025-06-18")),
               "Mcp-Session-Id: ");
}

static void broken_bodies_and_batches_are_refused_with_their_code(void **state)
{
    struct mcp_http *f = *state;
    mcp_http_begin(f, "2025-06-18");
    mcp_expect(mcp_http_ask(f, POST, f->session, "{"), "\"code\":-32700");
    mcp_expect(mcp_http_ask(f, POST, f->session, "7"), "\"code\":-32600");
    mcp_expect(
        mcp_http_ask(f, POST, f->session, "{\"jsonrpc\":\"1.0\",\"id\":8,\"method\":\"ping\"}"),
        "\"id\":8,\"error\"");
    mcp_expect(mcp_http_ask(f, POST, f->session, "[" PING "]"), "HTTP/1.1 400 ");
    mcp_http_begin(f, "2025-03-26");
    mcp_expect(mcp_http_ask(f, POST, f->session, "[" PING "]"),
               "[{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}]");
    mcp_expect(
        mcp_http_ask(f, POST, f->session, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]"),
        "HTTP/1.1 202 ");
    mcp_expect(mcp_http_ask(f, POST, f->session, "[" REQUEST(1, "tools/list", MODERN_META) "]"),
               "HTTP/1.1 400 ");
}

static void versions_in_the_header_may_differ_but_must_exist(void **state)
{
    struct mcp_http *f = *state;
    char headers[256];
    mcp_http_begin(f, "2024-11-05");
    snprintf(headers, sizeof(headers), "%sMCP-Protocol-Version: 2025-11-25\r\n", f->session);
    mcp_expect(mcp_http_ask(f, POST, headers, PING), "HTTP/1.1 200 ");
    snprintf(headers, sizeof(headers), "%sMCP-Protocol-Version: 2025-11-24\r\n", f->session);
    mcp_expect(mcp_http_ask(f, POST, headers, PING), "HTTP/1.1 400 ");
    mcp_expect(mcp_http_ask(f, POST, headers, "[" PING "]"),
               "names a version that is not supported");
    mcp_expect(mcp_http_ask(f, POST, headers, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"),
               "HTTP/1.1 400 ");
    mcp_expect(mcp_http_ask(f, "GET /mcp", headers, ""), "HTTP/1.1 400 ");
    mcp_expect(mcp_http_ask(f, "DELETE /mcp", headers, ""), "HTTP/1.1 400 ");
    mcp_expect(mcp_http_ask(f, POST, f->session, PING), "HTTP/1.1 200 ");
}

static void a_modern_request_needs_no_session_and_gets_none(void **state)
{
    struct mcp_http *f = *state;
    const char *said = mcp_http_ask(f, POST, VERSION "Mcp-Method: tools/list\r\n",
                                    REQUEST(1, "tools/list", MODERN_META));
    mcp_expect(said, "HTTP/1.1 200 ");
    mcp_expect(said, "\"resultType\":\"complete\"");
    assert_null(strstr(said, "Mcp-Session-Id"));
    mcp_expect(
        mcp_http_ask(f, POST, VERSION "Mcp-Method: ping\r\n", REQUEST(1, "ping", MODERN_META)),
        "HTTP/1.1 404 ");
    said = mcp_http_ask(f, POST, VERSION "Mcp-Method: tools/call\r\n",
                        REQUEST(1, "tools/list", MODERN_META));
    mcp_expect(said, "HTTP/1.1 400 ");
    mcp_expect(said, "\"code\":-32020");
    mcp_expect(mcp_http_ask(f, "GET /mcp", VERSION, ""), "HTTP/1.1 405 ");
    mcp_expect(mcp_http_ask(f, "DELETE /mcp", VERSION, ""), "Allow: POST");
    mcp_expect(mcp_http_ask(f, POST, VERSION,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}"),
               "HTTP/1.1 202 ");
}

static void toolsets_and_groups_come_from_the_address(void **state)
{
    struct mcp_http *f = *state;
    const char *list = VERSION "Mcp-Method: tools/list\r\n";
    mcp_expect(mcp_http_ask(f, "POST /mcp?groups=pdf%2Cfiles", list,
                            REQUEST(1, "tools/list", MODERN_META)),
               "browser_pdf");
    mcp_expect(mcp_http_ask(f, "POST /mcp?groups=nope", list, "{}"), "HTTP/1.1 400 ");
    mcp_expect(mcp_http_ask(f, "POST /mcp?groups=%zz", list, "{}"), "HTTP/1.1 400 ");
    mcp_expect(mcp_http_ask(f, "POST /mcp/nope", list, "{}"),
               "known toolsets: default, octopus, wdio");
    mcp_expect(mcp_http_ask(f, "POST /mcp/wdio", list, REQUEST(1, "tools/list", MODERN_META)),
               "\"start_browser\"");
}

static void a_modern_client_that_leaves_cancels_and_a_legacy_one_does_not(void **state)
{
    struct mcp_http *f = *state;
    mcp_http_begin(f, "2025-11-25");
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    mcp_http_ask(f, POST, f->session, NAVIGATE);
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    assert_int_equal(f->rig.fake->counts.cancelled, 0);
    mcp_client_open(&f->rig, &f->client);
    mcp_http_ask(f, POST, NAVIGATE_HEADERS "X-Conversation-Id: c\r\n", NAVIGATE_MODERN);
    assert_int_equal(f->rig.fake->counts.begun, 2);
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    assert_int_equal(f->rig.fake->counts.cancelled, 1);
    mcp_client_open(&f->rig, &f->client);
}

static void the_conversation_header_names_the_session(void **state)
{
    struct mcp_http *f = *state;
    mcp_expect(mcp_http_ask(f, POST, NAVIGATE_HEADERS "X-Conversation-Id: a\r\n", NAVIGATE_MODERN),
               "Session: browser-1");
    mcp_expect(mcp_http_ask(f, POST, NAVIGATE_HEADERS "X-Conversation-Id: b\r\n", NAVIGATE_MODERN),
               "Session: browser-2");
    mcp_expect(mcp_http_ask(f, POST, NAVIGATE_HEADERS "X-Conversation-Id: a\r\n", NAVIGATE_MODERN),
               "Session: browser-1");
}

static void a_conversation_that_cannot_be_read_is_refused(void **state)
{
    struct mcp_http *f = *state;
    mcp_http_begin(f, "2025-11-25");
    mcp_expect(mcp_http_ask(f, POST, f->session, NAVIGATE), "Session: browser-1");
    const char *said = mcp_http_ask(
        f, POST, f->session,
        REQUEST(
            4, "tools/call",
            "\"name\":\"close_session\",\"_meta\":{\"tabard/conversation\":\"b\",\"tabard/conversation\":\"b\"}"));
    mcp_expect(said, "HTTP/1.1 400 ");
    mcp_expect(said, "\"id\":4,\"error\":{\"code\":-32700");
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 1);
}

#define ALLOWED   "Origin: https://a.example\r\n"
#define PREFLIGHT "Access-Control-Request-Method: POST\r\n"

static void an_allowed_page_may_ask_first_and_read_every_answer(void **state)
{
    static const struct {
        const char *line;
        const char *headers;
        const char *status;
    } rows[] = {
        {"OPTIONS /mcp", ALLOWED PREFLIGHT, "204"},
        {"OPTIONS /mcp/octopus", ALLOWED PREFLIGHT, "204"},
        {"OPTIONS /nowhere", ALLOWED PREFLIGHT, "404"},
        {"OPTIONS /mcp", ALLOWED, "405"}, /* asks for nothing */
        {"GET /mcp", ALLOWED, "400"},     /* names no session */
        {"POST /mcp", ALLOWED, "200"},
    };
    struct mcp_http *f = *state;
    char origin[] = "https://a.example";
    char *origins[] = {origin};
    f->rig.config.http_allowed_origins = (struct tb_config_list){origins, 1};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char line[32];
        bool post = strcmp(rows[i].line, POST) == 0;
        const char *said =
            mcp_http_ask(f, rows[i].line, rows[i].headers, post ? INITIALIZE("2025-11-25") : "");
        snprintf(line, sizeof(line), "HTTP/1.1 %s ", rows[i].status);
        mcp_expect(said, line);
        mcp_expect(said, "Access-Control-Allow-Origin: https://a.example\r\n");
        mcp_expect(said, "Vary: Origin\r\n");
        mcp_expect(said, "Access-Control-Expose-Headers: Mcp-Session-Id, ");
    }
    f->rig.config.http_allowed_origins = (struct tb_config_list){NULL, 0};
}

static void a_preflight_says_what_may_be_sent(void **state)
{
    static const char *const names[] = {
        "Authorization",  "Content-Type",         "Last-Event-ID",
        "Mcp-Session-Id", "MCP-Protocol-Version", "X-Conversation-Id",
    };
    struct mcp_http *f = *state;
    const char *said =
        mcp_http_ask(f, "OPTIONS /mcp", "Origin: http://localhost\r\n" PREFLIGHT, "");
    mcp_expect(said, "Access-Control-Allow-Methods: POST, GET, DELETE\r\n");
    const char *allowed = strstr(said, "Access-Control-Allow-Headers: ");
    assert_non_null(allowed);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        mcp_expect(allowed, names[i]);
    }
}

static void other_pages_may_not_even_ask(void **state)
{
    struct mcp_http *f = *state;
    const char *said = mcp_http_ask(f, "OPTIONS /mcp", ALLOWED PREFLIGHT, "");
    mcp_expect(said, "HTTP/1.1 403 ");
    assert_null(strstr(said, "Access-Control"));
    assert_null(strstr(mcp_http_ask(f, POST, "", PING), "Access-Control"));
}

static void what_belongs_to_a_session_ends_with_it(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client waiting;
    mcp_http_begin(f, "2025-11-25");
    mcp_expect(mcp_http_ask(f, POST, f->session, NAVIGATE), "Session: browser-1");
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    mcp_client_open(&f->rig, &waiting);
    mcp_client_ask(&f->rig, &waiting, POST, f->session, NAVIGATE);
    mcp_expect(mcp_http_ask(f, "DELETE /mcp", f->session, ""), "HTTP/1.1 200 ");
    mcp_expect(mcp_client_heard(&waiting), "\"id\":9,\"error\":{\"code\":-10442");
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 0);
    mcp_client_close(&waiting);
}

/* A user may be away for hours and comes back to the login that was left. */
static void silence_does_not_cost_a_session_its_browser(void **state)
{
    struct mcp_http *f = *state;
    mcp_rig_store(&f->rig);
    mcp_http_begin(f, "2025-11-25");
    mcp_expect(mcp_http_ask(f, POST, f->session, NAVIGATE), "Session: browser-1");
    mcp_client_close(&f->client);
    for (int i = 0; i < 5; i++) {
        mcp_rig_advance(&f->rig, f->rig.config.mcp_session_idle_ms);
    }
    const struct tb_session *session =
        tb_sessions_find(f->rig.core.sessions, "default", TB_STR("browser-1"));
    assert_true(session && tb_session_info(session).hibernated);
    mcp_client_open(&f->rig, &f->client);
    mcp_expect(mcp_http_ask(f, POST, f->session, NAVIGATE), "Session: browser-1");
    mcp_expect(mcp_http_ask(f, "DELETE /mcp", f->session, ""), "HTTP/1.1 200 ");
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 0);
}

static void listens_end_well_when_the_daemon_drains(void **state)
{
    struct mcp_http *f = *state;
    const char *said =
        mcp_http_ask(f, POST, VERSION "Mcp-Method: subscriptions/listen\r\n",
                     REQUEST(3, "subscriptions/listen", MODERN_META ",\"notifications\":{}"));
    mcp_expect(said, "notifications/subscriptions/acknowledged");
    f->client.got.len = 0;
    tb_router_drain(f->rig.router);
    mcp_rig_turn(&f->rig);
    said = mcp_client_heard(&f->client);
    mcp_expect(said, "\"id\":3,\"result\"");
    mcp_expect(said, "0\r\n\r\n");
}

#define LISTEN REQUEST(3, "subscriptions/listen", MODERN_META ",\"notifications\":{}")

static void to_listen_without_events_is_refused(void **state)
{
    struct mcp_http *f = *state;
    TB_AUTO(tb_free)
    char *request =
        tb_strdupf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Accept: application/json\r\n" VERSION
                   "Mcp-Method: subscriptions/listen\r\nContent-Length: %zu\r\n\r\n%s",
                   strlen(LISTEN), LISTEN);
    mcp_client_send(&f->client, tb_str_of(request));
    mcp_rig_turn(&f->rig);
    const char *said = mcp_client_heard(&f->client);
    mcp_expect(said, "Content-Type: application/json");
    mcp_expect(said, "\"id\":3,\"error\":{\"code\":-32600");
    mcp_expect(said, "text/event-stream");
}

/* Nobody answers what a tool asks the client: the call ends all the same. */
static void a_question_to_the_client_has_a_deadline(void **state)
{
    struct mcp_http *f = *state;
    mcp_http_begin(f, "2025-11-25");
    mcp_expect(
        mcp_http_ask(f, POST, f->session,
                     REQUEST(9, "tools/call", "\"name\":\"test_elicitation\",\"arguments\":{}")),
        "elicitation/create");
    mcp_rig_advance(&f->rig, TB_MCP_ASK_MS);
    mcp_expect(mcp_client_heard(&f->client), "\"id\":9,\"error\":{\"code\":-10408");
}

#define WEAK VERSION "Authorization: Bearer weak\r\nMcp-Method: tools/call\r\n"

/* The route lets it in, the tool decides. */
static void a_key_that_may_only_observe_has_the_tools_that_only_look(void **state)
{
    static const struct tb_principal_spec spec = {
        .tenant = "default", .key = "weak", .label = "", .scopes = TB_SCOPE_OBSERVE};
    struct mcp_http *f = *state;
    tb_auth_add(f->rig.core.auth, &spec, TB_STR("weak"));
    f->rig.door.door = TB_DOOR_MAIN; /* where the same user is nobody in particular */
    mcp_expect(mcp_http_ask(f, POST, WEAK "Mcp-Name: list_sessions\r\n",
                            REQUEST(9, "tools/call",
                                    "\"name\":\"list_sessions\",\"arguments\":{}," MODERN_META)),
               "\\\"sessions\\\":[]");
    mcp_expect(mcp_http_ask(f, POST, WEAK "Mcp-Name: browser_navigate\r\n", NAVIGATE_MODERN),
               "needs the scope 'act', which this key does not have");
    assert_int_equal(f->rig.fake->counts.begun, 0);
}

static int start_with_fixtures(void **state)
{
    *state = mcp_http_new(true);
    return 0;
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, mcp_http_start, mcp_http_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_session_begins_works_and_ends),
        WITH(a_session_has_to_be_named_and_begins_once),
        WITH(broken_bodies_and_batches_are_refused_with_their_code),
        WITH(versions_in_the_header_may_differ_but_must_exist),
        WITH(a_modern_request_needs_no_session_and_gets_none),
        WITH(toolsets_and_groups_come_from_the_address),
        WITH(to_listen_without_events_is_refused),
        cmocka_unit_test_setup_teardown(a_question_to_the_client_has_a_deadline,
                                        start_with_fixtures, mcp_http_stop),
        WITH(a_modern_client_that_leaves_cancels_and_a_legacy_one_does_not),
        WITH(the_conversation_header_names_the_session),
        WITH(a_conversation_that_cannot_be_read_is_refused),
        WITH(an_allowed_page_may_ask_first_and_read_every_answer),
        WITH(a_preflight_says_what_may_be_sent),
        WITH(other_pages_may_not_even_ask),
        WITH(what_belongs_to_a_session_ends_with_it),
        WITH(silence_does_not_cost_a_session_its_browser),
        WITH(listens_end_well_when_the_daemon_drains),
        WITH(a_key_that_may_only_observe_has_the_tools_that_only_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
