/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool, or a toolset's face of it, says of a result. For tests of their words. */
#pragma once

#include <stdbool.h>

#include "core/tool.h"

/* A result as a driver gives it; what is NULL is empty. */
struct said_result {
    int code;
    const char *message;
    const char *data; /* JSON */
    const char *text;
    const char *image;
};

/* The caller frees both. */
char *said_by_tool(const struct tb_tool *tool, const struct said_result *from);
/* `args` is JSON. The face must say, too, whether it is an error. */
char *said_by_face(const struct tb_face *face, const char *args, const struct said_result *from,
                   bool is_error);
