/* SPDX-License-Identifier: Apache-2.0 */
#include "core/op.h"

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
