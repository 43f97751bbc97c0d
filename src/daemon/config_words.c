/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config_words.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "core/config.h"

enum {
    PATH_SIZE = 140,
    WHOLE_SIZE = 400, /* with a key that there is not */
};

/* "section.key", "key" or "". */
static void full_name(const char *section, const char *key, char *ret_path, size_t size)
{
    snprintf(ret_path, size, "%s%s%s", section, section[0] && key[0] ? "." : "", key);
}

static struct tb_str without_comment(struct tb_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '#' && (i == 0 || line.ptr[i - 1] == ' ' || line.ptr[i - 1] == '\t')) {
            return tb_str_sub(line, 0, i);
        }
    }
    return line;
}

/* The word at `at` is a whole one, perhaps in quotes, with a colon behind it. */
static bool is_key(struct tb_str line, size_t at, size_t len)
{
    char before = ' ';
    if (at > 0) {
        before = line.ptr[at - 1];
    }
    bool quoted = before == '"' || before == '\'';
    struct tb_str rest = tb_str_sub(line, at + len, line.len);
    if (quoted && rest.len && rest.ptr[0] == before) {
        rest = tb_str_sub(rest, 1, rest.len);
    }
    rest = tb_str_trim(rest);
    bool begins = quoted || before == ' ' || before == '\t' || before == '{' || before == ',';
    return begins && rest.len && rest.ptr[0] == ':';
}

static bool has_key(struct tb_str line, const char *key)
{
    size_t len = strlen(key);
    const char *found;
    for (size_t at = 0; len && at < line.len; at++) {
        found = memmem(line.ptr + at, line.len - at, key, len);
        if (!found) {
            return false;
        }
        at = (size_t)(found - line.ptr);
        if (is_key(line, at, len)) {
            return true;
        }
    }
    return false;
}

/* libcyaml names the place of what it read last, which stands before the key that it refuses. So
 * the key is looked for from there on; 0 when it is not found. */
static int line_of_key(struct tb_str text, int from, const char *key)
{
    int line = 0;
    while (text.ptr) {
        struct tb_str next = tb_str_cut(&text, '\n');
        if (++line >= from && has_key(without_comment(next), key)) {
            return line;
        }
    }
    return 0;
}

/* The first line from there on that is indented with a tab; 0 when there is none. */
static int line_of_tab(struct tb_str text, int from)
{
    int line = 0;
    while (text.ptr) {
        struct tb_str next = tb_str_cut(&text, '\n');
        size_t spaces = 0;
        while (spaces < next.len && next.ptr[spaces] == ' ') {
            spaces++;
        }
        if (++line >= from && spaces < next.len && next.ptr[spaces] == '\t') {
            return line;
        }
    }
    return 0;
}

/* libyaml speaks of tokens, and names a line before the tab. */
static int explain_syntax(const char *name, int line, struct tb_str text, const char *syntax,
                          struct tb_err *err)
{
    int tab = line_of_tab(text, line);
    if (tab) {
        return tb_fail(err, TB_E_CONFIG, "%s:%d: indent with spaces, not tabs", name, tab);
    }
    return tb_fail(err, TB_E_CONFIG, "%s:%d: the file is not valid YAML from here on: %s", name,
                   line, syntax);
}

/* What stands behind the words, or NULL if the matter does not begin with them. */
static const char *behind(const char *matter, const char *words)
{
    size_t len = strlen(words);
    return strncmp(matter, words, len) == 0 ? matter + len : NULL;
}

static const char *kind_of(const char *event)
{
    return strcmp(event, "SEQUENCE_START") == 0  ? "a list"
           : strcmp(event, "MAPPING_START") == 0 ? "a section"
                                                 : "a single value";
}

/* "Expecting STRING, got event: SEQUENCE_START" */
static int explain_type(const char *where, const char *path, const char *matter, struct tb_err *err)
{
    const char *event = strstr(matter, "event: ");
    const char *seen = kind_of(event ? event + strlen("event: ") : "");
    if (!path[0]) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s: the file must have lines like 'listen: 127.0.0.1:8765'", where);
    }
    if (behind(matter, "Expecting MAPPING")) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s: %s must be a section, with its settings indented below it", where,
                       path);
    }
    if (behind(matter, "Expecting SEQUENCE")) {
        return tb_fail(err, TB_E_CONFIG, "%s: %s must be a list, like [first, second], not %s",
                       where, path, seen);
    }
    return tb_fail(err, TB_E_CONFIG, "%s: %s must be a single value, not %s", where, path, seen);
}

/* "log.level: debug" in one line is what the other sources of settings look like. */
static int explain_unknown(const struct tb_config_file *file, const char *where,
                           const char *section, const char *key, struct tb_err *err)
{
    const char *dot = strchr(key, '.');
    char path[WHOLE_SIZE];
    full_name(section, key, path, sizeof(path));
    struct tb_nearest nearest = {.word = tb_str_of(path)};
    for (size_t i = 0; i < file->count; i++) {
        const char *known = file->keys[i].path;
        char top[PATH_SIZE];
        snprintf(top, sizeof(top), "%.*s", (int)strcspn(known, "."), known);
        tb_nearest_offer(&nearest, known);
        tb_nearest_offer(&nearest, section[0] ? "" : top);
    }
    if (dot && nearest.best[0] && nearest.distance == 0) {
        return tb_fail(err, TB_E_CONFIG, "%s: write '%.*s:' and indented below it '%s: ...'", where,
                       (int)(dot - key), key, dot + 1);
    }
    return tb_fail(err, TB_E_CONFIG, "%s: unknown setting %s%s", where, path,
                   tb_nearest_words(&nearest));
}

int tb_config_explain(const struct tb_config_complaint *complaint,
                      const struct tb_config_file *file, const char *name, struct tb_str text,
                      struct tb_err *err)
{
    const char *matter = complaint->matter;
    const char *unknown = behind(matter, "Unexpected key: ");
    const char *twice = behind(matter, "Mapping field already seen: ");
    const char *missing = behind(matter, "Missing required mapping field: ");
    const char *syntax = behind(matter, "libyaml: ");
    char path[PATH_SIZE];
    char where[512];
    int line = complaint->line > 0 ? complaint->line : 1;
    int found = unknown ? line_of_key(text, line, unknown)
                : twice ? line_of_key(text, line + 1, twice)
                        : 0;
    line = found ? found : line;
    full_name(complaint->section, complaint->key, path, sizeof(path));
    snprintf(where, sizeof(where), "%s:%d", name, line);
    if (unknown && strcmp(complaint->section, "webhooks") == 0) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s: there is no %s in %s; an entry has url, secret and types", where,
                       unknown, complaint->section);
    }
    if (unknown) {
        return explain_unknown(file, where, path, unknown, err);
    }
    if (twice) {
        return tb_fail(err, TB_E_CONFIG, "%s: %s is set twice", where, path);
    }
    if (missing) {
        return tb_fail(err, TB_E_CONFIG, "%s: an entry of %s has no %s", where, complaint->section,
                       missing);
    }
    if (syntax) {
        return explain_syntax(name, line, text, syntax, err);
    }
    if (behind(matter, "Expecting ")) {
        return explain_type(where, path, matter, err);
    }
    return tb_fail(err, TB_E_CONFIG, "%s: %s%s%s", where, path, path[0] ? ": " : "", matter);
}
