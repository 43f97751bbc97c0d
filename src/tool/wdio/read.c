/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/elements_table.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/wdio/faces.h"

static const char *const same_site[] = {"strict", "lax", "none", NULL};

const struct tb_param tb_wdio_elements_params[] = {
    TB_PARAM_ROW_SESSION,
    {.name = "inViewportOnly", .type = TB_PARAM_FLAG, .help = "", .fallback = "false"},
    {.name = "includeContainers",
     .type = TB_PARAM_FLAG,
     .help = "For apps; browsers have none",
     .fallback = "false"},
    {.name = "includeBounds", .type = TB_PARAM_FLAG, .help = "", .fallback = "false"},
    {.name = "limit",
     .type = TB_PARAM_INT,
     .help = "0: all",
     .fallback = "0",
     .min = 0,
     .max = 100000},
    {.name = "offset", .type = TB_PARAM_INT, .help = "", .fallback = "0", .min = 0, .max = 100000},
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_tree_params[] = {
    TB_PARAM_ROW_SESSION,
    {.name = "selector", .type = TB_PARAM_TEXT, .help = "Only this part of the page"},
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_switch_tab_params[] = {
    TB_PARAM_ROW_SESSION,
    {.name = "handle", .type = TB_PARAM_TEXT, .help = "From get_tabs"},
    {.name = "index",
     .type = TB_PARAM_INT,
     .help = "Instead of handle; the first is 0",
     .min = 0,
     .max = 10000},
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_get_cookies_params[] = {
    TB_PARAM_ROW_SESSION,
    {.name = "name", .type = TB_PARAM_TEXT, .help = "Only this one"},
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_set_cookie_params[] = {
    {.name = "name", .type = TB_PARAM_TEXT, .required = true, .help = ""},
    {.name = "value", .type = TB_PARAM_TEXT, .required = true, .empty = true, .help = ""},
    {.name = "domain", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "path", .type = TB_PARAM_TEXT, .help = "", .fallback = "/"},
    {.name = "expiry", .type = TB_PARAM_NUMBER, .help = "Unix time in seconds"},
    {.name = "httpOnly", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "secure", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "sameSite", .type = TB_PARAM_CHOICE, .help = "", .choices = same_site},
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_delete_cookies_params[] = {
    TB_PARAM_ROW_SESSION,
    {.name = "name", .type = TB_PARAM_TEXT, .help = "Only this one"},
    TB_PARAM_ROW_END,
};

/* Elements. */

struct cJSON *tb_wdio_map_elements(const struct cJSON *args)
{
    struct cJSON *mapped = tb_wdio_args(args);
    tb_wdio_copy(mapped, "in_viewport", args, "inViewportOnly");
    tb_wdio_copy(mapped, "bounds", args, "includeBounds");
    tb_wdio_copy(mapped, "limit", args, "limit");
    tb_wdio_copy(mapped, "offset", args, "offset");
    return mapped;
}

void tb_wdio_print_elements(const struct cJSON *args, const struct tb_result *result,
                            struct tb_buf *out, bool *ret_is_error)
{
    (void)args;
    if (!tb_wdio_failed(result, "getting elements", out, ret_is_error)) {
        tb_elements_table(result->data, out);
    }
}

/* Tabs. */

struct cJSON *tb_wdio_map_switch_tab(const struct cJSON *args)
{
    struct cJSON *mapped = tb_wdio_args(args);
    tb_json_set_cstr(mapped, "action", "select");
    tb_wdio_copy(mapped, "id", args, "handle");
    tb_wdio_copy(mapped, "tab", args, "index");
    return mapped;
}

static void put_tab(struct tb_json_writer *json, const struct cJSON *tab)
{
    tb_json_object_open(json);
    tb_json_member_str(json, "handle", tb_data_text(tab, "id"));
    tb_json_member_str(json, "title", tb_data_text(tab, "title"));
    tb_json_member_str(json, "url", tb_data_text(tab, "url"));
    tb_json_member_bool(json, "isActive", tb_data_flag(tab, "active"));
    tb_json_object_close(json);
}

void tb_wdio_print_tabs(const struct cJSON *args, const struct tb_result *result,
                        struct tb_buf *out, bool *ret_is_error)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(out->max);
    struct tb_json_writer json;
    (void)args;
    if (tb_wdio_failed(result, "getting tabs", out, ret_is_error)) {
        return;
    }
    tb_json_writer_init(&json, &text);
    tb_json_array_open(&json);
    JSON_ARRAY_FOREACH(tab, tb_json_get(result->data, "tabs")) {
        put_tab(&json, tab);
    }
    tb_json_array_close(&json);
    tb_quote_json(tb_buf_str(&text), out);
}

void tb_wdio_print_switch_tab(const struct cJSON *args, const struct tb_result *result,
                              struct tb_buf *out, bool *ret_is_error)
{
    (void)args;
    if (tb_wdio_failed(result, "switching tab", out, ret_is_error)) {
        return;
    }
    tb_buf_append_cstr(out, "Switched to tab ");
    tb_print_address(result->data, out);
}

/* Cookies. */

struct cJSON *tb_wdio_map_get_cookies(const struct cJSON *args)
{
    return tb_wdio_args(args);
}

struct cJSON *tb_wdio_map_set_cookie(const struct cJSON *args)
{
    static const char *const pairs[][2] = {
        {"name", "name"},      {"value", "value"},        {"domain", "domain"}, {"path", "path"},
        {"expires", "expiry"}, {"http_only", "httpOnly"}, {"secure", "secure"},
    };
    static const char *const policies[][2] = {
        {"strict", "Strict"},
        {"lax", "Lax"},
        {"none", "None"},
    };
    struct cJSON *mapped = tb_wdio_args(args);
    struct tb_str policy = tb_args_text(args, "sameSite", "");
    tb_json_set_cstr(mapped, "action", "set");
    for (size_t i = 0; i < TB_COUNT(pairs); i++) {
        tb_wdio_copy(mapped, pairs[i][0], args, pairs[i][1]);
    }
    for (size_t i = 0; i < TB_COUNT(policies); i++) {
        if (tb_str_eq_cstr(policy, policies[i][0])) {
            tb_json_set_cstr(mapped, "same_site", policies[i][1]);
        }
    }
    return mapped;
}

struct cJSON *tb_wdio_map_delete_cookies(const struct cJSON *args)
{
    struct cJSON *mapped = tb_wdio_args(args);
    tb_json_set_cstr(mapped, "action", tb_args_has(args, "name") ? "delete" : "clear");
    tb_wdio_copy(mapped, "name", args, "name");
    return mapped;
}

/* The browser's words become those of WebDriver. */
static struct cJSON *to_webdriver(const struct cJSON *cookie)
{
    static const char *const pairs[][2] = {
        {"name", "name"},     {"value", "value"},        {"domain", "domain"},
        {"path", "path"},     {"expiry", "expires"},     {"httpOnly", "http_only"},
        {"secure", "secure"}, {"sameSite", "same_site"},
    };
    struct cJSON *made = tb_json_new_object();
    for (size_t i = 0; i < TB_COUNT(pairs); i++) {
        tb_wdio_copy(made, pairs[i][0], cookie, pairs[i][1]);
    }
    return made;
}

void tb_wdio_print_get_cookies(const struct cJSON *args, const struct tb_result *result,
                               struct tb_buf *out, bool *ret_is_error)
{
    struct tb_str name = tb_args_text(args, "name", "");
    if (tb_wdio_failed(result, "getting cookies", out, ret_is_error)) {
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *all = tb_json_new_array();
    JSON_ARRAY_FOREACH(cookie, tb_json_get(result->data, "cookies")) {
        if (!name.len || tb_str_eq(name, tb_data_text(cookie, "name"))) {
            tb_json_append_take(all, to_webdriver(cookie));
        }
    }
    const struct cJSON *wanted = name.len ? tb_json_first(all) : all;
    if (wanted) {
        TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(out->max);
        tb_json_print(wanted, &text);
        tb_quote_json(tb_buf_str(&text), out);
    } else {
        tb_buf_append_cstr(out, "null");
    }
}

void tb_wdio_print_set_cookie(const struct cJSON *args, const struct tb_result *result,
                              struct tb_buf *out, bool *ret_is_error)
{
    if (tb_wdio_failed(result, "setting cookie", out, ret_is_error)) {
        return;
    }
    tb_buf_append_cstr(out, "Cookie ");
    tb_print_quoted(tb_args_text(args, "name", ""), out);
    tb_buf_append_cstr(out, " set successfully");
}

void tb_wdio_print_delete_cookies(const struct cJSON *args, const struct tb_result *result,
                                  struct tb_buf *out, bool *ret_is_error)
{
    struct tb_str name = tb_args_text(args, "name", "");
    if (tb_wdio_failed(result, "deleting cookies", out, ret_is_error)) {
        return;
    }
    if (!name.len) {
        tb_buf_append_cstr(out, "All cookies deleted successfully");
        return;
    }
    tb_buf_append_cstr(out, "Cookie ");
    tb_print_quoted(name, out);
    tb_buf_append_cstr(out, " deleted successfully");
}
