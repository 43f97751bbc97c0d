/* SPDX-License-Identifier: Apache-2.0 */
/* Which notices somebody wants: those of his tenant that he may see, and of them what the query
 * says. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "core/principal.h"
#include "front/events/notice.h"

struct tb_filter {
    char tenant[TB_TENANT_SIZE];
    bool hidden;                /* also what is about private sessions */
    bool operates;              /* also what is about callers whom no tenant knows */
    char session[TB_NAME_SIZE]; /* a name or an id; empty: all, and what is about none */
    unsigned kinds;             /* bits 1 << kind; 0: all, and what is about no session */
    uint64_t types;             /* as of tb_event_mask; 0: all */
};

/* `query` is that of the request: session, kind, type. TB_E_PARAMS or TB_E_INVALID with words. */
int tb_filter_parse(const struct tb_principal *who, struct tb_str query,
                    struct tb_filter *ret_filter, struct tb_err *err);
bool tb_filter_fits(const struct tb_filter *filter, const struct tb_notice *notice);
