/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/limits.h"
#include "core/toolbox.h"
#include "driver/client/session.h"
#include "proto/json_iter.h"
#include "proto/json_string.h"

enum {
    TIMEOUT_MIN_MS = 1000,
    TIMEOUT_MAX_MS = 300 * 1000,
};

/* Core has a list of its own. */
static void tell(struct tb_driver_session *session)
{
    const struct tb_brought_list *tools = &session->tools;
    struct tb_brought **list = tb_zalloc_array(tools->count + 1, sizeof(*list));
    for (size_t i = 0; i < tools->count; i++) {
        list[i] = tb_brought_ref(tools->tools[i], "brought");
    }
    session->events->on_tools(session->owner, list, tools->count);
}

/* Published pages send {} for a schema, which agents of MCP refuse together with the whole list:
 * what they mean is an object. The rest stays as it was written. */
static int write_json(struct tb_str tool, struct tb_str schema, bool typed, struct tb_buf *out)
{
    if (typed || !schema.len) {
        return tb_buf_append_str(out, tool);
    }
    size_t head = (size_t)(schema.ptr - tool.ptr) + 1;
    struct tb_json_iter iter = tb_json_iter_of(schema);
    struct tb_json_item item;
    bool more = tb_json_iter_next(&iter, &item);
    int rc = tb_buf_append_str(out, tb_str_sub(tool, 0, head));
    rc = rc < 0 ? rc
                : tb_buf_append_cstr(out, more ? "\"type\":\"object\"," : "\"type\":\"object\"");
    return rc < 0 ? rc : tb_buf_append_str(out, tb_str_sub(tool, head, tool.len));
}

static int64_t read_timeout(const struct tb_json_value *value)
{
    double ms = 0;
    TB_AUTO(tb_json_free)
    struct cJSON *number = value->type == TB_JSON_NUMBER ? tb_json_parse(value->text) : NULL;
    if (!number || !tb_json_num(number, &ms)) {
        return 0;
    }
    return ms < TIMEOUT_MIN_MS   ? TIMEOUT_MIN_MS
           : ms > TIMEOUT_MAX_MS ? TIMEOUT_MAX_MS
                                 : (int64_t)ms;
}

static int read_tool(struct tb_str text, struct tb_brought **ret_tool, struct tb_err *err)
{
    enum {
        NAME,
        TIMEOUT,
        SCHEMA,
        SCHEMA_TYPE,
        COUNT
    };
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH, .any_escape = true};
    struct tb_json_want wants[COUNT] = {
        [NAME] = {.key = "name"},
        [TIMEOUT] = {.key = "timeout"},
        [SCHEMA] = {.key = "inputSchema"},
        [SCHEMA_TYPE] = {.parent = "inputSchema", .key = "type"},
    };
    TB_AUTO(tb_buf_fini) struct tb_buf name = TB_BUF(TB_BROUGHT_NAME_MAX + 1);
    TB_AUTO(tb_buf_fini) struct tb_buf json = TB_BUF(TB_BROUGHT_JSON_MAX);
    if (tb_json_scan(text, &limits, wants, COUNT, NULL) != TB_JSON_OBJECT ||
        wants[NAME].value.type != TB_JSON_STRING) {
        return tb_fail(err, TB_E_PARAMS, "it is not an object with a name");
    }
    struct tb_json_value *schema = &wants[SCHEMA].value;
    bool typed = schema->type != TB_JSON_OBJECT || wants[SCHEMA_TYPE].value.type != TB_JSON_ABSENT;
    if (tb_json_string_decode(wants[NAME].value.text, &name) < 0 ||
        tb_buf_append_char(&name, '\0') < 0 || strlen((const char *)name.data) + 1 != name.len) {
        return tb_fail(err, TB_E_PARAMS, "its name has more than %d bytes, or a zero",
                       TB_BROUGHT_NAME_MAX);
    }
    if (write_json(text, schema->text, typed, &json) < 0) {
        return tb_fail(err, TB_E_TOO_LARGE, "its description has more than %d bytes",
                       TB_BROUGHT_JSON_MAX);
    }
    const char *plain = (const char *)name.data;
    int rc = tb_brought_new(plain, "", plain, tb_buf_str(&json), ret_tool, err);
    if (rc == 0) {
        (*ret_tool)->timeout_ms = read_timeout(&wants[TIMEOUT].value);
    }
    return rc;
}

static int fail_surplus(struct tb_err *err)
{
    return tb_fail(err, TB_E_LIMIT, "a page registers at most %d tools, of %d bytes together",
                   TB_BROUGHT_MAX, TB_BROUGHT_BYTES_MAX);
}

static int read_tools(struct tb_str text, struct tb_brought_list *tools, struct tb_err *err)
{
    struct tb_json_iter iter = tb_json_iter_of(text);
    struct tb_json_item item;
    size_t bytes = 0;
    while (tb_json_iter_next(&iter, &item)) {
        if (tools->count == TB_BROUGHT_MAX) {
            return fail_surplus(err);
        }
        int rc = read_tool(item.value.text, &tools->tools[tools->count], err);
        if (rc < 0) {
            tb_err_prefix(err, "tool %zu of the list: ", tools->count + 1);
            return rc;
        }
        bytes += tools->tools[tools->count++]->json.len; /* which core counts, too */
        if (bytes > TB_BROUGHT_BYTES_MAX) {
            return fail_surplus(err);
        }
    }
    return 0;
}

static int replace(struct tb_driver_session *session, struct tb_brought_list tools)
{
    int count = (int)tools.count;
    tb_brought_list_clear(&session->tools);
    session->tools = tools;
    tell(session);
    return count;
}

static int check_count(const struct tb_driver_session *session, size_t count, struct tb_err *err)
{
    int64_t max = session->client->core->config->client_tools;
    return count > (size_t)max
               ? tb_fail(err, TB_E_LIMIT, "the list has %zu tools, and client.tools allows %lld",
                         count, (long long)max)
               : 0;
}

int tb_client_tools_register(struct tb_driver_session *session, struct tb_str tools,
                             struct tb_err *err)
{
    struct tb_brought_list fresh = {tb_zalloc_array(TB_BROUGHT_MAX, sizeof(*fresh.tools)), 0};
    int rc = read_tools(tools, &fresh, err);
    rc = rc < 0 ? rc : check_count(session, fresh.count, err);
    if (rc < 0) {
        tb_brought_list_clear(&fresh);
        return rc;
    }
    return replace(session, fresh);
}

static bool is_named(struct tb_str names, const char *name)
{
    struct tb_json_iter iter = tb_json_iter_of(names);
    struct tb_json_item item;
    while (tb_json_iter_next(&iter, &item)) {
        if (tb_json_string_eq(item.value.text, tb_str_of(name))) {
            return true;
        }
    }
    return false;
}

int tb_client_tools_unregister(struct tb_driver_session *session, struct tb_str names,
                               struct tb_err *err)
{
    struct tb_brought_list left = {tb_zalloc_array(TB_BROUGHT_MAX, sizeof(*left.tools)), 0};
    (void)err;
    for (size_t i = 0; names.len && i < session->tools.count; i++) {
        struct tb_brought *tool = session->tools.tools[i];
        if (!is_named(names, tool->name)) {
            left.tools[left.count++] = tb_brought_ref(tool, "client");
        }
    }
    return replace(session, left);
}
