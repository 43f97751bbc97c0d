/* SPDX-License-Identifier: Apache-2.0 */
/* Answers and news as streams of MCP over HTTP: broken off, resumed, and read too slowly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"
#include "front/mcp/http.h"

#include "support/mcp_http.h"

#define POST    "POST /mcp"
#define VERSION "MCP-Protocol-Version: 2026-07-28\r\n"
#define PING    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}"
#define NAVIGATE \
    REQUEST(9, "tools/call", "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}")
#define NAVIGATE_PROGRESS \
    REQUEST(              \
        9, "tools/call",  \
        "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"},\"_meta\":{\"progressToken\":1}")

static void an_answer_becomes_a_stream_when_something_comes_before_it(void **state)
{
    struct mcp_http *f = *state;
    mcp_http_begin(f, "2025-11-25");
    f->rig.fake->ops[TB_OP_NAVIGATE].progress = 1;
    const char *said = mcp_http_ask(f, POST, f->session, NAVIGATE_PROGRESS);
    mcp_expect(said, "Content-Type: text/event-stream");
    mcp_expect(said, "id: 1-0\ndata: \n\n");
    mcp_expect(
        said,
        "event: message\nid: 1-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"");
    mcp_expect(said, "event: message\nid: 1-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\"");
    mcp_expect(said, "0\r\n\r\n");
    mcp_expect(mcp_http_ask(f, POST, f->session, NAVIGATE), "Content-Type: application/json");
    mcp_http_begin(f, "2025-06-18");
    said = mcp_http_ask(f, POST, f->session, NAVIGATE_PROGRESS);
    assert_null(strstr(said, "data: \n"));
    mcp_expect(said, "id: 1-1\n");
}

static void an_answer_that_takes_long_shows_signs_of_life(void **state)
{
    struct mcp_http *f = *state;
    mcp_http_begin(f, "2025-06-18");
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_LATER;
    f->rig.fake->ops[TB_OP_NAVIGATE].delay_ms = 25000;
    f->client.got.len = 0;
    assert_string_equal(mcp_http_ask(f, POST, f->session, NAVIGATE), "");
    mcp_rig_advance(&f->rig, TB_MCP_KEEPALIVE_MS);
    mcp_expect(mcp_client_heard(&f->client), "text/event-stream");
    mcp_rig_advance(&f->rig, 25000 - TB_MCP_KEEPALIVE_MS);
    mcp_expect(mcp_client_heard(&f->client), "\"id\":9,\"result\"");
}

static void a_broken_stream_is_resumed_where_it_broke(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client second;
    char headers[256];
    mcp_http_begin(f, "2025-11-25");
    f->rig.fake->ops[TB_OP_NAVIGATE].progress = 1;
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_LATER;
    f->rig.fake->ops[TB_OP_NAVIGATE].delay_ms = 100;
    mcp_expect(mcp_http_ask(f, POST, f->session, NAVIGATE_PROGRESS), "id: 1-1\n");
    mcp_client_close(&f->client);
    mcp_rig_advance(&f->rig, 200);
    mcp_client_open(&f->rig, &f->client);
    snprintf(headers, sizeof(headers), "%sLast-Event-ID: 1-0\r\n", f->session);
    const char *said = mcp_http_ask(f, "GET /mcp", headers, "");
    mcp_expect(said, "id: 1-1\n");
    mcp_expect(said, "id: 1-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\"");
    mcp_expect(said, "0\r\n\r\n");
    mcp_client_open(&f->rig, &second);
    snprintf(headers, sizeof(headers), "%sLast-Event-ID: 1-1\r\n", f->session);
    said = mcp_client_ask(&f->rig, &second, "GET /mcp", headers, "");
    assert_null(strstr(said, "id: 1-1\n"));
    mcp_expect(said, "id: 1-2\n");
    snprintf(headers, sizeof(headers), "%sLast-Event-ID: 7-1\r\n", f->session);
    mcp_expect(mcp_client_ask(&f->rig, &second, "GET /mcp", headers, ""), "HTTP/1.1 400 ");
    mcp_client_close(&second);
}

/* Three results of 600 KiB. */
#define LARGE_BATCH "[" NAVIGATE_PROGRESS "," NAVIGATE "," NAVIGATE "]"

static void plan_large_results(struct mcp_http *f)
{
    f->rig.fake->ops[TB_OP_NAVIGATE].progress = 1;
    f->rig.fake->text_bytes = (size_t)600 * TB_KIB;
}

static void a_large_answer_comes_whole_and_comes_again(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client second;
    char headers[256];
    mcp_http_begin(f, "2025-03-26");
    plan_large_results(f);
    const char *said = mcp_http_ask(f, POST, f->session, LARGE_BATCH);
    assert_true(strlen(said) > TB_SEND_QUEUE_MAX);
    mcp_expect(said, "id: 1-1\n");
    mcp_expect(said + TB_SEND_QUEUE_MAX, "}]\n\n\r\n0\r\n\r\n");
    mcp_expect(mcp_http_ask(f, POST, f->session, PING), "\"id\":5");
    mcp_client_open(&f->rig, &second);
    snprintf(headers, sizeof(headers), "%sLast-Event-ID: 1-1\r\n", f->session);
    said = mcp_client_ask(&f->rig, &second, "GET /mcp", headers, "");
    assert_true(strlen(said) > TB_SEND_QUEUE_MAX);
    mcp_expect(said, "id: 1-2\n");
    mcp_expect(said + TB_SEND_QUEUE_MAX, "}]\n\n\r\n0\r\n\r\n");
    mcp_client_close(&second);
}

static void what_is_no_longer_kept_is_refused(void **state)
{
    struct mcp_http *f = *state;
    char headers[256];
    mcp_http_begin(f, "2025-03-26");
    f->rig.fake->ops[TB_OP_NAVIGATE].progress = 1;
    mcp_http_ask(f, POST, f->session, NAVIGATE_PROGRESS);
    plan_large_results(f);
    for (size_t sent = 0; sent <= TB_MCP_REPLAY_BYTES;) {
        sent += strlen(mcp_http_ask(f, POST, f->session, LARGE_BATCH));
    }
    snprintf(headers, sizeof(headers), "%sLast-Event-ID: 1-1\r\n", f->session);
    mcp_expect(mcp_http_ask(f, "GET /mcp", headers, ""), "HTTP/1.1 400 ");
}

#define EVENTS_AHEAD 12000 /* more than queue and socket take */

/* Nobody reads while so much happens that not all of it can wait. */
static void much_happens(struct mcp_http *f, struct mcp_client *reader)
{
    const struct tb_session *session =
        tb_sessions_find(f->rig.core.sessions, "default", TB_STR("browser-1"));
    assert_non_null(session);
    tb_stream_pause(reader->stream);
    for (int i = 0; i < EVENTS_AHEAD; i++) {
        tb_fake_emit(f->rig.fake, tb_session_info(session).id,
                     &(struct tb_event){.type = TB_EVENT_NAVIGATED});
    }
    mcp_rig_turn(&f->rig);
    tb_stream_resume(reader->stream);
}

static void a_client_that_falls_behind_gets_the_latest_news(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client news;
    char last[64];
    mcp_http_begin(f, "2025-11-25");
    mcp_http_ask(f, POST, f->session, NAVIGATE);
    mcp_http_ask(
        f, POST, f->session,
        REQUEST(1, "resources/subscribe", "\"uri\":\"tabard://session/browser-1/snapshot\""));
    mcp_client_open(&f->rig, &news);
    mcp_client_ask(&f->rig, &news, "GET /mcp", f->session, "");
    much_happens(f, &news);
    mcp_rig_turn(&f->rig);
    snprintf(last, sizeof(last), "id: 0-%d\n", EVENTS_AHEAD);
    const char *said = mcp_client_heard(&news);
    assert_true(strlen(said) > TB_SEND_QUEUE_MAX);
    mcp_expect(said, last);
    mcp_client_close(&news);
}

static void a_modern_client_that_falls_behind_gets_its_answer(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client listener;
    mcp_http_begin(f, "2025-11-25");
    mcp_http_ask(f, POST, f->session, NAVIGATE);
    mcp_client_open(&f->rig, &listener);
    mcp_expect(mcp_client_ask(&f->rig, &listener, POST,
                              VERSION "Mcp-Method: subscriptions/listen\r\n",
                              REQUEST(3, "subscriptions/listen",
                                      MODERN_META ",\"notifications\":{\"resourceSubscriptions\":["
                                                  "\"tabard://session/browser-1/snapshot\"]}")),
               "notifications/subscriptions/acknowledged");
    much_happens(f, &listener);
    tb_router_drain(f->rig.router);
    mcp_rig_turn(&f->rig);
    const char *said = mcp_client_heard(&listener);
    assert_true(strlen(said) > TB_SEND_QUEUE_MAX);
    mcp_expect(said, "\"id\":3,\"result\"");
    mcp_expect(said, "\r\n0\r\n\r\n");
    mcp_client_close(&listener);
}

static void a_session_has_one_stream_for_news_and_misses_none(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client news;
    char headers[256];
    mcp_http_begin(f, "2025-11-25");
    mcp_http_ask(f, POST, f->session,
                 REQUEST(1, "resources/subscribe", "\"uri\":\"tabard://sessions\""));
    mcp_client_open(&f->rig, &news);
    mcp_expect(mcp_client_ask(&f->rig, &news, "GET /mcp", f->session, ""), "id: 0-0\ndata: \n\n");
    mcp_expect(mcp_http_ask(f, "GET /mcp", f->session, ""), "HTTP/1.1 409 ");
    mcp_http_ask(f, POST, f->session, NAVIGATE);
    mcp_expect(
        mcp_client_heard(&news),
        "id: 0-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\"");
    mcp_rig_advance(&f->rig, TB_MCP_KEEPALIVE_MS);
    mcp_expect(mcp_client_heard(&news), ": keepalive\n");
    mcp_client_close(&news);
    mcp_rig_turn(&f->rig);
    tb_sessions_end_all(f->rig.core.sessions, "default", TB_END_CLOSED, NULL);
    mcp_client_open(&f->rig, &news);
    snprintf(headers, sizeof(headers), "%sLast-Event-ID: 0-1\r\n", f->session);
    mcp_expect(mcp_client_ask(&f->rig, &news, "GET /mcp", headers, ""), "id: 0-2\n");
    mcp_client_close(&news);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, mcp_http_start, mcp_http_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(an_answer_becomes_a_stream_when_something_comes_before_it),
        WITH(an_answer_that_takes_long_shows_signs_of_life),
        WITH(a_broken_stream_is_resumed_where_it_broke),
        WITH(a_large_answer_comes_whole_and_comes_again),
        WITH(what_is_no_longer_kept_is_refused),
        WITH(a_client_that_falls_behind_gets_the_latest_news),
        WITH(a_modern_client_that_falls_behind_gets_its_answer),
        WITH(a_session_has_one_stream_for_news_and_misses_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
