/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the wdio toolset, by topic: session.c starts and ends, act.c does something to the
 * page, read.c only looks, device.c changes what the page sees. wdio.c joins them. For each tool
 * there is a table of arguments, a function from these to the arguments of the tool behind it, and
 * one for its words. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"
#include "core/args.h"
#include "core/result.h"

typedef void tb_wdio_print_fn(const struct cJSON *args, const struct tb_result *result,
                              struct tb_buf *out, bool *ret_is_error);

/* words.c. True if the result is bad; "Error <doing>: ..." is printed then. */
bool tb_wdio_failed(const struct tb_result *result, const char *doing, struct tb_buf *out,
                    bool *ret_is_error);
/* Copies a member of `from`, if it is there, under another name. */
void tb_wdio_copy(struct cJSON *to, const char *to_key, const struct cJSON *from,
                  const char *from_key);
/* {"sessionId": ...}, if the caller named one. */
struct cJSON *tb_wdio_args(const struct cJSON *args);

extern const struct tb_param tb_wdio_only_session[];

extern const struct tb_param tb_wdio_start_browser_params[];
extern const struct tb_param tb_wdio_start_session_params[];
extern const struct tb_param tb_wdio_close_session_params[];
struct cJSON *tb_wdio_map_start(const struct cJSON *args);
tb_wdio_print_fn tb_wdio_print_start;
tb_wdio_print_fn tb_wdio_print_close;

extern const struct tb_param tb_wdio_navigate_params[];
extern const struct tb_param tb_wdio_click_params[];
extern const struct tb_param tb_wdio_tap_params[];
extern const struct tb_param tb_wdio_set_value_params[];
extern const struct tb_param tb_wdio_scroll_params[];
extern const struct tb_param tb_wdio_script_params[];
extern const struct tb_param tb_wdio_sequence_params[];
struct cJSON *tb_wdio_map_element(const struct cJSON *args);
struct cJSON *tb_wdio_map_script(const struct cJSON *args);
tb_wdio_print_fn tb_wdio_print_navigate;
tb_wdio_print_fn tb_wdio_print_click;
tb_wdio_print_fn tb_wdio_print_tap;
tb_wdio_print_fn tb_wdio_print_set_value;
tb_wdio_print_fn tb_wdio_print_scroll;
tb_wdio_print_fn tb_wdio_print_script;

extern const struct tb_param tb_wdio_elements_params[];
extern const struct tb_param tb_wdio_tree_params[];
extern const struct tb_param tb_wdio_switch_tab_params[];
extern const struct tb_param tb_wdio_get_cookies_params[];
extern const struct tb_param tb_wdio_set_cookie_params[];
extern const struct tb_param tb_wdio_delete_cookies_params[];
struct cJSON *tb_wdio_map_elements(const struct cJSON *args);
struct cJSON *tb_wdio_map_switch_tab(const struct cJSON *args);
struct cJSON *tb_wdio_map_get_cookies(const struct cJSON *args);
struct cJSON *tb_wdio_map_set_cookie(const struct cJSON *args);
struct cJSON *tb_wdio_map_delete_cookies(const struct cJSON *args);
tb_wdio_print_fn tb_wdio_print_elements;
tb_wdio_print_fn tb_wdio_print_tabs;
tb_wdio_print_fn tb_wdio_print_switch_tab;
tb_wdio_print_fn tb_wdio_print_get_cookies;
tb_wdio_print_fn tb_wdio_print_set_cookie;
tb_wdio_print_fn tb_wdio_print_delete_cookies;

extern const struct tb_param tb_wdio_geolocation_params[];
extern const struct tb_param tb_wdio_device_params[];
struct cJSON *tb_wdio_map_geolocation(const struct cJSON *args);
struct cJSON *tb_wdio_map_device(const struct cJSON *args);
tb_wdio_print_fn tb_wdio_print_geolocation;
tb_wdio_print_fn tb_wdio_print_device;
