/* SPDX-License-Identifier: Apache-2.0 */
#include "core/audit.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/audit_verify.h"
#include "core/session_internal.h"

#include "support/audited.h"

#define CANARY "canary"

static const struct tb_param params[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "value", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "password", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "script", .type = TB_PARAM_TEXT, .help = ""},
    {.name = NULL},
};
static const struct tb_tool go = {.name = "go",
                                  .flags = TB_TOOL_MAY_CREATE,
                                  .params = params,
                                  .op = TB_OP_NAVIGATE};
static const struct tb_tool fill = {.name = "fill", .params = params, .op = TB_OP_FILL};

/* All entries as lines: type|tenant|session|agent|tool|outcome|details. */
static const char *lines(struct audited *scene, struct tb_buf *out)
{
    for (size_t i = 0; i < scene->kept.count; i++) {
        const struct tb_audit_entry *entry = kept_at(&scene->kept, i);
        tb_buf_printf(out, "%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s\n", TB_STR_ARG(entry->type),
                      TB_STR_ARG(entry->tenant), TB_STR_ARG(entry->session),
                      TB_STR_ARG(entry->agent), TB_STR_ARG(entry->tool), TB_STR_ARG(entry->outcome),
                      TB_STR_ARG(entry->details));
    }
    tb_buf_append_char(out, '\0');
    return (const char *)out->data;
}

static void expect_lines(struct audited *scene, const char *expected)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    assert_string_equal(lines(scene, &text), expected);
}

static void expect_line(struct audited *scene, const char *line)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    if (!strstr(lines(scene, &text), line)) {
        fail_msg("no line %s in\n%s", line, (const char *)text.data);
    }
}

/* Of the tenant "t", and about no session that there is. */
static void emit(struct audited *scene, const struct tb_event *event)
{
    struct tb_event told = *event;
    told.tenant = "t";
    told.session_id = "";
    tb_bus_publish(&scene->rig->core.bus, &told);
}

/* S2-63, S2-65 (what its table shows): every start and end, the end with reason, duration and
 * number of actions, and where it was. */
static void a_session_is_on_record_from_start_to_end(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &go, "", "{\"url\":\"https://a.test/x?q=1\"}"), 0);
    assert_int_equal(rig_run(rig, &fill, "", NULL), 0);
    tb_clock_manual_advance(&rig->clock, 1500);
    rig_turn(rig);
    tb_session_end(session, TB_END_USER_STOPPED);
    expect_lines(scene,
                 "session_started|t|a||||{\"type\":\"browser\",\"driver\":\"fake\"}\n"
                 "call_done|t|a||go|ok|{\"url\":\"https://a.test/x\",\"ms\":0,\"action\":1}\n"
                 "call_done|t|a||fill|ok|{\"url\":\"https://a.test/x\",\"ms\":0,\"action\":2}\n"
                 "session_ended|t|a|||user_stopped|{\"type\":\"browser\",\"url\":\"https://a.test/"
                 "x\",\"duration_ms\":1500,\"calls\":2,\"errors\":0}\n");
    assert_int_equal(kept_at(&scene->kept, 3)->wall_ms, rig->clock.wall_ms);
}

static void a_call_is_on_record_with_its_agent_and_outcome(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_FILL] =
        (struct tb_fake_plan){.when = TB_FAKE_LATER, .delay_ms = 7, .code = TB_E_ELEMENT_NOT_FOUND};
    rig->agent = "claude-code 2.1";
    struct rig_call *call = rig_start(rig, &fill, "", NULL);
    rig_advance(rig, 0);
    rig_advance(rig, 7);
    rig_expect(call, TB_E_ELEMENT_NOT_FOUND);
    expect_line(scene, "call_done|t|a|claude-code 2.1|fill|element_not_found|"
                       "{\"ms\":7,\"action\":1}\n");
    assert_int_equal(rig_run(rig, &fill, "", "{\"nope\":1}"), TB_E_PARAMS);
    expect_line(scene, "call_done|t||claude-code 2.1|fill|invalid_params|{\"ms\":0}\n");
    char agent[TB_AGENT_SIZE + 8];
    snprintf(agent, sizeof(agent), "%0*d€", TB_AGENT_SIZE - 3, 0);
    rig->agent = agent; /* one byte too long, so all of the last character goes */
    assert_int_equal(rig_run(rig, &fill, "", "{\"nope\":1}"), TB_E_PARAMS);
    assert_int_equal(kept_at(&scene->kept, 3)->agent.len, TB_AGENT_SIZE - 3);
}

/* S2-67, S2-68: whatever is told on the bus, and by the bus alone. */
static void what_the_bus_tells_is_on_record(void **state)
{
    const struct {
        struct tb_event event;
        const char *line;
    } rows[] = {
        {{.type = TB_EVENT_SESSION_RENEWED,
          .session = "a",
          .fields = {tb_field_number("expires_in_ms", 4), tb_field_number("ttl_ms", 5)}},
         "session_renewed|t|a||||{\"ttl_ms\":5,\"expires_in_ms\":4}\n"},
        {{.type = TB_EVENT_SESSION_HIBERNATED, .session = "a", .outcome = "idle_timeout"},
         "session_hibernated|t|a|||idle_timeout|{}\n"},
        {{.type = TB_EVENT_SESSION_WOKEN,
          .session = "a",
          .fields = {tb_field_cstr("type", "browser")}},
         "session_woken|t|a||||{\"type\":\"browser\"}\n"},
        {{.type = TB_EVENT_SESSION_AWAY,
          .session = "a",
          .outcome = "client_disconnected",
          .fields = {tb_field_cstr("type", "client")}},
         "session_away|t|a|||client_disconnected|{\"type\":\"client\"}\n"},
        {{.type = TB_EVENT_SESSION_BACK, .session = "a"}, "session_back|t|a||||{}\n"},
        {{.type = TB_EVENT_SESSION_HELD, .session = "a", .agent = "ann"},
         "session_held|t|a|ann|||{}\n"},
        {{.type = TB_EVENT_SESSION_RELEASED, .session = "a", .agent = "ann"},
         "session_released|t|a|ann|||{}\n"},
        {{.type = TB_EVENT_GLOBAL_STOP,
          .agent = "operator",
          .fields = {tb_field_number("sessions", 3)}},
         "global_stop|t||operator|||{\"sessions\":3}\n"},
        {{.type = TB_EVENT_TAB_CLOSED, .fields = {tb_field_number("tab", 1)}},
         "tab_closed|t|||||{\"tab\":1}\n"},
    };
    struct audited *scene = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        emit(scene, &rows[i].event);
        expect_line(scene, rows[i].line);
        assert_int_equal(scene->kept.count, i + 1);
    }
    /* These happen in pages all the time, and nobody did them. */
    emit(scene, &(struct tb_event){.type = TB_EVENT_NAVIGATED,
                                   .fields = {tb_field_cstr("url", "https://a.test/")}});
    emit(scene, &(struct tb_event){.type = TB_EVENT_DIALOG_OPENED,
                                   .fields = {tb_field_cstr("type", "alert")}});
    assert_int_equal(scene->kept.count, TB_COUNT(rows));
}

/* S2-63, S2-68: every ending comes by the bus, so every reason is on record, once. */
static void every_end_reason_is_on_record(void **state)
{
    static const char *const names[] = {
#define TB_REASON(NAME, wire, expired, words, after) wire,
#include "core/reasons.def"
#undef TB_REASON
    };
    struct audited *scene = *state;
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        char line[80];
        struct tb_session *session = rig_create_as(scene->rig, "t", names[i], names[i]);
        rig_turn(scene->rig);
        tb_session_end(session, (enum tb_end_reason)i);
        tb_session_end(session, TB_END_CLOSED);
        rig_turn(scene->rig);
        snprintf(line, sizeof(line), "session_ended|t|%s|||%s|", names[i], names[i]);
        expect_line(scene, line);
        assert_int_equal(scene->kept.count, 2 * (i + 1));
    }
}

static void the_name_of_a_session_is_looked_up_where_the_event_has_none(void **state)
{
    struct audited *scene = *state;
    struct tb_session *session = rig_create(scene->rig, "a");
    rig_turn(scene->rig);
    tb_fake_emit(
        scene->rig->fake, session->id,
        &(struct tb_event){.type = TB_EVENT_TAB_CLOSED, .fields = {tb_field_number("tab", 2)}});
    expect_line(scene, "tab_closed|t|a||||{\"tab\":2}\n");
}

static void nothing_that_was_typed_or_read_is_kept(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    const char *args =
        "{\"url\":\"https://u:" CANARY "@a.test/p?" CANARY "=1#" CANARY "\",\"value\":\"" CANARY
        "\",\"password\":\"" CANARY "\",\"script\":\"" CANARY "\"}";
    for (int code = 0; code >= TB_E_ELEMENT_NOT_FOUND; code += TB_E_ELEMENT_NOT_FOUND) {
        rig->fake->ops[TB_OP_FILL].code = code;
        assert_int_equal(rig_run(rig, &go, "talk " CANARY, args), 0);
        assert_int_equal(rig_run(rig, &fill, "talk " CANARY, args), code);
    }
    rig_run(rig, &fill, "talk " CANARY, "{\"" CANARY "\":1}");
    rig_run(rig, &fill, "talk " CANARY, "{\"sessionId\":\"" CANARY "\"}");
    tb_bus_unsubscribe(&rig->listener); /* it knows that no event has such fields */
    for (unsigned type = 0; type < TB_EVENT_COUNT; type++) {
        emit(scene, &(struct tb_event){
                        .type = (enum tb_event_type)type,
                        .fields = {tb_field_cstr("text", CANARY), tb_field_cstr("value", CANARY),
                                   tb_field_cstr("args", CANARY), tb_field_cstr("message", CANARY),
                                   tb_field_cstr("title", CANARY),
                                   tb_field_cstr("url", "https://" CANARY "@a.test/?" CANARY)}});
    }
    assert_true(scene->kept.count > 7 + TB_EVENT_COUNT / 2);
    assert_null(strstr(lines(scene, &text), CANARY));
    assert_non_null(strstr((const char *)text.data, "https://a.test/p"));
}

static void only_types_that_the_log_has_can_be_asked_for(void **state)
{
    struct tb_err err;
    (void)state;
    assert_int_equal(tb_audit_check_type(TB_STR("session_ended"), &err), 0);
    assert_int_equal(tb_audit_check_type(TB_STR("tab_opened"), &err), TB_E_PARAMS);
    assert_string_equal(err.text, "the audit log has no entries of type \"tab_opened\"; a search "
                                  "without a type shows which it has");
    assert_int_equal(tb_audit_check_type(TB_STR("tab_close"), &err), TB_E_PARAMS);
    assert_non_null(strstr(err.text, "\"tab_close\" (did you mean tab_closed?); "));
}

static void it_can_be_switched_off_and_on(void **state)
{
    struct audited *scene = *state;
    scene->rig->config.audit_enabled = false;
    rig_create(scene->rig, "a");
    assert_int_equal(scene->kept.count, 0);
    scene->rig->config.audit_enabled = true;
    rig_create(scene->rig, "b");
    assert_int_equal(scene->kept.count, 1);
}

/* The daemon's part of S2-64: what is old or too many is cut off. */
static void old_entries_are_cut_off_each_hour(void **state)
{
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    rig_advance(rig, 60000);
    assert_int_equal(scene->kept.cuts, 1);
    assert_int_equal(scene->kept.cut_count, 1000000);
    assert_int_equal(scene->kept.cut_wall_ms,
                     rig->clock.wall_ms - INT64_C(90) * 24 * 60 * 60 * 1000);
    rig->config.audit_retention_days = 0;
    rig->config.audit_entries_max = 1000;
    rig_advance(rig, 3600000);
    assert_int_equal(scene->kept.cuts, 2);
    assert_int_equal(scene->kept.cut_count, 1000);
    assert_int_equal(scene->kept.cut_wall_ms, 0);
}

static void a_clock_that_jumps_ahead_is_believed_a_day_at_a_time(void **state)
{
    const int64_t day_ms = INT64_C(24) * 60 * 60 * 1000;
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    int64_t start_ms = rig->clock.wall_ms;
    rig->clock.wall_ms += 3650 * day_ms;
    rig_advance(rig, 60000);
    assert_int_equal(scene->kept.cut_wall_ms, start_ms + day_ms - 90 * day_ms);
    rig_advance(rig, 3600000);
    assert_int_equal(scene->kept.cut_wall_ms, start_ms + 2 * day_ms - 90 * day_ms);
    rig->clock.wall_ms -= 3650 * day_ms;
    rig_advance(rig, 3600000);
    assert_int_equal(scene->kept.cut_wall_ms, rig->clock.wall_ms - 90 * day_ms);
}

static void start_again(struct audited *scene)
{
    tb_audit_free(scene->audit);
    scene->audit = tb_audit_new(&scene->rig->core);
}

/* Entries of the new run have the time of the clock, so they say nothing about it. */
static void a_clock_that_is_ahead_at_the_start_is_believed_a_day_at_a_time(void **state)
{
    const int64_t day_ms = INT64_C(24) * 60 * 60 * 1000;
    struct audited *scene = *state;
    struct rig *rig = scene->rig;
    int64_t last_ms = rig->clock.wall_ms;
    rig_create(rig, "a");
    rig->clock.wall_ms += 3650 * day_ms;
    start_again(scene);
    rig_create(rig, "b");
    rig_advance(rig, 60000);
    assert_int_equal(scene->kept.cut_wall_ms, last_ms + day_ms - 90 * day_ms);
    rig_advance(rig, 3600000);
    assert_int_equal(scene->kept.cut_wall_ms, last_ms + 2 * day_ms - 90 * day_ms);
}

static void nothing_is_cut_off_before_the_last_entry_is_known(void **state)
{
    struct audited *scene = *state;
    scene->kept.broken = "the disk cannot be read";
    rig_advance(scene->rig, 60000);
    assert_int_equal(scene->kept.cuts, 0);
    scene->kept.broken = NULL;
    rig_advance(scene->rig, 60000);
    assert_int_equal(scene->kept.cuts, 1);
}

static void the_chain_of_what_it_writes_is_right(void **state)
{
    struct audited *scene = *state;
    struct tb_audit_verify verify;
    struct tb_err err;
    for (int i = 0; i < 100; i++) {
        rig_run(scene->rig, &go, "talk", "{\"url\":\"https://a.test/\"}");
    }
    tb_audit_verify_init(&verify, scene->kept.secret);
    assert_int_equal(tb_audit_verify_cut(&verify, &scene->kept.cut, &err), 0);
    for (size_t i = 0; i < scene->kept.count; i++) {
        assert_int_equal(tb_audit_verify_entry(&verify, kept_at(&scene->kept, i), &err), 0);
    }
    assert_int_equal(tb_audit_verify_head(&verify, &scene->kept.head, &err), 0);
    assert_int_equal(verify.seq, 101);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, audited_start, audited_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_session_is_on_record_from_start_to_end),
        WITH(a_call_is_on_record_with_its_agent_and_outcome),
        WITH(what_the_bus_tells_is_on_record),
        WITH(every_end_reason_is_on_record),
        WITH(the_name_of_a_session_is_looked_up_where_the_event_has_none),
        WITH(nothing_that_was_typed_or_read_is_kept),
        WITH(only_types_that_the_log_has_can_be_asked_for),
        WITH(it_can_be_switched_off_and_on),
        WITH(old_entries_are_cut_off_each_hour),
        WITH(a_clock_that_jumps_ahead_is_believed_a_day_at_a_time),
        WITH(a_clock_that_is_ahead_at_the_start_is_believed_a_day_at_a_time),
        WITH(nothing_is_cut_off_before_the_last_entry_is_known),
        WITH(the_chain_of_what_it_writes_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
