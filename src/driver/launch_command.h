/* SPDX-License-Identifier: Apache-2.0 */
/* The command line and the environment of a browser. Both are made of nothing but what stands here:
 * our own environment is not handed on. */
#pragma once

#include <stddef.h>

#include "driver/launch.h"
#include "driver/profile.h"
#include "io/exec_guard.h"

enum {
    TB_LAUNCH_ARGS_MAX = 64,
    TB_LAUNCH_ENV_MAX = 12,
    TB_LAUNCH_LINE_SIZE = TB_PROFILE_PATH_SIZE + 32,
};

/* Texts that are made live here as long as the lists do. */
struct tb_launch_command {
    const char *args[TB_LAUNCH_ARGS_MAX]; /* NULL-ended */
    size_t count;
    const char *env[TB_LAUNCH_ENV_MAX]; /* NULL-ended */
    char pid_text[TB_EXEC_GUARD_PID_SIZE];
    char profile[TB_LAUNCH_LINE_SIZE];
    char home[TB_LAUNCH_LINE_SIZE];
    char config[TB_LAUNCH_LINE_SIZE];
    char cache[TB_LAUNCH_LINE_SIZE];
    char tmp[TB_LAUNCH_LINE_SIZE];
};

/* `guard` may be NULL, see struct tb_launcher_opts. */
void tb_launch_command_build(struct tb_launch_command *command, const char *guard,
                             const struct tb_launch_spec *spec, const char *profile);
