/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/audit_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "tool/tools.h"

static struct tb_audit_entry sample(void)
{
    return (struct tb_audit_entry){
        .seq = 7,
        .wall_ms = 1700000000000,
        .type = TB_STR("session_ended"),
        .tenant = TB_STR("t"),
        .session = TB_STR("shop"),
        .agent = TB_STR("a 1"),
        .outcome = TB_STR("idle_timeout"),
        .details = TB_STR("{\"url\":\"https://a.test:8443/x\",\"duration_ms\":5,\"calls\":2}"),
        .hash = {0xab, 0x01},
    };
}

static void expect(const struct tb_audit_entry *entry, enum tb_audit_form form, const char *text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    tb_audit_print(entry, form, &out);
    tb_buf_append_char(&out, '\0');
    assert_string_equal((const char *)out.data, text);
}

/* S2-65: when, event, domain, detail with reason, duration and number of actions. */
static void a_row_has_when_event_where_and_detail(void **state)
{
    const struct tb_audit_entry entry = sample();
    TB_AUTO(tb_buf_fini) struct tb_buf head = TB_BUF(SIZE_MAX);
    (void)state;
    expect(&entry, TB_AUDIT_TABLE,
           "2023-11-14T22:13:20.000Z session_ended      shop         a.test:8443     "
           "                    idle_timeout        "
           "url=https://a.test:8443/x duration_ms=5 calls=2 agent=\"a 1\"\n");
    tb_audit_print_head(TB_AUDIT_JSON, &head);
    assert_int_equal(head.len, 0);
    tb_audit_print_head(TB_AUDIT_TABLE, &head);
    assert_true(tb_str_starts(tb_buf_str(&head), TB_STR("WHEN                     EVENT")));
}

static size_t detail_at(const struct tb_audit_entry *entry)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    tb_audit_print(entry, TB_AUDIT_TABLE, &out);
    const uint8_t *detail = memmem(out.data, out.len, "url=", 4);
    assert_non_null(detail);
    return (size_t)(detail - out.data);
}

/* Every tool, and what a call or a session can end with. */
static void no_name_of_ours_moves_the_columns(void **state)
{
    struct tb_audit_entry entry = sample();
    (void)state;
    entry.session = TB_STR("browser-1234");
    const size_t usual = detail_at(&entry);
    for (const struct tb_tool *const *tool = tb_kit.tools; *tool; tool++) {
        entry.tool = tb_str_of((*tool)->name);
        assert_int_equal(detail_at(&entry), usual);
    }
    static const int codes[] = {TB_E_PARAMS, TB_E_SESSION_NOT_FOUND, TB_E_ELEMENT_AMBIGUOUS,
                                TB_E_NAVIGATION, TB_E_BROWSER_START};
    for (size_t i = 0; i < TB_COUNT(codes); i++) {
        entry.outcome = tb_str_of(tb_err_info(codes[i])->wire);
        assert_int_equal(detail_at(&entry), usual);
    }
    static const char *const reasons[] = {
#define TB_REASON(name, wire, expired, words, after) wire,
#include "core/reasons.def"
#undef TB_REASON
    };
    for (size_t i = 0; i < TB_COUNT(reasons); i++) {
        entry.outcome = tb_str_of(reasons[i]);
        assert_int_equal(detail_at(&entry), usual);
    }
    entry.type = TB_STR("session_hibernated");
    assert_int_equal(detail_at(&entry), usual);
}

static void json_is_one_line_with_everything(void **state)
{
    const struct tb_audit_entry entry = sample();
    (void)state;
    expect(&entry, TB_AUDIT_JSON,
           "{\"seq\":7,\"time\":\"2023-11-14T22:13:20.000Z\",\"type\":\"session_ended\","
           "\"tenant\":\"t\",\"session\":\"shop\",\"agent\":\"a 1\",\"tool\":\"\",\"outcome\":"
           "\"idle_timeout\",\"details\":{\"url\":\"https://a.test:8443/x\",\"duration_ms\":5,"
           "\"calls\":2},\"hash\":"
           "\"ab01000000000000000000000000000000000000000000000000000000000000\"}\n");
}

static void what_an_agent_calls_itself_cannot_move_the_cursor(void **state)
{
    struct tb_audit_entry entry = sample();
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    (void)state;
    entry.agent = TB_STR("\x1b[2J\n\xc2\x9b"
                         "2J\x7f");
    entry.details = TB_STR("{\"x\":\"\\u001b[1m\"}");
    tb_audit_print(&entry, TB_AUDIT_TABLE, &out);
    for (size_t i = 0; i + 1 < out.len; i++) {
        assert_true(out.data[i] >= 0x20 && out.data[i] != 0x7f && out.data[i] != 0x9b);
    }
}

static void what_an_agent_calls_itself_passes_for_no_other_value(void **state)
{
    struct tb_audit_entry entry = sample();
    (void)state;
    entry.agent = TB_STR("x ms=0 \xe2\x80\xae\xe2\x80\xa8\"");
    entry.details = TB_STR("{\"error\":\"a\\nb\",\"n\":1}");
    expect(&entry, TB_AUDIT_TABLE,
           "2023-11-14T22:13:20.000Z session_ended      shop                         "
           "                    idle_timeout        "
           "error=\"a\\nb\" n=1 agent=\"x ms=0 \\u202e\\u2028\\\"\"\n");
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    tb_audit_print(&entry, TB_AUDIT_JSON, &out);
    assert_non_null(memmem(out.data, out.len, "x ms=0 \\u202e\\u2028", 19));
}

static void details_that_are_no_json_are_left_out(void **state)
{
    struct tb_audit_entry entry = sample();
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    (void)state;
    entry.details = TB_STR("{\"url\":");
    tb_audit_print(&entry, TB_AUDIT_JSON, &out);
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_buf_str(&out));
    assert_non_null(json);
    assert_true(tb_json_is_null(tb_json_get(json, "details")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_when_event_where_and_detail),
        cmocka_unit_test(no_name_of_ours_moves_the_columns),
        cmocka_unit_test(json_is_one_line_with_everything),
        cmocka_unit_test(what_an_agent_calls_itself_cannot_move_the_cursor),
        cmocka_unit_test(what_an_agent_calls_itself_passes_for_no_other_value),
        cmocka_unit_test(details_that_are_no_json_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
