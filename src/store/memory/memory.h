/* SPDX-License-Identifier: Apache-2.0 */
/* A store that forgets everything when it is closed: for tests, and for daemons that are to leave
 * no trace. Cores of one process can share it, as nodes share a store. */
#pragma once

#include "core/store.h"

extern const struct tb_store_kind tb_store_memory;

/* Another core on the memory of an open store; it is closed on its own, and the last one that is
 * takes the memory along. */
void *tb_memory_join(void *state, struct tb_core *core);
