/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/envelope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "front/mcp/limits.h"

#define META(version, capabilities)                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" version \
    ",\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"
#define GOOD META("\"2026-07-28\"", "{}")
#define MESSAGE(method, p) \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" p "}}"
#define NOTE(method, p) "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":{" p "}}"

/* NULL: the header is not sent. */
struct row {
    const char *name;
    const char *message;
    const char *version;
    const char *method;
    const char *named;
    int status; /* 0: it is let in ... */
    int code;   /* ... and this is the version */
};

static const struct row rows[] = {
    {"initialize is legacy", MESSAGE("initialize", ""), NULL, NULL, NULL, 0, TB_MCP_2025_11_25},
    {"initialize is legacy whatever legacy header it has", MESSAGE("initialize", ""), "1999-01-01",
     NULL, NULL, 0, TB_MCP_2025_11_25},
    {"initialize under a modern header", MESSAGE("initialize", ""), "2026-07-28", NULL, NULL, 400,
     -32020},
    {"initialize with half an envelope is legacy",
     MESSAGE("initialize",
             "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"),
     NULL, NULL, NULL, 0, TB_MCP_2025_11_25},
    {"initialize with a whole envelope is modern", MESSAGE("initialize", GOOD), "2026-07-28",
     "initialize", NULL, 0, TB_MCP_2026_07_28},
    {"no claim, no header", MESSAGE("tools/list", ""), NULL, NULL, NULL, 0, TB_MCP_2025_11_25},
    {"no claim, older header", MESSAGE("tools/list", ""), "2025-03-26", NULL, NULL, 0,
     TB_MCP_2025_03_26},
    {"no claim, unknown header", MESSAGE("tools/list", ""), "2025-01-01", NULL, NULL, 400, -32600},
    {"no claim, modern header", MESSAGE("tools/list", ""), "2026-07-28", "tools/list", NULL, 400,
     -32602},
    {"no claim, header from the future", MESSAGE("tools/list", ""), "2027-01-01", "tools/list",
     NULL, 400, -32602},
    {"a notification under a modern header", NOTE("notifications/cancelled", ""), "2026-07-28",
     NULL, NULL, 0, TB_MCP_2026_07_28},
    {"a claim with all headers", MESSAGE("tools/list", GOOD), "2026-07-28", "tools/list", NULL, 0,
     TB_MCP_2026_07_28},
    {"a claim without capabilities",
     MESSAGE("tools/list",
             "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"),
     "2026-07-28", "tools/list", NULL, 400, -32602},
    {"capabilities that are no object", MESSAGE("tools/list", META("\"2026-07-28\"", "[]")),
     "2026-07-28", "tools/list", NULL, 400, -32602},
    {"a version that is no text", MESSAGE("tools/list", META("20260728", "{}")), "2026-07-28",
     "tools/list", NULL, 400, -32602},
    {"the header differs, before the version is looked at",
     MESSAGE("tools/list", META("\"1900-01-01\"", "{}")), "2026-07-28", "tools/list", NULL, 400,
     -32020},
    {"a legacy header beside a modern claim", MESSAGE("tools/list", GOOD), "2025-11-25",
     "tools/list", NULL, 400, -32020},
    {"the method differs", MESSAGE("tools/list", GOOD), "2026-07-28", "tools/call", NULL, 400,
     -32020},
    {"the method differs in case", MESSAGE("tools/list", GOOD), "2026-07-28", "TOOLS/LIST", NULL,
     400, -32020},
    {"the method differs, before the version is looked at",
     MESSAGE("tools/list", META("\"1900-01-01\"", "{}")), "1900-01-01", "x", NULL, 400, -32020},
    {"a version that we do not have", MESSAGE("tools/list", META("\"1900-01-01\"", "{}")),
     "1900-01-01", "tools/list", NULL, 400, -32022},
    {"a legacy version as a claim", MESSAGE("tools/list", META("\"2025-11-25\"", "{}")),
     "2025-11-25", "tools/list", NULL, 400, -32022},
    {"a version that we do not have, without headers",
     MESSAGE("tools/list", META("\"1900-01-01\"", "{}")), NULL, NULL, NULL, 400, -32022},
    {"no version header", MESSAGE("tools/list", GOOD), NULL, "tools/list", NULL, 400, -32020},
    {"no method header", MESSAGE("tools/list", GOOD), "2026-07-28", NULL, NULL, 400, -32020},
    {"a call without a name header", MESSAGE("tools/call", "\"name\":\"a\"," GOOD), "2026-07-28",
     "tools/call", NULL, 400, -32020},
    {"a call with another name", MESSAGE("tools/call", "\"name\":\"a\"," GOOD), "2026-07-28",
     "tools/call", "b", 400, -32020},
    {"a call with its name", MESSAGE("tools/call", "\"name\":\"a\"," GOOD), "2026-07-28",
     "tools/call", "a", 0, TB_MCP_2026_07_28},
    {"a call with its name in base64", MESSAGE("tools/call", "\"name\":\"a\\u00e4\"," GOOD),
     "2026-07-28", "tools/call", "=?base64?YcOk?=", 0, TB_MCP_2026_07_28},
    {"base64 without its padding", MESSAGE("tools/call", "\"name\":\"a\"," GOOD), "2026-07-28",
     "tools/call", "=?base64?YQ?=", 400, -32020},
    {"base64 marks in another case are literal", MESSAGE("tools/call", "\"name\":\"a\"," GOOD),
     "2026-07-28", "tools/call", "=?BASE64?YQ==?=", 400, -32020},
    {"a prompt without a name header", MESSAGE("prompts/get", "\"name\":\"a\"," GOOD), "2026-07-28",
     "prompts/get", NULL, 400, -32020},
    {"a resource without a name header", MESSAGE("resources/read", "\"uri\":\"x://y\"," GOOD),
     "2026-07-28", "resources/read", NULL, 400, -32020},
    {"a resource with its name", MESSAGE("resources/read", "\"uri\":\"x://y\"," GOOD), "2026-07-28",
     "resources/read", "x://y", 0, TB_MCP_2026_07_28},
    {"a modern notification needs no headers", NOTE("notifications/cancelled", GOOD), NULL, NULL,
     NULL, 0, TB_MCP_2026_07_28},
};

static struct tb_str text_of(const char *text)
{
    return text ? tb_str_of(text) : (struct tb_str){NULL, 0};
}

static int choose(const char *text, const struct tb_mcp_headers *headers,
                  enum tb_mcp_version *ret_version, struct tb_mcp_fault *fault)
{
    struct tb_jsonrpc rpc;
    struct tb_mcp_envelope envelope;
    assert_int_equal(tb_jsonrpc_parse(tb_str_of(text), &tb_mcp_json_limits, 0, &rpc, NULL), 0);
    assert_int_equal(tb_mcp_envelope_read(&rpc, &envelope, fault), 0);
    return tb_mcp_version_choose(&rpc, &envelope, headers, TB_MCP_2025_11_25, ret_version, fault);
}

static void messages_and_headers_choose_the_era(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const struct row *row = &rows[i];
        const struct tb_mcp_headers headers = {text_of(row->version), text_of(row->method),
                                               text_of(row->named)};
        struct tb_mcp_fault fault = {0};
        enum tb_mcp_version version = TB_MCP_VERSIONS;
        int rc = choose(row->message, &headers, &version, &fault);
        if ((rc < 0) != (row->status != 0) || fault.status != row->status ||
            (rc < 0 ? fault.code : (int)version) != row->code) {
            fail_msg("%s: rc %d, status %d, code %d, version %d", row->name, rc, fault.status,
                     fault.code, (int)version);
        }
    }
}

static void without_headers_only_the_message_counts(void **state)
{
    enum tb_mcp_version version;
    struct tb_mcp_fault fault;
    (void)state;
    assert_int_equal(choose(MESSAGE("tools/call", "\"name\":\"a\"," GOOD), NULL, &version, &fault),
                     0);
    assert_int_equal(version, TB_MCP_2026_07_28);
    assert_int_equal(choose(MESSAGE("server/discover", ""), NULL, &version, &fault), 0);
    assert_int_equal(version, TB_MCP_2025_11_25);
    assert_true(
        choose(MESSAGE("tools/list", META("\"3000-01-01\"", "{}")), NULL, &version, &fault) < 0);
    assert_int_equal(fault.code, -32022);
}

static void an_unknown_version_is_told_which_ones_there_are(void **state)
{
    enum tb_mcp_version version;
    struct tb_mcp_fault fault;
    (void)state;
    choose(MESSAGE("tools/list", META("\"3000-01-01\"", "{}")), NULL, &version, &fault);
    assert_string_equal(fault.data,
                        "{\"supported\":[\"2026-07-28\"],\"requested\":\"3000-01-01\"}");
    char message[2000];
    char many[1001];
    memset(many, 'x', 1000);
    many[1000] = '\0';
    snprintf(message, sizeof(message), MESSAGE("tools/list", META("\"%s\"", "{}")), many);
    choose(message, NULL, &version, &fault);
    assert_string_equal(fault.data, "{\"supported\":[\"2026-07-28\"],\"requested\":\"\"}");
}

static void every_version_has_its_era_and_only_dates_are_modern(void **state)
{
    enum tb_mcp_version version;
    (void)state;
    assert_true(tb_mcp_version_find(TB_STR("2024-11-05"), &version));
    assert_int_equal(tb_mcp_version_era(version), TB_MCP_LEGACY);
    assert_false(tb_mcp_version_find(TB_STR("2024-11-5"), &version));
    assert_true(tb_mcp_version_is_modern(TB_STR("2026-07-28")));
    assert_true(tb_mcp_version_is_modern(TB_STR("2030-01-01")));
    assert_false(tb_mcp_version_is_modern(TB_STR("2026-07-27")));
    assert_false(tb_mcp_version_is_modern(TB_STR("zzzzzzzzzz")));
    assert_false(tb_mcp_version_is_modern(TB_STR("3")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_and_headers_choose_the_era),
        cmocka_unit_test(without_headers_only_the_message_counts),
        cmocka_unit_test(an_unknown_version_is_told_which_ones_there_are),
        cmocka_unit_test(every_version_has_its_era_and_only_dates_are_modern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
