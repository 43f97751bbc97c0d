/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/wdio/faces.h"

enum {
    USUAL_WIDTH = 1920,
    USUAL_HEIGHT = 1080,
};

static const char *const browsers[] = {"chrome", NULL};
static const char *const platforms[] = {"browser", "ios", "android", NULL};
static const char *const providers[] = {"local", NULL};

#define START_ROWS                                                                       \
    {.name = "sessionId",                                                                \
     .type = TB_PARAM_TEXT,                                                              \
     .help = "Name of the new session; default browser-1, browser-2 …"},                 \
        {.name = "browser",                                                              \
         .type = TB_PARAM_CHOICE,                                                        \
         .help = "",                                                                     \
         .choices = browsers,                                                            \
         .fallback = "chrome"},                                                          \
        {.name = "headless", .type = TB_PARAM_FLAG, .help = "", .fallback = "true"},     \
        {.name = "windowWidth",                                                          \
         .type = TB_PARAM_INT,                                                           \
         .help = "",                                                                     \
         .fallback = "1920",                                                             \
         .min = 400,                                                                     \
         .max = 3840},                                                                   \
        {.name = "windowHeight",                                                         \
         .type = TB_PARAM_INT,                                                           \
         .help = "",                                                                     \
         .fallback = "1080",                                                             \
         .min = 400,                                                                     \
         .max = 2160},                                                                   \
    {                                                                                    \
        .name = "navigationUrl", .type = TB_PARAM_TEXT, .help = "Opened after the start" \
    }

const struct tb_param tb_wdio_start_browser_params[] = {
    START_ROWS,
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_start_session_params[] = {
    {.name = "platform",
     .type = TB_PARAM_CHOICE,
     .required = true,
     .help = "",
     .choices = platforms},
    {.name = "provider",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = providers,
     .fallback = "local"},
    START_ROWS,
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_close_session_params[] = {
    TB_PARAM_ROW_SESSION,
    {.name = "detach", .type = TB_PARAM_FLAG, .help = "Detach instead of terminate"},
    TB_PARAM_ROW_END,
};

struct cJSON *tb_wdio_map_start(const struct cJSON *args)
{
    struct cJSON *mapped = tb_wdio_args(args);
    struct cJSON *viewport = tb_json_new_object();
    tb_json_set_int(viewport, "width", tb_args_int(args, "windowWidth", USUAL_WIDTH));
    tb_json_set_int(viewport, "height", tb_args_int(args, "windowHeight", USUAL_HEIGHT));
    tb_json_set_take(mapped, "viewport", viewport);
    tb_wdio_copy(mapped, "kind", args, "platform");
    tb_wdio_copy(mapped, "headless", args, "headless");
    tb_wdio_copy(mapped, "url", args, "navigationUrl");
    return mapped;
}

void tb_wdio_print_start(const struct cJSON *args, const struct tb_result *result,
                         struct tb_buf *out, bool *ret_is_error)
{
    const struct cJSON *data = result->data;
    struct tb_str url = tb_args_text(args, "navigationUrl", "");
    struct tb_str warning = tb_data_text(data, "warning");
    if (tb_wdio_failed(result, "starting session", out, ret_is_error)) {
        return;
    }
    tb_buf_printf(
        out, "Chrome browser started in %s mode with sessionId: %.*s (%" PRId64 "x%" PRId64 ")",
        tb_data_flag(data, "headless") ? "headless" : "headed",
        TB_STR_ARG(tb_data_text(data, "sessionId")), tb_data_int(data, "width"),
        tb_data_int(data, "height"));
    if (url.len) {
        tb_buf_append_cstr(out, " and navigated to ");
        tb_quote_url(url, TB_PRINT_URL_MAX, out);
    }
    if (warning.len) {
        tb_buf_append_char(out, '\n');
        tb_buf_append_str(out, warning);
    }
}

void tb_wdio_print_close(const struct cJSON *args, const struct tb_result *result,
                         struct tb_buf *out, bool *ret_is_error)
{
    (void)args;
    if (tb_wdio_failed(result, "closing session", out, ret_is_error)) {
        return;
    }
    tb_buf_printf(out, "Session %.*s %s", TB_STR_ARG(tb_data_text(result->data, "sessionId")),
                  tb_data_flag(result->data, "detached") ? "detached from" : "closed");
    if (tb_json_get(result->data, "currentSession")) {
        tb_buf_printf(out, ". Current session: %.*s",
                      TB_STR_ARG(tb_data_text(result->data, "currentSession")));
    }
}
