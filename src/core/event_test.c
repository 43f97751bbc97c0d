/* SPDX-License-Identifier: Apache-2.0 */
#include "core/event.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#include "support/fake_store.h"
#include "support/principals.h"

enum {
    HALF_HOUR_MS = 30 * 60 * 1000,
    HOUR_MS = 2 * HALF_HOUR_MS,
};

static const struct tb_param params[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .help = ""},
    {.name = NULL},
};
static const struct tb_tool go = {.name = "go",
                                  .flags = TB_TOOL_MAY_CREATE,
                                  .params = params,
                                  .op = TB_OP_NAVIGATE};

/* A whole life, as readers of the feed get it: which members, in which order, how written. */
static void events_have_the_json_that_readers_know(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    rig->agent = "claude \"code\"\t2.1 \xe2\x82\xac";
    assert_int_equal(rig_run(rig, &go, "talk", "{\"url\":\"https://a.test/\xc3\xa9?q=1\"}"), 0);
    rig->fake->ops[TB_OP_CLICK] =
        (struct tb_fake_plan){.when = TB_FAKE_LATER, .delay_ms = 7, .code = TB_E_ELEMENT_NOT_FOUND};
    struct rig_call *call = rig_start(rig, &rig_click, "talk", NULL);
    rig_turn(rig);
    rig_advance(rig, 7);
    rig_expect(call, TB_E_ELEMENT_NOT_FOUND);
    rig->agent = NULL;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"nope\":1}"), TB_E_PARAMS);
    struct tb_session *named = rig_create(rig, "b");
    rig_turn(rig);
    assert_int_equal(
        tb_session_renew(named, INT64_C(40) * 24 * 3600 * 1000,
                         &(struct tb_caller){.who = &principal_t, .conversation = "", .agent = ""},
                         NULL, &err),
        0);
    assert_int_equal(tb_session_renew(named, HOUR_MS, NULL, NULL, &err), 0);
    const struct tb_caller closer = {.who = &principal_t, .conversation = "", .agent = "m 1"};
    tb_session_close(rig_create(rig, "c"), &closer, NULL);
    rig_advance(rig, HALF_HOUR_MS);
    rig_turns(rig, 3);
    rig->fake->ops[TB_OP_CLICK] = (struct tb_fake_plan){0};
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
    rig_advance(rig, HALF_HOUR_MS - 60000);
    rig_advance(rig, HALF_HOUR_MS);
    tb_sessions_stop_all(rig->core.sessions, "t", NULL);
    rig_turn(rig);
    assert_int_equal(tb_buf_append_char(&rig->events, '\0'), 0);
    assert_string_equal(
        (const char *)rig->events.data,
        "session_started {\"name\":\"browser-1\",\"type\":\"browser\",\"driver\":\"fake\",\"agent\":\"claude \\\"code\\\"\\t2.1 €\"}\n"
        "call_done {\"tool\":\"go\",\"code\":\"ok\",\"ms\":0,\"session\":\"browser-1\",\"agent\":\"claude \\\"code\\\"\\t2.1 €\",\"conversation\":\"44c4fa4b6649\",\"url\":\"https://a.test/é\",\"action\":1}\n"
        "call_done {\"tool\":\"click\",\"code\":\"element_not_found\",\"ms\":7,\"session\":\"browser-1\",\"agent\":\"claude \\\"code\\\"\\t2.1 €\",\"conversation\":\"44c4fa4b6649\",\"url\":\"https://a.test/é\",\"action\":2}\n"
        "call_done {\"tool\":\"click\",\"code\":\"invalid_params\",\"ms\":0}\n"
        "session_started {\"name\":\"b\",\"type\":\"browser\",\"driver\":\"fake\"}\n"
        "session_renewed {\"name\":\"b\",\"type\":\"browser\",\"ttl_ms\":3456000000,\"expires_in_ms\":604800000,\"agent\":\"\"}\n"
        "session_renewed {\"name\":\"b\",\"type\":\"browser\",\"ttl_ms\":3600000,\"expires_in_ms\":3600000}\n"
        "session_started {\"name\":\"c\",\"type\":\"browser\",\"driver\":\"fake\"}\n"
        "session_ended {\"name\":\"c\",\"type\":\"browser\",\"reason\":\"closed\",\"agent\":\"m 1\",\"duration_ms\":0,\"calls\":0,\"errors\":0}\n"
        "session_saved {\"name\":\"browser-1\",\"type\":\"browser\"}\n"
        "session_saved {\"name\":\"b\",\"type\":\"browser\"}\n"
        "session_hibernated {\"name\":\"browser-1\",\"type\":\"browser\",\"reason\":\"idle_timeout\"}\n"
        "session_hibernated {\"name\":\"b\",\"type\":\"browser\",\"reason\":\"idle_timeout\"}\n"
        "session_woken {\"name\":\"browser-1\",\"type\":\"browser\"}\n"
        "call_done {\"tool\":\"click\",\"code\":\"ok\",\"ms\":0,\"session\":\"browser-1\",\"conversation\":\"44c4fa4b6649\",\"url\":\"https://a.test/é\",\"action\":3}\n"
        "session_expiring {\"name\":\"b\",\"type\":\"browser\",\"reason\":\"ttl_expired\",\"expires_in_ms\":60000}\n"
        "session_hibernated {\"name\":\"browser-1\",\"type\":\"browser\",\"reason\":\"idle_timeout\"}\n"
        "session_ended {\"name\":\"b\",\"type\":\"browser\",\"reason\":\"ttl_expired\",\"duration_ms\":5340000,\"calls\":0,\"errors\":0}\n"
        "global_stop {\"sessions\":1,\"agent\":\"operator\"}\n"
        "session_ended {\"name\":\"browser-1\",\"type\":\"browser\",\"reason\":\"global_stop\",\"url\":\"https://a.test/é\",\"duration_ms\":5340007,\"calls\":3,\"errors\":1}\n");
    rig->events.len--;
}

struct heard {
    const char *json[2];
    size_t len;
};

static void ask_twice(const struct tb_event *event, void *user)
{
    struct heard *heard = user;
    heard->json[0] = tb_event_json(event).ptr;
    heard->json[1] = tb_event_json(event).ptr;
    heard->len = event->json->len;
}

static void ask_nothing(const struct tb_event *event, void *user)
{
    struct heard *heard = user;
    heard->len = event->json->len;
}

static void the_json_is_written_once_and_only_if_somebody_asks(void **state)
{
    struct heard heard[3] = {0};
    struct tb_subscriber deaf = {.fn = ask_nothing, .user = &heard[0]};
    struct tb_subscriber first = {.fn = ask_twice, .user = &heard[1]};
    struct tb_subscriber second = {.fn = ask_twice, .user = &heard[2]};
    struct tb_bus bus;
    (void)state;
    tb_bus_init(&bus);
    tb_bus_subscribe(&bus, &deaf);
    tb_bus_subscribe(&bus, &first);
    tb_bus_subscribe(&bus, &second);
    tb_bus_publish(&bus, &(struct tb_event){.type = TB_EVENT_TAB_CLOSED,
                                            .tenant = "t",
                                            .session_id = "",
                                            .fields = {tb_field_number("tab", 1)}});
    assert_int_equal(heard[0].len, 0);
    assert_int_equal(heard[1].len, strlen("{\"tab\":1}"));
    assert_int_equal(heard[2].len, heard[1].len);
    for (size_t i = 0; i < 2; i++) {
        assert_ptr_equal(heard[1].json[i], heard[2].json[0]);
    }
}

static void keep(const struct tb_event *event, void *user)
{
    snprintf(user, 128, "%.*s", TB_STR_ARG(tb_event_json(event)));
}

static void fields_are_text_numbers_and_flags_in_the_order_of_the_table(void **state)
{
    char text[128] = "";
    struct tb_subscriber subscriber = {.fn = keep, .user = text};
    struct tb_bus bus;
    (void)state;
    tb_bus_init(&bus);
    tb_bus_subscribe(&bus, &subscriber);
    tb_bus_publish(&bus, &(struct tb_event){.type = TB_EVENT_DOWNLOAD_DONE,
                                            .tenant = "t",
                                            .session_id = "",
                                            .outcome = "not one of its members",
                                            .fields = {tb_field_text("url", TB_STR("\"\x01\xff")),
                                                       tb_field_number("bytes", 7),
                                                       tb_field_cstr("file", NULL)}});
    assert_string_equal(text, "{\"bytes\":7,\"url\":\"\\\"\\u0001\xef\xbf\xbd\"}");
}

static void events_are_named_in_lists(void **state)
{
    struct tb_err err;
    uint64_t mask = 0;
    (void)state;
    assert_int_equal(tb_event_mask(TB_STR(" session_ended,navigated"), &mask, &err), 0);
    assert_int_equal(mask, UINT64_C(1) << TB_EVENT_SESSION_ENDED | UINT64_C(1)
                                                                       << TB_EVENT_NAVIGATED);
    assert_int_equal(tb_event_mask(TB_STR("navigated,nonsense"), &mask, &err), TB_E_PARAMS);
    assert_non_null(strstr(err.text, "'nonsense'"));
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(events_have_the_json_that_readers_know),
        cmocka_unit_test(the_json_is_written_once_and_only_if_somebody_asks),
        cmocka_unit_test(fields_are_text_numbers_and_flags_in_the_order_of_the_table),
        cmocka_unit_test(events_are_named_in_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
