/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/next_step.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* As a shell reads it. A quote within stands outside of the others. */
static void put_word(struct tb_buf *out, const char *word)
{
    if (word[strspn(word,
                    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=")] ==
        '\0') {
        tb_buf_printf(out, " %s", word);
        return;
    }
    tb_buf_append_cstr(out, " '");
    for (; *word; word++) {
        if (*word == '\'') {
            tb_buf_append_cstr(out, "'\\''");
        } else {
            tb_buf_append_char(out, *word);
        }
    }
    tb_buf_append_char(out, '\'');
}

/* An agent is not started where this daemon was. The caller frees. */
static char *whole_path(const struct tb_config_sources *sources, const char *path)
{
    bool relative = path[0] != '/' && path[0] && sources->dir;
    return tb_strdupf("%s%s%s", relative ? sources->dir : "", relative ? "/" : "", path);
}

static void put_option(const struct tb_config_sources *sources, const char *flag, const char *value,
                       struct tb_buf *out)
{
    const struct tb_config_key *key = tb_config_by_flag(tb_str_of(flag));
    bool path = !key || key->type == TB_CONFIG_PATH; /* --config is no setting */
    TB_AUTO(tb_free) char *text = path ? whole_path(sources, value) : tb_strdup(value);
    put_word(out, flag);
    put_word(out, text);
}

static bool has_flag(const struct tb_config_sources *sources, const char *flag)
{
    for (size_t i = 0; i < sources->flag_count; i++) {
        if (strcmp(sources->flags[2 * i], flag) == 0) {
            return true;
        }
    }
    return false;
}

/* A password in an address must not be printed for people to paste. */
static bool has_password(struct tb_str value)
{
    const char *mark = strstr(value.ptr, "://");
    return mark && strchr(mark, '@');
}

/* The settings of this environment, which an agent does not have: as options where there is one,
 * else as variables. */
static void put_environment(const struct tb_config_sources *sources, bool options,
                            struct tb_buf *out)
{
    const char *before = " env";
    for (const char *const *env = sources->env; env && *env; env++) {
        struct tb_str value = tb_str_of(*env);
        struct tb_str name = tb_str_cut(&value, '=');
        const struct tb_config_key *key = tb_config_by_env(name);
        if (!key || (key->flag != NULL) != options || has_password(value)) {
            continue;
        }
        if (options && !has_flag(sources, key->flag)) {
            put_option(sources, key->flag, value.ptr, out);
        } else if (!options) {
            TB_AUTO(tb_free)
            char *text =
                key->type == TB_CONFIG_PATH ? whole_path(sources, value.ptr) : tb_strdup(value.ptr);
            TB_AUTO(tb_free) char *pair = tb_strdupf("%.*s=%s", TB_STR_ARG(name), text);
            tb_buf_append_cstr(out, before);
            put_word(out, pair);
            before = "";
        }
    }
}

void tb_next_step_put(const struct tb_config_sources *sources, struct tb_buf *out)
{
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
    tb_buf_append_cstr(
        out, "Give it to an agent (more in README.md): claude mcp add --scope user tabard --");
    put_environment(sources, false, out);
    put_word(out, len > 0 ? program : "tabard");
    tb_buf_append_cstr(out, " mcp");
    if (sources->file) {
        put_option(sources, "--config", sources->file, out);
    }
    put_environment(sources, true, out);
    for (size_t i = 0; i < sources->flag_count; i++) {
        put_option(sources, sources->flags[2 * i], sources->flags[2 * i + 1], out);
    }
    tb_buf_append_char(out, '\n');
}
