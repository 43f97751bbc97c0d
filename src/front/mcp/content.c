/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/content.h"

#include "base/buf.h"
#include "core/limits.h"

enum {
    ESCAPE_MAX = 6,  /* \u001f */
    LINE_LOOK = 512, /* how far back a line's end is worth looking for */
    MARK_MAX = 200,
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
