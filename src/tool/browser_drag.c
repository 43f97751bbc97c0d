/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element, to_element, dropped, instead} and the page keys; no `dropped`: the browser saw no
 * drag, only a mouse that moved. */
#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const from_aliases[] = {"ref", "uid", "selector", "startRef", "from_uid", NULL};
static const char *const to_aliases[] = {"endRef", "to_uid", NULL};
static const char *const remarks[] = {"element", "startElement", "endElement", NULL};

static const struct tb_param params[] = {
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .required = true,
     .help = "Ref or selector",
     .aliases = from_aliases,
     .remarks = remarks},
    {.name = "to",
     .type = TB_PARAM_TEXT,
     .required = true,
     .help = "Ref or selector to drop it on",
     .aliases = to_aliases},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    bool by_browser = tb_json_get(result->data, "dropped") != NULL;
    bool dropped = tb_data_flag(result->data, "dropped");
    struct tb_str instead = tb_data_text(result->data, "instead");
    tb_buf_append_cstr(out, by_browser ? "Dragged " : "Moved the mouse from ");
    tb_quote_line(tb_data_text(result->data, "element"), out);
    tb_buf_append_cstr(out, " to ");
    tb_quote_line(tb_data_text(result->data, "to_element"), out);
    if (instead.len) {
        tb_buf_append_cstr(out, ", but in its place was ");
        tb_quote_line(instead, out);
        tb_buf_append_cstr(out, dropped ? ", which got the drop." : "; nothing was dropped on it.");
    } else {
        tb_buf_append_cstr(out, !by_browser ? " with the button held; look at the page to see "
                                              "the effect."
                                : dropped   ? "; the drop was accepted."
                                            : ", but nothing there accepted the drop.");
    }
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_drag = {
    .name = "browser_drag",
    .title = "Drag and drop",
    .description = "Drag one element onto another.",
    .group = "pointer",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_DRAG,
    .print = print,
};
