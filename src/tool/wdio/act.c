/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "core/limits.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/wdio/faces.h"

enum {
    ELEMENT_TIMEOUT_MS = 3000,
    VALUE_SHOWN = 1000,
    SCRIPT_MAX = 16 * TB_MIB,
};

static const char *const directions[] = {"up", "down", NULL};

#define ROW_SELECTOR                                                    \
    {                                                                   \
        .name = "selector", .type = TB_PARAM_TEXT, .required = true,    \
        .help = "CSS selector or XPath", .aliases = tb_selector_aliases \
    }

/* Browsers scroll to what they click; the argument is taken because callers send it. */
#define ROW_SCROLL                                                                    \
    {                                                                                 \
        .name = "scrollToView", .type = TB_PARAM_FLAG, .help = "", .fallback = "true" \
    }

#define ROW_TIMEOUT                                                                             \
    {                                                                                           \
        .name = "timeout", .type = TB_PARAM_INT, .help = "In ms", .fallback = "3000", .min = 1, \
        .max = TB_CALL_TIMEOUT_MAX_MS                                                           \
    }

const struct tb_param tb_wdio_navigate_params[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .required = true, .help = ""},
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_click_params[] = {
    ROW_SELECTOR, TB_PARAM_ROW_SESSION, ROW_SCROLL, ROW_TIMEOUT, TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_tap_params[] = {
    ROW_SELECTOR,
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_set_value_params[] = {
    ROW_SELECTOR,
    {.name = "value", .type = TB_PARAM_TEXT, .required = true, .empty = true, .help = ""},
    TB_PARAM_ROW_SESSION,
    ROW_SCROLL,
    ROW_TIMEOUT,
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_scroll_params[] = {
    {.name = "direction",
     .type = TB_PARAM_CHOICE,
     .required = true,
     .help = "",
     .choices = directions},
    {.name = "pixels",
     .type = TB_PARAM_INT,
     .help = "",
     .fallback = "500",
     .min = 1,
     .max = 1000000},
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_script_params[] = {
    {.name = "script",
     .type = TB_PARAM_TEXT,
     .required = true,
     .help = "Body of a function; return gives the value"},
    {.name = "args",
     .type = TB_PARAM_ANY,
     .help = "Array; a text that is a selector becomes its element"},
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_END,
};

/* The common arguments of the tools of this toolset; all others are taken too. */
static const struct tb_param step_fields[] = {
    {.name = "action", .type = TB_PARAM_TEXT, .required = true, .help = "Name of a tool"},
    {.name = "selector", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "value", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "url", .type = TB_PARAM_TEXT, .help = ""},
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_sequence_params[] = {
    {.name = "actions",
     .type = TB_PARAM_OBJECTS,
     .required = true,
     .help = "",
     .fields = step_fields,
     .open = true},
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_TIMEOUT,
    TB_PARAM_ROW_END,
};

struct cJSON *tb_wdio_map_element(const struct cJSON *args)
{
    struct cJSON *mapped = tb_wdio_args(args);
    tb_wdio_copy(mapped, "target", args, "selector");
    tb_wdio_copy(mapped, "value", args, "value");
    tb_json_set_int(mapped, "timeout_ms", tb_args_int(args, "timeout", ELEMENT_TIMEOUT_MS));
    return mapped;
}

/* A body becomes a function that is called at once, with its arguments written behind it. */
struct cJSON *tb_wdio_map_script(const struct cJSON *args)
{
    static const char before[] =
        ".map((arg) => { try { return typeof arg === 'string' ? document.querySelector(arg) ?? arg : arg; } "
        "catch { return arg; } }); return (function () {\n";
    struct cJSON *mapped = tb_wdio_args(args);
    TB_AUTO(tb_json_free)
    struct cJSON *from_text = tb_args_from_text(tb_args_text(args, "args", ""));
    const struct cJSON *list = from_text ? from_text : tb_json_get(args, "args");
    TB_AUTO(tb_buf_fini) struct tb_buf script = TB_BUF(SCRIPT_MAX);
    tb_buf_append_cstr(&script, "(() => { const args = ");
    if (tb_json_is_array(list)) {
        tb_json_print(list, &script);
    } else {
        tb_buf_append_cstr(&script, "[]");
    }
    tb_buf_append_cstr(&script, before);
    tb_buf_append_str(&script, tb_args_text(args, "script", ""));
    tb_buf_append_cstr(&script, "\n}).apply(window, args); })()");
    tb_json_set_str(mapped, "script", tb_buf_str(&script));
    return mapped;
}

void tb_wdio_print_navigate(const struct cJSON *args, const struct tb_result *result,
                            struct tb_buf *out, bool *ret_is_error)
{
    if (tb_wdio_failed(result, "navigating", out, ret_is_error)) {
        return;
    }
    tb_buf_append_cstr(out, "Navigated to ");
    tb_quote_url(tb_args_text(args, "url", ""), TB_PRINT_URL_MAX, out);
    tb_print_events(result, out);
}

static void print_acted(const char *words, const struct cJSON *args, const struct tb_result *result,
                        struct tb_buf *out)
{
    tb_buf_append_cstr(out, words);
    tb_quote_bare(tb_args_text(args, "selector", ""), TB_PRINT_URL_MAX, out);
    tb_buf_append_char(out, ')');
    tb_print_events(result, out);
}

static void print_pressed(const char *words, const struct cJSON *args,
                          const struct tb_result *result, struct tb_buf *out)
{
    bool clicked = !tb_json_get(result->data, "unclicked");
    print_acted(
        clicked ? words : "Element pressed, but the page received no click on it (selector: ", args,
        result, out);
}

void tb_wdio_print_click(const struct cJSON *args, const struct tb_result *result,
                         struct tb_buf *out, bool *ret_is_error)
{
    if (!tb_wdio_failed(result, "clicking element", out, ret_is_error)) {
        print_pressed("Element clicked (selector: ", args, result, out);
    }
}

void tb_wdio_print_tap(const struct cJSON *args, const struct tb_result *result, struct tb_buf *out,
                       bool *ret_is_error)
{
    if (!tb_wdio_failed(result, "tapping element", out, ret_is_error)) {
        print_pressed("Element tapped (selector: ", args, result, out);
    }
}

void tb_wdio_print_set_value(const struct cJSON *args, const struct tb_result *result,
                             struct tb_buf *out, bool *ret_is_error)
{
    if (tb_wdio_failed(result, "entering text", out, ret_is_error)) {
        return;
    }
    /* A password is not said again: replies are kept in logs of the client. */
    bool secret = tb_data_flag(result->data, "secret");
    struct tb_str value = secret ? TB_STR("•••") : tb_args_text(args, "value", "");
    tb_buf_append_cstr(out, "Text ");
    tb_quote(value, VALUE_SHOWN, out);
    tb_buf_append_cstr(out, " entered into element");
    if (tb_data_flag(result->data, "differs")) {
        tb_buf_append_char(out, '.');
        tb_print_now(result->data, out);
    }
    tb_print_events(result, out);
}

void tb_wdio_print_scroll(const struct cJSON *args, const struct tb_result *result,
                          struct tb_buf *out, bool *ret_is_error)
{
    if (tb_wdio_failed(result, "scrolling", out, ret_is_error)) {
        return;
    }
    tb_buf_printf(out, "Scrolled %.*s %" PRId64 " pixels",
                  TB_STR_ARG(tb_args_text(args, "direction", "down")),
                  tb_args_int(args, "pixels", 500));
}

void tb_wdio_print_script(const struct cJSON *args, const struct tb_result *result,
                          struct tb_buf *out, bool *ret_is_error)
{
    struct tb_str text = tb_buf_str(&result->text);
    (void)args;
    if (tb_wdio_failed(result, "executing script", out, ret_is_error)) {
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *value = tb_json_parse(text);
    tb_json_str(value, &text);
    bool lines = text.len && memchr(text.ptr, '\n', text.len);
    tb_buf_append_cstr(out, lines ? "Result:\n" : "Result: ");
    if (lines) {
        tb_print_block(text, TB_PRINT_VALUE_MAX, "let the script return less", out);
    } else {
        tb_print_json(text, TB_PRINT_VALUE_MAX, "let the script return less", out);
    }
    tb_print_events(result, out);
}
