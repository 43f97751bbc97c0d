/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element, files, directory} and the page keys. */
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
    TB_PARAM_ROW_TARGET(true),
    {.name = "paths", .type = TB_PARAM_TEXTS, .help = "Files in the session's directory"},
    {.name = "content",
     .type = TB_PARAM_OBJECTS,
     .help = "Small files, passed inline",
     .fields = file},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "Chose ");
    const char *before = "";
    JSON_ARRAY_FOREACH(item, tb_json_get(result->data, "files")) {
        struct tb_str name = {"", 0};
        tb_json_str(item, &name);
        tb_buf_append_cstr(out, before);
        tb_print_quoted(name, out);
        before = ", ";
    }
    tb_print_did(" for", result->data, out);
    tb_print_changes(result->data, out);
}

const struct tb_tool tb_tool_browser_upload = {
    .name = "browser_upload",
    .title = "Upload files",
    .description =
        "Choose files for a file input. browser_downloads shows the session's directory.",
    .group = "files",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_UPLOAD,
    .print = print,
};
