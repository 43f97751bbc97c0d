/* SPDX-License-Identifier: Apache-2.0 */
/* Requests with an Idempotency-Key, behind the router, with the fake driver and a store. */
#include "front/once.h"

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

#include "support/mcp_rig.h"
#include "support/principals.h"

#define CLICK      "POST /api/sessions/box/tools/browser_click"
#define TARGET     "{\"target\":\"e1\"}"
#define KEY(value) "Idempotency-Key: " value "\r\n"

enum {
    HOUR_MS = 3600 * 1000,
};

struct fixture {
    struct mcp_rig rig;
    struct mcp_client client;
};

static void make_box(struct fixture *f)
{
    struct tb_session *session;
    const char *warning;
    struct tb_err err;
    const struct tb_caller caller = {.who = principal_of("default"), .conversation = ""};
    const struct tb_session_spec spec = {.name = TB_STR("box"),
                                         .driver = &tb_driver_fake,
                                         .driver_state = f->rig.fake,
                                         .deadline_ms = INT64_MAX};
    assert_int_equal(
        tb_sessions_create(f->rig.core.sessions, &caller, &spec, &session, &warning, &err), 0);
    mcp_rig_turn(&f->rig);
}

static int set_up(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    mcp_rig_init(&f->rig);
    mcp_rig_store(&f->rig);
    mcp_rig_serve(&f->rig);
    mcp_client_open(&f->rig, &f->client);
    make_box(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mcp_client_close(&f->client);
    mcp_rig_fini(&f->rig);
    tb_free(f);
    return 0;
}

static const char *ask(struct fixture *f, const char *line, const char *headers, const char *body)
{
    return mcp_client_ask(&f->rig, &f->client, line, headers, body);
}

static void expect(const char *text, const char *part)
{
    if (!text || !strstr(text, part)) {
        fail_msg("no '%s' in: %s", part, text);
    }
}

static void expect_calls(struct fixture *f, int count)
{
    char part[64];
    snprintf(part, sizeof(part), "\"toolCalls\":%d,", count);
    expect(ask(f, "GET /api/sessions/box", "", ""), part);
}

static void a_request_that_comes_again_is_told_the_first_answer(void **state)
{
    struct fixture *f = *state;
    const char *said = ask(f, CLICK, KEY("one"), TARGET);
    expect(said, "HTTP/1.1 200 ");
    assert_null(strstr(said, "Idempotency-Replayed"));
    said = ask(f, CLICK, KEY("one"), TARGET);
    expect(said, "HTTP/1.1 200 ");
    expect(said, "Idempotency-Replayed: true");
    expect(said, "{\"ok\":true,");
    expect_calls(f, 1);
    expect(ask(f, CLICK, KEY("two"), TARGET), "HTTP/1.1 200 ");
    expect(ask(f, CLICK, "", TARGET), "HTTP/1.1 200 ");
    expect_calls(f, 3);
    said = ask(f, "POST /api/sessions/none/close", KEY("three"), "");
    expect(said, "HTTP/1.1 404 ");
    expect(ask(f, "POST /api/sessions/none/close", KEY("three"), ""), "HTTP/1.1 404 ");
    expect(ask(f, "POST /api/sessions/box/close", KEY("four"), ""), "{\"closed\":\"box\"}");
    expect(ask(f, "POST /api/sessions/box/close", KEY("four"), ""), "{\"closed\":\"box\"}");
    expect(ask(f, "POST /api/sessions/box/close", KEY("five"), ""), "HTTP/1.1 4");
}

static void a_key_is_for_one_request(void **state)
{
    struct fixture *f = *state;
    static const char long_key[] = KEY(
        "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
        "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
        "01234567890123456789012345678901234567890123456789012345");
    expect(ask(f, CLICK, KEY("one"), TARGET), "HTTP/1.1 200 ");
    expect(ask(f, CLICK, KEY("one"), "{\"target\":\"e2\"}"), "HTTP/1.1 422 ");
    expect(ask(f, "POST /api/sessions/box/close", KEY("one"), ""), "idempotency_key_reused");
    expect(ask(f, CLICK, KEY("one") KEY("two"), TARGET), "HTTP/1.1 400 ");
    expect(ask(f, CLICK, long_key, TARGET), "HTTP/1.1 400 ");
    expect(ask(f, CLICK, KEY(""), TARGET), "HTTP/1.1 400 ");
    expect(ask(f, "GET /api/sessions/box", KEY("one"), ""), "HTTP/1.1 200 ");
    expect_calls(f, 1);
}

static void begin_slow(struct fixture *f, struct mcp_client *client)
{
    f->rig.fake->ops[TB_OP_CLICK].when = TB_FAKE_LATER;
    f->rig.fake->ops[TB_OP_CLICK].delay_ms = 1000;
    mcp_client_open(&f->rig, client);
    assert_string_equal(mcp_client_ask(&f->rig, client, CLICK, KEY("slow"), TARGET), "");
}

static void one_that_is_under_way_is_not_begun_again(void **state)
{
    struct fixture *f = *state;
    struct mcp_client first;
    begin_slow(f, &first);
    expect(ask(f, CLICK, KEY("slow"), TARGET), "request_in_progress");
    mcp_rig_advance(&f->rig, 1000);
    expect(mcp_client_heard(&first), "HTTP/1.1 200 ");
    expect(ask(f, CLICK, KEY("slow"), TARGET), "Idempotency-Replayed: true");
    expect_calls(f, 1);
    mcp_client_close(&first);
}

static void who_left_comes_back_for_the_answer(void **state)
{
    struct fixture *f = *state;
    struct mcp_client first;
    begin_slow(f, &first);
    mcp_client_close(&first);
    mcp_rig_turn(&f->rig);
    mcp_rig_advance(&f->rig, 1000);
    expect(ask(f, CLICK, KEY("slow"), TARGET), "{\"ok\":true,");
    expect_calls(f, 1);
}

static void what_came_to_nothing_may_be_tried_again(void **state)
{
    struct fixture *f = *state;
    struct mcp_client first;
    struct mcp_client second;
    f->rig.config.sessions_queue = 1;
    begin_slow(f, &first);
    mcp_client_open(&f->rig, &second);
    mcp_client_ask(&f->rig, &second, CLICK, "", TARGET);
    const char *refused = ask(f, CLICK, KEY("one"), TARGET);
    mcp_rig_advance(&f->rig, 1000);
    mcp_rig_advance(&f->rig, 1000);
    mcp_client_close(&first);
    mcp_client_close(&second);
    expect(refused, "HTTP/1.1 503 ");
    f->rig.fake->ops[TB_OP_CLICK].when = TB_FAKE_NOW;
    const char *said = ask(f, CLICK, KEY("one"), TARGET);
    expect(said, "HTTP/1.1 200 ");
    assert_null(strstr(said, "Idempotency-Replayed"));
}

static void an_answer_is_kept_for_a_day(void **state)
{
    struct fixture *f = *state;
    expect(ask(f, CLICK, KEY("one"), TARGET), "HTTP/1.1 200 ");
    mcp_rig_advance(&f->rig, TB_ONCE_MS - 1);
    expect(ask(f, CLICK, KEY("one"), TARGET), "Idempotency-Replayed: true");
    mcp_rig_advance(&f->rig, HOUR_MS);
    const char *said = ask(f, CLICK, KEY("one"), TARGET);
    assert_null(strstr(said, "Idempotency-Replayed"));
}

static void a_large_answer_is_not_kept(void **state)
{
    struct fixture *f = *state;
    f->rig.fake->text_bytes = TB_ONCE_BODY_MAX + 1;
    static const char line[] = "POST /api/sessions/box/tools/browser_evaluate";
    static const char script[] = "{\"script\":\"1\"}";
    expect(ask(f, line, KEY("one"), script), "HTTP/1.1 200 ");
    const char *said = ask(f, line, KEY("one"), script);
    expect(said, "HTTP/1.1 409 ");
    expect(said, "was done (status 200), and its answer was too large to keep");
    expect_calls(f, 1);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_request_that_comes_again_is_told_the_first_answer),
        WITH(a_key_is_for_one_request),
        WITH(one_that_is_under_way_is_not_begun_again),
        WITH(who_left_comes_back_for_the_answer),
        WITH(what_came_to_nothing_may_be_tried_again),
        WITH(an_answer_is_kept_for_a_day),
        WITH(a_large_answer_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
