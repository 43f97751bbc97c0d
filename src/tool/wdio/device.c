/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"
#include "tool/wdio/faces.h"

const struct tb_param tb_wdio_geolocation_params[] = {
    {.name = "latitude",
     .type = TB_PARAM_NUMBER,
     .required = true,
     .help = "",
     .min = -90,
     .max = 90},
    {.name = "longitude",
     .type = TB_PARAM_NUMBER,
     .required = true,
     .help = "",
     .min = -180,
     .max = 180},
    {.name = "altitude", .type = TB_PARAM_NUMBER, .help = "Browsers leave it out"},
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_END,
};

const struct tb_param tb_wdio_device_params[] = {
    {.name = "device", .type = TB_PARAM_TEXT, .help = "Its name, or reset; none: list them"},
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_END,
};

struct cJSON *tb_wdio_map_geolocation(const struct cJSON *args)
{
    struct cJSON *mapped = tb_wdio_args(args);
    struct cJSON *place = tb_json_new_object();
    tb_wdio_copy(place, "latitude", args, "latitude");
    tb_wdio_copy(place, "longitude", args, "longitude");
    tb_json_set_take(mapped, "geolocation", place);
    return mapped;
}

static bool is_reset(const struct cJSON *args)
{
    return tb_str_eq_cstr(tb_args_text(args, "device", ""), "reset");
}

struct cJSON *tb_wdio_map_device(const struct cJSON *args)
{
    struct cJSON *mapped = tb_wdio_args(args);
    if (is_reset(args)) {
        tb_json_set_bool(mapped, "reset", true);
    } else {
        tb_json_set_str(mapped, "device", tb_args_text(args, "device", "list"));
    }
    return mapped;
}

void tb_wdio_print_geolocation(const struct cJSON *args, const struct tb_result *result,
                               struct tb_buf *out, bool *ret_is_error)
{
    double latitude = 0;
    double longitude = 0;
    if (tb_wdio_failed(result, "setting geolocation", out, ret_is_error)) {
        return;
    }
    tb_json_num(tb_json_get(args, "latitude"), &latitude);
    tb_json_num(tb_json_get(args, "longitude"), &longitude);
    tb_buf_printf(out, "Geolocation set to latitude %g, longitude %g", latitude, longitude);
}

void tb_wdio_print_device(const struct cJSON *args, const struct tb_result *result,
                          struct tb_buf *out, bool *ret_is_error)
{
    if (tb_wdio_failed(result, "emulating device", out, ret_is_error)) {
        return;
    }
    if (is_reset(args)) {
        tb_buf_append_cstr(out, "Device emulation reset");
    } else if (!tb_args_has(args, "device")) {
        tb_tool_browser_emulate.print(result, out);
    } else {
        tb_buf_append_cstr(out, "Emulating ");
        tb_print_quoted(tb_args_text(args, "device", ""), out);
        tb_buf_append_char(out, '.');
    }
}
