/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/btcp_server.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/config_btcp.h"

enum {
    MORE = 4, /* a command, --config with its file, and NULL */
};

bool tb_btcp_server_is(const char *program)
{
    const char *slash = program ? strrchr(program, '/') : NULL;
    const char *name = slash ? slash + 1 : program;
    return name && strcmp(name, "btcp-server") == 0;
}

static bool has_option(int argc, char **argv, const char *name)
{
    size_t len = strlen(name);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], name, len) == 0 && (argv[i][len] == '\0' || argv[i][len] == '=')) {
            return true;
        }
    }
    return false;
}

static char *word(const char *text)
{
    return (char *)(uintptr_t)text; /* as those of main are: nobody writes to it */
}

static void print_help(void)
{
    puts(
        "usage: btcp-server [--port PORT] [--mcp-port PORT] [OPTION]...\n"
        "       btcp-server --session ID [OPTION]...\n"
        "       btcp-server sessions list | info ID | terminate ID\n"
        "\n"
        "This is tabard under the name of BTCP's own server. The first form is 'tabard serve', the\n"
        "second 'tabard mcp', with the same options; all other commands are those of tabard.\n"
        "\n"
        "  --port PORT     For pages, scripts and people. Default: 8765.\n"
        "  --mcp-port PORT For agents that speak MCP over a WebSocket. Default: 8766.\n"
        "  --session ID    Speak MCP on stdin and stdout with the page of this session.\n"
        "\n"
        "It reads btcp-server.yaml where it is started, or in ~/.config/tabard, and variables\n"
        "BTCP_*; settings by tabard's own names win.");
}

/* Its settings, where it was started: they have to be named, since tabard does not look there. */
static void add_file(int argc, char **argv, char **out, int *count)
{
    if (!has_option(argc, argv, "--config") && access(TB_CONFIG_BTCP_FILE, F_OK) == 0) {
        out[(*count)++] = word("--config");
        out[(*count)++] = word(TB_CONFIG_BTCP_FILE);
    }
}

char **tb_btcp_server_arguments(int argc, char **argv, int *ret_argc)
{
    bool is_command = argc > 1 && argv[1][0] != '-';
    bool asks = has_option(argc, argv, "--help") || has_option(argc, argv, "-h");
    if (!is_command && asks) {
        print_help();
        return NULL;
    }
    char **out = TB_NEW_ARRAY(char *, (size_t)argc + MORE);
    int count = 0;
    out[count++] = argv[0];
    if (!is_command && !has_option(argc, argv, "--version")) {
        out[count++] = word(has_option(argc, argv, "--session") ? "mcp" : "serve");
        add_file(argc, argv, out, &count);
    }
    for (int i = 1; i < argc; i++) {
        out[count++] = argv[i];
    }
    *ret_argc = count;
    return out;
}
