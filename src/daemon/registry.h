/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what this build contains. A new front or driver is one row in registry.c. */
#pragma once

#include "core/driver.h"
#include "core/front.h"

/* NULL-ended. */
const struct tb_front *const *tb_registry_fronts(void);
const struct tb_driver *const *tb_registry_drivers(void);
