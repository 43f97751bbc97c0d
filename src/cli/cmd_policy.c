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
#include "core/principal.h"
#include "proto/json_scan.h"

enum {
    PATH_MAX_BYTES = TB_KIB,
    BODY_MAX = TB_HTTP_BODY_MAX,
    ANSWER_MAX = 64 * TB_MIB,
};

/* What was asked for. */
struct wish {
    const struct verb *verb;
    struct tb_daemon_way way;
    const char *tenant;
    const char *given; /* the file of set, the address of check */
    bool json;
};

struct verb {
    const char *name;
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

static const struct verb verbs[] = {
    {"show", "GET", "", NULL, NULL, print_show},
    {"set", "PUT", "", "a file with the policy as JSON, or -", body_set, print_show},
    {"clear", "DELETE", "", NULL, NULL, print_clear},
    {"check", "POST", "/check", "an address", body_check, print_check},
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

/* Takes our own options and what the verb needs out of argv; the rest are settings. */
static int take_own(struct wish *wish, int argc, char **argv)
{
    int kept = 1;
    for (int i = 2; i < argc; i++) {
        const char *tenant = tb_options_own(argc, argv, &i, "--tenant");
        bool word = argv[i][0] != '-' || !argv[i][1];
        if (tenant) {
            wish->tenant = tenant;
        } else if (word && !wish->given && wish->verb->needs) {
            wish->given = argv[i];
        } else if (!tb_daemon_way_option(&wish->way, argc, argv, &i)) {
            argv[kept++] = argv[i];
        }
    }
    return kept;
}

static int check_wish(const struct wish *wish, struct tb_err *err)
{
    if (!tb_tenant_name_valid(tb_str_of(wish->tenant))) {
        return tb_fail(err, TB_E_PARAMS, "'%s' is not a valid tenant name", wish->tenant);
    }
    return wish->verb->needs && !wish->given
               ? tb_fail(err, TB_E_PARAMS, "%s needs %s", wish->verb->name, wish->verb->needs)
               : 0;
}

static int print_answer(const struct wish *wish, struct tb_str body)
{
    static const struct tb_json_limits limits = {.depth_max = 16,
                                                 .number_max = TB_JSON_NUMBER_TREE};
    if (tb_json_scan(body, &limits, NULL, 0, NULL) < 0) {
        fputs("tabard policy: the answer does not come from a tabard daemon\n", stderr);
        return 1;
    }
    if (wish->json) {
        printf("%.*s\n", TB_STR_ARG(body));
        return 0;
    }
    TB_AUTO(tb_json_free) struct cJSON *answer = tb_json_parse(body);
    return wish->verb->print(answer);
}

static int work(const struct wish *wish, const struct tb_config *config, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(BODY_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf answer = TB_BUF(ANSWER_MAX);
    char path[PATH_MAX_BYTES];
    snprintf(path, sizeof(path), "/api/policy/%s%s", wish->tenant, wish->verb->below);
    int rc = wish->verb->body ? wish->verb->body(wish, &body, err) : 0;
    const struct tb_daemon_call call = {
        .method = wish->verb->method, .path = path, .body = tb_buf_str(&body)};
    rc = rc < 0 ? rc : tb_daemon_call(config, &wish->way, &call, &answer, err);
    if (rc < 0) {
        fprintf(stderr, "tabard policy: %s\n", err->text);
        return 1;
    }
    return print_answer(wish, tb_buf_str(&answer));
}

static int run(int argc, char **argv)
{
    static const char *const own[] = {"--json", "--tenant", "--url", "--token", NULL};
    struct wish wish = {.verb = argc > 1 ? find_verb(argv[1]) : NULL, .tenant = TB_TENANT_DEFAULT};
    struct tb_options options;
    struct tb_config config;
    struct tb_err err;
    if (!wish.verb) {
        fputs("tabard policy: choose one of show, set, clear and check; 'tabard help policy' lists "
              "the options\n",
              stderr);
        return 2;
    }
    argc = take_own(&wish, argc, argv);
    if (tb_options_parse(&options, argc, argv, own, &err) < 0 || check_wish(&wish, &err) < 0) {
        fprintf(stderr, "tabard policy: %s; 'tabard help policy' lists the options\n", err.text);
        return 2;
    }
    wish.json = options.json;
    if (tb_config_load(&options.sources, &config, &err) < 0) {
        fprintf(stderr, "tabard policy: %s\n", err.text);
        return 1;
    }
    int code = work(&wish, &config, &err);
    tb_config_fini(&config);
    return code;
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
    "policy",
    "show | set FILE | clear | check URL [--tenant NAME] [OPTION]...",
    "Show and change what agents may do and where pages may go.",
    run,
    more_help,
};
