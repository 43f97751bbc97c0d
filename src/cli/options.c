/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "daemon/config_btcp.h"

enum {
    NAME_WIDTH = 15,
};

/* The value of argv[*at]: behind "=", or the next argument (then *at moves on). NULL when there is
 * none. The name is cut off at the "=". */
static const char *value_of(int argc, char **argv, int *at)
{
    char *equals = strchr(argv[*at], '=');
    if (equals) {
        *equals = '\0';
        return equals + 1;
    }
    const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;
    *at += next != NULL;
    return next;
}

static int add_flag(struct tb_options *options, const char *name, const char *value,
                    struct tb_err *err)
{
    size_t at = 2 * options->sources.flag_count;
    if (at + 2 > TB_COUNT(options->flags)) {
        return tb_fail(err, TB_E_CONFIG, "too many options");
    }
    options->flags[at] = name;
    options->flags[at + 1] = value;
    options->sources.flag_count++;
    return 0;
}

const char *tb_options_own(int argc, char **argv, int *at, const char *name)
{
    size_t len = strlen(name);
    if (strncmp(argv[*at], name, len) != 0) {
        return NULL;
    }
    if (argv[*at][len] == '=') {
        return argv[*at] + len + 1;
    }
    return argv[*at][len] == '\0' && *at + 1 < argc ? argv[++*at] : NULL;
}

static bool is_own(const char *const *own, const char *name)
{
    for (; own && *own; own++) {
        if (strcmp(*own, name) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown(const char *name, const char *const *own, struct tb_err *err)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    struct tb_nearest nearest = {.word = tb_str_of(name)};
    tb_nearest_offer(&nearest, "--config");
    tb_nearest_offer(&nearest, "--help");
    for (; own && *own; own++) {
        tb_nearest_offer(&nearest, *own);
    }
    for (size_t i = 0; i < count; i++) {
        tb_nearest_offer(&nearest, keys[i].flag ? keys[i].flag : "");
    }
    return tb_fail(err, TB_E_CONFIG, "unknown option %s%s", name, tb_nearest_words(&nearest));
}

static int take_option(struct tb_options *options, const char *name, const char *value,
                       const char *const *own, struct tb_err *err)
{
    bool file = strcmp(name, "--config") == 0;
    bool setting = tb_config_by_flag(tb_str_of(name)) || tb_config_btcp_has_flag(name);
    if (!file && !setting && !is_own(own, name)) {
        return unknown(name, own, err);
    }
    if (!value) {
        return tb_fail(err, TB_E_CONFIG, "option %s needs a value", name);
    }
    if (file) {
        options->sources.file = value;
        return 0;
    }
    return add_flag(options, name, value, err);
}

int tb_options_parse(struct tb_options *options, int argc, char **argv, const char *const *own,
                     struct tb_err *err)
{
    *options = (struct tb_options){.sources = {.env = (const char *const *)environ}};
    options->sources.flags = options->flags;
    options->sources.dir = getcwd(options->dir, sizeof(options->dir));
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0 && is_own(own, "--json")) {
            options->json = true;
            continue;
        }
        char *name = argv[i];
        if (name[0] != '-') {
            return tb_fail(err, TB_E_CONFIG, "unexpected argument '%s'", name);
        }
        const char *value = value_of(argc, argv, &i);
        int rc = take_option(options, name, value, own, err);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static void print_option(const char *name, const char *help)
{
    printf("  %-*s %s\n", NAME_WIDTH, name, help);
}

void tb_options_help(const char *const *only)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    print_option("--config", "The configuration file. Default: ~/.config/tabard/tabard.yaml "
                             "($XDG_CONFIG_HOME/tabard/tabard.yaml).");
    for (size_t i = 0; i < count; i++) {
        if (keys[i].flag && (!only || is_own(only, keys[i].flag))) {
            print_option(keys[i].flag, keys[i].help);
        }
    }
}
