/* SPDX-License-Identifier: Apache-2.0 */
/* A tool as it is told to whoever may call it, in the form that MCP has for it. */
#include <string.h>

#include "core/toolbox.h"
#include "proto/json_iter.h"
#include "proto/json_string.h"

void tb_toolbox_put_annotations(struct tb_json_writer *json, const char *title, unsigned flags)
{
    tb_json_key(json, "annotations");
    tb_json_object_open(json);
    if (title) {
        tb_json_member_cstr(json, "title", title);
    }
    tb_json_member_bool(json, "readOnlyHint", flags & TB_TOOL_READ_ONLY);
    tb_json_member_bool(json, "destructiveHint", flags & TB_TOOL_DESTRUCTIVE);
    tb_json_member_bool(json, "idempotentHint", flags & TB_TOOL_IDEMPOTENT);
    tb_json_member_bool(json, "openWorldHint", flags & TB_TOOL_OPEN_WORLD);
    tb_json_object_close(json);
}

static void put_static(const struct tb_entry *entry, struct tb_json_writer *json)
{
    const struct tb_tool *tool = entry->tool;
    const struct tb_face *face = entry->face;
    struct tb_param params[TB_TOOL_PARAMS_MAX];
    tb_tool_params(tool, params);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", face ? face->name : tool->name);
    tb_json_member_cstr(json, "description",
                        face && face->description ? face->description : tool->description);
    tb_json_key(json, "inputSchema");
    tb_args_schema(face && face->params ? face->params : params, json);
    tb_toolbox_put_annotations(json, face ? NULL : tool->title, tool->flags);
    tb_json_object_close(json);
}

/* What a page may say of its tool; core has seen to it that each is what it has to be and stands
 * once. Where it goes on to, or how to read results, is not its business. */
static const char *const members[] = {"title", "description", "inputSchema", "annotations"};

static void put_members(struct tb_json_writer *json, const struct tb_brought *brought)
{
    struct tb_str values[TB_COUNT(members)] = {{0}};
    struct tb_json_iter iter = tb_json_iter_of(brought->json);
    struct tb_json_item item;
    while (tb_json_iter_next(&iter, &item)) {
        for (size_t i = 0; i < TB_COUNT(members); i++) {
            if (tb_json_string_eq(item.key, tb_str_of(members[i]))) {
                values[i] = item.value.text;
            }
        }
    }
    for (size_t i = 0; i < TB_COUNT(members); i++) {
        if (values[i].len) {
            tb_json_member_raw(json, members[i], values[i]);
        } else if (strcmp(members[i], "inputSchema") == 0) {
            tb_json_member_raw(json, members[i], TB_STR("{\"type\":\"object\"}"));
        }
    }
}

void tb_toolbox_put_entry(const struct tb_entry *entry, struct tb_json_writer *json)
{
    if (!entry->brought) {
        put_static(entry, json);
        return;
    }
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", entry->brought->shown);
    put_members(json, entry->brought);
    tb_json_object_close(json);
}
