/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/daemon_call.h"
#include "cli/options.h"
#include "core/limits.h"
#include "proto/json_scan.h"

enum {
    BODY_MAX = 68 * TB_KIB,
    POLICY_FILE_MAX = 64 * TB_KIB, /* with its white space */
    ANSWER_MAX = 64 * TB_MIB,
};

/* What was asked for. */
struct wish {
    const struct verb *verb;
    struct tb_daemon_way way;
    const char *id; /* revoke */
    const char *tenant;
    const char *scope;
    const char *label;
    const char *expires;
    const char *calls;
    const char *sessions;
    const char *policy; /* a file, or "-" */
    bool json;
};

struct verb {
    const char *name;
    /* Says what to ask the daemon for. */
    int (*ask)(const struct wish *wish, struct tb_daemon_call *call, struct tb_buf *body,
               struct tb_buf *path, struct tb_err *err);
    void (*print)(const struct cJSON *answer);
};

/* Asking. */

static int put_number(struct tb_json_writer *json, const char *key, const char *text,
                      struct tb_err *err)
{
    uint64_t value;
    if (!text) {
        return 0;
    }
    if (!tb_str_to_u64(tb_str_of(text), &value) || value > INT32_MAX) {
        return tb_fail(err, TB_E_PARAMS, "'%s' is not a whole number", text);
    }
    tb_json_member_int(json, key, (int64_t)value);
    return 0;
}

static void put_text(struct tb_json_writer *json, const char *key, const char *text)
{
    if (text) {
        tb_json_member_cstr(json, key, text);
    }
}

static int put_policy(struct tb_json_writer *json, const char *file, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 8};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(POLICY_FILE_MAX);
    if (!file) {
        return 0;
    }
    int rc = tb_file_read_stream(strcmp(file, "-") == 0 ? "/dev/stdin" : file, &text);
    if (rc < 0) {
        return tb_fail(err, TB_E_PARAMS, "cannot read the policy in %s: %s", file,
                       rc == TB_E_TOO_LARGE ? "it is too large" : strerror(-rc));
    }
    if (tb_json_scan(tb_buf_str(&text), &limits, NULL, 0, err) < 0) {
        tb_err_prefix(err, "the policy in %s: ", file);
        return TB_E_PARAMS;
    }
    tb_json_member_raw(json, "policy", tb_str_trim(tb_buf_str(&text)));
    return 0;
}

static int ask_create(const struct wish *wish, struct tb_daemon_call *call, struct tb_buf *body,
                      struct tb_buf *path, struct tb_err *err)
{
    struct tb_json_writer json;
    (void)path;
    if (!wish->tenant || !wish->scope) {
        return tb_fail(err, TB_E_PARAMS, "a new key needs --tenant and --scope");
    }
    tb_json_writer_init(&json, body);
    tb_json_object_open(&json);
    put_text(&json, "tenant", wish->tenant);
    put_text(&json, "scopes", wish->scope);
    put_text(&json, "label", wish->label);
    put_text(&json, "expires", wish->expires);
    int rc = put_number(&json, "calls_per_minute", wish->calls, err);
    rc = rc < 0 ? rc : put_number(&json, "sessions_max", wish->sessions, err);
    rc = rc < 0 ? rc : put_policy(&json, wish->policy, err);
    tb_json_object_close(&json);
    if (rc == 0 && json.rc < 0) {
        rc = tb_fail(err, json.rc, "the values are too long");
    }
    call->method = "POST";
    call->path = "/api/keys";
    call->body = tb_buf_str(body);
    return rc;
}

static int ask_list(const struct wish *wish, struct tb_daemon_call *call, struct tb_buf *body,
                    struct tb_buf *path, struct tb_err *err)
{
    (void)wish;
    (void)body;
    (void)path;
    (void)err;
    call->method = "GET";
    call->path = "/api/keys";
    return 0;
}

/* An id has nothing in it that an address would have to escape. */
static bool is_id(const char *text)
{
    return text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

static int ask_revoke(const struct wish *wish, struct tb_daemon_call *call, struct tb_buf *body,
                      struct tb_buf *path, struct tb_err *err)
{
    (void)body;
    if (!wish->id) {
        return tb_fail(err, TB_E_PARAMS,
                       "name the key by its id; 'tabard keys list' shows the ids");
    }
    if (!is_id(wish->id) || tb_buf_printf(path, "/api/keys/%s", wish->id) < 0 ||
        tb_buf_append_char(path, '\0') < 0) {
        return tb_fail(err, TB_E_PARAMS, "a key's id looks like tbk_7zk3m9q2x4p8");
    }
    call->method = "DELETE";
    call->path = (const char *)path->data;
    return 0;
}

/* Printing. */

/* Whoever makes a key chooses its label, and a terminal shows it. */
static void print_text(const struct cJSON *item, const char *key)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(ANSWER_MAX);
    tb_quote_bare(tb_json_text(item, key), SIZE_MAX, &text);
    printf("%.*s", TB_STR_ARG(tb_buf_str(&text)));
}

static void print_cell(const struct cJSON *item, const char *key, int width)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(ANSWER_MAX);
    tb_quote_bare(tb_json_text(item, key), SIZE_MAX, &text);
    printf("%-*.*s ", width, TB_STR_ARG(text.len ? tb_buf_str(&text) : TB_STR("-")));
}

static void print_scopes(const struct cJSON *item)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(ANSWER_MAX);
    JSON_ARRAY_FOREACH(scope, tb_json_get(item, "scopes")) {
        struct tb_str name = TB_STR("");
        tb_json_str(scope, &name);
        tb_buf_printf(&text, "%s%.*s", text.len ? "," : "", TB_STR_ARG(name));
    }
    printf("%-18.*s ", TB_STR_ARG(tb_buf_str(&text)));
}

static void print_created(const struct cJSON *answer)
{
    print_text(answer, "key");
    fflush(stdout);
    fputs("\ntabard keys: this is shown only once; store it now\n", stderr);
}

static void print_list(const struct cJSON *answer)
{
    printf("%-16s %-16s %-18s %-8s %-24s %-24s %s\n", "ID", "TENANT", "SCOPES", "STATE", "EXPIRES",
           "LAST USED", "LABEL");
    JSON_ARRAY_FOREACH(item, tb_json_get(answer, "keys")) {
        print_cell(item, "id", 16);
        print_cell(item, "tenant", 16);
        print_scopes(item);
        print_cell(item, "state", 8);
        print_cell(item, "expiresAt", 24);
        print_cell(item, "lastUsedAt", 24);
        print_text(item, "label");
        putchar('\n');
    }
}

static void print_revoked(const struct cJSON *answer)
{
    printf("revoked ");
    print_text(answer, "revoked");
    putchar('\n');
}

static const struct verb verbs[] = {
    {"create", ask_create, print_created},
    {"list", ask_list, print_list},
    {"revoke", ask_revoke, print_revoked},
};

/* Options. */

static bool take_text(struct wish *wish, int argc, char **argv, int *at)
{
    const struct {
        const char *name;
        const char **value;
    } options[] = {{"--tenant", &wish->tenant},
                   {"--scope", &wish->scope},
                   {"--label", &wish->label},
                   {"--expires", &wish->expires},
                   {"--calls-per-minute", &wish->calls},
                   {"--sessions-max", &wish->sessions},
                   {"--policy", &wish->policy}};
    for (size_t i = 0; i < TB_COUNT(options); i++) {
        const char *value = tb_options_own(argc, argv, at, options[i].name);
        if (value) {
            *options[i].value = value;
            return true;
        }
    }
    return tb_daemon_way_option(&wish->way, argc, argv, at);
}

/* An option that the next argument is the value of. */
static bool wants_value(const char *option)
{
    return option[0] == '-' && !strchr(option, '=') && strcmp(option, "--json") != 0;
}

/* Takes our own options and the id out of argv; the rest are settings. */
static int take_own(struct wish *wish, int argc, char **argv)
{
    int kept = 1;
    bool is_value = false;
    for (int i = 2; i < argc; i++) {
        if (!is_value && take_text(wish, argc, argv, &i)) {
            continue;
        }
        if (!is_value && argv[i][0] != '-' && !wish->id && wish->verb->ask == ask_revoke) {
            wish->id = argv[i];
            continue;
        }
        is_value = !is_value && wants_value(argv[i]);
        argv[kept++] = argv[i];
    }
    return kept;
}

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < TB_COUNT(verbs); i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

static int print_answer(const struct wish *wish, struct tb_str body)
{
    static const struct tb_json_limits limits = {.depth_max = 16,
                                                 .number_max = TB_JSON_NUMBER_TREE};
    if (wish->json) {
        printf("%.*s\n", TB_STR_ARG(body));
        return 0;
    }
    if (tb_json_scan(body, &limits, NULL, 0, NULL) < 0) {
        fputs("tabard keys: the answer does not come from a tabard daemon\n", stderr);
        return 1;
    }
    TB_AUTO(tb_json_free) struct cJSON *answer = tb_json_parse(body);
    wish->verb->print(answer);
    return 0;
}

static int work(const struct wish *wish, const struct tb_config *config,
                const struct tb_daemon_call *call, struct tb_err *err)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf answer = TB_BUF(ANSWER_MAX);
    int rc = tb_daemon_call(config, &wish->way, call, &answer, err);
    if (rc < 0) {
        fprintf(stderr, "tabard keys: %s\n", err->text);
        return 1;
    }
    return print_answer(wish, tb_buf_str(&answer));
}

static int run(int argc, char **argv)
{
    static const char *const own[] = {
        "--json",         "--tenant", "--scope", "--label", "--expires", "--calls-per-minute",
        "--sessions-max", "--policy", "--url",   "--token", NULL};
    struct wish wish = {.verb = argc > 1 ? find_verb(argv[1]) : NULL};
    struct tb_daemon_call call = {0};
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(BODY_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf path = TB_BUF(BODY_MAX);
    struct tb_options options;
    struct tb_config config;
    struct tb_err err;
    if (!wish.verb) {
        fputs("tabard keys: choose one of create, list and revoke; 'tabard help keys' lists the "
              "options\n",
              stderr);
        return 2;
    }
    argc = take_own(&wish, argc, argv);
    if (tb_options_parse(&options, argc, argv, own, &err) < 0 ||
        wish.verb->ask(&wish, &call, &body, &path, &err) < 0) {
        fprintf(stderr, "tabard keys: %s; 'tabard help keys' lists the options\n", err.text);
        return 2;
    }
    wish.json = options.json;
    if (tb_config_load(&options.sources, &config, &err) < 0) {
        fprintf(stderr, "tabard keys: %s\n", err.text);
        return 1;
    }
    int code = work(&wish, &config, &call, &err);
    tb_config_fini(&config);
    return code;
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", "--runtime-dir", NULL};
    puts(
        "  create          Make a key and print it, this once.\n"
        "  list            The keys, without their secrets.\n"
        "  revoke ID       Nobody gets in with it any more; its calls and streams end at once.\n"
        "\n"
        "  --tenant NAME   Whose sessions it reaches: lower-case letters, digits, '_' and '-'.\n"
        "  --scope LIST    observe (look), act (use tools), admin (manage the tenant); act and\n"
        "                  admin bring observe along.\n"
        "  --label TEXT    For people.\n"
        "  --expires TIME  After how long it ends: 90m, 24h, 30d. Default: never.\n"
        "  --calls-per-minute N, --sessions-max N\n"
        "                  Its own limits. Default: those of the settings limits.*.\n"
        "  --policy FILE   JSON that narrows what it may do and where its sessions may go; -: from\n"
        "                  standard input. Its members: docs/SECURITY.md.\n"
        "  --json          JSON instead of text.");
    tb_daemon_way_help();
    tb_options_help(only);
}

const struct tb_command tb_cmd_keys = {
    "keys",
    "create --tenant NAME --scope LIST | list | revoke ID [OPTION]...",
    "Make, list and revoke keys for agents and scripts.",
    run,
    more_help,
};
