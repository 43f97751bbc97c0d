/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes and error words. Functions return int, negative on failure: errno and libuv codes
 * pass unchanged, ours are -10000 and below, one row each in err.def.
 *
 * A code says what kind of failure it is; struct tb_err carries the sentence for a person or an
 * agent and is written only on failure. Callers that do not care pass NULL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum tb_retry {
    TB_RETRY_NO,
    TB_RETRY_ONCE,
    TB_RETRY_LATER,
};

enum tb_err_index {
#define TB_ERR(name, wire, http, rpc, retry, advice) TB_ERR_INDEX_##name,
#include "base/err.def"
#undef TB_ERR
    TB_ERR_COUNT,
};

enum tb_err_code {
#define TB_ERR(name, wire, http, rpc, retry, advice) \
    TB_E_##name = -10000 - (int)TB_ERR_INDEX_##name,
#include "base/err.def"
#undef TB_ERR
};

struct tb_err_info {
    const char *wire;
    int http_status;
    int rpc_code;
    enum tb_retry retry;
    const char *advice; /* a hint, see base/hint.h */
};

struct tb_err {
    int code;
    char text[512];
};

/* Fills *err (unless NULL) and returns code, so that a failure is one line. */
int tb_fail(struct tb_err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts words before those already in *err ("reading x: ..."). */
void tb_err_prefix(struct tb_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The row of a code; codes of the system count as internal_error. Never NULL. */
const struct tb_err_info *tb_err_info(int code);
/* The code that has this wire name; 0 when none has. */
int tb_err_by_wire(const char *wire);
/* A row of err.def, and not a code of the system. */
bool tb_err_is_ours(int code);
/* A short word for any code: the wire name of ours, the system's text for others. */
const char *tb_err_name(int code);
