/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/daemon_call.h"
#include "cli/options.h"
#include "core/limits.h"
#include "proto/json_scan.h"

enum {
    PATH_SIZE = 128,
    ANSWER_MAX = 64 * TB_MIB,
    ARGS_SHOWN = 120,
};

static const struct verb {
    const char *name;
    const char *body; /* NULL: it only looks */
} verbs[] = {
    {"list", NULL},
    {"allow", "{\"approve\":true}"},
    {"deny", "{\"approve\":false}"},
};

struct wish {
    const struct verb *verb;
    struct tb_daemon_way way;
    const char *id;
    bool json;
};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < TB_COUNT(verbs); i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

/* Takes our own options and the id out of argv; the rest are settings. */
static int take_own(struct wish *wish, int argc, char **argv)
{
    int kept = 1;
    for (int i = 2; i < argc; i++) {
        if (argv[i][0] != '-' && !wish->id && wish->verb->body) {
            wish->id = argv[i];
        } else if (!tb_daemon_way_option(&wish->way, argc, argv, &i)) {
            argv[kept++] = argv[i];
        }
    }
    return kept;
}

/* An id has nothing in it that an address would have to escape. */
static int check_wish(const struct wish *wish, struct tb_err *err)
{
    const char *id = wish->id ? wish->id : "";
    bool good = id[0] && strlen(id) < PATH_SIZE / 2 &&
                strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789") == strlen(id);
    return good || !wish->verb->body
               ? 0
               : tb_fail(err, TB_E_PARAMS,
                         "name the call by its id; 'tabard approvals list' shows the ids");
}

/* Agents choose what stands here, and a terminal shows it. */
static void print_cell(struct tb_str text, size_t max, int width)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(ANSWER_MAX);
    tb_quote_bare(text, max, &shown);
    printf("%-*.*s ", width, TB_STR_ARG(shown.len ? tb_buf_str(&shown) : TB_STR("-")));
}

static void print_list(const struct cJSON *answer)
{
    printf("%-12s %-16s %-24s %-16s %s\n", "ID", "TENANT", "TOOL", "SESSION", "ARGUMENTS");
    JSON_ARRAY_FOREACH(item, tb_json_get(answer, "approvals")) {
        TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(ANSWER_MAX);
        tb_json_print(tb_json_get(item, "arguments"), &args);
        print_cell(tb_json_text(item, "id"), SIZE_MAX, 12);
        print_cell(tb_json_text(item, "tenant"), SIZE_MAX, 16);
        print_cell(tb_json_text(item, "tool"), SIZE_MAX, 24);
        print_cell(tb_json_text(item, "session"), SIZE_MAX, 16);
        print_cell(tb_buf_str(&args), ARGS_SHOWN, 0);
        putchar('\n');
    }
}

static int print_answer(const struct wish *wish, struct tb_str body)
{
    static const struct tb_json_limits limits = {.depth_max = 64,
                                                 .number_max = TB_JSON_NUMBER_TREE};
    if (tb_json_scan(body, &limits, NULL, 0, NULL) < 0) {
        fputs("tabard approvals: the answer does not come from a tabard daemon\n", stderr);
        return 1;
    }
    TB_AUTO(tb_json_free) struct cJSON *answer = tb_json_parse(body);
    if (wish->json) {
        printf("%.*s\n", TB_STR_ARG(body));
    } else if (wish->verb->body) {
        puts(tb_json_get(answer, "approved") ? "approved" : "refused");
    } else {
        print_list(answer);
    }
    return 0;
}

static int work(const struct wish *wish, const struct tb_config *config, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf answer = TB_BUF(ANSWER_MAX);
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "/api/approvals%s%s", wish->id ? "/" : "",
             wish->id ? wish->id : "");
    const struct tb_daemon_call call = {.method = wish->verb->body ? "POST" : "GET",
                                        .path = path,
                                        .body = tb_str_of(wish->verb->body)};
    if (tb_daemon_call(config, &wish->way, &call, &answer, err) < 0) {
        fprintf(stderr, "tabard approvals: %s\n", err->text);
        return 1;
    }
    return print_answer(wish, tb_buf_str(&answer));
}

static int run(int argc, char **argv)
{
    static const char *const own[] = {"--json", "--url", "--token", NULL};
    struct wish wish = {.verb = argc > 1 ? find_verb(argv[1]) : NULL};
    struct tb_options options;
    struct tb_config config;
    struct tb_err err;
    if (!wish.verb) {
        fputs("tabard approvals: choose one of list, allow and deny; 'tabard help approvals' lists "
              "the options\n",
              stderr);
        return 2;
    }
    argc = take_own(&wish, argc, argv);
    if (tb_options_parse(&options, argc, argv, own, &err) < 0 || check_wish(&wish, &err) < 0) {
        fprintf(stderr, "tabard approvals: %s; 'tabard help approvals' lists the options\n",
                err.text);
        return 2;
    }
    wish.json = options.json;
    if (tb_config_load(&options.sources, &config, &err) < 0) {
        fprintf(stderr, "tabard approvals: %s\n", err.text);
        return 1;
    }
    int code = work(&wish, &config, &err);
    tb_config_fini(&config);
    return code;
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
    "approvals",
    "list | allow ID | deny ID [OPTION]...",
    "Decide on calls that a policy lets run only with a person's approval.",
    run,
    more_help,
};
