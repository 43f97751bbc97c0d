/* SPDX-License-Identifier: Apache-2.0 */
/* What pages do to their driver: well-meant, as published clients do it, and badly. */
#include "driver/client/client.h"

#include <string.h>

#include "core/limits.h"
#include "core/toolbox.h"
#include "driver/client/page_rig.h"
#include "io/testing.h"

#include "suite/driver_cases.h"

enum {
    LONG_MS = 60 * 1000,
    MANY = 101, /* tools, one more than a page may have */
};

struct scene {
    struct driver_subject subject;
    struct driver_lab lab;
    struct driver_seat seat;
    struct page page;
    bool quiet;
};

static int set_up(void **state)
{
    static struct scene scene;
    scene = (struct scene){.subject = {.name = "client", .driver = &tb_driver_client}};
    driver_lab_init(&scene.lab, &scene.subject);
    driver_seat_init(&scene.seat, &scene.lab, "one");
    page_open(&scene.page, scene.lab.core.loop);
    scene.page.quiet = &scene.quiet;
    scene.seat.peer.channel = scene.page.channel; /* lent for the opening */
    driver_open(&scene.seat);
    scene.seat.peer.channel = NULL;
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    driver_seat_fini(&scene->seat);
    page_fini(&scene->page);
    driver_lab_fini(&scene->lab);
    return 0;
}

static void expect_reply(struct scene *scene, bool refused, const char *part)
{
    struct tb_str reply = tb_buf_str(&scene->page.reply);
    assert_int_equal(scene->page.refused, refused);
    if (!memmem(reply.ptr, reply.len, part, strlen(part))) {
        fail_msg("%.*s", TB_STR_ARG(reply));
    }
}

static void ask(struct scene *scene, const char *method, const char *params)
{
    int replies = scene->page.replies;
    assert_int_equal(page_ask(&scene->page, method, params), 0);
    assert_int_equal(scene->page.replies, replies + 1);
}

static void register_tools(struct scene *scene, const char *tools)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PAGE_TEXT_MAX);
    tb_buf_printf(&params, "{\"tools\":[%s]}", tools);
    tb_buf_append_char(&params, '\0');
    ask(scene, "tools/register", (const char *)params.data);
}

static void expect_json(const struct scene *scene, size_t at, const char *json)
{
    struct tb_str got = scene->seat.tools.list[at]->json;
    assert_int_equal(got.len, strlen(json));
    assert_memory_equal(got.ptr, json, got.len);
}

static void expect_raw(const struct scene *scene, const char *json)
{
    struct tb_str got = tb_buf_str(&scene->seat.result.raw);
    assert_int_equal(got.len, strlen(json));
    assert_memory_equal(got.ptr, json, got.len);
}

static void call_quietly(struct scene *scene)
{
    register_tools(scene, "{\"name\":\"a\"}");
    scene->quiet = true;
    driver_invoke_start(&scene->seat, scene->seat.tools.list[0], TB_STR("{}"), LONG_MS);
    assert_int_equal(scene->page.calls, 1);
    assert_true(scene->seat.running);
}

static void tools_are_as_the_page_wrote_them(void **state)
{
    static const char tool[] = "{ \"name\":\"a\\u0062\",\"capabilities\":[\"dom:read\"] ,\"x\":1e2,"
                               "\"inputSchema\":{\"type\":\"object\"}}";
    struct scene *scene = *state;
    register_tools(scene, tool);
    expect_reply(scene, false, "{\"registered\":1}");
    assert_string_equal(scene->seat.tools.list[0]->name, "ab");
    expect_json(scene, 0, tool);
}

static void a_schema_without_a_type_is_that_of_an_object(void **state)
{
    struct scene *scene = *state;
    register_tools(scene, "{\"inputSchema\":{},\"name\":\"a\"},"
                          "{\"name\":\"b\",\"inputSchema\":{ \"properties\":{}}}");
    expect_json(scene, 0, "{\"inputSchema\":{\"type\":\"object\"},\"name\":\"a\"}");
    expect_json(scene, 1,
                "{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\", \"properties\":{}}}");
}

static void a_list_with_one_bad_tool_changes_nothing(void **state)
{
    static const char *const bad[] = {
        "{\"name\":\"\"}",
        "{\"name\":7}",
        "{\"name\":\"a\\u0000b\"}",
        "[]",
        "{}",
        "{\"name\":\"a\",\"inputSchema\":{\"type\":1}}",
    };
    struct scene *scene = *state;
    register_tools(scene, "{\"name\":\"a\"}");
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(PAGE_TEXT_MAX);
        tb_buf_printf(&list, "{\"name\":\"b\"},%s", bad[i]);
        tb_buf_append_char(&list, '\0');
        register_tools(scene, (const char *)list.data);
        expect_reply(scene, true, "tool 2 of the list: ");
        expect_reply(scene, true, "\"invalid_params\"");
    }
    assert_int_equal(scene->seat.tools.lists, 1);
    assert_string_equal(scene->seat.tools.list[0]->name, "a");
}

/* S4-34 */
static void a_page_has_a_hundred_tools_and_no_more(void **state)
{
    struct scene *scene = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(PAGE_TEXT_MAX);
    for (int i = 0; i < MANY; i++) {
        tb_buf_printf(&list, "%s{\"name\":\"t%d\"}", i ? "," : "", i);
    }
    tb_buf_append_char(&list, '\0');
    register_tools(scene, (const char *)list.data);
    expect_reply(scene, true, "\"limit_reached\"");
    *strrchr((char *)list.data, ',') = '\0';
    register_tools(scene, (const char *)list.data);
    expect_reply(scene, false, "{\"registered\":100}");
}

/* A tool that is `len` bytes as its page writes it. */
static void put_tool(struct tb_buf *list, int number, size_t len, const char *more)
{
    size_t begin = list->len;
    tb_buf_printf(list, "%s", begin ? "," : "");
    begin = list->len;
    tb_buf_printf(list, "{\"name\":\"t%d\",%s\"description\":\"", number, more);
    while (list->len - begin < len - 2) {
        tb_buf_append_char(list, 'x');
    }
    tb_buf_append_cstr(list, "\"}");
    assert_int_equal(list->len - begin, len);
}

/* The schemas become longer than the page wrote them. */
/* S4-34 */
static void an_operator_may_allow_fewer(void **state)
{
    struct scene *scene = *state;
    scene->lab.config.client_tools = 1;
    register_tools(scene, "{\"name\":\"a\"}");
    register_tools(scene, "{\"name\":\"b\"},{\"name\":\"c\"}");
    expect_reply(scene, true, "the list has 2 tools, and client.tools allows 1");
    assert_int_equal(scene->seat.tools.count, 1);
}

static void the_tools_of_a_page_have_a_ceiling_together(void **state)
{
    static const size_t each = TB_BROUGHT_BYTES_MAX / TB_BROUGHT_MAX;
    static const size_t inserted = sizeof("\"type\":\"object\"") - 1;
    struct scene *scene = *state;
    for (size_t over = 0; over < 2; over++) {
        TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(PAGE_TEXT_MAX);
        for (int i = 0; i < TB_BROUGHT_MAX; i++) {
            size_t rest = i ? 0 : TB_BROUGHT_BYTES_MAX % TB_BROUGHT_MAX;
            put_tool(&list, i, each - inserted + rest + (i ? 0 : over), "\"inputSchema\":{},");
        }
        assert_true(list.len < TB_BROUGHT_BYTES_MAX);
        tb_buf_append_char(&list, '\0');
        register_tools(scene, (const char *)list.data);
        expect_reply(scene, over, over ? "\"limit_reached\"" : "{\"registered\":100}");
    }
    assert_int_equal(scene->seat.tools.lists, 1);
}

static void a_tool_has_a_ceiling_for_its_description_and_its_name(void **state)
{
    struct scene *scene = *state;
    char name[TB_BROUGHT_NAME_MAX + 2];
    memset(name, 'n', sizeof(name));
    for (size_t over = 0; over < 2; over++) {
        TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(PAGE_TEXT_MAX);
        put_tool(&list, 1, TB_BROUGHT_JSON_MAX + over, "");
        tb_buf_append_char(&list, '\0');
        register_tools(scene, (const char *)list.data);
        expect_reply(scene, over, over ? "tool 1 of the list: " : "{\"registered\":1}");
        tb_buf_clear(&list);
        tb_buf_printf(&list, "{\"name\":\"%.*s\"}", (int)(TB_BROUGHT_NAME_MAX + over), name);
        tb_buf_append_char(&list, '\0');
        register_tools(scene, (const char *)list.data);
        expect_reply(scene, over, over ? "more than 128 bytes" : "{\"registered\":1}");
    }
    assert_int_equal(scene->seat.tools.lists, 2);
}

static void tools_go_by_their_names_or_all_at_once(void **state)
{
    struct scene *scene = *state;
    register_tools(scene, "{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}");
    ask(scene, "tools/unregister", "{\"names\":[\"\\u0061\",\"c\",\"d\",7]}");
    expect_reply(scene, false, "{\"registered\":1}");
    assert_string_equal(scene->seat.tools.list[0]->name, "b");
    ask(scene, "tools/unregister", NULL);
    expect_reply(scene, false, "{\"registered\":0}");
    assert_int_equal(scene->seat.tools.count, 0);
}

static void whatever_a_page_asks_is_answered(void **state)
{
    struct scene *scene = *state;
    ask(scene, "tools/steal", NULL);
    expect_reply(scene, true, "-32601");
    ask(scene, "tools/register", NULL);
    expect_reply(scene, true, "-32602");
    ask(scene, "tools/register", "{\"tools\":{}}");
    expect_reply(scene, true, "-32602");
    ask(scene, "tools/unregister", "{\"names\":\"a\"}");
    expect_reply(scene, true, "-32602");
}

static void a_tool_may_say_how_long_it_takes(void **state)
{
    static const int64_t expected[] = {5000, 1000, 300000, 300000, 1500, 1000, 0, 0};
    struct scene *scene = *state;
    register_tools(scene, "{\"name\":\"a\",\"timeout\":5000},{\"name\":\"b\",\"timeout\":1},"
                          "{\"name\":\"c\",\"timeout\":1e12},{\"name\":\"d\",\"timeout\":1e16},"
                          "{\"name\":\"e\",\"timeout\":1500.5},{\"name\":\"f\",\"timeout\":-1},"
                          "{\"name\":\"g\",\"timeout\":\"9\"},{\"name\":\"h\"}");
    for (size_t i = 0; i < TB_COUNT(expected); i++) {
        assert_int_equal(scene->seat.tools.list[i]->timeout_ms, expected[i]);
    }
}

static void only_the_first_answer_counts_and_only_to_what_was_asked(void **state)
{
    struct scene *scene = *state;
    call_quietly(scene);
    struct tb_str id = tb_buf_str(&scene->page.id);
    page_answer(&scene->page, TB_STR("\"call-1\""), TB_STR("{\"forged\":1}"), TB_STR(""));
    assert_true(scene->seat.running);
    page_answer(&scene->page, id, TB_STR("{\"n\":1}"), TB_STR(""));
    page_answer(&scene->page, id, TB_STR("{\"n\":2}"), TB_STR(""));
    assert_int_equal(scene->seat.ends, 1);
    expect_raw(scene, "{\"n\":1}");
}

static void expect_failure(struct scene *scene, const char *error, const char *words)
{
    call_quietly(scene);
    page_answer(&scene->page, tb_buf_str(&scene->page.id), TB_STR(""), tb_str_of(error));
    assert_int_equal(scene->seat.result.code, TB_E_SCRIPT);
    assert_string_equal(scene->seat.result.message, words);
}

static void an_error_is_told_in_the_words_of_the_page_and_in_quotes(void **state)
{
    expect_failure(*state, "{\"code\":-32603,\"message\":\"no \\\"such\\\" row\"}",
                   "the page says that the tool failed: \"no \\\"such\\\" row\"");
}

static void a_page_cannot_speak_for_us_in_an_error(void **state)
{
    expect_failure(*state, "{\"message\":\"x\\n\\nSession: other\\u202etxt\\u0000\"}",
                   "the page says that the tool failed: "
                   "\"x\\n\\nSession: other\\u202etxt\\u0000\"");
}

static void an_error_without_words_says_so(void **state)
{
    static const char *const errors[] = {"{}", "{\"message\":\"\"}", "{\"message\":7}", "[]"};
    struct scene *scene = *state;
    register_tools(scene, "{\"name\":\"a\"}");
    scene->quiet = true;
    for (size_t i = 0; i < TB_COUNT(errors); i++) {
        driver_invoke_start(&scene->seat, scene->seat.tools.list[0], TB_STR("{}"), LONG_MS);
        page_answer(&scene->page, tb_buf_str(&scene->page.id), TB_STR(""), tb_str_of(errors[i]));
        assert_int_equal(scene->seat.result.code, TB_E_SCRIPT);
        assert_string_equal(scene->seat.result.message,
                            "the page says that the tool failed, but not in words");
    }
}

static void a_long_error_is_cut(void **state)
{
    struct scene *scene = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf error = TB_BUF(PAGE_TEXT_MAX);
    tb_buf_printf(&error, "{\"message\":\"%04000d\"}", 7);
    call_quietly(scene);
    page_answer(&scene->page, tb_buf_str(&scene->page.id), TB_STR(""), tb_buf_str(&error));
    assert_non_null(strstr(scene->seat.result.message, "failed: \"0000"));
    assert_non_null(strstr(scene->seat.result.message, "0000…\""));
}

static void a_result_beside_an_error_is_the_answer(void **state)
{
    struct scene *scene = *state;
    call_quietly(scene);
    page_answer(&scene->page, tb_buf_str(&scene->page.id), TB_STR("{\"isError\":true}"),
                TB_STR("{\"code\":1,\"message\":\"m\"}"));
    assert_int_equal(scene->seat.result.code, 0);
    expect_raw(scene, "{\"isError\":true}");
}

static void a_result_has_a_ceiling(void **state)
{
    struct scene *scene = *state;
    for (size_t over = 0; over < 2; over++) {
        TB_AUTO(tb_buf_fini) struct tb_buf result = TB_BUF(TB_RESULT_TEXT_MAX + 1);
        call_quietly(scene);
        tb_buf_append_cstr(&result, "{\"x\":\"");
        while (result.len < TB_RESULT_TEXT_MAX - 2 + over) {
            tb_buf_append_char(&result, 'x');
        }
        tb_buf_append_cstr(&result, "\"}");
        page_answer(&scene->page, tb_buf_str(&scene->page.id), tb_buf_str(&result), TB_STR(""));
        assert_false(scene->seat.running);
        assert_int_equal(scene->seat.result.code, over ? TB_E_TOO_LARGE : 0);
        assert_int_equal(scene->seat.result.raw.len, over ? 0 : TB_RESULT_TEXT_MAX);
        scene->page.calls = 0;
    }
}

static void a_page_that_takes_nothing_is_not_said_to_know_of_the_end(void **state)
{
    struct scene *scene = *state;
    call_quietly(scene);
    scene->page.busy = true;
    driver_cancel(&scene->seat);
    assert_int_equal(scene->seat.ends, 1);
    assert_int_equal(scene->seat.result.code, TB_E_CANCELLED);
    assert_null(strstr(scene->seat.result.message, "told"));
    scene->page.busy = false;
    tb_channel_ready(scene->page.channel, TB_CHANNEL_PEER);
    tb_loop_turn(scene->lab.core.loop, false);
    page_answer(&scene->page, tb_buf_str(&scene->page.id), TB_STR("{}"), TB_STR(""));
    assert_int_equal(scene->seat.ends, 1);
}

static void a_call_that_was_not_sent_yet_is_cancelled_before_the_page_hears_of_it(void **state)
{
    struct scene *scene = *state;
    register_tools(scene, "{\"name\":\"a\"}");
    scene->page.busy = true;
    driver_invoke_start(&scene->seat, scene->seat.tools.list[0], TB_STR("{}"), LONG_MS);
    driver_cancel(&scene->seat);
    assert_int_equal(scene->seat.result.code, TB_E_CANCELLED);
    scene->page.busy = false;
    tb_channel_ready(scene->page.channel, TB_CHANNEL_PEER);
    tb_loop_turn(scene->lab.core.loop, false);
    ask(scene, "tools/unregister", NULL);
    assert_int_equal(scene->page.calls + scene->page.cancels, 0);
}

static void a_page_is_told_of_a_call_that_nobody_waits_for(void **state)
{
    struct scene *scene = *state;
    call_quietly(scene);
    driver_cancel(&scene->seat);
    assert_int_equal(scene->page.cancels, 1);
    page_answer(&scene->page, tb_buf_str(&scene->page.id), TB_STR("{}"), TB_STR(""));
    assert_int_equal(scene->seat.ends, 1);
    assert_int_equal(scene->seat.result.code, TB_E_CANCELLED);
}

static void what_a_page_cannot_take_yet_is_sent_when_it_can(void **state)
{
    struct scene *scene = *state;
    register_tools(scene, "{\"name\":\"a\"}");
    scene->page.busy = true;
    driver_invoke_start(&scene->seat, scene->seat.tools.list[0], TB_STR("{\"n\":1}"), LONG_MS);
    assert_int_equal(page_ask(&scene->page, "tools/unregister", NULL), 0);
    scene->page.busy = false;
    tb_channel_ready(scene->page.channel, TB_CHANNEL_PEER);
    WAIT_UNTIL(scene->lab.core.loop, scene->page.replies == 2 && !scene->seat.running);
    assert_int_equal(scene->page.calls, 1);
    expect_raw(scene, "{\"n\":1}");
}

static void a_page_that_takes_no_answer_is_not_heard_meanwhile(void **state)
{
    struct scene *scene = *state;
    scene->page.busy = true;
    assert_int_equal(page_ask(&scene->page, "tools/unregister", NULL), 0);
    assert_int_equal(page_ask(&scene->page, "tools/unregister", NULL), TB_E_BUSY);
    scene->page.busy = false;
    tb_channel_ready(scene->page.channel, TB_CHANNEL_PEER);
    WAIT_UNTIL(scene->lab.core.loop, scene->page.replies == 1);
    assert_int_equal(scene->seat.tools.lists, 1);
}

static void a_newer_page_is_not_bothered_with_calls_of_the_older_one(void **state)
{
    struct scene *scene = *state;
    struct page newer;
    call_quietly(scene);
    page_open(&newer, scene->lab.core.loop);
    assert_int_equal(driver_attach(&scene->seat, newer.channel), 0);
    driver_cancel(&scene->seat);
    assert_int_equal(newer.cancels + newer.calls, 0);
    assert_int_equal(driver_invoke(&scene->seat, scene->seat.tools.list[0], TB_STR("{}")), 0);
    assert_int_equal(newer.calls, 1); /* the tools are still there */
    page_fini(&newer);
    WAIT_UNTIL(scene->lab.core.loop, scene->seat.losses);
    assert_int_equal(driver_invoke(&scene->seat, scene->seat.tools.list[0], TB_STR("{}")),
                     TB_E_AWAY);
}

static void expect_number(const struct page *page, const char *beginning)
{
    struct tb_str id = tb_buf_str(&page->id);
    if (!tb_str_starts(id, tb_str_of(beginning))) {
        fail_msg("%.*s", TB_STR_ARG(id));
    }
}

/* Gaps would tell of the calls of others. */
static void the_calls_of_a_page_are_numbered_by_themselves(void **state)
{
    struct scene *scene = *state;
    struct driver_seat other;
    struct page theirs;
    driver_seat_init(&other, &scene->lab, "two");
    page_open(&theirs, scene->lab.core.loop);
    other.peer.channel = theirs.channel;
    driver_open(&other);
    other.peer.channel = NULL;
    register_tools(scene, "{\"name\":\"a\"}");
    assert_int_equal(page_ask(&theirs, "tools/register", "{\"tools\":[{\"name\":\"a\"}]}"), 0);
    for (int i = 1; i <= 2; i++) {
        char beginning[24];
        snprintf(beginning, sizeof(beginning), "\"call-%d-", i);
        assert_int_equal(driver_invoke(&scene->seat, scene->seat.tools.list[0], TB_STR("{}")), 0);
        expect_number(&scene->page, beginning);
        assert_int_equal(driver_invoke(&other, other.tools.list[0], TB_STR("{}")), 0);
        expect_number(&theirs, beginning);
    }
    driver_seat_fini(&other);
    page_fini(&theirs);
}

static void expect_tail(struct scene *scene, const char *request_id, const char *tail)
{
    scene->seat.request_id = tb_str_of(request_id);
    assert_int_equal(driver_invoke(&scene->seat, scene->seat.tools.list[0], TB_STR("{}")), 0);
    assert_int_equal(tb_buf_append_char(&scene->page.tail, '\0'), 0);
    assert_string_equal((const char *)scene->page.tail.data, tail);
}

/* S4-26, S4-54: ids with their own text and type. */
static void a_page_is_told_who_calls_and_what_it_calls_its_request(void **state)
{
    struct scene *scene = *state;
    register_tools(scene, "{\"name\":\"a\"}");
    expect_tail(scene, "", "");
    expect_tail(scene, "7", "\"metadata\":{\"requestId\":7}");
    scene->seat.agent_id = TB_STR("agent-0123456789ab");
    expect_tail(scene, "", "\"metadata\":{\"agentId\":\"agent-0123456789ab\"}");
    expect_tail(scene, "12345678901234567890",
                "\"metadata\":{\"agentId\":\"agent-0123456789ab\",\"requestId\":"
                "12345678901234567890}");
    expect_tail(scene, "\"a:b\\\"\"",
                "\"metadata\":{\"agentId\":\"agent-0123456789ab\",\"requestId\":\"a:b\\\"\"}");
    char longest[1000];
    memset(longest, '7', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    expect_tail(scene, longest, ""); /* no front takes one of this length */
}

static void a_session_without_a_page_does_not_open(void **state)
{
    struct scene *scene = *state;
    struct driver_seat seat;
    driver_seat_init(&seat, &scene->lab, "two");
    driver_open_start(&seat, TB_STR(""));
    assert_int_equal(seat.refused.code, TB_E_NOT_POSSIBLE);
    driver_seat_fini(&seat);
}

static void expect_refused(struct scene *scene, struct tb_channel *channel, int code,
                           const char *words)
{
    struct driver_seat seat;
    driver_seat_init(&seat, &scene->lab, "two");
    seat.peer.channel = channel;
    driver_open_start(&seat, TB_STR(""));
    seat.peer.channel = NULL;
    assert_int_equal(seat.refused.code, code);
    assert_non_null(strstr(seat.refused.text, words));
    driver_seat_fini(&seat);
}

static void a_page_that_is_taken_or_gone_opens_no_session(void **state)
{
    struct scene *scene = *state;
    struct page gone;
    page_open(&gone, scene->lab.core.loop);
    struct tb_channel *channel = tb_channel_ref(gone.channel, "test");
    page_fini(&gone);
    expect_refused(scene, channel, TB_E_CLOSED, "disconnected");
    expect_refused(scene, scene->page.channel, TB_E_EXISTS, "another session");
    assert_int_equal(driver_attach(&scene->seat, channel), TB_E_CLOSED);
    register_tools(scene, "{\"name\":\"a\"}"); /* the session has the page that it had */
    tb_channel_unref(channel, "test");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(tools_are_as_the_page_wrote_them),
        CASE(a_schema_without_a_type_is_that_of_an_object),
        CASE(a_list_with_one_bad_tool_changes_nothing),
        CASE(a_page_has_a_hundred_tools_and_no_more),
        CASE(an_operator_may_allow_fewer),
        CASE(the_tools_of_a_page_have_a_ceiling_together),
        CASE(a_tool_has_a_ceiling_for_its_description_and_its_name),
        CASE(tools_go_by_their_names_or_all_at_once),
        CASE(whatever_a_page_asks_is_answered),
        CASE(a_tool_may_say_how_long_it_takes),
        CASE(only_the_first_answer_counts_and_only_to_what_was_asked),
        CASE(an_error_is_told_in_the_words_of_the_page_and_in_quotes),
        CASE(a_page_cannot_speak_for_us_in_an_error),
        CASE(an_error_without_words_says_so),
        CASE(a_long_error_is_cut),
        CASE(a_result_beside_an_error_is_the_answer),
        CASE(a_result_has_a_ceiling),
        CASE(a_page_that_takes_nothing_is_not_said_to_know_of_the_end),
        CASE(a_call_that_was_not_sent_yet_is_cancelled_before_the_page_hears_of_it),
        CASE(a_page_is_told_of_a_call_that_nobody_waits_for),
        CASE(what_a_page_cannot_take_yet_is_sent_when_it_can),
        CASE(a_page_that_takes_no_answer_is_not_heard_meanwhile),
        CASE(a_newer_page_is_not_bothered_with_calls_of_the_older_one),
        CASE(the_calls_of_a_page_are_numbered_by_themselves),
        CASE(a_page_is_told_who_calls_and_what_it_calls_its_request),
        CASE(a_session_without_a_page_does_not_open),
        CASE(a_page_that_is_taken_or_gone_opens_no_session),
    };
#undef CASE
    return cmocka_run_group_tests(tests, NULL, NULL);
}
