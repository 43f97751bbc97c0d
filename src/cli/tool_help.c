/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tool_help.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/exit_code.h"
#include "core/args.h"

enum {
    NAME_WIDTH = 20,
};

static const char *type_of(const struct tb_param *row)
{
    static const char *const names[] = {
        [TB_PARAM_TEXT] = "text",
        [TB_PARAM_INT] = "whole number",
        [TB_PARAM_NUMBER] = "number",
        [TB_PARAM_FLAG] = "true or false",
        [TB_PARAM_CHOICE] = "",
        [TB_PARAM_TEXTS] = "JSON array of texts",
        [TB_PARAM_OBJECT] = "JSON object",
        [TB_PARAM_OBJECTS] = "JSON array of objects",
        [TB_PARAM_ANY] = "any JSON",
    };
    return names[row->type];
}

static void print_param(const struct tb_param *row)
{
    printf("  %-*s %s", NAME_WIDTH, row->name, type_of(row));
    for (size_t i = 0; row->type == TB_PARAM_CHOICE && row->choices[i]; i++) {
        printf("%s%s", i ? "|" : "", row->choices[i]);
    }
    if (row->max > row->min) {
        printf(" from %" PRId64 " to %" PRId64, row->min, row->max);
    }
    if (row->required) {
        fputs(" (required)", stdout);
    } else if (row->fallback) {
        printf(" (default %s)", row->fallback);
    }
    printf("%s%s\n", row->help[0] ? ": " : "", row->help);
}

int tb_tool_help(const struct tb_kit *kit, const char *name)
{
    struct tb_param rows[TB_TOOL_PARAMS_MAX];
    const struct tb_tool *tool = tb_tool_find(kit, tb_str_of(name));
    if (!tool) {
        struct tb_nearest nearest = {.word = tb_str_of(name)};
        for (size_t i = 0; kit->tools[i]; i++) {
            tb_nearest_offer(&nearest, kit->tools[i]->name);
        }
        fprintf(stderr,
                "tabard call: no tool is called '%s'%s; 'tabard tools --groups all' lists them\n",
                name, tb_nearest_words(&nearest));
        return TB_EXIT_USAGE;
    }
    tb_tool_params(tool, rows);
    printf("usage: tabard call %s [key=value]...\n\n%s\n", tool->name, tool->description);
    if (rows[0].name) {
        putchar('\n');
    }
    for (size_t i = 0; rows[i].name; i++) {
        print_param(&rows[i]);
    }
    return TB_EXIT_DONE;
}
