/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gate.h"

#include <stddef.h>

void tb_gate_init(struct tb_gate *gate, void (*open)(struct tb_gate *gate))
{
    *gate = (struct tb_gate){.open = open};
    tb_list_init(&gate->holds);
}

void tb_gate_fini(struct tb_gate *gate)
{
    struct tb_list *link;
    while ((link = tb_list_pop(&gate->holds))) {
        TB_CONTAINER(link, struct tb_hold, link)->gate = NULL;
    }
}

bool tb_gate_shut(const struct tb_gate *gate)
{
    return !tb_list_empty(&gate->holds);
}

void tb_gate_hold(struct tb_gate *gate, struct tb_hold *hold)
{
    hold->gate = gate;
    tb_list_init(&hold->link);
    if (gate) {
        tb_list_append(&gate->holds, &hold->link);
    }
}

void tb_gate_fail(struct tb_gate *gate, const struct tb_err *err)
{
    if (gate && gate->err.code == 0) {
        gate->err = *err;
    }
}

void tb_hold_release(struct tb_hold *hold, const struct tb_err *err)
{
    struct tb_gate *gate = hold->gate;
    if (!gate) {
        return;
    }
    hold->gate = NULL;
    tb_list_remove(&hold->link);
    if (err) {
        tb_gate_fail(gate, err);
    }
    if (!tb_gate_shut(gate)) {
        gate->open(gate);
    }
}
