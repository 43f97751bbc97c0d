/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/events_print.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/verbs.h"

struct wish {
    struct tb_wish base;
    struct tb_events_wish events;
};

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const struct {
        const char *name;
        const char **value;
    } options[] = {{"--type", &wish->events.type},
                   {"--session", &wish->events.session},
                   {"--kind", &wish->events.kind},
                   {"--tenant", &wish->events.tenant}};
    (void)err;
    for (size_t i = 0; i < TB_COUNT(options); i++) {
        const char *value = tb_options_own(argc, argv, at, options[i].name);
        if (value) {
            *options[i].value = value;
            return 1;
        }
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    return tb_events_print(base, config, &wish->events, err);
}

static const char *const own[] = {"--json",   "--type", "--session", "--kind",
                                  "--tenant", "--url",  "--token",   NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs form = {
        .command = "events", .own = own, .take = take, .work = work};
    struct wish wish = {.events = {NULL}};
    return tb_verbs_run(&form, argc, argv, &wish.base);
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", "--runtime-dir", NULL};
    puts("  --type LIST     Only events of these types, separated by commas; docs/EVENTS.md lists "
         "them.\n"
         "  --session NAME  Only those of this session.\n"
         "  --kind LIST     Only those of sessions of these kinds.\n"
         "  --tenant NAME   Those of another tenant, for the operator.\n"
         "  --json          JSON lines.");
    tb_daemon_way_help();
    tb_options_help(only);
    putchar('\n');
    tb_exit_help();
}

const struct tb_command tb_cmd_events = {
    .name = "events",
    .arguments = "[OPTION]...",
    .summary = "Follow what happens in a running daemon, until you stop it.",
    .run = run,
    .more_help = more_help,
    .options = own,
};
