/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that many tables of arguments share. */
#pragma once

#include "core/tool.h"

/* What other servers call a target; and the same for toolsets that call it a selector. */
extern const char *const tb_target_aliases[];
extern const char *const tb_selector_aliases[];
/* element: what the target is, in words for a person. */
extern const char *const tb_target_remarks[];
/* left, right, middle */
extern const char *const tb_button_choices[];
/* width and height of a viewport in CSS pixels, both required */
extern const struct tb_param tb_viewport_fields[];

#define TB_PARAM_ROW_TARGET(needed)                                                               \
    {                                                                                             \
        .name = "target", .type = TB_PARAM_TEXT, .required = (needed), .help = "Ref or selector", \
        .aliases = tb_target_aliases, .remarks = tb_target_remarks                                \
    }

/* Of tools that act. */
#define TB_PARAM_ROW_CHANGES(words)                                                    \
    {                                                                                  \
        .name = "snapshot", .type = TB_PARAM_FLAG, .help = (words), .fallback = "true" \
    }

#define TB_PARAM_ROW_END \
    {                    \
        .name = NULL     \
    }
