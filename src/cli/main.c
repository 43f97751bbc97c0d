/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/id.h"
#include "base/mem.h"
#include "cli/command.h"
#include "io/exec_guard.h"

static const struct tb_command *const commands[] = {
    &tb_cmd_serve,  &tb_cmd_mcp,   &tb_cmd_audit,   &tb_cmd_doctor,
    &tb_cmd_routes, &tb_cmd_tools, &tb_cmd_version,
};

static const struct tb_command *find(const char *name)
{
    for (size_t i = 0; i < TB_COUNT(commands); i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int help_all(FILE *out)
{
    fputs("tabard: the daemon that AI agents and browsers meet at\n\nusage: tabard COMMAND ...\n\n",
          out);
    for (size_t i = 0; i < TB_COUNT(commands); i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "  %-10s %s\n", "help", "this list, or 'tabard help COMMAND'");
    return out == stdout ? 0 : 2;
}

static int help(const char *name)
{
    const struct tb_command *command = find(name);
    if (!command) {
        fprintf(stderr, "tabard: there is no command '%s'\n", name);
        return help_all(stderr);
    }
    printf("usage: tabard %s %s\n\n%s\n", command->name, command->arguments, command->summary);
    if (command->more_help) {
        putchar('\n');
        command->more_help();
    }
    return 0;
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

int main(int argc, char **argv)
{
    open_standard();
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    if (tb_id_init() < 0) {
        fputs("tabard: the system gives no random numbers\n", stderr);
        return 1;
    }
    if (argc < 2) {
        return help_all(stderr);
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
        return argc > 2 ? help(argv[2]) : help_all(stdout);
    }
    if (strcmp(argv[1], "--version") == 0) {
        return tb_cmd_version.run(argc - 1, argv + 1);
    }
    const struct tb_command *command = find(argv[1]);
    if (!command) {
        return help(argv[1]);
    }
    if (argc > 2 && strcmp(argv[2], "--help") == 0) {
        return help(argv[1]);
    }
    return command->run(argc - 1, argv + 1);
}
