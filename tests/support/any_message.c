/* SPDX-License-Identifier: Apache-2.0 */
#include "support/any_message.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "tool/tools.h"

#include "support/mcp_rig.h"

#define STEP_KEY "action" /* names the tool of a step, in a sequence */

enum {
    NESTED_MAX = 3, /* objects in arguments, sequences in sequences */
};

static const char *const texts[] = {"e1", "http://x/", "a", "browser-1", "1", "text=Go", "", "\""};

uint8_t any_next(struct any_bytes *bytes)
{
    if (!bytes->left) {
        return 0;
    }
    bytes->left--;
    return *bytes->data++;
}

static const struct tb_tool *any_tool(struct any_bytes *bytes)
{
    const struct tb_tool *const *tools = tb_kit.tools;
    size_t count = 1;
    while (tools[count]) {
        count++;
    }
    return tools[any_next(bytes) % count];
}

static const char *any_text(struct any_bytes *bytes)
{
    return texts[any_next(bytes) % TB_COUNT(texts)];
}

static void put_members(struct any_bytes *bytes, const struct tb_param *params, int depth,
                        struct tb_json_writer *json);

static void put_arguments(struct any_bytes *bytes, const struct tb_tool *tool, int depth,
                          struct tb_json_writer *json)
{
    struct tb_param params[TB_TOOL_PARAMS_MAX];
    tb_tool_params(tool, params);
    put_members(bytes, params, depth, json);
}

/* An object that takes more members than it names is a step of a sequence. */
static void put_object(struct any_bytes *bytes, const struct tb_param *param, int depth,
                       struct tb_json_writer *json)
{
    tb_json_object_open(json);
    if (param->open && depth < NESTED_MAX) {
        const struct tb_tool *tool = any_tool(bytes);
        tb_json_member_cstr(json, STEP_KEY, tool->name);
        put_arguments(bytes, tool, depth + 1, json);
    } else if (param->fields && depth < NESTED_MAX) {
        put_members(bytes, param->fields, depth + 1, json);
    }
    tb_json_object_close(json);
}

static const char *any_choice(struct any_bytes *bytes, const char *const *choices)
{
    size_t count = 1;
    while (choices[count]) {
        count++;
    }
    return choices[any_next(bytes) % count];
}

static void put_value(struct any_bytes *bytes, const struct tb_param *param, int depth,
                      struct tb_json_writer *json)
{
    switch (param->type) {
    case TB_PARAM_INT:
    case TB_PARAM_NUMBER:
        tb_json_put_int(json, param->min + any_next(bytes) % 101);
        break;
    case TB_PARAM_FLAG:
        tb_json_put_bool(json, any_next(bytes) & 1);
        break;
    case TB_PARAM_CHOICE:
        tb_json_put_cstr(json, any_choice(bytes, param->choices));
        break;
    case TB_PARAM_OBJECT:
        put_object(bytes, param, depth, json);
        break;
    case TB_PARAM_TEXTS:
    case TB_PARAM_OBJECTS:
        tb_json_array_open(json);
        for (int i = any_next(bytes) % 4; i > 0; i--) {
            if (param->type == TB_PARAM_TEXTS) {
                tb_json_put_cstr(json, any_text(bytes));
            } else {
                put_object(bytes, param, depth, json);
            }
        }
        tb_json_array_close(json);
        break;
    default:
        tb_json_put_cstr(json, any_text(bytes));
    }
}

static void put_members(struct any_bytes *bytes, const struct tb_param *params, int depth,
                        struct tb_json_writer *json)
{
    for (; params && params->name; params++) {
        bool taken = depth > 0 && strcmp(params->name, STEP_KEY) == 0;
        if (!taken && (params->required || any_next(bytes) % 4 == 1)) {
            tb_json_key(json, params->name);
            put_value(bytes, params, depth, json);
        }
    }
}

/* Appends "name":...,"arguments":{...} and gives the tool's name. */
static const char *put_call(struct any_bytes *bytes, struct tb_buf *out)
{
    const struct tb_tool *tool = any_tool(bytes);
    struct tb_json_writer json;
    tb_buf_printf(out, "\"name\":\"%s\",\"arguments\":", tool->name);
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    put_arguments(bytes, tool, 0, &json);
    tb_json_object_close(&json);
    return tool->name;
}

static const struct {
    const char *method;
    const char *name; /* for Mcp-Name; NULL: none */
    const char *params;
} messages[] = {
    {"tools/call", "browser_navigate",
     "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}"},
    {"tools/call", "browser_snapshot", "\"name\":\"browser_snapshot\",\"arguments\":{}"},
    {"tools/call", "browser_evaluate",
     "\"name\":\"browser_evaluate\",\"arguments\":{\"script\":\"1\"}"},
    {"tools/call", "start_session",
     "\"name\":\"start_session\",\"arguments\":{\"sessionId\":\"a\"}"},
    {"tools/call", "close_session",
     "\"name\":\"close_session\",\"arguments\":{\"sessionId\":\"a\"}"},
    {"tools/call", "list_sessions", "\"name\":\"list_sessions\",\"arguments\":{}"},
    {"tools/call", "nope", "\"name\":\"nope\",\"arguments\":{}"},
    {"tools/list", NULL, ""},
    {"ping", NULL, ""},
    {"resources/read", "tabard://sessions", "\"uri\":\"tabard://sessions\""},
    {"resources/subscribe", NULL, "\"uri\":\"tabard://sessions\""},
    {"resources/unsubscribe", NULL, "\"uri\":\"tabard://sessions\""},
    {"subscriptions/listen", NULL,
     "\"notifications\":{\"resourceSubscriptions\":[\"tabard://sessions\"]}"},
    {"logging/setLevel", NULL, "\"level\":\"debug\""},
    {"server/discover", NULL, ""},
    {"initialize", NULL, "\"protocolVersion\":\"2025-03-26\",\"capabilities\":{}"},
};

struct any_message any_message_put(struct any_bytes *bytes, int id, bool modern, struct tb_buf *out)
{
    uint8_t choice = any_next(bytes);
    size_t row = choice % (2 * TB_COUNT(messages));
    bool any = row >= TB_COUNT(messages);
    const char *method = any ? "tools/call" : messages[row].method;
    const char *params = any ? "" : messages[row].params;
    tb_buf_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s", id,
                  method, params);
    const char *name = any ? put_call(bytes, out) : messages[row].name;
    const char *comma = any || params[0] ? "," : "";
    if (modern) {
        tb_buf_printf(out, "%s" MODERN_META, comma);
    } else if (choice & 0x80) {
        tb_buf_printf(out, "%s\"_meta\":{\"progressToken\":%d}", comma, id);
    }
    tb_buf_append_cstr(out, "}}");
    return (struct any_message){method, name};
}
