/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/mcp_pump.h"
#include "cli/options.h"
#include "daemon/config_load.h"

/* Takes our own options out of argv; the rest are settings. */
static int take_own(struct tb_mcp_way *way, int argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--no-start") == 0) {
            way->may_start = false;
        } else if (strcmp(argv[i], "--toolset") == 0 && i + 1 < argc) {
            way->toolset = argv[++i];
        } else if (strcmp(argv[i], "--groups") == 0 && i + 1 < argc) {
            way->groups = argv[++i];
        } else {
            argv[kept++] = argv[i];
        }
    }
    return kept;
}

/* They go into a request line as they are. */
static bool is_plain(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-,") ==
           strlen(text);
}

static int run(int argc, char **argv)
{
    struct tb_mcp_way way = {.toolset = "", .groups = "", .may_start = true};
    struct tb_options options;
    struct tb_config config;
    struct tb_err err;
    argc = take_own(&way, argc, argv);
    if (tb_options_parse(&options, argc, argv, false, &err) < 0) {
        fprintf(stderr, "tabard mcp: %s; 'tabard help mcp' lists the options\n", err.text);
        return 2;
    }
    if (!is_plain(way.toolset) || !is_plain(way.groups)) {
        fputs("tabard mcp: --toolset and --groups take plain names\n", stderr);
        return 2;
    }
    if (tb_config_load(&options.sources, &config, &err) < 0) {
        fprintf(stderr, "tabard mcp: %s\n", err.text);
        return 1;
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
        "  --toolset       octopus, wdio or none for the default tools.\n"
        "  --groups        Further tools: files, debug, state, emulate, pointer, pdf; with commas between.\n"
        "  --no-start      Fail if no daemon runs, instead of starting one.");
    tb_options_help();
}

const struct tb_command tb_cmd_mcp = {
    "mcp", "[OPTION VALUE]...", "Speak MCP on stdin and stdout, for an agent's configuration.",
    run,   more_help,
};
