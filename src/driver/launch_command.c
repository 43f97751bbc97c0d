/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/launch_command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static void add_arg(struct tb_launch_command *command, const char *text)
{
    if (command->count + 1 < TB_LAUNCH_ARGS_MAX) {
        command->args[command->count++] = text;
    }
}

static void build_args(struct tb_launch_command *command, const char *guard,
                       const struct tb_launch_spec *spec, const char *profile)
{
    if (guard) {
        tb_exec_guard_args(guard, spec->path, !spec->gains_rights, command->pid_text,
                           command->args);
        command->count = TB_EXEC_GUARD_ARGS;
    }
    add_arg(command, spec->path);
    snprintf(command->profile, TB_LAUNCH_LINE_SIZE, "%s%s", spec->profile_switch, profile);
    add_arg(command, command->profile);
    for (size_t i = 0; spec->args[i]; i++) {
        add_arg(command, spec->args[i]);
    }
}

static void build_env(struct tb_launch_command *command, const struct tb_launch_spec *spec,
                      const char *profile)
{
    size_t count = 0;
    snprintf(command->home, TB_LAUNCH_LINE_SIZE, "HOME=%s", profile);
    snprintf(command->config, TB_LAUNCH_LINE_SIZE, "XDG_CONFIG_HOME=%s", profile);
    snprintf(command->cache, TB_LAUNCH_LINE_SIZE, "XDG_CACHE_HOME=%s", profile);
    snprintf(command->tmp, TB_LAUNCH_LINE_SIZE, "TMPDIR=%s", profile);
    command->env[count++] = command->home;
    command->env[count++] = command->config;
    command->env[count++] = command->cache;
    command->env[count++] = command->tmp;
    command->env[count++] = "PATH=/usr/local/bin:/usr/bin:/bin";
    command->env[count++] = "LANG=C.UTF-8";
    /* Nobody answers on a bus here, and looking for one costs start-up time. */
    command->env[count++] = "DBUS_SESSION_BUS_ADDRESS=disabled:";
    command->env[count++] = "DBUS_SYSTEM_BUS_ADDRESS=disabled:";
    if (spec->windowed) {
        static const char *const screens[] = {"DISPLAY=", "WAYLAND_DISPLAY=", "XAUTHORITY="};
        for (char **line = environ; *line; line++) {
            for (size_t i = 0; i < TB_COUNT(screens) && count + 1 < TB_LAUNCH_ENV_MAX; i++) {
                if (strncmp(*line, screens[i], strlen(screens[i])) == 0) {
                    command->env[count++] = *line;
                }
            }
        }
    }
    command->env[count] = NULL;
}

void tb_launch_command_build(struct tb_launch_command *command, const char *guard,
                             const struct tb_launch_spec *spec, const char *profile)
{
    memset(command, 0, sizeof(*command));
    build_args(command, guard, spec, profile);
    build_env(command, spec, profile);
}
