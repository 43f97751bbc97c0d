/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "core/limits.h"

enum {
    PATH_SIZE = 128,
    ARGS_MAX = 64 * TB_MIB,
    ARGS_SHOWN = 120,
};

static const char *const names[] = {"list", "allow", "deny", NULL};
/* NULL: it only looks. */
static const char *const bodies[] = {NULL, "{\"approve\":true}", "{\"approve\":false}"};

struct wish {
    struct tb_wish base;
    const char *id;
};

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    (void)err;
    if (argv[*at][0] != '-' && !wish->id && bodies[base->verb]) {
        wish->id = argv[*at];
        return 1;
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

/* An id has nothing in it that an address would have to escape. */
static int check(struct tb_wish *base, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const char *id = wish->id ? wish->id : "";
    bool good = id[0] && strlen(id) < PATH_SIZE / 2 &&
                strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789") == strlen(id);
    return good || !bodies[base->verb]
               ? 0
               : tb_fail(err, TB_E_PARAMS,
                         "name the call by its id; 'tabard approvals list' shows the ids");
}

static void print_list(const struct cJSON *answer)
{
    printf("%-12s %-16s %-24s %-16s %s\n", "ID", "TENANT", "TOOL", "SESSION", "ARGUMENTS");
    JSON_ARRAY_FOREACH(item, tb_json_get(answer, "approvals")) {
        TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(ARGS_MAX);
        tb_json_print(tb_json_get(item, "arguments"), &args);
        tb_verbs_print_cell(tb_json_text(item, "id"), SIZE_MAX, 12);
        tb_verbs_print_cell(tb_json_text(item, "tenant"), SIZE_MAX, 16);
        tb_verbs_print_cell(tb_json_text(item, "tool"), SIZE_MAX, 24);
        tb_verbs_print_cell(tb_json_text(item, "session"), SIZE_MAX, 16);
        tb_verbs_print_cell(tb_buf_str(&args), ARGS_SHOWN, 0);
        putchar('\n');
    }
}

static int print(const struct tb_wish *base, const struct cJSON *answer)
{
    if (bodies[base->verb]) {
        puts(tb_json_get(answer, "approved") ? "approved" : "refused");
    } else {
        print_list(answer);
    }
    return 0;
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const char *body = bodies[base->verb];
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "/api/approvals%s%s", wish->id ? "/" : "",
             wish->id ? wish->id : "");
    const struct tb_daemon_call call = {
        .method = body ? "POST" : "GET", .path = path, .body = tb_str_of(body)};
    return tb_verbs_ask(base, config, &call, print, err);
}

static const char *const own[] = {"--json", "--url", "--token", NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs verbs = {.command = "approvals",
                                          .names = names,
                                          .own = own,
                                          .take = take,
                                          .check = check,
                                          .work = work};
    struct wish wish = {.id = NULL};
    return tb_verbs_run(&verbs, argc, argv, &wish.base);
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", "--runtime-dir", NULL};
    puts("  list            Calls that wait for a person, with what they want to do.\n"
         "  allow ID        Let this one run, once.\n"
         "  deny ID         Refuse it.\n"
         "\n"
         "  --json          JSON instead of text.");
    tb_daemon_way_help();
    tb_options_help(only);
}

const struct tb_command tb_cmd_approvals = {
    .name = "approvals",
    .arguments = "list | allow ID | deny ID [OPTION]...",
    .summary = "Decide on calls that a policy lets run only with a person's approval.",
    .run = run,
    .more_help = more_help,
    .options = own,
    .verbs = names,
};
