/* SPDX-License-Identifier: Apache-2.0 */
/* What is part of this program. A new front, driver or store is one row in registry.c.
 * tabard-fixtures is the same program with another list (tests/fixtures). */
#pragma once

#include "core/driver.h"
#include "core/front.h"
#include "core/store.h"

/* NULL-ended. */
const struct tb_front *const *tb_registry_fronts(void);
const struct tb_driver *const *tb_registry_drivers(void);
const struct tb_store_kind *const *tb_registry_stores(void);
