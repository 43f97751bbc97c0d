/* SPDX-License-Identifier: Apache-2.0 */
#include "support/said.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"

enum {
    WORDS_MAX = 4 * TB_MIB,
};

static void make(struct tb_result *result, const struct said_result *from)
{
    tb_result_init(result);
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

static char *taken(struct tb_buf *out, struct tb_result *result)
{
    char *words = tb_memdup(out->data ? (const char *)out->data : "", out->len);
    tb_buf_fini(out);
    tb_result_fini(result);
    return words;
}

char *said_by_tool(const struct tb_tool *tool, const struct said_result *from)
{
    struct tb_result result;
    struct tb_buf out;
    make(&result, from);
    tb_buf_init(&out, WORDS_MAX);
    tool->print(&result, &out);
    return taken(&out, &result);
}

char *said_by_face(const struct tb_face *face, const char *args, const struct said_result *from,
                   bool is_error)
{
    struct cJSON *json = tb_json_parse(tb_str_of(args));
    struct tb_result result;
    struct tb_buf out;
    bool told = from->code < 0;
    assert_non_null(json);
    make(&result, from);
    tb_buf_init(&out, WORDS_MAX);
    face->print(json, &result, &out, &told);
    assert_int_equal(told, is_error);
    tb_json_free(json);
    return taken(&out, &result);
}
