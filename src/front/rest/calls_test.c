/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/calls.h"

#include <stdio.h>

#include "front/rest/rest_rig.h"

/* The names on the page, and where the next one begins. */
static void expect_page(struct rest_rig *f, const char *query, const char *names, char next[64])
{
    TB_AUTO(tb_free) char *line = tb_strdupf("GET /api/sessions?%s", query);
    char found[256] = "";
    const char *said = rest_rig_ask(f, line, "");
    rest_rig_expect(said, "HTTP/1.1 200 ");
    for (const char *at = said; (at = strstr(at, "\"sessionId\":\""));) {
        at += strlen("\"sessionId\":\"");
        size_t used = strlen(found);
        snprintf(found + used, sizeof(found) - used, "%s%.*s", used ? " " : "",
                 (int)strcspn(at, "\""), at);
    }
    assert_string_equal(found, names);
    const char *more = strstr(said, "\"next\":\"");
    more = more ? more + strlen("\"next\":\"") : "";
    snprintf(next, 64, "%.*s", (int)strcspn(more, "\""), more);
}

static void sessions_are_listed_in_pages(void **state)
{
    struct rest_rig *f = *state;
    char query[128];
    char next[64];
    for (int i = 10; i < 14; i++) {
        char name[16];
        snprintf(name, sizeof(name), "s%d", i);
        rest_rig_make(f, name, "");
    }
    expect_page(f, "limit=2", "s10 s11", next);
    tb_session_end(tb_sessions_find(f->rig.core.sessions, "default", TB_STR("s11")), TB_END_CLOSED);
    mcp_rig_advance(&f->rig, 5);
    rest_rig_make(f, "s9", "");
    snprintf(query, sizeof(query), "limit=2&after=%s", next);
    expect_page(f, query, "s13 s9", next); /* one of the same time ended: at worst one is missed */
    assert_string_equal(next, "");
    expect_page(f, "kind=browser&state=idle", "s10 s12 s13 s9", next);
    expect_page(f, "state=hibernated", "", next);
    expect_page(f, "kind=client", "", next);
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions?kind=nope", ""), "use one of browser, ios,");
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions?state=nope", ""),
                    "use one of created, active, idle, hib");
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions?after=nope", ""), "gives as next");
}

static void a_session_is_held_for_a_time_and_handed_back(void **state)
{
    struct rest_rig *f = *state;
    rest_rig_make(f, "box", "");
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/release", "{}"),
                    "nobody holds this session by REST");
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/hold", "{\"for_ms\":2000}"),
                    "\"held\":true");
    mcp_rig_advance(&f->rig, 1500);
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/hold", "{\"for_ms\":2000}"),
                    "\"held\":true");
    mcp_rig_advance(&f->rig, 1999);
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions/box", ""), "\"held\":true");
    mcp_rig_advance(&f->rig, 1);
    assert_null(strstr(rest_rig_ask(f, "GET /api/sessions/box", ""), "\"held\":true"));
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/hold", ""), "\"held\":true");
    assert_null(
        strstr(rest_rig_ask(f, "POST /api/sessions/box/release", "{\"note\":\"mind the gap\"}"),
               "\"held\":true"));
    rest_rig_expect(
        rest_rig_ask(f, "POST /api/sessions/box/tools/browser_click", "{\"target\":\"e1\"}"),
        "They say: mind the gap");
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/hold", "{\"for_ms\":2000}"),
                    "\"held\":true");
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/close", ""),
                    "{\"closed\":\"box\"}"); /* and no hold */
}

static void a_call_gives_what_the_tool_gave(void **state)
{
    struct rest_rig *f = *state;
    rest_rig_make(f, "box", "");
    const char *said = rest_rig_ask(f, "POST /api/tools/browser_click", "{\"target\":\"e1\"}");
    rest_rig_expect(said, "HTTP/1.1 200 ");
    rest_rig_expect(said, "{\"ok\":true,\"text\":\"");
    rest_rig_expect(said, "\"session\":\"box\"");
    said = rest_rig_ask(f, "POST /api/sessions/nobody/tools/browser_click", "{\"target\":\"e1\"}");
    rest_rig_expect(said, "HTTP/1.1 404 ");
    rest_rig_expect(said, "Content-Type: application/problem+json");
    rest_rig_expect(said, "\"status\":404");
    rest_rig_expect(said, "\"ok\":false,\"text\":\"No session: nobody");
    rest_rig_expect(rest_rig_ask(f, "POST /api/tools/no_such_tool", "{}"), "HTTP/1.1 404 ");
    rest_rig_expect(rest_rig_ask(f, "POST /api/tools/browser_click", "{\"targt\":1}"),
                    "HTTP/1.1 400 ");
    rest_rig_expect(rest_rig_ask(f, "POST /api/tools/browser_click", "[1]"), "must be an object");
    rest_rig_expect(rest_rig_ask(f, "POST /api/tools/browser_click", "{\"target\":\"\\u0000\"}"),
                    "something that this tool cannot read");
    rest_rig_expect(rest_rig_ask(f, "POST /api/tools/browser_click", "{"), "HTTP/1.1 400 ");
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/tools/list_sessions", "{}"),
                    "call it at /api/tools/list_sessions");
    rest_rig_expect(rest_rig_ask(f, "POST /api/sessions/box/tools/close_session", "{}"),
                    "\"ok\":true");
    assert_int_equal(rest_rig_left(f), 0);
}

static void a_call_is_cancelled_when_its_client_leaves(void **state)
{
    struct rest_rig *f = *state;
    struct mcp_client leaver;
    rest_rig_make(f, "box", "");
    f->rig.fake->ops[TB_OP_CLICK].when = TB_FAKE_LATER;
    f->rig.fake->ops[TB_OP_CLICK].delay_ms = 1000;
    mcp_client_open(&f->rig, &leaver);
    assert_string_equal(mcp_client_ask(&f->rig, &leaver, "POST /api/tools/browser_click", "",
                                       "{\"target\":\"e1\"}"),
                        "");
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions/box", ""), "\"state\":\"active\"");
    mcp_client_close(&leaver);
    mcp_rig_turn(&f->rig);
    mcp_rig_advance(&f->rig, 10);
    rest_rig_expect(rest_rig_ask(f, "GET /api/sessions/box", ""), "\"errors\":1");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, rest_rig_setup, rest_rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(sessions_are_listed_in_pages),
        WITH(a_session_is_held_for_a_time_and_handed_back),
        WITH(a_call_gives_what_the_tool_gave),
        WITH(a_call_is_cancelled_when_its_client_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
