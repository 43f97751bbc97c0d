/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/filter.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "core/limits.h"
#include "front/target.h"

static int get(struct tb_str query, const char *name, struct tb_buf *value, struct tb_err *err)
{
    tb_buf_clear(value);
    int rc = tb_target_query(query, name, value);
    return rc < 0 ? tb_fail(err, TB_E_INVALID, "'%s' in the query string is malformed", name) : 0;
}

static int add_kind(struct tb_str name, unsigned *kinds, struct tb_err *err)
{
    for (unsigned kind = 0; kind < TB_KIND_COUNT; kind++) {
        if (tb_str_eq_cstr(name, tb_session_kind_name((enum tb_session_kind)kind))) {
            *kinds |= 1U << kind;
            return 0;
        }
    }
    return tb_fail(err, TB_E_PARAMS, "unknown session kind '%.*s'", TB_STR_ARG(name));
}

static int parse_kinds(struct tb_str list, unsigned *kinds, struct tb_err *err)
{
    int rc = 0;
    while (rc == 0 && list.len) {
        rc = add_kind(tb_str_trim(tb_str_cut(&list, ',')), kinds, err);
    }
    return rc;
}

int tb_filter_parse(const struct tb_principal *who, struct tb_str query,
                    struct tb_filter *ret_filter, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf value = TB_BUF(TB_KIB);
    *ret_filter = (struct tb_filter){0};
    snprintf(ret_filter->tenant, sizeof(ret_filter->tenant), "%s", who->tenant);
    /* A reader is in no conversation, so no private session is his own. */
    ret_filter->hidden = tb_principal_may(who, TB_SCOPE_ADMIN);
    ret_filter->operates = tb_principal_may(who, TB_SCOPE_OPERATE);
    int rc = get(query, "session", &value, err);
    if (rc == 0 && value.len >= sizeof(ret_filter->session)) {
        rc = tb_fail(err, TB_E_PARAMS, "the session name is too long");
    }
    if (rc == 0) {
        snprintf(ret_filter->session, sizeof(ret_filter->session), "%.*s",
                 TB_STR_ARG(tb_buf_str(&value)));
        rc = get(query, "kind", &value, err);
    }
    if (rc == 0) {
        rc = parse_kinds(tb_buf_str(&value), &ret_filter->kinds, err);
    }
    if (rc == 0) {
        rc = get(query, "type", &value, err);
    }
    if (rc == 0) {
        rc = tb_event_mask(tb_buf_str(&value), &ret_filter->types, err);
    }
    return rc;
}

/* Callers that were turned away may have meant any tenant. */
static const uint64_t for_operator =
    UINT64_C(1) << TB_EVENT_CALLER_REFUSED | UINT64_C(1) << TB_EVENT_CREDENTIAL_REFUSED;

bool tb_filter_fits(const struct tb_filter *filter, const struct tb_notice *notice)
{
    return (!filter->types || (filter->types & notice->type_bit)) &&
           (!filter->kinds || (filter->kinds & notice->kind_bit)) &&
           strcmp(filter->tenant, notice->tenant) == 0 && (filter->hidden || !notice->hidden) &&
           (filter->operates || !(notice->type_bit & for_operator)) &&
           (!filter->session[0] || strcmp(filter->session, notice->session) == 0 ||
            strcmp(filter->session, notice->session_id) == 0);
}
