/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/params.h"

const char *const tb_target_aliases[] = {"ref", "uid", "selector", "locator", "xpath", NULL};
const char *const tb_selector_aliases[] = {"target", "ref", "uid", "locator", "xpath", NULL};
const char *const tb_target_remarks[] = {"element", NULL};
const char *const tb_button_choices[] = {"left", "right", "middle", NULL};

const struct tb_param tb_viewport_fields[] = {
    {.name = "width", .type = TB_PARAM_INT, .required = true, .help = "", .min = 1, .max = 10000},
    {.name = "height", .type = TB_PARAM_INT, .required = true, .help = "", .min = 1, .max = 10000},
    TB_PARAM_ROW_END,
};
