/* SPDX-License-Identifier: Apache-2.0 */
/* An expression for the world of the page scripts, as params of Runtime.evaluate. What is a call of
 * one of their functions goes by tb_cdp_page_call, which waits, tries again and reads the answer.
 */
#pragma once

#include "base/buf.h"
#include "base/str.h"

enum {
    TB_CDP_EXPRESSION_PARAMS = 1024, /* enough for an expression of ours */
};

struct tb_cdp_expression {
    struct tb_str text;
    const char
        *world; /* of a frame; empty: it has none now, and this fails; NULL: the page's own */
    const char *group; /* of remote objects, for one that gives an object; else NULL */
    bool value;        /* its value is wanted, awaited if it is a promise */
};

void tb_cdp_expression_put(const struct tb_cdp_expression *expression, struct tb_buf *out);
