/* SPDX-License-Identifier: Apache-2.0 */
/* data: what is in force, under the names of the arguments; {devices} for device "list"; and the
 * page keys. */
#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const schemes[] = {"light", "dark", "none", NULL};

static const struct tb_param screen[] = {
    {.name = "width", .type = TB_PARAM_INT, .required = true, .help = "", .min = 1, .max = 10000},
    {.name = "height", .type = TB_PARAM_INT, .required = true, .help = "", .min = 1, .max = 10000},
    {.name = "scale", .type = TB_PARAM_NUMBER, .help = "", .fallback = "1", .min = 0, .max = 10},
    {.name = "mobile", .type = TB_PARAM_FLAG, .help = ""},
    TB_PARAM_ROW_END,
};

static const struct tb_param place[] = {
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
    {.name = "accuracy", .type = TB_PARAM_NUMBER, .help = "In metres", .fallback = "1"},
    TB_PARAM_ROW_END,
};

static const struct tb_param params[] = {
    {.name = "viewport", .type = TB_PARAM_OBJECT, .help = "", .fields = screen},
    {.name = "device", .type = TB_PARAM_TEXT, .help = "Name of a device, or list"},
    {.name = "color_scheme", .type = TB_PARAM_CHOICE, .help = "", .choices = schemes},
    {.name = "locale", .type = TB_PARAM_TEXT, .help = "Such as de-DE"},
    {.name = "timezone", .type = TB_PARAM_TEXT, .help = "Such as Europe/Berlin"},
    {.name = "geolocation", .type = TB_PARAM_OBJECT, .help = "", .fields = place},
    {.name = "offline", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "reset", .type = TB_PARAM_FLAG, .help = "Undo everything first"},
    TB_PARAM_ROW_END,
};

static void print_devices(const struct cJSON *devices, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "Devices:");
    JSON_ARRAY_FOREACH(item, devices) {
        struct tb_str name = {"", 0};
        tb_json_str(item, &name);
        tb_buf_append_char(out, '\n');
        tb_quote_bare(name, TB_PRINT_NAME_MAX, out);
    }
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *devices = tb_json_get(result->data, "devices");
    if (devices) {
        print_devices(devices, out);
        return;
    }
    struct tb_json_writer json;
    tb_buf_append_cstr(out, "Now emulating: ");
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    for (const struct tb_param *row = params; row->name; row++) {
        const struct cJSON *value = tb_json_get(result->data, row->name);
        if (value) {
            tb_json_member_tree(&json, row->name, value);
        }
    }
    tb_json_object_close(&json);
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_emulate = {
    .name = "browser_emulate",
    .title = "Emulate",
    .description =
        "Change what pages see: screen, device, colours, language, time zone, place, network. "
        "Settings not given stay as they are.",
    .group = "emulate",
    .flags = TB_TOOL_IDEMPOTENT,
    .params = params,
    .op = TB_OP_EMULATE,
    .print = print,
};
