/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool, or a toolset's face of it, says of a result. For tests of their words. */
#pragma once

#include <stdbool.h>

#include "core/tool.h"

enum {
    SAID_VIEWS = 4,
};

/* A result as a driver gives it; what is NULL is empty. */
struct said_result {
    int code;
    const char *message;
    const char *data; /* JSON */
    const char *text;
    const char *image;
};

/* The caller frees each. `view` is what the reader has; NULL: everything. */
char *said_by_tool(const struct tb_view *view, const struct tb_tool *tool,
                   const struct said_result *from);
/* The same for who has the default set with all of its groups, of a result with this data (JSON)
 * and text. */
char *said_of(const struct tb_tool *tool, const char *data, const char *text);
/* `args` is JSON. The face must say, too, whether it is an error. */
char *said_by_face(const struct tb_toolset *toolset, const struct tb_face *face, const char *args,
                   const struct said_result *from, bool is_error);
/* The number of a page's text is another one each time: here it is always "N". */
void said_hide_numbers(char *words);
/* What readers can have: the default set without its groups and with all of them, and each other
 * toolset. */
struct tb_view *const *said_views(void);
/* Fails if the words name a tool that the reader does not have. */
void said_names_no_other_tool(const struct tb_view *view, const char *words);
