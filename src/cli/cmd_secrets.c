/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <termios.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "core/limits.h"
#include "core/secrets.h"

enum {
    VALUE_MAX = TB_SECRET_VALUE_MAX + 2, /* with the end of its line */
    BODY_MAX = 64 * TB_KIB,
    PATH_SIZE = 128,
};

enum verb {
    SET,
    LIST,
    REMOVE,
};

static const char *const names[] = {"set", "list", "remove", NULL};

struct wish {
    struct tb_wish base;
    const char *name;
    const char *tenant;
    const char *domains[TB_SECRET_DOMAINS_MAX];
    size_t domain_count;
    bool totp;
    bool replace;
};

/* The value comes from standard input: arguments are there for everybody to see. */

static bool hide_typing(struct termios *ret_before)
{
    struct termios silent;
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, ret_before) < 0) {
        return false;
    }
    silent = *ret_before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    fputs("Value (it is not shown): ", stderr);
    return tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
}

static struct tb_str without_line_end(struct tb_str text)
{
    size_t len = text.len;
    len -= len && text.ptr[len - 1] == '\n';
    len -= len && text.ptr[len - 1] == '\r';
    return tb_str_sub(text, 0, len);
}

/* On a terminal the value ends with its line, otherwise with the input. */
static int read_value(struct tb_buf *out, struct tb_err *err)
{
    struct termios before;
    bool hidden = hide_typing(&before);
    uint8_t *room;
    ssize_t got = 0;
    tb_buf_reserve(out, VALUE_MAX, &room);
    do {
        got = read(STDIN_FILENO, out->data + out->len, VALUE_MAX - out->len);
        out->len += got > 0 ? (size_t)got : 0;
    } while (got > 0 && out->len < VALUE_MAX && !(hidden && out->data[out->len - 1] == '\n'));
    if (hidden) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        fputc('\n', stderr);
    }
    if (got < 0) {
        return tb_fail(err, TB_E_PARAMS, "the value cannot be read from standard input");
    }
    out->len = without_line_end(tb_buf_str(out)).len;
    return out->len <= TB_SECRET_VALUE_MAX
               ? 0
               : tb_fail(err, TB_E_PARAMS, "a secret has at most %d bytes", TB_SECRET_VALUE_MAX);
}

static int write_set(const struct wish *wish, struct tb_buf *body, struct tb_err *err)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf value = TB_BUF(VALUE_MAX);
    struct tb_json_writer json;
    uint8_t *room;
    int rc = read_value(&value, err);
    if (rc < 0) {
        return rc;
    }
    tb_buf_reserve(body, BODY_MAX, &room);
    tb_json_writer_init(&json, body);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "value", tb_buf_str(&value));
    tb_json_member_bool(&json, "totp", wish->totp);
    tb_json_member_bool(&json, "replace", wish->replace);
    tb_json_key(&json, "domains");
    tb_json_array_open(&json);
    for (size_t i = 0; i < wish->domain_count; i++) {
        tb_json_put_cstr(&json, wish->domains[i]);
    }
    tb_json_array_close(&json);
    tb_json_object_close(&json);
    return json.rc < 0 ? tb_fail(err, json.rc, "the domains are too long") : 0;
}

/* Printing. */

static void print_set(const struct cJSON *answer)
{
    printf("Set. Agents use it as {{secret:");
    tb_verbs_print(tb_json_text(answer, "set"));
    printf("}}, or {{totp:");
    tb_verbs_print(tb_json_text(answer, "set"));
    puts("}} if it is the seed of one-time codes.");
}

static void print_removed(const struct cJSON *answer)
{
    printf("Removed ");
    tb_verbs_print(tb_json_text(answer, "removed"));
    puts(".");
}

static void print_list(const struct cJSON *answer)
{
    const struct cJSON *secrets = tb_json_get(answer, "secrets");
    if (!tb_json_first(secrets)) {
        puts("There are no secrets.");
    }
    JSON_ARRAY_FOREACH(secret, secrets) {
        struct tb_str kind = tb_json_text(secret, "kind");
        tb_verbs_print(tb_json_text(secret, "name"));
        printf("  %.*s ", TB_STR_ARG(kind));
        JSON_ARRAY_FOREACH(item, tb_json_get(secret, "domains")) {
            struct tb_str domain = {"", 0};
            tb_json_str(item, &domain);
            putchar(' ');
            tb_verbs_print(domain);
        }
        putchar('\n');
    }
}

/* What was asked for. */

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    (void)err;
    const char *domain = tb_options_own(argc, argv, at, "--domain");
    if (domain) {
        if (wish->domain_count < TB_COUNT(wish->domains)) {
            wish->domains[wish->domain_count++] = domain;
        }
        return 1;
    }
    const char *tenant = tb_options_own(argc, argv, at, "--tenant");
    if (tenant) {
        wish->tenant = tenant;
        return 1;
    }
    if (strcmp(argv[*at], "--totp") == 0) {
        wish->totp = true;
        return 1;
    }
    if (strcmp(argv[*at], "--replace") == 0) {
        wish->replace = true;
        return 1;
    }
    if (argv[*at][0] != '-' && base->verb != LIST && !wish->name) {
        wish->name = argv[*at];
        return 1;
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

/* A name has nothing in it that an address would have to escape. */
static bool is_name(const char *name)
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t len = strlen(name);
    return len > 0 && len < TB_SECRET_NAME_SIZE && strspn(name, signs) == len &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int check(struct tb_wish *base, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    if (base->verb != LIST && !wish->name) {
        return tb_fail(err, TB_E_PARAMS, "name the secret");
    }
    if (wish->name && !is_name(wish->name)) {
        return tb_fail(err, TB_E_PARAMS,
                       "a secret's name must consist of letters, digits, dots, dashes and "
                       "underscores");
    }
    return base->verb == SET && !wish->domain_count
               ? tb_fail(err, TB_E_PARAMS, "say with --domain where it may be typed")
               : 0;
}

static int print(const struct tb_wish *base, const struct cJSON *answer)
{
    static void (*const prints[])(const struct cJSON *) = {
        [SET] = print_set, [LIST] = print_list, [REMOVE] = print_removed};
    prints[base->verb](answer);
    return 0;
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    static const char *const methods[] = {[SET] = "PUT", [LIST] = "GET", [REMOVE] = "DELETE"};
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    TB_AUTO(tb_buf_wipe) struct tb_buf body = TB_BUF(BODY_MAX);
    char path[PATH_SIZE];
    int rc = base->verb == SET ? write_set(wish, &body, err) : 0;
    snprintf(path, sizeof(path), "/api/secrets%s%s", wish->name ? "/" : "",
             wish->name ? wish->name : "");
    const struct tb_daemon_call call = {.method = methods[base->verb],
                                        .path = path,
                                        .tenant = wish->tenant,
                                        .body = tb_buf_str(&body)};
    return rc < 0 ? rc : tb_verbs_ask(base, config, &call, print, err);
}

static const char *const own[] = {"--json",   "--domain", "--totp",  "--replace",
                                  "--tenant", "--url",    "--token", NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs verbs = {.command = "secrets",
                                          .names = names,
                                          .own = own,
                                          .take = take,
                                          .check = check,
                                          .work = work};
    struct wish wish = {.name = NULL};
    return tb_verbs_run(&verbs, argc, argv, &wish.base);
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", NULL};
    puts("  set NAME        Store a value, read from standard input, or replace it. Agents use it\n"
         "                  as {{secret:NAME}} in what they fill in, and never see it.\n"
         "  list            Names and domains, without values.\n"
         "  remove NAME\n"
         "\n"
         "  --domain D      Where it may be typed: example.com with its subdomains, or\n"
         "                  =example.com alone; may be repeated.\n"
         "  --totp          The value is the seed of one-time codes (base32 or otpauth://...);\n"
         "                  agents use the code of the moment as {{totp:NAME}}.\n"
         "  --replace       A password may take the place of a seed of that name, or the reverse.\n"
         "  --tenant NAME   Whose it is, where the credential may choose.\n"
         "  --json          The daemon's answer as it is.");
    tb_daemon_way_help();
    tb_options_help(only);
}

const struct tb_command tb_cmd_secrets = {
    .name = "secrets",
    .arguments = "set NAME --domain D [--totp] [--replace] | list | remove NAME [OPTION]...",
    .summary = "Keep passwords and one-time seeds that agents use by their names only.",
    .run = run,
    .more_help = more_help,
    .options = own,
    .verbs = names,
};
