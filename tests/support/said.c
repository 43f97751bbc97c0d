/* SPDX-License-Identifier: Apache-2.0 */
#include "support/said.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/view.h"
#include "tool/tools.h"
#include "tool/toolsets.h"

enum {
    WORDS_MAX = 4 * TB_MIB,
};

static void make(struct tb_result *result, const struct said_result *from,
                 const struct tb_view *view)
{
    tb_result_init(result);
    result->view = view;
    if (from->data) {
        tb_json_free(result->data);
        result->data = tb_json_parse(tb_str_of(from->data));
        assert_non_null(result->data);
    }
    if (from->code < 0) {
        tb_result_fail(result, from->code, "%s", from->message ? from->message : "");
    }
    assert_int_equal(tb_buf_append_cstr(&result->text, from->text ? from->text : ""), 0);
    assert_int_equal(tb_buf_append_cstr(&result->image, from->image ? from->image : ""), 0);
}

void said_hide_numbers(char *words)
{
    static const size_t digits = 8;
    for (char *at = strstr(words, "page "); at; at = strstr(at + 1, "page ")) {
        char *number = at + strlen("page ");
        bool marks = at > words && (at[-1] == '<' || at[-1] == '/') &&
                     strspn(number, "0123456789abcdef") == digits && number[digits] == '>';
        if (marks) {
            number[0] = 'N';
            memmove(number + 1, number + digits, strlen(number + digits) + 1);
        }
    }
}

static char *taken(struct tb_buf *out, struct tb_result *result)
{
    char *words = tb_memdup(out->data ? (const char *)out->data : "", out->len);
    tb_buf_fini(out);
    tb_result_fini(result);
    said_hide_numbers(words);
    return words;
}

char *said_by_tool(const struct tb_view *view, const struct tb_tool *tool,
                   const struct said_result *from)
{
    struct tb_result result;
    struct tb_buf out;
    make(&result, from, view);
    tb_buf_init(&out, WORDS_MAX);
    tool->print(&result, &out);
    return taken(&out, &result);
}

char *said_of(const struct tb_tool *tool, const char *data, const char *text)
{
    return said_by_tool(said_views()[1], tool,
                        &(const struct said_result){.data = data, .text = text});
}

char *said_by_face(const struct tb_toolset *toolset, const struct tb_face *face, const char *args,
                   const struct said_result *from, bool is_error)
{
    const struct tb_view *view = NULL;
    for (size_t i = 0; i < SAID_VIEWS; i++) {
        view = said_views()[i]->toolset == toolset ? said_views()[i] : view;
    }
    struct cJSON *json = tb_json_parse(tb_str_of(args));
    struct tb_result result;
    struct tb_buf out;
    bool told = from->code < 0;
    assert_non_null(json);
    make(&result, from, view);
    tb_buf_init(&out, WORDS_MAX);
    face->print(json, &result, &out, &told);
    assert_int_equal(told, is_error);
    tb_json_free(json);
    return taken(&out, &result);
}

struct tb_view *const *said_views(void)
{
    static const struct tb_config_list none = {NULL, 0};
    static const char *const choices[SAID_VIEWS][2] = {
        {"", ""}, {"", "all"}, {"octopus", ""}, {"wdio", ""}};
    static struct tb_views all;
    static struct tb_view *views[SAID_VIEWS];
    for (size_t i = 0; i < SAID_VIEWS && !views[SAID_VIEWS - 1]; i++) {
        if (i == 0) {
            tb_views_init(&all, &tb_kit);
        }
        assert_int_equal(tb_view_make(&all, tb_str_of(choices[i][0]), tb_str_of(choices[i][1]),
                                      &none, &views[i], NULL),
                         0);
    }
    return views;
}

static bool has_name(const char *words, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) {
        char behind = at[len];
        bool begins = at == words || at[-1] == ' ' || at[-1] == '(' || at[-1] == '\'';
        if (begins && behind != '_' && (behind < 'a' || behind > 'z')) {
            return true;
        }
    }
    return false;
}

void said_names_no_other_tool(const struct tb_view *view, const char *words)
{
    for (const struct tb_tool *const *tool = tb_kit.tools; *tool; tool++) {
        struct tb_str name = tb_str_of((*tool)->name);
        bool known = view->toolset->faces ? tb_face_find(view->toolset, name) != NULL
                                          : tb_view_has(view, *tool);
        if (!known && has_name(words, (*tool)->name)) {
            fail_msg("to readers of %s: %s", view->toolset->name, words);
        }
    }
}
