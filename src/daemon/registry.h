/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what this build contains. A new front, driver or store is one row in registry.c. */
#pragma once

#include <stdbool.h>

#include "core/driver.h"
#include "core/front.h"
#include "core/store.h"

/* NULL-ended. */
const struct tb_front *const *tb_registry_fronts(void);
/* `fake`: those of tests, which have no browsers. */
const struct tb_driver *const *tb_registry_drivers(bool fake);
const struct tb_store_kind *const *tb_registry_stores(void);
