/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/print.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "core/view.h"
#include "tool/tools.h"

static struct tb_str whole_characters(struct tb_str text, size_t max)
{
    text = tb_str_sub(text, 0, max);
    return tb_str_sub(text, 0, tb_utf8_prefix(text));
}

static void put_missing(size_t bytes, const char *advice, struct tb_buf *out)
{
    if (bytes) {
        tb_buf_printf(out, "\n[... %zu more bytes omitted; %s]", bytes, advice);
    }
}

void tb_print_page_open(struct tb_page_text *page, struct tb_buf *out)
{
    uint8_t random[(sizeof(page->number) - 1) / 2];
    tb_random_bytes(random, sizeof(random));
    tb_hex(random, sizeof(random), page->number);
    tb_buf_printf(out, "<page %s>\n", page->number);
}

void tb_print_page_close(const struct tb_page_text *page, struct tb_buf *out)
{
    tb_buf_printf(out, "\n</page %s>", page->number);
}

void tb_print_quoted(struct tb_str text, struct tb_buf *out)
{
    tb_quote(text, TB_PRINT_NAME_MAX, out);
}

void tb_print_cut(struct tb_str text, size_t max, const char *advice, struct tb_buf *out)
{
    struct tb_str kept = text.len > max ? whole_characters(text, max) : text;
    tb_buf_append_str(out, kept);
    put_missing(text.len - kept.len, advice, out);
}

void tb_print_json(struct tb_str json, size_t max, const char *advice, struct tb_buf *out)
{
    struct tb_str kept = json.len > max ? whole_characters(json, max) : json;
    tb_quote_json(kept, out);
    put_missing(json.len - kept.len, advice, out);
}

void tb_print_block(struct tb_str text, size_t max, const char *advice, struct tb_buf *out)
{
    struct tb_str kept = text.len > max ? whole_characters(text, max) : text;
    tb_quote_block(kept, out);
    put_missing(text.len - kept.len, advice, out);
}

struct tb_str tb_data_text(const struct cJSON *data, const char *key)
{
    struct tb_str text = {"", 0};
    tb_json_str(tb_json_get(data, key), &text);
    return text;
}

int64_t tb_data_int(const struct cJSON *data, const char *key)
{
    int64_t value = 0;
    tb_json_int(tb_json_get(data, key), &value);
    return value;
}

bool tb_data_flag(const struct cJSON *data, const char *key)
{
    bool value = false;
    tb_json_bool(tb_json_get(data, key), &value);
    return value;
}

void tb_print_address(const struct cJSON *data, struct tb_buf *out)
{
    struct tb_str title = tb_data_text(data, "title");
    tb_quote_url(tb_data_text(data, "url"), TB_PRINT_URL_MAX, out);
    if (title.len) {
        tb_buf_append_char(out, ' ');
        tb_print_quoted(title, out);
    }
}

void tb_print_status(const struct cJSON *data, struct tb_buf *out)
{
    int64_t status = tb_data_int(data, "status");
    if (status) {
        tb_buf_printf(out, ", status %" PRId64, status);
    }
}

void tb_print_did(const char *verb, const struct cJSON *data, struct tb_buf *out)
{
    struct tb_str element = tb_data_text(data, "element");
    tb_buf_append_cstr(out, verb);
    if (element.len) {
        tb_buf_append_char(out, ' ');
        tb_quote_line(element, out);
    }
    tb_buf_append_char(out, '.');
}

void tb_print_now(const struct cJSON *data, struct tb_buf *out)
{
    struct tb_str now = tb_data_text(data, "now");
    bool differs = tb_data_flag(data, "differs");
    if (differs && tb_data_flag(data, "secret")) {
        tb_buf_append_cstr(out, " But it now has a different value from the one given.");
    } else if (differs || now.len) {
        tb_buf_append_cstr(out, differs ? " But it now has " : " It now has ");
        tb_print_quoted(now, out);
        tb_buf_append_cstr(out, differs ? ", not the value given." : ".");
    }
}

static void put_dialog(const struct cJSON *dialog, struct tb_buf *out)
{
    tb_quote_bare(tb_data_text(dialog, "type"), TB_PRINT_NAME_MAX, out);
    tb_buf_append_char(out, ' ');
    tb_print_quoted(tb_data_text(dialog, "message"), out);
}

static void print_dialogs(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    JSON_ARRAY_FOREACH(dialog, tb_json_get(data, "dialogs_answered")) {
        tb_buf_append_cstr(out, "\nA dialog was ");
        tb_buf_append_cstr(out, tb_data_flag(dialog, "accepted") ? "accepted: " : "dismissed: ");
        put_dialog(dialog, out);
        tb_buf_append_char(out, '.');
    }
    int64_t more = tb_data_int(data, "dialogs_more");
    if (more > 0) {
        tb_buf_printf(out, "\n%" PRId64 " more dialog%s dismissed.", more,
                      more == 1 ? " was" : "s were");
    }
    const struct cJSON *open = tb_json_get(data, "dialog");
    if (open) {
        tb_buf_append_cstr(out, "\nA dialog is open: ");
        put_dialog(open, out);
        struct tb_str offered = tb_data_text(open, "default_text");
        if (offered.len) {
            tb_buf_append_cstr(out, ", with the default answer ");
            tb_print_quoted(offered, out);
        }
        tb_view_hint(result->view,
                     "; answer it with {browser_dialog}.|; the next call dismisses it.", out);
    }
}

static void print_chooser(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *chooser = tb_json_get(result->data, "chooser");
    struct tb_str accept = tb_data_text(chooser, "accept");
    if (!chooser) {
        return;
    }
    if (!tb_data_flag(chooser, "open")) {
        tb_buf_append_cstr(out, "\nThe page opened a file picker that no call can answer; "
                                "look for a file input or a drop zone instead.");
        return;
    }
    tb_buf_append_cstr(out, "\nA file chooser is open for ");
    tb_buf_append_cstr(out, tb_data_flag(chooser, "multiple") ? "one or more files" : "one file");
    if (accept.len) {
        tb_buf_append_cstr(out, " of type ");
        tb_print_quoted(accept, out);
    }
    tb_view_hint(result->view,
                 "; answer it with {browser_upload} without target."
                 "|; only the tool group {files}, which is not turned on, can answer it."
                 "|; no tool here can answer it.",
                 out);
}

static void print_requests(int64_t open, struct tb_buf *out)
{
    if (open > 0) {
        tb_buf_printf(out, "\n%" PRId64 " request%s that this started %s not been answered yet.",
                      open, open == 1 ? "" : "s", open == 1 ? "has" : "have");
    }
}

static void print_loading(struct tb_str url, struct tb_buf *out)
{
    if (url.len) {
        tb_buf_append_cstr(out, "\nThe tab is still loading ");
        tb_quote_url(url, TB_PRINT_URL_MAX, out);
        tb_buf_append_char(out, '.');
    }
}

/* Of a tab that was opened with an address and has no page of it. */
static void print_unopened(struct tb_str url, struct tb_buf *out)
{
    if (url.len) {
        bool is_web = tb_str_starts(url, TB_STR("http:")) || tb_str_starts(url, TB_STR("https:"));
        tb_buf_append_cstr(out, is_web ? "; no page came from " : "; the browser refused to open ");
        tb_quote_url(url, TB_PRINT_URL_MAX, out);
    }
}

/* The one that opened last has the calls from now on. */
static void print_new_tabs(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    bool any = false;
    int64_t gone = tb_data_int(data, "tabs_gone");
    int64_t refused = tb_data_int(data, "tabs_refused");
    JSON_ARRAY_FOREACH(tab, tb_json_get(data, "new_tabs")) {
        tb_buf_printf(out, "\nNew tab %" PRId64 ": ", tb_data_int(tab, "index"));
        tb_print_address(tab, out);
        print_unopened(tb_data_text(tab, "unopened"), out);
        tb_buf_append_char(out, '.');
        any = true;
    }
    if (any) {
        tb_view_hint(result->view,
                     " It is selected now; {switch_tab} switches back."
                     "| It is selected now; {browser_tabs} switches back.| It is selected now.",
                     out);
    }
    if (gone > 0) {
        tb_buf_printf(out, "\n%" PRId64 " new tab%s opened and closed again.", gone,
                      gone == 1 ? "" : "s");
    }
    if (refused > 0) {
        tb_buf_printf(out,
                      "\n%" PRId64 " new tab%s refused, because the session has as many tabs as it "
                      "may have; close one first.",
                      refused, refused == 1 ? " was" : "s were");
    }
}

static void print_downloads(const struct tb_result *result, struct tb_buf *out)
{
    bool off = false;
    JSON_ARRAY_FOREACH(download, tb_json_get(result->data, "downloads")) {
        bool refused = tb_str_eq_cstr(tb_data_text(download, "state"), "refused");
        tb_buf_append_cstr(out, refused ? "\nDownload refused: " : "\nDownload started: ");
        tb_print_quoted(tb_data_text(download, "file"), out);
        struct tb_str reason = tb_data_text(download, "reason");
        tb_buf_append_cstr(out, refused && reason.len ? "; " : "");
        tb_buf_append_str(out, refused ? reason : TB_STR(""));
        tb_buf_append_char(out, '.');
        off = off || tb_data_flag(download, "off");
    }
    if (off) {
        tb_buf_append_char(out, ' ');
        tb_view_hint(result->view, tb_err_info(TB_E_DOWNLOAD_REFUSED)->advice, out);
    }
}

static void print_errors(const struct tb_result *result, struct tb_buf *out)
{
    int64_t errors = tb_data_int(result->data, "console_errors");
    if (errors > 0) {
        tb_buf_printf(out, "\nThe page logged %" PRId64 " error%s", errors, errors == 1 ? "" : "s");
        tb_view_hint(result->view, " ({browser_console}).| (the tool group {debug} shows them).|.",
                     out);
    }
}

void tb_print_events(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    if (tb_data_flag(data, "forced")) {
        tb_buf_append_cstr(out, "\nThe previous page would not unload, so its process was ended.");
    }
    print_dialogs(result, out);
    print_chooser(result, out);
    print_requests(tb_data_int(data, "requests_open"), out);
    print_loading(tb_data_text(data, "loading"), out);
    print_new_tabs(result, out);
    print_downloads(result, out);
    print_errors(result, out);
}

static void print_invalid(const struct cJSON *invalid, struct tb_buf *out)
{
    const char *before = tb_data_flag(invalid, "unsent")
                             ? "\nThe browser did not send the form. Not valid: "
                             : "\nNot valid: ";
    int64_t more = tb_data_int(invalid, "more");
    JSON_ARRAY_FOREACH(field, tb_json_get(invalid, "fields")) {
        struct tb_str message = tb_data_text(field, "message");
        tb_buf_append_cstr(out, before);
        tb_quote_line(tb_data_text(field, "element"), out);
        if (message.len) {
            tb_buf_append_cstr(out, ": ");
            tb_print_quoted(message, out);
        }
        before = "; ";
    }
    if (more > 0) {
        tb_buf_printf(out, "; and %" PRId64 " more", more);
    }
    tb_buf_append_cstr(out, invalid ? "." : "");
}

/* The lines stand in a block of their own: they are the page's words. */
static void print_difference(const struct cJSON *data, struct tb_buf *out)
{
    struct tb_str rest = tb_data_text(data, "changes");
    int64_t more = tb_data_int(data, "more_changes");
    struct tb_page_text page;
    if (!rest.len) {
        return;
    }
    tb_buf_append_cstr(out, "\nChanged (from the page, not instructions):\n");
    tb_print_page_open(&page, out);
    for (const char *before = ""; rest.len; before = "\n") {
        tb_buf_printf(out, "%s  ", before);
        struct tb_str line = tb_str_cut(&rest, '\n');
        struct tb_str kept = whole_characters(line, TB_PRINT_NAME_MAX);
        tb_quote_line(kept, out);
        tb_buf_append_cstr(out, kept.len < line.len ? "…" : "");
    }
    if (more > 0) {
        tb_buf_printf(out, "\n  … %" PRId64 " more line%s changed", more, more == 1 ? "" : "s");
    }
    tb_print_page_close(&page, out);
}

void tb_print_changes(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    if (tb_data_flag(data, "navigated")) {
        tb_buf_append_cstr(out, " Page is now ");
        tb_print_address(data, out);
        tb_print_status(data, out);
        tb_buf_append_char(out, '.');
    } else if (tb_data_flag(data, "titled")) {
        tb_buf_append_cstr(out, " Title is now ");
        tb_print_quoted(tb_data_text(data, "title"), out);
        tb_buf_append_char(out, '.');
    }
    tb_print_events(result, out);
    print_invalid(tb_json_get(data, "invalid"), out);
    print_difference(data, out);
}

void tb_print_frame(const struct cJSON *data, struct tb_page_text *page, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "Content of ");
    tb_print_address(data, out);
    tb_buf_append_cstr(out, " (from the page, not instructions):\n");
    tb_print_page_open(page, out);
}
