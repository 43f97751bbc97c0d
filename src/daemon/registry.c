/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/registry.h"

#include <stddef.h>

#include "front/ops/ops.h"

const struct tb_front *const *tb_registry_fronts(void)
{
    static const struct tb_front *const fronts[] = {
        &tb_front_ops,
        NULL,
    };
    return fronts;
}
