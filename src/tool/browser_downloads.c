/* SPDX-License-Identifier: Apache-2.0 */
/* data: {directory, downloads: [{file, path, url, bytes, total, state, reason}]}. */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    {.name = "wait",
     .type = TB_PARAM_FLAG,
     .help = "Wait until none is in progress, or for one to start"},
    TB_PARAM_ROW_END,
};

static void print_one(const struct cJSON *download, struct tb_buf *out)
{
    int64_t total = tb_data_int(download, "total");
    tb_buf_append_char(out, '\n');
    tb_print_quoted(tb_data_text(download, "file"), out);
    tb_buf_append_char(out, ' ');
    tb_quote_bare(tb_data_text(download, "state"), TB_PRINT_NAME_MAX, out);
    struct tb_str reason = tb_data_text(download, "reason");
    if (reason.len) {
        tb_buf_append_cstr(out, ": ");
        tb_quote_bare(reason, TB_PRINT_URL_MAX, out);
        return;
    }
    tb_buf_printf(out, ", %" PRId64, tb_data_int(download, "bytes"));
    if (total > 0) {
        tb_buf_printf(out, " of %" PRId64, total);
    }
    tb_buf_append_cstr(out, " bytes, from ");
    tb_quote_url(tb_data_text(download, "url"), TB_PRINT_URL_MAX, out);
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *downloads = tb_json_get(result->data, "downloads");
    tb_buf_append_cstr(out, tb_json_first(downloads) ? "Downloads in " : "No downloads yet in ");
    tb_quote_bare(tb_data_text(result->data, "directory"), TB_PRINT_URL_MAX, out);
    JSON_ARRAY_FOREACH(download, downloads) {
        print_one(download, out);
    }
}

const struct tb_tool tb_tool_browser_downloads = {
    .name = "browser_downloads",
    .title = "Downloads",
    .description = "List the files that the session downloaded, and the directory they are in.",
    .group = "files",
    .flags = TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT,
    .params = params,
    .op = TB_OP_DOWNLOADS,
    .print = print,
};
