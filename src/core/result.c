/* SPDX-License-Identifier: Apache-2.0 */
#include "core/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "core/limits.h"

void tb_result_init(struct tb_result *result)
{
    result->view = NULL;
    result->whole = false;
    result->code = 0;
    result->message[0] = '\0';
    result->data = tb_json_new_object();
    tb_buf_init(&result->text, TB_RESULT_TEXT_MAX);
    tb_buf_init(&result->raw, TB_RESULT_TEXT_MAX);
    tb_buf_init(&result->image, TB_RESULT_IMAGE_MAX);
    result->image_type = NULL;
}

void tb_result_fini(struct tb_result *result)
{
    tb_json_free(result->data);
    result->data = NULL;
    tb_buf_fini(&result->text);
    tb_buf_fini(&result->raw);
    tb_buf_fini(&result->image);
}

void tb_result_reset(struct tb_result *result)
{
    const struct tb_view *view = result->view;
    bool whole = result->whole;
    tb_result_fini(result);
    tb_result_init(result);
    result->view = view;
    result->whole = whole;
}

int tb_result_fail(struct tb_result *result, int code, const char *fmt, ...)
{
    if (result->code < 0) {
        return result->code;
    }
    va_list args;
    va_start(args, fmt);
    vsnprintf(result->message, sizeof(result->message), fmt, args);
    va_end(args);
    /* The words may hold a page's text; a character that was cut in two would make them no UTF-8.
     */
    result->message[tb_utf8_prefix(tb_str_of(result->message))] = '\0';
    result->code = code;
    return code;
}

int tb_result_fail_err(struct tb_result *result, const struct tb_err *err)
{
    return tb_result_fail(result, err->code, "%s", err->text);
}

void tb_result_move(struct tb_result *to, struct tb_result *from)
{
    tb_result_fini(to);
    to->code = from->code;
    memcpy(to->message, from->message, from->code < 0 ? sizeof(to->message) : 1);
    to->data = from->data;
    to->text = from->text;
    to->raw = from->raw;
    to->image = from->image;
    to->image_type = from->image_type;
    from->data = NULL;
    tb_buf_init(&from->text, TB_RESULT_TEXT_MAX);
    tb_buf_init(&from->raw, TB_RESULT_TEXT_MAX);
    tb_buf_init(&from->image, TB_RESULT_IMAGE_MAX);
}
