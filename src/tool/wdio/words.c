/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "core/view.h"
#include "tool/params.h"
#include "tool/tools.h"
#include "tool/wdio/faces.h"

const struct tb_param tb_wdio_only_session[] = {
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_END,
};

bool tb_wdio_failed(const struct tb_result *result, const char *doing, struct tb_buf *out,
                    bool *ret_is_error)
{
    *ret_is_error = result->code < 0;
    if (result->code >= 0) {
        return false;
    }
    /* "No session: x" and "Session 'x' already exists" are promised to begin so. */
    if (result->code != TB_E_SESSION_NOT_FOUND && result->code != TB_E_SESSION_EXISTS) {
        tb_buf_printf(out, "Error %s: ", doing);
    }
    tb_buf_append_cstr(out, result->message);
    tb_buf_append_char(out, '\n');
    tb_view_hint(result->view, tb_err_info(result->code)->advice, out);
    return true;
}

void tb_wdio_copy(struct cJSON *to, const char *to_key, const struct cJSON *from,
                  const char *from_key)
{
    const struct cJSON *value = tb_json_get(from, from_key);
    if (value) {
        tb_json_set_take(to, to_key, tb_json_dup(value));
    }
}

struct cJSON *tb_wdio_args(const struct cJSON *args)
{
    struct cJSON *mapped = tb_json_new_object();
    tb_wdio_copy(mapped, "sessionId", args, "sessionId");
    return mapped;
}
