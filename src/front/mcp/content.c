/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/content.h"

#include "core/cut.h"
#include "core/limits.h"
#include "proto/json_scan.h"

void tb_mcp_put_text_item(struct tb_json_writer *json, struct tb_str text)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "type", "text");
    tb_json_member_str(json, "text", text);
    tb_json_object_close(json);
}

void tb_mcp_put_base64(struct tb_json_writer *json, struct tb_str base64)
{
    /* A picture is large and has nothing to escape. */
    tb_json_put_raw(json, TB_STR("\""));
    json->need_comma = false;
    tb_json_put_raw(json, base64);
    json->need_comma = false;
    tb_json_put_raw(json, TB_STR("\""));
}

void tb_mcp_put_image_item(struct tb_json_writer *json, struct tb_str base64, const char *type)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "type", "image");
    tb_json_member_cstr(json, "mimeType", type);
    tb_json_key(json, "data");
    tb_mcp_put_base64(json, base64);
    tb_json_object_close(json);
}

/* What a page's tool gave, if it is the result of an MCP tool: its items are passed on as they are.
 */
static bool find_content(struct tb_str raw, struct tb_str *ret_content, bool *ret_is_error)
{
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH, .any_escape = true};
    struct tb_json_want wants[] = {{.key = "content"}, {.key = "isError"}};
    if (raw.len > TB_MCP_RESULT_MAX - TB_ANSWER_BESIDE ||
        tb_json_scan(raw, &limits, wants, TB_COUNT(wants), NULL) != TB_JSON_OBJECT ||
        wants[0].value.type != TB_JSON_ARRAY) {
        return false;
    }
    *ret_content = wants[0].value.text;
    *ret_is_error = tb_str_eq_cstr(wants[1].value.text, "true");
    return true;
}

static void put_part(struct tb_json_writer *json, const struct tb_part *part)
{
    if (part->image_type) {
        tb_mcp_put_image_item(json, part->body, part->image_type);
    } else {
        tb_mcp_put_text_item(json, part->body);
    }
}

/* The items of a page's tool behind what there is to say of its session. */
static void put_content(struct tb_json_writer *json, struct tb_str note, struct tb_str content)
{
    if (!note.len) {
        tb_json_put_raw(json, content);
        return;
    }
    struct tb_str items = tb_str_trim(tb_str_sub(content, 1, content.len - 1));
    TB_AUTO(tb_buf_fini) struct tb_buf cut = TB_BUF(SIZE_MAX);
    tb_json_array_open(json);
    tb_mcp_put_text_item(json, tb_cut(note, TB_ANSWER_BESIDE, &cut));
    if (items.len) {
        tb_json_put_raw(json, items);
    }
    tb_json_array_close(json);
}

void tb_mcp_put_answer(struct tb_json_writer *json, const struct tb_answer *answer)
{
    bool is_error = answer->is_error;
    struct tb_str content;
    tb_json_key(json, "content");
    if (answer->raw.len && find_content(answer->raw, &content, &is_error)) {
        put_content(json, answer->note, content);
    } else {
        tb_json_array_open(json);
        for (size_t i = 0; i < answer->part_count; i++) {
            put_part(json, &answer->parts[i]);
        }
        tb_json_array_close(json);
    }
    if (is_error) {
        tb_json_member_bool(json, "isError", true);
    }
}
