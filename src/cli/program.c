/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/program.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/id.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/btcp_server.h"
#include "cli/command.h"
#include "io/exec_guard.h"

static const struct tb_command *const commands[] = {
    &tb_cmd_serve,    &tb_cmd_mcp,       &tb_cmd_call,
    &tb_cmd_sessions, &tb_cmd_events,    &tb_cmd_stop_all,
    &tb_cmd_keys,     &tb_cmd_approvals, &tb_cmd_audit,
    &tb_cmd_doctor,   &tb_cmd_policy,    &tb_cmd_routes,
    &tb_cmd_secrets,  &tb_cmd_tools,     &tb_cmd_completion,
    &tb_cmd_man,      &tb_cmd_version,   NULL,
};

const struct tb_command *const *tb_program_commands(void)
{
    return commands;
}

static const struct tb_command *find(const char *name)
{
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int help_all(FILE *out)
{
    fputs("tabard: the daemon where AI agents and browsers meet\n\nusage: tabard COMMAND ...\n\n",
          out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "  %-10s %s\n", "help",
            "Show this list, or 'tabard help COMMAND' for one command.");
    return out == stdout ? 0 : 2;
}

static int unknown(const char *name)
{
    struct tb_nearest nearest = {.word = tb_str_of(name)};
    for (size_t i = 0; commands[i]; i++) {
        tb_nearest_offer(&nearest, commands[i]->name);
    }
    fprintf(stderr, "tabard: unknown %s '%s'%s; 'tabard help' lists the commands\n",
            name[0] == '-' ? "option" : "command", name, tb_nearest_words(&nearest));
    return 2;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0;
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || asks_for_help(word);
}

/* `what` may be NULL. */
static int help(const char *name, const char *what)
{
    const struct tb_command *command = find(name);
    if (!command) {
        return is_help(name) ? help_all(stdout) : unknown(name);
    }
    if (command->about && what && what[0] != '-') {
        return command->about(what);
    }
    printf("usage: tabard %s%s%s\n\n%s\n", command->name, command->arguments[0] ? " " : "",
           command->arguments, command->summary);
    if (command->more_help) {
        putchar('\n');
        command->more_help();
    }
    return 0;
}

static int run(const struct tb_command *command, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (asks_for_help(argv[i])) {
            return help(command->name, argv[1]);
        }
    }
    return command->run(argc, argv);
}

/* A descriptor that is closed would be taken by the next file, and its output would end up there.
 */
static void open_standard(void)
{
    int fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO) {
        fd = open("/dev/null", O_RDWR);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* A disk that is full shows only here, and half of an output is not to pass for the whole. */
static int close_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    fputs("tabard: the output could not be written; is its disk full?\n", stderr);
    return code ? code : 1;
}

static int dispatch(int argc, char **argv)
{
    if (tb_id_init() < 0) {
        fputs("tabard: the system provides no random numbers\n", stderr);
        return 1;
    }
    if (argc < 2) {
        return help_all(stderr);
    }
    const char *word = argv[1];
    if (is_help(word)) {
        return argc > 2 ? help(argv[2], argc > 3 ? argv[3] : NULL) : help_all(stdout);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0 || strcmp(word, "-V") == 0) {
        word = "version";
    }
    const struct tb_command *command = find(word);
    return command ? run(command, argc - 1, argv + 1) : unknown(word);
}

static int dispatch_btcp(int argc, char **argv)
{
    TB_AUTO(tb_free) char **all = tb_btcp_server_arguments(argc, argv, &argc);
    return all ? dispatch(argc, all) : 0;
}

int tb_program_run(int argc, char **argv)
{
    open_standard();
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    bool is_btcp = argc > 0 && tb_btcp_server_is(argv[0]);
    return close_output(is_btcp ? dispatch_btcp(argc, argv) : dispatch(argc, argv));
}
