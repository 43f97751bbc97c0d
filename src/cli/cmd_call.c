/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/tool_help.h"
#include "cli/verbs.h"
#include "core/limits.h"
#include "proto/json_scan.h"
#include "tool/tools.h"

enum {
    PATH_MAX_BYTES = 2 * TB_KIB,
    ANSWER_MAX = 64 * TB_MIB,
    ARGS_MAX = 16 * TB_MIB,
    FILE_NAME_MAX = 128,
    LATE_MS = 30 * 1000, /* for the way there and back, beside the call's own time */
};

struct wish {
    struct tb_wish base;
    const char *tool;
    const char *session;
    const char *tenant;
    const char *conversation;
    const char *output;
    struct tb_buf args; /* JSON; empty: none so far */
    struct tb_json_writer json;
};

/* The arguments. */

static int begin_args(struct wish *wish)
{
    if (!wish->args.len) {
        tb_json_writer_init(&wish->json, &wish->args);
        tb_json_object_open(&wish->json);
    }
    return 0;
}

/* key=value, which is a text (and becomes what the tool takes), or key:=JSON. */
static int take_pair(struct wish *wish, const char *pair, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = TB_ARGS_TEXT_DEPTH};
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair) {
        return tb_fail(err, TB_E_PARAMS, "'%s' is no argument; write key=value, or key:=JSON",
                       pair);
    }
    bool raw = equals[-1] == ':';
    TB_AUTO(tb_free)
    char *key = tb_strdupf("%.*s", (int)(equals - pair) - raw, pair);
    struct tb_str value = tb_str_of(equals + 1);
    begin_args(wish);
    if (!raw) {
        tb_json_member_str(&wish->json, key, value);
        return 0;
    }
    struct tb_err why;
    if (tb_json_scan(value, &limits, NULL, 0, &why) < 0) {
        return tb_fail(err, TB_E_PARAMS, "%s has no valid JSON: %s", key, why.text);
    }
    tb_json_member_raw(&wish->json, key, value);
    return 0;
}

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const struct {
        const char *name;
        const char **value;
    } options[] = {{"--session", &wish->session},
                   {"--tenant", &wish->tenant},
                   {"--conversation", &wish->conversation},
                   {"--output", &wish->output}};
    for (size_t i = 0; i < TB_COUNT(options); i++) {
        const char *value = tb_options_own(argc, argv, at, options[i].name);
        if (value) {
            *options[i].value = value;
            return 1;
        }
    }
    if (argv[*at][0] != '-') {
        int rc = take_pair(wish, argv[*at], err);
        return rc < 0 ? rc : 1;
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

/* Asking. */

static int put_path(const struct wish *wish, struct tb_buf *out, struct tb_err *err)
{
    int rc = tb_buf_append_cstr(out, wish->session ? "/api/sessions/" : "/api/tools/");
    if (wish->session) {
        rc = rc < 0 ? rc : tb_daemon_call_escape(wish->session, out);
        rc = rc < 0 ? rc : tb_buf_append_cstr(out, "/tools/");
    }
    rc = rc < 0 ? rc : tb_daemon_call_escape(wish->tool, out);
    rc = rc < 0 ? rc : tb_buf_append_char(out, '\0');
    return rc < 0 ? tb_fail(err, rc, "no session or tool has a name of this length") : 0;
}

/* Printing. A page chose some of the words: a terminal is shown them, a program gets them. */

static void print_text(FILE *out, struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(ANSWER_MAX);
    if (isatty(fileno(out))) {
        tb_quote_json(text, &shown);
        text = tb_buf_str(&shown);
    }
    fprintf(out, "%.*s\n", TB_STR_ARG(text));
}

static void name_file(const struct wish *wish, struct tb_str type, char ret_name[FILE_NAME_MAX])
{
    struct tb_str end = type;
    time_t now = time(NULL);
    struct tm parts;
    char when[32];
    tb_str_cut(&end, '/');
    gmtime_r(&now, &parts);
    strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &parts);
    snprintf(ret_name, FILE_NAME_MAX, "%s-%s.%.*s", wish->tool, when, TB_STR_ARG(end));
}

static int write_picture(const struct wish *wish, const struct cJSON *image, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf bytes = TB_BUF(ANSWER_MAX);
    char usual[FILE_NAME_MAX];
    const char *name = wish->output ? wish->output : usual;
    if (tb_base64_decode(tb_json_text(image, "data"), &bytes) < 0) {
        return tb_fail(err, TB_E_PROTOCOL, "the picture cannot be read");
    }
    name_file(wish, tb_json_text(image, "mimeType"), usual);
    FILE *file = strcmp(name, "-") == 0 ? stdout : fopen(name, "wx");
    if (!file) {
        return tb_fail(err, TB_E_EXISTS, "cannot write %s: %m", name);
    }
    bool written = fwrite(bytes.data, 1, bytes.len, file) == bytes.len;
    if (file != stdout) {
        written = fclose(file) == 0 && written;
        fprintf(stderr, "wrote %s\n", name);
    }
    return written ? 0 : tb_fail(err, TB_E_STORE, "cannot write %s: %m", name);
}

static int print_answer(const struct wish *wish, const struct cJSON *answer, struct tb_err *err)
{
    const struct cJSON *image = tb_json_get(answer, "image");
    struct tb_str text = tb_json_text(answer, "text");
    bool ok = false;
    JSON_ARRAY_FOREACH(note, tb_json_get(answer, "notes")) {
        struct tb_str words;
        if (tb_json_str(note, &words)) {
            print_text(stderr, words);
        }
    }
    if (text.len || !image) {
        bool to_pipe = image && wish->output && strcmp(wish->output, "-") == 0;
        print_text(to_pipe ? stderr : stdout, text);
    }
    int rc = image ? write_picture(wish, image, err) : 0;
    return rc < 0 ? rc : tb_json_bool(tb_json_get(answer, "ok"), &ok) && ok ? 0 : TB_EXIT_FAILED;
}

static int refuse(const struct wish *wish, struct tb_str body, struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *answer = tb_json_parse(body);
    struct tb_str text = tb_json_text(answer, "text");
    if (wish->base.json && body.len) {
        printf("%.*s\n", TB_STR_ARG(body));
    }
    if (text.len) {
        tb_fail(err, err->code, "%.*s", TB_STR_ARG(text));
    }
    return err->code;
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    TB_AUTO(tb_buf_fini) struct tb_buf path = TB_BUF(PATH_MAX_BYTES);
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(ANSWER_MAX);
    int rc = put_path(wish, &path, err);
    if (rc < 0) {
        return rc;
    }
    begin_args(wish);
    tb_json_object_close(&wish->json);
    const struct tb_daemon_call call = {.method = "POST",
                                        .path = (const char *)path.data,
                                        .tenant = wish->tenant,
                                        .conversation = wish->conversation,
                                        .body = tb_buf_str(&wish->args),
                                        .timeout_ms = TB_CALL_TIMEOUT_MAX_MS + LATE_MS,
                                        .keeps_refusal = true};
    rc = tb_daemon_call(config, &base->way, &call, &body, err);
    if (rc < 0) {
        return refuse(wish, tb_buf_str(&body), err);
    }
    if (base->json) {
        printf("%.*s\n", TB_STR_ARG(tb_buf_str(&body)));
    }
    TB_AUTO(tb_json_free) struct cJSON *answer = tb_json_parse(tb_buf_str(&body));
    bool ok = false;
    return !base->json                                          ? print_answer(wish, answer, err)
           : tb_json_bool(tb_json_get(answer, "ok"), &ok) && ok ? 0
                                                                : TB_EXIT_FAILED;
}

static const char *const own[] = {"--json",   "--session", "--tenant", "--conversation",
                                  "--output", "--url",     "--token",  NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs form = {
        .command = "call", .own = own, .take = take, .work = work, .named = true};
    struct wish wish = {.tool = argc > 1 ? argv[1] : NULL};
    if (!wish.tool || wish.tool[0] == '-') {
        fputs("tabard call: name a tool; 'tabard tools --groups all' lists them\n", stderr);
        return TB_EXIT_USAGE;
    }
    tb_buf_init(&wish.args, ARGS_MAX);
    int code = tb_verbs_run(&form, argc, argv, &wish.base);
    tb_buf_fini(&wish.args);
    return code;
}

static int about(const char *tool)
{
    return tb_tool_help(&tb_kit, tool);
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", "--runtime-dir", NULL};
    puts("  TOOL --help     What the tool does, and its arguments.\n"
         "  key=value       An argument of the tool; numbers and flags are understood.\n"
         "  key:=JSON       One that is no text, for arrays, objects and the tools of pages.\n"
         "\n"
         "  --session NAME  In this session; otherwise in the current one.\n"
         "  --conversation NAME\n"
         "                  As part of a conversation, which has a current session of its own.\n"
         "  --output FILE   Where a picture goes, - for standard output; a new file here without\n"
         "                  it, which is named on standard error.\n"
         "  --tenant NAME   In another tenant, for the operator.\n"
         "  --json          The whole answer: ok, text, data, image, session, notes.");
    tb_daemon_way_help();
    tb_options_help(only);
    putchar('\n');
    tb_exit_help();
}

const struct tb_command tb_cmd_call = {
    .name = "call",
    .arguments = "TOOL [key=value]... [OPTION]...",
    .summary = "Call a tool, as an agent would.",
    .run = run,
    .more_help = more_help,
    .about = about,
    .options = own,
    .takes_tool = true,
};
