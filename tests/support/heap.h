/* SPDX-License-Identifier: Apache-2.0 */
/* How much the process has allocated and not freed. Resident memory would not do: it depends on the
 * machine, and a sanitizer keeps what was freed. */
#pragma once

#include <stddef.h>

size_t heap_bytes(void);
