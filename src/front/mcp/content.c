/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/content.h"

#include <stdio.h>

#include "base/buf.h"
#include "core/limits.h"
#include "proto/json_scan.h"

enum {
    ESCAPE_MAX = 6,  /* \u001f */
    LINE_LOOK = 512, /* how far back a line's end is worth looking for */
    MARK_MAX = 200,
    FRAME_BYTES = 2 * TB_KIB, /* of a result, beside its text and picture */
};

static size_t escaped_len(char c)
{
    if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f') {
        return 2;
    }
    /* A byte that is no UTF-8 becomes three. */
    return (unsigned char)c < ' ' ? ESCAPE_MAX : (unsigned char)c >= 0x80 ? 3 : 1;
}

size_t tb_mcp_text_fits(struct tb_str text, size_t max)
{
    size_t used = 0;
    size_t at = 0;
    if (text.len <= max / ESCAPE_MAX) {
        return text.len;
    }
    while (at < text.len && used + escaped_len(text.ptr[at]) <= max) {
        used += escaped_len(text.ptr[at++]);
    }
    if (at == text.len) {
        return at;
    }
    for (size_t back = 0; back < LINE_LOOK && back < at; back++) {
        if (text.ptr[at - back - 1] == '\n') {
            return at - back;
        }
    }
    while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

void tb_mcp_put_text_cut(struct tb_json_writer *json, struct tb_str text, size_t max)
{
    TB_AUTO(tb_buf_fini) struct tb_buf cut = TB_BUF(SIZE_MAX);
    size_t fits = tb_mcp_text_fits(text, max);
    if (fits < text.len) {
        fits = tb_mcp_text_fits(text, max > MARK_MAX ? max - MARK_MAX : 0);
        tb_buf_append_str(&cut, tb_str_sub(text, 0, fits));
        tb_buf_printf(&cut, "\n[cut here: %zu of %zu bytes omitted; ask for a part, or for less]",
                      text.len - fits, text.len);
        text = tb_buf_str(&cut);
    }
    tb_json_put_str(json, text);
}

void tb_mcp_put_text_item(struct tb_json_writer *json, struct tb_str text, size_t max)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "type", "text");
    tb_json_key(json, "text");
    tb_mcp_put_text_cut(json, text, max);
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

static void put_note(struct tb_json_writer *json, const struct tb_answer *answer)
{
    if (answer->note.len) {
        tb_mcp_put_text_item(json, answer->note, FRAME_BYTES);
    }
}

static void put_session_line(struct tb_json_writer *json, const struct tb_answer *answer)
{
    char line[TB_NAME_SIZE + 16];
    snprintf(line, sizeof(line), "Session: %s", answer->session);
    tb_mcp_put_text_item(json, tb_str_of(line), FRAME_BYTES);
}

/* Several clients pass on no pictures, so words come first. Those of a toolset with a form of its
 * own read the first item only. */
static void put_items(struct tb_json_writer *json, const struct tb_answer *answer)
{
    size_t room = TB_MCP_RESULT_MAX - FRAME_BYTES;
    bool tells_session = answer->session && !answer->own_form;
    bool image = answer->image.len > 0;
    bool image_fits = answer->image.len < room;
    room -= image && image_fits ? answer->image.len : 0;
    if (!answer->own_form) {
        put_note(json, answer);
    }
    if (answer->text.len || (!image && !tells_session)) {
        tb_mcp_put_text_item(json, answer->text.len ? answer->text : TB_STR("Done."), room);
    }
    if (answer->aside.len) {
        tb_mcp_put_text_item(json, answer->aside, FRAME_BYTES);
    }
    if (image && !image_fits) {
        tb_mcp_put_text_item(
            json, TB_STR("The picture is too large to send; ask for a smaller one."), room);
    }
    if (tells_session) {
        put_session_line(json, answer);
    }
    if (image && image_fits) {
        tb_mcp_put_image_item(json, answer->image, answer->image_type);
    }
    if (answer->own_form) {
        put_note(json, answer);
    }
}

/* What a page's tool gave, if it is the result of an MCP tool: its items are passed on as they are.
 */
static bool find_content(struct tb_str raw, struct tb_str *ret_content, bool *ret_is_error)
{
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH, .any_escape = true};
    struct tb_json_want wants[] = {{.key = "content"}, {.key = "isError"}};
    if (raw.len > TB_MCP_RESULT_MAX - FRAME_BYTES ||
        tb_json_scan(raw, &limits, wants, TB_COUNT(wants), NULL) != TB_JSON_OBJECT ||
        wants[0].value.type != TB_JSON_ARRAY) {
        return false;
    }
    *ret_content = wants[0].value.text;
    *ret_is_error = tb_str_eq_cstr(wants[1].value.text, "true");
    return true;
}

void tb_mcp_put_answer(struct tb_json_writer *json, const struct tb_answer *answer)
{
    struct tb_answer shown = *answer;
    struct tb_str content;
    tb_json_key(json, "content");
    if (answer->raw.len && find_content(answer->raw, &content, &shown.is_error)) {
        tb_json_put_raw(json, content);
    } else {
        shown.text = answer->raw.len ? answer->raw : answer->text;
        tb_json_array_open(json);
        put_items(json, &shown);
        tb_json_array_close(json);
    }
    if (shown.is_error) {
        tb_json_member_bool(json, "isError", true);
    }
}
