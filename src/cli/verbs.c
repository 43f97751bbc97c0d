/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "core/limits.h"
#include "proto/json_scan.h"

enum {
    ANSWER_MAX = 64 * TB_MIB,
    DEPTH_MAX = 64,
};

static bool find(const struct tb_verbs *verbs, const char *name, size_t *ret_verb)
{
    for (size_t i = 0; name && verbs->names[i]; i++) {
        if (strcmp(verbs->names[i], name) == 0) {
            *ret_verb = i;
            return true;
        }
    }
    return false;
}

/* "tabard keys: choose one of create, list and revoke; ..." */
static void print_choice(const struct tb_verbs *verbs)
{
    fprintf(stderr, "tabard %s: choose one of ", verbs->command);
    for (size_t i = 0; verbs->names[i]; i++) {
        bool last = !verbs->names[i + 1];
        fprintf(stderr, "%s%s", i == 0 ? "" : last ? " and " : ", ", verbs->names[i]);
    }
    fprintf(stderr, "; 'tabard help %s' lists the options\n", verbs->command);
}

/* The next argument belongs to such an option, whatever it looks like. */
static bool wants_value(const char *option)
{
    return option[0] == '-' && option[1] && !strchr(option, '=') && strcmp(option, "--json") != 0;
}

/* Leaves the settings in `rest`. */
static int take_own(const struct tb_verbs *verbs, struct tb_wish *wish, int argc, char **argv,
                    char **rest, struct tb_err *err)
{
    int count = 0;
    rest[count++] = argv[0];
    for (int i = verbs->names || verbs->named ? 2 : 1; i < argc; i++) {
        int rc = verbs->take(wish, argc, argv, &i, err);
        if (rc < 0) {
            return rc;
        }
        if (rc == 0) {
            rest[count++] = argv[i];
            if (wants_value(argv[i]) && i + 1 < argc) {
                rest[count++] = argv[++i];
            }
        }
    }
    return count;
}

static int read_wish(const struct tb_verbs *verbs, struct tb_wish *wish, int argc, char **argv,
                     struct tb_options *options, struct tb_err *err)
{
    TB_AUTO(tb_free) char **rest = TB_NEW_ARRAY(char *, (size_t)argc + 1);
    int count = take_own(verbs, wish, argc, argv, rest, err);
    if (count < 0 || tb_options_parse(options, count, rest, verbs->own, err) < 0) {
        return err->code;
    }
    wish->json = options->json;
    return verbs->check ? verbs->check(wish, err) : 0;
}

int tb_verbs_run(const struct tb_verbs *verbs, int argc, char **argv, struct tb_wish *wish)
{
    struct tb_options options;
    struct tb_config config;
    struct tb_err err;
    if (verbs->names && !find(verbs, argc > 1 ? argv[1] : NULL, &wish->verb)) {
        print_choice(verbs);
        return 2;
    }
    if (read_wish(verbs, wish, argc, argv, &options, &err) < 0) {
        fprintf(stderr, "tabard %s: %s; 'tabard help %s' lists the options\n", verbs->command,
                err.text, verbs->command);
        return 2;
    }
    int code = tb_config_load(&options.sources, &config, &err);
    if (code == 0) {
        code = verbs->work(wish, &config, &err);
        tb_config_fini(&config);
    }
    if (code < 0) {
        fprintf(stderr, "tabard %s: %s\n", verbs->command, err.text);
    }
    return code >= 0 ? code : verbs->local ? TB_EXIT_FAILED : (int)tb_exit_code(code);
}

int tb_verbs_ask(const struct tb_wish *wish, const struct tb_config *config,
                 const struct tb_daemon_call *call,
                 int (*print)(const struct tb_wish *wish, const struct cJSON *answer),
                 struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = DEPTH_MAX,
                                                 .number_max = TB_JSON_NUMBER_TREE};
    TB_AUTO(tb_buf_wipe) struct tb_buf body = TB_BUF(ANSWER_MAX);
    int rc = tb_daemon_call(config, &wish->way, call, &body, err);
    if (rc < 0) {
        return rc;
    }
    if (tb_json_scan(tb_buf_str(&body), &limits, NULL, 0, NULL) < 0) {
        return tb_fail(err, TB_E_PROTOCOL, "the answer does not come from a tabard daemon");
    }
    if (wish->json) {
        printf("%.*s\n", TB_STR_ARG(tb_buf_str(&body)));
        return 0;
    }
    TB_AUTO(tb_json_free) struct cJSON *answer = tb_json_parse(tb_buf_str(&body));
    return print(wish, answer);
}

void tb_verbs_print(struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(ANSWER_MAX);
    tb_quote_bare(text, SIZE_MAX, &shown);
    printf("%.*s", TB_STR_ARG(tb_buf_str(&shown)));
}

void tb_verbs_print_cell(struct tb_str text, size_t max, int width)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(ANSWER_MAX);
    tb_quote_bare(text, max, &shown);
    printf("%-*.*s ", width, TB_STR_ARG(shown.len ? tb_buf_str(&shown) : TB_STR("-")));
}
