/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page: the help of all commands, as troff. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/program.h"

/* A line of a help has no backslash, and none begins with a dot. */
static void print_command(const struct tb_command *command)
{
    printf(".SS tabard %s %s\n%s\n", command->name, command->arguments, command->summary);
    if (command->more_help) {
        puts(".PP\n.nf");
        command->more_help();
        puts(".fi");
    }
}

static void print_codes(void)
{
    puts(".SH EXIT STATUS\n"
         ".TP\n0\nDone.\n"
         ".TP\n1\nFailed, in none of the ways below.\n"
         ".TP\n2\nThe command line is wrong.\n"
         ".TP\n3\nNo daemon is running, or it cannot be reached.\n"
         ".TP\n4\nThere is no such session, tool or element, or no more.\n"
         ".TP\n5\nThe key, its scopes or a policy do not allow it.\n"
         ".TP\n6\nIt did not finish in time.\n"
         ".TP\n7\nToo much at once, a limit, or it is away: try again later.");
}

static int run(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        fputs("tabard man: it takes no arguments\n", stderr);
        return TB_EXIT_USAGE;
    }
    puts(".TH TABARD 1 \"\" \"tabard " TABARD_VERSION "\" \"User Commands\"\n"
         ".SH NAME\ntabard \\- browser sessions for AI agents\n"
         ".SH SYNOPSIS\n.B tabard\n.I COMMAND\n[...]\n"
         ".SH DESCRIPTION\n"
         "tabard is a daemon between AI agents and browsers. Agents reach it by the Model Context\n"
         "Protocol, programs by REST, people by these commands.\n"
         ".SH COMMANDS");
    for (const struct tb_command *const *command = tb_program_commands(); *command; command++) {
        print_command(*command);
    }
    print_codes();
    puts(".SH ENVIRONMENT\n.TP\nTABARD_TOKEN\nA key for --url.\n"
         ".TP\nTABARD_...\nSettings: \\fBTABARD_HTTP_BODY_MAX_BYTES\\fR is http.body_max_bytes.\n"
         ".TP\nBTCP_SESSION_ID, BTCP_API_KEY\nThe session and the key of \\fBtabard mcp\\fR.");
    return TB_EXIT_DONE;
}

const struct tb_command tb_cmd_man = {
    .name = "man",
    .arguments = "",
    .summary = "Print the manual page: tabard man | man -l -",
    .run = run,
};
