/* SPDX-License-Identifier: Apache-2.0 */
/* The results of the octopus toolset: one JSON text each, {"error": ...} for a failure. What is
 * longer than 2000 tokens of four characters is cut, pictures excepted: half a picture is none. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"
#include "core/result.h"

typedef void tb_octopus_print_fn(const struct cJSON *args, const struct tb_result *result,
                                 struct tb_buf *out, bool *ret_is_error);

tb_octopus_print_fn tb_octopus_print_navigate;
tb_octopus_print_fn tb_octopus_print_extract;
tb_octopus_print_fn tb_octopus_print_fill;
tb_octopus_print_fn tb_octopus_print_click;
tb_octopus_print_fn tb_octopus_print_screenshot;
tb_octopus_print_fn tb_octopus_print_wait;
