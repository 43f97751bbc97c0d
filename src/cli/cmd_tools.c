/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/tools_page.h"
#include "core/limits.h"
#include "core/principal.h"
#include "front/mcp/catalog.h"
#include "tool/tools.h"

struct wish {
    const char *toolset;
    const char *groups;
    bool json;
    bool page;
};

static int read_wish(int argc, char **argv, struct wish *ret_wish)
{
    *ret_wish = (struct wish){.toolset = "", .groups = ""};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            ret_wish->json = true;
        } else if (strcmp(argv[i], "--markdown") == 0) {
            ret_wish->page = true;
        } else if (strcmp(argv[i], "--toolset") == 0 && i + 1 < argc) {
            ret_wish->toolset = argv[++i];
        } else if (strcmp(argv[i], "--groups") == 0 && i + 1 < argc) {
            ret_wish->groups = argv[++i];
        } else {
            fprintf(
                stderr,
                "tabard tools: unexpected argument \'%s\'; \'tabard help tools\' lists the options\n",
                argv[i]);
            return 2;
        }
    }
    return 0;
}

static void print_row(const char *name, const struct tb_tool *tool, const char *description)
{
    printf("%-24s %-9s %s\n", name, tool->group ? tool->group : "",
           description ? description : tool->description);
}

static void print_table(const struct tb_toolset *toolset, struct tb_str groups)
{
    for (const struct tb_face *face = toolset->faces; face && face->name; face++) {
        print_row(face->name, face->tool, face->description);
    }
    for (const struct tb_tool *const *tool = tb_kit.tools; *tool && !toolset->faces; tool++) {
        if (tb_tool_wanted(*tool, groups)) {
            print_row((*tool)->name, *tool, NULL);
        }
    }
}

/* Just as tools/list gives it to an agent that may do everything. */
static void print_json(const struct tb_core *core, struct tb_view *view)
{
    static const struct tb_mcp_provider *const none[] = {NULL};
    struct tb_principal anybody = {.scopes = TB_SCOPES_ALL};
    struct tb_caller caller = {.who = &anybody, .view = view};
    struct tb_mcp_catalog catalog;
    tb_mcp_catalog_init(&catalog, none);
    printf("%.*s\n", TB_STR_ARG(tb_mcp_catalog_list(&catalog, core, &caller)));
    tb_mcp_catalog_fini(&catalog);
}

static int print_page(void)
{
    TB_AUTO(tb_buf_fini) struct tb_buf page = TB_BUF(TB_MIB);
    tb_tools_page(&page);
    return fwrite(page.data, 1, page.len, stdout) == page.len ? 0 : 1;
}

static int run(int argc, char **argv)
{
    static const struct tb_config_list no_groups = {NULL, 0};
    struct tb_core core = {0}; /* its tools are enough */
    struct tb_view *view;
    struct tb_err err;
    struct wish wish;
    int rc = read_wish(argc, argv, &wish);
    if (rc) {
        return rc;
    }
    if (wish.page) {
        return print_page();
    }
    struct tb_str groups = tb_str_of(wish.groups);
    tb_views_init(&core.views, &tb_kit);
    if (tb_view_make(&core.views, tb_str_of(wish.toolset), groups, &no_groups, &view, &err) < 0) {
        fprintf(stderr, "tabard tools: %s\n", err.text);
        return 2;
    }
    if (wish.json) {
        print_json(&core, view);
    } else {
        print_table(view->toolset, groups);
    }
    tb_view_unref(view, "printed");
    return 0;
}

static void more_help(void)
{
    puts("  --toolset NAME   default, octopus or wdio\n"
         "  --groups A,B     include the tools of these groups; all: of every group\n"
         "  --json           the list with its schemas, as agents get it\n"
         "  --markdown       the page docs/TOOLS.md");
}

const struct tb_command tb_cmd_tools = {
    .name = "tools",
    .arguments = "[--toolset NAME] [--groups A,B] [--json | --markdown]",
    .summary = "List the tools that agents can call.",
    .run = run,
    .more_help = more_help,
};
