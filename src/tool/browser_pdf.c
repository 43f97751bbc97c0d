/* SPDX-License-Identifier: Apache-2.0 */
/* data: {file, path, bytes}. */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const papers[] = {"A4", "Letter", "Legal", "A3", "A5", NULL};

static const struct tb_param params[] = {
    {.name = "paper", .type = TB_PARAM_CHOICE, .help = "", .choices = papers, .fallback = "A4"},
    {.name = "landscape", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "background", .type = TB_PARAM_FLAG, .help = "", .fallback = "true"},
    {.name = "scale", .type = TB_PARAM_NUMBER, .help = "0.1 to 2", .fallback = "1"},
    {.name = "pages", .type = TB_PARAM_TEXT, .help = "Such as 1-3,5"},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_buf_printf(out,
                  "Saved the page as PDF, %" PRId64 " bytes: ", tb_data_int(result->data, "bytes"));
    tb_quote_bare(tb_data_text(result->data, "path"), TB_PRINT_URL_MAX, out);
}

const struct tb_tool tb_tool_browser_pdf = {
    .name = "browser_pdf",
    .title = "Save as PDF",
    .description = "Save the page as a PDF file in the session's directory. Returns its path.",
    .group = "pdf",
    .flags = TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_PDF,
    .print = print,
};
