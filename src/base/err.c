/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct tb_err_info rows[TB_ERR_COUNT] = {
#define TB_ERR(name, wire, http, rpc, retry, advice) {wire, http, rpc, retry, advice},
#include "base/err.def"
#undef TB_ERR
};

int tb_fail(struct tb_err *err, int code, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        err->code = code;
        vsnprintf(err->text, sizeof(err->text), fmt, args);
        va_end(args);
    }
    return code;
}

void tb_err_prefix(struct tb_err *err, const char *fmt, ...)
{
    if (!err) {
        return;
    }
    char old[sizeof(err->text)];
    memcpy(old, err->text, sizeof(old));
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    if (len >= 0 && (size_t)len < sizeof(err->text)) {
        snprintf(err->text + len, sizeof(err->text) - (size_t)len, "%s", old);
    }
}

bool tb_err_is_ours(int code)
{
    return code <= -10000 && code > -10000 - TB_ERR_COUNT;
}

const struct tb_err_info *tb_err_info(int code)
{
    return &rows[tb_err_is_ours(code) ? -10000 - code : (int)TB_ERR_INDEX_INTERNAL];
}

int tb_err_by_wire(const char *wire)
{
    for (int i = 0; i < TB_ERR_COUNT; i++) {
        if (strcmp(rows[i].wire, wire) == 0) {
            return -10000 - i;
        }
    }
    return 0;
}

const char *tb_err_name(int code)
{
    if (code <= -10000) {
        return tb_err_info(code)->wire;
    }
    const char *text = strerrordesc_np(code < 0 ? -code : code);
    return text ? text : "unknown error";
}
