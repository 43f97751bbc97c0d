/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element, files, directory, dropped, instead, now: names that the field has then,
 * unaccepted: those of them that its `accept` does not name} and the page keys; no `element`: they
 * answer the file chooser; `dropped`: they were dropped on the element, or on what was in its place
 * then, `instead`. */
#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param file[] = {
    {.name = "name", .type = TB_PARAM_TEXT, .required = true, .help = ""},
    {.name = "text", .type = TB_PARAM_TEXT, .empty = true, .help = ""},
    {.name = "base64", .type = TB_PARAM_TEXT, .help = "Instead of text"},
    TB_PARAM_ROW_END,
};

static const struct tb_param params[] = {
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .help = "File input or drop zone; none: the file chooser that is open",
     .aliases = tb_target_aliases,
     .remarks = tb_target_remarks},
    {.name = "paths", .type = TB_PARAM_TEXTS, .help = "Files in the session's directory"},
    {.name = "content",
     .type = TB_PARAM_OBJECTS,
     .help = "Small files, passed inline",
     .fields = file},
    TB_PARAM_ROW_END,
};

static size_t print_names(const struct cJSON *names, struct tb_buf *out)
{
    size_t count = 0;
    JSON_ARRAY_FOREACH(item, names) {
        struct tb_str name = {"", 0};
        tb_json_str(item, &name);
        tb_buf_append_cstr(out, count++ ? ", " : "");
        tb_print_quoted(name, out);
    }
    return count;
}

/* A person could not have chosen them so easily, and the page may not expect them. */
static void print_unaccepted(const struct cJSON *data, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(TB_PRINT_PAGE_MAX);
    size_t count = print_names(tb_json_get(data, "unaccepted"), &names);
    if (count) {
        tb_buf_append_cstr(out, " The field asks for ");
        tb_print_quoted(tb_data_text(data, "accept"), out);
        tb_buf_append_cstr(out, "; a file dialog would not have offered ");
        tb_buf_append_str(out, tb_buf_str(&names));
        tb_buf_append_char(out, '.');
    }
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *now = tb_json_get(result->data, "now");
    bool by_drop = tb_json_get(result->data, "dropped") != NULL;
    bool by_chooser = !tb_data_text(result->data, "element").len;
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(TB_PRINT_PAGE_MAX);
    struct tb_str instead = tb_data_text(result->data, "instead");
    tb_buf_append_cstr(out, instead.len ? "Brought " : by_drop ? "Dropped " : "Chose ");
    size_t given = print_names(tb_json_get(result->data, "files"), out);
    size_t has = print_names(now, &names);
    tb_print_did(instead.len  ? " to"
                 : by_drop    ? " on"
                 : by_chooser ? " in the file chooser"
                              : " for",
                 result->data, out);
    if (instead.len) {
        tb_buf_append_cstr(out, " But in its place was ");
        tb_quote_line(instead, out);
        tb_buf_append_cstr(out, ", which got the drop.");
    }
    if (now && has < given) {
        tb_buf_append_cstr(out, has ? " The field has only " : " The field is now empty");
        tb_buf_append_str(out, tb_buf_str(&names));
        tb_buf_append_cstr(out, has ? " now." : ": the page removed the files.");
    }
    print_unaccepted(result->data, out);
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_upload = {
    .name = "browser_upload",
    .title = "Upload files",
    .description =
        "Choose files for a file input or open file chooser, or drop them on a drop zone. "
        "browser_downloads shows the session's directory.",
    .group = "files",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_UPLOAD,
    .print = print,
};
