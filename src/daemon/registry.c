/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/registry.h"

#include <stddef.h>

#include "driver/cdp/cdp.h"
#include "front/mcp/mcp.h"
#include "front/ops/ops.h"

const struct tb_front *const *tb_registry_fronts(void)
{
    static const struct tb_front *const fronts[] = {
        &tb_front_ops,
        &tb_front_mcp,
        NULL,
    };
    return fronts;
}

const struct tb_driver *const *tb_registry_drivers(void)
{
    static const struct tb_driver *const drivers[] = {
        &tb_driver_cdp,
        NULL,
    };
    return drivers;
}
