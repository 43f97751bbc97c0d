/* SPDX-License-Identifier: Apache-2.0 */
#include "core/driver.h"

#include "core/core.h"

void tb_op_done(struct tb_op *op)
{
    op->cancel = NULL;
    op->done(op);
}

const char *tb_op_name(enum tb_op_kind kind)
{
    static const char *const names[TB_OP_COUNT] = {
#define TB_OP(NAME, name, acts) name,
#include "core/ops.def"
#undef TB_OP
    };
    return kind < TB_OP_COUNT ? names[kind] : "none";
}

bool tb_op_acts(enum tb_op_kind kind)
{
    static const bool acting[TB_OP_COUNT] = {
#define TB_OP(NAME, name, acts) acts,
#include "core/ops.def"
#undef TB_OP
    };
    return kind < TB_OP_COUNT && acting[kind];
}

const struct tb_driver_slot *tb_driver_find(const struct tb_core *core, struct tb_str name)
{
    for (size_t i = 0; i < TB_DRIVERS_MAX && core->drivers[i].driver; i++) {
        if (!name.len || tb_str_eq_cstr(name, core->drivers[i].driver->name)) {
            return &core->drivers[i];
        }
    }
    return NULL;
}

int tb_driver_check_op(const struct tb_core *core, enum tb_op_kind kind, const struct cJSON *args,
                       struct tb_err *err)
{
    const struct tb_driver_slot *slot = tb_driver_find(core, TB_STR(""));
    return slot && slot->driver->check_op ? slot->driver->check_op(core, kind, args, err) : 0;
}
