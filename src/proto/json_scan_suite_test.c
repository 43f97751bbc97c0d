/* SPDX-License-Identifier: Apache-2.0 */
/* tests/data/json/cases.txt, each line a test of its own. TABARD_ROOT names the root of the tree
 * when the program is not run from there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "proto/json_scan.h"

enum {
    CASES_MIN = 250,
    CASES_MAX = 2000,
};

static const struct tb_json_limits strict = {.depth_max = 64, .number_max = TB_JSON_NUMBER_TREE};
static const struct tb_json_limits loose = {.depth_max = 64, .any_escape = true};

struct json_case {
    const char *verdict;
    const char *name;
    char *text; /* unescaped in place */
    size_t len;
};

struct suite {
    char *file;
    struct json_case cases[CASES_MAX];
    struct CMUnitTest tests[CASES_MAX];
    size_t count;
};

/* A copy that ends where the text ends, so that ASan sees a read behind it. */
static struct tb_str exact_copy(const struct json_case *item)
{
    char *copy = malloc(item->len ? item->len : 1);
    assert_non_null(copy);
    memcpy(copy, item->text, item->len);
    return (struct tb_str){copy, item->len};
}

/* What passes, the tree parser must read as well, with the same type on top. */
static void check_tree(struct tb_str text, int type)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(text);
    assert_non_null(json);
    assert_int_equal(tb_json_is_object(json), type == TB_JSON_OBJECT);
    assert_int_equal(tb_json_is_array(json), type == TB_JSON_ARRAY);
    assert_int_equal(tb_json_str(json, &(struct tb_str){NULL, 0}), type == TB_JSON_STRING);
    assert_int_equal(tb_json_num(json, &(double){0}), type == TB_JSON_NUMBER);
    assert_int_equal(tb_json_bool(json, &(bool){false}), type == TB_JSON_BOOL);
}

static void run_case(void **state)
{
    const struct json_case *item = *state;
    struct tb_err err = {0};
    struct tb_str text = exact_copy(item);
    int strict_rc = tb_json_scan(text, &strict, NULL, 0, &err);
    int loose_rc = tb_json_scan(text, &loose, NULL, 0, NULL);
    if (strcmp(item->verdict, "accept") == 0) {
        assert_string_equal(err.text, "");
        assert_true(strict_rc > TB_JSON_ABSENT);
        assert_int_equal(loose_rc, strict_rc);
        check_tree(text, strict_rc);
    } else {
        assert_int_equal(strict_rc, TB_E_PARSE);
        assert_int_equal(err.code, TB_E_PARSE);
        assert_memory_equal(err.text, "byte ", 5);
        assert_int_equal(loose_rc > 0, strcmp(item->verdict, "loose") == 0);
    }
    free((void *)(uintptr_t)text.ptr);
}

static char *read_cases(void)
{
    const char *root = getenv("TABARD_ROOT");
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/data/json/cases.txt", root ? root : ".");
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot read %s; run from the root of the tree or set TABARD_ROOT\n", path);
        exit(1);
    }
    char *text = NULL;
    size_t cap = 0;
    if (getdelim(&text, &cap, '\0', file) < 0) {
        fprintf(stderr, "%s is empty\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static void unescape(struct json_case *item)
{
    size_t len = 0;
    for (const char *at = item->text; *at; len++) {
        char digits[3] = {0};
        if (at[0] != '\\' || at[1] != 'x') {
            item->text[len] = *at++;
            continue;
        }
        memcpy(digits, at + 2, strnlen(at + 2, 2));
        char *end;
        item->text[len] = (char)strtoul(digits, &end, 16);
        if (end != digits + 2) {
            fprintf(stderr, "case %s: \\x needs two hex digits\n", item->name);
            exit(1);
        }
        at += 4;
    }
    item->len = len;
}

static void add_case(struct suite *suite, char *line)
{
    struct json_case *item = &suite->cases[suite->count];
    item->verdict = strsep(&line, "\t");
    item->name = strsep(&line, "\t");
    item->text = line;
    bool known = strcmp(item->verdict, "accept") == 0 || strcmp(item->verdict, "reject") == 0 ||
                 strcmp(item->verdict, "loose") == 0;
    if (!known || !item->text || suite->count == CASES_MAX - 1) {
        fprintf(stderr, "bad line in cases.txt: %s %s\n", item->verdict,
                item->name ? item->name : "");
        exit(1);
    }
    for (size_t i = 0; i < suite->count; i++) {
        if (strcmp(suite->cases[i].name, item->name) == 0) {
            fprintf(stderr, "two cases are called %s\n", item->name);
            exit(1);
        }
    }
    unescape(item);
    suite->tests[suite->count++] =
        (struct CMUnitTest){.name = item->name, .test_func = run_case, .initial_state = item};
}

int main(void)
{
    struct suite *suite = TB_NEW(struct suite);
    suite->file = read_cases();
    char *rest = suite->file;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (line[0] != '#' && line[0] != '\0') {
            add_case(suite, line);
        }
    }
    int failed = 1;
    if (suite->count < CASES_MIN) {
        fprintf(stderr, "only %zu cases, at least %d are wanted\n", suite->count, CASES_MIN);
    } else {
        failed = _cmocka_run_group_tests("json cases", suite->tests, suite->count, NULL, NULL);
    }
    free(suite->file);
    tb_free(suite);
    return failed;
}
