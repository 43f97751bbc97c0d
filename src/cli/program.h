/* SPDX-License-Identifier: Apache-2.0 */
/* The program as a whole, apart from which fronts, drivers and stores are part of it: those are
 * what is linked as daemon/registry.h. */
#pragma once

struct tb_command;

/* All of them, NULL-ended, in the order of the help. */
const struct tb_command *const *tb_program_commands(void);
/* Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
int tb_program_run(int argc, char **argv);
