/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "core/limits.h"
#include "proto/json_scan.h"

enum {
    BODY_MAX = 68 * TB_KIB,
    POLICY_FILE_MAX = 64 * TB_KIB, /* with its white space */
    SCOPES_MAX = 256,
};

enum verb {
    CREATE,
    LIST,
    REVOKE,
};

static const char *const names[] = {"create", "list", "revoke", NULL};

struct wish {
    struct tb_wish base;
    const char *id; /* revoke */
    const char *tenant;
    const char *scope;
    const char *label;
    const char *expires;
    const char *calls;
    const char *sessions;
    const char *policy; /* a file, or "-" */
    struct tb_buf body; /* what the daemon is asked, made when all is read */
    struct tb_buf path;
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

static int write_create(struct wish *wish, struct tb_err *err)
{
    struct tb_json_writer json;
    if (!wish->tenant || !wish->scope) {
        return tb_fail(err, TB_E_PARAMS, "a new key needs --tenant and --scope");
    }
    tb_json_writer_init(&json, &wish->body);
    tb_json_object_open(&json);
    put_text(&json, "tenant", wish->tenant);
    put_text(&json, "scopes", wish->scope);
    put_text(&json, "label", wish->label);
    put_text(&json, "expires", wish->expires);
    int rc = put_number(&json, "calls_per_minute", wish->calls, err);
    rc = rc < 0 ? rc : put_number(&json, "sessions_max", wish->sessions, err);
    rc = rc < 0 ? rc : put_policy(&json, wish->policy, err);
    tb_json_object_close(&json);
    return rc == 0 && json.rc < 0 ? tb_fail(err, json.rc, "the values are too long") : rc;
}

/* An id has nothing in it that an address would have to escape. */
static bool is_id(const char *text)
{
    return text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

static int check(struct tb_wish *base, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    bool revokes = base->verb == REVOKE;
    if (revokes && !wish->id) {
        return tb_fail(err, TB_E_PARAMS,
                       "name the key by its id; 'tabard keys list' shows the ids");
    }
    if ((revokes && !is_id(wish->id)) ||
        tb_buf_printf(&wish->path, "/api/keys%s%s", revokes ? "/" : "", revokes ? wish->id : "") <
            0 ||
        tb_buf_append_char(&wish->path, '\0') < 0) {
        return tb_fail(err, TB_E_PARAMS, "a key's id looks like tbk_7zk3m9q2x4p8");
    }
    return base->verb == CREATE ? write_create(wish, err) : 0;
}

/* Printing. */

static void print_cell(const struct cJSON *item, const char *key, int width)
{
    tb_verbs_print_cell(tb_json_text(item, key), SIZE_MAX, width);
}

static void print_scopes(const struct cJSON *item)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SCOPES_MAX);
    JSON_ARRAY_FOREACH(scope, tb_json_get(item, "scopes")) {
        struct tb_str name = TB_STR("");
        tb_json_str(scope, &name);
        tb_buf_printf(&text, "%s%.*s", text.len ? "," : "", TB_STR_ARG(name));
    }
    printf("%-18.*s ", TB_STR_ARG(tb_buf_str(&text)));
}

static void print_created(const struct cJSON *answer)
{
    tb_verbs_print(tb_json_text(answer, "key"));
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
        tb_verbs_print(tb_json_text(item, "label"));
        putchar('\n');
    }
}

static int print(const struct tb_wish *base, const struct cJSON *answer)
{
    switch ((enum verb)base->verb) {
    case CREATE:
        print_created(answer);
        break;
    case LIST:
        print_list(answer);
        break;
    case REVOKE:
        printf("revoked ");
        tb_verbs_print(tb_json_text(answer, "revoked"));
        putchar('\n');
        break;
    }
    return 0;
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    static const char *const methods[] = {[CREATE] = "POST", [LIST] = "GET", [REVOKE] = "DELETE"};
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const struct tb_daemon_call call = {.method = methods[base->verb],
                                        .path = (const char *)wish->path.data,
                                        .body = tb_buf_str(&wish->body)};
    return tb_verbs_ask(base, config, &call, print, err);
}

/* Options. */

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
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
    (void)err;
    for (size_t i = 0; i < TB_COUNT(options); i++) {
        const char *value = tb_options_own(argc, argv, at, options[i].name);
        if (value) {
            *options[i].value = value;
            return 1;
        }
    }
    if (argv[*at][0] != '-' && !wish->id && base->verb == REVOKE) {
        wish->id = argv[*at];
        return 1;
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

static const char *const own[] = {
    "--json",         "--tenant", "--scope", "--label", "--expires", "--calls-per-minute",
    "--sessions-max", "--policy", "--url",   "--token", NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs verbs = {
        .command = "keys", .names = names, .own = own, .take = take, .check = check, .work = work};
    struct wish wish = {.body = TB_BUF(BODY_MAX), .path = TB_BUF(BODY_MAX)};
    int code = tb_verbs_run(&verbs, argc, argv, &wish.base);
    tb_buf_fini(&wish.body);
    tb_buf_fini(&wish.path);
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
    .name = "keys",
    .arguments = "create --tenant NAME --scope LIST | list | revoke ID [OPTION]...",
    .summary = "Make, list and revoke keys for agents and scripts.",
    .run = run,
    .more_help = more_help,
    .options = own,
    .verbs = names,
};
