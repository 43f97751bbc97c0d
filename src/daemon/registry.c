/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/registry.h"

#include <stddef.h>

#include "driver/cdp/cdp.h"
#include "driver/client/client.h"
#include "front/btcp/btcp.h"
#include "front/events/events.h"
#include "front/mcp/mcp.h"
#include "front/octopus/octopus.h"
#include "front/ops/ops.h"
#include "front/proxy/proxy.h"
#include "front/rest/rest.h"
#include "store/memory/memory.h"
#include "store/sqlite/sqlite.h"

const struct tb_front *const *tb_registry_fronts(void)
{
    static const struct tb_front *const fronts[] = {
        &tb_front_ops,     &tb_front_mcp,  &tb_front_events, &tb_front_rest,
        &tb_front_octopus, &tb_front_btcp, &tb_front_proxy,  NULL,
    };
    return fronts;
}

const struct tb_driver *const *tb_registry_drivers(void)
{
    static const struct tb_driver *const drivers[] = {
        &tb_driver_cdp,
        &tb_driver_client,
        NULL,
    };
    return drivers;
}

const struct tb_store_kind *const *tb_registry_stores(void)
{
    static const struct tb_store_kind *const stores[] = {
        &tb_store_sqlite,
        &tb_store_memory,
        NULL,
    };
    return stores;
}
