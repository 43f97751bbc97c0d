/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program. One file per command (cmd_<name>.c), one row in program.c. */
#pragma once

#include <stdbool.h>

struct tb_command {
    const char *name;
    const char *arguments; /* after the name, for the help */
    const char *summary;
    /* argv[0] is the command's name. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
    int (*run)(int argc, char **argv);
    /* Further help lines, printed to stdout; may be NULL. */
    void (*more_help)(void);
    /* The help for one of the things that the command is about, such as a tool, with the exit code;
     * may be NULL. */
    int (*about)(const char *what);
    const char *const *verbs;   /* by its first word it does one of these; NULL-ended, or NULL */
    const char *const *options; /* of its own, beside settings; the same */
    bool takes_tool;            /* its first word is the name of a tool, then its arguments */
};

extern const struct tb_command tb_cmd_serve;
extern const struct tb_command tb_cmd_man;
extern const struct tb_command tb_cmd_mcp;
extern const struct tb_command tb_cmd_approvals;
extern const struct tb_command tb_cmd_audit;
extern const struct tb_command tb_cmd_call;
extern const struct tb_command tb_cmd_completion;
extern const struct tb_command tb_cmd_doctor;
extern const struct tb_command tb_cmd_events;
extern const struct tb_command tb_cmd_keys;
extern const struct tb_command tb_cmd_policy;
extern const struct tb_command tb_cmd_routes;
extern const struct tb_command tb_cmd_secrets;
extern const struct tb_command tb_cmd_sessions;
extern const struct tb_command tb_cmd_stop_all;
extern const struct tb_command tb_cmd_tools;
extern const struct tb_command tb_cmd_version;
