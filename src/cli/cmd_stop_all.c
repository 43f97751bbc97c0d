/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/verbs.h"

struct wish {
    struct tb_wish base;
    const char *tenant;
};

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const char *tenant = tb_options_own(argc, argv, at, "--tenant");
    (void)err;
    if (tenant) {
        wish->tenant = tenant;
        return 1;
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

static int print(const struct tb_wish *base, const struct cJSON *answer)
{
    int64_t count = 0;
    (void)base;
    tb_json_int(tb_json_get(answer, "stopped"), &count);
    printf("stopped %lld session%s\n", (long long)count, count == 1 ? "" : "s");
    return TB_EXIT_DONE;
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const struct tb_daemon_call call = {
        .method = "POST", .path = "/api/stop-all", .tenant = wish->tenant, .body = TB_STR("{}")};
    return tb_verbs_ask(base, config, &call, print, err);
}

static const char *const own[] = {"--json", "--tenant", "--url", "--token", NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs form = {
        .command = "stop-all", .own = own, .take = take, .work = work};
    struct wish wish = {.tenant = NULL};
    return tb_verbs_run(&form, argc, argv, &wish.base);
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", "--runtime-dir", NULL};
    puts("Agents are told to ask their users before they start other sessions.\n"
         "\n"
         "  --tenant NAME   Those of another tenant, for the operator.\n"
         "  --json          JSON instead of text.");
    tb_daemon_way_help();
    tb_options_help(only);
    putchar('\n');
    tb_exit_help();
}

const struct tb_command tb_cmd_stop_all = {
    .name = "stop-all",
    .arguments = "[OPTION]...",
    .summary = "End all sessions of a tenant at once.",
    .run = run,
    .more_help = more_help,
    .options = own,
};
