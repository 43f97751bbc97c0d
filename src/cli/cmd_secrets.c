/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <termios.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/daemon_call.h"
#include "cli/options.h"
#include "core/limits.h"
#include "core/secrets.h"

enum {
    VALUE_MAX = TB_SECRET_VALUE_MAX + 2, /* with the end of its line */
    BODY_MAX = 64 * TB_KIB,
    ANSWER_MAX = 4 * TB_MIB,
    PATH_SIZE = 128,
};

struct wish {
    const struct verb *verb;
    struct tb_daemon_way way;
    const char *name;
    const char *tenant;
    const char *domains[TB_SECRET_DOMAINS_MAX];
    size_t domain_count;
    bool totp;
    bool replace;
    bool json;
};

struct verb {
    const char *name;
    bool named; /* is about one secret */
    const char *method;
    /* Writes what the daemon is to be told; NULL: nothing. */
    int (*write)(const struct wish *wish, struct tb_buf *body, struct tb_err *err);
    void (*print)(const struct cJSON *answer);
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
    if (!wish->domain_count) {
        return tb_fail(err, TB_E_PARAMS, "say with --domain where it may be typed");
    }
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

static void print_text(struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(ANSWER_MAX);
    tb_quote_bare(text, SIZE_MAX, &shown);
    printf("%.*s", TB_STR_ARG(tb_buf_str(&shown)));
}

static void print_set(const struct cJSON *answer)
{
    printf("Set. Agents use it as {{secret:");
    print_text(tb_json_text(answer, "set"));
    printf("}}, or {{totp:");
    print_text(tb_json_text(answer, "set"));
    puts("}} if it is the seed of one-time codes.");
}

static void print_removed(const struct cJSON *answer)
{
    printf("Removed ");
    print_text(tb_json_text(answer, "removed"));
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
        print_text(tb_json_text(secret, "name"));
        printf("  %.*s ", TB_STR_ARG(kind));
        JSON_ARRAY_FOREACH(item, tb_json_get(secret, "domains")) {
            struct tb_str domain = {"", 0};
            tb_json_str(item, &domain);
            putchar(' ');
            print_text(domain);
        }
        putchar('\n');
    }
}

/* What was asked for. */

static const struct verb verbs[] = {
    {"set", true, "PUT", write_set, print_set},
    {"list", false, "GET", NULL, print_list},
    {"remove", true, "DELETE", NULL, print_removed},
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

/* Takes an option of this command at argv[*at]; false: it is another argument. */
static bool take_own(struct wish *wish, int argc, char **argv, int *at)
{
    const char *domain = tb_options_own(argc, argv, at, "--domain");
    if (domain) {
        if (wish->domain_count < TB_COUNT(wish->domains)) {
            wish->domains[wish->domain_count++] = domain;
        }
        return true;
    }
    const char *tenant = tb_options_own(argc, argv, at, "--tenant");
    if (tenant) {
        wish->tenant = tenant;
        return true;
    }
    if (strcmp(argv[*at], "--totp") == 0) {
        wish->totp = true;
        return true;
    }
    if (strcmp(argv[*at], "--replace") == 0) {
        wish->replace = true;
        return true;
    }
    if (argv[*at][0] != '-' && wish->verb->named && !wish->name) {
        wish->name = argv[*at];
        return true;
    }
    return tb_daemon_way_option(&wish->way, argc, argv, at);
}

static int read_wish(struct wish *wish, struct tb_options *options, int argc, char **argv,
                     struct tb_err *err)
{
    static const char *const own[] = {"--json",   "--domain", "--totp",  "--replace",
                                      "--tenant", "--url",    "--token", NULL};
    TB_AUTO(tb_free) char **rest = TB_NEW_ARRAY(char *, (size_t)argc + 1);
    int count = 0;
    rest[count++] = argv[0];
    for (int i = 2; i < argc; i++) {
        if (!take_own(wish, argc, argv, &i)) {
            rest[count++] = argv[i];
        }
    }
    int rc = tb_options_parse(options, count, rest, own, err);
    wish->json = options->json;
    if (rc == 0 && wish->verb->named && !wish->name) {
        rc = tb_fail(err, TB_E_PARAMS, "name the secret");
    }
    return rc;
}

/* A name has nothing in it that an address would have to escape. */
static bool is_name(const char *name)
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t len = strlen(name);
    return len > 0 && len < TB_SECRET_NAME_SIZE && strspn(name, signs) == len &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int ask(const struct wish *wish, const struct tb_config *config, struct tb_buf *answer,
               struct tb_err *err)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf body = TB_BUF(BODY_MAX);
    char path[PATH_SIZE];
    if (wish->name && !is_name(wish->name)) {
        return tb_fail(
            err, TB_E_PARAMS,
            "a secret's name must consist of letters, digits, dots, dashes and underscores");
    }
    int rc = wish->verb->write ? wish->verb->write(wish, &body, err) : 0;
    if (rc < 0) {
        return rc;
    }
    snprintf(path, sizeof(path), "/api/secrets%s%s", wish->name ? "/" : "",
             wish->name ? wish->name : "");
    struct tb_daemon_call call = {.method = wish->verb->method,
                                  .path = path,
                                  .tenant = wish->tenant,
                                  .body = tb_buf_str(&body)};
    return tb_daemon_call(config, &wish->way, &call, answer, err);
}

static void show(const struct wish *wish, struct tb_str text)
{
    TB_AUTO(tb_json_free) struct cJSON *answer = tb_json_parse(text);
    if (wish->json) {
        printf("%.*s\n", TB_STR_ARG(text));
    } else {
        wish->verb->print(answer);
    }
}

static int run(int argc, char **argv)
{
    struct wish wish = {.verb = argc > 1 ? find_verb(argv[1]) : NULL};
    struct tb_options options;
    struct tb_config config;
    struct tb_err err;
    TB_AUTO(tb_buf_fini) struct tb_buf answer = TB_BUF(ANSWER_MAX);
    if (!wish.verb) {
        fputs("tabard secrets: choose one of set, list and remove; 'tabard help secrets' lists the "
              "options\n",
              stderr);
        return 2;
    }
    if (read_wish(&wish, &options, argc, argv, &err) < 0) {
        fprintf(stderr, "tabard secrets: %s; 'tabard help secrets' lists the options\n", err.text);
        return 2;
    }
    int rc = tb_config_load(&options.sources, &config, &err);
    if (rc == 0) {
        rc = ask(&wish, &config, &answer, &err);
        tb_config_fini(&config);
    }
    if (rc < 0) {
        fprintf(stderr, "tabard secrets: %s\n", err.text);
        return 1;
    }
    show(&wish, tb_buf_str(&answer));
    return 0;
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
    "secrets",
    "set NAME --domain D [--totp] [--replace] | list | remove NAME [OPTION]...",
    "Keep passwords and one-time seeds that agents use by their names only.",
    run,
    more_help,
};
