/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "core/limits.h"
#include "core/principal.h"

enum {
    PATH_MAX_BYTES = TB_KIB,
    BODY_MAX = TB_HTTP_BODY_MAX,
    ANSWER_MAX = 64 * TB_MIB,
};

struct wish {
    struct tb_wish base;
    const char *tenant;
    const char *given; /* the file of set, the address of check */
};

struct verb {
    const char *method;
    const char *below; /* what follows the tenant in the path */
    const char *needs; /* words for what has to be given; NULL: nothing */
    int (*body)(const struct wish *wish, struct tb_buf *body, struct tb_err *err);
    int (*print)(const struct cJSON *answer); /* gives the exit code */
};

/* The policy, from a file or from standard input. */
static int body_set(const struct wish *wish, struct tb_buf *body, struct tb_err *err)
{
    const char *path = strcmp(wish->given, "-") == 0 ? "/dev/stdin" : wish->given;
    FILE *file = fopen(path, "re");
    uint8_t *room;
    size_t len = 1;
    int rc = file ? 0 : tb_fail(err, TB_E_NOT_FOUND, "cannot open %s", wish->given);
    while (rc == 0 && len > 0) {
        rc = tb_buf_reserve(body, 4096, &room);
        len = rc < 0 ? 0 : fread(room, 1, 4096, file);
        body->len += len;
    }
    if (file) {
        fclose(file);
    }
    return rc == TB_E_TOO_LARGE ? tb_fail(err, rc, "%s is too large", wish->given) : rc;
}

static int body_check(const struct wish *wish, struct tb_buf *body, struct tb_err *err)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, body);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "url", wish->given);
    tb_json_object_close(&json);
    return json.rc < 0 ? tb_fail(err, json.rc, "the address is too long") : 0;
}

static void print_tree(const char *title, const struct cJSON *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(ANSWER_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(ANSWER_MAX);
    if (tb_json_is_null(json) || tb_json_print(json, &text) < 0) {
        printf("%s: none\n", title);
        return;
    }
    tb_quote_json(tb_buf_str(&text), &shown);
    printf("%s: %.*s\n", title, TB_STR_ARG(tb_buf_str(&shown)));
}

static int print_show(const struct cJSON *answer)
{
    print_tree("operator", tb_json_get(answer, "operator"));
    print_tree("tenant", tb_json_get(answer, "policy"));
    return 0;
}

static int print_clear(const struct cJSON *answer)
{
    (void)answer;
    puts("removed");
    return 0;
}

static int print_check(const struct cJSON *answer)
{
    bool allowed = false;
    TB_AUTO(tb_buf_fini) struct tb_buf reason = TB_BUF(ANSWER_MAX);
    tb_json_bool(tb_json_get(answer, "allowed"), &allowed);
    tb_quote_line(tb_json_text(answer, "reason"), &reason);
    printf("%s%s%.*s\n", allowed ? "allowed" : "refused", allowed ? "" : ": ",
           TB_STR_ARG(tb_buf_str(&reason)));
    return allowed ? 0 : 1;
}

static const char *const names[] = {"show", "set", "clear", "check", NULL};

static const struct verb verbs[] = {
    {"GET", "", NULL, NULL, print_show},
    {"PUT", "", "a file with the policy as JSON, or -", body_set, print_show},
    {"DELETE", "", NULL, NULL, print_clear},
    {"POST", "/check", "an address", body_check, print_check},
};

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const char *tenant = tb_options_own(argc, argv, at, "--tenant");
    bool word = argv[*at][0] != '-' || !argv[*at][1];
    (void)err;
    if (tenant) {
        wish->tenant = tenant;
        return 1;
    }
    if (word && !wish->given && verbs[base->verb].needs) {
        wish->given = argv[*at];
        return 1;
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

static int check(struct tb_wish *base, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const char *needs = verbs[base->verb].needs;
    if (!tb_tenant_name_valid(tb_str_of(wish->tenant))) {
        return tb_fail(err, TB_E_PARAMS, "'%s' is not a valid tenant name", wish->tenant);
    }
    return needs && !wish->given
               ? tb_fail(err, TB_E_PARAMS, "%s needs %s", names[base->verb], needs)
               : 0;
}

static int print(const struct tb_wish *base, const struct cJSON *answer)
{
    return verbs[base->verb].print(answer);
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const struct verb *verb = &verbs[base->verb];
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(BODY_MAX);
    char path[PATH_MAX_BYTES];
    snprintf(path, sizeof(path), "/api/policy/%s%s", wish->tenant, verb->below);
    int rc = verb->body ? verb->body(wish, &body, err) : 0;
    const struct tb_daemon_call call = {
        .method = verb->method, .path = path, .body = tb_buf_str(&body)};
    return rc < 0 ? rc : tb_verbs_ask(base, config, &call, print, err);
}

static const char *const own[] = {"--json", "--tenant", "--url", "--token", NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs all = {.command = "policy",
                                        .names = names,
                                        .own = own,
                                        .take = take,
                                        .check = check,
                                        .work = work};
    struct wish wish = {.tenant = TB_TENANT_DEFAULT};
    return tb_verbs_run(&all, argc, argv, &wish.base);
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", "--runtime-dir", NULL};
    puts("  show            The operator's policy and the tenant's.\n"
         "  set FILE        Replace the tenant's policy by the JSON in the file; - is standard\n"
         "                  input. Sessions on pages that are not allowed any more end.\n"
         "  clear           Remove the tenant's policy.\n"
         "  check URL       Say whether the tenant's pages may be there; exit status 1 if not.\n"
         "\n"
         "  --tenant NAME   Default: default.\n"
         "  --json          JSON instead of text.");
    tb_daemon_way_help();
    tb_options_help(only);
}

const struct tb_command tb_cmd_policy = {
    .name = "policy",
    .arguments = "show | set FILE | clear | check URL [--tenant NAME] [OPTION]...",
    .summary = "Show and change what agents may do and where pages may go.",
    .run = run,
    .more_help = more_help,
    .options = own,
    .verbs = names,
};
