/* SPDX-License-Identifier: Apache-2.0 */
/* localStorage and sessionStorage of the current page, read and written by page/storage.js. A page
 * that goes to another document meanwhile is read there; what was to be changed is not, since the
 * new document may be of another site. */
#include "core/args.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"

static bool reads(const struct tb_cdp_work *work)
{
    return tb_str_eq_cstr(tb_args_text(work->op->args, "action", "get"), "get");
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    static const char *const keys[] = {"origin", "items", "changed"};
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    if (!tb_json_get(json, reads(work) ? "items" : "changed")) {
        tb_cdp_work_fail(work, TB_E_INTERNAL, "the page did not say what its storage holds");
        return;
    }
    struct cJSON *data = work->op->result->data;
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        const struct cJSON *item = tb_json_get(json, keys[i]);
        if (item) {
            tb_json_set_take(data, keys[i], tb_json_dup(item));
        }
    }
    tb_json_set_str(data, "area", tb_args_text(work->op->args, "area", "local"));
    tb_cdp_work_done(work);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct tb_cdp_work), .step = step};

static bool lacks_something(struct tb_cdp_work *work)
{
    const struct cJSON *args = work->op->args;
    struct tb_str action = tb_args_text(args, "action", "get");
    bool set = tb_str_eq_cstr(action, "set");
    if ((set || tb_str_eq_cstr(action, "remove")) && !tb_args_has(args, "key")) {
        tb_cdp_work_fail(work, TB_E_PARAMS, "%.*s needs key", TB_STR_ARG(action));
        return true;
    }
    if (set && !tb_args_has(args, "value")) {
        tb_cdp_work_fail(work, TB_E_PARAMS, "set needs value");
        return true;
    }
    return false;
}

void tb_cdp_op_storage(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_cdp_work *work = tb_cdp_work_new(&kind, session, op);
    if (!work || lacks_something(work)) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    tb_cdp_work_args(work, "action area key value", false, &args);
    tb_cdp_work_call(work, reads(work) ? "stored" : "store", tb_buf_str(&args));
}
