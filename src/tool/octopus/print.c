/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/octopus/print.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "core/args.h"
#include "core/limits.h"
#include "core/view.h"
#include "tool/print.h"
#include "tool/tools.h"

enum {
    TOKENS_MAX = 2000,
    TOKEN_CHARS = 4,
    VALUE_CHARS = 50,
    PRINTED_MAX = 2 * TB_RESULT_TEXT_MAX,
    PICTURE_MAX = 900 * 1000, /* as base64; no result is longer than 1 MB */
};

/* Failures. */

static void put_no_session(struct tb_json_writer *json, const char *why)
{
    tb_json_member_cstr(json, "error", "not_found");
    tb_json_member_cstr(json, "message", why);
    tb_json_member_cstr(json, "hint", "Call browser_navigate, then try again.");
}

static void put_failure(struct tb_json_writer *json, const struct tb_result *result)
{
    const struct tb_err_info *info = tb_err_info(result->code);
    if (result->code == TB_E_SESSION_NOT_FOUND) {
        put_no_session(
            json, "There is no browser session for this conversation. Navigate must come first.");
        return;
    }
    if (result->code == TB_E_SESSION_ENDED) {
        put_no_session(json, result->message);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf hint = TB_BUF(TB_KIB);
    tb_view_hint(result->view, info->advice, &hint);
    tb_json_member_cstr(json, "error", info->wire);
    tb_json_member_cstr(json, "message", result->message);
    tb_json_member_str(json, "hint", tb_buf_str(&hint));
}

static void put_not_found(struct tb_json_writer *json, const struct cJSON *args)
{
    char *words =
        tb_strdupf("Selector '%.*s' not found.", TB_STR_ARG(tb_args_text(args, "selector", "")));
    tb_json_member_cstr(json, "error", words);
    tb_free(words);
}

static void put_reason(struct tb_json_writer *json, const char *error, char *reason)
{
    tb_json_member_cstr(json, "error", error);
    tb_json_member_cstr(json, "reason", reason);
    tb_free(reason);
}

static void put_navigate_failure(struct tb_json_writer *json, const struct cJSON *args,
                                 const struct tb_result *result)
{
    struct tb_str url = tb_args_text(args, "url", "");
    if (result->code == TB_E_DOMAIN_BLOCKED) {
        put_reason(
            json, "Navigation blocked",
            tb_strdupf("The domain in '%.*s' is not on the approved allowlist.", TB_STR_ARG(url)));
    } else if (result->code == TB_E_BAD_URL) {
        put_reason(json, "Navigation blocked", tb_strdup(result->message));
    } else if (result->code == TB_E_TIMEOUT) {
        put_reason(json, "NavigationTimeout",
                   tb_strdupf("Navigation to %.*s timed out after %" PRId64 "ms.", TB_STR_ARG(url),
                              tb_data_int(result->data, "timeout_ms")));
    } else {
        put_failure(json, result);
    }
}

/* All but navigate: only the missing element has a form of its own. */
static void put_element_failure(struct tb_json_writer *json, const struct cJSON *args,
                                const struct tb_result *result)
{
    if (result->code == TB_E_ELEMENT_NOT_FOUND) {
        put_not_found(json, args);
    } else {
        put_failure(json, result);
    }
}

/* Results. */

static void put_navigate(struct tb_json_writer *json, const struct cJSON *args,
                         const struct tb_result *result)
{
    if (result->code < 0) {
        put_navigate_failure(json, args, result);
        return;
    }
    tb_json_member_str(json, "url", tb_data_text(result->data, "url"));
    tb_json_member_str(json, "title", tb_data_text(result->data, "title"));
    tb_json_member_int(json, "status_code", tb_data_int(result->data, "status"));
    tb_json_member_bool(json, "ok", tb_data_flag(result->data, "ok"));
}

static void put_extract(struct tb_json_writer *json, const struct cJSON *args,
                        const struct tb_result *result)
{
    /* Without waiting, nothing found is an empty list and no failure. */
    bool none =
        result->code == TB_E_ELEMENT_NOT_FOUND && !tb_args_flag(args, "wait_for_selector", false);
    if (result->code < 0 && !none) {
        put_element_failure(json, args, result);
        return;
    }
    tb_json_member_int(json, "count", none ? 0 : tb_data_int(result->data, "count"));
    tb_json_member_str(json, "selector", tb_args_text(args, "selector", ""));
    tb_json_member_raw(json, "results",
                       none || !result->text.len ? TB_STR("[]") : tb_buf_str(&result->text));
}

static void put_fill(struct tb_json_writer *json, const struct cJSON *args,
                     const struct tb_result *result)
{
    if (result->code < 0) {
        put_element_failure(json, args, result);
        return;
    }
    bool differs = tb_data_flag(result->data, "differs");
    struct tb_str value =
        differs ? tb_data_text(result->data, "now") : tb_args_text(args, "value", "");
    if (tb_data_flag(result->data, "secret")) {
        value = TB_STR("•••"); /* replies are kept in logs of the client */
    }
    size_t chars;
    size_t end = tb_utf8_end(value, VALUE_CHARS, &chars);
    char *shown = tb_strdupf("%.*s%s", (int)end, value.ptr, chars > VALUE_CHARS ? "..." : "");
    tb_json_member_bool(json, "filled", true);
    tb_json_member_str(json, "selector", tb_args_text(args, "selector", ""));
    tb_json_member_cstr(json, "value", shown);
    if (differs) {
        tb_json_member_cstr(json, "hint", "The field has another value now than the one given.");
    }
    tb_free(shown);
}

static void put_click(struct tb_json_writer *json, const struct cJSON *args,
                      const struct tb_result *result)
{
    if (result->code < 0) {
        put_element_failure(json, args, result);
        return;
    }
    tb_json_member_bool(json, "clicked", !tb_json_get(result->data, "unclicked"));
    tb_json_member_str(json, "selector", tb_args_text(args, "selector", ""));
    tb_json_member_str(json, "current_url", tb_data_text(result->data, "url"));
    if (tb_json_get(result->data, "status")) { /* of a page that is an error */
        tb_json_member_int(json, "status_code", tb_data_int(result->data, "status"));
    }
}

static void put_wait(struct tb_json_writer *json, const struct cJSON *args,
                     const struct tb_result *result)
{
    if (result->code == TB_E_TIMEOUT || result->code == TB_E_ELEMENT_NOT_FOUND) {
        put_not_found(json, args);
    } else if (result->code < 0) {
        put_failure(json, result);
    } else {
        tb_json_member_bool(json, "found", true);
        tb_json_member_str(json, "selector", tb_args_text(args, "selector", ""));
        tb_json_member_str(json, "state", tb_args_text(args, "state", "visible"));
    }
}

/* Dialogs. */

static void put_one_dialog(struct tb_json_writer *json, const struct cJSON *dialog)
{
    tb_json_member_str(json, "type", tb_data_text(dialog, "type"));
    tb_json_member_str(json, "message", tb_data_text(dialog, "message"));
}

/* One that is open, and those that this call found open. No documented result has these members,
 * and without dialogs neither has ours. They come first: the end of a long result is cut off. */
static void put_dialogs(struct tb_json_writer *json, const struct tb_result *result)
{
    const struct cJSON *open = tb_json_get(result->data, "dialog");
    const struct cJSON *answered = tb_json_get(result->data, "dialogs_answered");
    if (open) {
        tb_json_key(json, "dialog");
        tb_json_object_open(json);
        put_one_dialog(json, open);
        tb_json_member_cstr(json, "hint", "The next call dismisses the dialog.");
        tb_json_object_close(json);
    }
    if (answered) {
        tb_json_key(json, "dialogs_dismissed");
        tb_json_array_open(json);
        JSON_ARRAY_FOREACH(dialog, answered) {
            tb_json_object_open(json);
            put_one_dialog(json, dialog);
            tb_json_object_close(json);
        }
        tb_json_array_close(json);
    }
    int64_t more = tb_data_int(result->data, "dialogs_more");
    if (more > 0) {
        tb_json_member_int(json, "dialogs_dismissed_more", more);
    }
}

typedef void put_fn(struct tb_json_writer *json, const struct cJSON *args,
                    const struct tb_result *result);

static void print_cut(put_fn *put, const struct cJSON *args, const struct tb_result *result,
                      struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(PRINTED_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(PRINTED_MAX);
    struct tb_json_writer json;
    size_t chars;
    tb_json_writer_init(&json, &text);
    tb_json_object_open(&json);
    put_dialogs(&json, result);
    put(&json, args, result);
    tb_json_object_close(&json);
    tb_quote_json(tb_buf_str(&text), &shown);
    struct tb_str whole = tb_buf_str(&shown);
    if (result->whole) {
        tb_buf_append_str(out, whole);
        return;
    }
    size_t end = tb_utf8_end(whole, (size_t)TOKENS_MAX * TOKEN_CHARS, &chars);
    tb_buf_append_str(out, tb_str_sub(whole, 0, end));
    if (end < whole.len) {
        size_t over = chars - (size_t)TOKENS_MAX * TOKEN_CHARS;
        tb_buf_printf(out, "\n[... result truncated - %zu tokens omitted ...]",
                      (over + TOKEN_CHARS - 1) / TOKEN_CHARS);
    }
}

void tb_octopus_print_navigate(const struct cJSON *args, const struct tb_result *result,
                               struct tb_buf *out, bool *ret_is_error)
{
    *ret_is_error = result->code < 0;
    print_cut(put_navigate, args, result, out);
}

void tb_octopus_print_extract(const struct cJSON *args, const struct tb_result *result,
                              struct tb_buf *out, bool *ret_is_error)
{
    bool wait = tb_args_flag(args, "wait_for_selector", false);
    *ret_is_error = result->code < 0 && (wait || result->code != TB_E_ELEMENT_NOT_FOUND);
    print_cut(put_extract, args, result, out);
}

void tb_octopus_print_fill(const struct cJSON *args, const struct tb_result *result,
                           struct tb_buf *out, bool *ret_is_error)
{
    *ret_is_error = result->code < 0;
    print_cut(put_fill, args, result, out);
}

void tb_octopus_print_click(const struct cJSON *args, const struct tb_result *result,
                            struct tb_buf *out, bool *ret_is_error)
{
    *ret_is_error = result->code < 0;
    print_cut(put_click, args, result, out);
}

void tb_octopus_print_wait(const struct cJSON *args, const struct tb_result *result,
                           struct tb_buf *out, bool *ret_is_error)
{
    *ret_is_error = result->code < 0;
    print_cut(put_wait, args, result, out);
}

static void put_screenshot(struct tb_json_writer *json, const struct cJSON *args,
                           const struct tb_result *result)
{
    tb_json_member_str(json, "format", tb_args_text(args, "format", "png"));
    tb_json_member_int(json, "width_px", tb_data_int(result->data, "width"));
    tb_json_member_int(json, "height_px", tb_data_int(result->data, "height"));
    tb_json_member_int(json, "size_bytes", tb_data_int(result->data, "bytes"));
    tb_json_member_str(json, "base64", tb_buf_str(&result->image));
}

static void put_too_large(struct tb_json_writer *json, const struct cJSON *args,
                          const struct tb_result *result)
{
    (void)args;
    (void)result;
    tb_json_member_cstr(json, "error", tb_err_info(TB_E_TOO_LARGE)->wire);
    tb_json_member_cstr(json, "message", "The picture is larger than a result may be.");
    tb_json_member_cstr(json, "hint",
                        "Use format jpeg with a lower quality, a selector, or no full_page.");
}

void tb_octopus_print_screenshot(const struct cJSON *args, const struct tb_result *result,
                                 struct tb_buf *out, bool *ret_is_error)
{
    bool too_large = result->image.len > PICTURE_MAX;
    *ret_is_error = result->code < 0 || too_large;
    if (*ret_is_error) {
        print_cut(too_large ? put_too_large : put_element_failure, args, result, out);
        return;
    }
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    put_dialogs(&json, result);
    put_screenshot(&json, args, result);
    tb_json_object_close(&json);
}
