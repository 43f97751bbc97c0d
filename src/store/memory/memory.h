/* SPDX-License-Identifier: Apache-2.0 */
/* A store that forgets everything when it is closed: for tests, and for daemons that are to leave
 * no trace. */
#pragma once

#include "core/store.h"

extern const struct tb_store_kind tb_store_memory;
