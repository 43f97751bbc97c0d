/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/next_step.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* An agent is not started where this daemon was. */
static void put_path(struct tb_buf *out, const struct tb_config_sources *sources, const char *path)
{
    char whole[PATH_MAX];
    bool relative = path[0] != '/' && sources->dir;
    int len = snprintf(whole, sizeof(whole), "%s%s%s", relative ? sources->dir : "",
                       relative ? "/" : "", path);
    put_word(out, len < (int)sizeof(whole) ? whole : path);
}

void tb_next_step_put(const struct tb_config_sources *sources, struct tb_buf *out)
{
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
    tb_buf_append_cstr(
        out, "Give it to an agent (more in README.md): claude mcp add --scope user tabard --");
    put_word(out, len > 0 ? program : "tabard");
    tb_buf_append_cstr(out, " mcp");
    if (sources->file) {
        tb_buf_append_cstr(out, " --config");
        put_path(out, sources, sources->file);
    }
    for (size_t i = 0; i < sources->flag_count; i++) {
        const struct tb_config_key *key = tb_config_by_flag(tb_str_of(sources->flags[2 * i]));
        put_word(out, sources->flags[2 * i]);
        if (key && key->type == TB_CONFIG_PATH) {
            put_path(out, sources, sources->flags[2 * i + 1]);
        } else {
            put_word(out, sources->flags[2 * i + 1]);
        }
    }
    tb_buf_append_char(out, '\n');
}
