/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what this build contains. A new front is one row in registry.c. */
#pragma once

#include "core/front.h"

/* NULL-ended. */
const struct tb_front *const *tb_registry_fronts(void);
