/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/mcp_pump.h"
#include "cli/options.h"
#include "core/principal.h"
#include "core/session.h"
#include "core/view.h"
#include "daemon/config_load.h"
#include "tool/tools.h"

/* Takes our own options out of argv; the rest are settings. */
static int take_own(struct tb_mcp_way *way, int argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        const char *toolset = tb_options_own(argc, argv, &i, "--toolset");
        const char *groups = toolset ? NULL : tb_options_own(argc, argv, &i, "--groups");
        const char *tenant = toolset || groups ? NULL : tb_options_own(argc, argv, &i, "--tenant");
        const char *session =
            toolset || groups || tenant ? NULL : tb_options_own(argc, argv, &i, "--session");
        if (strcmp(argv[i], "--no-start") == 0) {
            way->may_start = false;
        } else if (toolset) {
            way->toolset = toolset;
        } else if (groups) {
            way->groups = groups;
        } else if (tenant) {
            way->tenant = tenant;
        } else if (session) {
            way->session = session;
        } else {
            argv[kept++] = argv[i];
        }
    }
    return kept;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

/* It becomes a header. */
static bool is_key(const char *text)
{
    while (*text > ' ' && *text <= '~') {
        text++;
    }
    return *text == '\0';
}

/* What BTCP's agents are told by variables; an option counts before its variable. */
static int read_variables(struct tb_mcp_way *way, struct tb_err *err)
{
    way->session = way->session ? way->session : variable("BTCP_SESSION_ID");
    way->key = variable("BTCP_API_KEY");
    if (way->session && strlen(way->session) >= TB_NAME_SIZE) {
        return tb_fail(err, TB_E_PARAMS, "no session has an id or name of this length");
    }
    return way->key && !is_key(way->key)
               ? tb_fail(err, TB_E_PARAMS, "the variable BTCP_API_KEY has no key")
               : 0;
}

static const char *const own[] = {"--toolset", "--groups",   "--tenant",
                                  "--session", "--no-start", NULL};

/* The names are checked here, since a daemon could only hang up. */
static int read_options(struct tb_mcp_way *way, struct tb_options *options, int argc, char **argv,
                        struct tb_err *err)
{
    static const struct tb_config_list no_groups = {NULL, 0};
    struct tb_views views;
    struct tb_view *view = NULL;
    argc = take_own(way, argc, argv);
    int rc = tb_options_parse(options, argc, argv, own, err);
    if (rc < 0) {
        return rc;
    }
    if (way->tenant && !tb_tenant_name_valid(tb_str_of(way->tenant))) {
        return tb_fail(err, TB_E_PARAMS,
                       "--tenant takes lower-case letters, digits, '_' and '-', not '%s'",
                       way->tenant);
    }
    if (read_variables(way, err) < 0) {
        return err->code;
    }
    tb_views_init(&views, &tb_kit);
    rc = tb_view_make(&views, tb_str_of(way->toolset), tb_str_of(way->groups), &no_groups, &view,
                      err);
    tb_view_unref(view, "checked");
    return rc;
}

/* The agent hears it as the answer to its first request. */
static int refuse(struct tb_mcp_way *way, const struct tb_err *err)
{
    signal(SIGPIPE, SIG_IGN);
    way->refusal = err;
    return tb_mcp_pump(way);
}

static int run(int argc, char **argv)
{
    struct tb_mcp_way way = {.toolset = "", .groups = "", .may_start = true};
    struct tb_options options;
    struct tb_config config;
    struct tb_err err;
    if (read_options(&way, &options, argc, argv, &err) < 0) {
        struct tb_err usage;
        tb_fail(&usage, err.code, "%s; 'tabard help mcp' lists the options", err.text);
        refuse(&way, &usage);
        return 2;
    }
    if (tb_config_load(&options.sources, &config, &err) < 0) {
        return refuse(&way, &err);
    }
    signal(SIGPIPE, SIG_IGN); /* a write says so when the other end is gone */
    tb_token_make(way.conversation);
    way.config = &config;
    way.sources = &options.sources;
    int code = tb_mcp_pump(&way);
    tb_config_fini(&config);
    return code;
}

static void more_help(void)
{
    puts(
        "  --toolset       default, octopus or wdio: the names and forms of the tools.\n"
        "  --groups        More tools: files, debug, state, emulate, pointer, pdf, elements, or all; separated by commas.\n"
        "  --tenant        Whose sessions to use. Default: default.\n"
        "  --session       The session that calls mean, by its name or id; a page's tools are listed. Also the variable BTCP_SESSION_ID.\n"
        "  --no-start      Fail if no daemon is running, instead of starting one.\n"
        "\n"
        "With a key in the variable BTCP_API_KEY the agent may do what that key may, and no more.\n"
        "--state-dir and --runtime-dir say where the daemon is. The others, and variables like\n"
        "TABARD_LISTEN, are settings for a daemon that has to be started.\n");
    tb_options_help(NULL);
}

const struct tb_command tb_cmd_mcp = {
    .name = "mcp",
    .arguments = "[OPTION]...",
    .summary = "Speak MCP on stdin and stdout, for an agent's configuration.",
    .run = run,
    .more_help = more_help,
    .options = own,
};
